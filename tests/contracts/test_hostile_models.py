"""Laws over all that can be saved: a file may hold anything, and neither harms nor misleads.

Every case is one value of a saved model changed: tests/hostile_models.py lists them and repeats one. A sample
runs by default; ``COTERIE_FUZZ=all`` runs all of them.
"""

import dataclasses
import inspect
import json
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import save_file

import coterie
import hostile_models
from coterie._support import hooks
from coterie.cli.app import run
from coterie.errors import ModelFileError
from coterie.persist import registry

PROGRAM = Path(hostile_models.__file__)
SHARE = "1.0" if os.environ.get("COTERIE_FUZZ") == "all" else "0.012"
PARTS = 3  # processes, one after the other: each has to import what it tries

# Public classes that hold functions, tables or constraints: parts of catalogues and requests, no results.
NOT_SAVABLE = {
    "coterie.cluster.Method",
    "coterie.distance.Barycentre",
    "coterie.distance.Parameter",
    "coterie.evaluate.Anomalies",
    "coterie.evaluate.Measure",
    "coterie.pipeline.Arrival",
    "coterie.pipeline.FitRequest",
    "coterie.pipeline.FitVerdict",
    "coterie.pipeline.Update",
    "coterie.data.ColumnFacts",
    "coterie.data.Inspection",
    "coterie.data.PreparedRows",
    "coterie.data.Table",
    "coterie.select.Criterion",
    "coterie.series.Barycentre",
    "coterie.series.NearestSeries",
    "coterie.series.SeriesCollection",
    "coterie.series.SeriesDistance",
    "coterie.series.WarpingPath",
    "coterie.tree.LinkageMethod",
}


@pytest.mark.parametrize("part", range(PARTS))
def test_tampered_files_are_refused_or_sound(part):
    """Law: whatever is changed in a model file, loading and asking ends soon, in little memory, in words."""
    chosen = hostile_models.names()[part::PARTS]
    done = subprocess.run(
        [sys.executable, str(PROGRAM), *chosen, SHARE],
        capture_output=True,
        text=True,
        env=os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
    )
    last = done.stderr.splitlines()[-1:] if done.returncode < 0 else []
    assert done.returncode == 0, f"{done.stdout}\n{last or done.stderr[-2000:]}"


def test_every_public_value_declares_its_state():
    """Law: every public estimator and value has a schema, unless it is known not to be saved."""
    undeclared = set()
    for room in hooks.ask("savable_rooms"):
        module = import_module(room)
        for name in module.__all__:
            kind = getattr(module, name)
            is_value = isinstance(kind, type) and (
                dataclasses.is_dataclass(kind) or registry.is_estimator(kind)
            )
            if is_value and not hasattr(kind, "_schema"):
                undeclared.add(f"{room}.{name}")
    assert undeclared == NOT_SAVABLE


@pytest.mark.parametrize("name", sorted(registry.savable_classes()))
def test_schemas_name_what_there_is(name):
    """Law: a schema names the fields of its dataclass, the parameters of an estimator have constraints."""
    kind = registry.savable_classes()[name]
    assert all(isinstance(key, str) for key in kind._schema)
    if registry.is_estimator(kind):
        parameters = set(inspect.signature(kind).parameters)
        assert set(kind._constraints) <= parameters
        assert not parameters & set(kind._schema)
    elif not registry.has_hook(kind) and name not in (
        "coterie.distance.Distance",
        "coterie.distance.Geometry",
    ):
        assert set(kind._schema) == {field.name for field in dataclasses.fields(kind)}


def change(path, name, make):
    """Rewrite one tensor of a file."""
    with safe_open(path, framework="numpy") as file:
        metadata = file.metadata()
        tensors = {key: file.get_tensor(key) for key in file.keys()}  # noqa: SIM118  # no dict
    tensors[name] = make(tensors[name])
    save_file(tensors, path, metadata)


def filled(value):
    return lambda array: np.full_like(array, value)


