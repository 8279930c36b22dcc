"""What pages ask for beside the workbook, computed in the worker where it takes long: other groups, maps."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from typing import TYPE_CHECKING

from coterie._support.typing import JsonObject
from coterie.cluster import find_method
from coterie.errors import InvalidParameter
from coterie.pipeline.recipe import takes_k
from coterie.show.explorer.jobs import Job
from coterie.show.explorer.maps import IN_WORKER, KINDS, PlaneMap, column_map, compute_map
from coterie.show.explorer.tables import check_column, numbers_of
from coterie.show.explorer.views import Kept
from coterie.workbook import State, Workbook
from coterie.workbook.apply import canonical
from coterie.workbook.comparing import StateComparison, compare_states

if TYPE_CHECKING:
    from coterie.show.explorer.session import Session


MOST_MAPS = 8  # that are kept


class Comparisons:
    """What was found to compare the workbook of a session with."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._answers: dict[Hashable, State] = {}  # of other methods

    def compare(self, a: str, b: str) -> StateComparison | Job:
        """Compare two positions of the log, or a position with what another method finds."""
        with self.session.lock:
            first, second = self.state_of(a), self.state_of(b)
        if isinstance(first, Job) or isinstance(second, Job):
            return first if isinstance(first, Job) else second  # type: ignore[return-value]  # one is
        return compare_states(first, second)

    def state_of(self, asked: str) -> State | Job:
        """Return the state at a position, or by a method such as "kmeans:4"; or the job that finds it."""
        book = self.session.need()
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
        return self._answers[key] if key in self._answers else self._begin(book, operation, key)

    def _begin(self, book: Workbook, operation: JsonObject, key: Hashable) -> Job:
        running = self.session.worker.job
        if running is not None:
            if running.kind == "compare":
                return running
            raise running.busy()
        checked = canonical(operation, book.data.n_rows)

        def done(result: State) -> None:
            self._answers[key] = replace(result, data=book.data)
            self.session.tell("compared", {"is_there": True})
            self.session.tell("state", {"revision": self.session.revision})

        def failed(reason: str) -> None:
            self.session.tell("compared", {"is_there": False})
            self.session.failed(reason)

        state = book.state.detached()
        text = f"Finding groups by {operation['method']} to compare with"
        return self.session.worker.submit("compare", text, "apply", (state, checked), book.data, done, failed)


class Maps:
    """The last maps of the workbook of a session."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._kept = Kept(MOST_MAPS)

    def place(self, kind: str, x: str | None, y: str | None) -> PlaneMap | Job:
        """Return a map, or the job that computes it."""
        if kind not in KINDS:
            raise InvalidParameter(f"kind must be one of {', '.join(KINDS)}, got {kind!r}.")
        with self.session.lock:
            book = self.session.need()
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
        if kind in IN_WORKER and key not in self._kept:
            return self._begin(book, kind, state, key)
        found: PlaneMap = self._kept.get(key, lambda: compute_map(state.rows, kind, 0))
        return found

    def _begin(self, book: Workbook, kind: str, state: State, key: Hashable) -> Job:
        with self.session.lock:
            running = self.session.worker.job
            if running is not None:
                if running.kind == "map":
                    return running
                raise running.busy()

            def done(result: PlaneMap) -> None:
                self._kept.get(key, lambda: result)
                self.session.tell("map", {"kind": kind, "is_there": True})
                self.session.tell("state", {"revision": self.session.revision})

            def failed(reason: str) -> None:
                self.session.tell("map", {"kind": kind, "is_there": False})
                self.session.failed(reason)

            text = "Placing rows by t-SNE" if kind == "tsne" else "Laying out the graph of neighbours"
            arguments = (dict(state.preparation), kind, 0)
            return self.session.worker.submit("map", text, "map", arguments, book.data, done, failed)
