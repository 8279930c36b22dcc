"""The same answers on every processor: whatever the instruction set, whatever kernels the BLAS has.

Each level runs in a process of its own, over the whole catalogue of methods, measures and distances, those of
time series too. v3 and v4 add and multiply in the same order, so that their answers are equal to the bit. v2
has no fused multiplication and rounds twice where v3 rounds once: its numbers differ in the last digits, not
its labels.
"""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__

from coterie import _core, cluster, distance, evaluate, series
from coterie.tree import METHODS as LINKAGES

LEVELS = _core.instruction_sets().split()
PROGRAM = Path(__file__).parents[1] / "processor_answers.py"
FUSED = {"v3", "v4"}
ROUNDING = {"float32": 2e-3, "float64": 1e-6}  # shares of the largest number; roots halve the digits
# Kernels of OpenBLAS, and the instruction set of ours that runs where they do.
CORES = {"Prescott": "v2", "Nehalem": "v2", "Haswell": "v3", "Zen": "v3", "SkylakeX": "v4"}
# What methods count of their own work.
UNCOMPARED = {"n_iter_", "n_distances_", "n_products_"}
# A layout makes the smallest difference of its weights large: those of float32 distances are not the same
# everywhere. Weights are rounded to 1/4096, which hides the last bits of float64 distances.
CHAOTIC = ("weighted layout|", "float32")


def answers(folder, kind, **variables):
    """Run the program under these variables of the environment and return what it found."""
    out = folder / f"{'-'.join([kind, *variables.values()])}.npz"
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_WAIT_POLICY": "passive"} | variables
    command = [sys.executable, str(PROGRAM), str(out), kind]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    with np.load(out) as found:
        return dict(found)


def unequal(one, other, is_equal):
    """Return the names of the answers that differ."""
    assert one.keys() == other.keys()
    return [name for name in one if not is_equal(name, one[name], other[name])]


def is_same(name, one, other):
    """Return whether all bits are equal."""
    return one.dtype == other.dtype and np.array_equal(one, other, equal_nan=one.dtype.kind == "f")


def is_close(name, one, other):
    """Return whether labels are equal, and numbers within rounding."""
    if name.startswith(CHAOTIC[0]) and CHAOTIC[1] in name:
        return one.shape == other.shape and bool(np.isfinite(one).all() and np.isfinite(other).all())
    if one.dtype.kind != "f":
        return name.rpartition("|")[2] in UNCOMPARED or is_same(name, one, other)
    tolerance = ROUNDING["float32" if "float32" in name else "float64"]
    finite = np.isfinite(one)
    if one.shape != other.shape or not np.array_equal(finite, np.isfinite(other)):
        return False
    size = np.abs(one[finite]).max(initial=0.0)
    return bool((np.abs(one[finite] - other[finite]) <= tolerance * size).all())


def wanted():
    """Return how the answers about each entry of the catalogues begin."""
    kinds = [getattr(cluster, name) for name in cluster.__all__]
    estimators = [kind.__name__ for kind in kinds if isinstance(kind, type) and hasattr(kind, "fit")]
    return {
        **{f"method {method.name}": f"{method.class_name}(" for method in cluster.methods()},
        **{f"class {name}": f"{name}(" for name in estimators},
        **{f"distance {one.name}": f"{one.name}|" for one in distance.distances()},
        **{f"measure {one.name}": f"{one.name}|" for one in evaluate.measures()},
        **{f"series distance {one.name}": f"series {one.name}|" for one in series.series_distances()},
        **{f"linkage {name}": f"linkage {name}|" for name in LINKAGES},
        **{f"geometry {name}": f"KMeans(geometry={name})" for name in distance.geometries()},
    }


def uncovered(found):
    """Return the entries of the catalogues about which there is no answer, in float32 or in float64."""
    return [
        entry
        for entry, start in wanted().items()
        if entry != "geometry euclidean"  # KMeans as it is
        and not all(
            any(name.startswith(start) and dtype in name and found[name].size for name in found)
            for dtype in ("float32", "float64")
        )
    ]


def test_an_entry_that_nobody_compares_is_noticed():
    """Law: without the answers about one entry of a catalogue, that entry is named."""
    names = [f"{start}/{dtype}" for start in wanted().values() for dtype in ("float32", "float64")]
    whole = dict.fromkeys(names, np.ones(1))
    assert uncovered(whole) == []
    for entry in (
        "distance gower",
        "series distance msm",
        "measure dbcv",
        "linkage minimax",
        "geometry hamming",
    ):
        start = wanted()[entry]
        assert uncovered({name: whole[name] for name in whole if not name.startswith(start)}) == [entry]
    method = {name: whole[name] for name in whole if not name.startswith("Leiden(")}
    assert uncovered(method) == ["method leiden", "class Leiden"]
    assert uncovered({name: whole[name] for name in whole if "float32" not in name})


@pytest.mark.skipif(len(LEVELS) < 2, reason="this processor runs one instruction set that is built in")
def test_every_level_gives_the_same_answers(tmp_path):
    """Law: wider vectors change no bit of an answer, and no instruction set a label."""
    *narrower, best = LEVELS
    expected = answers(tmp_path, "engine", COTERIE_INSTRUCTION_SET=best)
    assert uncovered(expected) == []
    for level in narrower:
        found = answers(tmp_path, "engine", COTERIE_INSTRUCTION_SET=level)
        assert unequal(expected, found, is_same if {level, best} <= FUSED else is_close) == [], level


@pytest.mark.parametrize("level", LEVELS)
def test_equal_distances_come_by_number(tmp_path, level):
    """Law: of rows that are equally far the lowest numbers are taken, whatever the width of the vectors."""
    found = answers(tmp_path, "neighbours", COTERIE_INSTRUCTION_SET=level)
    names = [name for name in found if name.endswith("|found")]
    assert names
    expected = {name: found[name.replace("|found", "|expected")] for name in names}
    assert [name for name in names if not np.array_equal(found[name], expected[name])] == []


@pytest.mark.skipif("v2" not in LEVELS, reason="the kernels of OpenBLAS are named for x86-64")
def test_every_blas_gives_the_same_answers(tmp_path):
    """Law: kernels of BLAS and LAPACK change no label, no sign of an axis, and no verdict of singular."""
    first, *others = (core for core in CORES if CORES[core] in LEVELS)
    expected = answers(tmp_path, "blas", OPENBLAS_CORETYPE=first)
    for core in others:
        assert unequal(expected, answers(tmp_path, "blas", OPENBLAS_CORETYPE=core), is_close) == [], core


def test_every_sort_of_numpy_gives_the_same_labels(tmp_path):
    """Law: NumPy sorts equal numbers in another order with wider vectors; that decides no label."""
    wider = [name for name in __cpu_dispatch__ if __cpu_features__[name]]
    expected = answers(tmp_path, "ties", NPY_DISABLE_CPU_FEATURES="")
    for kept in range(min(2, len(wider))):  # none of them, then the least
        found = answers(tmp_path, "ties", NPY_DISABLE_CPU_FEATURES=" ".join(wider[kept:]))
        assert unequal(expected, found, is_same) == [], wider[kept:]
