"""Files that are not models of ours: refused by name, and never run."""

import json
import os
import pickle

import numpy as np
import pytest
import safetensors.numpy
from safetensors import safe_open

import coterie
from coterie.cluster import KMeans
from coterie.errors import FileProblem, MissingFile, ModelFileError

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


class Bomb:
    def __reduce__(self):
        return os.system, ("touch /tmp/coterie-was-here",)


def test_foreign_and_broken_files_are_refused(path):
    """Law: each file that is not a model of ours raises ModelFileError with its name."""
    model = KMeans(2, random_state=0).fit(X)
    coterie.save(model, path)
    whole = path.read_bytes()
    for content, message in (
        (b"", "is not a model that Coterie wrote, or it is cut off or damaged"),
        (b"hello world, this is text", "is not a model that Coterie wrote"),
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
        ({"format_version": "x"}, "format version 'x' is not a number"),
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
            {"state": '{"$estimator": "coterie.data.Scaling", "parameters": {}, "attributes": {}}'},
            "takes Scaling for an estimator",
        ),
        (
            {"state": '{"$value": "coterie.data.Scaling", "state": {"how": "none"}}'},
            "Scaling lacks shift",
        ),
        ({"state": '{"$pickle": "gASV"}'}, "holds a value of an unknown kind"),
        ({"state": '{"$array": "nowhere"}'}, "lacks the tensor 'nowhere'"),
        ({"state": '{"$scalar": "O", "value": 1}'}, "holds values of type 'O'"),
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
            "cluster_centers_ of KMeans must have 99 columns, as n_features_in_ says, got 3",
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
