"""Which columns of data in blocks say something about the rows, and why the others do not."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from coterie._support.optional import require
from coterie._support.stores import suffix_of
from coterie._support.validation.explain import refuse_queries
from coterie.data import ColumnChoice, ColumnReading, LeftOut, as_table
from coterie.data.categories import is_category
from coterie.data.cells import NUMBER, Reading
from coterie.data.columns import KEY_REASONS, cannot_keep, check_names, look_at
from coterie.data.databases import SpooledRows
from coterie.data.lakes.iceberg import iceberg_rows, is_iceberg
from coterie.data.notes import listed, no_rows_in, reading_notes
from coterie.data.paths import TABLE_SUFFIXES, find_files, place_name
from coterie.data.schema import HEAD_ROWS, KEY_ROWS, kind_of_code, kind_of_key, may_name_rows
from coterie.data.table import NOT_NAMED
from coterie.errors import InvalidData, InvalidParameter
from coterie.scale.blocks import Blocks
from coterie.scale.sampling import draw_sample
from coterie.scale.sources.arrow import open_any
from coterie.scale.sources.reading import is_paths, open_tables, read_blocks
from coterie.scale.sources.spooled import open_iceberg, open_spooled
from coterie.scale.sources.tables import Tables

LeftOuts = tuple[LeftOut, ...]


@dataclass(frozen=True, eq=False)
class Opened:
    """The rows in the columns that are used."""

    source: Any  # where they come from
    blocks: Blocks  # the rows, as they are
    left_out: LeftOuts  # columns that are not used
    has_names: bool  # whether columns have names to choose them by
    readings: Mapping[str, Reading] = field(default_factory=dict)  # of columns that are numbers in disguise
    notes: tuple[str, ...] = ()  # how cells were read
    looked_into: Any = None  # files, opened once; None: the source itself

    @property
    def title(self) -> str:
        """What to call the data."""
        return title_of(self.source)

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns, made up where there are none."""
        return self.blocks.columns or tuple(f"column_{at + 1}" for at in range(self.blocks.n_columns))

    def column_readings(self) -> tuple[ColumnReading, ...]:
        """Return how the cells of each column are read; nothing for columns without names."""
        if not self.has_names:
            return ()
        return tuple(ColumnReading(self.readings.get(name)) for name in self.columns)

    def renamed_reason(self, name: str, reason: str) -> Opened:
        """Return the same with another reason why a column is left out."""
        changed = (LeftOut(one.name, reason) if one.name == name else one for one in self.left_out)
        return replace(self, left_out=tuple(changed))

    def without(self, names: Sequence[str], reason: str) -> Opened:
        """Return the same rows with fewer columns."""
        used = [name for name in self.columns if name not in names]
        if not used:
            raise InvalidData(f"{self.title}: no column of numbers to cluster by: all are {reason}.")
        left_out = (*self.left_out, *(LeftOut(name, reason) for name in names))
        return replace(self, blocks=self.read(used), left_out=left_out)

    def carried(self, *, with_data: bool) -> Blocks | None:
        """Return the columns that labels are written beside: keys, or all; None: row numbers, or no names."""
        if self.looked_into is None:
            return None
        absent = self.looked_into.absent
        keys = [one.name for one in self.left_out if one.reason in KEY_REASONS]
        every = [name for name in self.looked_into.head() if name not in absent]
        names = [name for name in (every if with_data else keys) if name not in ("label", "group")]
        return self.looked_into.as_stored(names, self.blocks) if names else None

    def read(self, columns: Sequence[str]) -> Blocks:
        """Return the rows in other columns."""
        source = self.source if self.looked_into is None else self.looked_into
        return read_blocks(source, columns=columns, readings=self.readings)


