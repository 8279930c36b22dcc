"""Saving and loading: the same predictions, and no code from a file."""

import json
import os
import pickle
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest
import safetensors.numpy
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from safetensors import safe_open
from scipy import sparse
from sklearn.preprocessing import StandardScaler

import coterie
from coterie.cluster import KMeans
from coterie.distance import get_distance, get_geometry, pairwise_distances
from coterie.errors import ExistingFile, FileProblem, MissingFile, ModelFileError
from coterie.persist import registry
from coterie.persist.state import Reader, Writer
from coterie.prepare import PolarCoordinates, Scaling, Whitening

X = np.random.default_rng(0).normal(size=(80, 3))


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.safetensors"


def rewrite(path, **changes):
    """Change the metadata of a saved file, keeping its arrays."""
    with safe_open(path, framework="numpy") as file:
        metadata = file.metadata() | changes
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118  # no dict
    safetensors.numpy.save_file(tensors, path, {k: v for k, v in metadata.items() if v is not None})


def rewrite_state(path, change):
    with safe_open(path, framework="numpy") as file:
        state = json.loads(file.metadata()["state"])
    change(state)
    rewrite(path, state=json.dumps(state))


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


plain = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63) | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner) | st.dictionaries(st.text() | st.integers(), inner) | st.tuples(inner, inner)
    ),
    max_leaves=10,
)
tensors = arrays.arrays(
    st.sampled_from([np.float32, np.float64, np.int8, np.uint64, np.bool_, np.int32]),
    arrays.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4),
)


@settings(max_examples=200, deadline=None)
@given(st.lists(plain | tensors))
def test_values_come_back_as_they_were(values):
    """Law: reading what was written gives equal values of equal types."""
    writer = Writer()
    text = json.dumps(writer.write(values, "x"), allow_nan=False)
    packed = safetensors.numpy.load(safetensors.numpy.save(writer.tensors))
    assert same(Reader(packed).read(json.loads(text)), values)


def same(a, b):
    if isinstance(b, np.ndarray):
        return (
            a.dtype == b.dtype and a.shape == b.shape and np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
        )
    if isinstance(b, list | tuple):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    if isinstance(b, dict):
        return list(a) == list(b) and all(same(a[key], b[key]) for key in b)
    return type(a) is type(b) and (a == b or (a != a and b != b))


@pytest.mark.parametrize(
    "value",
    [
        np.float32(0.1),
        np.int64(-3),
        np.bool_(True),
        np.float64("nan"),
        np.array(["a", "bc"]),
        np.array([["a"], ["b"]], dtype=object),
        np.dtype("float32"),
        np.asfortranarray(X),
        X[::2, ::-1],
    ],
)
def test_numpy_values_keep_their_type(value):
    """Law: scalars, text, types and oddly ordered arrays come back equal and of the same type."""
    writer = Writer()
    read = Reader(writer.tensors).read(json.loads(json.dumps(writer.write(value, "x"))))
    assert type(read) is type(value)
    np.testing.assert_array_equal(read, value)


@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csr_matrix])
def test_sparse_values(kind):
    """Law: a sparse matrix comes back sparse."""
    writer = Writer()
    read = Reader(writer.tensors).read(writer.write(kind(np.eye(3)), "x"))
    assert type(read) is kind
    np.testing.assert_array_equal(read.toarray(), np.eye(3))


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


class Bomb:
    def __reduce__(self):
        return os.system, ("touch /tmp/coterie-was-here",)


