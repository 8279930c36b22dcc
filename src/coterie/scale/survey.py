"""What the cells of text in blocks hold: one pass over all of them, as a table in memory is looked at."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from coterie._support.optional import require
from coterie._support.typing import PolarsSeries
from coterie.data.categories import texts_of, why_not
from coterie.data.cells import Reading, why_stray
from coterie.data.columns import Look, look_at, numbers_from_text
from coterie.data.marks import MISSING_MARKS, Counts, add_marks, count_marks, is_mark
from coterie.data.schema import HEAD_ROWS, is_text
from coterie.scale.blocks import Block, Blocks
from coterie.scale.runtime.passes import compute, fold, tasks
from coterie.scale.sources.tables import Tables

MOST_DIFFERENT = 20_000  # texts of a column that are told apart
READER_MARKS = frozenset(mark.casefold() for mark in MISSING_MARKS)


@dataclass(frozen=True, eq=False)
class CellFacts:
    """What the cells of one column hold."""

    # n_rows, n_missing: rows, and cells without a value
    n_rows: int
    n_missing: int
    marks: Counts  # words that say that a value is missing
    texts: frozenset[str]  # the different texts, up to 20,000
    is_many: bool  # whether there are more
    n_stray: int  # cells that do not fit the reading of the column
    stray: tuple[int, str] | None  # the row of the first of them, counted from 0, and what it holds
    first: tuple[str, ...]  # the first cells that hold something


@dataclass(frozen=True, eq=False)
class SurveyedLook(Look):
    """What a column of text in blocks holds; `series` are its first rows."""

    facts: CellFacts | None = None

    def why_no_category(self, *, is_kept: bool = False) -> str | None:
        """Return why the texts of all rows are not categories; None where they are."""
        if self.facts is None:
            return super().why_no_category(is_kept=is_kept)
        more = "more than " if self.facts.is_many else ""
        name, n_different = self.series.name, len(self.facts.texts)
        return why_not(name, n_different, self.facts.n_rows, is_kept=is_kept, more=more)

    def text_levels(self) -> tuple[str, ...]:
        """Return the different texts of all rows, sorted."""
        return super().text_levels() if self.facts is None else tuple(sorted(self.facts.texts))

    def last_texts(self) -> PolarsSeries:
        """Return the different texts of all rows, as far as they are told apart."""
        polars = require("polars", extra="cli", purpose="Reading tables")
        return (
            super().last_texts()
            if self.facts is None
            else polars.Series(self.text_levels(), dtype=polars.String)
        )


def survey_looks(
    tables: Tables, looks: Mapping[str, Look], names: Sequence[str], like: Blocks | None, dates: str | None
) -> dict[str, Look]:
    """Return what columns hold, told by all their cells where these are text."""
    empty = [name for name in names if looks[name].reason == "empty" and tables.may_be_text(name)]
    found = dict(looks)
    wanted = {name: looks[name].reading for name in names if _is_of_text(looks[name]) or name in empty}
    if not wanted:
        return found
    facts = survey_cells(tables, wanted, like)
    again: dict[str, Reading | None] = {}
    for name, one in facts.items():
        if name in empty and one.first:  # the first rows of all files have none
            found[name] = look_at(_head(name, one.first), dates=dates)
            again[name] = found[name].reading
    facts |= survey_cells(tables, again, like) if again else {}
    return found | {name: _look_by(found[name], one) for name, one in facts.items()}


def _head(name: str, cells: Iterable[str]) -> PolarsSeries:
    polars = require("polars", extra="cli", purpose="Reading tables")
    return numbers_from_text(polars.DataFrame({name: list(cells)})).to_series()


def _is_of_text(look: Look) -> bool:
    return is_text(look.series.dtype) and (look.reading is not None or look.is_text)


def _look_by(look: Look, facts: CellFacts) -> Look:
    """Return a look at the first rows, corrected by what all rows hold."""
    if facts.n_missing == facts.n_rows:
        return Look(look.series, reason="empty")
    if look.reading is None:
        return SurveyedLook(**{**vars(look), "facts": facts})
    if not facts.n_stray:
        return replace(look, marks=facts.marks)
    n_filled, (row, cell) = facts.n_rows - facts.n_missing, facts.stray or (0, "")
    reason = why_stray(look.reading, facts.n_stray, n_filled, facts.n_rows, row, cell)
    if reason == "text":
        return SurveyedLook(look.series, reason=reason, facts=facts)
    return Look(look.series, reason=reason)


def survey_cells(
    tables: Tables, readings: Mapping[str, Reading | None], like: Blocks | None
) -> dict[str, CellFacts]:
    """Look at all cells of some columns in one pass; `readings` tell which must fit."""
    blocks = tables.cells(list(readings), like)
    found: dict[str, CellFacts] = compute(fold(tasks(blocks, _facts_of_block, dict(readings)), _add))
    return found


def _facts_of_block(
    block: Block, _weights: Block | None, readings: Mapping[str, Reading | None]
) -> dict[str, CellFacts]:
    polars = require("polars", extra="cli", purpose="Reading tables")
    total: dict[str, CellFacts] | None = None
    for table, span in zip(block.stored_parts(), block.spans, strict=True):
        n_rows = span.stop - span.start
        found = {}
        for name, reading in readings.items():
            if name in table.column_names:
                found[name] = _facts_of(polars.from_arrow(table.column(name)).alias(name), reading)
            else:
                found[name] = CellFacts(n_rows, n_rows, {}, frozenset(), False, 0, None, ())
        total = _add(total, [found])
    assert total is not None
    return total


def _facts_of(series: PolarsSeries, reading: Reading | None) -> CellFacts:
    texts = texts_of(series)
    is_empty = is_mark(texts).fill_null(True) if reading is not None else texts.is_null()
    cells = texts.filter(~is_empty)
    n_stray, stray = 0, None
    if reading is not None:
        is_stray = reading.numbers_or_null(series).is_null() & ~is_empty
        n_stray = int(is_stray.sum())
        if n_stray:
            at = int(is_stray.arg_max())
            stray = (at, str(series[at]))
    different = cells.unique(maintain_order=True)
    return CellFacts(
        len(series),
        int(is_empty.sum()),
        count_marks(texts.drop_nulls()) if reading is not None else {},
        frozenset(different.head(MOST_DIFFERENT).to_list()),
        len(different) > MOST_DIFFERENT,
        n_stray,
        stray,
        tuple(cells.head(HEAD_ROWS).to_list()) if reading is None else (),
    )


def _add(total: dict[str, CellFacts] | None, found: list[dict[str, CellFacts]]) -> dict[str, CellFacts]:
    for one in found:
        total = one if total is None else {name: _both(total[name], more) for name, more in one.items()}
    assert total is not None
    return total


def _both(a: CellFacts, b: CellFacts) -> CellFacts:
    is_many = a.is_many or b.is_many
    texts = a.texts if is_many else a.texts | b.texts
    stray = a.stray or (None if b.stray is None else (a.n_rows + b.stray[0], b.stray[1]))
    return CellFacts(
        a.n_rows + b.n_rows,
        a.n_missing + b.n_missing,
        add_marks([{"": a.marks}, {"": b.marks}])[""],
        frozenset(sorted(texts)[:MOST_DIFFERENT]) if len(texts) > MOST_DIFFERENT else texts,
        is_many or len(texts) > MOST_DIFFERENT,
        a.n_stray + b.n_stray,
        stray,
        (*a.first, *b.first)[:HEAD_ROWS],
    )


def survey_marks(tables: Tables, names: Sequence[str], like: Blocks) -> dict[str, dict[str, int]]:
    """Return which texts stand for missing values in columns of numbers of CSV files, and how often.

    Beside words such as "unknown", which make a column text, the marks that the reader knows are not told.
    """
    wanted = [name for name in names if tables.is_in_text_files(name)]
    if not wanted:
        return {}
    blocks = tables.cells(wanted, like, has_marks=False)
    found: dict[str, dict[str, int]] = compute(fold(tasks(blocks, _marks_of_block, wanted), _add_counts))
    told = {}
    for name, counts in found.items():
        words = {mark: n for mark, n in counts.items() if mark.casefold() not in READER_MARKS}
        told[name] = dict(sorted((words or counts).items(), key=lambda pair: (-pair[1], pair[0])))
    return told


def _marks_of_block(block: Block, _weights: Block | None, names: Sequence[str]) -> dict[str, dict[str, int]]:
    polars = require("polars", extra="cli", purpose="Reading tables")
    parts = [
        {
            name: count_marks(polars.from_arrow(table.column(name)).cast(polars.String))
            for name in names
            if name in table.column_names
        }
        for table in block.stored_parts()
    ]
    return add_marks(parts)


def _add_counts(total: Any, found: list[Any]) -> dict[str, dict[str, int]]:
    return add_marks([*([] if total is None else [total]), *found])
