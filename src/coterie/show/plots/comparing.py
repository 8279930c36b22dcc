"""Clusters against known classes: the contingency table with its purities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from coterie._printing import count_of
from coterie._support.typing import AnyArray
from coterie.evaluate import ContingencyTable
from coterie.evaluate.external import purity_of
from coterie.show.palette import FAINT, INK
from coterie.show.plots.drawing.canvas import axes_for, drawing, tidy
from coterie.show.plots.drawing.marks import (
    AMOUNTS,
    count_from_0,
    letters_on,
    plain,
    words_of_labels,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_SHOWN = 60  # rows or columns; the smallest beyond become one
MOST_WRITTEN = 15  # rows or columns up to which counts stand in the cells
PURITY_INCHES, MOST_OF_THE_GRID = 0.36, 0.16  # height of the bars, whatever the number of classes
OTHERS = "others"


@dataclass(frozen=True, eq=False)
class CountTable:
    """The table as drawn: `counts` of (classes, clusters) in the order of `classes` and `clusters`."""

    counts: npt.NDArray[np.float64]
    purities: npt.NDArray[np.float64]
    classes: list[str]
    clusters: list[str]


def contingency(table: ContingencyTable, ax: Axes | None = None) -> Axes:
    """Draw how each cluster (column) divides among the classes (rows), with the purity of each cluster.

    Colours are shares of a cluster. Clusters stand in the order of their largest classes, so that what
    agrees lies on a diagonal; more than 60 classes or clusters end in "others".

    Parameters
    ----------
    table : ContingencyTable
        What `coterie.evaluate.contingency_table` returns.
    ax : Axes, default=None
        Where to draw; None opens a figure.

    Examples
    --------
    >>> from coterie.evaluate import contingency_table
    >>> from coterie.show.plots import contingency
    >>> ax = contingency(contingency_table(["a", "a", "b", "b"], [1, 1, 1, 0]))
    >>> ax.get_title(loc="left")
    'Purity 0.75: 4 rows, 2 classes, 2 clusters'
    """
    grid = _arrange(table)
    n_rows, n_columns = grid.counts.shape
    size = (float(np.clip(2.6 + 0.5 * n_columns, 5.0, 12.0)), float(np.clip(2.2 + 0.4 * n_rows, 3.4, 11.0)))
    ax = axes_for(ax, size=size)
    sizes = grid.counts.sum(axis=0)
    shares = grid.counts / np.where(sizes > 0, sizes, 1.0)
    image = ax.imshow(shares, cmap=AMOUNTS, vmin=0.0, vmax=1.0, aspect="auto", interpolation="nearest")
    _name(ax, grid)
    if max(n_rows, n_columns) <= MOST_WRITTEN:
        _write_counts(ax, grid, shares)
    bar = ax.get_figure().colorbar(image, ax=ax, fraction=0.035, aspect=30, pad=0.02)  # type: ignore[union-attr]
    bar.set_label("share of the cluster", color=INK)
    bar.outline.set_visible(False)
    x = "group" if count_from_0(table.clusters.tolist()) else "cluster"
    tidy(ax, title=_headline(table), x=x, y="class")
    _draw_purities(ax, grid)
    ax.tick_params(length=0)
    return ax


def _arrange(table: ContingencyTable) -> CountTable:
    """Return the largest classes and clusters, clusters by their largest class, and the rest as one."""
    rows, row_of = _largest(table.class_sizes)
    columns, column_of = _largest(table.cluster_sizes)
    n_rows, n_columns = int(row_of.max(initial=-1)) + 1, int(column_of.max(initial=-1)) + 1
    counts = np.zeros((n_rows, n_columns))
    np.add.at(counts, (row_of[table.rows], column_of[table.columns]), table.counts)
    order = np.lexsort((-counts.max(axis=0), counts.argmax(axis=0)))
    if n_columns > columns.size:  # "others" stay last
        order = np.r_[order[order != columns.size], columns.size]
    classes = [*map(plain, table.classes[rows].tolist()), *[OTHERS] * (n_rows - rows.size)]
    words = words_of_labels(table.clusters.tolist(), is_short=True)
    clusters = [*(words[at] for at in columns), *[OTHERS] * (n_columns - columns.size)]
    purities = _purities(table, column_of)
    return CountTable(counts[:, order], purities[order], classes, [clusters[at] for at in order])


def _purities(table: ContingencyTable, column_of: npt.NDArray[np.intp]) -> npt.NDArray[np.float64]:
    """Return the share of the largest class, of every class there is, in each column that is drawn."""
    largest = np.zeros(table.clusters.size)
    np.maximum.at(largest, table.columns, table.counts)
    sizes = np.bincount(column_of, weights=table.cluster_sizes)
    return np.asarray(np.bincount(column_of, weights=largest) / np.where(sizes > 0, sizes, 1.0))


def _largest(sizes: AnyArray) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Return which to show, in their own order, and the place of each one: those left out share the last."""
    if sizes.size <= MOST_SHOWN:
        return np.arange(sizes.size), np.arange(sizes.size)
    shown = np.sort(np.argsort(-sizes, kind="stable")[: MOST_SHOWN - 1])
    place = np.full(sizes.size, MOST_SHOWN - 1)
    place[shown] = np.arange(MOST_SHOWN - 1)
    return shown, place


def _name(ax: Axes, grid: CountTable) -> None:
    points = 9 if max(grid.counts.shape) <= MOST_WRITTEN else 6
    is_crowded = len(grid.clusters) > MOST_WRITTEN
    ax.set_xticks(range(len(grid.clusters)), grid.clusters, fontsize=points, rotation=90 if is_crowded else 0)
    ax.set_yticks(range(len(grid.classes)), grid.classes, fontsize=points)


def _write_counts(ax: Axes, grid: CountTable, shares: npt.NDArray[np.float64]) -> None:
    cells = drawing().get_cmap(AMOUNTS)(shares)
    for (row, column), count in np.ndenumerate(grid.counts):
        if count:
            text, color = f"{count:,.6g}", letters_on(cells[row, column])
            ax.text(column, row, text, ha="center", va="center", color=color, fontsize=9)


def _draw_purities(ax: Axes, grid: CountTable) -> None:
    """Draw a bar above each column: the share of the largest class."""
    n_rows, n_columns = grid.counts.shape
    inches = ax.get_window_extent().height / ax.figure.dpi
    height = n_rows * min(PURITY_INCHES / max(inches, 0.1), MOST_OF_THE_GRID)
    foot = -0.5 - height / 4
    ax.bar(range(n_columns), -height * grid.purities, bottom=foot, width=0.8, color=INK, gid="purity")
    ax.bar(range(n_columns), -height, bottom=foot, width=0.8, color=FAINT, zorder=0.5)
    ax.text(-0.55, foot - height / 2, "purity ", ha="right", va="center", color=INK, fontsize="small")
    if n_columns <= MOST_WRITTEN:
        for at, purity in enumerate(grid.purities.tolist()):
            color = "white" if purity > 0.4 else INK
            ax.text(at, foot - height / 5, f"{purity:.2f}", ha="center", va="bottom", color=color, fontsize=8)
    ax.set_ylim(n_rows - 0.5, foot - 1.05 * height)
    ax.spines[["left", "bottom"]].set_visible(False)


def _headline(table: ContingencyTable) -> str:
    parts = [count_of(table.classes.size, "class", "classes"), count_of(table.clusters.size, "cluster")]
    if not table.is_weighted:
        parts.insert(0, count_of(int(table.n_samples), "row"))
    return f"Purity {purity_of(table):.2f}: {', '.join(parts)}"
