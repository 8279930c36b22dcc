"""The variable COTERIE_INSTRUCTION_SET: what is taken, and how anything else is refused."""

import os
import subprocess
import sys

import pytest

from coterie import _core

LEVELS = _core.instruction_sets().split()
REFUSED = (
    f"COTERIE_INSTRUCTION_SET must be one of {' '.join(LEVELS)}, which are built in and which this processor "
    "runs, got {}. Unset it to use the best."
)


def run(level, *command):
    environment = os.environ | {"COTERIE_INSTRUCTION_SET": level}
    return subprocess.run([sys.executable, *command], env=environment, capture_output=True, text=True)


@pytest.mark.parametrize("level", ["", *LEVELS])
def test_what_is_named_is_used(level):
    """Law: the variable names the kernels in use; an empty one names the best."""
    done = run(level, "-c", "from coterie import _core; print(_core.instruction_set())")
    assert done.stdout.split() == [level or LEVELS[-1]]


@pytest.mark.parametrize("level", ["v9", "avx2", "V3"])
def test_what_cannot_run_is_refused_at_import(level):
    """Law: a name that is unknown, or cannot run here, is an error that lists the choices."""
    code = "try:\n    import coterie.cluster.kmeans.kmeans\nexcept ImportError as error:\n    print(error)"
    assert run(level, "-c", code).stdout.strip() == REFUSED.format(level)


def test_what_cannot_run_is_one_line_on_the_shell():
    """Law: the command line says so in one line and ends with the code of bad input."""
    done = run("v9", "-m", "coterie", "config")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"coterie: {REFUSED.format('v9')}\n"
