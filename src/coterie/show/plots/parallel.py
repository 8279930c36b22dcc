"""Parallel coordinates: an axis per column, in its own units, and the rows of each group across them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from coterie._printing import count_of
from coterie._support.typing import Labels, MatrixLike, Model
from coterie.errors import InvalidData
from coterie.show.palette import INK, NOISE_COLOR, color_of, letters_in
from coterie.show.plots.drawing.canvas import axes_for, column_names, drawing, read_labels, tidy
from coterie.show.plots.drawing.marks import halo, plain, words_of_labels

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_ROWS = 300  # drawn one by one; more are bands alone
MOST_BANDS = 10  # groups with a band; more are their medians alone
MOST_COLUMNS = 20  # those in which the medians of the groups differ most
MOST_NAMED = 12  # groups in the legend; more are named where they end
QUARTILES = (0.25, 0.5, 0.75)
LONGEST_HEADING = 18

Values = npt.NDArray[np.float64]


def parallel_coordinates(
    X: MatrixLike, model: Model, ax: Axes | None = None, *, names: list[str] | None = None
) -> Axes:
    """Draw the median of each group across the columns, the middle half of its rows about it, and few rows.

    Every column has its own axis from its least to its greatest value, in its own units. Up to 300 rows are
    drawn one by one; of more than ten groups, the medians alone.

    Parameters
    ----------
    X : array-like or DataFrame of shape (n_samples, n_features)
        Rows, at least two columns.
    model : fitted estimator or array of int of shape (n_samples,)
        Whose labels tell the group of each row; noise (-1) has no median.
    ax : Axes, default=None
        Where to draw; None opens a figure.
    names : list of str, default=None
        What to call label 0, 1, ...; None: group 1, 2, ...

    References
    ----------
    inselberg-1985

    Examples
    --------
    >>> from coterie.show.plots import parallel_coordinates
    >>> ax = parallel_coordinates([[0.0, 5.0], [1.0, 7.0], [9.0, 1.0]], [0, 0, 1])
    >>> ax.get_title(loc="left")
    '3 rows in 2 groups over 2 columns'
    """
    rows = np.asarray(X, dtype=np.float64)
    if rows.ndim != 2 or rows.shape[1] < 2:
        raise InvalidData(f"parallel_coordinates needs at least two columns, got the shape {rows.shape}.")
    labels = read_labels(model, n=len(rows), who="parallel_coordinates")
    headings = column_names(X, model) or [f"column {at}" for at in range(rows.shape[1])]
    low, high = np.nanmin(rows, axis=0), np.nanmax(rows, axis=0)
    scaled = (rows - low) / np.where(high > low, high - low, 1.0)
    groups = np.unique(labels[labels >= 0]).tolist()
    spans = {group: np.nanquantile(scaled[labels == group], QUARTILES, axis=0) for group in groups}
    columns = _widest(spans, rows.shape[1])
    ax = axes_for(ax, size=(float(np.clip(2.6 + 0.85 * columns.size, 6.4, 14.0)), 4.8))
    if len(rows) <= MOST_ROWS:
        _draw_rows(ax, scaled[:, columns], labels)
    for group in groups:
        _draw_group(ax, group, spans[group][:, columns], has_band=len(groups) <= MOST_BANDS)
    _draw_axes(ax, [headings[at] for at in columns], low[columns], high[columns])
    _name(ax, {group: float(spans[group][1, columns[-1]]) for group in groups}, names)
    _dress(ax, len(rows), len(groups), columns.size, rows.shape[1])
    return ax


def _widest(spans: dict[int, Values], n_columns: int) -> npt.NDArray[np.intp]:
    """Return the columns to draw, in the order of the table."""
    if n_columns <= MOST_COLUMNS or not spans:
        return np.arange(min(n_columns, MOST_COLUMNS))
    widths = np.ptp([span[1] for span in spans.values()], axis=0)
    return np.sort(np.argsort(-widths, kind="stable")[:MOST_COLUMNS])


def _draw_rows(ax: Axes, scaled: Values, labels: Labels) -> None:
    is_drawn = labels >= -1
    places = np.broadcast_to(np.arange(scaled.shape[1]), scaled.shape)
    lines = np.stack([places, scaled], axis=2)[is_drawn]
    colors = [color_of(label) for label in labels[is_drawn].tolist()]
    drawn = drawing("collections").LineCollection(
        list(lines), colors=colors, linewidths=0.5, alpha=0.35, zorder=1
    )
    drawn.set_gid("rows")
    ax.add_collection(drawn)


def _draw_group(ax: Axes, group: int, span: Values, *, has_band: bool) -> None:
    places, color = np.arange(span.shape[1]), color_of(group)
    if has_band:
        ax.fill_between(places, span[0], span[2], color=color, alpha=0.25, linewidth=0, zorder=2, gid="band")
    ax.plot(places, span[1], color=color, linewidth=2.2 if has_band else 1.3, zorder=3, gid="median")


def _draw_axes(ax: Axes, headings: list[str], low: Values, high: Values) -> None:
    """Draw an axis per column, its ends written in the units of the column."""
    for at in range(len(headings)):
        ax.plot([at, at], [0.0, 1.0], color=NOISE_COLOR, linewidth=0.8, zorder=0.5)
        for place, value, side in ((0.0, low[at], "top"), (1.0, high[at], "bottom")):
            text = f"{value:,.0f}" if 1e4 <= abs(value) < 1e9 else f"{value:.4g}"
            shift = (0, -3 if side == "top" else 3)
            ax.annotate(
                text, (at, place), xytext=shift, textcoords="offset points", ha="center", va=side,
                fontsize="x-small", color=INK,
            )  # fmt: skip
    words = [plain(heading, LONGEST_HEADING) for heading in headings]
    is_long = len(words) * max(map(len, words)) > 80
    ax.set_xticks(
        range(len(words)), words, rotation=40 if is_long else 0, ha="right" if is_long else "center"
    )
    ax.set(xlim=(-0.3, len(words) - 0.7), ylim=(-0.09, 1.09), yticks=[])


def _name(ax: Axes, ends: dict[int, float], names: list[str] | None) -> None:
    """Name the groups in a legend; of many, those that have room where their lines end."""
    words = dict(zip(ends, words_of_labels(ends, names, is_short=True), strict=True))
    if len(ends) <= MOST_NAMED:
        line = drawing("lines").Line2D
        handles = [line([], [], color=color_of(group), linewidth=2.2, label=words[group]) for group in ends]
        ax.legend(handles=handles, title="group", loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
        return
    last = -1.0
    for group in sorted(ends, key=lambda group: ends[group]):
        if ends[group] - last >= 0.03:
            last = ends[group]
            text = ax.annotate(
                words[group], (1.0, last), xycoords=("axes fraction", "data"), fontsize="x-small",
                va="center", color=letters_in(color_of(group)),
            )  # fmt: skip
            text.set_path_effects(halo())


def _dress(ax: Axes, n: int, k: int, n_drawn: int, n_columns: int) -> None:
    title = f"{count_of(n, 'row')} in {count_of(k, 'group')} over {count_of(n_columns, 'column')}"
    left_out = (
        f"{n_drawn} of {n_columns:,} columns, those in which groups differ most. "
        if n_drawn < n_columns
        else ""
    )
    bands = "Lines: medians; bands: the middle half of the rows." if k <= MOST_BANDS else "Lines: medians."
    tidy(ax, title=title, x=left_out + bands)
    ax.xaxis.label.set_fontsize("small")
    ax.spines[["left", "bottom"]].set_visible(False)
    ax.tick_params(length=0)
