"""Leiden: communities that are connected, levels that are nested, the same answer every time."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import coo_array, csc_array, csr_array
from scipy.sparse.csgraph import connected_components
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from coterie._support.threads import resolve_threads
from coterie.cluster import Communities, Leiden, leiden
from coterie.distance import pairwise_distances
from coterie.errors import InvalidData, InvalidParameter
from coterie.evaluate import modularity
from karate_club import KARATE, KARATE_BEST


@parametrize_with_checks([Leiden(), Leiden(objective="cpm", resolution=0.05, n_neighbors=3)])
def test_checks(estimator, check):
    """Law: what scikit-learn asks of an estimator holds."""
    check(estimator)


def quality_by_definition(weights, labels, objective, resolution, is_directed):
    """Return the objective, pair by pair."""
    weights = weights.toarray() if hasattr(weights, "toarray") else np.asarray(weights)
    n = len(weights)
    both = weights if is_directed else weights + np.diag(np.diagonal(weights))
    out, into = both.sum(axis=1), both.sum(axis=0)
    same = np.asarray(labels)[:, None] == np.asarray(labels)
    if objective == "cpm":
        pairs = same & ~np.eye(n, dtype=bool)
        total = both[same].sum() - resolution * pairs.sum()
        return total if is_directed else total / 2
    return ((both / both.sum() - resolution * np.outer(out, into) / both.sum() ** 2) * same).sum()


def random_graph(rng, n, *, is_directed=False, has_loops=True):
    """Return weights of a few dense groups and some edges between them."""
    group = rng.integers(0, 4, n)
    chance = np.where(group[:, None] == group, 0.5, 0.06)
    weights = rng.integers(1, 9, (n, n)) * (rng.random((n, n)) < chance) / 3.0
    if not has_loops:
        np.fill_diagonal(weights, 0)
    return weights if is_directed else np.triu(weights) + np.triu(weights, 1).T


def is_connected(weights, labels):
    """Return whether every community is in one piece."""
    graph = csr_array(weights)
    groups = (np.flatnonzero(labels == c) for c in np.unique(labels))
    return all(connected_components(graph[own][:, own], directed=False)[0] == 1 for own in groups)


def is_finer(fine, coarse):
    """Return whether each group of one labeling lies within one of the other."""
    return len(np.unique(np.c_[fine, coarse], axis=0)) == len(np.unique(fine))


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(1, 60),
    objective=st.sampled_from(["modularity", "cpm"]),
    resolution=st.sampled_from([0.0, 0.3, 1.0, 2.5]),
    is_directed=st.booleans(),
    n_iterations=st.sampled_from([1, 2, None]),
)
def test_laws_of_any_graph(seed, n, objective, resolution, is_directed, n_iterations):
    """Law: communities are connected, levels nested, qualities rise and are those of the definition."""
    weights = random_graph(np.random.default_rng(seed), n, is_directed=is_directed)
    found = leiden(
        csr_array(weights),
        objective=objective,
        resolution=resolution,
        directed=is_directed,
        n_iterations=n_iterations,
        random_state=seed,
    )
    assert isinstance(found, Communities)
    assert np.array_equal(found.levels[:, -1], found.labels)
    assert found.sizes.sum() == n
    assert (np.diff(found.sizes) <= 0).all()
    assert (np.diff(found.level_qualities) >= -1e-9).all()
    for at, quality in enumerate(found.level_qualities):
        labels = found.levels[:, at]
        assert is_connected(weights, labels)
        assert at == 0 or is_finer(found.levels[:, at - 1], labels)
        if weights.any() or objective == "cpm":
            expected = quality_by_definition(weights, labels, objective, resolution, is_directed)
            assert quality == pytest.approx(expected, abs=1e-9, rel=1e-9)
    assert found.modularity == pytest.approx(modularity(weights, found.labels, directed=is_directed))


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), objective=st.sampled_from(["modularity", "cpm"]))
def test_no_node_gains_by_moving(seed, objective):
    """Law: once nothing improves, no single node can move to a better community, or be better off alone."""
    rng = np.random.default_rng(seed)
    weights = random_graph(rng, 24)
    found = leiden(weights, objective=objective, n_iterations=None, random_state=seed)
    assert found.is_settled
    for v in range(24):
        for c in range(found.n_communities + 1):
            moved = found.labels.copy()
            moved[v] = c
            other = quality_by_definition(weights, moved, objective, 1.0, False)
            assert other <= found.quality + 1e-9


def test_the_best_communities_of_the_karate_club():
    """Law: of a few seeds the best is the known optimum of Zachary's karate club."""
    found = max(
        (leiden(KARATE, n_iterations=None, random_state=s) for s in range(8)), key=lambda f: f.quality
    )
    assert found.quality == pytest.approx(KARATE_BEST, abs=1e-4)
    assert found.n_communities == 4


