"""What was not saved yet: a copy of the log in the user's state folder, written after every change."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from coterie._support.files import atomic_path
from coterie._support.typing import Settings
from coterie.errors import CoterieError
from coterie.workbook.dataset import MEMORY, SET, Dataset
from coterie.workbook.files import SUFFIX, StoredWorkbook, as_json, read_workbook

if TYPE_CHECKING:
    from coterie.workbook.workbook import Workbook

FOLDER_VARIABLE = "COTERIE_STATE"  # a folder to use instead of the usual one


def state_folder() -> Path:
    """Return the folder for what programs remember between two runs, as the system has it."""
    own = os.environ.get(FOLDER_VARIABLE)
    if own:
        return Path(own)
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Application Support"
    else:
        base = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(base) / "coterie" / "explorer"


def autosave_path(
    data: Dataset, workbook: str | os.PathLike[str] | None = None, answer: Settings | None = None
) -> Path | None:
    """Return where unsaved changes of data, a workbook or an answer are kept; None: the data are in memory.

    An answer is told by the operation that its workbook begins with: its changes are not those of its data.
    """
    if workbook is not None:
        key = f"workbook {Path(workbook).resolve()}"
    elif data.kind == MEMORY or data.where is None:
        return None
    else:
        key = data.where if data.kind == SET else f"file {Path(data.where).resolve()}"
        key = key if answer is None else f"{key} {json.dumps(answer, sort_keys=True)}"
    return state_folder() / f"{hashlib.sha256(key.encode()).hexdigest()[:32]}{SUFFIX}"


def find_autosave(
    data: Dataset, workbook: str | os.PathLike[str] | None = None, answer: Settings | None = None
) -> StoredWorkbook | None:
    """Return the unsaved changes of the same data; None: there are none, or the data are others now."""
    path = autosave_path(data, workbook, answer)
    if path is None or not path.is_file():
        return None
    try:
        found = read_workbook(path)
    except CoterieError:
        return None  # written by another version, or damaged: nothing to offer
    return found if found.digest == data.digest and found.log else None


def answer_of(book: Workbook) -> Settings | None:
    """Return the operation that a workbook of an answer begins with; None: it begins with data alone."""
    first = book.operations[:1]
    return first[0] if first and first[0]["op"] == "given" else None


class Autosaver:
    """Writes the log of a workbook in the background, whole or not at all; the last change wins."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._wake, self._lock = threading.Condition(), threading.Lock()
        self._content: str | None = None
        self._is_closed = False
        self._thread = threading.Thread(target=self._run, name="explorer-autosave", daemon=True)
        self._thread.start()

    def note(self, book: Workbook) -> None:
        """Remember the log as it is now; it is written within moments."""
        content = json.dumps(as_json(book, None), ensure_ascii=True, allow_nan=False)
        with self._wake:
            self._content = content
            self._wake.notify()

    def forget(self) -> None:
        """Take the file away: everything is saved elsewhere."""
        with self._wake:
            self._content = None
        with self._lock, contextlib.suppress(OSError):
            self._path.unlink(missing_ok=True)

    def close(self) -> None:
        """Write what is left to write."""
        with self._wake:
            self._is_closed = True
            self._wake.notify()
        self._thread.join(timeout=5)

    def _run(self) -> None:
        while True:
            with self._wake:
                while self._content is None and not self._is_closed:
                    self._wake.wait()
                content, self._content = self._content, None
                if content is None:
                    return
            with self._lock, contextlib.suppress(OSError, CoterieError):
                self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                with atomic_path(self._path, force=True) as temporary:
                    temporary.write_text(content, encoding="ascii")
