"""One explorer: a workbook, a worker, and whoever listens. Pages of several tabs see the same state."""

from __future__ import annotations

import contextlib
import secrets
import shutil
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np

from coterie._support.config import version
from coterie._support.leftovers import folder_prefix
from coterie._support.typing import JsonObject, Settings
from coterie.errors import InvalidParameter
from coterie.show.explorer import views
from coterie.show.explorer.exports import stem_of
from coterie.show.explorer.jobs import Busy, Job, Worker
from coterie.show.explorer.replay import Replay, joined
from coterie.show.explorer.results import Comparisons, Maps
from coterie.show.explorer.views import NOTHING, Kept, clean, page_of
from coterie.workbook import State, Workbook, is_long, open_dataset
from coterie.workbook.apply import apply, canonical
from coterie.workbook.autosave import Autosaver, answer_of, autosave_path
from coterie.workbook.dataset import FILE
from coterie.workbook.files import SUFFIX, StoredWorkbook

Listener = Callable[[str, JsonObject], None]
JOB_TEXTS = {
    "fit": "Finding groups", "split": "Splitting a group", "cluster_rest": "Clustering the rest again",
    "cluster_rows": "Clustering these rows again", "test": "Testing the groups", "given": "Taking labels",
}  # fmt: skip


OPENING = "The workbook is being opened: wait for it, or stop it first."


class Taken(InvalidParameter):
    """A file of that name exists."""


def default_name(book: Workbook) -> str:
    """Return what a workbook is called unless somebody says otherwise."""
    return f"{stem_of(book)}{SUFFIX}"


def check_name(name: object) -> str:
    """Return the name of a file to save to: a plain name, never a path."""
    is_plain = isinstance(name, str) and 0 < len(name) <= 200 and Path(name).name == name
    is_plain = is_plain and str(name).isprintable()  # no control characters, no halves of characters
    if not is_plain or any(sign in str(name) for sign in "/\\:") or str(name).startswith("."):
        raise InvalidParameter("the name of a workbook must be a plain file name, without folders.")
    return str(name) if str(name).endswith(SUFFIX) else f"{name}{SUFFIX}"


def _as_stored(book: Workbook, log: list[JsonObject], position: int) -> StoredWorkbook:
    data = book.data
    times = [str(entry.get("at", "")) for entry in log]
    return StoredWorkbook(
        data.kind, data.where, data.name, data.digest, data.n_rows, log, times, position, "", ""
    )


