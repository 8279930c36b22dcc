"""The engine is given what no check lets through: it may refuse, but not crash, corrupt or go on for ever."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).with_name("any_bits.py")
GROUPS = ("tiles", "spanning", "trees", "linkage", "medoids", "kmeans", "others")
MOST_SECONDS = 600  # a few on an idle machine; under a sanitizer minutes


@pytest.mark.parametrize("group", GROUPS)
def test_any_bits_end_without_a_crash(group):
    """Law: whatever the bits of rows, matrices and weights, every entry of the engine answers or refuses."""
    try:
        run = subprocess.run(
            [sys.executable, str(PROGRAM), group],
            capture_output=True,
            text=True,
            timeout=MOST_SECONDS,
            env=os.environ | {"OMP_WAIT_POLICY": "passive"},  # thousands of short calls
        )
    except subprocess.TimeoutExpired as late:
        pytest.fail(f"does not end: {late.stdout.decode().splitlines()[-1]}")
    assert run.returncode == 0, f"{run.stdout.splitlines()[-1:]}\n{run.stderr[-3000:]}"
    assert len(run.stdout.splitlines()) > 100
