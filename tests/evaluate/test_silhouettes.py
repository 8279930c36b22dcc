"""Silhouettes against slow oracles and peers: any distance, weights, estimates, noise."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn import metrics as peers

import internal_oracles as oracle
from coterie import _core, evaluate
from coterie.errors import InvalidData
from coterie.tree import Dendrogram, linkage


def test_silhouette_is_its_definition(blobs):
    """Law: a, b and s of every sample as the loop gives them; singletons score 0."""
    X, labels = blobs
    a, b, s = oracle.silhouettes(cdist(X, X), labels.tolist())
    found = evaluate.silhouette(X, labels)
    assert found.a == pytest.approx(a, abs=1e-12)
    assert found.b == pytest.approx(b, abs=1e-12)
    assert found.values == pytest.approx(s, abs=1e-12)
    assert found.score == pytest.approx(s.mean(), abs=1e-12)
    assert found.cluster_values == pytest.approx([s[labels == c].mean() for c in range(4)], abs=1e-12)
    assert sorted(found.misassigned) == np.flatnonzero(s < 0).tolist()
    assert (found.neighbours != found.labels).all()


@pytest.mark.parametrize(
    ("metric", "options"),
    [
        ("euclidean", {}),
        ("sqeuclidean", {}),
        ("cosine", {}),
        ("correlation", {}),
        ("manhattan", {}),
        ("chebyshev", {}),
        ("canberra", {}),
        ("braycurtis", {}),
        ("minkowski", {"p": 3}),
        ("seuclidean", {"V": [1.0, 2.0, 3.0]}),
        (lambda x, y: float(np.abs(x - y).max()), {}),
    ],
    ids=lambda v: v if isinstance(v, str) else type(v).__name__,
)
def test_silhouette_of_any_distance(blobs, metric, options):
    """Law: scikit-learn gives the same for every distance, up to its rounding between equal rows."""
    X, labels = blobs
    ours = evaluate.silhouette_samples(X, labels, metric=metric, **options)
    theirs = peers.silhouette_samples(X, labels, metric=metric, **options)
    assert ours == pytest.approx(theirs, abs=1e-8)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("k", [2, 7, 60, 700])
def test_silhouette_of_many_samples(dtype, k):
    """Law: the native pass agrees with scikit-learn for few and many clusters, far from the origin."""
    rng = np.random.default_rng(k)
    X = (rng.normal(size=(2500, 5)) + 50).astype(dtype)
    labels = np.concatenate([np.arange(k), rng.integers(0, k, 2500 - k)])
    ours = evaluate.silhouette_samples(X, labels)
    theirs = peers.silhouette_samples(X.astype(np.float64), labels)
    assert ours == pytest.approx(theirs, abs=1e-11 if dtype is np.float64 else 1e-4)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("spread", [0.1, 1.0, 3.0, 30.0])
@pytest.mark.parametrize("d", [1, 2, 16])
def test_groups_that_bounds_rule_out(spread, d, dtype):
    """Law: whether groups overlap or lie far apart, a, b and the neighbour are those of all pairs."""
    rng = np.random.default_rng(d)
    labels = rng.permutation(np.repeat(np.arange(9), [900, 700, 400, 300, 200, 100, 50, 10, 1]))
    X = (rng.normal(size=(9, d)) * spread)[labels] + rng.normal(size=(len(labels), d))
    X = np.concatenate([X, X[:40]]).astype(dtype)
    labels = np.concatenate([labels, labels[:40]])
    sums, totals = np.zeros((len(X), 9)), np.bincount(labels)
    for group in range(9):
        sums[:, group] = cdist(X.astype(np.float64), X[labels == group].astype(np.float64)).sum(axis=1)
    means = sums / totals
    means[np.arange(len(X)), labels] = np.inf
    found = evaluate.silhouette(X, labels)
    tolerance = 1e-12 if dtype == np.float64 else 1e-5
    np.testing.assert_allclose(found.b, means.min(axis=1), rtol=tolerance)
    near = means[np.arange(len(X)), found.neighbours]
    np.testing.assert_allclose(near, means.min(axis=1), rtol=tolerance)
    own = sums[np.arange(len(X)), labels] / np.maximum(totals[labels] - 1, 1)
    np.testing.assert_allclose(found.a, own, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "sqeuclidean", "cosine"])
def test_weighted_silhouette_of_any_distance(metric, dtype):
    """Law: in the native pass too, a weight of n is n equal rows: their values, and that of the whole."""
    rng = np.random.default_rng(4)
    labels = np.concatenate([np.arange(9), rng.integers(0, 9, 691)])
    X = (rng.normal(size=(700, 6)) + 0.5 * labels[:, None]).astype(dtype)
    weights = rng.integers(1, 5, 700)
    rows = np.repeat(np.arange(700), weights)
    found = evaluate.silhouette(X, labels, metric=metric, sample_weight=weights)
    copies = evaluate.silhouette(X[rows], labels[rows], metric=metric)
    tolerance = 1e-10 if dtype is np.float64 else 1e-4
    assert found.values[rows] == pytest.approx(copies.values, abs=tolerance)
    assert found.score == pytest.approx(copies.score, abs=tolerance)
    assert found.cluster_values == pytest.approx(copies.cluster_values, abs=tolerance)
    samples = evaluate.silhouette_samples(X, labels, metric=metric, sample_weight=weights * (labels != 3))
    assert np.isnan(samples).tolist() == (labels == 3).tolist()


def test_weighted_estimate():
    """Law: an estimate from strata with weights covers the exact score; light clusters are refused."""
    rng = np.random.default_rng(6)
    labels = rng.integers(0, 3, 3000)
    X = rng.normal(size=(3000, 3)) + 2 * labels[:, None]
    weights = rng.random(3000) * 4
    exact = evaluate.silhouette_score(X, labels, sample_weight=weights)
    found = [
        evaluate.silhouette_score(
            X, labels, sample_weight=weights, sample="stratified", size=300, random_state=seed
        )
        for seed in range(12)
    ]
    errors = [(each - exact) / each.standard_error for each in found]
    assert np.abs(errors).max() < 4
    assert abs(np.mean(errors)) < 1.2
    with pytest.raises(InvalidData, match=r"every cluster must weigh at least 1, got 0\.[23]"):
        evaluate.silhouette_score(X, labels, sample_weight=weights / weights[labels == 0].sum() * 0.3)


def test_silhouette_does_not_depend_on_the_threads():
    """Law: the same bits from one thread and from two."""
    rng = np.random.default_rng(7)
    X, codes = rng.normal(size=(5000, 5)), rng.integers(0, 6, 5000).astype(np.int32)
    metric = _core.Metric(_core.Kernel.dot, _core.Finish.norm)
    one, two = (_core.silhouette(X, codes, 6, metric, True, None, n_threads=n) for n in (1, 2))
    for first, second in zip(one, two, strict=True):
        assert np.array_equal(first, second)


@pytest.mark.parametrize("scale", [1e-150, 1e-18, 1e18, 1e140])
def test_silhouette_of_tiny_and_huge_numbers(blobs, scale):
    """Law: the unit does not matter, whatever the exponents of the squares."""
    X, labels = blobs
    ours = evaluate.silhouette_samples(X * scale, labels)
    assert ours == pytest.approx(evaluate.silhouette_samples(X, labels), abs=1e-6)


def test_matrix_and_rows_agree(blobs):
    """Law: distances given or computed, every measure that takes both has one value."""
    X, labels = blobs
    D = cdist(X, X)
    for name in ("silhouette_score", "dunn_score", "c_index", "gamma", "tau", "point_biserial"):
        function = getattr(evaluate, name)
        assert function(D, labels, metric="precomputed") == pytest.approx(function(X, labels), abs=1e-12)
    medoid = evaluate.medoid_silhouette_score
    assert medoid(D, labels, metric="precomputed") == pytest.approx(medoid(X, labels), abs=1e-12)
    for kind in ("diameter", "mean_pairwise", "sse", "radius"):
        how = {"kind": kind, "representative": "medoid"}
        ours = evaluate.dispersions(D, labels, metric="precomputed", **how)
        assert ours == pytest.approx(evaluate.dispersions(X, labels, **how), abs=1e-12)
    density = evaluate.dbcv(D, labels, metric="precomputed", n_features=3)
    assert density == pytest.approx(evaluate.dbcv(X, labels), abs=1e-12)


def test_stratified_estimate_is_near_and_says_how_near():
    """Law: the estimate has a standard error, covers the exact score, and sees every small cluster."""
    rng = np.random.default_rng(5)
    labels = np.concatenate([rng.integers(0, 3, 3990), np.full(10, 3)])
    X = rng.normal(size=(4000, 4)) + 3 * labels[:, None]
    exact = evaluate.silhouette_score(X, labels)
    errors = []
    for seed in range(20):
        found = evaluate.silhouette_score(X, labels, sample="stratified", size=200, random_state=seed)
        assert 0 < found.standard_error < 0.03
        assert 200 <= found.n_drawn < 210
        errors.append((found - exact) / found.standard_error)
    assert np.abs(errors).max() < 4
    assert 0.6 < np.std(errors) < 1.5
    whole = evaluate.silhouette_score(X, labels, sample="stratified", size=4000)
    assert type(whole) is float
    assert whole == exact


def test_noise_of_the_silhouette(blobs):
    """Law: excluded noise has no silhouette, and does not change that of others."""
    X, labels = blobs
    labels = np.where(labels == 2, -1, labels)
    kept = labels != -1
    values = evaluate.silhouette_samples(X, labels, noise="exclude")
    assert np.isnan(values[~kept]).all()
    assert values[kept] == pytest.approx(evaluate.silhouette_samples(X[kept], labels[kept]))
    assert evaluate.silhouette(X, labels, noise="exclude").rows.tolist() == np.flatnonzero(kept).tolist()


def copies(n_places, n_columns, offset, dtype):
    rng = np.random.default_rng(n_columns)
    places = (rng.normal(size=(n_places, n_columns)) + offset).astype(dtype)
    return places[np.arange(60) % n_places], rng.integers(0, 4, 60)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("offset", [0.0, 1e4])
@pytest.mark.parametrize("n_columns", [3, 8, 200])
@pytest.mark.parametrize(
    "metric", ["euclidean", "sqeuclidean", "cosine", "correlation", "manhattan", "chebyshev", "canberra"]
)
def test_copies_of_one_row_have_no_silhouette(metric, n_columns, offset, dtype):
    """Law: where a = b = 0, as between copies of one row in several groups, the silhouette is exactly 0."""
    X, labels = copies(1, n_columns, offset, dtype)
    np.testing.assert_array_equal(evaluate.silhouette_samples(X, labels, metric=metric), 0.0)
    drawn = evaluate.silhouette_score(X, labels, metric=metric, sample="stratified", size=20, random_state=0)
    assert drawn == 0
    assert evaluate.simplified_silhouette_score(X, labels, metric=metric) == 0
    assert evaluate.medoid_silhouette_score(X, labels, metric=metric) == 0
    weighed = evaluate.silhouette_samples(X, labels, metric=metric, sample_weight=np.full(60, 2.0))
    np.testing.assert_array_equal(weighed, 0.0)


@pytest.mark.parametrize("n_places", [2, 3, 7])
@pytest.mark.parametrize("metric", ["euclidean", "sqeuclidean", "manhattan", "cosine"])
def test_copies_of_few_rows(metric, n_places):
    """Law: the loop, which takes the distance of equal rows for 0, gives the same."""
    X, labels = copies(n_places, 5, 1.0, np.float64)
    distances = cdist(X, X, "cityblock" if metric == "manhattan" else metric)
    distances[np.equal.outer(np.arange(60) % n_places, np.arange(60) % n_places)] = 0.0
    expected = oracle.silhouettes(distances, labels.tolist())[2]
    assert evaluate.silhouette_samples(X, labels, metric=metric) == pytest.approx(expected, abs=1e-12)
    theirs = peers.silhouette_samples(distances, labels, metric="precomputed")
    assert expected == pytest.approx(theirs, abs=1e-12)


def test_copies_have_no_silhouette_in_cuts():
    """Law: nor have they one in the cuts of a tree."""
    X, _ = copies(1, 3, 1.0, np.float64)
    tree = Dendrogram.from_linkage(linkage(X, "average"))
    assert tree.cut(best="silhouette", X=X, max_clusters=8).max() == 1  # all score 0: the first wins
    curve = evaluate.cut_curve(tree, X=X, silhouette_at="all")
    found = curve["simplified_silhouette_score"]
    np.testing.assert_array_equal(found[1:-1], 0.0)  # of all rows in one group, or each in its own: none
