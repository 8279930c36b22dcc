"""Parameters may be numbers of NumPy of 8 bits, or fractions: they mean what Python's numbers mean."""

from fractions import Fraction

import numpy as np
import pytest

from coterie import cluster, scale
from coterie.errors import InvalidData, InvalidParameter

ROWS = np.vstack([np.random.default_rng(group).normal(5 * group, 1, (100, 2)) for group in range(3)])
SMALL = [
    cluster.GaussianMixture,
    cluster.HierarchicalKMeans,
    cluster.KMeans,
    cluster.MiniBatchKMeans,
    cluster.SpectralClustering,
    scale.GaussianMixture,
    scale.KMeans,
    scale.MiniBatchKMeans,
    scale.SingleLinkage,
]


def labels_of(model, rows=ROWS):
    return np.asarray(model.fit(rows).labels_ if hasattr(model, "labels_") else model.fit_predict(rows))


@pytest.mark.parametrize("kind", [np.int8, np.uint8])
@pytest.mark.parametrize("method", SMALL)
def test_a_number_of_8_bits_is_the_number(method, kind):
    """Law: so many groups are found whatever type their number has."""
    seed = {} if method is scale.SingleLinkage else {"random_state": 0}
    np.testing.assert_array_equal(labels_of(method(kind(3), **seed)), labels_of(method(3, **seed)))


@pytest.mark.parametrize(
    ("method", "name", "value"),
    [
        (cluster.HDBSCAN, "min_cluster_size", 5),
        (cluster.HDBSCAN, "alpha", 1),
        (cluster.HierarchicalKMeans, "branching", 2),
        (cluster.MiniBatchKMeans, "batch_size", 100),
        (cluster.MiniBatchKMeans, "max_iter", 100),
        (scale.DBSCAN, "box_rows", 100),
        (scale.MiniBatchKMeans, "batch_size", 100),
        (scale.Summaries, "n_summaries", 100),
    ],
)
def test_other_counts_of_8_bits_are_the_counts(method, name, value):
    """Law: no product with a parameter is computed in 8 bits, in fit or predict."""
    for number in (np.int8(value), np.uint8(value)):
        model = method(**{name: number}).fit(ROWS)
        if hasattr(model, "predict"):
            model.predict(ROWS)


@pytest.mark.parametrize("method", [cluster.GaussianMixture, scale.GaussianMixture])
def test_a_fraction_is_a_number(method):
    """Law: reg_covar and gamma may be fractions."""
    half = method(2, reg_covar=Fraction(1, 2), random_state=0).fit(ROWS)
    np.testing.assert_array_equal(half.means_, method(2, reg_covar=0.5, random_state=0).fit(ROWS).means_)
    cluster.SpectralClustering(3, gamma=Fraction(1, 2)).fit(ROWS)


@pytest.mark.filterwarnings("ignore:reg_covar")
@pytest.mark.parametrize("method", [cluster.GaussianMixture, scale.GaussianMixture])
def test_covariances_beyond_float32_are_refused(method):
    """Law: a mixture of float32 rows has covariances that float32 holds, or says that it has none."""
    with pytest.raises(InvalidData, match=r"covariances of the mixture, up to .* overflow float32"):
        method(2, reg_covar=1e150).fit(ROWS.astype(np.float32))


@pytest.mark.parametrize("method", [cluster.MiniBatchKMeans, scale.MiniBatchKMeans])
def test_a_reassignment_ratio_beyond_one_is_all_but_the_heaviest(method):
    """Law: above 1 every centre but the heaviest is light, however large the ratio is."""
    huge, two = (
        method(3, reassignment_ratio=ratio, batch_size=50, random_state=0).fit(ROWS) for ratio in (1e308, 2)
    )
    np.testing.assert_array_equal(huge.cluster_centers_, two.cluster_centers_)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("affinity", ["rbf", "self_tuning"])
def test_any_gamma_gives_affinities(affinity, dtype):
    """Law: equal rows have affinity 1, apart ones 0 in the limit, and nothing overflows on the way."""
    rows = np.repeat(ROWS[:2], 4, axis=0).astype(dtype)
    model = cluster.SpectralClustering(2, affinity=affinity, gamma=1e308, n_neighbors=2).fit(rows)
    same = np.repeat(np.eye(2), 4, axis=0).repeat(4, axis=1)
    np.testing.assert_array_equal(model.affinity_matrix_, same)
    cluster.SpectralClustering(1, gamma=1e308).fit(np.ones((5, 2), dtype=dtype))


def test_kernels_that_overflow_are_refused():
    """Law: an affinity that is not finite is refused with the way out."""
    with pytest.raises(InvalidData, match=r"affinity='polynomial' .* is not a finite number"):
        cluster.SpectralClustering(2, affinity="polynomial", gamma=1e308).fit(ROWS)


def test_alpha_keeps_distances_finite():
    """Law: HDBSCAN divides distances by nothing that makes them infinite."""
    with pytest.raises(InvalidParameter, match=r"alpha of HDBSCAN must be a number in \[1e-12, "):
        cluster.HDBSCAN(alpha=5e-324).fit(ROWS)


@pytest.mark.parametrize("method", [scale.KMeans, scale.MiniBatchKMeans, scale.GaussianMixture])
def test_a_checkpoint_is_a_path(method):
    """Law: what is not a path is refused before anything is read."""
    with pytest.raises(InvalidParameter, match=r"checkpoint of .* must be None or a path, got"):
        method(2, checkpoint=2).fit(ROWS)


@pytest.mark.parametrize(
    "method",
    [
        cluster.BisectingKMeans,
        cluster.HierarchicalKMeans,
        cluster.KMeans,
        cluster.MiniBatchKMeans,
        scale.KMeans,
    ],
)
def test_a_tolerance_of_32_bits_is_the_number(method):
    """Law: no product with a parameter is computed in 32 bits, where it would overflow."""
    rows = ROWS * 1e60
    models = [method(3, tol=tol, random_state=0) for tol in (np.float32(2.0), 2.0)]
    np.testing.assert_array_equal(*(labels_of(model, rows) for model in models))
    assert isinstance(models[0].tol, np.float32)


METHODS = [
    method
    for method in cluster.methods()
    if {"max_iter", "n_iterations"} & method.load()().get_params().keys()
]


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
@pytest.mark.parametrize("most", [2**31, 2**63, 10**400], ids=["32 bits", "64 bits", "400 digits"])
def test_more_iterations_than_64_bits_can_count(method, most):
    """Law: a limit that is never reached changes nothing, however many digits it has."""
    kind, rows = method.load(), ROWS[::5]
    known = kind().get_params()
    name = "max_iter" if "max_iter" in known else "n_iterations"
    wanted = {"random_state": 0, "n_clusters": 3, "n_components": 3, **dict(method.settings)}
    options = {key: value for key, value in wanted.items() if key in known and key != name}
    many = kind(**options, **{name: most}).fit(rows)
    np.testing.assert_array_equal(many.labels_, kind(**options, **{name: 1_000}).fit(rows).labels_)
