"""Chance: p-values that are uniform without clusters, null models that look like the data, bad input."""

import json

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.stats import binom, kstest

from coterie.cluster import HDBSCAN, KMeans, SpectralClustering
from coterie.errors import InvalidData, InvalidParameter
from coterie.evaluate import Significance, modularity, significance
from coterie.evaluate.belief.null_models import NULLS, fit_configuration, fit_null

rng = np.random.default_rng(0)
BLOBS = np.concatenate([rng.normal(at, 1.0, (40, 2)) for at in (0, 10, 20)])
CLOUD = rng.normal(size=(100, 2))
VECTORS = [name for name in NULLS if name != "configuration"]


def two_communities(seed=0, n=40, within=0.5, between=0.05):
    rng = np.random.default_rng(seed)
    side = np.repeat([0, 1], n // 2)
    chance = np.where(side[:, None] == side, within, between)
    edges = np.triu(rng.random((n, n)) < chance, 1).astype(float)
    return edges + edges.T


@pytest.mark.parametrize("null", VECTORS)
def test_clusters_reject_every_null(null):
    """Law: three separate clusters beat every draw of every null model."""
    found = significance(KMeans(3, n_init=3), BLOBS, null=null, n_draws=39, random_state=0)
    assert found.p_value == pytest.approx(1 / 40)
    assert found.verdict.endswith(" null rejected")
    assert found.z_score > 3
    low, high = found.interval
    assert low == 0.0 < found.p_value < high < 0.1


@pytest.mark.parametrize(
    ("null", "make"),
    [
        ("gaussian", lambda rng: rng.normal(size=(60, 2)) @ rng.normal(size=(2, 2))),
        ("uniform", lambda rng: rng.random((60, 2))),
        ("pca_box", lambda rng: rng.random((60, 2)) @ [[0.8, 0.6], [-1.8, 2.4]]),
        ("permuted", lambda rng: rng.exponential(size=(60, 3))),
    ],
)
def test_p_values_are_uniform_without_clusters(null, make):
    """Law: over data sets without clusters p-values are uniform."""
    p_values = np.array(
        [
            significance(
                KMeans(2), make(np.random.default_rng(at)), null=null, n_draws=19, random_state=at
            ).p_value
            for at in range(60)
        ]
    )
    assert (p_values <= 0.05).sum() <= binom.ppf(0.999, 60, 0.05)
    assert kstest(p_values - 0.025, "uniform").pvalue > 0.001


def test_same_seed_same_answer(monkeypatch):
    """Law: the answer depends on the seed, not on the threads."""
    side_by_side = significance(KMeans(3, random_state=0), CLOUD, n_draws=9, random_state=4)
    monkeypatch.setattr("coterie.evaluate.belief.refitting.SIDE_BY_SIDE_ROWS", 10)
    one_by_one = significance(KMeans(3, random_state=0), CLOUD, n_draws=9, random_state=4)
    np.testing.assert_array_equal(side_by_side.draws, one_by_one.draws)
    other = significance(KMeans(3, random_state=0), CLOUD, n_draws=9, random_state=5)
    assert not np.array_equal(side_by_side.draws, other.draws)


def test_measures_of_either_direction_and_functions():
    """Law: the p-value respects the direction of the measure, of the catalogue or given."""
    for measure in ("davies_bouldin_score", "CH", "silhouette_score"):
        assert (
            significance(KMeans(3, n_init=3), BLOBS, measure=measure, n_draws=19, random_state=0).p_value
            == 0.05
        )

    def n_in_largest(X, labels):
        return np.bincount(labels).max()

    small = significance(
        KMeans(3, n_init=3), BLOBS, measure=n_in_largest, greater_is_better=False, n_draws=19, random_state=0
    )
    assert small.observed == 40
    assert small.measure == "n_in_largest"
    large = significance(KMeans(3, n_init=3), BLOBS, measure=n_in_largest, n_draws=19, random_state=0)
    assert large.p_value > small.p_value


def test_a_null_model_of_ones_own():
    """Law: a function of the data and a generator serves as null model."""

    def shuffled(X, rng):
        return rng.permuted(X, axis=0)

    ours = significance(KMeans(3, random_state=0), BLOBS, null=shuffled, n_draws=9, random_state=0)
    named = significance(KMeans(3, random_state=0), BLOBS, null="permuted", n_draws=9, random_state=0)
    np.testing.assert_array_equal(ours.draws, named.draws)
    assert ours.null == "shuffled"


def test_undefined_values_count_as_worse():
    """Law: draws of one cluster are worse than the data; data of one cluster are as good as chance."""
    found = significance(HDBSCAN(min_cluster_size=15), BLOBS, n_draws=9, random_state=0)
    assert found.p_value == pytest.approx(0.1)
    nothing = significance(KMeans(1), BLOBS, n_draws=9, random_state=0)
    assert np.isnan(nothing.observed)
    assert nothing.p_value == 1.0
    assert nothing.interval[1] == 1.0
    assert "no defined value" in repr(nothing)


def test_large_data_are_judged_by_some_rows():
    """Law: how many rows were used is said."""
    X = np.concatenate([rng.normal(at, 1.0, (2600, 2)) for at in (0, 10)])
    found = significance(KMeans(2, n_init=1), X, n_draws=4, random_state=0)
    assert found.how == "silhouette_score from 1,000 rows"
    part = significance(KMeans(2, n_init=1), X, n_draws=4, sample_size=300, random_state=0)
    assert part.how == "300 of 5,200 rows"
    assert part.p_value == found.p_value == 0.2


@pytest.mark.parametrize("null", VECTORS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_null_models_keep_shape_type_and_moments(null, dtype):
    """Law: draws have the shape and type of the data, and about their mean."""
    X = (np.random.default_rng(1).normal(size=(4000, 3)) * [1, 2, 3] + [5, 0, -5]).astype(dtype)
    drawn = fit_null(null, X, who="this").draw(np.random.default_rng(0))
    assert drawn.shape == X.shape
    assert drawn.dtype == dtype
    if null in ("gaussian", "elliptical", "permuted"):
        np.testing.assert_allclose(drawn.mean(axis=0), X.mean(axis=0), atol=0.2)
        np.testing.assert_allclose(np.cov(drawn.T), np.cov(X.T), atol=0.7)
    if null == "uniform":
        assert (drawn >= X.min(axis=0)).all()
        assert (drawn <= X.max(axis=0)).all()


@pytest.mark.parametrize("null", VECTORS)
def test_null_models_of_more_columns_than_rows(null):
    """Law: more columns than rows are no obstacle."""
    X = np.random.default_rng(0).normal(size=(20, 50))
    drawn = fit_null(null, X, who="this").draw(np.random.default_rng(0))
    assert drawn.shape == X.shape
    assert 0.3 < drawn.var() / X.var() < 3.0 + 2.0 * (null in ("uniform", "pca_box"))


@pytest.mark.parametrize("shape", [(50, 3), (10, 30)])
@pytest.mark.parametrize("null", ["gaussian", "elliptical"])
def test_clouds_have_the_mean_and_covariance_of_the_data(null, shape):
    """Law: draws of one cloud have the mean and the covariance of the data, exactly."""
    X = np.random.default_rng(0).normal(size=shape) * np.arange(shape[1]) + 3.0
    drawn = fit_null(null, X, who="this").draw(np.random.default_rng(0))
    np.testing.assert_allclose(drawn.mean(axis=0), X.mean(axis=0), atol=1e-9)
    np.testing.assert_allclose(np.cov(drawn.T), np.cov(X.T), atol=1e-9 * shape[1] ** 2)
    assert not np.allclose(drawn, X)


@pytest.mark.parametrize("kind", [np.asarray, csr_array])
def test_configuration_keeps_degrees_and_weights(kind):
    """Law: draws are simple graphs of the same degrees and weights, of the kind of the given one."""
    graph = two_communities() * 2.0
    draw = fit_configuration(kind(graph))
    first, second = draw(np.random.default_rng(0)), draw(np.random.default_rng(1))
    dense = [each.toarray() if kind is csr_array else each for each in (first, second)]
    for each in dense:
        np.testing.assert_array_equal((each > 0).sum(axis=0), (graph > 0).sum(axis=0))
        np.testing.assert_array_equal(each, each.T)
        assert np.diagonal(each).sum() == 0
        assert set(each.ravel()) == {0.0, 2.0}
    assert not np.array_equal(*dense)


def test_communities_of_a_graph():
    """Law: communities beat random graphs of the same degrees; a random graph does not."""
    method = SpectralClustering(2, affinity="precomputed", random_state=0)
    options = {"measure": modularity, "null": "configuration", "n_draws": 39, "random_state": 0}
    found = significance(method, two_communities(), **options)
    assert found.p_value == pytest.approx(1 / 40)
    by_name = significance(method, two_communities(), **{**options, "measure": "modularity"})
    assert (by_name.measure, by_name.p_value) == (found.measure, found.p_value)
    assert significance(method, two_communities(1, within=0.3, between=0.3), **options).p_value > 0.05


def test_modularity_by_its_definition():
    """Law: modularity is the mean over pairs of weight minus expected weight within clusters."""
    graph = two_communities() * rng.integers(1, 4, (40, 40))
    graph = graph + graph.T
    labels = rng.integers(3, size=40)
    total, degrees = graph.sum(), graph.sum(axis=0)
    same = labels[:, None] == labels
    expected = ((graph - np.outer(degrees, degrees) / total) * same).sum() / total
    assert modularity(graph, labels) == pytest.approx(expected)
    assert modularity(csr_array(graph), labels) == pytest.approx(expected)
    assert modularity(np.zeros((3, 3)), [0, 1, 1]) == 0.0
    left = labels.copy()
    left[:5] = -1
    inner = graph[5:, 5:]
    assert modularity(graph, left, noise="exclude") == pytest.approx(modularity(inner, labels[5:]))
    with pytest.raises(InvalidData, match="graph of modularity must be a square matrix"):
        modularity(graph, labels[1:])
    with pytest.raises(InvalidData, match="graph of modularity must be symmetric"):
        modularity(np.triu(graph), labels)


def test_exchange():
    """Law: the value goes to JSON, to pandas and to print."""
    found = significance(KMeans(3), CLOUD, n_draws=9, random_state=0)
    assert isinstance(found, Significance)
    facts = json.loads(json.dumps(found.to_dict()))
    assert facts["p_value"] == found.p_value
    assert len(facts["draws"]) == 9
    assert len(found.to_frame()) == 9
    assert "against one Gaussian, 9 draws" in str(found)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"null": "gausian"}, r'null of significance must be .*"gaussian"\?'),
        ({"null": 3}, "null of significance must be one of"),
        ({"n_draws": 0}, "n_draws of significance must be a whole number of at least 1"),
        ({"measure": "silhouet"}, 'no such measure "silhouet"'),
        ({"measure": "ARI"}, "needs labelings. For two labelings use permutation_significance"),
        ({"measure": 3}, "measure of significance must be a name or a callable, got 3"),
        ({"greater_is_better": True}, "silhouette_score knows its direction"),
        ({"null": "configuration"}, 'needs a measure of graphs, such as measure="modularity", got silh'),
        ({"measure": "modularity"}, "is of graphs: it needs null=\"configuration\", got null='gaussian'"),
        ({"sample_size": 1}, "sample_size of significance must be None or a whole number of at least 2"),
        ({"null": "configuration", "measure": modularity, "sample_size": 9}, "is for rows of features"),
    ],
)
def test_wrong_parameters(options, message):
    """Law: a wrong parameter is refused with the allowed values."""
    with pytest.raises(InvalidParameter, match=message):
        significance(KMeans(2), BLOBS, **options)


def test_wrong_input():
    """Law: what is no data, or no graph, is refused."""
    with pytest.raises(InvalidParameter, match="estimator of significance must be an estimator"):
        significance("kmeans", BLOBS)
    with pytest.raises(InvalidData, match='null="configuration" needs a graph'):
        significance(KMeans(2), BLOBS, null="configuration", measure=modularity)
    with pytest.raises(ValueError, match="NaN"):
        significance(KMeans(2), np.full((5, 2), np.nan))
    with pytest.raises(ValueError, match="boom"):
        significance(KMeans(2), BLOBS, measure=_boom, n_draws=2)


def _boom(X, labels):
    raise ValueError("boom")
