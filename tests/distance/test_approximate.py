"""Approximate neighbours: recall, exact distances, threads and processors, copies, new rows, bad requests."""

import numpy as np
import pytest
from scipy.sparse import csr_array, random_array

import coterie
from coterie import _core
from coterie.distance import NeighbourIndex, approximate, k_nearest, neighbour_graph, neighbour_index
from coterie.errors import InvalidData, InvalidParameter, ParameterNotice, UnsupportedInput

RNG = np.random.default_rng(11)
CENTRES = RNG.normal(size=(60, 24))
X = (CENTRES[RNG.integers(60, size=4000)] + 0.7 * RNG.normal(size=(4000, 24))).astype(np.float32)
BITS = (X[:, :20] > 0).astype(np.int8)
INSTRUCTION_SETS = _core.instruction_sets().split()


@pytest.fixture(autouse=True)
def _always_descend(monkeypatch):
    """Few rows are compared exactly: let the descent run on them, with leaves that fit."""
    monkeypatch.setattr(approximate, "EXACT_SECONDS", 1.0)
    monkeypatch.setattr(approximate, "LEAF", 100)


def share_found(found, exact):
    """Return the share of the exact neighbours, by distance: equally near rows are as good."""
    last = exact.distance[:, -1:].astype(np.float64)
    return (found.distance <= last + 1e-5 * np.abs(last)).mean()


@pytest.mark.parametrize(
    ("rows", "metric", "params"),
    [
        (X, "cosine", {}),
        (X, "euclidean", {}),
        (X.astype(np.float64) * 1e-6, "sqeuclidean", {}),
        (X + 1000, "euclidean", {}),
        (X, "euclidean", {"w": np.linspace(0, 3, 24)}),
        (X, "mahalanobis", {}),
        (X, "correlation", {}),
        (X, "inner_product", {}),
        (BITS, "hamming", {}),
        (np.rint(2 * X[:, :16]), "hamming", {}),
    ],
)
def test_the_wanted_share_is_found(rows, metric, params):
    """Law: at least the wanted share of the neighbours, with the distances of the exact search."""
    exact = k_nearest(rows, None, 10, metric, algorithm="tiles", **params)
    found = k_nearest(rows, None, 10, metric, recall=0.95, **params)
    assert (found.algorithm_used, exact.algorithm_used, exact.recall) == ("descent", "tiles", 1.0)
    assert found.recall >= 0.95
    assert share_found(found, exact) >= 0.94
    assert found.distance.dtype == exact.distance.dtype
    assert found.index.dtype == np.intp
    assert (np.diff(found.distance, axis=1) >= 0).all()
    assert (found.index != np.arange(len(rows))[:, None]).all()
    assert (np.diff(np.sort(found.index, axis=1), axis=1) > 0).all()
    agrees = found.index == exact.index
    np.testing.assert_allclose(found.distance[agrees], exact.distance[agrees], rtol=1e-5)


def test_few_rows_are_compared_exactly(monkeypatch):
    """Law: where all pairs take less time, the answer is exact and says so."""
    monkeypatch.setattr(approximate, "EXACT_SECONDS", 2e-11)
    exact, found = k_nearest(X, None, 5, "cosine"), k_nearest(X, None, 5, "cosine", recall=0.9)
    assert (found.algorithm_used, found.recall) == ("tiles", 1.0)
    np.testing.assert_array_equal(found.index, exact.index)
    assert k_nearest(X, None, 5, "cosine", recall=1.0).algorithm_used == "tiles"
    assert k_nearest(X[:, :3], None, 5, recall=0.9).algorithm_used == "kd_tree"


@pytest.mark.parametrize("metric", ["cosine", "euclidean", "hamming"])
def test_threads_and_processors_change_nothing(metric):
    """Law: the same rows, whatever the number of threads and the instruction set."""
    rows = BITS if metric == "hamming" else X
    first = k_nearest(rows, None, 8, metric, recall=0.9, n_jobs=1)
    for threads in (2, 5):
        other = k_nearest(rows, None, 8, metric, recall=0.9, n_jobs=threads)
        np.testing.assert_array_equal(other.index, first.index)
        np.testing.assert_array_equal(other.distance, first.distance)
    current = _core.instruction_set()
    lists = {}
    try:
        for name in INSTRUCTION_SETS:
            _core.use_instruction_set(name)
            lists[name] = []
            for coded in (
                _core.CodedRows(X, "euclidean", 512.0, 40.0),
                _core.CodedRows(X, "euclidean", 25.0, 40.0, is_small=True),
            ):
                descent = _core.NeighbourDescent(coded, 13, 60, 3)  # lists that end within a vector
                descent.probe(5)
                descent.plant()
                descent.improve(12)
                lists[name].append(descent.lists())
    finally:
        _core.use_instruction_set(current)
    for found in lists.values():
        np.testing.assert_array_equal(found, lists[INSTRUCTION_SETS[0]])