@pytest.mark.parametrize("seed", range(5))
def test_planted_groups_are_found(seed):
    """Law: dense groups with few edges between them come back."""
    rng = np.random.default_rng(seed)
    group = np.repeat(np.arange(8), 40)
    chance = np.where(group[:, None] == group, 0.4, 0.01)
    upper = np.triu(rng.random((320, 320)) < chance, 1)
    found = leiden((upper | upper.T).astype(float), random_state=seed)
    assert adjusted_rand_score(group, found.labels) == 1


def test_same_seed_same_communities():
    """Law: a seed decides everything; another order of the nodes changes the quality little."""
    rng = np.random.default_rng(1)
    weights = random_graph(rng, 200)
    first = leiden(weights, random_state=3)
    assert np.array_equal(first.levels, leiden(weights, random_state=3).levels)
    order = rng.permutation(200)
    again = leiden(weights[np.ix_(order, order)], n_iterations=None)
    assert again.quality == pytest.approx(leiden(weights, n_iterations=None).quality, abs=0.02)


@pytest.mark.parametrize("factor", [1e-300, 1e-3, 7.5, 1e300])
def test_the_unit_of_the_weights_does_not_matter(factor):
    """Law: modularity and the communities do not depend on the unit of the weights."""
    weights = random_graph(np.random.default_rng(2), 80)
    expected, found = leiden(weights), leiden(weights * factor)
    assert found.quality == pytest.approx(expected.quality, abs=1e-6 if factor < 1 else 1e-9)
    assert adjusted_rand_score(found.labels, expected.labels) > 0.9


def test_resolution_sets_the_number():
    """Law: more resolution, more communities; 0 leaves the connected parts."""
    weights = random_graph(np.random.default_rng(4), 120)
    numbers = [leiden(weights, resolution=r).n_communities for r in (0.0, 0.5, 1.0, 3.0, 50.0)]
    assert numbers == sorted(numbers)
    assert numbers[0] == connected_components(csr_array(weights))[0]
    assert leiden(weights, objective="cpm", resolution=1e6).n_communities == 120


def test_graphs_with_little_in_them():
    """Law: one node, no edges, loops alone and isolated nodes are graphs too."""
    assert leiden(np.zeros((1, 1))).labels.tolist() == [0]
    assert leiden(np.zeros((3, 3))).labels.tolist() == [0, 1, 2]
    assert leiden(np.eye(3)).labels.tolist() == [0, 1, 2]
    assert leiden([(0, 1)], nodes=[0, 1, 2]).labels.tolist() == [0, 0, 1]
    with pytest.raises(InvalidData, match="at least one node"):
        leiden([])
    with pytest.raises(InvalidData, match="0 sample"):
        leiden(csr_array((0, 0)))


@pytest.mark.parametrize(
    "kind", [csr_array, csc_array, coo_array, np.asarray, lambda w: w.astype(np.float32)]
)
def test_any_matrix_is_the_same_graph(kind):
    """Law: the container of a matrix does not matter."""
    weights = random_graph(np.random.default_rng(5), 40) * 3
    assert np.array_equal(leiden(kind(weights)).labels, leiden(weights).labels)


def test_rows_become_a_graph_of_neighbours():
    """Law: blobs are communities at a low resolution; new rows go where their neighbours are."""
    X, truth = make_blobs(400, centers=5, n_features=6, cluster_std=0.5, random_state=0)
    model = Leiden(resolution=0.2).fit(X[:300])
    assert adjusted_rand_score(truth[:300], model.labels_) == 1
    assert adjusted_rand_score(truth[300:], model.predict(X[300:])) == 1
    assert np.array_equal(model.predict(X[:300]), model.labels_)
    assert model.n_communities_ == 5
    assert 0 < model.modularity_ < 1
    assert np.array_equal(
        model.labels_, Leiden(resolution=0.2, n_jobs=resolve_threads(2)).fit(X[:300]).labels_
    )