def test_foreign_and_broken_files_are_refused(path):
    """Law: each file that is no model of ours raises ModelFileError with its name."""
    model = KMeans(2, random_state=0).fit(X)
    coterie.save(model, path)
    whole = path.read_bytes()
    for content, message in (
        (b"", "is no model that Coterie wrote, or it is cut off or damaged"),
        (b"hello world, this is text", "is no model that Coterie wrote"),
        (whole[:100], "cut off or damaged"),
        (whole[:-10], "cut off or damaged"),
        (pickle.dumps(Bomb()), "is a Python pickle, which is never loaded because it could run code"),
        (safetensors.numpy.save({"x": X}), "is a safetensors file, but not a model that Coterie wrote"),
        (safetensors.numpy.save({"x": X}, {"format": "pt"}), "not a model that Coterie wrote"),
    ):
        path.write_bytes(content)
        with pytest.raises(ModelFileError, match=rf"model.safetensors: .*{message}"):
            coterie.load(path)
    assert not os.path.exists("/tmp/coterie-was-here")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"format_version": "99", "coterie_version": "7.0"},
            r"written by a later Coterie \(7.0, format 99\).*Upgrade",
        ),
        ({"format_version": "x"}, "format version 'x' is no number"),
        ({"state": None}, "not a model that Coterie wrote"),
        ({"state": "{"}, "its description is damaged"),
        ({"state": "[" * 100_000}, "its description is damaged"),
        (
            {"state": '{"$estimator": "os.system", "parameters": {}, "attributes": {}}'},
            "holds a 'os.system', which",
        ),
        (
            {"state": '{"$estimator": ["coterie.cluster.KMeans"], "parameters": {}, "attributes": {}}'},
            "does not know",
        ),
        (
            {"state": '{"$estimator": "coterie.prepare.Scaling", "parameters": {}, "attributes": {}}'},
            "takes Scaling for an estimator",
        ),
        (
            {"state": '{"$value": "coterie.prepare.Scaling", "state": {"how": "none"}}'},
            "its description is damaged",
        ),
        ({"state": '{"$pickle": "gASV"}'}, "holds a value of an unknown kind"),
        ({"state": '{"$array": "nowhere"}'}, "its description is damaged"),
        ({"state": '{"$scalar": "O", "value": 1}'}, "holds values of type O"),
    ],
)
def test_future_and_forged_descriptions_are_refused(path, changes, message):
    """Law: a file of a later version, or one that names what we do not know, is refused."""
    coterie.save(KMeans(2, random_state=0).fit(X), path)
    rewrite(path, **changes)
    with pytest.raises(ModelFileError, match=message):
        coterie.load(path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda state: state["parameters"].update(speed=9), "KMeans of this version has no parameter speed"),
        (lambda state: state["attributes"].update(__class__=1), "has no attribute '__class__' to restore"),
        (lambda state: state["attributes"].update(predict=1), "has no attribute 'predict' to restore"),
        (
            lambda state: state["attributes"].update(n_features_in_=99),
            "cluster_centers_ of KMeans has shape .* does not fit 99 columns",
        ),
    ],
)
def test_forged_attributes_are_refused(path, change, message):
    """Law: a file can set parameters and attributes that exist, with shapes that fit, and nothing else."""
    coterie.save(KMeans(2, random_state=0).fit(X), path)
    rewrite_state(path, change)
    with pytest.raises(ModelFileError, match=message):
        coterie.load(path)


def test_absent_files(tmp_path):
    """Law: a missing file and a directory are told apart."""
    with pytest.raises(MissingFile, match="no such model file"):
        coterie.load(tmp_path / "none")
    with pytest.raises(FileProblem, match="is a directory, not a model file"):
        coterie.load(tmp_path)


def test_values_and_hooks(path, monkeypatch):
    """Law: dataclasses are saved by their fields; a class with the two hook methods by its own state."""
    scaling = Scaling("minmax", np.zeros(2), np.ones(2))
    coterie.save(scaling, path)
    assert coterie.load(path).how == "minmax"

    class Hooked:
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
        get_distance("minkowski", p=3.5),
        get_distance("mahalanobis", VI=np.eye(3)),
        get_distance("cosine"),
        get_geometry("manhattan"),
        get_geometry("seuclidean", V=[1.0, 2.0, 3.0]),
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
        coterie.save(get_distance(chebyshev2), path)


def chebyshev2(x, y):
    return float(np.abs(x - y).max())
