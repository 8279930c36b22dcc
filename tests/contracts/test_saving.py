"""Laws over the catalogue of methods: whatever can be fitted can be saved, and the command line knows it."""

import inspect

import numpy as np
import pytest
from scipy import sparse

import coterie
from coterie.cli.app import run
from coterie.cluster import (
    DBSCAN,
    HDBSCAN,
    OPTICS,
    GaussianMixture,
    KernelKMeans,
    KMedoids,
    LaplacianEigenmap,
    SpectralClustering,
    methods,
)
from coterie.distance import pairwise_distances

# four columns: a number of groups that equals the number of columns would hide mistakes
X = np.random.default_rng(0).normal(size=(120, 4)) + np.repeat([[0.0], [6.0], [12.0]], 40, axis=0)


def estimator_of(method, **options):
    kind = method.load()
    known = inspect.signature(kind).parameters
    options |= dict(method.settings) | {
        "n_clusters": 3,
        "n_components": 3,
        "random_state": 0,
        "history": True,
    }
    return kind(**{name: value for name, value in options.items() if name in known})


@pytest.mark.parametrize("method", methods(), ids=lambda method: method.name)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_saved_methods_predict_the_same(method, dtype, tmp_path):
    """Law: save, load, predict gives the same labels to the bit, history included, for every method."""
    data = X.astype(dtype)
    model = estimator_of(method).fit(data)
    coterie.save(model, tmp_path / "m")
    loaded = coterie.load(tmp_path / "m")
    assert type(loaded) is type(model)
    np.testing.assert_array_equal(loaded.predict(data), model.predict(data))
    np.testing.assert_array_equal(loaded.labels_, model.labels_)
    assert repr(loaded.get_params()) == repr(model.get_params())
    assert vars(loaded).keys() == vars(model).keys()
    assert repr(getattr(loaded, "history_", None)) == repr(getattr(model, "history_", None))


@pytest.mark.filterwarnings("ignore:.*not fully connected")
@pytest.mark.parametrize(
    ("model", "kind"),
    [
        (SpectralClustering(2, random_state=0), "rows"),
        (SpectralClustering(4, n_components=5, affinity="precomputed", random_state=0), "similarities"),
        (SpectralClustering(2, affinity="precomputed", random_state=0), "graph"),
        (SpectralClustering(2, landmarks=20, random_state=0), "rows"),
        (KMedoids(2, metric="precomputed"), "distances"),
        (KMedoids(4, metric="mahalanobis"), "rows"),
        (KMedoids(2, metric="similarity"), "similarities"),
        (KernelKMeans(2, kernel="precomputed", random_state=0), "similarities"),
        (KernelKMeans(4, method="nystroem", n_components=10, random_state=0), "rows"),
        (GaussianMixture(4, covariance_type="VEV", random_state=0), "rows"),
        (GaussianMixture(2, covariance_type="EII", random_state=0), "rows"),
        (DBSCAN(eps=1.5, metric="precomputed"), "distances"),
        (DBSCAN(eps=0.3, metric="canberra"), "rows"),
        (HDBSCAN(metric="precomputed"), "distances"),
        (HDBSCAN(store_centers="both"), "rows"),
        (OPTICS(metric="precomputed"), "distances"),
        (OPTICS(cluster_method="dbscan", eps=1.5), "rows"),
    ],
    ids=repr,
)
def test_options_are_saved_too(model, kind, tmp_path):
    """Law: save, load, predict gives the same labels whatever the model was told and fitted on."""
    D = pairwise_distances(X)
    given = {"rows": X, "distances": D, "similarities": np.exp(-D), "graph": sparse.csr_array(np.exp(-D))}
    coterie.save(model.fit(given[kind]), tmp_path / "m")
    loaded = coterie.load(tmp_path / "m")
    np.testing.assert_array_equal(loaded.predict(given[kind]), model.predict(given[kind]))
    assert vars(loaded).keys() == vars(model).keys()


@pytest.mark.parametrize("affinity", ["nearest_neighbors", "rbf"])
def test_eigenmaps_are_saved(affinity, tmp_path):
    """Law: a saved transformer gives the same coordinates."""
    model = LaplacianEigenmap(2, affinity=affinity, n_neighbors=50, random_state=0).fit(X)
    coterie.save(model, tmp_path / "m")
    np.testing.assert_array_equal(coterie.load(tmp_path / "m").transform(X + 0.1), model.transform(X + 0.1))


@pytest.mark.parametrize("method", methods(), ids=lambda method: method.name)
def test_methods_fitted_on_sparse_data_too(method, tmp_path):
    """Law: a model of sparse data is saved and loaded like any other."""
    is_kept = (X > 5) | (np.arange(X.shape[1]) == 0)  # no row of zeros, which some methods refuse
    data = sparse.csr_array(np.where(is_kept, X, 0.0))
    model = estimator_of(method)
    if not model.__sklearn_tags__().input_tags.sparse:
        return
    coterie.save(model.fit(data), tmp_path / "m")
    np.testing.assert_array_equal(coterie.load(tmp_path / "m").predict(data), model.predict(data))


@pytest.mark.parametrize("method", methods(), ids=lambda method: method.name)
def test_command_line_knows_every_method(method, tmp_path, capsys):
    """Law: fit, save and predict work on the command line for every method, and agree."""
    np.save(tmp_path / "x.npy", X)
    k = ["-k", "3"] if method.needs_k else []
    files = [str(tmp_path / name) for name in ("x.npy", "a.csv", "m", "b.csv")]
    assert run(["fit", files[0], "--method", method.name, *k, "-o", files[1], "--save", files[2]]) == 0
    assert method.title in capsys.readouterr().out
    assert run(["predict", files[2], files[0], "-o", files[3]]) == 0
    assert (tmp_path / "a.csv").read_text() == (tmp_path / "b.csv").read_text()
