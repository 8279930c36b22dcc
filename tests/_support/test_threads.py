"""From n_jobs to a number of threads."""

import os
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest
from sklearn.base import clone
from threadpoolctl import threadpool_info, threadpool_limits

from coterie import _core
from coterie._support.threads import MOST_THREADS, map_in_order, one_thread, resolve_threads, usable_cpus
from coterie.cluster import KMeans
from coterie.distance import pairwise_distances
from coterie.errors import InvalidParameter


def test_none_is_what_openmp_would_use():
    """Law: None follows OMP_NUM_THREADS and threadpoolctl, through the native engine."""
    assert resolve_threads(None) == _core.default_threads()


def test_positive_is_taken_and_negative_counts_back():
    """Law: -1 is every processor, -2 leaves one free, never less than one thread."""
    assert resolve_threads(7) == 7
    assert resolve_threads(-1) == usable_cpus()
    assert resolve_threads(-usable_cpus() - 5) == 1


@pytest.mark.parametrize("wrong", [0, 1.5, "all", True, np.array([1.0, 2.0]), np.array("text"), np.array(3)])
def test_wrong_values_are_refused(wrong):
    """Law: what is not a number of threads is refused with the allowed values."""
    with pytest.raises(InvalidParameter, match="n_jobs must be None, a positive number of threads"):
        resolve_threads(wrong)


def test_usable_cpus_respects_affinity():
    """Law: a process bound to some processors counts only those."""
    if hasattr(os, "sched_getaffinity"):
        assert usable_cpus() == len(os.sched_getaffinity(0))


def test_no_more_threads_than_a_system_has():
    """Law: a huge n_jobs, from a file say, asks for no more threads than can be started."""
    assert resolve_threads(10**12) == max(MOST_THREADS, usable_cpus())


def test_ctrl_c_stops_what_other_threads_do():
    """Law: Ctrl-C while the main thread waits for others ends their native work, not the next."""
    ends = []
    many = KMeans(100, n_init=100_000, random_state=0)

    def work(at):
        X = np.random.default_rng(at).normal(size=(20_000, 8))
        if at == 0:
            os.kill(os.getpid(), signal.SIGINT)
        try:
            clone(many).fit(X)  # an hour
        except KeyboardInterrupt:
            ends.append(at)
            raise

    with pytest.raises(KeyboardInterrupt):
        map_in_order(work, range(4), 2)
    assert ends
    assert set(ends) <= {0, 1}  # the others have not begun
    assert map_in_order(lambda at: pairwise_distances(np.eye(200))[0, at], [0, 1], 2) == [0, np.sqrt(2)]


def test_ctrl_c_is_heard_after_polars_was_used():
    """Law: a handler of another library that lets system calls go on does not keep Ctrl-C waiting."""
    code = """
import os, signal, threading, time
import polars
from coterie._support.threads import map_in_order

polars.DataFrame({"x": [2, 1]}).lazy().sort("x").collect()
signal.siginterrupt(signal.SIGINT, False)
threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT)).start()
begun = time.monotonic()
try:
    map_in_order(lambda at: time.sleep(3), range(4), 2)
except KeyboardInterrupt:
    print("heard before the last two began:", time.monotonic() - begun < 5)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == "heard before the last two began: True\n"


def test_ctrl_c_while_a_thread_is_started_ends_it_too(monkeypatch):
    """Law: a thread that runs already, but is not yet known to its pool, ends like the others."""
    start = threading.Thread.start

    def interrupted(thread):
        start(thread)
        raise KeyboardInterrupt

    def work(at):
        KMeans(100, n_init=100_000, random_state=0).fit(np.random.default_rng(at).normal(size=(20_000, 8)))

    monkeypatch.setattr(threading.Thread, "start", interrupted)
    with pytest.raises(KeyboardInterrupt):
        map_in_order(work, range(4), 2)
    assert not [one for one in threading.enumerate() if one.name.startswith("coterie")]


def threads_of_blas():
    return {pool["filepath"]: pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}


def test_blocks_side_by_side_leave_the_threads_of_blas_as_they_were():
    """Law: whichever of several blocks ends last, BLAS then has as many threads as before the first."""
    one, other = one_thread("blas"), one_thread("blas")
    with threadpool_limits(3, "blas"):
        before = threads_of_blas()
        one.__enter__()
        assert set(threads_of_blas().values()) <= {1}
        other.__enter__()
        one.__exit__(None, None, None)
        assert set(threads_of_blas().values()) <= {1}
        other.__exit__(None, None, None)
        assert threads_of_blas() == before
