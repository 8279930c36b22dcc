"""Internal measures against slow oracles, peers and published values."""

import importlib

import numpy as np
import pytest
from scipy.cluster.hierarchy import cophenet, linkage
from scipy.spatial.distance import cdist
from scipy.stats import pearsonr
from sklearn import metrics as peers
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris

import internal_oracles as oracle
from coterie import _core, evaluate
from coterie.errors import InvalidData, InvalidParameter

IRIS = load_iris().data


@pytest.fixture(scope="module")
def blobs():
    """Forty rows in four uneven clusters that overlap, one of them a single row, one pair of equal rows."""
    rng = np.random.default_rng(3)
    labels = np.repeat([0, 1, 2, 3], [20, 12, 7, 1])
    X = rng.normal(size=(40, 3)) + 2.0 * np.array([[0, 0, 0], [1, 0, 0], [0, 1, 1], [2, 2, 0]])[labels]
    X[1] = X[0]
    order = rng.permutation(40)
    return X[order], labels[order]


@pytest.fixture(scope="module")
def iris_clusters():
    """k-means with three clusters on iris."""
    return KMeans(3, n_init=10, random_state=0).fit_predict(IRIS)


def test_fpc_on_iris(iris_clusters):
    """Law: R's fpc gives these on iris with k-means, k = 3."""
    assert evaluate.sse(IRIS, iris_clusters) == pytest.approx(78.851, abs=1e-3)
    assert evaluate.dunn_score(IRIS, iris_clusters) == pytest.approx(0.0988, abs=5e-5)
    dunn2 = evaluate.dunn_score(IRIS, iris_clusters, between="mean", within="mean_pairwise")
    assert dunn2 == pytest.approx(1.8865, abs=5e-5)
    assert evaluate.calinski_harabasz_score(IRIS, iris_clusters) == pytest.approx(561.63, abs=5e-3)
    assert evaluate.point_biserial(IRIS, iris_clusters) == pytest.approx(0.7147, abs=5e-5)
    assert evaluate.silhouette_score(IRIS, iris_clusters) == pytest.approx(0.5528, abs=5e-5)


@pytest.mark.parametrize(("method", "value"), [("average", 0.8770), ("single", 0.8639), ("complete", 0.7270)])
def test_cophenetic_correlation_of_iris(method, value):
    """Law: R gives these for the trees of iris."""
    heights = cophenet(linkage(IRIS, method))
    assert evaluate.cophenetic_correlation(IRIS, heights) == pytest.approx(value, abs=5e-5)


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


@pytest.mark.parametrize(
    "kind", ["diameter", "mean_pairwise", "mean_to_centroid", "rms_to_centroid", "radius", "sse"]
)
def test_dispersions_and_davies_bouldin(blobs, kind):
    """Law: dispersions as the loop gives them, and Davies-Bouldin from them."""
    X, labels = blobs
    spreads = oracle.within(X, labels, kind)
    assert evaluate.dispersions(X, labels, kind=kind) == pytest.approx(spreads, abs=1e-12)
    gaps = cdist(*[oracle.centroids_of(X, labels)] * 2)
    worst = [max((spreads[i] + spreads[j]) / gaps[i, j] for j in range(4) if j != i) for i in range(4)]
    assert evaluate.davies_bouldin_score(X, labels, dispersion=kind) == pytest.approx(np.mean(worst))


@pytest.mark.parametrize("within", ["diameter", "mean_pairwise", "mean_to_centroid", "radius"])
@pytest.mark.parametrize("between", ["min", "max", "mean", "centroid", "hausdorff"])
def test_dunn_family(blobs, between, within):
    """Law: every member is the least dissimilarity over the greatest dispersion."""
    X, labels = blobs
    expected = oracle.between(X, labels, between).min() / oracle.within(X, labels, within).max()
    assert evaluate.dunn_score(X, labels, between=between, within=within) == pytest.approx(
        expected, rel=1e-12
    )


def test_pairs_by_distance(blobs):
    """Law: c_index, gamma, tau and the point-biserial correlation as loops over pairs give them."""
    X, labels = blobs
    D = np.round(cdist(X, X), 1)  # with ties
    inside, across = oracle.pairs(D, labels)
    right, wrong, n_inside, n_across = oracle.order(D, labels)
    everything = np.sort(np.concatenate([inside, across]))
    low, high = everything[:n_inside].sum(), everything[-n_inside:].sum()
    total = n_inside + n_across
    given = {"metric": "precomputed"}
    assert evaluate.c_index(D, labels, **given) == pytest.approx((inside.sum() - low) / (high - low))
    assert evaluate.gamma(D, labels, **given) == pytest.approx((right - wrong) / (right + wrong))
    tau = (right - wrong) / np.sqrt(n_inside * n_across * total * (total - 1) / 2)
    assert evaluate.tau(D, labels, **given) == pytest.approx(tau)
    apart = np.repeat([0, 1], [n_inside, n_across])
    expected = pearsonr(np.concatenate([inside, across]), apart).statistic
    assert evaluate.point_biserial(D, labels, **given) == pytest.approx(expected, abs=1e-12)


