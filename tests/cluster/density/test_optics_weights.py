"""OPTICS with weights: a row of weight w is the same row given w times.

Copies of a row and its near neighbours are reached at exactly the same distance, its core distance, and of
equals the lowest row comes next. Copies that are given in the order of the weighted fit give the same.
"""

import numpy as np
import pytest
import sklearn
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.metrics import pairwise_distances
from sklearn.metrics.cluster import contingency_matrix

import coterie
from coterie.cluster import DBSCAN, OPTICS, cluster_optics_dbscan, cluster_optics_xi, compute_optics_graph
from coterie.errors import InvalidData, InvalidParameter
from weighted_rows import clouds, some_weights

pytestmark = pytest.mark.filterwarnings("ignore::coterie.errors.DataNotice")
FITTED = ("labels_", "ordering_", "reachability_", "core_distances_", "predecessor_", "cluster_hierarchy_")


def assert_is_copied(weighted, copied, weights):
    """Check a weighted fit against one to copies in its order; rows of weight 0 are in none of both."""
    order = weighted.ordering_[: np.count_nonzero(weights)]
    counts = weights[order]
    first = np.cumsum(counts) - counts  # first copies, by their place in the order
    np.testing.assert_array_equal(copied.ordering_, np.arange(counts.sum()))
    np.testing.assert_array_equal(copied.core_distances_[first], weighted.core_distances_[order])
    np.testing.assert_array_equal(copied.reachability_[first], weighted.reachability_[order])
    np.testing.assert_array_equal(copied.labels_[first], weighted.labels_[order])
    place = np.full(len(weights) + 1, -1)
    place[order] = first
    np.testing.assert_array_equal(copied.predecessor_[first], place[weighted.predecessor_[order]])
    visit_of = np.repeat(np.arange(len(order)), counts)
    if hasattr(copied, "cluster_hierarchy_"):
        np.testing.assert_array_equal(visit_of[copied.cluster_hierarchy_], weighted.cluster_hierarchy_)


def in_order(X, weights, order):
    return np.repeat(X[order], weights[order], axis=0)


@pytest.mark.parametrize("options", [{}, {"cluster_method": "dbscan", "eps": 1.0}, {"metric": "precomputed"}])
def test_ones_are_no_weights(options):
    """Law: with all weights 1 every fitted attribute is that of a fit without weights, to the bit."""
    X = clouds(120)
    X = pairwise_distances(X) if "metric" in options else X
    plain = OPTICS(**options).fit(X)
    for ones in (np.ones(120), np.ones(120, dtype=bool), 1, [1] * 120):
        weighted = OPTICS(**options).fit(X, sample_weight=ones)
        for name in FITTED:
            if hasattr(plain, name):
                np.testing.assert_array_equal(getattr(weighted, name), getattr(plain, name))


@settings(max_examples=80, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    min_samples=st.sampled_from([2, 3, 5, 9, 0.1]),
    size=st.sampled_from([None, 4, 12, 0.2]),
    max_eps=st.sampled_from([0.8, np.inf]),
    xi=st.sampled_from([0.01, 0.05, 0.3]),
    is_corrected=st.booleans(),
    is_whole=st.booleans(),
    most=st.sampled_from([2, 4, 12]),
)
def test_all_is_that_of_copies(seed, min_samples, size, max_eps, xi, is_corrected, is_whole, most):
    """Law: order, reachability, valleys and labels are those of copies, with ties and rows of no weight."""
    X = np.round(2 * clouds(40, seed=seed)) if is_whole else clouds(40, seed=seed)
    weights = some_weights(40, seed, most=most)
    model = OPTICS(
        min_samples=min_samples,
        min_cluster_size=size,
        max_eps=max_eps,
        xi=xi,
        predecessor_correction=is_corrected,
    )
    weighted = sklearn.clone(model).fit(X, sample_weight=weights)
    order = weighted.ordering_[: np.count_nonzero(weights)]
    copied = sklearn.clone(model).fit(in_order(X, weights, order))
    assert_is_copied(weighted, copied, weights)
    new = clouds(30, seed=seed + 1)
    np.testing.assert_array_equal(weighted.predict(new), copied.predict(new))


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_copies_in_any_order_where_nothing_ties(seed):
    """Law: with two samples no row and its copies tie, and copies need no order of their own."""
    X, weights = clouds(40, seed=seed), some_weights(40, seed, least=1)
    weighted = OPTICS(min_samples=2).fit(X, sample_weight=weights)
    copied = OPTICS(min_samples=2).fit(np.repeat(X, weights, axis=0))
    copy_of = np.repeat(np.arange(40), weights)
    _, visits = np.unique(copy_of[copied.ordering_], return_index=True)
    np.testing.assert_array_equal(np.argsort(visits), weighted.ordering_)
    first = np.cumsum(weights) - weights
    np.testing.assert_array_equal(copied.labels_[first], weighted.labels_)