def test_distances_and_weights_stand_for_rows():
    """Law: distances give the graph of their rows; weights are the graph itself, and place new nodes."""
    X, _ = make_blobs(120, centers=3, n_features=3, random_state=0)
    D = pairwise_distances(X)
    rows, model = Leiden().fit(X), Leiden(metric="precomputed").fit(D)
    assert np.array_equal(rows.labels_, model.labels_)
    assert np.array_equal(model.predict(D[:9]), model.labels_[:9])
    W = np.exp(-(D**2))
    graph = Leiden(metric="similarity").fit(W)
    assert np.array_equal(graph.labels_, leiden(W).labels)
    assert np.array_equal(graph.predict(W[:20] - np.eye(20, 120)), graph.labels_[:20])
    sparse = csr_array(np.where(W > 0.3, W, 0))
    assert np.array_equal(Leiden(metric="similarity").fit(sparse).labels_, leiden(sparse).labels)


class Ring:
    """A ring of six nodes, as networkx would give it."""

    nodes = tuple("abcdef")

    def is_directed(self):
        return False

    def adjacency(self):
        raise AssertionError("not needed")

    def edges(self, data, default):
        return [
            ("a", "b", 5),
            ("b", "c", 5),
            ("c", "a", 5),
            ("d", "e", 5),
            ("e", "f", 5),
            ("f", "d", 5),
            ("c", "d", 1),
        ]


def test_graph_objects_are_fitted_whatever_the_metric():
    """Law: a graph object is a graph to the estimator; new nodes go where their edges are heaviest."""
    model = Leiden().fit(Ring())
    assert model.labels_.tolist() == [0, 0, 0, 1, 1, 1]
    assert model.predict([[0, 1, 0, 0, 0, 3.0], [1, 1, 0, 0, 1, 0]]).tolist() == [1, 0]
    assert model.predict(csr_array([[0, 1, 0, 0, 0, 3.0]])).tolist() == [1]
    with pytest.raises(InvalidData, match="at least 0, got -1"):
        model.predict([[0, -1, 0, 0, 0, 0]])


@pytest.mark.parametrize("weights", ["plain", "fuzzy", "gaussian"])
def test_weights_of_near_rows(weights):
    """Law: whatever the weights of near rows, blobs come back."""
    X, truth = make_blobs(200, centers=4, n_features=5, cluster_std=0.5, random_state=1)
    model = Leiden(resolution=0.3, weights=weights, n_neighbors=10).fit(X)
    assert adjusted_rand_score(truth, model.labels_) == 1


def test_approximate_neighbours_find_the_same_groups():
    """Law: with nearly all of the true neighbours, clear groups are the same."""
    X, truth = make_blobs(3000, centers=6, n_features=20, cluster_std=0.5, random_state=1)
    model = Leiden(resolution=0.05, recall=0.9).fit(X)
    assert adjusted_rand_score(truth, model.labels_) == 1
    with pytest.raises(InvalidParameter, match="recall of Leiden must be"):
        Leiden(recall=1.5).fit(X)


def test_bad_parameters_are_refused():
    """Law: what a parameter may be is said."""
    with pytest.raises(InvalidParameter, match="resolution of leiden must be"):
        leiden(KARATE, resolution=-1)
    with pytest.raises(InvalidParameter, match="objective of leiden must be"):
        leiden(KARATE, objective="louvain")
    with pytest.raises(InvalidParameter, match="n_iterations of Leiden must be"):
        Leiden(n_iterations=0).fit(np.eye(4) * 2 + np.arange(4))


@pytest.mark.parametrize("directed", [False, True])
def test_weights_near_the_largest_number(directed):
    """Law: a quality that a number can hold is given, in the unit of the weights; a larger one is refused."""
    assert leiden(np.array([[1e308]]), objective="cpm", directed=directed).quality == pytest.approx(1e308)
    pair = np.array([[0, 8e307], [8e307, 0]])
    options = {"objective": "cpm", "resolution": 0.0, "directed": directed}
    assert leiden(pair, **options).quality == leiden(pair / 2.0**600, **options).quality * 2.0**600
    ring = 1.2e308 * (np.ones((3, 3)) - np.eye(3))
    with pytest.raises(InvalidData, match=r"add up to more than a number can hold.*Divide them"):
        leiden(ring, objective="cpm", directed=directed)
