"""Working parts of the contingency table: reductions, noise, drawing."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from coterie._support.typing import AnyArray
from coterie.evaluate.labelings import NOISE_LABEL

if TYPE_CHECKING:
    from coterie.evaluate.external.contingency import ContingencyTable

MOST_SHOWN = 12  # rows or columns drawn before the rest becomes "..."

Cells: TypeAlias = tuple[AnyArray, AnyArray, AnyArray, int, int]  # rows, columns, counts, n_rows, n_columns


def reduce_rows(operation: np.ufunc, row_starts: AnyArray, values: AnyArray) -> AnyArray:
    """Reduce the cells of each row; a row without cells gives 0."""
    result = np.zeros(row_starts.size - 1, dtype=values.dtype)
    is_filled = np.diff(row_starts) > 0
    if is_filled.any():
        result[is_filled] = operation.reduceat(values, row_starts[:-1][is_filled])
    return result


def find_noise(labels: AnyArray) -> int | None:
    """Return where -1 stands among sorted labels, or None."""
    if labels.dtype.kind not in "ifO":
        return None
    found = (
        [at for at, label in enumerate(labels.tolist()) if _is_noise(label)]
        if labels.dtype.kind == "O"
        else (np.flatnonzero(labels == NOISE_LABEL).tolist())
    )
    return int(found[0]) if found else None


def drop_noise(table: ContingencyTable, noisy_row: int | None, noisy_column: int | None) -> Cells:
    """Leave out the row and the column of the noise."""
    keep = np.ones(table.n_cells, dtype=bool)
    if noisy_row is not None:
        keep &= table.rows != noisy_row
    if noisy_column is not None:
        keep &= table.columns != noisy_column
    return table.rows[keep], table.columns[keep], table.counts[keep], *table.shape


def isolate_noise(table: ContingencyTable, noisy_row: int | None, noisy_column: int | None) -> Cells:
    """Give every sample of the noise a row, or column, of its own."""
    is_row_noise = table.rows == (-1 if noisy_row is None else noisy_row)
    is_column_noise = table.columns == (-1 if noisy_column is None else noisy_column)
    repeats = np.where(is_row_noise | is_column_noise, table.counts, 1)
    rows, columns = np.repeat(table.rows, repeats), np.repeat(table.columns, repeats)
    counts = np.repeat(np.where(is_row_noise | is_column_noise, 1, table.counts), repeats)
    n_rows, n_columns = table.shape
    alone_in_rows, alone_in_columns = np.repeat(is_row_noise, repeats), np.repeat(is_column_noise, repeats)
    rows[alone_in_rows] = n_rows + np.arange(alone_in_rows.sum())
    columns[alone_in_columns] = n_columns + np.arange(alone_in_columns.sum())
    return rows, columns, counts, n_rows + int(alone_in_rows.sum()), n_columns + int(alone_in_columns.sum())


def extend_labels(labels: AnyArray, size: int) -> AnyArray:
    """Add -1 for every singleton of the noise."""
    if size == labels.size:
        return labels
    return np.concatenate([labels, np.full(size - labels.size, NOISE_LABEL, dtype=labels.dtype)])


def draw(table: ContingencyTable) -> str:
    """Return the table with its margins as text."""
    n_rows, n_columns = table.shape
    title = (
        f"{_number(table.n_samples)} samples, {n_rows:,} classes (rows) x {n_columns:,} clusters (columns)"
    )
    grid = _grid(table)
    widths = [max(len(row[at]) for row in grid) for at in range(len(grid[0]))]
    lines = [
        "  ".join(
            [
                row[0].ljust(widths[0]),
                *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)),
            ]
        )
        for row in grid
    ]
    return "\n".join([title, *(line.rstrip() for line in lines)])


def draw_html(table: ContingencyTable) -> str:
    """Return the table with its margins as HTML."""
    head, *body = _grid(table)
    cells = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    rows = "".join(
        f"<tr><th>{escape(row[0])}</th>{''.join(f'<td>{escape(cell)}</td>' for cell in row[1:])}</tr>"
        for row in body
    )
    return f"<table><thead><tr>{cells}</tr></thead><tbody>{rows}</tbody></table>"


def _grid(table: ContingencyTable) -> list[list[str]]:
    shown_rows, shown_columns = min(table.classes.size, MOST_SHOWN), min(table.clusters.size, MOST_SHOWN)
    more = ["..."] if table.clusters.size > shown_columns else []
    grid = [["", *map(str, table.clusters[:shown_columns].tolist()), *more, "sum"]]
    for row in range(shown_rows):
        cells = np.zeros(table.clusters.size, dtype=table.counts.dtype)
        owned = slice(table.row_starts[row], table.row_starts[row + 1])
        cells[table.columns[owned]] = table.counts[owned]
        texts = [_number(cell) for cell in cells[:shown_columns].tolist()]
        grid.append([str(table.classes[row]), *texts, *more, _number(table.class_sizes[row])])
    if table.classes.size > shown_rows:
        grid.append(["..." for _ in grid[0]])
    margin = [_number(size) for size in table.cluster_sizes[:shown_columns].tolist()]
    grid.append(["sum", *margin, *more, _number(table.n_samples)])
    return grid


def _number(value: float | np.number) -> str:
    return f"{value:.6g}" if isinstance(value, float | np.floating) else f"{int(value):,}"


def _is_noise(label: object) -> bool:
    return isinstance(label, int | float | np.number) and not isinstance(label, bool) and label == NOISE_LABEL
