"""Files whose every number is a number, but not one that such a model can have: refused when loaded."""

import warnings

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import save_file

import coterie
from coterie import cluster
from coterie.errors import ModelFileError
from coterie.evaluate import stability

ROWS = np.random.default_rng(0).normal(size=(36, 3)) + np.repeat([[0.0], [6.0], [12.0]], 12, axis=0)


def with_value(model, path, name, change):
    """Save the model with one of its arrays changed in place."""
    coterie.save(model, path)
    with safe_open(path, framework="numpy") as file:
        metadata = file.metadata()
        tensors = {key: np.array(file.get_tensor(key)) for key in file.keys()}  # noqa: SIM118  # no dict
    assert name in tensors, sorted(tensors)
    change(tensors[name])
    save_file(tensors, path, metadata=metadata)


def first_is(value):
    """Return a change of the first number."""

    def change(array):
        array.flat[0] = value

    return change


def turn(array):
    """Put the last row first."""
    array[:] = np.roll(array, 1, axis=0)


@pytest.mark.parametrize(
    ("make", "name", "change", "words"),
    [
        (
            lambda: cluster.BayesianGaussianMixture(2, random_state=0).fit(ROWS),
            "BayesianGaussianMixture.weight_concentration_.0",
            first_is(1e-310),
            "weight_concentration_.* of BayesianGaussianMixture must hold numbers of at least 1e-300",
        ),
        (
            lambda: cluster.BayesianGaussianMixture(2, random_state=0).fit(ROWS),
            "BayesianGaussianMixture.mean_precision_",
            first_is(1e-310),
            "mean_precision_ of BayesianGaussianMixture must hold numbers of at least 1e-300",
        ),
        *(
            (
                lambda kind=kind: kind(2, random_state=0).fit(ROWS),
                f"{kind.__name__}.{name}",
                first_is(1e308),
                f"{name} of {kind.__name__} must hold numbers of at most .*, whose squares fit",
            )
            for kind in (cluster.GaussianMixture, cluster.BayesianGaussianMixture)
            for name in ("means_", "_shift")
        ),
        *(
            (
                lambda kind=kind, shape=shape: kind(2, covariance_type=shape, random_state=0).fit(ROWS),
                f"{kind.__name__}.precisions_cholesky_",
                first_is(1e308),  # finite, but no density that is made with it
                f"precisions_cholesky_ of {kind.__name__} must be the factors of precisions_",
            )
            for kind in (cluster.GaussianMixture, cluster.BayesianGaussianMixture)
            for shape in ("full", "tied", "diag", "spherical")
        ),
        (
            lambda: cluster.KMeans(3, history=True, random_state=0).fit(ROWS),
            "KMeans.history_.steps.1.centers",
            first_is(np.nan),
            r"history_.steps\[1\].centers of KMeans must hold finite numbers",
        ),
        (
            lambda: cluster.KMedoids(3).fit(ROWS),
            "KMedoids.cluster_centers_",
            first_is(1e308),
            r"cluster_centers_ of KMedoids must hold numbers of at most .*, whose squares fit",
        ),
        (
            lambda: cluster.KMedoids(3, metric="manhattan").fit(ROWS),
            "KMedoids.cluster_centers_",
            first_is(1e308),
            r"cluster_centers_ of KMedoids does not suit its distance: .* manhattan distances overflow",
        ),
        (
            lambda: cluster.ConsensusClustering(3, n_resamples=5, random_state=0).fit(ROWS),
            "ConsensusClustering._counts.0",
            turn,
            r"_counts\[0\] of ConsensusClustering must count in no group of a run more rows than",
        ),
        (
            lambda: cluster.AgglomerativeClustering(3, linkage="minimax").fit(ROWS),
            "AgglomerativeClustering._known.radii",
            first_is(-np.inf),
            r"_known.radii of AgglomerativeClustering must hold finite numbers",
        ),
        (
            lambda: stability(cluster.KMeans(3, random_state=0), ROWS, n_resamples=3, random_state=0),
            "Stability.rand",
            first_is(1e308),
            r"rand of Stability must hold numbers of at most 1",
        ),
        (
            lambda: cluster.Birch(n_clusters=3).fit(ROWS),
            "Birch.subcluster_labels_",
            first_is(7),
            r"subcluster_labels_ of Birch must hold numbers below 4, its clusters, got 7",
        ),
        (
            lambda: cluster.Birch(n_clusters=3).fit(ROWS),
            "Birch.labels_",
            turn,
            r"labels_ of Birch must be those of the nearest subclusters",
        ),
        (
            lambda: cluster.KernelKMeans(3, random_state=0).fit(ROWS),
            "KernelKMeans._fitted.group_weights",
            first_is(1e-310),
            r"group_weights of KernelKMeans must hold numbers above 1e-290",
        ),
        (
            lambda: cluster.HDBSCAN(min_cluster_size=3).fit(np.r_[ROWS, ROWS + 90.0]),
            "HDBSCAN._chosen",
            first_is(0),
            r"_chosen of HDBSCAN must name clusters that have rows of their own",
        ),
        (
            lambda: cluster.HDBSCAN(min_cluster_size=3).fit(np.r_[ROWS, ROWS + 90.0]),
            "HDBSCAN.condensed_tree_.parent",
            lambda parent: parent.fill(2 * len(ROWS)),
            r"child of CondensedTree must be a tree in which every row leaves one cluster",
        ),
        (
            lambda: cluster.LatentClasses(2, random_state=0).fit(ROWS),
            "LatentClasses.means_",
            first_is(1e308),
            r"means_ of LatentClasses must hold numbers of at most .*, whose squares fit",
        ),
        (
            lambda: coterie.fit(ROWS, "kmeans", 3, budget="fast"),
            "Clustering.groups.centers",
            first_is(np.inf),
            r"centers of Groups must hold finite numbers, got infinity",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) and "." in value and " " not in value else "",
)
def test_values_that_no_model_has(tmp_path, make, name, change, words):
    """Law: a number that would make predictions NaN or infinite is named when the file is loaded."""
    path = tmp_path / "model"
    with_value(make(), path, name, change)
    with pytest.raises(ModelFileError, match=words):
        coterie.load(path)


@pytest.mark.parametrize("other", ['{"$float": "nan"}', '"a"'])
def test_categories_that_no_table_has(tmp_path, other):
    """Law: a category is equal to itself, and there once."""
    path = tmp_path / "model"
    coterie.save(cluster.KModes(2, random_state=0).fit(np.array([["a", "x"], ["b", "y"], ["b", "y"]])), path)
    with safe_open(path, framework="numpy") as file:
        metadata = {key: text.replace('"b"', other) for key, text in file.metadata().items()}
        tensors = {key: file.get_tensor(key) for key in file.keys()}  # noqa: SIM118  # no dict
    save_file(tensors, path, metadata=metadata)
    with pytest.raises(
        ModelFileError, match=r"levels\[0\] of TableEncoding must hold different texts or num"
    ):
        coterie.load(path)


@pytest.mark.filterwarnings("ignore:The minimum spanning tree contains edge weights with value infinity")
def test_infinite_merges_are_loaded_without_a_warning(tmp_path):
    """Law: a tree of distances of which some are infinite is loaded as it was saved."""
    D = np.ones((8, 8)) - np.eye(8)
    D[0, 1:] = D[1:, 0] = np.inf
    model = cluster.HDBSCAN(min_cluster_size=8, min_samples=8, metric="precomputed").fit(D)
    coterie.save(model, tmp_path / "m.model")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        loaded = coterie.load(tmp_path / "m.model")
    np.testing.assert_array_equal(loaded.labels_, model.labels_)
