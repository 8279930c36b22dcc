"""Threads of native code within a task: one, because Dask runs a task per processor already."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController


@cache
def _controller() -> Any:
    return ThreadpoolController()


@contextmanager
def one_thread() -> Iterator[None]:
    """Let native code of this thread run alone."""
    with _controller().limit(limits=1, user_api="openmp"):
        yield
