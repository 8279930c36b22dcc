"""Errors of libraries in Rust that derive from BaseException and write to the terminal on their own."""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager

STANDARD_ERROR = 2
_one_at_a_time = threading.Lock()


class Panicked(Exception):
    """A library gave up on what it was given; the text is its own."""


@contextmanager
def panics_as_errors() -> Iterator[None]:
    """Turn a panic into `Panicked`; Ctrl-C stays what it is."""
    try:
        yield
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        raise Panicked(str(error)) from None


@contextmanager
def quiet_panics() -> Iterator[None]:
    """Turn a panic into `Panicked`, and hold back what it writes to the standard error.

    What anything else writes there meanwhile comes out when the block ends.
    """
    with _held_back() as held, panics_as_errors():
        try:
            yield
        except BaseException as error:
            if type(error).__name__ == "PanicException":
                held.truncate(0)
            raise


class _Held:
    """What was written to the standard error."""

    def __init__(self, file: int | None) -> None:
        self.file = file

    def truncate(self, size: int) -> None:
        """Forget it."""
        if self.file is not None:
            os.ftruncate(self.file, size)


@contextmanager
def _held_back() -> Iterator[_Held]:
    with _one_at_a_time, tempfile.TemporaryFile() as file:
        try:
            before = os.dup(STANDARD_ERROR)
        except OSError:  # closed: nothing can be written there
            yield _Held(None)
            return
        os.dup2(file.fileno(), STANDARD_ERROR)
        try:
            yield _Held(file.fileno())
        finally:
            os.dup2(before, STANDARD_ERROR)
            os.close(before)
            file.seek(0)
            if written := file.read():
                os.write(STANDARD_ERROR, written)
