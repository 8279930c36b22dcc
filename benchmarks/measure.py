"""What can be measured of a call: its time, its memory, or a figure that it returns."""

from __future__ import annotations

import time
from collections.abc import Callable
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
