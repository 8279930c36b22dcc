"""`Workbook`: data, and a log of operations from which every state follows."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from pprint import pformat
from typing import Any

from coterie._printing import count_of
from coterie._support.config import version
from coterie._support.progress import ProgressOption
from coterie._support.typing import JsonObject, Labels, Settings
from coterie.errors import CoterieError, InvalidParameter
from coterie.pipeline.answer import Clustering
from coterie.pipeline.groups import group_name
from coterie.workbook import files
from coterie.workbook.apply import apply, canonical
from coterie.workbook.dataset import FILE, SET, Dataset, open_dataset
from coterie.workbook.edits import say
from coterie.workbook.opening import dataset_of_answer, first_operation, with_evidence
from coterie.workbook.operations import check_operation, is_long
from coterie.workbook.rowsets import masked
from coterie.workbook.state import State, first_state

MOST_KEPT_BYTES = 512 * 2**20  # of labels of states that can be had again without computing
MOST_OPERATIONS = 100_000


@dataclass(frozen=True, eq=False)
class Entry:
    """One operation of a log, when it was made, and what it did in words."""

    operation: JsonObject
    at: str
    said: str

    def to_dict(self) -> JsonObject:
        """Return the operation with its time and its words."""
        return {**self.operation, "at": self.at, "said": self.said}


class Workbook:
    """Groups that a person can see, edit, test again and export.

    Every change is an operation; the log of operations is all there is. Undo, redo, saving and the exported
    script are replays of it. States are kept, so that going back and forth computes nothing.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(centre, 1, (60, 2)) for centre in ([0, 0], [9, 0], [0, 9])])
    >>> book = Workbook.open(X)
    >>> book.apply({"op": "fit", "method": "kmeans", "k": 3, "believe": False}).k
    3
    >>> _ = book.apply({"op": "merge", "groups": ["g1", "g2"]})
    >>> book.k, book.undo().k, book.redo().k
    (2, 3, 2)
    """

    def __init__(self, data: Dataset) -> None:
        self._data = data
        self._entries: list[Entry] = []
        self._states: list[State | None] = [first_state(data)]
        self._position = 0
        self.saved_as: str | None = None
        self.saved_digest: str | None = self.state.digest
        self.warning: str | None = None

    @classmethod
    def open(cls, data: object) -> Workbook:
        """Return a new workbook.

        Parameters
        ----------
        data : path, DataFrame, array, Table, name of an embedded set such as "set:iris", or Clustering
            The data, or an answer of `coterie.fit`, whose groups it begins with. Data in blocks are
            represented by a sample.
        """
        return cls.of_answer(data) if isinstance(data, Clustering) else cls(open_dataset(data))

    @classmethod
    def of_answer(cls, answer: Clustering, data: object = None) -> Workbook:
        """Return a workbook that begins with the groups of an answer, and with what was measured about them.

        Parameters
        ----------
        answer : Clustering
            From `coterie.fit` or `coterie.load`.
        data : path, DataFrame or array, default=None
            What it was found in; None: its own rows, or the file that it names.
        """
        book = cls(dataset_of_answer(answer, data))
        operation = canonical(first_operation(answer), book.data.n_rows)
        after = with_evidence(apply(book.state, operation), answer)
        book.accept(operation, after)
        book.saved_digest = book.state.digest
        return book

    @classmethod
    def load(
        cls, path: str | os.PathLike[str], *, data: object = None, progress: ProgressOption = None
    ) -> Workbook:
        """Return a workbook from a file; its operations are checked, then replayed.

        Parameters
        ----------
        path : str or path
            A ``*.coterie.json`` file.
        data : path, DataFrame or array, default=None
            The data, where they are not where the file says, or are not in a file.
        progress : None, bool or callable, default=None
            Hears how far the replay has come.
        """
        stored = files.read_workbook(path)
        found = files.open_data_of(stored, path, data)
        book = cls(found)
        book.replay(stored.log, stored.position, times=stored.times, progress=progress)
        book.saved_as = os.fspath(path)
        book.saved_digest = book.state.digest
        book.warning = files.changes_since(stored, found, book.state)
        return book

    @property
    def data(self) -> Dataset:
        """What it is about."""
        return self._data

    @property
    def position(self) -> int:
        """How many operations of the log are in force."""
        return self._position

    @property
    def log(self) -> list[JsonObject]:
        """The operations, those that were undone included, with what they did in words."""
        return [entry.to_dict() for entry in self._entries]

    @property
    def operations(self) -> list[JsonObject]:
        """The operations that are in force, as plain values."""
        return [dict(entry.operation) for entry in self._entries[: self._position]]

    @property
    def state(self) -> State:
        """The state at the position."""
        return self.state_at(self._position)

    @property
    def k(self) -> int:
        """Number of groups."""
        return self.state.k

    @property
    def labels(self) -> Labels:
        """Group of each row, 0..k-1; -1 is noise, a row that was left out is masked."""
        return masked(self.state.labels)

    @property
    def labels_hash(self) -> str:
        """SHA-256 of the labels, as 64 hexadecimal digits."""
        return self.state.labels_hash

    @property
    def names(self) -> list[str]:
        """Names of the groups by label; "group 1" where there is none."""
        return [group.name or group_name(at) for at, group in enumerate(self.state.groups)]

    @property
    def is_dirty(self) -> bool:
        """Whether something changed since it was saved."""
        return self.state.digest != self.saved_digest

    @property
    def can_undo(self) -> bool:
        """Whether there is something to undo."""
        return self._position > 0

    @property
    def can_redo(self) -> bool:
        """Whether something was undone."""
        return self._position < len(self._entries)

    def state_at(self, position: int) -> State:
        """Return the state after so many operations; computed again only where it was not kept."""
        if not 0 <= position <= len(self._entries):
            raise InvalidParameter(f"position must be from 0 to {len(self._entries)}, got {position}.")
        first = position
        while self._states[first] is None:
            first -= 1
        state = self._states[first]
        assert state is not None
        for at in range(first, position):
            state = apply(state, self._entries[at].operation)
            self._states[at + 1] = state
        return state

    def apply(self, operation: Settings, *, progress: ProgressOption = None) -> Workbook:
        """Do an operation and return the workbook; what had been undone is forgotten.

        Parameters
        ----------
        operation : mapping
            Such as ``{"op": "merge", "groups": ["g2", "g5"]}``; docs/explorer.md lists all.
        progress : None, bool or callable, default=None
            Hears how far operations that compute have come.
        """
        checked = canonical(operation, self._data.n_rows)
        return self.accept(checked, apply(self.state, checked, progress))

    def accept(self, operation: JsonObject, after: State, at: str | None = None) -> Workbook:
        """Add an operation whose next state is known: it was computed elsewhere."""
        if self._position >= MOST_OPERATIONS:
            raise InvalidParameter(f"a workbook holds at most {MOST_OPERATIONS:,} operations.")
        before = self.state
        text = say(check_operation(operation), before, after)
        now = at or datetime.now(UTC).isoformat(timespec="seconds")
        del self._entries[self._position :], self._states[self._position + 1 :]
        self._entries.append(Entry(operation, now, text))
        self._states.append(after)
        self._position += 1
        self._forget()
        return self

    def _forget(self) -> None:
        """Drop states that follow from others without computing, where labels take much memory."""
        n_bytes = 4 * self._data.n_rows
        most = max(8, MOST_KEPT_BYTES // max(1, n_bytes))
        kept = [at for at, state in enumerate(self._states) if state is not None and at > 0]
        for at in kept[: max(0, len(kept) - most)]:
            if not is_long(self._entries[at - 1].operation):
                self._states[at] = None

    def undo(self) -> Workbook:
        """Go back by one operation."""
        if not self.can_undo:
            raise InvalidParameter("there is nothing to undo.")
        return self.jump(self._position - 1)

    def redo(self) -> Workbook:
        """Do again what was undone last."""
        if not self.can_redo:
            raise InvalidParameter("there is nothing to redo.")
        return self.jump(self._position + 1)

    def jump(self, position: int) -> Workbook:
        """Go to the state after so many operations of the log."""
        self.state_at(position)
        self._position = position
        return self

    def replay(
        self,
        log: list[JsonObject],
        position: int | None = None,
        *,
        times: list[str] | None = None,
        progress: ProgressOption = None,
    ) -> Workbook:
        """Do the operations of a log, one after the other, then go to a position."""
        for at, operation in enumerate(log):
            try:
                checked = canonical(operation, self._data.n_rows)
                after = apply(self.state, checked, progress)
            except CoterieError as error:
                raise InvalidParameter(f"operation {at + 1} of the workbook: {error}") from error
            self.accept(checked, after, None if times is None else times[at])
        return self.jump(len(self._entries) if position is None else position)

    def test(self, *, budget: str = "normal", progress: ProgressOption = None) -> Workbook:
        """Measure stability, silhouettes and chance of the groups as they are now."""
        return self.apply({"op": "test", "budget": budget}, progress=progress)

    def save(self, path: str | os.PathLike[str], *, force: bool = False) -> Path:
        """Write the log to a ``*.coterie.json`` file: operations, the data's path and hash, versions.

        Parameters
        ----------
        path : str or path
            Where to; the data's path is kept relative to it where possible.
        force : bool, default=False
            Whether an existing file may be replaced.
        """
        written = files.write_workbook(self, path, force=force)
        self.saved_as, self.saved_digest = str(written), self.state.digest
        return written

    def to_script(self) -> str:
        """Return a Python script that repeats the workbook and gives the same labels to the bit."""
        return script_of(self)

    def to_answer(self) -> Clustering:
        """Return the groups as an answer of `coterie.fit`, with the verdict on them: to save or report."""
        from coterie.workbook.answers import answer_of

        return answer_of(self.state)

    def explore(self, **options: Any) -> object:
        """Open the explorer on this workbook; see `coterie.show.explore`."""
        from coterie._support import hooks

        return hooks.ask("explore")(self, **options)

    def with_data(self, data: Dataset) -> Workbook:
        """Return an empty workbook about other data, saved under the same name."""
        book = Workbook(data)
        book.saved_as = self.saved_as
        return book

    def __repr__(self) -> str:
        names = ", ".join(self.names[:5]) + (" ..." if self.k > 5 else "")
        groups = count_of(self.k, "group") + (f" ({names})" if names else "")
        return f"<Workbook of {self._data.name}: {groups}, {self._position} operations>"


HEAD = '''"""The groups of {name}, made with the explorer of Coterie {version}.

Runs without the explorer: it repeats every step and ends with the same labels.
"""

from coterie.workbook import Workbook

book = Workbook.open({data})
'''
TAIL = """
assert book.labels_hash == {hash!r}, "other labels: the data or the version of Coterie differ"
labels, names = book.labels, book.names  # one label per row, -1 is noise; the name of each label
"""


def script_of(book: Workbook) -> str:
    """Return the script."""
    data = book.data
    quoted = json.dumps(data.where) if data.kind in (FILE, SET) and data.where is not None else "X"
    name = json.dumps(data.name)[1:-1].replace('"', "'")
    lines = [HEAD.format(name=name, version=version(), data=quoted)]
    if quoted == "X":
        lines[0] = lines[0].replace(
            "book = ", "X = ...  # put your data here: they were not in a file\nbook = ", 1
        )
    for entry in book.log[: book.position]:
        text = " ".join(entry["said"].split())
        operation = {key: value for key, value in entry.items() if key not in ("at", "said")}
        lines.append(f"# {text}\nbook.apply({pformat(operation, width=100, sort_dicts=False, compact=True)})")
    return "\n".join(lines) + "\n" + TAIL.format(hash=book.labels_hash)