def open_columns(
    source: object,
    columns: Sequence[str] = (),
    drop: Sequence[str] = (),
    keep: Sequence[str] = (),
    dates: str | None = None,
) -> Opened:
    """Open the columns of numbers, without keys.

    Tables are cut to these columns, or to all that can be used; matrices are taken as they are.
    """
    refuse_queries(source, "X of coterie.fit")
    looked_into = _look_into(source)
    if looked_into is None and not hasattr(source, "dtypes"):
        if drop or keep or columns:
            raise InvalidParameter(
                "columns, drop and keep name columns; this source has none. Select them before."
            )
        return Opened(source, read_blocks(source), (), False)
    title = title_of(source)
    if looked_into is not None and not any(table.n_rows for table in looked_into.filled):
        raise no_rows_in(title, len(looked_into.every))
    head = _first_of_frame(source) if looked_into is None else looked_into.head()
    absent = {} if looked_into is None else looked_into.absent
    check_names(title, tuple(head), [*columns, *drop, *keep])
    keep = [*keep, *(name for name in columns if name not in drop)]
    looks = {name: look_at(series, dates=dates) for name, series in head.items()}
    reasons = {name: look.reason for name, look in looks.items() if look.reason is not None}
    reasons |= {name: reason for name, reason in absent.items() if name not in keep}
    texts = () if looked_into is None else looked_into.numbers_as_text(head)
    readings = {name: Reading(NUMBER) for name in texts if looks[name].reason is None}
    readings |= {name: look.reading for name, look in looks.items() if look.reading is not None}
    if hasattr(source, "dtypes"):  # partitions of a frame are taken as they are
        reasons |= {name: f"{reading}, as text" for name, reading in readings.items()}
        readings = {}
    for name in keep:
        if name in reasons:
            raise cannot_keep(title, name, reasons[name])
    reasons |= {name: NOT_NAMED for name in head if columns and name not in columns}
    reasons |= dict.fromkeys(drop, "dropped")
    rows_of = source if looked_into is None else looked_into
    reasons |= _keys(rows_of, [series for name, series in head.items() if name not in {*keep, *reasons}])
    used = [name for name in head if name not in reasons]
    if not used:
        why = ", ".join(f"{name} ({reason})" for name, reason in list(reasons.items())[:5])
        raise InvalidData(f"{title}: no column of numbers to cluster by: {why}.")
    left_out = tuple(LeftOut(name, reasons[name]) for name in head if name in reasons)
    blocks = read_blocks(rows_of, columns=used, readings=readings)
    notes = reading_notes(looks, ColumnChoice(tuple(used), left_out), {}, tuple(looks))
    if looked_into is not None:
        notes = (*looked_into.notes, *notes)
    unused = [name for name, look in looks.items() if reasons.get(name) == "text" and is_category(look)]
    if unused:
        are = "categories are" if len(unused) > 1 else "a category is"
        notes = (*notes, f"{listed(unused)}: {are} not used in data that are read in blocks")
    said = source.notes if isinstance(source, SpooledRows) else ()
    return Opened(source, blocks, left_out, True, readings, (*said, *notes), looked_into)


def title_of(source: object) -> str:
    """Return what to call data in output and messages."""
    if isinstance(source, SpooledRows):
        return source.name
    return place_name(source)


def _keys(source: object, head: Sequence[Any]) -> dict[str, str]:
    """Return the columns of whole numbers that name the rows, and how: by the rules of tables in memory."""
    polars = require("polars", extra="cli", purpose="Reading tables")
    numbers = [one for one in head if one.dtype.is_integer()]
    codes = {
        one.name: kind_of_code(one.name, one.drop_nulls().n_unique(), len(one))
        for one in numbers
        if one.null_count()
    }
    whole = [one for one in numbers if not one.null_count()]
    suspects = [one.name for one in whole if may_name_rows(one.name, one.cast(polars.Float64).to_numpy())]
    if not suspects:
        return {name: kind for name, kind in codes.items() if kind is not None}
    sample = draw_sample(read_blocks(source, columns=suspects), KEY_ROWS, seed=0)
    found = codes | {
        name: kind_of_key(name, sample.X[:, at].astype(np.float64), sample.rows, sample.n_rows)
        for at, name in enumerate(suspects)
    }
    return {name: kind for name, kind in found.items() if kind is not None}


def _look_into(source: object) -> Tables | None:
    """Open files of tables, a dataset, or rows of a database; None for frames and matrices."""
    if isinstance(source, SpooledRows):
        return open_spooled(source)
    if type(source).__module__.partition(".")[0] == "pyarrow":
        return open_any(source)
    if is_iceberg(source):
        return open_iceberg(iceberg_rows(source))
    if not is_paths(source):
        return None
    found = find_files(source)
    suffixes = {suffix_of(path) for path in found.paths}
    is_tables = len(suffixes) == 1 and suffixes <= set(TABLE_SUFFIXES)
    return open_tables(found) if is_tables else None


def _first_of_frame(frame: Any) -> dict[str, Any]:
    """Return the first values of every column of a frame, read as a table in memory is."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Dask: fewer rows in the first partition than asked for
        first = as_table(frame.head(HEAD_ROWS)).content
    return {series.name: series for series in first}
