"""Pre-flight: refuse work that would not fit in memory before it starts."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from coterie.errors import NotEnoughMemory

MEMINFO = Path("/proc/meminfo")
CGROUP_OF_PROCESS = Path("/proc/self/cgroup")
CGROUP_ROOT = Path("/sys/fs/cgroup")
ALWAYS_FREE = 2**20  # bytes: to ask the system takes longer than work with so few


def require_memory(bytes_needed: int, what: str, way_out: str) -> None:
    """Refuse work that needs more memory than is free.

    Parameters
    ----------
    bytes_needed : int
        Estimate of what will be allocated beyond the input.
    what : str
        The work, as the subject of a sentence: ``"average linkage of 400,000 rows"``.
    way_out : str
        A sentence that says what to do instead.

    Examples
    --------
    >>> require_memory(1000, "a small matrix", "Use fewer rows.")
    """
    if bytes_needed <= ALWAYS_FREE:
        return
    free = available_memory()
    if free is not None and bytes_needed > free:
        raise NotEnoughMemory(
            f"{what} needs {format_bytes(bytes_needed)}, {format_bytes(free)} are free. {way_out}"
        )


def available_memory() -> int | None:
    """Return the bytes this process can still allocate, or None where the system does not say."""
    limits = [limit for limit in (_system_memory(), _cgroup_memory(), _address_space()) if limit is not None]
    return max(0, min(limits)) if limits else None


def format_bytes(count: int) -> str:
    """Return a size in the unit that suits it.

    Examples
    --------
    >>> format_bytes(3 * 2**30)
    '3.0 GiB'
    """
    size = float(count)
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if size < 1024:
            return f"{size:.0f} {unit}" if unit == "bytes" or size >= 100 else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:,.0f} TiB" if size >= 100 else f"{size:.1f} TiB"


def _system_memory() -> int | None:
    try:
        for line in MEMINFO.read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        pass
    if sys.platform == "win32":
        return _windows_memory()
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError, AttributeError):
        pass
    try:  # macOS counts no available pages: assume half of what is built in
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    except (ValueError, OSError, AttributeError):
        return None


def _windows_memory() -> int | None:
    import ctypes

    class MemoryStatus(ctypes.Structure):
        _fields_ = [
            ("length", ctypes.c_ulong),
            ("load", ctypes.c_ulong),
            ("total", ctypes.c_ulonglong),
            ("available", ctypes.c_ulonglong),
            ("rest", ctypes.c_ulonglong * 5),
        ]

    status = MemoryStatus()
    status.length = ctypes.sizeof(MemoryStatus)
    kernel = getattr(ctypes, "windll").kernel32  # noqa: B009  # the name exists on Windows only
    return int(status.available) if kernel.GlobalMemoryStatusEx(ctypes.byref(status)) else None


def _cgroup_memory() -> int | None:
    """Return what the tightest control group leaves: containers see the host's /proc/meminfo."""
    rooms = [
        _room_in(folder, "memory.max", "memory.current", "inactive_file") for folder in _cgroup_folders("")
    ]
    rooms += [
        _room_in(folder, "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
        for folder in _cgroup_folders("memory")
    ]
    known = [room for room in rooms if room is not None]
    return min(known) if known else None


def _cgroup_folders(controller: str) -> list[Path]:
    try:
        lines = CGROUP_OF_PROCESS.read_text().splitlines()
    except OSError:
        return []
    root = CGROUP_ROOT / controller
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controller in controllers.split(","):
            here = root / path.lstrip("/")
            return [here, *(parent for parent in here.parents if parent.is_relative_to(root))]
    return []


def _room_in(folder: Path, limit_name: str, usage_name: str, cache_name: str) -> int | None:
    try:
        limit = int((folder / limit_name).read_text())  # "max" when there is none: a ValueError
        usage = int((folder / usage_name).read_text())
        stat = dict(line.split()[:2] for line in (folder / "memory.stat").read_text().splitlines())
        return limit - usage + int(stat.get(cache_name, 0))
    except (OSError, ValueError):
        return None


def _address_space() -> int | None:
    try:
        import resource
    except ImportError:
        return None
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY:
        return None
    try:
        used = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        used = 0
    return limit - used
