"""Clouds of points: markers, or their density when there are many; never just some of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from coterie._support.typing import FloatArray, Labels
from coterie.show.palette import INK, NOISE_COLOR, color_of, marker_of
from coterie.show.plots.drawing.canvas import drawing
from coterie.show.plots.drawing.marks import POINTS_PER_INCH, words_of_labels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PathCollection
    from matplotlib.image import AxesImage
    from matplotlib.lines import Line2D

MOST_MARKERS = 20_000  # rows; more are drawn as a density
MOST_VECTORS = 2_000  # rows; more are drawn as pixels in SVG and PDF files
MOST_NAMED = 12  # clusters in a legend; more are named where they stand
LONGEST_IN_CROWD = 10  # characters of a name among many
NAME_POINTS, LETTER_WIDTH = 8.0, 0.62  # size of such a name; width of a letter, of that size
NEAR_PLACE = 4.0  # points between a place and its name
SIDES = {"above": (0, 1), "below": (0, -1), "right": (1, 0), "left": (-1, 0)}  # across, up
CELLS = (480, 360)  # of a density, across and up
FAINTEST = 0.25  # opacity of a cell with one row
Extent: TypeAlias = tuple[float, float, float, float]


def draw_cloud(
    ax: Axes, places: FloatArray, labels: Labels, *, size: float | None = None, opacity: float = 0.85
) -> None:
    """Draw every row at its place in the colour of its cluster: markers, or for many rows their density.

    Rows labelled -1 are noise (grey, beneath the others), those below -1 are not drawn.

    `size` is the area of a marker in square points; None: by the number of rows.

    Examples
    --------
    >>> from coterie.show.plots.drawing.canvas import axes_for
    >>> ax = axes_for(None)
    >>> draw_cloud(ax, np.array([[0.0, 0.0], [1.0, 1.0]]), np.array([0, 1]))
    >>> len(ax.collections), len(ax.images)
    (2, 0)
    """
    is_drawn = (labels >= -1) & np.isfinite(places).all(axis=1)
    if not is_drawn.all():
        places, labels = places[is_drawn], labels[is_drawn]
    if len(labels) > MOST_MARKERS:
        _draw_density(ax, places, labels)
        return
    area = marker_area(len(labels)) if size is None else size
    present = np.unique(labels).tolist()
    words = dict(zip(present, words_of_labels(present), strict=True))
    for label in present:
        rows = places[labels == label]
        ax.scatter(
            rows[:, 0],
            rows[:, 1],
            s=area if label >= 0 else 2 * area,  # a dot fills a part of its area only
            c=color_of(label),
            marker=marker_of(label),
            linewidths=0,
            alpha=opacity,
            zorder=1 if label < 0 else 2,
            label=words[label],
            rasterized=len(labels) > MOST_VECTORS,
        )


def marker_area(n: int) -> float:
    """Return the area of a marker among n: smaller where there are many.

    Examples
    --------
    >>> marker_area(10), marker_area(20_000)
    (36.0, 3.0)
    """
    return float(np.clip(6000 / max(n, 1), 3.0, 36.0))


def _draw_density(ax: Axes, places: FloatArray, labels: Labels) -> None:
    cells, extent = _cells(places)
    to_rgb = drawing("colors").to_rgb
    n_cells = CELLS[0] * CELLS[1]
    total, sums = np.zeros(n_cells), np.zeros((n_cells, 3))
    for label in np.unique(labels).tolist():
        rows = np.bincount(cells[labels == label], minlength=n_cells)
        total += rows
        sums += rows[:, None] * np.array(to_rgb(color_of(label)))
    _show_cells(ax, _faded(sums, total), extent)


def _cells(places: FloatArray) -> tuple[npt.NDArray[np.int64], Extent]:
    """Return the cell of each place, and the left, right, lower and upper end of all cells."""
    low, high = places.min(axis=0), places.max(axis=0)
    margin = np.where(high > low, 0.02 * (high - low), 0.5)
    low, high = low - margin, high + margin
    shape = np.array(CELLS)
    at = np.minimum(((places - low) / (high - low) * shape).astype(np.int64), shape - 1)
    extent = (float(low[0]), float(high[0]), float(low[1]), float(high[1]))
    return at[:, 1] * shape[0] + at[:, 0], extent


def _faded(sums: FloatArray, total: FloatArray) -> FloatArray:
    """Return a colour per cell from the sums of its rows' colours: the more rows the less faint."""
    image = np.zeros((len(total), 4))
    is_full = total > 0
    image[is_full, :3] = np.clip(sums[is_full] / total[is_full, None], 0.0, 1.0)
    strength = np.log1p(total[is_full]) / np.log1p(np.quantile(total[is_full], 0.98))
    image[is_full, 3] = np.clip(FAINTEST + (1 - FAINTEST) * strength, FAINTEST, 1.0)
    return image


def _show_cells(ax: Axes, image: FloatArray, extent: Extent) -> None:
    ax.imshow(
        image.reshape(CELLS[1], CELLS[0], 4),
        origin="lower",
        extent=extent,
        aspect="auto",
        interpolation="nearest",
        zorder=1,
    )


