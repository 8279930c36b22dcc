"""How many threads a call uses."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, TypeVar

import numpy as np

from coterie.errors import InvalidParameter

Item = TypeVar("Item")
Answer = TypeVar("Answer")
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
        What is limited, while the block runs.
    """
    with _pools().limit(limits=1, user_api=kind):
        yield


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
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(min(threads, len(listed))) as pool:
        return list(pool.map(work, listed))