def test_sparse_rows():
    """Law: sparse rows have the neighbours of the same rows made dense."""
    groups = RNG.integers(40, size=3000)
    topics = random_array((40, 500), density=0.1, rng=RNG).toarray()
    dense = topics[groups] * (RNG.uniform(size=(3000, 500)) < 0.6)
    dense[:, 0] = 0.1
    exact = k_nearest(dense, None, 8, "cosine")
    found = k_nearest(csr_array(dense), None, 8, "cosine", recall=0.95)
    assert found.algorithm_used == "descent"
    assert found.recall >= 0.95
    assert share_found(found, exact) >= 0.94
    all_pairs = k_nearest(csr_array(dense[:300]), None, 8, "cosine", recall=1.0)
    assert (all_pairs.algorithm_used, all_pairs.recall) == ("sparse", 1.0)
    np.testing.assert_allclose(
        all_pairs.distance, k_nearest(dense[:300], None, 8, "cosine").distance, atol=1e-12
    )


def test_rows_that_are_all_equal():
    """Law: copies beyond n_neighbors are as near as can be, and each row has its number of others."""
    for rows in (np.ones((3000, 14)), np.repeat(X[:20, :14], 150, axis=0)):
        found = k_nearest(rows, None, 10, recall=0.95)
        assert found.recall == 1.0
        assert (found.distance == 0).all()
        assert (found.index != np.arange(len(rows))[:, None]).all()


def test_rows_far_beyond_the_others():
    """Law: a few rows a million times as far do not coarsen the rest."""
    rows = X.copy()
    rows[:5] *= 1e6
    exact, found = k_nearest(rows, None, 10), k_nearest(rows, None, 10, recall=0.9)
    assert share_found(found, exact) >= 0.89


def test_types_of_numbers():
    """Law: float16, int8 and booleans are taken as what they are."""
    whole = np.rint(4 * X).astype(np.int8)
    for rows in (X.astype(np.float16), whole, whole > 0):
        found = k_nearest(rows, None, 6, "hamming" if rows.dtype == bool else "euclidean", recall=0.9)
        assert found.recall >= 0.9


def test_a_recall_that_is_not_reached_is_told():
    """Law: rows without neighbourhoods give less, and a notice says so."""
    rows = RNG.normal(size=(3000, 300))
    descent = pytest.MonkeyPatch()
    with descent.context() as patch:
        patch.setattr(approximate, "PROBES", (4,))
        patch.setattr(approximate, "MOST_ROUNDS", 1)
        patch.setattr(approximate, "MOST_WIDENINGS", 0)
        with pytest.warns(ParameterNotice, match=r"k_nearest reached a recall of 0\.\d+, below recall=0.99"):
            found = k_nearest(rows, None, 10, recall=0.99)
    assert found.recall < 0.99


@pytest.mark.parametrize("metric", ["cosine", "euclidean", "inner_product", "seuclidean"])
def test_new_rows_are_found_in_an_index(metric, tmp_path, monkeypatch):
    """Law: queries find the wanted share; an index that was saved and loaded answers the same."""
    fresh = CENTRES[RNG.integers(60, size=300)] + 0.7 * RNG.normal(size=(300, 24))
    index = NeighbourIndex.fit(X, 10, metric, recall=0.95)
    found = index.query(fresh)
    assert (index.neighbours.algorithm_used, found.algorithm_used) == ("descent", "descent")
    assert found.index.shape == (300, 10)
    exact = k_nearest(fresh.astype(np.float32), X, 10, index.distance)
    assert found.recall >= 0.95
    assert share_found(found, exact) >= 0.94
    np.testing.assert_array_equal(index.query(fresh, n_jobs=1).index, index.query(fresh, n_jobs=3).index)
    coterie.save(index, tmp_path / "index")
    loaded = coterie.load(tmp_path / "index")
    np.testing.assert_array_equal(loaded.query(fresh, 5).index, index.query(fresh, 5).index)
    np.testing.assert_array_equal(loaded.neighbours.index, index.neighbours.index)


