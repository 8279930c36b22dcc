"""Laws over everything that takes sparse matrices: indices are checked before compiled code follows them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from sparse_doors import DOORS

SCRIPT = Path(__file__).parent.parent / "sparse_doors.py"
SECONDS = 300  # far more than it takes


@pytest.fixture(scope="module")
def said():
    """Return what every door says to every matrix, from a process of its own."""
    run = subprocess.run(
        [sys.executable, "-X", "faulthandler", SCRIPT],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(SCRIPT.parent), *sys.path])},
    )
    lines = [json.loads(line) for line in run.stdout.splitlines()]
    assert run.returncode == 0, f"ended at {lines[-1:]}: {run.stderr[-2000:]}"
    found = {door: {} for door in DOORS}
    for (door, case), result in zip(lines[::2], lines[1::2], strict=True):
        found[door][case] = tuple(result)
    return found


@pytest.mark.parametrize("door", DOORS)
def test_sound_matrices_are_taken(said, door):
    """Law: the doors of this table do take sparse matrices."""
    assert said[door]["sound"] == ("taken", "")


@pytest.mark.parametrize("door", DOORS)
def test_damaged_matrices_are_refused(said, door):
    """Law: whatever is wrong with the indices, the answer is an error in words, never a crash or a result."""
    cases = {case: words for case, words in said[door].items() if case not in ("sound", "wide")}
    wrong = {case: words for case, words in cases.items() if "is not a valid" not in words[1]}
    assert not wrong


@pytest.mark.parametrize("door", DOORS)
def test_matrices_wider_than_memory_are_refused(said, door):
    """Law: a thousand million empty columns are refused in words, before memory ends."""
    assert said[door]["wide"][0] == "refused"
