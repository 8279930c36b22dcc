"""Processes that end with the one that started them, however that ends, on every system."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping

_LIFELINE = "COTERIE_LIFELINE"  # the end of a pipe that the child holds; nothing is ever written to it
_IS_WINDOWS = sys.platform == "win32"


class Child:
    """A Python module that runs as a process of its own, with pipes to its standard input and output.

    Its input ends when this process does, which is how it notices on every system. Where file descriptors
    can be handed on, a second pipe ends it even while native code runs that lets no thread of Python go on.

    Parameters
    ----------
    module : str
        What ``python -m`` runs; it calls `end_with_parent` first.
    environment : mapping of str to str
        Its variables.
    """

    def __init__(self, module: str, environment: Mapping[str, str]) -> None:
        self._lifeline: int | None = None
        command, pipe = [sys.executable, "-m", module], subprocess.PIPE
        if _IS_WINDOWS:
            flags = getattr(subprocess, "CREATE_NO_WINDOW", 0)
            flags |= getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)  # Ctrl-C is for this process
            self.process = subprocess.Popen(
                command, stdin=pipe, stdout=pipe, env=dict(environment), creationflags=flags
            )
            return
        read_end, self._lifeline = os.pipe()
        try:
            self.process = subprocess.Popen(
                command,
                stdin=pipe,
                stdout=pipe,
                env={**environment, _LIFELINE: str(read_end)},
                pass_fds=[read_end],
                start_new_session=True,
            )
        finally:
            os.close(read_end)

    def kill(self) -> None:
        """End it at once, and close what led to it."""
        with contextlib.suppress(OSError):
            self.process.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(timeout=5)
        for stream in (self.process.stdin, self.process.stdout):
            with contextlib.suppress(OSError):
                if stream is not None:
                    stream.close()
        if self._lifeline is not None:
            with contextlib.suppress(OSError):
                os.close(self._lifeline)
            self._lifeline = None


def has_ended(process: int) -> bool:
    """Return whether no process has that number; never on Windows, where asking would end it."""
    if _IS_WINDOWS:
        return False
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return True
    except OSError:  # it is another user's
        return False
    return False


def end_with_parent() -> None:
    """End this process, a `Child`, with its parent; Ctrl-C is for the parent alone.

    That its standard input has ended is for its own loop to notice.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if _LIFELINE not in os.environ:
        return
    lifeline = int(os.environ[_LIFELINE])
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