@pytest.mark.parametrize(
    ("model", "tensor", "make", "message"),
    [
        ("kmeans", "cluster_centers_", lambda a: a[:0], "cluster_centers_ of KMeans must have at least one"),
        (
            "kmeans",
            "cluster_centers_",
            lambda a: a[:, :0],
            "cluster_centers_ of KMeans must have 4 columns, as n_features_in_ says, got 0",
        ),
        ("bisecting-kmeans", "cluster_centers_", lambda a: a[:0], "must have at least one of its clusters"),
        ("kmeans", "cluster_centers_", filled(np.nan), "cluster_centers_ of KMeans must hold finite numbers"),
        ("mixture", "means_", filled(np.nan), "means_ of GaussianMixture must hold finite numbers, got NaN"),
        ("kernel-kmeans", "_fitted.members", filled(10**9), "must hold numbers below 3, its clusters"),
        ("hdbscan", "_merges.0", filled(10**9), "_merges of HDBSCAN must be merges of 60 rows"),
        ("hierarchical-kmeans", "_descent.children", filled(0), "_descent.children .* must be a tree"),
        ("diana", "labels_", filled(2**31 - 1), "must hold numbers below 60, its rows, got 2147483647"),
        ("agglomerative", "labels_", filled(2**31 - 1), "must hold numbers below 3, its clusters"),
        ("optics", "labels_", filled(2**31 - 1), "must hold numbers below 60, its rows"),
        ("consensus", "dendrogram_.children", filled(0), "node 0 is joined a second time"),
    ],
)
def test_what_crashed_or_lied_is_refused(model, tensor, make, message, tmp_path):
    """Law: each of these once crashed, never ended, took all memory, or gave label 0 to everything."""
    fitted, _ = hostile_models.fitted(model)
    coterie.save(fitted, tmp_path / "m")
    change(tmp_path / "m", f"{type(fitted).__name__}.{tensor}", make)
    with pytest.raises(ModelFileError, match=message):
        coterie.load(tmp_path / "m")


def test_small_files_take_little_memory(tmp_path):
    """Law: neither text, shapes nor numbers of a small file make large arrays."""
    fitted, _ = hostile_models.fitted("kmeans")
    for value, message in (
        (
            {"$strings": ["a" * 9999, *["b"] * 99999], "shape": [100000], "kind": "text"},
            "would take 3,999,600,000",
        ),
        ({"$csr": [], "shape": [10**12, 10**12], "is_array": True}, "description is damaged|do not fit"),
        ({"$scalar": "V1000000000", "value": 1}, "holds values of type 'V1000000000'"),
        ({"$array": "KMeans.labels_"}, "two of its values share the tensor 'KMeans.labels_'"),
    ):
        coterie.save(fitted, tmp_path / "m", force=True)
        with safe_open(tmp_path / "m", framework="numpy") as file:
            metadata = file.metadata()
            tensors = {key: file.get_tensor(key) for key in file.keys()}  # noqa: SIM118  # no dict
        state = json.loads(metadata["state"])
        state["attributes"]["_geometry_offset"] = value
        save_file(tensors, tmp_path / "m", metadata | {"state": json.dumps(state)})
        with pytest.raises(ModelFileError, match=message):
            coterie.load(tmp_path / "m")


@pytest.mark.parametrize("command", [["predict"], ["plot", "scatter"], ["plot", "kmeans_steps"]])
def test_the_command_line_says_it_in_one_line(command, tmp_path, capsys):
    """Law: a tampered model file is one line on the command line, and the exit code 2."""
    np.save(tmp_path / "x.npy", hostile_models.X)
    coterie.save(hostile_models.fitted("kmeans")[0], tmp_path / "m.safetensors")
    change(tmp_path / "m.safetensors", "KMeans.cluster_centers_", filled(np.nan))
    files = [str(tmp_path / "m.safetensors"), str(tmp_path / "x.npy")]
    told = files if command == ["predict"] else [files[0], "--data", files[1]]
    assert run([*command, *told]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    [line] = said.err.strip().splitlines()
    assert "m.safetensors: cannot be loaded: cluster_centers_ of KMeans must hold finite numbers" in line
