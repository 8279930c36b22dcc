"""Time series: the series of each group with its centre, and which points of two series are matched."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from coterie._printing import count_of
from coterie._support.typing import Labels, MatrixLike, Model
from coterie.errors import InvalidData
from coterie.series import SeriesCollection, WarpingPath, read_series
from coterie.show.palette import FAINT, INK, color_of
from coterie.show.plots.drawing.canvas import axes_for, drawing, note, panels, read_labels, tidy
from coterie.show.plots.drawing.marks import words_of_labels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_LINES = 200  # of a group that are drawn
MOST_PANELS = 60
FEW_PANELS = 3  # that stand in one row
MOST_LINKS = 400  # matches that are drawn


def series_groups(X: object, model: Model, *, names: list[str] | None = None, column: int = 0) -> Figure:
    """Draw the series of each group in a panel of its own, with the centre of the group.

    Of more than 200 series in a group, 200 are drawn, spread over the group. The thick line is the centre of
    the model (`cluster_centers_`); of plain labels there is none.

    Parameters
    ----------
    X : series
        As `coterie.series.read_series` takes them.
    model : fitted estimator or array of int of shape (n_series,)
        Whose labels tell the group of each series; noise (-1) has a panel of its own.
    names : list of str, default=None
        What to call label 0, 1, ...; None: group 1, 2, ...
    column : int, default=0
        Which column of series of several columns.

    Examples
    --------
    >>> from coterie.show.plots import series_groups
    >>> figure = series_groups([[0, 1, 0], [0, 2, 0], [3, 3, 3]], [0, 0, 1])
    >>> [ax.get_title(loc="left") for ax in figure.axes]
    ['group 1: 2 series', 'group 2: 1 series']
    """
    series = read_series(X, who="series_groups")
    labels = read_labels(model, n=len(series), who="series_groups")
    if not 0 <= column < series.n_columns:
        raise InvalidData(f"column of series_groups must be from 0 to {series.n_columns - 1}, got {column}.")
    groups = [*np.unique(labels[labels >= 0]).tolist(), *([-1] if (labels == -1).any() else [])]
    shown = groups[:MOST_PANELS]
    words = dict(zip(shown, words_of_labels(shown, names), strict=True))
    in_a_row = len(shown) if len(shown) <= FEW_PANELS else None
    figure, axes = panels(max(1, len(shown)), columns=in_a_row, size=(3.2, 2.4), share_x=True, share_y=True)
    centers = np.asarray(getattr(model, "cluster_centers_", ()))
    has_centers = centers.ndim == 3
    for ax, group in zip(axes, shown, strict=False):
        _draw_members(ax, series, labels, group, column)
        if group >= 0 and has_centers:
            ax.plot(centers[group, :, column], color=INK, linewidth=2.0, zorder=3, gid="centre")
        size = int((labels == group).sum())
        tidy(ax, title=f"{words[group]}: {count_of(size, 'series', 'series')}")
        ax.title.set_fontsize("medium")
    said = ["time", *(["black: centre of the group"] if has_centers else [])]
    said += [f"{MOST_PANELS} of {len(groups)} groups"] if len(groups) > MOST_PANELS else []
    figure.supxlabel("; ".join(said), color=INK, fontsize="medium")
    return figure


def _draw_members(ax: Axes, series: SeriesCollection, labels: Labels, group: int, column: int) -> None:
    members = np.flatnonzero(labels == group)
    kept = members[np.unique(np.linspace(0, len(members) - 1, min(MOST_LINES, len(members))).astype(int))]
    lines = [np.column_stack([np.arange(len(series[int(at)])), series[int(at)][:, column]]) for at in kept]
    drawn = drawing("collections").LineCollection(
        lines, colors=color_of(group), linewidths=0.7, alpha=float(np.clip(8 / max(1, len(kept)), 0.15, 0.8))
    )
    drawn.set_gid("series")
    ax.add_collection(drawn)
    ax.autoscale_view()


def warping(
    x: MatrixLike,
    y: MatrixLike,
    path: WarpingPath,
    ax: Axes | None = None,
    *,
    column: int = 0,
    names: tuple[str, str] = ("x", "y"),
) -> Axes:
    """Draw two series above each other, and a line between every two points that DTW matches.

    Parameters
    ----------
    x, y : array-like of shape (n_points,) or (n_points, n_columns)
        The series.
    path : WarpingPath
        What `coterie.series.dtw_path` gives.
    ax : Axes, default=None
        Where to draw; None opens a figure.
    column : int, default=0
        Which column of series of several columns.
    names : tuple of str, default=("x", "y")
        What to call the two.

    Examples
    --------
    >>> from coterie.series import dtw_path
    >>> from coterie.show.plots import warping
    >>> x, y = [0, 1, 2, 1, 0], [0, 0, 1, 2, 1, 0]
    >>> warping(x, y, dtw_path(x, y)).get_title(loc="left")
    'DTW distance 0: 6 matches'
    """
    first, second = read_series([x], who="warping", name="x"), read_series([y], who="warping", name="y")
    pairs = np.asarray(path.pairs)
    if pairs[:, 0].max() >= len(first.values) or pairs[:, 1].max() >= len(second.values):
        raise InvalidData("path of warping must be that of x and y: it names points that they do not have.")
    if not 0 <= column < min(first.n_columns, second.n_columns):
        raise InvalidData(f"column of warping must be from 0 to {first.n_columns - 1}, got {column}.")
    above, below = first.values[:, column], second.values[:, column]
    shift = 1.15 * max(float(np.ptp(np.concatenate([above, below]))), 1e-300)
    raised = above - above.mean() + shift
    lowered = below - below.mean()
    ax = axes_for(ax, size=(7.2, 3.8))
    kept = pairs[np.unique(np.linspace(0, len(pairs) - 1, min(MOST_LINKS, len(pairs))).astype(int))]
    links = [[(i, raised[i]), (j, lowered[j])] for i, j in kept.tolist()]
    drawn = drawing("collections").LineCollection(links, colors=FAINT, linewidths=0.9, zorder=1)
    drawn.set_gid("matches")
    ax.add_collection(drawn)
    for label, values in enumerate((raised, lowered)):
        ax.plot(values, color=color_of(label), linewidth=1.8, zorder=2, label=names[label])
    ax.legend(frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    n_links = f"{count_of(len(pairs), 'match', 'matches')}"
    tidy(ax, title=f"DTW distance {path.distance:.4g}: {n_links}", x="time")
    ax.set_yticks([])
    ax.spines["left"].set_visible(False)
    note(ax, "Grey: matched points. The two series are moved apart.")
    return ax
