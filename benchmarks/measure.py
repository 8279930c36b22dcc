"""What can be measured of a call: time, memory, how others slow it down, or a figure that it returns."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

MEBIBYTE = 2**20


@dataclass(frozen=True)
class Measured:
    """The figure (lower is better) and what the call returned."""

    value: float
    result: Any


class Measure(Protocol):
    """A way to measure a call; ``unit`` is printed behind the figure."""

    @property
    def unit(self) -> str: ...

    def __call__(self, call: Callable[[], Any]) -> Measured: ...


@dataclass(frozen=True)
class Seconds:
    """Wall time: the best of as many calls as fit into ``at_least`` seconds, one at the least."""

    at_least: float = 0.2
    unit: str = "s"

    def __call__(self, call: Callable[[], Any]) -> Measured:
        best = float("inf")
        spent = 0.0
        while True:
            start = time.perf_counter()
            result = call()
            seconds = time.perf_counter() - start
            best = min(best, seconds)
            spent += seconds
            if spent >= self.at_least:
                return Measured(best, result)
            result = None  # freed before the clock starts again: no call runs beside an older result


@dataclass(frozen=True)
class PeakMemory:
    """Resident memory at its highest during one call, beyond what was resident before it (Linux)."""

    unit: str = "MiB"

    def __call__(self, call: Callable[[], Any]) -> Measured:
        Path("/proc/self/clear_refs").write_text("5")  # sets VmHWM back to the present VmRSS
        before = _resident("VmRSS")
        result = call()
        return Measured((_resident("VmHWM") - before) / MEBIBYTE, result)


@dataclass(frozen=True)
class Slowdown:
    """How many times as long a call takes while other processes keep half of the processors busy.

    Calls alone and calls beside the others take turns; the best of each counts.
    """

    turns: int = 3
    at_least: float = 0.5
    unit: str = "x its idle time"

    def __call__(self, call: Callable[[], Any]) -> Measured:
        clock = Seconds(self.at_least)
        alone, beside = [], []
        for _ in range(self.turns):
            alone.append(clock(call).value)
            with busy_neighbours():
                measured = clock(call)
            beside.append(measured.value)
        return Measured(min(beside) / min(alone), measured.result)


@contextmanager
def busy_neighbours() -> Iterator[list[subprocess.Popen[bytes]]]:
    """Keep half of the processors, at least one, busy with processes that do nothing else."""
    count = max(1, (os.cpu_count() or 1) // 2)
    spin = [sys.executable, "-c", "print(flush=True)\nwhile True: pass"]
    others = [subprocess.Popen(spin, stdout=subprocess.PIPE) for _ in range(count)]
    try:
        for other in others:
            assert other.stdout is not None
            other.stdout.readline()  # it has begun
        yield others
    finally:
        for other in others:
            other.kill()
            other.communicate()


@dataclass(frozen=True)
class Returned:
    """The call itself returns the figure, which it took in processes of its own."""

    unit: str = "s"

    def __call__(self, call: Callable[[], Any]) -> Measured:
        value = float(call())
        return Measured(value, value)


def _resident(field: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) * 1024
    raise RuntimeError(f"/proc/self/status has no field {field}; peak memory cannot be measured here.")