@pytest.mark.parametrize(
    ("metric", "d"),
    [
        ("euclidean", 30),
        ("manhattan", 3),
        ("canberra", 4),
        ("cosine", 3),
        ("precomputed", 2),
        ("graph", 2),
        ("function", 2),
        ("haversine", 2),
    ],
)
def test_every_kind_of_input(metric, d):
    """Law: by every engine, weights are copies."""
    X, weights = np.abs(clouds(50, d)) / 4 + 0.1, some_weights(50)
    kind = {"function": lambda a, b: float(np.abs(a - b).sum()), "graph": "precomputed"}.get(metric, metric)
    given_rows = pairwise_distances(X) if kind == "precomputed" else X
    for min_samples in (2, 6):
        model = OPTICS(min_samples=min_samples, metric=kind)
        rows = stored(given_rows) if metric == "graph" else given_rows
        weighted = sklearn.clone(model).fit(rows, sample_weight=weights)
        order = weighted.ordering_[: np.count_nonzero(weights)]
        copies = in_order(given_rows, weights, order)
        copies = np.repeat(copies[:, order], weights[order], axis=1) if kind == "precomputed" else copies
        copied = sklearn.clone(model).fit(stored(copies) if metric == "graph" else copies)
        assert_is_copied(weighted, copied, weights)


def stored(D):
    """Return a sparse matrix that stores every pair, zeros too."""
    rows, columns = np.nonzero(np.ones(D.shape))
    return sparse.csr_array((D[rows, columns], (rows, columns)), shape=D.shape)


@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 10**6), eps=st.floats(0.2, 2.0), min_samples=st.integers(2, 8), is_whole=st.booleans()
)
def test_cut_is_that_of_dbscan(seed, eps, min_samples, is_whole):
    """Law: a cut at a radius gives the clusters of weighted DBSCAN; rows at their border may differ."""
    X, weights = clouds(60, seed=seed), some_weights(60, seed, least=1)
    weights = weights if is_whole else weights / 4
    model = OPTICS(min_samples=min_samples, cluster_method="dbscan", eps=eps).fit(X, sample_weight=weights)
    peer = DBSCAN(eps=eps, min_samples=min_samples).fit(X, sample_weight=weights)
    is_core = np.isin(np.arange(60), peer.core_sample_indices_)
    np.testing.assert_array_equal(model.core_distances_ <= eps, is_core)
    table = contingency_matrix(model.labels_[is_core], peer.labels_[is_core])
    assert (np.count_nonzero(table, axis=0) == 1).all()
    assert (np.count_nonzero(table, axis=1) == 1).all()
    assert (model.labels_[peer.labels_ < 0] == -1).all()


@pytest.mark.parametrize("metric", ["euclidean", "precomputed", "graph"])
@pytest.mark.parametrize("method", ["xi", "dbscan"])
def test_rows_of_no_weight_do_not_count(metric, method):
    """Law: the others get what they get without them; they come last, out of reach, labelled as new rows."""
    X, weights = clouds(80), some_weights(80)
    X[1], weights[:2] = X[0], (2, 0)
    kept, idle = weights > 0, weights == 0
    rows = X if metric == "euclidean" else pairwise_distances(X)
    part, new = (X[kept], X[idle]) if metric == "euclidean" else (rows[kept][:, kept], rows[idle][:, kept])
    rows, part = (stored(rows), stored(part)) if metric == "graph" else (rows, part)
    model = OPTICS(metric="euclidean" if metric == "euclidean" else "precomputed", cluster_method=method)
    model.set_params(max_eps=1.0 if method == "dbscan" else np.inf)
    whole = sklearn.clone(model).fit(rows, sample_weight=weights)
    rest = sklearn.clone(model).fit(part, sample_weight=weights[kept])
    for name in ("labels_", "reachability_", "core_distances_"):
        np.testing.assert_array_equal(getattr(whole, name)[kept], getattr(rest, name))
    np.testing.assert_array_equal(
        whole.ordering_, [*np.flatnonzero(kept)[rest.ordering_], *np.flatnonzero(idle)]
    )
    assert np.isinf(whole.reachability_[idle]).all()
    assert (whole.predecessor_[idle] == -1).all()
    np.testing.assert_array_equal(whole.labels_[idle], rest.predict(new))
    assert whole.labels_[1] == whole.labels_[0]
    assert (whole.labels_[idle] >= 0).any()
    if metric == "euclidean":
        np.testing.assert_array_equal(whole.predict(X), whole.labels_)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**6), min_samples=st.integers(2, 6), scale=st.sampled_from([0.03, 0.4, 2.5]))
