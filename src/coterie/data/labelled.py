"""Data with a label per row, from files: one table, or two whose rows are matched."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from coterie._support.validation.schema import COUNT, Instance, ListOf, Names, Schema, Tensor, Text
from coterie.data.columns import LeftOut
from coterie.data.labels import CLUSTER_NAMES, align, choose_label_column, label_values, read_labels_table
from coterie.data.missing import settle_missing
from coterie.data.table import Table, read_table
from coterie.errors import InvalidData


@dataclass(frozen=True)
class LabelledData:
    """Rows of numbers and their labels.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_columns)
        The numbers.
    labels : ndarray of shape (n_rows,)
        The label of each row.
    columns : tuple of str
        Names of the columns of X.
    left_out : tuple of LeftOut
        Columns that are not used, and why.
    label_name, source, data_source : str
        Column of the labels, its file, and the file of the data.
    n_dropped : int
        Rows left out because a value or a label is missing.
    notes : tuple of str
        What had to be decided, in a user's words.
    """

    _schema: ClassVar[Schema] = {
        "X": Tensor("rows", "columns", kind="any"),
        "labels": Names("rows"),
        "columns": ListOf(Text(), "columns", kind=tuple),
        "left_out": ListOf(Instance(LeftOut), kind=tuple),
        "label_name": Text(),
        "source": Text(),
        "data_source": Text(),
        "n_dropped": COUNT,
        "notes": ListOf(Text(), kind=tuple),
    }

    X: npt.NDArray[Any]
    labels: npt.NDArray[Any]
    columns: tuple[str, ...]
    left_out: tuple[LeftOut, ...]
    label_name: str
    source: str
    data_source: str
    n_dropped: int
    notes: tuple[str, ...]


def read_labelled_data(
    labels: str | os.PathLike[str] | Table,
    data: str | os.PathLike[str] | Table,
    *,
    column: str | None = None,
    drop: tuple[str, ...] = (),
    missing: str = "error",
    header: bool | None = None,
    encoding: str | None = None,
) -> LabelledData:
    r"""Read data and the label of each of their rows.

    Parameters
    ----------
    labels : str, path or Table
        The table that holds the labels.
    data : str, path or Table
        The table that holds the data; may be the same. Rows are matched by a column that names them, where
        both have one, otherwise by their order.
    column : str, default=None
        Column of the labels; None looks for a usual name, or for the only column that can be meant.
    drop : tuple of str, default=()
        Columns of the truth, which the data may hold as well: they are left out.
    missing : {"error", "drop"}, default="error"
        What to do with rows that lack a value or a label.
    header, encoding
        As in `read_table`, for both files.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "flowers.csv"
    >>> _ = path.write_text("width,group\n1.5,1\n2.5,1\n7,2\n")
    >>> found = read_labelled_data(path, path)
    >>> found.X.ravel().tolist(), found.labels.tolist()
    ([1.5, 2.5, 7.0], [1, 1, 2])
    """
    table = read_labels_table(labels, header, encoding)
    name = choose_label_column(table, column, CLUSTER_NAMES, option="--column")
    other = data if isinstance(data, Table) else read_table(data, header=header, encoding=encoding)
    unused = [each for each in (name, *drop) if each in other.columns]
    choice = other.choose(drop=unused)
    for each in unused:
        choice = choice.renamed_reason(each, "the labels" if each == name else "the truth")
    X = other.matrix(choice.used)
    X = np.asarray(X.toarray() if hasattr(X, "toarray") else X)
    content, notes = align(other, table)  # labels in the order of the data
    found = content[name]
    is_empty = found.is_null().to_numpy()
    if is_empty.any() and missing == "error":
        first = int(np.argmax(is_empty)) + 1
        text = (
            f"{table.source}: {int(is_empty.sum()):,} rows lack a label in {name} (the first is row {first})."
        )
        raise InvalidData(f'{text} Use missing="drop".').in_shell(f"{text} Use --missing drop.")
    kept = np.flatnonzero(~is_empty)
    complete = settle_missing(X[kept], choice.used, policy=missing, source=other.source)
    return LabelledData(
        X=complete.X,
        labels=label_values(found.filter(~found.is_null()))[complete.rows],
        columns=choice.used,
        left_out=choice.left_out,
        label_name=name,
        source=table.source,
        data_source=other.source,
        n_dropped=other.n_rows - len(complete.rows),
        notes=tuple(dict.fromkeys(notes)),
    )