def test_an_index_of_many_parts():
    """Law: queries find their neighbours where groups are so far apart that no edge joins them."""
    groups = 100 * RNG.normal(size=(300, 20))
    rows = np.repeat(groups, 12, axis=0) + RNG.normal(size=(3600, 20))
    index = NeighbourIndex.fit(rows, 5)
    found = index.query(groups)
    assert found.algorithm_used == "descent"
    assert found.recall >= 0.95
    assert (found.index[:, 0] // 12 == np.arange(300)).all()


def test_a_small_index_is_exact(monkeypatch):
    """Law: where all pairs take less time, an index compares all."""
    monkeypatch.setattr(approximate, "EXACT_SECONDS", 2e-11)
    index = NeighbourIndex.fit(X[:500], 4)
    found = index.query(X[500:520])
    assert (found.algorithm_used, found.recall) == ("kd_tree" if X.shape[1] <= 12 else "tiles", 1.0)
    np.testing.assert_array_equal(found.index, k_nearest(X[500:520], X[:500], 4).index)


def test_the_graph_of_approximate_neighbours():
    """Law: the graph is made of the neighbours found, and keeps their recall."""
    graph = neighbour_graph(X, 10, "cosine", recall=0.9)
    np.testing.assert_array_equal(graph.neighbours.index, k_nearest(X, None, 10, "cosine", recall=0.9).index)
    assert graph.neighbours.recall >= 0.9
    assert (graph.weights != graph.weights.T).nnz == 0


def test_bad_requests():
    """Law: what approximate neighbours cannot do is refused in words."""
    with pytest.raises(InvalidParameter, match=r"recall of k_nearest must be None or a number .*, got 1.5"):
        k_nearest(X, recall=1.5)
    with pytest.raises(InvalidParameter, match="recall of k_nearest must be None for the distance manhattan"):
        k_nearest(X, metric="manhattan", recall=0.9)
    with pytest.raises(InvalidParameter, match="recall of k_nearest must be None for a matrix"):
        k_nearest(np.zeros((3, 3)), metric="precomputed", recall=0.9)
    with pytest.raises(InvalidParameter, match="recall of k_nearest is for the rows of X among themselves"):
        k_nearest(X, X[:5], recall=0.9)
    with pytest.raises(InvalidParameter, match="exclude_self=False of k_nearest is for exact neighbours"):
        k_nearest(X, exclude_self=False, recall=0.9)
    with pytest.raises(InvalidParameter, match='algorithm="tiles" of k_nearest is for exact neighbours'):
        k_nearest(X, algorithm="tiles", recall=0.9)
    with pytest.raises(InvalidParameter, match=r"n_neighbors of k_nearest must be at most 0 \(1 rows"):
        k_nearest(X[:1], recall=0.9)
    with pytest.raises(InvalidParameter, match="must be at most 9"):
        k_nearest(X[:10], n_neighbors=10, recall=0.9)
    broken = X.copy()
    broken[7] = 0
    with pytest.raises(InvalidData, match="row 7 of X has length zero"):
        k_nearest(broken, metric="cosine", recall=0.9)
    with pytest.raises(InvalidData, match="row 7 of X has length zero"):
        k_nearest(csr_array(broken), metric="cosine", recall=0.9)
    with pytest.raises(UnsupportedInput, match="X of k_nearest is sparse, and the distance euclidean"):
        k_nearest(csr_array(X), recall=0.9)
    for bad in (np.nan, np.inf):
        broken[7] = bad
        with pytest.raises(InvalidData, match="X"):
            k_nearest(broken, recall=0.9)
    with pytest.raises(InvalidData):
        k_nearest([["a", "b"], ["c", "d"], ["e", "f"]], n_neighbors=1, recall=0.9)
    with pytest.raises(
        InvalidParameter, match='weights of neighbour_graph must be "plain" for inner_product'
    ):
        neighbour_graph(X, 5, "inner_product")
    index = NeighbourIndex.fit(X[:200], 4)
    with pytest.raises(InvalidData, match="X of query of NeighbourIndex must have 24 columns, got 3"):
        index.query(X[:5, :3])
    with pytest.raises(InvalidParameter, match="n_neighbors of query of NeighbourIndex must be at most 200"):
        index.query(X[:5], 201)
    assert neighbour_index.LONGEST_SEARCH >= 2 * 16


@pytest.mark.parametrize("recall", [None, 0.9])
def test_products_that_overflow_are_refused(recall):
    """Law: an inner product is a number, or the rows are refused; no neighbour is missing."""
    with pytest.raises(InvalidData, match="too large for float64"):
        k_nearest([[8e299], [1e300], [-8e298]], n_neighbors=1, metric="inner_product", recall=recall)