def test_fractions_of_rows(seed, min_samples, scale):
    """Law: the core distance is the least radius that holds enough weight, however little a row weighs."""
    X, weights = clouds(300, seed=seed), scale * np.random.default_rng(seed).uniform(0.5, 1.5, 300)
    found = compute_optics_graph(X, min_samples=min_samples, sample_weight=weights)
    D = np.sqrt(((X[:, None] - X) ** 2).sum(axis=2))
    order = np.argsort(D, axis=1, kind="stable")
    place = np.argmax(np.cumsum(weights[order], axis=1) >= min_samples, axis=1)
    expected = D[np.arange(300), order[np.arange(300), place]]
    np.testing.assert_allclose(found.core_distances, expected, rtol=1e-12)


def test_light_rows_make_no_cluster():
    """Law: valleys must weigh enough, and a heavy row is a valley by itself."""
    X = clouds(200, seed=3)
    clusters = OPTICS(min_samples=4).fit(X).labels_.max() + 1
    assert clusters > 1
    doubled = OPTICS(min_samples=8, min_cluster_size=8).fit(X, sample_weight=np.full(200, 2.0))
    np.testing.assert_allclose(doubled.core_distances_, OPTICS(min_samples=4).fit(X).core_distances_)
    light = OPTICS(min_samples=4, min_cluster_size=19).fit(X, sample_weight=np.full(200, 0.1))
    assert light.labels_.max() <= 0
    heavy = OPTICS(min_samples=3, max_eps=5.0).fit(
        [[0.0], [10.0], [20.0], [20.5], [21.0]], sample_weight=[1, 3, 1, 1, 1]
    )
    assert heavy.labels_.tolist() == [-1, 0, 1, 1, 1]


def test_parts_take_weights():
    """Law: the functions give what the estimator gives; weights need core distances."""
    X, weights = clouds(), some_weights()
    model = OPTICS(min_samples=0.1, min_cluster_size=9).fit(X, sample_weight=weights)
    graph = compute_optics_graph(X, min_samples=0.1, sample_weight=weights)
    for name in graph._fields:
        np.testing.assert_array_equal(getattr(graph, name), getattr(model, name + "_"))
    plot = {"reachability": graph.reachability, "ordering": graph.ordering}
    options = {"min_samples": 0.1, "min_cluster_size": 9, "predecessor": graph.predecessor, **plot}
    found = cluster_optics_xi(**options, core_distances=graph.core_distances, sample_weight=weights)
    counts = weights > 0
    np.testing.assert_array_equal(found.labels[counts], model.labels_[counts])
    np.testing.assert_array_equal(found.clusters, model.cluster_hierarchy_)
    cut = cluster_optics_dbscan(**plot, core_distances=graph.core_distances, eps=0.5)
    fitted = OPTICS(min_samples=0.1, cluster_method="dbscan", eps=0.5).fit(X, sample_weight=weights)
    np.testing.assert_array_equal(cut[counts], fitted.labels_[counts])
    with pytest.raises(InvalidParameter, match="needs core_distances together with sample_weight"):
        cluster_optics_xi(**options, sample_weight=weights)


def test_threads_do_not_matter():
    """Law: the same order for any number of threads, weights that need long lists included."""
    X = clouds(1500, 3)
    weights = np.random.default_rng(0).choice([0.0, 0.2, 1.0, 3.0], 1500)
    one, many = (OPTICS(min_samples=9, n_jobs=jobs).fit(X, sample_weight=weights) for jobs in (1, 4))
    for name in FITTED:
        np.testing.assert_array_equal(getattr(one, name), getattr(many, name))


def test_saved_with_weights(tmp_path):
    """Law: a saved model predicts as before."""
    X, weights = clouds(), some_weights()
    model = OPTICS().fit(X, sample_weight=weights)
    coterie.save(model, tmp_path / "m")
    new = clouds(seed=1)
    np.testing.assert_array_equal(coterie.load(tmp_path / "m").predict(new), model.predict(new))


def test_memory_tells_weights_apart(tmp_path):
    """Law: an order that is kept for some weights is not taken for others."""
    X, weights = clouds(), some_weights(least=1)
    for some in (weights, weights[::-1], None):
        kept = OPTICS(memory=str(tmp_path)).fit(X, sample_weight=some)
        np.testing.assert_array_equal(kept.ordering_, OPTICS().fit(X, sample_weight=some).ordering_)


def test_too_little_weight():
    """Law: all rows together must weigh min_samples; a graph must hold as much near every row."""
    light = np.full(60, 0.1)
    for name in ("min_samples", "min_cluster_size"):
        options = {"min_samples": 2, name: 7}
        with pytest.raises(
            InvalidParameter, match=f"{name} must be no greater than the total weight, 6, got 7"
        ):
            OPTICS(**options).fit(clouds(), sample_weight=light)
    chain = sparse.diags_array([np.ones(59), np.ones(59)], offsets=[-1, 1]).tocsr()
    with pytest.raises(InvalidData, match=r"row 0 of the sparse X of OPTICS stores weigh 4, itself included"):
        OPTICS(metric="precomputed").fit(chain, sample_weight=np.full(60, 2.0))
