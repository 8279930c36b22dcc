"""Tables for commands that need them whole: small ones as they are, of large ones a sample, and said so."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from coterie._support.typing import Settings
from coterie.data import Table, options_of_text, read_labels_table, read_table, shown_name
from coterie.data.paths import is_in_blocks, is_place
from coterie.errors import InvalidData, InvalidParameter

TREE_ROWS, PLOT_ROWS, EVALUATE_ROWS = 5_000, 20_000, 20_000  # of a sample


def read_or_sample(data: str, n_rows: int, *, seed: int = 0, **reading: Any) -> Table:
    """Return a table; of data that are read in blocks, `n_rows` rows of it, with a note on standard error."""
    if not is_in_blocks(data):
        return read_table(data, **reading)
    table, n_all = _sample(data, n_rows, seed, reading)
    tell(data, table.n_rows, n_all)
    return table


def sample_alike(data: str, others: Sequence[str], reading: Settings) -> list[Table] | None:
    """Return the same rows of data and of their labels, drawn alike; None where all are small."""
    if not any(is_in_blocks(one) for one in (data, *others)):
        return None
    drawn, n_all = _sample(data, EVALUATE_ROWS, 0, reading)
    tables = [drawn]
    for one in others:
        labels, n_labels = _sample(one, EVALUATE_ROWS, 0, reading)
        if n_labels != n_all:
            raise InvalidData(
                f"{shown_name(one)} has {n_labels:,} rows, {shown_name(data)} has {n_all:,}: labels of the "
                f"same rows in the same order are needed."
            )
        tables.append(labels)
    tell(data, drawn.n_rows, n_all)
    return tables


class Evaluated(NamedTuple):
    """Labels, the rows that they are of, and the classes: a column, a file, or rows of one."""

    labels: Table
    rows: Table | None
    classes: str | Table | None
    files: Settings  # options of text that the file of classes takes


def read_evaluated(
    labels: str, data: str | None, truth: str | None, files: Settings, reading: Settings
) -> Evaluated:
    """Return what ``coterie evaluate`` compares; of data that are read in blocks, the same rows of each."""
    others = [truth] if truth is not None and is_place(truth) else []
    places = [labels, *([] if data is None else [data]), *others]
    of_labels, *of_others = options_of_text(*places, **files)
    of_truth: Settings = of_others[-1] if others else {}
    drawn = None if data is None else sample_alike(data, [labels, *others], {**files, **reading})
    if drawn is not None:
        rows, labelled, *more = drawn
        return Evaluated(labelled, rows, more[0] if more else truth, of_truth)
    table = read_labels_table(labels, **of_labels)
    if data is None:
        return Evaluated(table, None, truth, of_truth)
    is_same = data == labels and not reading
    rows = table if is_same else read_table(data, **of_others[0], **reading)
    return Evaluated(table, rows, truth, of_truth)


def refuse_labels(data: str, output: Path | None) -> None:
    """Refuse to write a label per row where only a sample gets any."""
    if output is not None and is_in_blocks(data):
        raise InvalidParameter(
            f"{shown_name(data)} is so large that the tree is of a sample, which has no label for each row. "
            f"Leave -o out, or use coterie fit."
        )


def tell(data: str, n_rows: int, n_all: int) -> None:
    """Say that rows are a sample, if they are."""
    if n_rows < n_all:
        print(
            f"note: {shown_name(data)} has {n_all:,} rows; this is from {n_rows:,} of them, drawn at random",
            file=sys.stderr,
        )


def _sample(data: str, n_rows: int, seed: int, reading: Settings) -> tuple[Table, int]:
    from coterie.cli.fitting import reading_in_blocks
    from coterie.scale.sample_tables import sample_table

    return sample_table(data, n_rows, seed, **reading_in_blocks(data, **reading))
