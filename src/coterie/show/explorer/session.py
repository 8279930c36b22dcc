"""One explorer: a workbook, a worker, and whoever listens. Pages of several tabs see the same state."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from coterie._support.config import version
from coterie.errors import InvalidParameter
from coterie.show.explorer import views
from coterie.show.explorer.jobs import Job, Worker
from coterie.show.explorer.maps import IN_WORKER, KINDS, PlaneMap, column_map, compute_map
from coterie.show.explorer.tables import check_column, numbers_of
from coterie.show.explorer.views import Kept, clean
from coterie.workbook import State, Workbook, is_long
from coterie.workbook.apply import apply, canonical

Listener = Callable[[str, dict[str, Any]], None]
JOB_TEXTS = {
    "fit": "Finding groups", "split": "Splitting a group", "cluster_rest": "Clustering the rest again",
    "cluster_rows": "Clustering these rows again", "test": "Testing the groups", "given": "Taking labels",
}  # fmt: skip


class Busy(InvalidParameter):
    """Something is being computed: it has to end or be stopped first."""


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
        self.resumed: dict[str, Any] | None = None
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

    def tell(self, event: str, facts: dict[str, Any]) -> None:
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

    def operate(self, operation: Mapping[str, Any]) -> dict[str, Any]:
        """Do an operation: at once, or in the worker where it computes."""
        with self._lock:
            book = self.need()
            checked = canonical(operation, book.data.n_rows)
            running = self.worker.job
            if running is not None:
                if running.kind == "fit" and checked["op"] == "fit":
                    self.worker.stop()  # the new one instead
                elif is_long(checked) or running.kind not in ("map",):
                    raise Busy(f"{running.text}: wait for it, or stop it first.")
                else:
                    self.worker.stop()
            if not is_long(checked):
                book.accept(checked, apply(book.state, checked))
                self._after_change()
                return self.state()
            job = self._begin(book, checked)
        return {"job": job.to_dict()}

    def _begin(self, book: Workbook, operation: dict[str, Any]) -> Job:
        before = book.state
        position = book.position

        def done(result: State) -> None:
            with self._lock:
                if self.book is not book or book.position != position:
                    return  # undone meanwhile: the result belongs to another state
                answer = result.answer if result.answer is not None else before.answer
                if operation["op"] == "given":
                    answer = None
                book.accept(operation, replace(result, data=book.data, answer=answer))
                self._after_change()

        kind = operation["op"]
        return self.worker.submit(
            kind,
            JOB_TEXTS[kind],
            "apply",
            (replace(before, data=None), operation),
            book.data,
            done,
            self._failed,
        )  # type: ignore[arg-type]  # the worker has the data

    def _failed(self, text: str) -> None:
        self.tell("failed", {"text": text})
        self._changed()

    def _after_change(self) -> None:
        self._changed()

    def go(self, where: Callable[[Workbook], Any]) -> dict[str, Any]:
        """Undo, redo or jump; what is being computed for the state that is left is stopped."""
        with self._lock:
            book = self.need()
            where(book)
            if self.worker.job is not None:
                self.worker.stop()
            self._after_change()
        return self.state()

    def stop(self) -> dict[str, Any]:
        """Stop what is being computed; the state stays as it was."""
        was_running = self.worker.stop()
        if was_running:
            self._changed()
        return {"stopped": was_running}

    def close(self) -> None:
        """End the worker; listeners hear of it."""
        self.is_closed = True
        self.worker.close()
        self.tell("closed", {})

    # what pages read

    def state(self) -> dict[str, Any]:
        """Return everything that a page shows but rows, labels and maps."""
        with self._lock:
            book, revision, job = self.book, self.revision, self.worker.job
        shared = {
            "version": version(),
            "revision": revision,
            "job": None if job is None else job.to_dict(),
        }
        if book is None:
            return {**shared, "data": None, "groups": [], "log": [], "position": 0, "stale": False}
        state = book.state
        facts = self._facts(state)
        belief = state.belief
        method = None if state.answer is None else state.answer.groups.recipe.title
        return clean(
            {
                **shared,
                "position": book.position,
                "log": book.log,
                "can_undo": book.can_undo,
                "can_redo": book.can_redo,
                "dirty": book.is_dirty,
                "saved_as": None if book.saved_as is None else Path(book.saved_as).name,
                "resumed": self.resumed,
                "warning": book.warning,
                "data": self._data(book, state),
                "answer": {
                    "headline": f"{state.k} groups" if belief is None else belief.verdict.headline,
                    "method": method,
                    "k": state.k,
                    "verdict": None if belief is None else belief.verdict.to_dict(),
                    "notes": [] if state.answer is None else list(dict.fromkeys(state.answer.notes)),
                },
                "groups": views.groups_of(state, facts),
                "noise": {"size": state.n_noise},
                "constraints": {
                    "together": state.together[:1_000],
                    "apart": state.apart[:1_000],
                    "sizes": {"min": state.sizes[0], "max": state.sizes[1]},
                },
                "evidence": views.evidence_of(state, facts),
                "labels_hash": state.labels_hash,
                "stale": state.is_stale,
            }
        )

    def _facts(self, state: State) -> dict[str, Any]:
        key = ("facts", state.labels_hash, repr(sorted(state.preparation.items())), id(state.data))
        return self._kept.get(key, lambda: views.described(state))

    def _data(self, book: Workbook, state: State) -> dict[str, Any]:
        data = book.data
        columns = self._kept.get(("columns", id(data)), lambda: views.columns_of(data))
        used = views.used_columns(state, columns)
        n_used = sum(one["role"] == "used" for one in used)
        return {
            "name": data.name,
            "kind": data.kind,
            "rows": data.n_rows,
            "rows_used": len(state.rows.prepared.rows),
            "sample": None
            if data.sample is None
            else {"rows": data.sample.n_rows, "of": data.sample.n_of, "text": data.sample.text},
            "columns": used,
            "text": f"{data.n_rows:,} rows; {n_used} of {len(used)} columns used",
            "roles": {"missing": state.roles.missing, "scale": state.roles.scale},
            "notes": list(state.rows.prepared.notes),
        }

    def labels(self) -> tuple[bytes, dict[str, str]]:
        """Return the labels of all rows as little-endian int32, and headers."""
        with self._lock:
            state, revision = self.need().state, self.revision
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
        return self._maps.get(key, lambda: compute_map(state.rows, kind, 0))

    def _begin_map(self, book: Workbook, kind: str, state: State, key: Any) -> Job:
        with self._lock:
            running = self.worker.job
            if running is not None:
                if running.kind == "map":
                    return running
                raise Busy(f"{running.text}: wait for it, or stop it first.")

            def done(result: PlaneMap) -> None:
                self._maps.get(key, lambda: result)
                self.tell("map", {"kind": kind})
                self.tell("state", {"revision": self.revision})

            text = "Placing rows by t-SNE" if kind == "tsne" else "Laying out the graph of neighbours"
            arguments = (dict(state.preparation), kind, 0)
            return self.worker.submit("map", text, "map", arguments, book.data, done, self._failed)

    def selection(self, rows: Any) -> dict[str, Any]:
        """Return what is in a selection of rows."""
        state = self.need().state
        found = np.unique(np.asarray(rows, dtype=np.int64))
        if found.size and (found[0] < 0 or found[-1] >= state.data.n_rows):
            raise InvalidParameter(f"rows must be from 0 to {state.data.n_rows - 1}.")
        return clean(views.selection_of(state, found))
