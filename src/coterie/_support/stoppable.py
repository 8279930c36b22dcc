"""Ctrl-C within one long call of a library."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextvars import copy_context
from typing import Any, Generic, TypeVar
from weakref import WeakSet

import numpy as np

from coterie._support.typing import AnyArray, Indices

Answer = TypeVar("Answer")
LARGE = 1 << 18  # numbers: what libraries do with fewer takes less than a tenth of a second
ROWS_AT_ONCE = 256
LOOK_SECONDS = 0.1  # between two looks where a signal does not end the wait


class CallInThread(Generic[Answer]):
    """A call that another thread is to make, in the context of this one."""

    def __init__(self, call: Callable[..., Answer], *values: Any, daemon: bool) -> None:
        self._answers: list[Answer] = []
        self._errors: list[BaseException] = []
        self.has_ended = threading.Event()
        context = copy_context()  # np.errstate is part of it

        def run() -> None:
            try:
                self._answers.append(context.run(call, *values))
            except BaseException as error:  # raised again by who asks for the answer
                self._errors.append(error)
            self.has_ended.set()

        self.begin = threading.Thread(target=run, daemon=daemon).start

    def answer(self) -> Answer:
        """Return what the call has returned, or raise what it has raised."""
        if self._errors:
            raise self._errors[0]
        return self._answers[0]


_at_work: WeakSet[CallInThread[Any]] = WeakSet()


def is_still_at_work() -> bool:
    """Return whether a call goes on that Ctrl-C has given up: Python does not end before it does.

    Examples
    --------
    >>> is_still_at_work()
    False
    """
    return not all(made.has_ended.is_set() for made in _at_work)


def stoppable(call: Callable[..., Answer], *values: Any) -> Answer:
    """Return what the call returns for the values; Ctrl-C is heard while it lasts.

    NumPy and LAPACK cannot be stopped. Large values are therefore left to another thread: on Ctrl-C the
    caller goes on, and what that thread finds is thrown away when it ends.

    Examples
    --------
    >>> stoppable(np.sort, np.array([3.0, 1.0]))
    array([1., 3.])
    """
    is_main = threading.current_thread() is threading.main_thread()  # signals come to no other
    if not is_main or sum(np.size(value) for value in values) < LARGE:
        return call(*values)
    # not a daemon: OpenBLAS, ended with the process while it works, waits for its own threads for ever
    made = CallInThread(call, *values, daemon=False)
    _at_work.add(made)  # before it begins: Ctrl-C may come at once
    made.begin()
    while not made.has_ended.wait(LOOK_SECONDS):
        pass
    return made.answer()


def part_of_square(square: AnyArray, places: Indices) -> AnyArray:
    """Return the rows and columns at these places, taken in parts between which Ctrl-C is heard.

    Examples
    --------
    >>> part_of_square(np.arange(9.0).reshape(3, 3), np.array([2, 0]))
    array([[8., 6.],
           [2., 0.]])
    """
    n = len(places)
    part = np.empty((n, n), dtype=square.dtype)
    for first in range(0, n, ROWS_AT_ONCE):
        rows = slice(first, first + ROWS_AT_ONCE)
        part[rows] = square[places[rows]][:, places]
    return part
