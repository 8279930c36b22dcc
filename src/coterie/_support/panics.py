"""Errors of libraries in Rust that derive from BaseException and write to the terminal on their own."""

from __future__ import annotations

import os
import re
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

STANDARD_ERROR = 2
_one_at_a_time = threading.Lock()


class Panicked(Exception):
    """A library gave up on what it was given; the text is its own."""


class _Held:
    """What is written to the standard error, and the message of the panic in it."""

    panic: str | None = None


@contextmanager
def quiet_panics() -> Iterator[None]:
    """Turn a panic into `Panicked`, and leave out what it writes to the standard error; Ctrl-C stays Ctrl-C.

    Rust writes to the file descriptor, so that is where it is held back. What anything else writes there
    meanwhile, in this thread or another, comes out when the block ends.
    """
    with _one_at_a_time, _held_back() as held:
        try:
            yield
        except BaseException as error:
            if type(error).__name__ != "PanicException":
                raise
            held.panic = str(error)
            raise Panicked(held.panic) from None


@contextmanager
def _held_back() -> Iterator[_Held]:
    held = _Held()
    try:
        file, before = tempfile.TemporaryFile(), os.dup(STANDARD_ERROR)  # noqa: SIM115  # closed below
    except OSError:  # there is no place for files, or nothing can be written to the standard error
        yield held
        return
    with file:
        os.dup2(file.fileno(), STANDARD_ERROR)
        try:
            yield held
        finally:
            os.dup2(before, STANDARD_ERROR)
            os.close(before)
            file.seek(0)
            written = file.read()
            _write(written if held.panic is None else without_panics(written, held.panic))


def without_panics(text: bytes, message: str) -> bytes:
    r"""Return what else was written than panics, of which one has this message.

    Examples
    --------
    >>> panic = b"\nthread 'x' (7) panicked at a.rs:1:2:\nno such\ndate\nnote: run with RUST_BACKTRACE=1\n"
    >>> without_panics(b"one\n" + panic + b"two\n", "no such\ndate")
    b'one\ntwo\n'
    """
    known = re.escape(message.encode(errors="replace"))
    place = rb"(?:(?m:^)\n)?thread '[^\n]* panicked at [^\n]*\n"
    way = rb"(?:stack backtrace:\n(?: +[^\n]*\n)*)?(?:note: [^\n]*RUST_BACKTRACE[^\n]*\n?)?"
    return re.sub(place + rb"(?:" + known + rb"|[^\n]*)(?:\n|\Z)" + way, b"", text)


def _write(text: bytes) -> None:
    with suppress(OSError):  # nobody reads there any more
        while text:
            text = text[os.write(STANDARD_ERROR, text) :]
