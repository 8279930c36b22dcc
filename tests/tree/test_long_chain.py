"""A chain of 100,000 leaves through every public function: nothing recurses."""

import inspect

import numpy as np
import pytest

import coterie
from coterie import evaluate, tree
from coterie.errors import NotEnoughMemory
from coterie.tree import Dendrogram

N = 100_000
CLASSES = np.arange(N) // 1000
BACKWARDS = np.arange(N)[::-1]
FAR = np.broadcast_to(1.0, (N * (N - 1) // 2,))  # as many distances as there are pairs, in no memory


def chain_of(n):
    """Return a tree in which leaf after leaf joins one growing cluster."""
    merges = np.column_stack([np.concatenate([[0], np.arange(n, 2 * n - 2)]), np.arange(1, n)])
    return Dendrogram(merges, np.arange(1.0, n))


@pytest.fixture(scope="module")
def chain():
    return chain_of(N)


@pytest.fixture(autouse=True)
def small_limits(monkeypatch):
    monkeypatch.setattr("coterie._support.validation.memory.available_memory", lambda: 1 << 30)
    monkeypatch.setattr("coterie.evaluate.internal.cut_curves.MOST_STEPS", 500_000_000)


def is_refused(match, call, *arguments, **options):
    """Return True: what grows with the square of the leaves is refused before the work, with the way out."""
    with pytest.raises(NotEnoughMemory, match=match):
        call(*arguments, **options)
    return True


def pairs_meet(chain):
    np.testing.assert_array_equal(chain.cophenetic([[0, N - 1], [5, 3], [7, 7]]), [N - 1, 5, 0])
    return is_refused("cophenetic matrix of 100,000 leaves needs 37.3 GiB.*Ask for some", chain.cophenetic)


def cuts(chain):
    np.testing.assert_array_equal(np.bincount(chain.cut(1000))[:2], [N - 999, 1])
    np.testing.assert_array_equal(chain.cut(height=N - 1000.0), chain.cut(1000))
    assert chain.cut(min_size=2).max() == 0
    assert chain.cut(min_size=1).max() == N - 1
    return chain.cut(best=lambda labels: labels.max()).max() == 99


def orders(chain):
    np.testing.assert_array_equal(chain.leaf_order(), np.arange(N))
    match = r"the optimal order of 100,000 leaves needs .*tree.subtree\(node\)"
    return is_refused(match, chain.leaf_order, optimal=True, X=np.zeros((N, 1)))


def drawn(chain):
    assert chain.draw(width=16).count("\n") == 2 * N - 1
    return is_refused("a drawing of 100,000 leaves needs .*Draw a part", chain.draw, width=800)


def upside_down(chain):
    similarities = Dendrogram(chain.merges, -chain.heights, heights_are="similarities")
    return similarities.as_distances(0.0) == chain


def nodes_in_another_order(chain):
    merges = np.where(chain.merges < N, chain.merges, 3 * N - 2 - chain.merges)
    return Dendrogram.from_nodes(merges[::-1], chain.heights[::-1]) == chain


def curve_of_cuts(chain):
    curve = evaluate.cut_curve(chain, CLASSES, np.arange(N, dtype=float)[:, None])
    assert curve["purity_score"][-1] == 1
    return np.isfinite(curve["simplified sil"][1:100]).all()


def linked(chain):
    X = np.cumsum(np.arange(N, dtype=float))[:, None]  # ever larger steps: the next row is always nearest
    return Dendrogram.from_linkage(tree.linkage(X, "single")).is_monotone and np.array_equal(
        tree.linkage(X, "single")[:, 3], np.arange(2, N + 1)
    )


# what is done with each public name of a dendrogram; every entry must come out true
OF_A_TREE = {
    "agglomerative_coefficient": lambda chain: 0.49 < chain.agglomerative_coefficient < 0.51,
    "arrays": lambda chain: chain.arrays.n_leaves == N,
    "as_distances": upside_down,
    "binary": lambda chain: chain.binary() is chain,
    "children": lambda chain: chain.children(chain.root).tolist() == [2 * N - 3, N - 1],
    "cophenetic": pairs_meet,
    "cophenetic_correlation": lambda chain: is_refused(
        "a copy of the distances of 100,000 leaves needs", chain.cophenetic_correlation, FAR
    ),
    "cut": cuts,
    "cut_sizes": lambda chain: np.array_equal(chain.cut_sizes(), np.arange(1, N + 1)),
    "draw": drawn,
    "from_children": lambda chain: Dendrogram.from_children(chain.merges, chain.heights) == chain,
    "from_linkage": lambda chain: Dendrogram.from_linkage(chain.to_linkage()) == chain,
    "from_newick": lambda chain: Dendrogram.from_newick(chain.to_newick()) == chain,
    "from_nodes": nodes_in_another_order,
    "heights": lambda chain: chain.heights[-1] == N - 1,
    "heights_are": lambda chain: chain.heights_are == "distances",
    "is_binary": lambda chain: chain.is_binary,
    "is_monotone": lambda chain: chain.is_monotone,
    "leaf_order": orders,
    "members": lambda chain: chain.members(chain.root).size == N,
    "merges": lambda chain: chain.merges.shape == (N - 1, 2),
    "names": lambda chain: Dendrogram(chain.merges, chain.heights, names=range(N)).names[-1] == str(N - 1),
    "n_inner": lambda chain: chain.n_inner == N - 1,
    "n_leaves": lambda chain: chain.n_leaves == N,
    "reordered": lambda chain: np.array_equal(chain.reordered(BACKWARDS).leaf_order(), BACKWARDS),
    "root": lambda chain: chain.root == 2 * N - 2,
    "sizes": lambda chain: np.array_equal(chain.sizes, np.arange(2, N + 1)),
    "subtree": lambda chain: chain.subtree(chain.root - 1).n_leaves == N - 1,
    "to_linkage": lambda chain: chain.to_linkage().shape == (N - 1, 4),
    "to_newick": lambda chain: chain.to_newick().count("(") == N - 1,
}

OF_THE_MODULE = {
    "bakers_gamma": lambda chain: is_refused("the joins of all pairs", tree.bakers_gamma, chain, chain),
    "cophenetic_agreement": lambda chain: is_refused(
        "the joins of all pairs of 100,000 leaves needs .*Compare parts",
        tree.cophenetic_agreement,
        chain,
        chain,
    ),
    "entanglement": lambda chain: tree.entanglement(chain, chain.reordered(BACKWARDS)) == 1,
    "untangled": lambda chain: tree.untangled(chain, chain.reordered(BACKWARDS)) == chain,
    "untangled_pair": lambda chain: (
        tree.entanglement(*tree.untangled_pair(chain, chain.reordered(BACKWARDS))) == 0
    ),
    "fowlkes_mallows_curve": lambda chain: (tree.fowlkes_mallows_curve(chain, chain).values == 1).all(),
    "linkage": linked,
    "robinson_foulds": lambda chain: tree.robinson_foulds(chain, chain) == 0,
}

# measures that take a tree
OF_EVALUATE = {
    "compare_linkages": lambda chain: evaluate.compare_linkages(
        None, CLASSES, linkages={"chain": chain}
    ).best(),
    "cophenetic_correlation": lambda chain: is_refused(
        "the cophenetic matrix", evaluate.cophenetic_correlation, np.zeros((N, 1)), chain
    ),
    "cut_curve": curve_of_cuts,
    "node_significance": lambda chain: (
        evaluate.node_significance(chain, np.zeros((N, 1)), n_draws=2).n_clusters == 1
    ),
}


def takes_a_tree(function):
    return any("Dendrogram" in str(one.annotation) for one in inspect.signature(function).parameters.values())


def test_no_public_name_is_left_out(chain):
    """Law: the tables above hold every public name, so that a new function goes through a chain, too."""
    assert {name for name in dir(chain) if not name.startswith("_")} == set(OF_A_TREE)
    functions = {name for name in tree.__all__ if inspect.isfunction(getattr(tree, name))}
    assert functions == set(OF_THE_MODULE)
    measures = {name: getattr(evaluate, name) for name in evaluate.__all__}
    of_trees = {name for name, one in measures.items() if inspect.isfunction(one) and takes_a_tree(one)}
    assert of_trees == set(OF_EVALUATE)


@pytest.mark.parametrize("name", OF_A_TREE)
def test_dendrogram_of_a_chain(chain, name):
    """Law: every method and property of a dendrogram works at any depth, or says what does not fit."""
    assert OF_A_TREE[name](chain)


@pytest.mark.parametrize("name", OF_THE_MODULE)
def test_functions_of_a_chain(chain, name):
    """Law: so does every function of coterie.tree."""
    assert OF_THE_MODULE[name](chain)


@pytest.mark.parametrize("name", OF_EVALUATE)
def test_measures_of_a_chain(chain, name):
    """Law: so does every measure that takes a tree."""
    assert OF_EVALUATE[name](chain)


@pytest.mark.parametrize("name", ["dendrogram", "radial_tree", "phylogram"])
def test_pictures_of_a_chain(chain, name):
    """Law: a picture shows the last merges."""
    pyplot = pytest.importorskip("matplotlib.pyplot", reason="pictures need matplotlib")
    from coterie.show import plots

    ax = getattr(plots, name)(chain, cut=3)
    assert ax.lines or ax.collections
    pyplot.close(ax.figure)


def test_words_and_files_of_a_chain(chain, tmp_path):
    """Law: a chain is printed, hashed, saved and loaded."""
    coterie.save(chain, tmp_path / "chain")
    assert coterie.load(tmp_path / "chain") == chain
    assert "merges below" in str(chain)
    assert repr(chain) == "Dendrogram of 100,000 leaves, heights 1 to 99999"
    assert hash(chain) == hash(Dendrogram(chain.merges, chain.heights))


def test_a_million_leaves(tmp_path):
    """Law: a chain of a million leaves cuts, orders, prints and saves."""
    n = 1_000_000
    chain = chain_of(n)
    assert np.bincount(chain.cut(1000))[0] == n - 999
    np.testing.assert_array_equal(chain.cut(height=n - 1000.0), chain.cut(1000))
    np.testing.assert_array_equal(chain.leaf_order(), np.arange(n))
    assert repr(chain) == "Dendrogram of 1,000,000 leaves, heights 1 to 999999"
    assert "merges below" in str(chain)
    coterie.save(chain, tmp_path / "chain")
    assert coterie.load(tmp_path / "chain") == chain
    assert Dendrogram.from_linkage(chain.to_linkage()) == chain
    assert Dendrogram.from_newick(chain.to_newick()) == chain
