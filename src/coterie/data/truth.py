"""Labels, the data they belong to and the truth about them, wherever each of the three stands."""

from __future__ import annotations

import os
from typing import Any

from coterie.data.labelled import LabelledData, read_labelled_data
from coterie.data.labels import LabelPair, read_label_pair
from coterie.data.table import Table


def read_truth(
    table: Table, truth: str, rows: Table | None, truth_column: str | None, **how: Any
) -> LabelPair:
    """Read the classes from a column of the labels, from a file, or from a column of the data.

    Parameters
    ----------
    table : Table
        The table of the labels.
    truth : str
        A column of it, a column of the data, or a file.
    rows : Table or None
        The data.
    truth_column : str or None
        Column of the truth's own file.
    **how
        As in `read_label_pair`.
    """
    is_of_data = rows is not None and truth in rows.columns
    if truth not in table.columns and is_of_data and not os.path.exists(truth):
        assert rows is not None
        return read_label_pair(table, rows, truth_column=truth, **how)
    return read_label_pair(table, truth, truth_column=truth_column, **how)


def read_rows(table: Table, rows: Table, pair: LabelPair | None, **how: Any) -> LabelledData:
    """Read the data of the labels, without the classes."""
    return read_labelled_data(table, rows, drop=() if pair is None else (pair.true_column,), **how)
