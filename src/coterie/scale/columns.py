"""Which columns of data in blocks say something about the rows, and why the others do not."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from coterie._support.optional import require
from coterie._support.validation.explain import refuse_queries
from coterie.data import LeftOut, as_table
from coterie.data.columns import check_names, kind_of_values
from coterie.data.paths import expand
from coterie.data.schema import HEAD_ROWS, KEY_ROWS, kind_of_key, may_name_rows
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
        return Opened(self.source, read_blocks(self.source, columns=used), left_out, self.has_names)


def open_columns(
    source: object, columns: Sequence[str] = (), drop: Sequence[str] = (), keep: Sequence[str] = ()
) -> Opened:
    """Open the columns of numbers that are no keys.

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
    kinds = {name: kind_of_values(head[name]) for name in head.columns}
    reasons = {name: kind for name, kind in kinds.items() if kind is not None}
    for name in keep:
        if name in reasons:
            raise InvalidParameter(
                f'{title}: column "{name}" cannot be kept: it is {reasons[name]}, numbers are needed.'
            )
    reasons |= {name: NOT_NAMED for name in head.columns if columns and name not in columns}
    reasons |= dict.fromkeys(drop, "dropped")
    reasons |= _keys(source, head.select([name for name in head.columns if name not in {*keep, *reasons}]))
    used = [name for name in head.columns if name not in reasons]
    if not used:
        listed = ", ".join(f"{name} ({reason})" for name, reason in list(reasons.items())[:5])
        raise InvalidData(f"{title}: no column of numbers to cluster by: {listed}.")
    left_out = tuple(LeftOut(name, reasons[name]) for name in head.columns if name in reasons)
    return Opened(source, read_blocks(source, columns=used), left_out, True)


def _keys(source: object, head: Any) -> dict[str, str]:
    """Return the columns of whole numbers that name the rows, and how: by the rules of tables in memory."""
    polars = require("polars", extra="cli", purpose="Reading tables")
    whole = [one for one in head if one.dtype.is_integer() and not one.null_count()]
    suspects = [one.name for one in whole if may_name_rows(one.name, one.cast(polars.Float64).to_numpy())]
    if not suspects:
        return {}
    sample = draw_sample(read_blocks(source, columns=suspects), KEY_ROWS, seed=0)
    found = {
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


def _first_of_frame(frame: Any) -> Any:
    if not type(frame).__module__.startswith("dask"):
        return frame.head(HEAD_ROWS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # fewer rows in the first partition than asked for
        return frame.head(HEAD_ROWS)
