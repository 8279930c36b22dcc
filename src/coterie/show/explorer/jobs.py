"""One worker process and its job: started when needed, killed to stop a job, never left behind."""

from __future__ import annotations

import os
import subprocess
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from coterie._support.children import Child
from coterie._support.facts import facts_of
from coterie._support.typing import JsonObject
from coterie.errors import InvalidParameter
from coterie.show.explorer import worker
from coterie.workbook.dataset import Dataset


class Busy(InvalidParameter):
    """Something is being computed: it has to end or be stopped first."""


@dataclass
class Job:
    """Something that is being computed."""

    id: int
    kind: str
    text: str
    began: float = field(default_factory=time.monotonic)
    fraction: float | None = None
    seconds_left: float | None = None
    on_done: Callable[[Any], None] = field(default=lambda result: None, repr=False)
    on_failed: Callable[[str], None] = field(default=lambda text: None, repr=False)

    def to_dict(self) -> JsonObject:
        """Return what the page shows."""
        return {
            **facts_of(self, "id", "kind", "text", "fraction", "seconds_left"),
            "seconds": time.monotonic() - self.began,
        }

    def busy(self) -> Busy:
        """Return the error for what has to wait for this."""
        return Busy(f"{self.text}: wait for it, or stop it first.")


class Worker:
    """The process, and the one job that it may have at a time."""

    def __init__(self, tell: Callable[[Job], None]) -> None:
        self._tell = tell
        self._lock = threading.RLock()
        self._sending = threading.Lock()
        self._child: Child | None = None
        self._holds: object = None  # the data that the process has
        self._last_id = 0
        self._is_closed = False
        self.job: Job | None = None

    @property
    def pid(self) -> int | None:
        """The id of the process; None: there is none."""
        return None if self._child is None else self._child.process.pid

    @property
    def begun(self) -> int:
        """How many jobs have begun: the id of the last one."""
        return self._last_id

    def submit(
        self,
        kind: str,
        text: str,
        name: str,
        arguments: worker.Message,
        data: Dataset,
        on_done: Callable[[Any], None],
        on_failed: Callable[[str], None],
    ) -> Job:
        """Begin a job; whoever calls made sure that there is none."""
        with self._lock:
            self._last_id += 1
            job = Job(self._last_id, kind, text, on_done=on_done, on_failed=on_failed)
            self.job = job
            process = self._ensure()
            messages: list[worker.Message] = [] if self._holds is data else [("data", data)]
            self._holds = data
        messages.append(("job", job.id, name, arguments))
        # large data take a while, and longer where the process has just been started: nobody waits for that
        threading.Thread(
            target=self._send, args=(process, messages), name="explorer-send", daemon=True
        ).start()
        return job

    def _send(self, process: subprocess.Popen[bytes], messages: list[worker.Message]) -> None:
        try:
            with self._sending:
                for message in messages:
                    worker.send(process.stdin, message)  # type: ignore[arg-type]
        except (OSError, ValueError):  # ValueError: the pipe was closed, as the job was stopped
            self._died(process)

    def warm_up(self) -> None:
        """Start the process before it is needed."""
        with self._lock:
            if not self._is_closed:
                self._ensure()

    def stop(self) -> bool:
        """End the job by ending the process; return whether there was one."""
        with self._lock:
            job, self.job = self.job, None
            if job is not None:
                self._kill()
        return job is not None

    def close(self) -> None:
        """End the process for good."""
        with self._lock:
            self._is_closed, self.job = True, None
            self._kill()

    def _ensure(self) -> subprocess.Popen[bytes]:
        if self._child is not None and self._child.process.poll() is None:
            return self._child.process
        self._child = Child("coterie.show.explorer.worker", {**os.environ, "PYTHONPATH": _path()})
        process, self._holds = self._child.process, None
        threading.Thread(target=self._listen, args=(process,), name="explorer-jobs", daemon=True).start()
        return process

    def _kill(self) -> None:
        child, self._child, self._holds = self._child, None, None
        if child is not None:
            child.kill()

    def _listen(self, process: subprocess.Popen[bytes]) -> None:
        """Hear what the process says until it ends."""
        try:
            while True:
                kind, number, *rest = worker.receive(process.stdout)  # type: ignore[arg-type]
                job = self.job
                if job is None or job.id != number or not self._is_current(process):
                    continue
                if kind == "progress":
                    job.text, job.fraction, job.seconds_left = rest
                    self._tell(job)
                    continue
                with self._lock:
                    if self.job is not job:
                        continue
                    self.job = None
                (job.on_done if kind == "done" else job.on_failed)(rest[0])
        except (EOFError, OSError, ValueError):
            self._died(process)

    def _is_current(self, process: subprocess.Popen[bytes]) -> bool:
        return self._child is not None and self._child.process is process

    def _died(self, process: subprocess.Popen[bytes]) -> None:
        """Say that the process ended by itself: out of memory, for example."""
        with self._lock:
            if not self._is_current(process):
                return  # it was stopped
            job, self.job = self.job, None
            self._kill()
        if job is not None:
            job.on_failed("The computation ended unexpectedly, perhaps out of memory. Nothing was changed.")


def _path() -> str:
    """Return where the process finds this very package."""
    import coterie

    here = os.path.dirname(os.path.dirname(os.path.abspath(coterie.__file__)))
    return os.pathsep.join(filter(None, [here, os.environ.get("PYTHONPATH", "")]))
