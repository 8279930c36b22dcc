"""Ctrl-C while a library computes."""

import os
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

from coterie._support import stoppable as module
from coterie._support.linear_algebra import symmetric_axes
from coterie._support.stoppable import LARGE, is_still_at_work, part_of_square, stoppable
from coterie.cluster.agglomerative.diana import divide
from coterie.cluster.density import reachability
from coterie.cluster.density.reachability import core_of_matrix, of_matrix
from coterie.evaluate.internal import gamma
from coterie.tree import linkage

MANY = np.zeros(LARGE)


class Deaf:
    """A call that hears no signal: it sends one and lasts until it is released."""

    def __init__(self):
        self.released = threading.Event()
        self.has_ended = threading.Event()
        self.thread = None

    def __call__(self, *values, **options):
        self.thread = threading.current_thread()
        os.kill(os.getpid(), signal.SIGINT)
        self.released.wait(60)
        self.has_ended.set()


@pytest.fixture
def deaf():
    call = Deaf()
    yield call
    call.released.set()
    assert call.has_ended.wait(60)


def test_ctrl_c_is_heard_during_a_call_that_hears_nothing(deaf):
    """Law: KeyboardInterrupt comes while the call lasts, which is known until it ends."""
    with pytest.raises(KeyboardInterrupt):
        stoppable(deaf, MANY)
    assert not deaf.has_ended.is_set()
    assert is_still_at_work()
    deaf.released.set()
    deaf.thread.join()
    assert not is_still_at_work()


LEAVING = """
import os, signal, sys, time
import numpy as np
import coterie.cli, coterie.cli.app
from coterie._support.stoppable import stoppable

def work(*matrices):
    os.kill(os.getpid(), signal.SIGINT)
    for matrix in matrices:
        np.linalg.eigh(matrix)
    print("worked", flush=True)
    if sys.argv[1] == "shell":
        time.sleep(3600)

def run(arguments):
    try:
        stoppable(work, *[np.eye(700)] * 3)
    except KeyboardInterrupt:
        print("interrupted", flush=True)
        return 130

coterie.cli.app.run = run
coterie.cli.main() if sys.argv[1] == "shell" else run([])
"""


@pytest.mark.parametrize(("how", "code"), [("python", 0), ("shell", 130)])
def test_processes_end_after_ctrl_c(how, code):
    """Law: Python waits for LAPACK, which cannot be ended while it works; the shell's command does not."""
    done = subprocess.run(
        [sys.executable, "-c", LEAVING, how], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == code, done.stderr
    assert "interrupted" in done.stdout
    assert how == "shell" or "worked" in done.stdout
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("name", "act"),
    [
        ("numpy.linalg.eigh", lambda: symmetric_axes(np.eye(600))),
        ("numpy.sort", lambda: gamma(np.random.default_rng(0).normal(size=(1200, 2)), np.arange(1200) % 2)),
        ("numpy.divide", lambda: of_matrix(np.ones((600, 600)), 5, 2.0, "matrix")),
        ("scipy.spatial.distance.squareform", lambda: linkage(np.ones(800 * 799 // 2), "average")),
    ],
)
def test_decompositions_and_sorts_of_much_can_be_stopped(deaf, monkeypatch, name, act):
    """Law: where the library works on much, Ctrl-C does not wait for it."""
    monkeypatch.setattr(name, deaf)
    with pytest.raises(KeyboardInterrupt):
        act()
    assert not deaf.has_ended.is_set()
    assert deaf.thread is not threading.main_thread()


def test_answers_and_errors_are_those_of_the_call():
    """Law: answers, errors and the state of NumPy are as if it were called here, from every thread."""
    np.testing.assert_array_equal(stoppable(np.add, MANY, np.arange(LARGE)), np.arange(LARGE))
    with pytest.raises(np.linalg.LinAlgError, match="Singular"):
        stoppable(np.linalg.inv, np.zeros((600, 600)))
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
        stoppable(np.log, MANY)
    places = []
    for count in (1, LARGE):
        stoppable(lambda values: places.append(threading.current_thread()), MANY[:count])
    assert places[0] is threading.main_thread()
    assert places[1] is not threading.main_thread()
    worker = threading.Thread(
        target=stoppable, args=(lambda _: places.append(threading.current_thread()), MANY)
    )
    worker.start()
    worker.join()
    assert places[2] is worker  # no signal comes to it: there is nothing to hear


def test_parts_of_squares(monkeypatch):
    """Law: the part is NumPy's, however many rows are taken at once; trees that are made with it too."""
    square = np.random.default_rng(0).normal(size=(50, 50))
    places = np.random.default_rng(1).permutation(50)[:37]
    distances = np.abs(square + square.T)
    np.fill_diagonal(distances, 0.0)
    tree = divide(distances)
    monkeypatch.setattr(module, "ROWS_AT_ONCE", 5)
    np.testing.assert_array_equal(part_of_square(square, places), square[np.ix_(places, places)])
    np.testing.assert_array_equal(divide(distances), tree)


def test_core_distances_of_matrices_by_parts(monkeypatch):
    """Law: the distances to the fifth nearest are those of all rows at once."""
    D = np.random.default_rng(0).random((23, 23)).astype(np.float32)
    monkeypatch.setattr(reachability, "ROWS_AT_ONCE", 4)
    core = core_of_matrix(D, 5, None)
    assert core.dtype == np.float32
    np.testing.assert_array_equal(core, np.sort(D, axis=1)[:, 4])
