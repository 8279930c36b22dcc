"""Every estimator of blocks can be saved and loaded, and files of them are not trusted."""

import json
import sys

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import save_file

import coterie
from coterie import scale
from coterie.cluster import AgglomerativeClustering
from coterie.errors import InvalidParameter, ModelFileError

X = np.random.default_rng(0).normal(size=(300, 3)) + np.repeat([[0.0], [9.0], [18.0]], 100, axis=0)
MODELS = {
    "KMeans": scale.KMeans(3, random_state=0),
    "MiniBatchKMeans": scale.MiniBatchKMeans(3, random_state=0),
    "GaussianMixture": scale.GaussianMixture(3, random_state=0, covariance_type="diag"),
    "LatentClasses": scale.LatentClasses(3, random_state=0),
    "KMedoids": scale.KMedoids(3, random_state=0),
    "Summaries": scale.Summaries(20, random_state=0),
    "DBSCAN": scale.DBSCAN(eps=2.0),
    "SingleLinkage": scale.SingleLinkage(3),
}


def test_every_estimator_is_here():
    """Law: a new estimator of coterie.scale is saved by these tests too."""
    estimators = {name for name in scale.__all__ if hasattr(getattr(scale, name), "get_params")}
    assert estimators == set(MODELS)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_loaded_is_as_saved(name, dtype, tmp_path):
    """Law: attributes and parameters are the same to the bit; predict too, labels where they are known."""
    import pandas as pd

    rows = pd.DataFrame(X.astype(dtype), columns=list("abc"))
    model = MODELS[name].fit(rows)
    model.save(tmp_path / "m")
    loaded = coterie.load(tmp_path / "m")
    assert type(loaded) is type(model)
    assert repr(loaded.get_params()) == repr(model.get_params())
    for attribute, value in vars(loaded).items():
        if isinstance(value, np.ndarray):
            np.testing.assert_array_equal(value, getattr(model, attribute))
    if hasattr(model, "predict"):
        np.testing.assert_array_equal(loaded.predict(rows).compute(), model.predict(rows).compute())
    else:
        np.testing.assert_array_equal(loaded.labels_.compute(), model.labels_.compute())


@pytest.mark.parametrize("name", ["KMeans", "MiniBatchKMeans", "GaussianMixture", "Summaries"])
def test_loaded_models_are_updated_alike(name, tmp_path):
    """Law: what was saved takes in new rows as what was not."""
    model = MODELS[name].fit(X)
    model.save(tmp_path / "m")
    loaded = coterie.load(tmp_path / "m").update(X + 0.5)
    model.update(X + 0.5)
    for attribute in ("cluster_centers_", "means_", "weights_"):
        if hasattr(model, attribute):
            np.testing.assert_array_equal(getattr(loaded, attribute), getattr(model, attribute))


def test_paths_of_checkpoints_are_text(tmp_path):
    """Law: a parameter that is a path is saved as its text."""
    scale.KMeans(3, random_state=0, checkpoint=tmp_path / "state").fit(X).save(tmp_path / "m")
    assert coterie.load(tmp_path / "m").checkpoint == str(tmp_path / "state")


def test_summaries_without_rows_say_so(tmp_path):
    """Law: what needs the rows is refused after loading, with another way."""
    MODELS["Summaries"].fit(X).save(tmp_path / "m")
    with pytest.raises(InvalidParameter, match=r"rows were not saved.*place rows by predict"):
        coterie.load(tmp_path / "m").cluster(AgglomerativeClustering(3))


def changed(path, change):
    with safe_open(path, "numpy") as file:
        facts = file.metadata()
        arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118  # no dict
    state = json.loads(facts["state"])
    change(state, arrays)
    save_file(arrays, path, metadata={**facts, "state": json.dumps(state)})


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda state, arrays: arrays.update({"KMeans.cluster_centers_": np.zeros((3, 3))}), "local_"),
        (lambda state, arrays: arrays.update({"KMeans._origin": np.full(3, np.nan)}), "finite"),
        (lambda state, arrays: state["attributes"].pop("exact_"), "exact_"),
        (lambda state, arrays: state["attributes"].update(n_iter_=-1), "n_iter_"),
        (lambda state, arrays: state["parameters"].update(n_clusters=0), "n_clusters"),
        (lambda state, arrays: state.update({"$estimator": "coterie.scale.Nonesuch"}), "does not know"),
        (lambda state, arrays: state.update({"$estimator": "coterie.scale.evaluate"}), "does not know"),
    ],
)
def test_damaged_files_are_refused(change, words, tmp_path):
    """Law: a file whose values are not what the class says is refused in our own words."""
    scale.KMeans(3, random_state=0).fit(X).save(tmp_path / "m")
    changed(tmp_path / "m", change)
    with pytest.raises(ModelFileError, match=words):
        coterie.load(tmp_path / "m")


def test_files_need_the_extra(tmp_path, monkeypatch):
    """Law: without Dask a file of coterie.scale says what is missing; other files do not ask for it."""
    from coterie.errors import MissingDependency
    from coterie.persist import registry

    scale.KMeans(3, random_state=0).fit(X).save(tmp_path / "m")
    real = registry._classes_of

    def without_dask(room):
        if room == "coterie.scale":
            raise MissingDependency("coterie.scale needs the package dask.")
        return real(room)

    monkeypatch.setattr(registry, "_classes_of", without_dask)
    with pytest.raises(ModelFileError, match="needs the package dask"):
        coterie.load(tmp_path / "m")
    assert "coterie.cluster.KMeans" in registry.savable_classes()
    assert sys.modules["coterie.scale"] is scale
