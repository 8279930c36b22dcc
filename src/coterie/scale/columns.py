"""Which columns of data in blocks say something about the rows, and why the others do not."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from coterie._support.optional import require
from coterie._support.typing import PolarsFrame
from coterie._support.validation.explain import refuse_queries
from coterie.data import ColumnChoice, LeftOut, as_table
from coterie.data.categories import is_category
from coterie.data.cells import Reading
from coterie.data.columns import cannot_keep, check_names, look_at
from coterie.data.notes import listed, reading_notes
from coterie.data.paths import expand
from coterie.data.schema import HEAD_ROWS, KEY_ROWS, kind_of_code, kind_of_key, may_name_rows
from coterie.data.table import NOT_NAMED
from coterie.errors import InvalidData, InvalidParameter
from coterie.scale.blocks import Blocks
from coterie.scale.sampling import draw_sample
from coterie.scale.sources.arrow import open_any
from coterie.scale.sources.reading import open_tables, read_blocks

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

    @property
    def title(self) -> str:
        """What to call the data."""
        return os.fspath(self.source) if isinstance(self.source, str | os.PathLike) else "the data"

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns, made up where there are none."""
        return self.blocks.columns or tuple(f"column_{at + 1}" for at in range(self.blocks.n_columns))

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
        blocks = read_blocks(self.source, columns=used, readings=self.readings)
        return replace(self, blocks=blocks, left_out=left_out)


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
    head = _head(source)
    if head is None:
        if drop or keep or columns:
            raise InvalidParameter(
                "columns, drop and keep name columns; this source has none. Select them before."
            )
        return Opened(source, read_blocks(source), (), False)
    title = os.fspath(source) if isinstance(source, str | os.PathLike) else "the data"
    check_names(title, head.columns, [*columns, *drop, *keep])
    keep = [*keep, *(name for name in columns if name not in drop)]
    looks = {name: look_at(head[name], dates=dates) for name in head.columns}
    reasons = {name: look.reason for name, look in looks.items() if look.reason is not None}
    readings = {name: look.reading for name, look in looks.items() if look.reading is not None}
    if hasattr(source, "dtypes"):  # partitions of a frame are taken as they are
        reasons |= {name: f"{reading}, as text" for name, reading in readings.items()}
        readings = {}
    for name in keep:
        if name in reasons:
            raise cannot_keep(title, name, reasons[name])
    reasons |= {name: NOT_NAMED for name in head.columns if columns and name not in columns}
    reasons |= dict.fromkeys(drop, "dropped")
    reasons |= _keys(source, head.select([name for name in head.columns if name not in {*keep, *reasons}]))
    used = [name for name in head.columns if name not in reasons]
    if not used:
        why = ", ".join(f"{name} ({reason})" for name, reason in list(reasons.items())[:5])
        raise InvalidData(f"{title}: no column of numbers to cluster by: {why}.")
    left_out = tuple(LeftOut(name, reasons[name]) for name in head.columns if name in reasons)
    blocks = read_blocks(source, columns=used, readings=readings)
    notes = reading_notes(looks, ColumnChoice(tuple(used), left_out), {}, tuple(looks))
    unused = [name for name, look in looks.items() if reasons.get(name) == "text" and is_category(look)]
    if unused:
        are = "categories are" if len(unused) > 1 else "a category is"
        notes = (*notes, f"{listed(unused)}: {are} not used in data that are read in blocks")
    return Opened(source, blocks, left_out, True, readings, notes)


def _keys(source: object, head: Any) -> dict[str, str]:
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


def _head(source: object) -> Any:
    """Return the first rows of a table as a polars frame, read as a table in memory is; None for matrices."""
    if hasattr(source, "dtypes") and hasattr(source, "columns"):
        return as_table(_first_of_frame(source)).content
    table = None
    if type(source).__module__.partition(".")[0] == "pyarrow":
        table = open_any(source)[0]
    first = source[0] if isinstance(source, list | tuple) and source else source
    if isinstance(first, str | os.PathLike):
        first = expand(first)[0]
        if os.path.isfile(first) and not first.lower().endswith(".npy"):
            table = open_tables([first])[0]
    return None if table is None else table.head()


def _first_of_frame(frame: PolarsFrame) -> Any:
    if not type(frame).__module__.startswith("dask"):
        return frame.head(HEAD_ROWS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # fewer rows in the first partition than asked for
        return frame.head(HEAD_ROWS)
