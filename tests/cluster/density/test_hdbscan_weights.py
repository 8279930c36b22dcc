"""HDBSCAN with weights: a row of weight w is the same row given w times.

Copies of a row reach each other, and their neighbours, at exactly the same distance, and which of equal edges
comes first depends on the order of the rows. What does not depend on it must be the same; everything must
where core distances are 0, or where equal edges come in the same order.
"""

import numpy as np
import pytest
import sklearn
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import pairwise_distances

import coterie
from coterie import _core
from coterie.cluster import HDBSCAN, CondensedTree
from coterie.cluster.density.condensed_tree import (
    SelectedClusters,
    label_rows,
    outlier_scores,
    select_clusters,
    strengths,
)
from weighted_rows import assert_same_groups, clouds, some_weights, with_zeros

FITTED = ("labels_", "probabilities_", "outlier_scores_")


@pytest.mark.parametrize("metric", ["euclidean", "canberra", "precomputed"])
def test_ones_are_no_weights(metric):
    """Law: with all weights 1 every fitted attribute is that of a fit without weights, to the bit."""
    X = np.abs(clouds(120)) + 1
    X = pairwise_distances(X) if metric == "precomputed" else X
    plain = HDBSCAN(metric=metric).fit(X)
    for ones in (np.ones(120), np.ones(120, dtype=bool), 1, [1] * 120):
        weighted = HDBSCAN(metric=metric).fit(X, sample_weight=ones)
        for name in FITTED:
            np.testing.assert_array_equal(getattr(weighted, name), getattr(plain, name))
        assert weighted.condensed_tree_.size.dtype == np.int64


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    size=st.integers(2, 9),
    method=st.sampled_from(["eom", "leaf"]),
    most=st.sampled_from([None, 30]),
    is_one_allowed=st.booleans(),
)
def test_all_is_that_of_copies_where_nothing_ties(seed, size, method, most, is_one_allowed):
    """Law: with core distances of 0 clusters, strengths, scores, tree and predictions are those of copies."""
    X, weights = clouds(40, seed=seed), some_weights(40, seed)
    model = HDBSCAN(
        size,
        min_samples=1,
        cluster_selection_method=method,
        max_cluster_size=most,
        allow_single_cluster=is_one_allowed,
    )
    weighted = sklearn.clone(model).fit(X, sample_weight=weights)
    copied = sklearn.clone(model).fit(np.repeat(X, weights, axis=0))
    assert_same_groups(np.repeat(weighted.labels_, weights), copied.labels_)
    for name in FITTED[1:]:
        np.testing.assert_allclose(np.repeat(getattr(weighted, name), weights), getattr(copied, name))
    mine, theirs = weighted.condensed_tree_, copied.condensed_tree_
    for name in ("births", "deaths", "sizes", "stabilities"):
        np.testing.assert_allclose(np.sort(getattr(mine, name)()), np.sort(getattr(theirs, name)()))
    new = clouds(30, seed=seed + 1)
    assert_same_groups(weighted.predict(new), copied.predict(new))
    np.testing.assert_allclose(
        np.sort(weighted.membership(new), axis=1), np.sort(copied.membership(new), axis=1)
    )


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), min_samples=st.integers(1, 12), size=st.integers(1, 8))
def test_flat_cuts_are_those_of_copies(seed, min_samples, size):
    """Law: core distances and cuts, which no order of equal edges changes, are those of copies."""
    X, weights = clouds(40, seed=seed), some_weights(40, seed, least=1)
    weighted = HDBSCAN(4, min_samples=min_samples).fit(X, sample_weight=weights)
    copied = HDBSCAN(4, min_samples=min_samples).fit(np.repeat(X, weights, axis=0))
    core, lengths = weighted._core_distances, weighted._merges[2]
    np.testing.assert_allclose(np.repeat(core, weights), copied._core_distances)
    np.testing.assert_allclose(
        np.sort(np.concatenate([lengths, np.repeat(core, weights - 1)])), copied._merges[2]
    )
    for cut in np.quantile(lengths, [0.1, 0.4, 0.7, 0.95, 1.0]) * (1 + 1e-9):
        ours = np.repeat(weighted.dbscan_clustering(cut, size), weights)
        theirs = copied.dbscan_clustering(cut, size)
        np.testing.assert_array_equal(ours < 0, theirs < 0)
        if size > 1:  # a single copy is a cluster for itself
            assert_same_groups(ours, theirs)


