"""How many threads a call uses."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock, Thread, current_thread, get_ident
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from coterie.errors import InvalidParameter

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

Item = TypeVar("Item")
Answer = TypeVar("Answer")
_blas_limits: list[Any] = []  # those of blocks that run; the first knows what there was before
_blas_lock = Lock()
MOST_THREADS = 64  # or as many as there are processors: thousands end the process when the system has no more


def usable_cpus() -> int:
    """Return how many processors this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return max(1, len(os.sched_getaffinity(0)))
    return os.cpu_count() or 1


def resolve_threads(n_jobs: int | None = None) -> int:
    """Return the number of threads that `n_jobs` asks for.

    Parameters
    ----------
    n_jobs : int or None, default=None
        None: what OpenMP would use now (``OMP_NUM_THREADS``, threadpoolctl, the processors).
        Positive: that many, at most `MOST_THREADS` or the processors. Negative: counted back from the
        processors, -1 is all of them.

    Examples
    --------
    >>> resolve_threads(3)
    3
    """
    if n_jobs is None:
        from coterie._core import default_threads

        return default_threads()
    if not _is_whole(n_jobs) or n_jobs == 0:
        raise InvalidParameter(
            f"n_jobs must be None, a positive number of threads, or negative to leave processors free "
            f"(-1 uses all), got {n_jobs!r}."
        )
    if n_jobs > 0:
        return min(int(n_jobs), max(MOST_THREADS, usable_cpus()))
    return max(1, usable_cpus() + 1 + int(n_jobs))


def _is_whole(value: object) -> bool:
    # an array has __index__ too, whatever it holds
    return hasattr(value, "__index__") and not isinstance(value, bool | np.ndarray)


@cache
def _pools() -> Any:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


@contextmanager
def one_thread(kind: str) -> Iterator[None]:
    """Let native code of one kind, "openmp" or "blas", run alone: small work only waits for threads.

    Parameters
    ----------
    kind : {"openmp", "blas"}
        What is limited, while the block runs. The number of threads of BLAS is one for the whole process: of
        several blocks side by side the first one limits it, and the last one lifts the limit.
    """
    if kind == "openmp":
        with _pools().limit(limits=1, user_api=kind):
            yield
        return
    with _blas_lock:
        _blas_limits.append(_pools().limit(limits=1, user_api=kind))
    try:
        yield
    finally:
        with _blas_lock:
            if len(_blas_limits) == 1:
                _blas_limits[0].restore_original_limits()
                _blas_limits.clear()
            else:
                _blas_limits.pop()


def map_in_order(work: Callable[[Item], Answer], items: Iterable[Item], threads: int) -> list[Answer]:
    """Return what `work` gives for each item, several at the same time; it must release the GIL to gain.

    The error of the first item that fails is raised, whichever thread was faster.

    Examples
    --------
    >>> map_in_order(abs, [-1, 2, -3], threads=2)
    [1, 2, 3]
    """
    listed = list(items)
    if threads == 1 or len(listed) < 2:
        return [work(item) for item in listed]
    with workers(min(threads, len(listed))) as pool:
        return list(pool.map(work, listed))


@contextmanager
def workers(count: int, begin: Callable[[], object] | None = None) -> Iterator[ThreadPoolExecutor]:
    """Give a pool of threads that Ctrl-C stops: the main thread alone hears it, while it waits for them.

    Parameters
    ----------
    count : int
        How many threads.
    begin : callable, default=None
        What each does first.

    Examples
    --------
    >>> with workers(2) as pool:
    ...     list(pool.map(abs, [-1, 2, -3]))
    [1, 2, 3]
    """
    from concurrent.futures import ThreadPoolExecutor

    from coterie import _core

    begun: list[Thread] = []
    idents: list[int] = []
    is_stopped = is_over = False

    def start() -> None:
        begun.append(current_thread())
        idents.append(get_ident())
        if is_stopped and not is_over:  # Ctrl-C was heard before this thread began
            _core.stop_threads([get_ident()])
        if begin is not None:
            begin()

    if hasattr(signal, "siginterrupt"):  # polars has a handler of its own after which waiting would go on
        signal.siginterrupt(signal.SIGINT, True)
    pool = ThreadPoolExecutor(count, "coterie", initializer=start)
    try:
        yield pool
    except KeyboardInterrupt:
        is_stopped = True
        _core.stop_threads(idents)
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
        is_over = True
        for thread in begun:  # one that Ctrl-C caught while it was started is not known to the pool
            thread.join()
        _core.release_threads(idents)
