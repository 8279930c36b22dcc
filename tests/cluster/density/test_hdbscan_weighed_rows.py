"""HDBSCAN with weights: rows of none, of a fraction, and of more than a cluster needs."""

import numpy as np
import pytest
import sklearn
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.metrics import pairwise_distances

from coterie.cluster import HDBSCAN
from coterie.errors import InvalidData, InvalidParameter
from weighted_rows import assert_same_groups, clouds, some_weights, with_zeros

FITTED = ("labels_", "probabilities_", "outlier_scores_")


@pytest.mark.parametrize("metric", ["euclidean", "braycurtis", "seuclidean", "precomputed", "graph"])
def test_rows_of_no_weight_do_not_count(metric):
    """Law: without them the others get the same; they get the label, and for equal rows all, of a new row."""
    X, weights = clouds(80), some_weights(80)
    X[1], weights[:2] = X[0], (2, 0)
    kept, idle = weights > 0, weights == 0
    is_matrix = metric in ("precomputed", "graph")
    given = pairwise_distances(X) if is_matrix else X
    part, new = (given[kept][:, kept], given[idle][:, kept]) if is_matrix else (X[kept], X[idle])
    given, part = (with_zeros(given), with_zeros(part)) if metric == "graph" else (given, part)
    model = HDBSCAN(6, metric="precomputed" if is_matrix else metric)
    whole = sklearn.clone(model).fit(given, sample_weight=weights)
    rest = sklearn.clone(model).fit(part, sample_weight=weights[kept])
    for name in FITTED:
        np.testing.assert_array_equal(getattr(whole, name)[kept], getattr(rest, name))
        assert np.isfinite(getattr(whole, name)).all()
        assert getattr(whole, name)[1] == getattr(whole, name)[0]
    np.testing.assert_array_equal(whole.labels_[idle], rest.predict(new))
    assert (whole.labels_[idle] >= 0).any()
    assert (whole.probabilities_[idle] > 0).tolist() == (whole.labels_[idle] >= 0).tolist()
    cut = float(np.median(whole._merges[2]))
    np.testing.assert_array_equal(whole.dbscan_clustering(cut)[kept], rest.dbscan_clustering(cut))
    assert whole.dbscan_clustering(cut)[1] == whole.dbscan_clustering(cut)[0]
    assert (whole.dbscan_clustering(0.0) == -1).all()
    far = whole.dbscan_clustering(1e6)
    assert (far == 0).all()


def test_rows_that_are_not_finite():
    """Law: they keep their own labels whatever they weigh; one weight per row is wanted all the same."""
    X, weights = clouds(), some_weights()
    X[3, 0], X[7, 1], weights[[3, 7]] = np.nan, np.inf, (0, 3)
    model = HDBSCAN(6).fit(X, sample_weight=weights)
    assert (model.labels_[3], model.labels_[7]) == (-3, -2)
    with pytest.raises(InvalidData, match=r"sample_weight.shape == \(58,\), expected \(60,\)"):
        HDBSCAN(6).fit(X, sample_weight=np.delete(weights, [3, 7]))
    only = np.where(np.arange(60) == 7, 1.0, 0.0)
    with pytest.raises(InvalidData, match="more than 0 for some finite row, all are zero"):
        HDBSCAN(6).fit(X, sample_weight=only)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6), min_samples=st.integers(1, 6), scale=st.sampled_from([0.03, 0.4, 2.5]))
def test_fractions_of_rows(seed, min_samples, scale):
    """Law: the core distance is the least radius that holds enough weight, however little a row weighs."""
    random = np.random.default_rng(seed)
    X, weights = clouds(300, seed=seed), scale * random.uniform(0.5, 1.5, 300)
    model = HDBSCAN(5, min_samples=min_samples).fit(X, sample_weight=weights)
    D = np.sqrt(((X[:, None] - X) ** 2).sum(axis=2))
    order = np.argsort(D, axis=1, kind="stable")
    place = np.argmax(np.cumsum(weights[order], axis=1) >= min_samples, axis=1)
    expected = D[np.arange(300), order[np.arange(300), place]]
    np.testing.assert_allclose(model._core_distances, expected, rtol=1e-12)
    assert model.condensed_tree_.total == pytest.approx(weights.sum())
    assert (model.condensed_tree_.sizes()[1:] >= 5).all()


def test_halves_make_a_whole():
    """Law: every row twice with half its weight is every row once."""
    X = clouds(100)
    half = HDBSCAN(6, min_samples=4).fit(np.vstack([X, X]), sample_weight=np.full(200, 0.5))
    once = HDBSCAN(6, min_samples=4).fit(X)
    np.testing.assert_allclose(half._core_distances[:100], once._core_distances)
    for cut in (0.1, 0.3, 1.0):  # no edge is as long
        assert_same_groups(half.dbscan_clustering(cut)[100:], once.dbscan_clustering(cut))


def test_a_heavy_row_is_a_cluster():
    """Law: a row that weighs enough is dense by itself, as its copies are; alone it is one cluster."""
    X = [[0.0], [10.0], [10.5], [11.0], [11.5]]
    model = HDBSCAN(4).fit(X, sample_weight=[4, 1, 1, 1, 1])
    assert model.labels_.tolist() == [0, 1, 1, 1, 1]
    assert model.condensed_tree_.deaths()[model._chosen[0]] == np.inf
    assert model.probabilities_[0] == 1
    alone = HDBSCAN(4, allow_single_cluster=True).fit(X, sample_weight=[4, 0, 0, 0, 0])
    assert alone.labels_[0] == 0
    assert alone.condensed_tree_.size.tolist() == [4.0]
    with pytest.raises(InvalidData, match="n_samples=1 while HDBSCAN requires more than one sample"):
        HDBSCAN(4, min_samples=1).fit(X, sample_weight=[1, 0, 0, 0, 0])


def test_too_little_weight():
    """Law: all rows together must weigh min_samples; a graph must hold as much near every row."""
    with pytest.raises(
        InvalidParameter, match=r"\(7\) must be at most the total weight of the samples in X \(6\)"
    ):
        HDBSCAN(min_samples=7).fit(clouds(), sample_weight=np.full(60, 0.1))
    chain = sparse.diags_array([np.ones(59), np.ones(59)], offsets=[-1, 1]).tocsr()
    with pytest.raises(InvalidData, match="points with a weight of less than 5 neighbors"):
        HDBSCAN(metric="precomputed").fit(chain, sample_weight=np.full(60, 2.0))


def test_rows_of_weight_zero_are_placed_by_any_engine():
    """Law: a row that weighs nothing gets what `predict` says of it, whatever measures the distances."""
    X = clouds(80)
    weights = np.append(np.zeros(3), np.ones(77))
    for algorithm in ("auto", "brute"):
        model = HDBSCAN(5, algorithm=algorithm).fit(X, sample_weight=weights)
        np.testing.assert_array_equal(model.predict(X[:3]), model.labels_[:3])
