"""The grid of methods and toy sets: what each method makes of each shape, and how long it takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from coterie._support.typing import Labels
from coterie.errors import InvalidParameter
from coterie.show.palette import FAINT, INK
from coterie.show.plots.drawing.canvas import drawing
from coterie.show.plots.drawing.cloud import draw_cloud, marker_area
from coterie.show.plots.drawing.marks import plain
from coterie.show.toys import MethodGrid

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SIDE = 1.45  # inches of a cell


def method_grid(grid: MethodGrid) -> Figure:
    """Draw what methods found on toy sets: a row per set, a column per method, groups and time below each.

    Parameters
    ----------
    grid : MethodGrid
        What ``coterie.show.toys.run_grid`` gives.

    Examples
    --------
    >>> from coterie.show.toys import run_grid, toy_sets
    >>> figure = method_grid(run_grid(toy_sets(40)[:2], methods=("single", "kmeans")))
    >>> [ax.get_title() for ax in figure.axes]
    ['single', 'kmeans', '', '']
    """
    if not isinstance(grid, MethodGrid):
        raise InvalidParameter(
            f"grid of method_grid must be a MethodGrid, as run_grid gives it, got {type(grid).__name__}."
        )
    n_rows, n_columns = len(grid.sets), len(grid.methods)
    size = (SIDE * n_columns + 0.3, (SIDE + 0.15) * n_rows + 0.3)
    figure: Figure = drawing().figure(figsize=size, layout="constrained")
    axes = figure.subplots(n_rows, n_columns, squeeze=False)
    for row, one in zip(axes, grid.sets, strict=True):
        for ax, method in zip(row, grid.methods, strict=True):
            cell = grid.cells[one.name, method]
            draw_cloud(ax, one.X, _by_first_row(cell.labels), size=0.25 * marker_area(len(one.X)))
            _frame(ax, cell.labels, cell.seconds)
        row[0].set_ylabel(plain(one.name), color=INK)
    for ax, method in zip(axes[0], grid.methods, strict=True):
        ax.set_title(plain(method), color=INK, fontsize="medium")
    return figure


def _by_first_row(labels: Labels) -> Labels:
    """Return clusters numbered by their first rows: the same groups have the same colour everywhere."""
    present, first, codes = np.unique(labels, return_index=True, return_inverse=True)
    order = np.argsort(np.where(present < 0, -1, first), kind="stable")
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order)) - (1 if present[0] < 0 else 0)
    return rank[codes]


def _frame(ax: Axes, labels: Labels, seconds: float) -> None:
    ax.set_xticks([])
    ax.set_yticks([])
    for spine in ax.spines.values():
        spine.set_color(FAINT)
    k = len(np.unique(labels[labels >= 0]))
    took = f"{1000 * seconds:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"
    ax.set_xlabel(f"k = {k}, {took}", fontsize=7, color=INK, labelpad=2)
