"""What a killed process leaves behind: temporary files that name their process, removed by the next one."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import shutil
import socket
import stat
import tempfile
import time
import zlib
from functools import cache

from coterie._support.children import has_ended

OLD = 86_400.0  # seconds after which a file of another machine is not being written any more
_WRITER = r"([0-9a-f]{8})-(\d+)"
_PART = re.compile(rf"\..+\.{_WRITER}\.[0-9a-f]{{8}}\.part")
_FOLDER = re.compile(rf"coterie-[a-z]+-{_WRITER}-\w+")


def part_name(name: str) -> str:
    """Return the name of a file of this process that becomes `name` when it is whole.

    Examples
    --------
    >>> bool(_PART.fullmatch(part_name("groups.csv"))), is_part(part_name("groups.csv"))
    (True, True)
    """
    return f".{name}.{_machine()}-{os.getpid()}.{secrets.token_hex(4)}.part"


def is_part(name: str) -> bool:
    """Return whether a file was to become another one."""
    return _PART.fullmatch(name) is not None


def folder_prefix(kind: str) -> str:
    """Return how temporary folders of this process begin; those of processes that were killed are removed."""
    remove_dead_folders(tempfile.gettempdir(), os.getpid())
    return f"coterie-{kind}-{_machine()}-{os.getpid()}-"


@cache  # once in each folder: it may hold many files
def remove_dead_parts(folder: str, _process: int) -> None:
    """Remove files that processes which were killed began to write in a folder."""
    for entry in _entries(folder):
        found = _PART.fullmatch(entry.name)
        if found is None:
            continue
        with contextlib.suppress(OSError):
            is_old = time.time() - entry.stat(follow_symlinks=False).st_mtime > OLD
            if _is_dead(*found.groups()) or (found[1] != _machine() and is_old):
                os.unlink(entry.path)


@cache
def remove_dead_folders(folder: str, _process: int) -> None:
    """Remove temporary folders of this user whose processes were killed."""
    own = os.getuid() if hasattr(os, "getuid") else None
    for entry in _entries(folder):
        found = _FOLDER.fullmatch(entry.name)
        if found is None or not _is_dead(*found.groups()):
            continue
        with contextlib.suppress(OSError):
            facts = entry.stat(follow_symlinks=False)
            if stat.S_ISDIR(facts.st_mode) and own in (None, facts.st_uid):
                shutil.rmtree(entry.path, ignore_errors=True)


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as found:
            return [entry for entry in found if entry.name.startswith((".", "coterie-"))]
    except OSError:
        return []


@cache
def _machine() -> str:
    """Return what tells this machine, or container, from others where numbers of processes mean others."""
    try:
        namespace = os.readlink("/proc/self/ns/pid")
    except OSError:
        namespace = ""
    return f"{zlib.crc32(f'{socket.gethostname()} {namespace}'.encode()):08x}"


def _is_dead(machine: str, process: str) -> bool:
    """Return whether a process of this machine has ended; of other machines nothing is known."""
    return machine == _machine() and has_ended(int(process))
