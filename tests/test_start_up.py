"""How much is loaded before anything is done. Modules are counted, since time depends on the machine."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

OPTIONAL = {"pandas", "polars", "pyarrow", "dask", "distributed", "matplotlib", "plotly", "jinja2", "fastapi"}
NUMERIC = {"numpy", "scipy", "sklearn", "safetensors", "joblib", "threadpoolctl", *OPTIONAL}
SHELL = {"typer", "rich", "pydantic"}
# With this variable, the native module is loaded at once, to refuse what cannot run.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "COTERIE_INSTRUCTION_SET"}
LIST = "import sys; sys.stderr.write('\\n'.join(sys.modules))"


def loaded_by(code: str) -> set[str]:
    """Return the modules that are loaded after a fresh interpreter has run some code."""
    ran = subprocess.run(
        [sys.executable, "-c", f"{code}\n{LIST}"], capture_output=True, text=True, check=True, env=ENVIRONMENT
    )
    return set(ran.stderr.split())


def loaded_by_command(*arguments: str) -> set[str]:
    """Return the modules that ``python -m coterie`` has loaded when it ends."""
    return loaded_by(
        f"""
import runpy, sys
sys.argv = ["coterie", *{list(arguments)!r}]
try:
    runpy.run_module("coterie", run_name="__main__")
except SystemExit as end:
    assert not end.code, end.code
"""
    )


def packages(modules: set[str]) -> set[str]:
    return {name.partition(".")[0] for name in modules}


@pytest.mark.parametrize("arguments", [(), ("--help",)], ids=["nothing", "--help"])
def test_the_first_screen_needs_no_numbers(arguments):
    """Law: the help loads no numeric package and not what typer checks values with."""
    assert not packages(loaded_by_command(*arguments)) & {*NUMERIC, "pydantic"}


@pytest.mark.parametrize("arguments", [("--version",), ("fit", "--help"), ("plot", "--help")], ids=" ".join)
def test_help_of_a_command_needs_no_numbers(arguments):
    """Law: the help of a command is written without loading what the command works with."""
    assert not packages(loaded_by_command(*arguments)) & NUMERIC


def test_no_command_is_help(capfd):
    """Law: ``coterie`` alone prints what ``coterie --help`` prints."""
    from coterie.cli.app import run

    assert run([]) == 0
    alone = capfd.readouterr().out
    assert run(["--help"]) == 0
    assert alone == capfd.readouterr().out
    assert "Usage: coterie" in alone


@pytest.mark.parametrize("room", ["cluster", "data", "distance", "evaluate", "tree", "persist", "errors"])
def test_these_rooms_start_without_scikit_learn(room):
    """Law: catalogues, distances, trees and files load NumPy and sparse matrices, not scikit-learn."""
    modules = loaded_by(f"import coterie.{room}")
    assert not packages(modules) & {"sklearn", "joblib", *OPTIONAL, *SHELL}
    assert "scipy.stats" not in modules


def test_kmeans_costs_numpy_and_sparse_matrices():
    """Law: the class KMeans loads of others NumPy and SciPy's sparse matrices only, and little of ours."""
    needed = loaded_by("import numpy, scipy.sparse")
    method = loaded_by("from coterie.cluster import KMeans")
    assert not {name for name in method - needed if not name.startswith("coterie")}
    ours = {name for name in method if name.startswith("coterie")}
    rooms = {name.split(".")[1] for name in ours if "." in name}
    assert rooms <= {"_core", "_printing", "_support", "cluster", "errors"}, sorted(rooms)


def test_a_fit_of_numbers_loads_little_of_others():
    """Law: finding groups of an array loads neither pandas nor SciPy's statistics nor distances of series."""
    code = """
import numpy as np, coterie
rng = np.random.default_rng(0)
assert coterie.fit(np.r_[rng.normal(0, 1, (60, 2)), rng.normal(9, 1, (60, 2))], budget="fast").k == 2
"""
    modules = loaded_by(code)
    assert not packages(modules) & OPTIONAL
    assert not modules & {"scipy.stats", "scipy.optimize", "scipy.fft", "scipy.spatial", "urllib.request"}
    assert not modules & {"sklearn.tree", "sklearn.metrics"}
    assert "coterie.series.distances" not in modules


def test_no_method_loads_scikit_learn():
    """Law: every class of the catalogue is there before scikit-learn is; the first estimator loads it."""
    code = "from coterie.cluster import methods\nfor method in methods(): method.load()"
    modules = loaded_by(code)
    assert not packages(modules) & {"sklearn", "joblib", *OPTIONAL, *SHELL}
    assert not {"scipy.optimize", "scipy.stats"} & modules


def test_a_tree_is_cut_without_scikit_learn():
    """Law: what needs no estimator imports none."""
    code = "from coterie.tree import Dendrogram; Dendrogram.from_newick('((a:1,b:1):1,c:2);').cut(2)"
    assert "sklearn" not in packages(loaded_by(code))
