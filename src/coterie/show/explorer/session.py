"""One explorer: a workbook, a worker, and whoever listens. Pages of several tabs see the same state."""

from __future__ import annotations

import contextlib
import secrets
import shutil
import tempfile
import threading
from collections.abc import Callable, Hashable
from dataclasses import replace
from pathlib import Path

import numpy as np

from coterie._printing import count_of
from coterie._support.config import version
from coterie._support.leftovers import folder_prefix
from coterie._support.notes import render_notes
from coterie._support.typing import JsonObject, Settings
from coterie.cluster import find_method
from coterie.errors import CoterieError, InvalidParameter, in_page
from coterie.pipeline.recipe import takes_k
from coterie.show.explorer import views
from coterie.show.explorer.exports import stem_of
from coterie.show.explorer.jobs import Job, Worker
from coterie.show.explorer.maps import IN_WORKER, KINDS, PlaneMap, column_map, compute_map
from coterie.show.explorer.tables import check_column, numbers_of
from coterie.show.explorer.views import Kept, clean
from coterie.workbook import State, Workbook, is_long, open_dataset
from coterie.workbook.apply import apply, canonical
from coterie.workbook.autosave import Autosaver, answer_of, autosave_path
from coterie.workbook.comparing import StateComparison, compare_states
from coterie.workbook.dataset import FILE
from coterie.workbook.files import SUFFIX, StoredWorkbook, changes_since

Listener = Callable[[str, JsonObject], None]
JOB_TEXTS = {
    "fit": "Finding groups", "split": "Splitting a group", "cluster_rest": "Clustering the rest again",
    "cluster_rows": "Clustering these rows again", "test": "Testing the groups", "given": "Taking labels",
}  # fmt: skip


NOTHING: JsonObject = {
    "data": None, "groups": [], "log": [], "position": 0, "stale": False, "can_undo": False,
    "can_redo": False, "dirty": False, "saved_as": None, "resumed": None, "warning": None,
    "can_save": False, "answer": None, "noise": {"size": 0}, "pairs": None, "sizes": None, "evidence": None,
    "labels_hash": None,
}  # fmt: skip  # what a page shows before data are open


OPENING = "The workbook is being opened: wait for it, or stop it first."
MOST_PAIRS = 1_000  # that a page lists


