"""Calls of libraries that may wait for ever: their threads wait for each other where a file is damaged."""

from __future__ import annotations

import time
from collections.abc import Callable

from coterie._support.stoppable import Answer, CallInThread

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
    made = CallInThread(call, daemon=True)
    made.begin()
    n_idle, used = 0, time.process_time()
    while not made.has_ended.wait(LOOK_SECONDS):
        before, used = used, time.process_time()
        n_idle = n_idle + 1 if used - before < IDLE_SHARE * LOOK_SECONDS else 0
        if n_idle >= IDLE_LOOKS:
            raise Hung
    return made.answer()
