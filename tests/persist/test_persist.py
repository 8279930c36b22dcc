"""Saving and loading: the same predictions, and no code from a file."""

import json
import os
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
from safetensors import safe_open
from sklearn.preprocessing import StandardScaler

import coterie
from coterie._support.validation.schema import Tensor
from coterie.cluster import KMeans
from coterie.data import PolarCoordinates, Scaling, Whitening
from coterie.distance import find_distance, find_geometry, pairwise_distances
from coterie.errors import ExistingFile, ModelFileError
from coterie.persist import registry

X = np.random.default_rng(0).normal(size=(80, 3))


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.safetensors"


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_loaded_model_predicts_the_same(path, dtype):
    """Law: save, load, predict gives the same labels and distances, bit for bit."""
    data = X.astype(dtype)
    model = KMeans(4, random_state=0).fit(data)
    coterie.save(model, path)
    loaded = coterie.load(path)
    np.testing.assert_array_equal(loaded.predict(data), model.predict(data))
    np.testing.assert_array_equal(loaded.transform(data), model.transform(data))
    assert loaded.get_params() == model.get_params()
    assert loaded.inertia_ == model.inertia_
    assert loaded.cluster_centers_.dtype == dtype


@pytest.mark.parametrize(
    "model", [Whitening(), PolarCoordinates(origin="mean"), PolarCoordinates(origin=np.ones(3))]
)
def test_transformers_too(path, model):
    """Law: what has parameters and attributes is saved without any code of its own."""
    coterie.save(model.fit(X), path)
    np.testing.assert_array_equal(coterie.load(path).transform(X), model.transform(X))


def test_names_of_columns_are_kept(path):
    """Law: a model fitted on a frame still knows its columns."""
    frame = pd.DataFrame(X, columns=["age", "income", "spend"])
    coterie.save(KMeans(2, random_state=0).fit(frame), path)
    loaded = coterie.load(path)
    assert list(loaded.feature_names_in_) == ["age", "income", "spend"]
    assert loaded.predict(frame).shape == (80,)


def test_generators_and_functions_that_only_steer_the_fit_are_noted(path):
    """Law: a generator becomes None and a start function the default, and the file says so."""
    model = KMeans(
        2, random_state=np.random.RandomState(0), init=lambda X, k, random_state: X[:k], n_init=1
    ).fit(X)
    coterie.save(model, path)
    loaded = coterie.load(path)
    assert loaded.random_state is None
    assert loaded.init == KMeans().init
    with safe_open(path, framework="numpy") as file:
        notes = json.loads(file.metadata()["notes"])
    assert notes == [
        "KMeans.init was a function and is stored as the default",
        "KMeans.random_state was a RandomState and is stored as None",
    ]


class Foreign(KMeans):
    pass


@dataclass(frozen=True)
class ForeignValue:
    x: int = 1


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (KMeans(), "this KMeans is not fitted yet, there is nothing to save. Call fit first"),
        (
            Foreign(2, random_state=0).fit(X),
            r"Foreign cannot be saved: only Coterie's own estimators and values",
        ),
        (ForeignValue(), "ForeignValue cannot be saved"),
        (StandardScaler().fit(X), "StandardScaler cannot be saved"),
        ({"a": 1}, "dict cannot be saved"),
    ],
)
def test_what_cannot_be_saved_is_refused(path, model, message):
    """Law: unfitted and foreign objects are refused and leave no file."""
    with pytest.raises(ModelFileError, match=message):
        coterie.save(model, path)
    assert not path.exists()


@pytest.mark.parametrize(
    ("attribute", "message"),
    [
        (lambda x: x, "KMeans.extra_ is a function, which cannot be saved"),
        (object(), "object cannot be saved"),
        (np.array([1j]), "KMeans.extra_ is an array of complex128"),
        (np.array([object()]), "KMeans.extra_ is an array of object"),
        (np.datetime64("2020-01-01"), r"KMeans.extra_ is a datetime64\[D\]"),
    ],
)
def test_unsavable_attributes_are_named(path, attribute, message):
    """Law: the attribute that stands in the way is named."""
    model = KMeans(2, random_state=0).fit(X)
    model.extra_ = attribute
    with pytest.raises(ModelFileError, match=message):
        coterie.save(model, path)


def test_existing_files_need_force(path):
    """Law: a model is not overwritten unless told so, and then as a whole."""
    model = KMeans(2, random_state=0).fit(X)
    coterie.save(model, path)
    before = path.read_bytes()
    with pytest.raises(ExistingFile, match=r"exists. Use force=True to replace it"):
        coterie.save(KMeans(3, random_state=0).fit(X), path)
    assert path.read_bytes() == before
    coterie.save(KMeans(3, random_state=0).fit(X), path, force=True)
    assert coterie.load(path).n_clusters == 3
    assert os.listdir(path.parent) == [path.name]


def test_values_and_hooks(path, monkeypatch):
    """Law: dataclasses are saved by their fields; a class with the two hook methods by its own state."""
    scaling = Scaling("minmax", np.zeros(2), np.ones(2))
    coterie.save(scaling, path)
    assert coterie.load(path).how == "minmax"

    class Hooked:
        _schema: ClassVar = {"x": Tensor("rows", "columns")}

        def __init__(self, x):
            self.x = x

        def __coterie_state__(self):
            return {"x": self.x}

        @classmethod
        def __coterie_restore__(cls, state):
            return cls(state["x"])

    monkeypatch.setattr(registry, "savable_classes", lambda: {"coterie.Hooked": Hooked})
    coterie.save(Hooked(X), path, force=True)
    np.testing.assert_array_equal(coterie.load(path).x, X)


@pytest.mark.parametrize(
    "value",
    [
        find_distance("minkowski", p=3.5),
        find_distance("mahalanobis", VI=np.eye(3)),
        find_distance("cosine"),
        find_geometry("manhattan"),
        find_geometry("seuclidean", V=[1.0, 2.0, 3.0]),
    ],
    ids=["minkowski", "mahalanobis", "cosine", "manhattan geometry", "seuclidean geometry"],
)
def test_distances_and_geometries(path, value):
    """Law: distances of the catalogue are saved by name and parameters, and measure the same afterwards."""
    coterie.save(value, path)
    loaded = coterie.load(path)
    assert type(loaded) is type(value)
    distance, again = (getattr(one, "distance", one) for one in (value, loaded))
    np.testing.assert_array_equal(pairwise_distances(X, metric=again), pairwise_distances(X, metric=distance))


def test_functions_as_distances_are_refused(path):
    """Law: a distance that is a user's function cannot be saved."""
    with pytest.raises(ModelFileError, match="the distance chebyshev2 is a function, which cannot be saved"):
        coterie.save(find_distance(chebyshev2), path)


def chebyshev2(x, y):
    return float(np.abs(x - y).max())
