"""The process that computes: it takes a job from the server, tells how far it is, and gives the result back.

Messages are pickles between two processes of one program, over pipes that nobody else can open. The worker
ends when the server does, however that ends: the system closes the pipes.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import struct
import sys
import threading
import time
import traceback
import warnings
from dataclasses import replace
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, BinaryIO, TypeAlias

from coterie._support.children import end_with_parent

if TYPE_CHECKING:
    from coterie._support.progress import Progress
    from coterie.workbook.dataset import Dataset

Message: TypeAlias = tuple[Any, ...]  # its kind, and what belongs to a message of that kind
HEAD = struct.Struct("<Q")
LEAST_SECONDS = 0.1  # between two messages about progress


def send(stream: BinaryIO, message: Message) -> None:
    """Write a message: its length, then its pickle."""
    content = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    stream.write(HEAD.pack(len(content)))
    stream.write(content)
    stream.flush()


def receive(stream: BinaryIO) -> Message:
    """Read a message; EOFError: the other side is gone."""
    head = stream.read(HEAD.size)
    if len(head) < HEAD.size:
        raise EOFError
    (size,) = HEAD.unpack(head)
    content = stream.read(size)
    if len(content) < size:
        raise EOFError
    message: Message = pickle.loads(content)
    return message


class Reporter:
    """Tells the server how far a job is, not too often."""

    def __init__(self, stream: BinaryIO, job: int) -> None:
        self._stream, self._job, self._last = stream, job, 0.0

    def __call__(self, progress: Progress) -> None:
        """Tell it."""
        now = time.monotonic()
        if now - self._last < LEAST_SECONDS:
            return
        self._last = now
        fraction = (progress.done + progress.share) / progress.total if progress.total else None
        left = progress.seconds_left
        send(self._stream, ("progress", self._job, progress.stage, fraction, left))


def run_job(name: str, arguments: Message, data: Dataset, report: Reporter) -> object:
    """Return the result of a job."""
    if name == "apply":
        from coterie.workbook.apply import apply

        state, operation = arguments
        return apply(replace(state, data=data), operation, report).detached()
    from coterie.show.explorer.maps import compute_map

    preparation, kind, seed = arguments
    return compute_map(data.rows_for(preparation), kind, seed)


def read_messages(source: BinaryIO, messages: SimpleQueue[Message]) -> None:
    """Hand on what the server sends; when it is gone, end the process, whatever it is doing."""
    try:
        while True:
            messages.put(receive(source))
    except (EOFError, OSError):
        os._exit(0)


def serve(source: BinaryIO, target: BinaryIO) -> None:
    """Do one job after the other until the server is gone."""
    from coterie.errors import CoterieError, in_page

    messages: SimpleQueue[Message] = SimpleQueue()
    threading.Thread(target=read_messages, args=(source, messages), name="messages", daemon=True).start()
    data: Any = None
    while True:
        kind, *rest = messages.get()
        if kind == "data":
            (data,) = rest
            continue
        job, name, arguments = rest
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                result = run_job(name, arguments, data, Reporter(target, job))
        except CoterieError as error:
            send(target, ("failed", job, in_page(error)))
        except MemoryError:
            send(target, ("failed", job, "Out of memory. Use fewer rows or columns, or another method."))
        except Exception as error:
            traceback.print_exc()
            send(target, ("failed", job, f"Failed: {type(error).__name__}: {error}"))
        else:
            send(target, ("done", job, result))


def main() -> None:
    """Run as a process of its own."""
    end_with_parent()
    target = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what is printed by accident must not reach the server as a message
    sys.stdout = sys.stderr
    with contextlib.suppress(BrokenPipeError):
        serve(os.fdopen(0, "rb"), target)
    os._exit(0)


if __name__ == "__main__":
    main()