def test_sums_of_squares_add_up(blobs):
    """Law: SSE + BSS = TSS, with weights too; whole weights count samples."""
    X, labels = blobs
    weights = np.random.default_rng(0).integers(1, 4, len(X))
    for how in ({}, {"sample_weight": weights}):
        parts = evaluate.sse(X, labels, **how) + evaluate.bss(X, labels, **how)
        assert parts == pytest.approx(evaluate.tss(X, **how), rel=1e-12)
    rows = np.repeat(np.arange(len(X)), weights)
    for name in ("sse", "bss", "calinski_harabasz_score", "ball_hall", "hartigan", "xie_beni_score"):
        function = getattr(evaluate, name)
        weighted = function(X, labels, sample_weight=weights)
        assert weighted == pytest.approx(function(X[rows], labels[rows]), rel=1e-10)


def test_simplified_silhouettes(blobs):
    """Law: a and b are distances to the own and to the nearest other centroid, or medoid."""
    X, labels = blobs
    medoids = [group[cdist(X[group], X[group]).sum(axis=1).argmin()] for group in oracle.groups_of(labels)]
    for points, value in (
        (oracle.centroids_of(X, labels), evaluate.simplified_silhouette_score(X, labels)),
        (X[medoids], evaluate.medoid_silhouette_score(X, labels)),
        (X[medoids], evaluate.medoid_silhouette_score(X, labels, medoids=medoids[::-1])),
    ):
        D = cdist(X, points)
        a = D[np.arange(40), labels]
        D[np.arange(40), labels] = np.inf
        b = D.min(axis=1)
        assert value == pytest.approx(((b - a) / np.maximum(a, b)).mean(), abs=1e-12)
    with pytest.raises(InvalidParameter, match="one row of each cluster"):
        evaluate.medoid_silhouette_score(X, labels, medoids=[medoids[0]] * 4)


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


def test_dbcv_counts_noise_as_nothing():
    """Law: noise is no cluster, but lowers the score by its share."""
    X = np.array([[0.0], [1.0], [2.0], [8.0], [9.0], [10.0], [5.0], [5.5]])
    labels = [0, 0, 0, 1, 1, 1, -1, -1]
    alone = evaluate.dbcv(X[:6], labels[:6])
    assert evaluate.dbcv(X, labels) == pytest.approx(alone * 6 / 8)
    assert evaluate.dbcv(X, labels, noise="exclude") == pytest.approx(alone)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: evaluate.silhouette_score(IRIS, [0, 1]), r"inconsistent numbers of samples: \[150, 2\]"),
        (lambda: evaluate.sse(IRIS, [0, 1]), r"inconsistent numbers of samples: \[150, 2\]"),
        (
            lambda: evaluate.dunn_score(IRIS[:4], [0, 0, 1, 1], between="least"),
            "between of dunn_score must be one of",
        ),
        (
            lambda: evaluate.silhouette_score(IRIS, range(150)),
            "Number of labels is 150. Valid values are 2 to",
        ),
        (
            lambda: evaluate.davies_bouldin_score(np.zeros((4, 4)), [0, 0, 1, 1], metric="precomputed"),
            "needs centroids",
        ),
        (lambda: evaluate.cophenetic_correlation(IRIS[:4], [1.0]), "must be 6 finite heights"),
    ],
)
def test_what_is_wrong(call, message):
    """Law: bad input is refused in words."""
    with pytest.raises((InvalidData, InvalidParameter), match=message):
        call()


def test_assess_says_how(blobs):
    """Law: the table holds what the functions give, and says where samples were drawn."""
    X, labels = blobs
    table = evaluate.assess(X, labels)
    assert set(table) == {measure.name for measure in evaluate.measures("data")}
    assert table["sil"] == evaluate.silhouette_score(X, labels)
    assert {found.how for found in table.findings} == {"exact"}
    given = evaluate.assess(cdist(X, X), labels, metric="precomputed")
    assert "sse" not in given
    assert "needs data, not distances" in repr(given)
    assert given["dunn_score"] == pytest.approx(table["dunn_score"])
    many = np.tile(X, (300, 1)) + np.random.default_rng(0).normal(size=(12_000, 3))
    drawn = evaluate.assess(many, np.tile(labels, 300), measures=["gamma", "CH"])
    assert "3,000 samples" in repr(drawn)
    assert table.to_frame().loc["sse", "better"] == "lower"
    with pytest.raises(InvalidParameter, match="which needs labelings"):
        evaluate.assess(X, labels, measures=["ARI"])


def test_assess_of_many_samples(blobs, monkeypatch):
    """Law: beyond a number of samples what compares all pairs draws, or waits to be asked for by name."""
    X, labels = blobs
    module = importlib.import_module("coterie.evaluate.assess")  # the name of the function hides it
    monkeypatch.setattr(module, "MOST_SUMMED", 30)
    monkeypatch.setattr(module, "MOST_EXACT", 30)
    table = evaluate.assess(X, labels, sample_size=20)
    assert {"dunn_score", "dbcv", "medoid_silhouette_score"}.isdisjoint(table)
    assert "compares all pairs: ask for it by name" in repr(table)
    drawn = {found.measure.name for found in table.findings if found.how.startswith("from ")}
    assert drawn == {"silhouette_score", "c_index", "gamma", "tau", "point_biserial"}
    assert evaluate.assess(X, labels, measures=["dunn_score"])["Dunn"] == evaluate.dunn_score(X, labels)
