"""Labels as a table: what names each row, its label, and the name of its group."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from coterie._support.optional import require
from coterie._support.typing import Labels
from coterie.data import Table
from coterie.pipeline.groups import group_name

FORMULA = r"^[=+\-@\t\r]"  # what a spreadsheet runs, by its first character


def label_frame(
    table: Table, labels: Labels, *, with_data: bool = False, names: Sequence[str] | None = None
) -> Any:
    """Return the columns that name the rows (or all, or the row number), the label and the name of the group.

    Both are empty for rows that were left out. `names` are those of the groups; None: "group 1" and so on.
    """
    polars = require("polars", extra="cli", purpose="Writing tables")
    values = np.ma.asarray(labels).tolist()

    def name_of(label: int) -> str:
        return group_name(label) if names is None or label < 0 else names[label]

    said = [None if label is None else name_of(label) for label in values]
    found = [polars.Series("label", values, dtype=polars.Int32), polars.Series("group", said, polars.String)]
    taken = ("label", "group")
    if with_data and not table.is_matrix:
        return table.content.select([name for name in table.columns if name not in taken]).with_columns(found)
    keys = [name for name in table.key_columns() if name not in taken]
    if keys and not with_data:
        return table.content.select(keys).with_columns(found)
    frame = polars.DataFrame({"row": np.arange(1, table.n_rows + 1)})
    if with_data:
        frame = frame.with_columns(polars.DataFrame(table.matrix(table.columns), schema=list(table.columns)))
    return frame.with_columns(found)


def without_formulas(frame: Any) -> Any:
    """Return the columns with an apostrophe before whatever a spreadsheet would take for a formula."""
    polars = require("polars", extra="cli", purpose="Writing tables")
    texts = polars.col(polars.String).str.replace(FORMULA, "'$0")
    return frame.with_columns(texts).rename(lambda name: re.sub(FORMULA, r"'\g<0>", name))
