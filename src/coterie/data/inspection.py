"""What a table holds, column by column: kind, role, why, missing values, distribution, remedy."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Unpack

import numpy as np
from scipy.sparse import issparse

from coterie._printing import count_of, shortened, visible
from coterie._support.notes import Note, option_of, render_notes, worded
from coterie._support.optional import require
from coterie._support.typing import JsonObject, PolarsSeries
from coterie.data.categories import is_category, texts_of
from coterie.data.cells import NUMBER, several_answers
from coterie.data.columns import (
    SPLIT_ANSWERS,
    ColumnChoice,
    Look,
    as_whole,
    cannot_keep,
    check_names,
    look_at,
    remedy_for,
)
from coterie.data.frames import as_table
from coterie.data.marks import Counts, note_marks
from coterie.data.missing import MOSTLY_EMPTY
from coterie.data.notes import note_other_shapes, note_rows_and_cells
from coterie.data.prepared import without_unassociated
from coterie.data.reading import SourceOptions
from coterie.data.schema import are_years, is_text
from coterie.data.table import Table
from coterie.errors import InvalidData

BARS = "▁▂▃▄▅▆▇█"
N_BINS = 8
MOST_DENSE_COLUMNS = 10_000  # of a sparse matrix: more columns than anybody reads
USED, LEFT_OUT, REFUSED = "used", "left out", "refused"
HEADINGS = ("column", "kind", "role", "missing", "distribution", "why", "remedy")


@dataclass(frozen=True)
class ColumnFacts:
    """What is known about a column.

    Parameters
    ----------
    column : str
        Its name.
    kind : str
        Number, money in €, percent, cm, yes/no, a date, text and so on.
    role : str
        "used", "left out" or "refused": `coterie.fit` takes no infinite numbers.
    why : str
        Why it is left out, or what was done to its cells.
    missing : float
        Share of the rows without a value.
    n_different : int
        How many values differ.
    histogram : tuple of int
        Rows in each of eight equal steps from the least to the greatest number; of text, rows of each of the
        eight most frequent values.
    remedy : str
        What to do if it should be otherwise.
    """

    column: str
    kind: str
    role: str
    why: str
    missing: float
    n_different: int
    histogram: tuple[int, ...]
    remedy: str

    @property
    def bars(self) -> str:
        """The histogram in block characters.

        Examples
        --------
        >>> ColumnFacts("x", "number", "used", "", 0.0, 9, (1, 4, 8, 0), "").bars
        '▁▄█ '
        """
        most = max(self.histogram, default=0)
        heights = [-(-count * len(BARS) // most) if most else 0 for count in self.histogram]
        return "".join(BARS[height - 1] if height else " " for height in heights)

    def cells(self) -> tuple[str, ...]:
        """Return what a table of columns shows, in the order of its headings."""
        share = f"{self.missing:.0%}" if self.missing >= 0.01 or not self.missing else "<1%"
        return (
            shortened(self.column),
            self.kind,
            self.role,
            share if self.missing else "-",
            self.bars,
            self.why,
            self.remedy,
        )


@dataclass(frozen=True)
class Inspection:
    """The columns of a table; printed, it is a table of them.

    Parameters
    ----------
    source : str
        What the table is called.
    n_rows : int
        Its rows.
    columns : tuple of ColumnFacts
        What is known about each column.
    notes : tuple of str
        What the reader had to decide.
    """

    source: str
    n_rows: int
    columns: tuple[ColumnFacts, ...]
    notes: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """What the table is, in one line."""
        n_used = sum(one.role == USED for one in self.columns)
        rows, columns = count_of(self.n_rows, "row"), count_of(len(self.columns), "column")
        return f"{self.source}   {rows}, {columns}, {n_used:,} used"

    def in_shell(self) -> Inspection:
        """Return the same in the words of the command line."""
        columns = tuple(
            replace(one, why=worded(one.why, "shell"), remedy=worded(one.remedy, "shell"))
            for one in self.columns
        )
        return replace(self, columns=columns, notes=render_notes(self.notes, "shell"))

    def to_dict(self) -> JsonObject:
        """Return all facts as plain values."""
        columns = [asdict(one) | {"histogram": list(one.histogram)} for one in self.columns]
        return {"source": self.source, "rows": self.n_rows, "columns": columns, "notes": list(self.notes)}

    def __repr__(self) -> str:
        return f"<Inspection of {visible(self.title)}>"

    def __str__(self) -> str:
        rows = [HEADINGS, *(one.cells() for one in self.columns)]
        widths = [max(len(row[at]) for row in rows) for at in range(len(HEADINGS))]
        lines = [
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
            for row in rows
        ]
        return visible("\n".join([self.title, "", *lines, *(f"note: {note}" for note in self.notes)]))


def inspect(
    data: object,
    *,
    drop: str | Sequence[str] = (),
    keep: str | Sequence[str] = (),
    dates: str | None = None,
    **reading: Unpack[SourceOptions],
) -> Inspection:
    """Look at the columns of data: what they hold, which `coterie.fit` uses, and why not the others.

    Parameters
    ----------
    data : path, DataFrame, Table, array or anything else that `coterie.fit` takes in memory
        The data.
    drop, keep, dates
        As in `coterie.fit`.
    **reading
        Of `coterie.data.read_table`: sheet, table, query, encoding and so on.

    Returns
    -------
    Inspection

    Examples
    --------
    >>> import coterie, polars
    >>> frame = polars.DataFrame({"price": ["€5", "€1,200", "n/a"], "town": ["Ulm", "Bonn", "Ulm"]})
    >>> [(one.column, one.kind, one.role) for one in coterie.inspect(frame).columns]
    [('price', 'money in €', 'used'), ('town', 'text', 'left out')]
    >>> frame = polars.DataFrame({"plan": ["free", "pro"] * 20})
    >>> [(one.column, one.kind, one.role, one.why) for one in coterie.inspect(frame).columns]
    [('plan', 'category', 'used', '2 categories, free most often')]
    """
    table = as_table(data, dates=dates, may_be_distances=True, **reading)
    dropped, kept = ({names} if isinstance(names, str) else set(names) for names in (drop, keep))
    check_names(table.source, table.columns, [*dropped, *kept])
    looks = _looks(table)
    for name in (name for name in looks if name in kept and name not in dropped):
        reason = looks[name].reason_to_leave_out(is_kept=True, categories=True)
        if reason is not None:  # as `coterie.fit` does
            raise cannot_keep(table.source, name, reason)
    facts = [
        _facts_of(look, table.marks.get(name, {}), is_dropped=name in dropped, is_kept=name in kept)
        for name, look in looks.items()
    ]
    found = _without_unassociated(table, _without_mostly_empty(facts, kept), kept)
    notes = (
        *table.notes,
        *_note_copies(looks, found),
        *note_rows_and_cells(looks),
        *note_other_shapes(looks),
    )
    return Inspection(table.source, table.n_rows, found, notes)


def _note_copies(looks: Mapping[str, Look], facts: Sequence[ColumnFacts]) -> list[str]:
    """Say how many rows are copies of others, where some column tells most rows apart."""
    flat = [look.series for look in looks.values() if not look.series.dtype.is_nested()]
    n_rows = len(flat[0]) if flat else 0
    if not any(2 * one.n_different > n_rows > 0 for one in facts):
        return []  # answers to few questions are equal by nature
    polars = require("polars", extra="cli", purpose="Looking at columns")
    copies = n_rows - polars.DataFrame(flat).n_unique()
    return [f"{copies:,} row{'s are copies' if copies > 1 else ' is a copy'} of others"] if copies else []


def _without_unassociated(
    table: Table, facts: Sequence[ColumnFacts], kept: Collection[str]
) -> tuple[ColumnFacts, ...]:
    """Leave out categories that are not associated with any other column, as `coterie.fit` does."""
    used = tuple(one.column for one in facts if one.role == USED)
    levels = table.levels(used)
    if not levels:
        return tuple(facts)
    choice = without_unassociated(table, ColumnChoice(used, ()), levels, named=tuple(kept))
    gone = {one.name: one.reason for one in choice.left_out}
    return tuple(_leave_out(one, gone[one.column]) if one.column in gone else one for one in facts)


def _without_mostly_empty(facts: Sequence[ColumnFacts], kept: Collection[str]) -> tuple[ColumnFacts, ...]:
    """Leave out columns that mostly lack values, as ``--missing auto`` does; not all columns."""
    used = [one for one in facts if one.role == USED]
    empty = {one.column: one for one in used if one.missing > MOSTLY_EMPTY}
    gone = empty.keys() - set(kept) if len(empty) < len(used) else set()
    return tuple(
        _leave_out(one, f"{one.missing:.0%} missing") if one.column in gone else one for one in facts
    )


def _leave_out(one: ColumnFacts, reason: str) -> ColumnFacts:
    name = shortened(one.column)
    remedy = Note.of(lambda door: f"To use it: {option_of('keep', [name], door)}.")
    return replace(one, role=LEFT_OUT, why=reason, remedy=remedy)


def _looks(table: Table) -> dict[str, Look]:
    """Return what each column holds; of a matrix too."""
    if not table.is_matrix:
        return table.looks
    polars = require("polars", extra="cli", purpose="Looking at columns")
    X = table.content
    if X.shape[1] > MOST_DENSE_COLUMNS:
        raise InvalidData(f"{table.source}: has {X.shape[1]:,} columns, too many to look at one by one.")
    X = X.toarray() if issparse(X) else np.asarray(X)
    series = (
        polars.Series(name, np.ascontiguousarray(X[:, at]), nan_to_null=True)
        for at, name in enumerate(table.columns)
    )
    return {one.name: Look(one, one) if one.null_count() < len(one) else look_at(one) for one in series}


def _facts_of(look: Look, marks: Counts, *, is_dropped: bool, is_kept: bool) -> ColumnFacts:
    series = look.series
    reason = "dropped" if is_dropped else look.reason_to_leave_out(is_kept=is_kept, categories=True)
    values = series if look.numbers is None else look.values(as_is=is_kept)
    said = note_marks({"": {**marks, **look.marks}}, {} if is_kept else {series.name: look.sentinels})
    about = _joined(said, series.name)
    remedy: str = Note.of(lambda door: remedy_for(reason or "", series.name, door).strip())
    names_rows = look.is_text and series.n_unique() == len(series) and not is_kept
    if look.is_text and reason is not None and several_answers(series) is not None:
        remedy = SPLIT_ANSWERS
    if look.reason == "a key" or names_rows:  # text cannot be kept; a value of each row has none to join
        remedy = ""
    n_infinite = _count_infinite(values) if reason is None and look.numbers is not None else 0
    if reason is None and look.is_text:
        categories, name = _about_category(look), shortened(series.name)
        about = Note.of(lambda door: categories)
        remedy = Note.of(lambda door: f"To leave it out: {option_of('drop', [name], door)}.")
    elif reason is None:
        remedy = _remedy_of_used(look, values, is_kept=is_kept)
    if n_infinite:
        values_are = count_of(n_infinite, "infinite value")
        about = _joined([values_are, *([about] if about else [])])
        remedy = "Replace or remove infinite values first, or drop the column."
    return ColumnFacts(
        column=series.name,
        kind=_kind(look),
        role=REFUSED if n_infinite else USED if reason is None else LEFT_OUT,
        why=reason or about,
        missing=values.null_count() / max(1, len(values)),
        n_different=_count_different(values),
        histogram=_histogram(values, look),
        remedy=remedy,
    )


def _about_category(look: Look) -> str:
    texts = texts_of(look.series).drop_nulls()
    counts = texts.alias("value").value_counts().sort(["count", "value"], descending=[True, False])
    n_levels, most = counts.height, shortened(str(counts["value"][0]))
    return f"{n_levels} categor{'y' if n_levels == 1 else 'ies'}, {most} most often"


def _joined(notes: Sequence[str], name: str = "") -> Note:
    """Return notes as one, without the name of the column."""
    return Note.of(
        lambda door: "; ".join(
            worded(note, door).removeprefix(": ").removeprefix(f"{name}: ") for note in notes
        )
    )


def _count_infinite(values: PolarsSeries) -> int:
    return int(values.is_infinite().sum() or 0) if values.dtype.is_float() else 0


def _kind(look: Look) -> str:
    if is_category(look):
        return "category"
    if look.reading is not None and look.reading.kind != NUMBER:
        return str(look.reading)
    dtype = look.series.dtype
    if look.numbers is not None:
        return (
            "yes/no" if str(dtype) == "Boolean" else "whole number" if _are_whole(look.numbers) else "number"
        )
    if look.reason == "empty":
        return "empty"
    if is_text(dtype) and (look.reason or "").startswith(("a date", "a time", "dates ", "times ")):
        return "time" if "time" in str(look.reason) else "date"
    return "text" if is_text(dtype) else (look.reason or "").removeprefix("a ")


def _are_whole(numbers: PolarsSeries) -> bool:
    """Return whether all numbers are whole, however they are stored: gaps make some readers store floats."""
    if numbers.dtype.is_integer():
        return True
    known = numbers.drop_nulls().drop_nans() if numbers.dtype.is_float() else numbers.drop_nulls()
    return len(known) > 0 and bool((known == known.round()).all()) and not _count_infinite(known)


def _remedy_of_used(look: Look, values: PolarsSeries, *, is_kept: bool) -> str:
    series = look.series
    whole = None if is_kept else as_whole(series)
    if whole is not None and are_years(whole.name, float(whole.min()), float(whole.max())):
        name = shortened(series.name)
        return Note.of(lambda door: f"Years as labels: {option_of('drop', [name], door)}.")
    if not values.null_count():
        return ""
    options = ('missing="observed" or "drop"', "--missing observed or drop", "observed or drop in Data")
    return Note(*(f"Missing values: {option}." for option in options))


def _count_different(values: PolarsSeries) -> int:
    try:
        return int(values.drop_nulls().n_unique())
    except Exception:  # lists and structs cannot all be compared
        return 0


def _histogram(values: PolarsSeries, look: Look) -> tuple[int, ...]:
    if look.numbers is None:
        if not is_text(values.dtype):
            return ()
        counts = values.drop_nulls().alias("value").value_counts(sort=True)
        return tuple(counts[counts.columns[1]].head(N_BINS).to_list())
    polars = require("polars", extra="cli", purpose="Looking at columns")
    numbers = values.cast(polars.Float64).drop_nulls().to_numpy()
    numbers = numbers[np.isfinite(numbers)]
    if not numbers.size:
        return ()
    shares = numbers / (np.abs(numbers).max() or 1.0)  # their differences neither overflow nor vanish
    least, spread = shares.min(), np.ptp(shares)
    places = (shares - least) / spread if spread else np.full(shares.size, 0.5)  # one value: in the middle
    return tuple(np.histogram(places, bins=N_BINS, range=(0.0, 1.0))[0].tolist())
