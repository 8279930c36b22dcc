"""What the groups are like: their means over the columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from coterie._printing import count_of
from coterie.pipeline import Profile
from coterie.show.palette import DIVERGING, INK, NOISE_COLOR, color_of, letters_in, marker_of
from coterie.show.plots.drawing.canvas import axes_for, drawing, tidy
from coterie.show.plots.drawing.marks import letters_on, plain, words_of_labels

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_COLUMNS = 40  # those in which groups differ most
MOST_LINES = 10  # groups drawn as lines; more become a heat map
MOST_WRITTEN = 14  # columns of the heat map up to which the numbers stand in the cells
MOST_LETTERS = 60  # of all names side by side; more are slanted
LONGEST_NAME = 24  # characters of a column's name
UNITS = "standard deviations from the mean of all rows"


def profiles(profile: Profile, ax: Axes | None = None, *, names: list[str] | None = None) -> Axes:
    """Draw the mean of each group in each column: parallel coordinates; a heat map of more than ten groups.

    Columns stand in the order of the table, in standard deviations from the mean of all rows. Of more than 40
    columns, those in which groups differ most are drawn.

    Parameters
    ----------
    profile : Profile
        What a fit through `coterie.pipeline` has as ``profile``.
    ax : Axes, default=None
        Where to draw; None opens a figure.
    names : list of str, default=None
        What to call label 0, 1, ...; None: group 1, 2, ...

    Examples
    --------
    >>> import numpy as np
    >>> from coterie.pipeline import profile_groups
    >>> from coterie.show.plots import profiles
    >>> X = np.array([[0.0, 1.0], [0.2, 5.0], [9.0, 3.0]])
    >>> ax = profiles(profile_groups(X, np.array([0, 0, 1]), ["spend", "age"], 2))
    >>> [text.get_text() for text in ax.get_xticklabels()]
    ['spend', 'age']
    """
    columns, k = _widest(profile), profile.sizes.size
    sizes = [f"{size:,}" for size in profile.sizes.tolist()]
    words = words_of_labels(range(k), names, is_short=True)
    groups = [f"{word}: {size}" for word, size in zip(words, sizes, strict=True)]
    if k <= MOST_LINES:
        ax = axes_for(ax, size=(float(np.clip(3.2 + 0.55 * columns.size, 6.4, 14.0)), 4.6))
        _draw_lines(ax, profile, columns, groups)
    else:
        height = float(np.clip(2.0 + 0.19 * k, 4.6, 14.0))
        ax = axes_for(ax, size=(float(np.clip(3.0 + 0.5 * columns.size, 6.0, 14.0)), height))
        _draw_heatmap(ax, profile, columns, groups)
    headings = [plain(profile.columns[at], LONGEST_NAME) for at in columns]
    is_long = len(headings) * max(map(len, headings), default=0) > MOST_LETTERS
    ax.set_xticks(
        range(columns.size), headings, rotation=40 if is_long else 0, ha="right" if is_long else "center"
    )
    if columns.size < len(profile.columns):
        some = f"{columns.size} of {len(profile.columns):,} columns, those in which groups differ most"
        ax.set_xlabel(some, fontsize="small", color=INK)
    return ax


def _widest(profile: Profile) -> npt.NDArray[np.intp]:
    """Return the columns to draw, in the order of the table."""
    if len(profile.columns) <= MOST_COLUMNS:
        return np.arange(len(profile.columns))
    widest = np.abs(profile.differences).max(axis=0, initial=0.0)
    return np.sort(np.argsort(-widest, kind="stable")[:MOST_COLUMNS])


def _draw_lines(ax: Axes, profile: Profile, columns: npt.NDArray[np.intp], groups: list[str]) -> None:
    """Draw a line per group, the wider the more rows it has."""
    ax.axhline(0.0, color=NOISE_COLOR, linewidth=1.0, zorder=1)
    for at in range(columns.size):
        ax.axvline(at, color=NOISE_COLOR, linewidth=0.4, zorder=0.5)
    shares = profile.sizes / max(1, int(profile.sizes.sum()))
    for group in range(profile.sizes.size):
        ax.plot(
            range(columns.size),
            profile.differences[group, columns],
            color=color_of(group),
            marker=marker_of(group),
            markersize=5,
            linewidth=1.2 + 3.5 * float(shares[group]),
            label=groups[group],
        )
    ax.legend(title="group: rows", loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
    title = f"{count_of(profile.sizes.size, 'group')} in {count_of(len(profile.columns), 'column')}"
    tidy(ax, title=title, y=UNITS)


def _draw_heatmap(ax: Axes, profile: Profile, columns: npt.NDArray[np.intp], groups: list[str]) -> None:
    values, k = profile.differences[:, columns], profile.sizes.size
    reach = max(1.0, float(np.quantile(np.abs(values), 0.98)))
    colors = drawing().get_cmap(DIVERGING)
    image = ax.imshow(values, cmap=colors, vmin=-reach, vmax=reach, aspect="auto", interpolation="nearest")
    points = 8 if k <= 30 else 6
    ax.set_yticks(range(k), groups, fontsize=points)
    if columns.size <= MOST_WRITTEN:
        cells = colors((values / reach + 1) / 2)
        for (row, column), value in np.ndenumerate(values):
            color = letters_on(cells[row, column])
            ax.text(column, row, f"{value:+.1f}", ha="center", va="center", fontsize=points - 1, color=color)
    bar = ax.get_figure().colorbar(image, ax=ax, fraction=0.035, aspect=30, pad=0.02, extend="both")  # type: ignore[union-attr]
    bar.set_label(UNITS, color=INK)
    bar.outline.set_visible(False)
    tidy(ax, title=f"{count_of(k, 'group')} in {count_of(len(profile.columns), 'column')}", y="group: rows")
    ax.tick_params(length=0)
    for group, tick in enumerate(ax.get_yticklabels()):
        tick.set_color(letters_in(color_of(group)))
