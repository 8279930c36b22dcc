"""Labels as a table: what names each row, its label, and the name of its group."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from coterie._support.optional import require
from coterie._support.typing import Labels, PolarsFrame
from coterie.data import Table
from coterie.data.columns import check_names
from coterie.pipeline.groups import group_name

FORMULA = r"^[=+\-@\t\r]"  # what a spreadsheet runs, by its first character


def label_frame(
    table: Table,
    labels: Labels,
    *,
    with_data: bool = False,
    names: Sequence[str] | None = None,
    carry: Sequence[str] = (),
    with_file: bool = False,
) -> PolarsFrame:
    """Return the columns that name the rows (or all, or the row number), the label and the name of the group.

    Both are empty for rows that were left out. `names` are those of the groups; None: "group 1" and so on.
    Columns of `carry` stand beside the keys; `with_file` puts the file of each row, and its number there
    counted from 1, before all.
    """
    found = _label_frame(table, labels, with_data, names, carry)
    return _with_file(table, found) if with_file else found


def _with_file(table: Table, frame: Any) -> Any:
    """Return the frame with the file of each row, and its number there, before its columns."""
    polars = require("polars", extra="cli", purpose="Writing tables")
    files = table.files or ((table.source, table.n_rows),)
    places = polars.DataFrame(
        {
            "file": np.repeat([name for name, _ in files], [n for _, n in files]),
            "file_row": np.concatenate([np.arange(1, n + 1) for _, n in files]),
        }
    )
    others = [name for name in frame.columns if name not in ("file", "file_row", "row")]
    return places.hstack(frame.select(others))


def _label_frame(
    table: Table, labels: Labels, with_data: bool, names: Sequence[str] | None, carry: Sequence[str]
) -> Any:
    polars = require("polars", extra="cli", purpose="Writing tables")
    known, is_out = np.ma.filled(labels, -1).astype(np.int32), np.ma.getmaskarray(labels)
    n_named = int(known.max(initial=-1)) + 1
    named = [group_name(-1), *(map(group_name, range(n_named)) if names is None else names[:n_named])]
    there = polars.Series("", ~is_out)
    values = polars.Series("label", known)
    said = polars.Series("group", named, polars.String).gather(np.maximum(known, -1) + 1)
    found = [
        polars.select(polars.when(there).then(one)).to_series().alias(one.name) for one in (values, said)
    ]
    taken = ("label", "group")
    if with_data and not table.is_matrix:
        return table.content.select([name for name in table.columns if name not in taken]).with_columns(found)
    check_names(table.source, table.columns, carry)
    keys = [name for name in dict.fromkeys([*table.key_columns(), *carry]) if name not in taken]
    if keys and not with_data:
        beside = table.matrix(keys) if table.is_matrix else table.content.select(keys)
        frame = polars.DataFrame(beside, schema=keys) if table.is_matrix else beside
        return frame.with_columns(found)
    frame = polars.DataFrame({"row": np.arange(1, table.n_rows + 1)})
    if with_data:
        frame = frame.with_columns(polars.DataFrame(table.matrix(table.columns), schema=list(table.columns)))
    return frame.with_columns(found)


def without_formulas(frame: PolarsFrame) -> PolarsFrame:
    """Return the columns with an apostrophe before whatever a spreadsheet would take for a formula."""
    polars = require("polars", extra="cli", purpose="Writing tables")
    texts = polars.col(polars.String).str.replace(FORMULA, "'$0")
    return frame.with_columns(texts).rename(lambda name: re.sub(FORMULA, r"'\g<0>", name))
