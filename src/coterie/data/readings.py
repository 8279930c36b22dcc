"""How the cells of columns were read when groups were found, so that new tables are read alike."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from coterie._printing import shortened
from coterie._support.caller import warn_caller
from coterie._support.declarations import held, saved
from coterie._support.optional import require
from coterie._support.typing import PolarsSeries
from coterie._support.validation.schema import FLAG, Instance, ListOf, Maybe, Text
from coterie.data.categories import texts_of
from coterie.data.cells import DATE, NUMBER, RANK, TIME, YES_NO, Reading
from coterie.data.columns import Look, look_at
from coterie.data.marks import find_sentinels, is_mark
from coterie.data.schema import is_text
from coterie.errors import DataNotice, InvalidData


@saved()
class ColumnReading:
    """How the cells of one column are read."""

    reading: Reading | None = held(
        Maybe(Instance(Reading)), "How text becomes numbers; None: the cells were numbers.", default=None
    )
    sentinels: tuple[str, ...] = held(
        ListOf(Text(), kind=tuple), "Numbers such as -999 that stood for missing values.", default=()
    )
    is_kept: bool = held(FLAG, "Whether all numbers are taken as they are.", default=False)
    is_category: bool = held(
        FLAG, "Whether cells are names of categories, whatever they look like.", default=False
    )

    @property
    def needs_text(self) -> bool:
        """Whether a reader of text leaves the cells as they are written."""
        return self.is_category or self.reading is not None


ColumnReadings: TypeAlias = Mapping[str, ColumnReading]


def reading_of(look: Look, *, is_kept: bool, is_category: bool) -> ColumnReading:
    """Return how a column was read.

    Parameters
    ----------
    look : Look
        What it holds.
    is_kept : bool
        Whether all its numbers are taken as they are.
    is_category : bool
        Whether its cells are names of categories.

    Examples
    --------
    >>> import polars
    >>> reading_of(look_at(polars.Series("share", ["45%", "12%"])), is_kept=False, is_category=False).reading
    Reading(kind='percent', unit='%', decimal='.', form='', part='', levels=())
    """
    if is_category:
        return ColumnReading(is_category=True)
    return ColumnReading(look.reading, () if is_kept else tuple(look.sentinels), is_kept)


def texts_to_keep(readings: ColumnReadings) -> tuple[str, ...]:
    """Return the columns whose cells a reader leaves as they are written."""
    return tuple(name for name, how in readings.items() if how.needs_text)


def look_as(series: PolarsSeries, how: ColumnReading, *, source: str) -> Look:
    """Find out what a column holds if it is read as an earlier one was.

    Parameters
    ----------
    series : polars.Series
        The column.
    how : ColumnReading
        How the earlier one was read.
    source : str
        Name of the table in messages.

    Examples
    --------
    >>> import polars
    >>> how = ColumnReading(Reading("money", "€", decimal=","))
    >>> look_as(polars.Series("price", ["1.234 €"]), how, source="new.csv").numbers.to_list()
    [1234.0]
    """
    if how.is_category:
        return Look(series, reason="text")
    look = _look(series, how.reading, source)
    if look.numbers is None:
        return look
    found = {} if how.is_kept else find_sentinels(look.numbers) if _is_plain(look.reading) else {}
    known = {} if how.is_kept else {mark: int((look.numbers == float(mark)).sum()) for mark in how.sentinels}
    sentinels = {mark: count for mark, count in {**found, **known}.items() if count}
    return Look(look.series, look.numbers, None, look.reading, look.marks, sentinels)


def _look(series: PolarsSeries, reading: Reading | None, source: str) -> Look:
    if series.null_count() == len(series):
        return Look(series, reason="empty")
    if reading is None:
        look = look_at(series)
        if look.reading is not None and not _is_plain(look.reading):
            _say(source, series.name, f"{look.reading} is compared with numbers without a unit")
        return look
    if reading.kind == RANK:
        series = texts_of(series)
    if is_text(series.dtype):
        return _read_text(series, reading, source)
    if reading.kind in (DATE, TIME) or series.dtype.is_temporal():
        return _read_times(series, reading, source)
    if reading.kind not in (NUMBER, YES_NO):
        _say(source, series.name, f"numbers without a unit are taken as {reading}")
    return Look(series, series)


def _read_text(series: PolarsSeries, reading: Reading, source: str) -> Look:
    polars = require("polars", extra="cli", purpose="Reading tables")
    texts = series.cast(polars.String).str.strip_chars()
    if is_mark(texts).fill_null(True).all():
        return Look(series, reason="empty")
    if reading.kind in (DATE, TIME) and not reading.form:  # they were dates, and are text now
        look = look_at(series, dates=reading.part)
        if look.numbers is not None:
            return look
    elif reading.unit and reading.kind not in (YES_NO, DATE, TIME) and not reading.form:
        bare = Reading(NUMBER, decimal=reading.decimal).numbers_or_null(texts)
        if (bare.is_not_null() | is_mark(texts).fill_null(True)).all():
            _say(source, series.name, f"numbers without a unit are taken as {reading}")
            return Look(series, bare.alias(series.name), None, reading)
    try:
        numbers = reading.numbers(texts.alias(series.name))
    except InvalidData as problem:
        raise InvalidData(f"{source}: {problem}") from None
    return Look(series, numbers.alias(series.name), None, reading)


def _read_times(series: PolarsSeries, reading: Reading, source: str) -> Look:
    kind = "a date" if reading.kind == DATE else "a time" if reading.kind == TIME else "numbers"
    look = look_at(series, dates=reading.part or None)
    if look.reading is None or look.reading.kind != reading.kind:
        raise InvalidData(
            f'{source}: column "{shortened(series.name)}" is {series.dtype}, but the groups were found with '
            f"{reading} there: {kind} is needed."
        )
    return look


def _is_plain(reading: Reading | None) -> bool:
    return reading is None or reading.kind in (NUMBER, YES_NO)


def _say(source: str, name: str, what: str) -> None:
    warn_caller(f"{source}: {shortened(name)}: {what}.", DataNotice)
