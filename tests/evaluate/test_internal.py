"""Internal measures against slow oracles, peers and published values."""

import importlib

import numpy as np
import pytest
from scipy.cluster.hierarchy import cophenet, linkage
from scipy.spatial.distance import cdist
from scipy.stats import pearsonr
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris

import internal_oracles as oracle
from coterie import evaluate
from coterie.errors import InvalidData, InvalidParameter

IRIS = load_iris().data


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
    is_alone = np.array([np.sum(labels == label) == 1 for label in labels])
    for points, of_one, value in (
        (oracle.centroids_of(X, labels), 0, evaluate.simplified_silhouette_score(X, labels)),
        (X[medoids], 1, evaluate.medoid_silhouette_score(X, labels)),
        (X[medoids], 1, evaluate.medoid_silhouette_score(X, labels, medoids=medoids[::-1])),
    ):
        D = cdist(X, points)
        a = D[np.arange(40), labels]
        D[np.arange(40), labels] = np.inf
        b = D.min(axis=1)
        values = np.where(is_alone, of_one, (b - a) / np.maximum(a, b))
        assert value == pytest.approx(values.mean(), abs=1e-12)
    with pytest.raises(InvalidParameter, match="one row of each cluster"):
        evaluate.medoid_silhouette_score(X, labels, medoids=[medoids[0]] * 4)


def test_simplified_silhouette_of_a_sample_alone():
    """Law: a sample alone in its cluster scores 0, unless its weight makes it several equal ones."""
    X, labels = [[0.0], [1.0], [5.0]], [0, 0, 1]
    values = np.array([(5 - 0.5) / 5, (4 - 0.5) / 4, 0.0])
    assert evaluate.simplified_silhouette_score(X, labels) == pytest.approx(values.mean())
    values[2] = 1.0
    weighted = evaluate.simplified_silhouette_score(X, labels, sample_weight=[1, 1, 3])
    assert weighted == pytest.approx(np.average(values, weights=[1, 1, 3]))
    repeated = evaluate.simplified_silhouette_score([*X, [5.0], [5.0]], [*labels, 1, 1])
    assert weighted == pytest.approx(repeated)


def test_dbcv_counts_noise_as_nothing():
    """Law: noise is not a cluster, but lowers the score by its share."""
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
    module = importlib.import_module("coterie.evaluate.internal.assess")  # the name of the function hides it
    monkeypatch.setattr(module, "MOST_SUMMED", 30)
    monkeypatch.setattr(module, "MOST_EXACT", 30)
    table = evaluate.assess(X, labels, sample_size=20)
    assert {"dunn_score", "dbcv", "medoid_silhouette_score"}.isdisjoint(table)
    assert "compares all pairs: ask for it by name" in repr(table)
    drawn = {found.measure.name for found in table.findings if found.how.startswith("from ")}
    assert drawn == {"silhouette_score", "c_index", "gamma", "tau", "point_biserial"}
    assert evaluate.assess(X, labels, measures=["dunn_score"])["Dunn"] == evaluate.dunn_score(X, labels)


def test_weights_that_count_fewer_samples_than_clusters():
    """Law: weights count samples: fewer of them than clusters have no variance ratio."""
    with pytest.raises(InvalidData, match=r"must add up to at least 2, the number of clusters, got 0.6"):
        evaluate.calinski_harabasz_score([[0.0], [1.0], [5.0]], [0, 0, 1], sample_weight=[0.2, 0.2, 0.2])


@pytest.mark.parametrize("unit", [1e-320, 1e-200, 1e200, 1e306])
def test_point_biserial_has_no_unit(unit):
    """Law: a correlation does not depend on the unit of the distances, however small or large."""
    D = np.round(np.abs(np.subtract.outer(np.arange(12.0), np.arange(12.0)))) + 3.0 * (1 - np.eye(12))
    labels = np.arange(12) // 5
    expected = evaluate.point_biserial(D, labels, metric="precomputed")
    assert evaluate.point_biserial(D * unit, labels, metric="precomputed") == pytest.approx(
        expected, rel=1e-3
    )


def test_point_biserial_refuses_weights_of_no_pair():
    """Law: weights count copies; where no group holds two, there is no pair within one, and that is said."""
    X, labels = [[0.0], [1.0], [5.0], [6.0]], [0, 0, 1, 1]
    with pytest.raises(InvalidData, match=r"sample_weight of point_biserial .* no group holds a pair"):
        evaluate.point_biserial(X, labels, sample_weight=[0.2, 0.3, 0.4, 0.1])
    with pytest.raises(InvalidData, match="no group holds a pair"):
        evaluate.point_biserial(X, labels, sample_weight=[0.5, 0.5, 0.5, 0.5])
