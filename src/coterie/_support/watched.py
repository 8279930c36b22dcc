"""Calls of libraries that may wait for ever: their threads wait for each other where a file is damaged."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextvars import copy_context
from typing import TypeVar

Answer = TypeVar("Answer")
LOOK_SECONDS = 0.5  # between two looks
IDLE_SHARE = 0.002  # of a processor: who works takes more, beside any neighbours
IDLE_LOOKS = 60  # one after the other, until a call is given up


class Hung(Exception):
    """A call that did nothing for half a minute, and did not end."""


def watched(call: Callable[[], Answer]) -> Answer:
    """Return what the call returns; `Hung` where it waits and nothing in this process works. Ctrl-C is heard.

    The call must not wait for anything outside of the process. Time in which the process is stopped, or the
    machine asleep, is one look.

    Examples
    --------
    >>> watched(lambda: 6 * 7)
    42
    """
    answers: list[Answer] = []
    errors: list[BaseException] = []
    context, has_ended = copy_context(), threading.Event()

    def run() -> None:
        try:
            answers.append(context.run(call))
        except BaseException as error:  # raised again below, in the thread that asked
            errors.append(error)
        has_ended.set()

    threading.Thread(target=run, daemon=True, name="coterie-watched").start()
    n_idle, used = 0, time.process_time()
    while not has_ended.wait(LOOK_SECONDS):
        before, used = used, time.process_time()
        n_idle = n_idle + 1 if used - before < IDLE_SHARE * LOOK_SECONDS else 0
        if n_idle >= IDLE_LOOKS:
            raise Hung
    if errors:
        raise errors[0]
    return answers[0]
