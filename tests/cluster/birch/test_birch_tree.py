"""The CF tree: what every tree keeps, and what no file may bring."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import coterie
from coterie.cluster import Birch, CFTree
from coterie.errors import InvalidData, ModelFileError

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(600, 3)) + 4 * RANDOM.integers(0, 4, size=(600, 1))
TREE = Birch(threshold=0.3, branching_factor=5, n_clusters=None).fit(X).tree_


def rows_of_nodes(tree):
    """Return the slice of entries of each node."""
    return [slice(*pair) for pair in zip(tree.node_starts[:-1], tree.node_starts[1:], strict=True)]


def check_tree(tree, rows, weights, threshold, branching_factor):
    """Assert that the tree sums up the rows and keeps to its rules."""
    nodes = rows_of_nodes(tree)
    assert all(1 <= node.stop - node.start <= branching_factor for node in nodes)
    assert tree.subcluster_weights.sum() == pytest.approx(weights.sum())
    np.testing.assert_allclose(tree.linear_sums.sum(axis=0), weights @ rows, atol=1e-9)
    assert tree.squared_sums.sum() == pytest.approx(float(weights @ (rows**2).sum(axis=1)))
    assert (tree.radii <= threshold * (1 + 1e-12)).all()
    for entry in np.flatnonzero(tree.children >= 0):
        below = nodes[tree.children[entry]]
        weight, centers = tree.weights[below], tree.centers[below]
        assert tree.weights[entry] == pytest.approx(weight.sum())
        np.testing.assert_allclose(
            tree.centers[entry], np.average(centers, axis=0, weights=weight), atol=1e-9
        )
        spread = weight @ ((centers - tree.centers[entry]) ** 2).sum(axis=1)
        assert tree.deviations[entry] == pytest.approx(tree.deviations[below].sum() + spread, abs=1e-9)


@given(
    seed=st.integers(0, 2**32),
    threshold=st.sampled_from([1e-6, 0.1, 0.5, 2.0, 100.0]),
    branching_factor=st.integers(2, 20),
    weighted=st.booleans(),
)
@settings(max_examples=40)
def test_a_tree_keeps_its_rules(seed, threshold, branching_factor, weighted):
    """Law: entries sum up what is below them, no node is overfull, no subcluster too wide."""
    random = np.random.default_rng(seed)
    rows = random.normal(size=(int(random.integers(1, 200)), int(random.integers(1, 5))))
    rows[random.integers(len(rows), size=len(rows) // 3)] = rows[0]
    weights = random.integers(0, 4, size=len(rows)) + random.random(len(rows)) if weighted else None
    model = Birch(threshold=threshold, branching_factor=branching_factor, n_clusters=None)
    tree = model.fit(rows, sample_weight=weights).tree_
    check_tree(tree, rows, np.ones(len(rows)) if weights is None else weights, threshold, branching_factor)


def test_a_narrow_tree_may_be_deep():
    """Law: rows that come nearer by halves, with two entries per node, make a level each."""
    rows = 0.5 ** np.arange(60.0)[:, None]
    model = Birch(threshold=1e-290, branching_factor=2, n_clusters=None).fit(rows)
    assert model.tree_.n_levels > 30
    check_tree(model.tree_, rows, np.ones(60), 1e-290, 2)
    assert model.partial_fit(rows[:5]).tree_.subcluster_weights.sum() == 65


def test_a_tree_cannot_be_changed():
    """Law: the tree is a value; its arrays are read-only."""
    with pytest.raises(dataclasses.FrozenInstanceError):
        TREE.weights = None
    with pytest.raises(ValueError, match="read-only"):
        TREE.centers[0] = 0
    assert repr(TREE).startswith(f"CFTree of {TREE.n_subclusters} subclusters, weight 600 (leaves: ")


def changed(name, place, value):
    """Return the arrays of the tree with one number replaced."""
    fields = {field.name: getattr(TREE, field.name).copy() for field in dataclasses.fields(TREE)}
    fields[name][place] = value
    return fields


LAST = TREE.node_starts[-2]


@pytest.mark.parametrize(
    "fields",
    [
        changed("children", 0, 5),
        changed("children", -1, -1),
        changed("children", -1, TREE.n_nodes),
        changed("children", -1, TREE.n_nodes - 1),
        changed("children", -1, TREE.children[LAST]),
        changed("node_starts", 1, 0),
        changed("node_starts", 0, -3),
        changed("node_starts", -1, 10**6),
        changed("weights", 3, 0.0),
        changed("weights", 3, np.nan),
        changed("deviations", 3, -1.0),
        changed("centers", 3, np.inf),
        changed("weights", 0, 1.0) | {"weights": TREE.weights[:-1]},
        changed("weights", 0, 1.0) | {"centers": TREE.centers[:, :0]},
        changed("weights", 0, 1.0) | {"centers": TREE.centers[:, 0]},
        {field.name: getattr(TREE, field.name)[:0] for field in dataclasses.fields(TREE)},
    ],
)
def test_arrays_that_are_no_tree(fields):
    """Law: what native code would follow to nowhere is refused."""
    with pytest.raises(InvalidData, match="a CFTree must have nodes of at least one entry, leaves first"):
        CFTree(**fields)


def test_a_damaged_model(tmp_path):
    """Law: a damaged tree, or centres of other columns, are refused, and no file is written."""
    model = Birch(n_clusters=3).fit(X)
    object.__setattr__(model.tree_, "children", model.tree_.children[::-1].copy())
    with pytest.raises(InvalidData, match="a CFTree must have nodes of at least one entry, leaves first"):
        coterie.save(model, tmp_path / "m")
    model = Birch(n_clusters=3).fit(X)
    model.subcluster_centers_ = model.subcluster_centers_[:, :2]
    with pytest.raises(
        ModelFileError, match=r"subcluster_centers_ of Birch must have 3 columns, as n_features"
    ):
        coterie.save(model, tmp_path / "m")
    assert not (tmp_path / "m").exists()


def test_nodes_as_objects_are_the_tree():
    """Law: `root_` and the list of leaves hold what `tree_` holds, entry by entry, and each node once."""
    model = Birch(threshold=0.3, branching_factor=5, n_clusters=None).fit(X)
    tree, nodes, waiting = model.tree_, [], [model.root_]
    while waiting:
        nodes.append(waiting.pop())
        waiting += [entry.child_ for entry in nodes[-1].subclusters_ if entry.child_ is not None]
    assert len(nodes) == len(set(map(id, nodes))) == tree.n_nodes
    leaves = model._get_leaves()
    assert {id(leaf) for leaf in leaves} == {id(node) for node in nodes if node.is_leaf}
    assert leaves[0].prev_leaf_ is model.dummy_leaf_
    assert not model.dummy_leaf_.subclusters_
    found = [entry for leaf in leaves for entry in leaf.subclusters_]
    np.testing.assert_array_equal([entry.centroid_ for entry in found], model.subcluster_centers_)
    np.testing.assert_allclose([entry.linear_sum_ for entry in found], tree.linear_sums)
    np.testing.assert_allclose([entry.squared_sum_ for entry in found], tree.squared_sums)
    np.testing.assert_array_equal([entry.radius for entry in found], tree.radii)
    assert [entry.n_samples_ for entry in found] == tree.subcluster_weights.tolist()
    assert model.root_ is model.root_
    with pytest.raises(AttributeError, match="after fit"):
        _ = Birch().root_
