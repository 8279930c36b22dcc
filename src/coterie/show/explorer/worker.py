"""The process that computes: it takes a job from the server, tells how far it is, and gives the result back.

Messages are pickles between two processes of one program, over pipes that nobody else can open. The worker
ends when the server does, however that ends: a pipe that is never written to is closed by the system.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import struct
import sys
import threading
import time
import traceback
import warnings
from typing import Any, BinaryIO

HEAD = struct.Struct("<Q")
LEAST_SECONDS = 0.1  # between two messages about progress
LIFELINE = "COTERIE_EXPLORER_LIFELINE"


def send(stream: BinaryIO, message: Any) -> None:
    """Write a message: its length, then its pickle."""
    content = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    stream.write(HEAD.pack(len(content)))
    stream.write(content)
    stream.flush()


def receive(stream: BinaryIO) -> Any:
    """Read a message; EOFError: the other side is gone."""
    head = stream.read(HEAD.size)
    if len(head) < HEAD.size:
        raise EOFError
    (size,) = HEAD.unpack(head)
    content = stream.read(size)
    if len(content) < size:
        raise EOFError
    return pickle.loads(content)


def end_with_server(lifeline: int) -> None:
    """End this process as soon as the other end of a pipe is closed, even while native code runs."""
    with contextlib.suppress(ImportError, OSError, AttributeError):
        import fcntl

        signal.signal(signal.SIGIO, signal.SIG_DFL)  # which ends the process, without Python having a say
        fcntl.fcntl(lifeline, fcntl.F_SETOWN, os.getpid())
        fcntl.fcntl(lifeline, fcntl.F_SETFL, fcntl.fcntl(lifeline, fcntl.F_GETFL) | os.O_ASYNC)

    def wait() -> None:
        with contextlib.suppress(OSError):
            os.read(lifeline, 1)
        os._exit(0)

    threading.Thread(target=wait, name="lifeline", daemon=True).start()


class Reporter:
    """Tells the server how far a job is, not too often."""

    def __init__(self, stream: BinaryIO, job: int) -> None:
        self._stream, self._job, self._last = stream, job, 0.0

    def __call__(self, progress: Any) -> None:
        """Tell it."""
        now = time.monotonic()
        if now - self._last < LEAST_SECONDS:
            return
        self._last = now
        fraction = (progress.done + progress.share) / progress.total if progress.total else None
        left = progress.seconds_left
        send(self._stream, ("progress", self._job, progress.stage, fraction, left))


def run_job(name: str, arguments: tuple[Any, ...], data: Any, report: Reporter) -> Any:
    """Return the result of a job."""
    if name == "apply":
        from coterie.workbook.apply import apply

        state, operation = arguments
        return apply(state.attached(data), operation, report).detached()
    from coterie.show.explorer.maps import compute_map

    preparation, kind, seed = arguments
    return compute_map(data.rows_for(preparation), kind, seed)


def serve(source: BinaryIO, target: BinaryIO) -> None:
    """Do one job after the other until the server is gone."""
    from coterie.errors import CoterieError

    data: Any = None
    while True:
        kind, *rest = receive(source)
        if kind == "data":
            (data,) = rest
            continue
        job, name, arguments = rest
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                result = run_job(name, arguments, data, Reporter(target, job))
        except CoterieError as error:
            send(target, ("failed", job, str(error)))
        except MemoryError:
            send(target, ("failed", job, "Out of memory. Use fewer rows or columns, or another method."))
        except Exception as error:
            traceback.print_exc()
            send(target, ("failed", job, f"Failed: {type(error).__name__}: {error}"))
        else:
            send(target, ("done", job, result))


def main() -> None:
    """Run as a process of its own."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which ends this process
    target = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what is printed by accident must not reach the server as a message
    sys.stdout = sys.stderr
    lifeline = os.environ.get(LIFELINE)
    if lifeline is not None:
        end_with_server(int(lifeline))
    with contextlib.suppress(EOFError, BrokenPipeError):
        serve(os.fdopen(0, "rb"), target)
    os._exit(0)


if __name__ == "__main__":
    main()