def name_clusters(ax: Axes, places: FloatArray, labels: Labels, names: list[str] | None = None) -> None:
    """Say which colour is which: in a legend, or, where there are many clusters, at the middle of each.

    Examples
    --------
    >>> from coterie.show.plots.drawing.canvas import axes_for
    >>> ax = axes_for(None)
    >>> name_clusters(ax, np.array([[0.0, 0.0], [1.0, 1.0]]), np.array([0, -1]))
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['group 1', 'noise']
    """
    present = [label for label in np.unique(labels).tolist() if label >= 0]
    words = dict(zip(present, words_of_labels(present, names), strict=True))
    if len(present) <= MOST_NAMED:
        handles = [_handle(label, words[label]) for label in present]
        if (labels == -1).any():
            handles.append(_handle(-1, "noise"))
        if len(handles) > 1:
            ax.legend(handles=handles, loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
        return
    words = dict(zip(present, words_of_labels(present, names, LONGEST_IN_CROWD, is_short=True), strict=True))
    middles = np.array([np.median(places[labels == label], axis=0) for label in words])
    sides = _sides_that_fit(ax, middles, list(words.values()))
    for middle, name, side in zip(middles, words.values(), sides, strict=True):
        _write_name(ax, middle, name, side)


def _sides_that_fit(ax: Axes, middles: FloatArray, names: list[str]) -> list[str]:
    """Return on which side of its place each name stands: the first on which it covers no name before it."""
    per_inch = ax.get_figure().dpi  # type: ignore[union-attr]  # has one
    spots = ax.transData.transform(middles) * POINTS_PER_INCH / per_inch
    taken: list[tuple[float, float, float]] = []  # middle of a name, and half of its width, in points
    chosen = []
    for (x, y), name in zip(spots.tolist(), names, strict=True):
        half = LETTER_WIDTH * NAME_POINTS * len(name) / 2
        boxes = {
            side: (x + across * (half + NEAR_PLACE), y + up * (NAME_POINTS / 2 + NEAR_PLACE), half)
            for side, (across, up) in SIDES.items()
        }
        free = [side for side, box in boxes.items() if not any(_overlap(box, other) for other in taken)]
        chosen.append(free[0] if free else "above")
        taken.append(boxes[chosen[-1]])
    return chosen


def _overlap(one: tuple[float, float, float], other: tuple[float, float, float]) -> bool:
    return abs(one[0] - other[0]) < one[2] + other[2] and abs(one[1] - other[1]) < NAME_POINTS


def _write_name(ax: Axes, place: FloatArray, name: str, side: str) -> None:
    """Write a name beside a place, which may be marked."""
    across, up = SIDES[side]
    text = ax.annotate(
        name,
        (float(place[0]), float(place[1])),
        xytext=(NEAR_PLACE * across, NEAR_PLACE * up),
        textcoords="offset points",
        ha={-1: "right", 0: "center", 1: "left"}[across],
        va={-1: "top", 0: "center", 1: "bottom"}[up],
        color=INK,
        fontsize=NAME_POINTS,
        zorder=6,
    )
    text.set_path_effects([drawing("patheffects").withStroke(linewidth=2.2, foreground="white")])


def _handle(label: int, name: str) -> Line2D:
    handle: Line2D = drawing("lines").Line2D(
        [],
        [],
        linestyle="none",
        marker="o" if label < 0 else marker_of(label),
        markersize=4 if label < 0 else 6,
        color=NOISE_COLOR if label < 0 else color_of(label),
        label=name,
    )
    return handle


def draw_values(
    ax: Axes,
    places: FloatArray,
    values: FloatArray,
    *,
    cmap: str,
    low: float,
    high: float,
    size: float | None = None,
) -> PathCollection | AxesImage:
    """Draw every row at its place in the colour of a value; for many rows, the mean of each cell.

    Returns what a colour bar is made of.

    Examples
    --------
    >>> from coterie.show.plots.drawing.canvas import axes_for
    >>> ax = axes_for(None)
    >>> drawn = draw_values(ax, np.zeros((2, 2)), np.array([0.0, 1.0]), cmap="cividis", low=0.0, high=1.0)
    >>> drawn.get_clim()
    (0.0, 1.0)
    """
    n = len(values)
    if n <= MOST_MARKERS:
        order = np.argsort(values, kind="stable")  # the high ones on top
        across, up = places[order].T
        area = marker_area(n) if size is None else size
        return ax.scatter(
            across, up, c=values[order], s=area, cmap=cmap, vmin=low, vmax=high, linewidths=0,
            rasterized=n > MOST_VECTORS,
        )  # fmt: skip
    cells, extent = _cells(places)
    n_cells = CELLS[0] * CELLS[1]
    total = np.bincount(cells, minlength=n_cells)
    sums = np.bincount(cells, weights=values, minlength=n_cells)
    means = np.where(total > 0, sums / np.maximum(total, 1), np.nan).reshape(CELLS[1], CELLS[0])
    return ax.imshow(
        means, cmap=cmap, vmin=low, vmax=high, origin="lower", extent=extent, aspect="auto",
        interpolation="nearest", zorder=1,
    )  # fmt: skip


def draw_mixed(ax: Axes, places: FloatArray, colors: FloatArray) -> None:
    """Draw every row at its place in a colour of its own; for many rows, the mean colour of each cell.

    Examples
    --------
    >>> from coterie.show.plots.drawing.canvas import axes_for
    >>> ax = axes_for(None)
    >>> draw_mixed(ax, np.zeros((2, 2)), np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]))
    >>> len(ax.collections[0].get_facecolor())
    2
    """
    n = len(places)
    if n <= MOST_MARKERS:
        area = marker_area(n)
        ax.scatter(places[:, 0], places[:, 1], c=colors, s=area, linewidths=0, rasterized=n > MOST_VECTORS)
        return
    cells, extent = _cells(places)
    _show_cells(ax, _with_strength(cells, colors), extent)


def _with_strength(cells: npt.NDArray[np.int64], colors: FloatArray) -> FloatArray:
    n_cells = CELLS[0] * CELLS[1]
    total = np.bincount(cells, minlength=n_cells).astype(np.float64)
    sums = [np.bincount(cells, weights=colors[:, channel], minlength=n_cells) for channel in range(3)]
    return _faded(np.column_stack(sums), total)