def spell_out(model, weights):
    """Return sorted edges and their lengths among all copies, in the order of the merges of the model.

    Copies of a row are joined to it one by one, at its core distance; if it has just merged with others at
    that distance, right after that.
    """
    left, right, length = (np.asarray(part) for part in model._merges)
    core, n, first = model._core_distances, len(weights), np.cumsum(weights) - weights
    some_row = np.concatenate([np.arange(n), np.zeros(n - 1, dtype=int)])
    edges = []
    for row in range(n):
        merge = int(np.flatnonzero((left == row) | (right == row))[0])
        rank = (length[merge], merge, 1) if core[row] == length[merge] else (core[row], -1, 0)
        edges += [(rank, first[row], first[row] + copy) for copy in range(1, weights[row])]
    for merge in range(n - 1):
        some_row[n + merge] = some_row[left[merge]]
        ends = first[some_row[left[merge]]], first[some_row[right[merge]]]
        edges.append(((length[merge], merge, 0), *ends))
    edges.sort(key=lambda edge: edge[0])
    return np.array([edge[1:] for edge in edges]), np.array([edge[0][0] for edge in edges])


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    min_samples=st.integers(1, 12),
    size=st.integers(2, 8),
    method=st.sampled_from(["eom", "leaf"]),
    is_whole=st.booleans(),
)
def test_hierarchy_is_that_of_copies_in_the_same_order(seed, min_samples, size, method, is_whole):
    """Law: with equal edges in the same order, all is that of copies; ties of whole numbers included."""
    X = np.round(3 * clouds(40, seed=seed)) if is_whole else clouds(40, seed=seed)
    weights = some_weights(40, seed, least=1)
    model = HDBSCAN(size, min_samples=min_samples, cluster_selection_method=method)
    model.fit(X, sample_weight=weights.astype(float))
    edges, length = spell_out(model, weights)
    left, right, sizes = _core.merge_components(edges)
    tree = CondensedTree(*_core.condense(left, right, length, sizes, size), n_rows=int(weights.sum()))
    chosen = select_clusters(tree, SelectedClusters(method))
    labels = label_rows(tree, chosen, SelectedClusters(method))
    assert_same_groups(np.repeat(model.labels_, weights), labels)
    np.testing.assert_allclose(np.repeat(model.probabilities_, weights), strengths(tree, chosen, labels))
    np.testing.assert_allclose(np.repeat(model.outlier_scores_, weights), outlier_scores(tree))
    np.testing.assert_allclose(np.sort(model.condensed_tree_.stabilities()), np.sort(tree.stabilities()))
    np.testing.assert_allclose(np.sort(model.condensed_tree_.sizes()), np.sort(tree.sizes()))


@pytest.mark.parametrize(
    ("metric", "d"),
    [
        ("euclidean", 2),
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
@pytest.mark.parametrize("algorithm", ["auto", "brute"])
def test_every_kind_of_input(metric, d, algorithm):
    """Law: by every engine, weights are copies: core distances, cuts, and strengths where nothing ties."""
    X, weights = np.abs(clouds(50, d)) / 4 + 0.1, some_weights(50, least=1)
    options = {"metric": metric, "algorithm": algorithm, "alpha": 1.3}
    copies, rows = np.repeat(X, weights, axis=0), X
    if metric == "function":
        options["metric"] = lambda a, b: float(np.abs(a - b).sum())
    if metric in ("precomputed", "graph"):
        options |= {"metric": "precomputed"}
        rows, copy_of = pairwise_distances(X), np.repeat(np.arange(50), weights)
        copies = rows[np.ix_(copy_of, copy_of)]
    if metric == "graph":
        rows, copies = with_zeros(rows), with_zeros(copies)
    for min_samples in (1, 6):
        model = HDBSCAN(5, min_samples=min_samples, **options)
        weighted, copied = (
            sklearn.clone(model).fit(rows, sample_weight=weights),
            sklearn.clone(model).fit(copies),
        )
        np.testing.assert_allclose(
            np.repeat(weighted._core_distances, weights), copied._core_distances, atol=1e-12
        )
        cut = float(np.median(weighted._merges[2])) * 1.000001
        assert_same_groups(np.repeat(weighted.dbscan_clustering(cut), weights), copied.dbscan_clustering(cut))
        if min_samples == 1 and metric != "graph":
            assert_same_groups(np.repeat(weighted.labels_, weights), copied.labels_)


@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
def test_centers_are_those_of_copies(metric):
    """Law: centroids and medoids count every row by its weight."""
    X, weights = clouds(seed=2), some_weights()
    model = HDBSCAN(5, min_samples=1, metric=metric, store_centers="both")
    weighted = sklearn.clone(model).fit(X, sample_weight=weights)
    copied = sklearn.clone(model).fit(np.repeat(X, weights, axis=0))
    for name in ("centroids_", "medoids_"):
        ours, theirs = getattr(weighted, name), getattr(copied, name)
        np.testing.assert_allclose(ours[np.lexsort(ours.T)], theirs[np.lexsort(theirs.T)])


def test_threads_do_not_matter():
    """Law: the same tree for any number of threads, weights that need long lists included."""
    X = clouds(6000, 3)
    weights = np.random.default_rng(0).choice([0.0, 0.2, 1.0, 3.0], 6000)
    one, many = (HDBSCAN(15, n_jobs=jobs).fit(X, sample_weight=weights) for jobs in (1, 4))
    for name in FITTED:
        np.testing.assert_array_equal(getattr(one, name), getattr(many, name))
    np.testing.assert_array_equal(one.condensed_tree_.size, many.condensed_tree_.size)


def test_saved_with_weights(tmp_path):
    """Law: a saved model predicts, cuts and shares as before."""
    X, weights = clouds(), some_weights()
    model = HDBSCAN(5).fit(X, sample_weight=weights)
    coterie.save(model, tmp_path / "m")
    loaded = coterie.load(tmp_path / "m")
    new = clouds(seed=1)
    np.testing.assert_array_equal(loaded.predict(new), model.predict(new))
    np.testing.assert_array_equal(loaded.membership(new), model.membership(new))
    np.testing.assert_array_equal(loaded.dbscan_clustering(0.4), model.dbscan_clustering(0.4))


def test_new_rows_of_a_matrix_with_rows_of_no_weight():
    """Law: distances to all rows of the fit are taken, those to rows of no weight do not matter."""
    X = np.random.default_rng(0).normal(size=(60, 2)) + np.repeat([[0.0], [9.0]], 30, axis=0)
    D, weights = pairwise_distances(X), np.where(np.arange(60) % 7, 1.0, 0.0)
    model = HDBSCAN(metric="precomputed").fit(D, sample_weight=weights)
    np.testing.assert_array_equal(model.predict(D), model.labels_)
    moved = np.where(weights > 0, D, 5.0)
    np.testing.assert_array_equal(model.membership(moved), model.membership(D))