class Session:
    """What the routes talk to; safe to be called from several threads.

    Parameters
    ----------
    book : Workbook or None
        What to begin with; None: the page offers the embedded sets and a place to drop a file.
    folder : path or None
        Where workbooks may be saved: the folder of the data or of the workbook.
    """

    def __init__(self, book: Workbook | None = None, *, folder: Path | None = None) -> None:
        self.lock = threading.RLock()
        self._listeners: list[Listener] = []
        self._kept = Kept()
        self.book = book
        self.folder = folder
        self.revision = 1
        self._id, self._n_opened = secrets.token_hex(8), 0
        self.resumed: JsonObject | None = None
        self.saver: Autosaver | None = None
        self.replay, self.comparisons, self.maps = Replay(self), Comparisons(self), Maps(self)
        self._folder: Path | None = None  # of files that a page dropped
        self.worker = Worker(self._progress)
        self.is_closed = False

    # who listens

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Call a function with every event; return what ends that."""
        with self.lock:
            self._listeners.append(listener)

        def end() -> None:
            with self.lock, contextlib.suppress(ValueError):
                self._listeners.remove(listener)

        return end

    def tell(self, event: str, facts: JsonObject) -> None:
        """Send an event to whoever listens."""
        with self.lock:
            listeners = list(self._listeners)
        for listener in listeners:
            with contextlib.suppress(Exception):  # a page that is gone must not stop the others
                listener(event, facts)

    def _progress(self, job: Job) -> None:
        self.tell("progress", {"job": job.to_dict()})

    def changed(self) -> None:
        """Say that pages show an old state."""
        self.revision += 1
        self.tell("state", {"revision": self.revision})

    # the workbook

    def need(self) -> Workbook:
        """Return the workbook; refuse where no data are open."""
        if self.book is None:
            raise InvalidParameter("no data are open. Choose a set, or drop a file.")
        return self.book

    def operate(self, operation: Settings) -> JsonObject:
        """Do an operation: at once, or in the worker where it computes."""
        with self.lock:
            book = self.need()
            checked = canonical(operation, book.data.n_rows)
            running = self.worker.job
            if self.replay.left:
                raise Busy(OPENING)
            if running is not None:
                if running.kind == "fit" and checked["op"] == "fit":
                    self.worker.stop()  # the new one instead
                elif is_long(checked) or running.kind != "map":  # an edit leaves the places of rows alone
                    raise running.busy()
            if not is_long(checked):
                book.accept(checked, apply(book.state, checked))
                self._after_change()
                return self.state()
            job = self._begin(book, checked)
        return {"job": job.to_dict()}

    def _begin(self, book: Workbook, operation: JsonObject) -> Job:
        before = book.state
        position = book.position

        def done(result: State) -> None:
            with self.lock:
                if self.book is not book or book.position != position:
                    return  # undone meanwhile: the result belongs to another state
                book.accept(operation, joined(book, before, operation, result))
                self._after_change()

        kind = operation["op"]
        return self.worker.submit(
            kind,
            JOB_TEXTS[kind],
            "apply",
            (before.detached(), operation),
            book.data,
            done,
            self.failed,
        )

    def failed(self, text: str) -> None:
        """Say why something that was computed has failed."""
        self.tell("failed", {"text": text})
        self.changed()

    def _after_change(self) -> None:
        book = self.book
        if self.saver is not None and book is not None and not self.replay.left:
            if len(book.log) > 1 or (book.log[:1] and book.operations != [{"op": "fit"}]):
                self.saver.note(book)
            else:
                self.saver.forget()  # the fit that begins by itself is nobody's work
        self.changed()

    # opening

    def open(self, book: Workbook, *, folder: Path | None) -> None:
        """Show another workbook; what is computed for the last one is stopped."""
        with self.lock:
            self.worker.stop()
            self._close_saver()
            self.book, self.folder, self.resumed = book, folder, None
            self.replay, self.comparisons, self.maps = Replay(self), Comparisons(self), Maps(self)
            self._kept = Kept()
            self._n_opened += 1
            self.changed()

    def autosave(self) -> None:
        """Keep unsaved changes in the user's state folder from now on."""
        with self.lock:
            book = self.need()
            path = autosave_path(book.data, book.saved_as, answer_of(book))
            if path is not None:
                self.saver = Autosaver(path)

    def _close_saver(self) -> None:
        if self.saver is not None:
            self.saver.close()
            self.saver = None

    def upload_folder(self) -> Path:
        """Return a folder of this session, which is gone when it ends."""
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix=folder_prefix("explorer")))
        return self._folder

    def save(self, name: str | None, *, replaces: bool) -> JsonObject:
        """Save the workbook beside the data, or beside the workbook that was opened."""
        with self.lock:
            book = self.need()
            if self.folder is None:
                raise InvalidParameter(
                    "these data have no folder to save beside. Download the workbook instead."
                )
            known = None if book.saved_as is None else Path(book.saved_as)
            target = self.folder / (check_name(name) if name else known.name if known else default_name(book))
            is_own = known is not None and known.resolve() == target.resolve()
            if target.exists() and not (is_own or replaces):
                raise Taken(f"{target.name} exists. Choose another name, or replace it.")
            book.save(target, force=True)
            book.warning = None
            if self.saver is not None:
                self.saver.forget()
            self.changed()
        self.tell("saved", {"name": target.name})
        return self.state()

    def reload(self) -> JsonObject:
        """Read the data again, as they are now, and do all operations on them; what was undone stays so."""
        with self.lock:
            book = self.need()
            if book.data.kind != FILE or book.data.where is None:
                raise InvalidParameter("these data did not come from a file.")
            log, position, saved_as = book.log, book.position, book.saved_as
            fresh = Workbook(open_dataset(book.data.where))
            fresh.saved_as, folder = saved_as, self.folder
            self.open(fresh, folder=folder)
            self.autosave()
            self.replay.start(_as_stored(fresh, log, position))
        return self.state()

    def start_over(self) -> JsonObject:
        """Go back to the beginning; redo brings everything back."""
        with self.lock:
            self.resumed = None
            self.need().warning = None
        return self.go(lambda book: book.jump(0))

    def dismiss(self) -> JsonObject:
        """Take note of a warning, or of what was resumed."""
        with self.lock:
            self.resumed, self.need().warning = None, None
            self.changed()
        return self.state()

    def go(self, where: Callable[[Workbook], object]) -> JsonObject:
        """Undo, redo or jump; what is being computed for the state that is left is stopped."""
        with self.lock:
            book = self.need()
            if self.replay.left:
                raise Busy(OPENING)
            where(book)
            running = self.worker.job
            if running is not None and running.kind != "map":  # a map is of the data, not of a step
                self.worker.stop()
            self._after_change()
        return self.state()

    def stop(self) -> JsonObject:
        """Stop what is being computed; the state stays as it was."""
        with self.lock:
            running = self.worker.job
            was_running = self.worker.stop()
            if self.replay.left:
                self.replay.fail("it was stopped.")
        if running is None or running.kind == "map":
            self.tell("map", {"kind": None, "is_there": False})  # whoever waits for one goes without it
        if running is None or running.kind == "compare":
            self.tell("compared", {"is_there": False})
        if was_running:
            self.changed()
        return {"stopped": was_running}

    def close(self) -> None:
        """End the worker; listeners hear of it."""
        with self.lock:
            if self.is_closed:
                return
            self.is_closed = True
        self.worker.close()
        self.tell("closed", {})
        with self.lock:
            if self.saver is not None and self.book is not None and not self.book.is_dirty:
                self.saver.forget()
            self._close_saver()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    # what pages read

    def state(self) -> JsonObject:
        """Return everything that a page shows but rows, labels and maps."""
        with self.lock:
            book, revision = self.book, self.revision
            begun, job = self.worker.begun, self.worker.job  # in this order: none that begins between is lost
        shared = {
            "version": version(),
            "revision": revision,
            "session": self._id,
            "opened": self._n_opened,
            "job": None if job is None else job.to_dict(),
            "jobs_begun": begun,  # by which a page knows an answer that is older than the state
        }
        own = {"resumed": self.resumed, "can_save": self.folder is not None}
        return shared | (NOTHING if book is None else clean(own | page_of(book, self._kept)))

    def labels(self, where: str | None = None) -> tuple[bytes, dict[str, str]] | Job:
        """Return labels of all rows as little-endian int32, and headers: now, at a position, by a method."""
        with self.lock:
            state, revision = (
                self.need().state if where is None else self.comparisons.state_of(where),
                self.revision,
            )
        if isinstance(state, Job):
            return state
        return views.labels_bytes(state.labels), {"X-Revision": str(revision)}

    def selection(self, rows: object) -> JsonObject:
        """Return what is in a selection of rows."""
        state = self.need().state
        found = np.unique(np.asarray(rows, dtype=np.int64))
        if found.size and (found[0] < 0 or found[-1] >= state.data.n_rows):
            raise InvalidParameter(f"rows must be from 0 to {state.data.n_rows - 1}.")
        facts: JsonObject = clean(views.selection_of(state, found))
        return facts