class Busy(InvalidParameter):
    """Something is being computed: it has to end or be stopped first."""


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
        self._lock = threading.RLock()
        self._listeners: list[Listener] = []
        self._kept = Kept()
        self._maps = Kept(8)
        self.book = book
        self.folder = folder
        self.revision = 1
        self._id, self._n_opened = secrets.token_hex(8), 0
        self.resumed: JsonObject | None = None
        self.saver: Autosaver | None = None
        self._left: list[tuple[JsonObject, str]] = []  # operations that are still to be done again
        self._when_replayed: Callable[[], None] = lambda: None
        self._answers: dict[Hashable, State] = {}  # of other methods, to compare with
        self._folder: Path | None = None  # of files that a page dropped
        self.worker = Worker(self._progress)
        self.is_closed = False

    # who listens

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Call a function with every event; return what ends that."""
        with self._lock:
            self._listeners.append(listener)

        def end() -> None:
            with self._lock, contextlib.suppress(ValueError):
                self._listeners.remove(listener)

        return end

    def tell(self, event: str, facts: JsonObject) -> None:
        """Send an event to whoever listens."""
        with self._lock:
            listeners = list(self._listeners)
        for listener in listeners:
            with contextlib.suppress(Exception):  # a page that is gone must not stop the others
                listener(event, facts)

    def _progress(self, job: Job) -> None:
        self.tell("progress", {"job": job.to_dict()})

    def _changed(self) -> None:
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
        with self._lock:
            book = self.need()
            checked = canonical(operation, book.data.n_rows)
            running = self.worker.job
            if self._left:
                raise Busy(OPENING)
            if running is not None:
                if running.kind == "fit" and checked["op"] == "fit":
                    self.worker.stop()  # the new one instead
                elif is_long(checked) or running.kind != "map":  # an edit leaves the places of rows alone
                    raise Busy(f"{running.text}: wait for it, or stop it first.")
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
            with self._lock:
                if self.book is not book or book.position != position:
                    return  # undone meanwhile: the result belongs to another state
                book.accept(operation, self._joined(book, before, operation, result))
                self._after_change()

        kind = operation["op"]
        return self.worker.submit(
            kind,
            JOB_TEXTS[kind],
            "apply",
            (before.detached(), operation),
            book.data,
            done,
            self._failed,
        )

    def _failed(self, text: str) -> None:
        self.tell("failed", {"text": text})
        self._changed()

    def _after_change(self) -> None:
        book = self.book
        if self.saver is not None and book is not None and not self._left:
            if len(book.log) > 1 or (book.log[:1] and book.operations != [{"op": "fit"}]):
                self.saver.note(book)
            else:
                self.saver.forget()  # the fit that begins by itself is nobody's work
        self._changed()

    # opening

    def open(self, book: Workbook, *, folder: Path | None) -> None:
        """Show another workbook; what is computed for the last one is stopped."""
        with self._lock:
            self.worker.stop()
            self._close_saver()
            self.book, self.folder, self.resumed = book, folder, None
            self._left, self._answers = [], {}
            self._kept, self._maps = Kept(), Kept(8)
            self._n_opened += 1
            self._changed()

    def autosave(self) -> None:
        """Keep unsaved changes in the user's state folder from now on."""
        with self._lock:
            book = self.need()
            path = autosave_path(book.data, book.saved_as, answer_of(book))
            if path is not None:
                self.saver = Autosaver(path)

    def replay(self, stored: StoredWorkbook, *, is_resumed: bool = False) -> None:
        """Do the operations of a file again: those that compute in the worker, with progress."""
        with self._lock:
            book = self.need()
            self._left = list(zip(stored.log, stored.times, strict=True))

            def end() -> None:
                book.jump(min(stored.position, len(book.log)))
                if is_resumed:
                    n_made = len(stored.log)
                    when = stored.times[-1] if stored.times else ""
                    text = f"Resumed {count_of(n_made, 'unsaved change')}."
                    self.resumed = {"changes": n_made, "at": when, "text": text}
                else:
                    book.saved_digest = book.state.digest
                    book.warning = book.warning or changes_since(stored, book.data, book.state)

            self._when_replayed = end
            self._replay_on()

    def _replay_on(self) -> None:
        """Do what can be done at once; begin the next operation that computes."""
        with self._lock:
            book = self.need()
            while self._left:
                operation, when = self._left[0]
                try:
                    checked = canonical(operation, book.data.n_rows)
                    if is_long(checked):
                        self._begin_again(book, checked, when)
                        return
                    book.accept(checked, apply(book.state, checked), when)
                except CoterieError as error:
                    self._replay_failed(in_page(error))
                    return
                self._left.pop(0)
            self._when_replayed()
            self._changed()

    def _begin_again(self, book: Workbook, operation: JsonObject, when: str) -> None:
        before = book.state

        def done(result: State) -> None:
            with self._lock:
                if self.book is not book or not self._left:
                    return
                book.accept(operation, self._joined(book, before, operation, result), when)
                self._left.pop(0)
            self._changed()
            self._replay_on()

        text = f"Opening the workbook: step {len(book.log) + 1} of {len(book.log) + len(self._left)}"
        state = before.detached()
        self.worker.submit("open", text, "apply", (state, operation), book.data, done, self._replay_failed)

    def _replay_failed(self, text: str) -> None:
        with self._lock:
            book, n_left = self.need(), len(self._left)
            self._left = []
            book.warning = (
                f"Operation {len(book.log) + 1} of the workbook could not be done: {text} "
                f"{count_of(n_left, 'operation was', 'operations were')} left out."
            )
        self._failed(book.warning)

    def _joined(self, book: Workbook, before: State, operation: Settings, result: State) -> State:
        """Return what the worker found, with the data that it sent back nothing of."""
        answer = result.answer if result.answer is not None else before.answer
        return replace(result, data=book.data, answer=None if operation["op"] == "given" else answer)

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
        with self._lock:
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
            self._changed()
        self.tell("saved", {"name": target.name})
        return self.state()

    def reload(self) -> JsonObject:
        """Read the data again, as they are now, and do all operations on them; what was undone stays so."""
        with self._lock:
            book = self.need()
            if book.data.kind != FILE or book.data.where is None:
                raise InvalidParameter("these data did not come from a file.")
            log, position, saved_as = book.log, book.position, book.saved_as
            fresh = Workbook(open_dataset(book.data.where))
            fresh.saved_as, folder = saved_as, self.folder
            self.open(fresh, folder=folder)
            self.autosave()
            self.replay(_as_stored(fresh, log, position))
        return self.state()

    def start_over(self) -> JsonObject:
        """Go back to the beginning; redo brings everything back."""
        with self._lock:
            self.resumed = None
            self.need().warning = None
        return self.go(lambda book: book.jump(0))

    def dismiss(self) -> JsonObject:
        """Take note of a warning, or of what was resumed."""
        with self._lock:
            self.resumed, self.need().warning = None, None
            self._changed()
        return self.state()

    # comparing

    def compare(self, a: str, b: str) -> StateComparison | Job:
        """Compare two positions of the log, or a position with what another method finds."""
        with self._lock:
            first, second = self._state_of(a), self._state_of(b)
        if isinstance(first, Job) or isinstance(second, Job):
            return first if isinstance(first, Job) else second  # type: ignore[return-value]  # one is
        return compare_states(first, second)

    def _state_of(self, asked: str) -> State | Job:
        """Return the state at a position, or by a method such as "kmeans:4"; or the job that finds it."""
        book = self.need()
        if asked.isdecimal() and len(asked) < 7:
            return book.state_at(int(asked))
        method, _, k = asked.partition(":")
        operation: JsonObject = {"op": "fit", "method": method, "believe": False}
        if k:
            operation["k"] = int(k) if k.isdecimal() and len(k) < 7 else k
        elif method != "auto" and takes_k(find_method(method).name) and book.k:
            operation["k"] = book.k
        if method != "auto":
            find_method(method)
        key = (repr(operation), repr(book.state.roles), id(book.data))
        return self._answers[key] if key in self._answers else self._begin_other(book, operation, key)

    def _begin_other(self, book: Workbook, operation: JsonObject, key: Hashable) -> Job:
        running = self.worker.job
        if running is not None:
            if running.kind == "compare":
                return running
            raise Busy(f"{running.text}: wait for it, or stop it first.")
        checked = canonical(operation, book.data.n_rows)

        def done(result: State) -> None:
            self._answers[key] = replace(result, data=book.data)
            self.tell("compared", {"is_there": True})
            self.tell("state", {"revision": self.revision})

        def failed(reason: str) -> None:
            self.tell("compared", {"is_there": False})
            self._failed(reason)

        state = book.state.detached()
        text = f"Finding groups by {operation['method']} to compare with"
        return self.worker.submit("compare", text, "apply", (state, checked), book.data, done, failed)

    def go(self, where: Callable[[Workbook], object]) -> JsonObject:
        """Undo, redo or jump; what is being computed for the state that is left is stopped."""
        with self._lock:
            book = self.need()
            if self._left:
                raise Busy(OPENING)
            where(book)
            running = self.worker.job
            if running is not None and running.kind != "map":  # a map is of the data, not of a step
                self.worker.stop()
            self._after_change()
        return self.state()

    def stop(self) -> JsonObject:
        """Stop what is being computed; the state stays as it was."""
        with self._lock:
            running = self.worker.job
            was_running = self.worker.stop()
            if self._left:
                self._replay_failed("it was stopped.")
        if running is None or running.kind == "map":
            self.tell("map", {"kind": None, "is_there": False})  # whoever waits for one goes without it
        if running is None or running.kind == "compare":
            self.tell("compared", {"is_there": False})
        if was_running:
            self._changed()
        return {"stopped": was_running}

    def close(self) -> None:
        """End the worker; listeners hear of it."""
        with self._lock:
            if self.is_closed:
                return
            self.is_closed = True
        self.worker.close()
        self.tell("closed", {})
        with self._lock:
            if self.saver is not None and self.book is not None and not self.book.is_dirty:
                self.saver.forget()
            self._close_saver()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    # what pages read

    def state(self) -> JsonObject:
        """Return everything that a page shows but rows, labels and maps."""
        with self._lock:
            book, revision, job = self.book, self.revision, self.worker.job
        shared = {
            "version": version(),
            "revision": revision,
            "session": self._id,
            "opened": self._n_opened,
            "job": None if job is None else job.to_dict(),
        }
        if book is None:
            return {**shared, **NOTHING}
        state = book.state
        problem = views.problem_of(state)
        facts = views.NO_FACTS if problem else self._facts(state)
        belief = state.belief
        method = None if state.answer is None else state.answer.groups.recipe.title
        found: JsonObject = clean(
            {
                **shared,
                "position": book.position,
                "log": [views.entry_of(entry) for entry in book.log],
                "can_undo": book.can_undo,
                "can_redo": book.can_redo,
                "dirty": book.is_dirty,
                "saved_as": None if book.saved_as is None else Path(book.saved_as).name,
                "resumed": self.resumed,
                "warning": book.warning or self._changed_on_disk(book),
                "can_save": self.folder is not None,
                "data": self._data(book, state, problem),
                "answer": {
                    "headline": count_of(state.k, "group") if belief is None else belief.verdict.headline,
                    "method": method,
                    "k": state.k,
                    "verdict": None if belief is None else belief.verdict.to_dict(),
                    "notes": [] if state.answer is None else list(render_notes(state.answer.notes, "page")),
                },
                "groups": views.groups_of(state, facts),
                "noise": {"size": state.n_noise},
                "pairs": {"together": state.together[:MOST_PAIRS], "apart": state.apart[:MOST_PAIRS]},
                "sizes": {"min": state.sizes[0], "max": state.sizes[1]},
                "evidence": views.evidence_of(state, facts),
                "labels_hash": state.labels_hash,
                "stale": state.is_stale,
            }
        )
        return found

    def _changed_on_disk(self, book: Workbook) -> str | None:
        if not book.data.has_changed():
            return None
        return f"{book.data.name} has changed on disk since it was read. Read it again, or go on as it was."

    def _facts(self, state: State) -> JsonObject:
        key = ("facts", state.labels_hash, repr(sorted(state.preparation.items())), id(state.data))
        found: JsonObject = self._kept.get(key, lambda: views.described(state))
        return found

    def _data(self, book: Workbook, state: State, problem: str | None) -> JsonObject:
        data = book.data
        columns = self._kept.get(("columns", id(data)), lambda: views.columns_of(data))
        used = views.used_columns(state, columns, problem)
        n_used = sum(one["role"] == "used" for one in used)
        return {
            "name": data.name,
            "kind": data.kind,
            "rows": data.n_rows,
            "rows_used": 0 if problem else len(state.rows.prepared.rows),
            "sample": None
            if data.sample is None
            else {"rows": data.sample.n_rows, "of": data.sample.n_of, "text": data.sample.text},
            "columns": used,
            "text": f"{data.n_rows:,} rows; {n_used} of {len(used)} columns used",
            "scale": state.roles.scale,
            "missing": state.roles.missing,
            "notes": [] if problem else list(render_notes(state.rows.prepared.notes, "page")),
            "problem": problem,
        }

    def labels(self, where: str | None = None) -> tuple[bytes, dict[str, str]] | Job:
        """Return labels of all rows as little-endian int32, and headers: now, at a position, by a method."""
        with self._lock:
            state, revision = self.need().state if where is None else self._state_of(where), self.revision
        if isinstance(state, Job):
            return state
        return views.labels_bytes(state.labels), {"X-Revision": str(revision)}

    def map(self, kind: str, x: str | None, y: str | None) -> PlaneMap | Job:
        """Return a map, or the job that computes it."""
        if kind not in KINDS:
            raise InvalidParameter(f"kind must be one of {', '.join(KINDS)}, got {kind!r}.")
        with self._lock:
            book = self.need()
            state = book.state
        if kind == "xy":
            table = book.data.table
            pair = []
            for name in (x, y):
                values = numbers_of(table, check_column(table, name))
                if values is None:
                    raise InvalidParameter(f'column "{name}" holds no numbers. Choose another.')
                pair.append((str(name), values))
            return column_map(pair[0], pair[1])
        key = (kind, repr(sorted(state.preparation.items())), id(book.data))
        if kind in IN_WORKER and key not in self._maps:
            return self._begin_map(book, kind, state, key)
        found: PlaneMap = self._maps.get(key, lambda: compute_map(state.rows, kind, 0))
        return found

    def _begin_map(self, book: Workbook, kind: str, state: State, key: Hashable) -> Job:
        with self._lock:
            running = self.worker.job
            if running is not None:
                if running.kind == "map":
                    return running
                raise Busy(f"{running.text}: wait for it, or stop it first.")

            def done(result: PlaneMap) -> None:
                self._maps.get(key, lambda: result)
                self.tell("map", {"kind": kind, "is_there": True})
                self.tell("state", {"revision": self.revision})

            def failed(reason: str) -> None:
                self.tell("map", {"kind": kind, "is_there": False})
                self._failed(reason)

            text = "Placing rows by t-SNE" if kind == "tsne" else "Laying out the graph of neighbours"
            arguments = (dict(state.preparation), kind, 0)
            return self.worker.submit("map", text, "map", arguments, book.data, done, failed)

    def selection(self, rows: object) -> JsonObject:
        """Return what is in a selection of rows."""
        state = self.need().state
        found = np.unique(np.asarray(rows, dtype=np.int64))
        if found.size and (found[0] < 0 or found[-1] >= state.data.n_rows):
            raise InvalidParameter(f"rows must be from 0 to {state.data.n_rows - 1}.")
        facts: JsonObject = clean(views.selection_of(state, found))
        return facts
