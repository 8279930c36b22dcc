"""The silhouette plot: sorted bars per cluster, for any number of rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from coterie._printing import count_of
from coterie.evaluate import Silhouette
from coterie.show.palette import EMPHASIS, INK
from coterie.show.plots.drawing.canvas import axes_for, note, tidy
from coterie.show.plots.drawing.marks import colors_of_labels, names_that_fit, words_of_labels

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_STEPS = 1200  # more steps than a screen has lines show nothing more
GAP = 0.02  # between clusters, as a share of all rows

Values = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Steps:
    """Sorted bars of one cluster, neighbours of one sign joined: from `starts` to `ends`, `lengths` wide."""

    starts: Values
    ends: Values
    lengths: Values


def silhouette(value: Silhouette, ax: Axes | None = None, *, names: list[str] | None = None) -> Axes:
    """Draw one bar per row, sorted within clusters: what points left is nearer to another cluster.

    Many rows are drawn as fewer bars, each the mean of neighbours in the order; no bar joins rows of
    different signs, so that negative ones stay visible whatever their number.

    Parameters
    ----------
    value : Silhouette
        What `coterie.evaluate.silhouette` returns.
    ax : Axes, default=None
        Where to draw; None opens a figure.
    names : list of str, default=None
        What to call cluster 0, 1, ...; None: group 1, 2, ...

    Examples
    --------
    >>> from coterie.evaluate import silhouette as measure
    >>> from coterie.show.plots import silhouette
    >>> ax = silhouette(measure([[0.0], [1.0], [5.0], [6.0], [2.9]], [0, 0, 1, 1, 1]))
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['group 1', 'group 2']
    """
    k = value.sizes.size
    ax = axes_for(ax, size=(6.8, float(np.clip(2.0 + 0.2 * k, 4.6, 11.0))))
    weights = np.ones(value.values.size) if value.sample_weight is None else value.sample_weight
    gap = GAP * weights.sum() / max(1.0, k / 10)
    colors = colors_of_labels(value.clusters)
    top, middles = 0.0, []
    order = np.lexsort((-value.values, value.codes))
    for at, inside in enumerate(np.split(order, np.cumsum(np.bincount(value.codes, minlength=k))[:-1])):
        steps = _sorted_steps(value.values[inside], weights[inside], weights.sum() / MOST_STEPS)
        _draw_cluster(ax, steps, top, colors[at], float(value.cluster_values[at]))
        height = float(weights[inside].sum())
        middles.append(top + height / 2)
        top += height + gap
    _dress(ax, value, np.array(middles), top - gap, words_of_labels(value.clusters.tolist(), names))
    return ax


def _sorted_steps(values: Values, weights: Values, least_height: float) -> Steps:
    """Return the bars of one cluster, whose values fall."""
    ends = np.cumsum(weights)
    bins = np.floor((ends - weights / 2) / least_height).astype(np.int64)
    opens = np.r_[True, (np.diff(bins) > 0) | ((values[1:] < 0) & (values[:-1] >= 0))]
    first = np.flatnonzero(opens)
    heights = np.add.reduceat(weights, first)
    lengths = np.add.reduceat(weights * values, first) / np.where(heights > 0, heights, 1.0)
    tops = np.cumsum(heights)
    return Steps(tops - heights, tops, lengths)


def _draw_cluster(ax: Axes, steps: Steps, top: float, color: str, mean: float) -> None:
    bottom = top + float(steps.ends[-1])
    edges = top + np.repeat(np.r_[steps.starts, steps.ends[-1]], 2)[1:-1]
    lengths = np.repeat(steps.lengths, 2)
    ax.fill_betweenx(edges, 0.0, lengths, color=color, linewidth=0, gid="bars")
    is_negative = lengths < 0
    if is_negative.any():  # an outline: a sliver of a pale colour would be missed
        below, most = edges[is_negative], lengths[is_negative]
        ax.fill_betweenx(below, 0.0, most, color=color, edgecolor=EMPHASIS, linewidth=0.9, gid="negative")
    ax.plot([mean, mean], [top, bottom], color=INK, linewidth=1.2, gid="cluster mean")


def _dress(ax: Axes, value: Silhouette, middles: Values, bottom: float, words: list[str]) -> None:
    """Write names, and beside them rows and mean of each cluster, as R does."""
    k = value.sizes.size
    points = float(np.clip(10 - k / 12, 6, 9))
    ax.set_ylim(bottom, 0.0)
    shown = names_that_fit(ax, middles.tolist(), bottom, points)
    ax.set_yticks(middles[shown], [words[at] for at in shown], fontsize=points)
    wrong = np.bincount(value.codes[value.values < 0], minlength=k)
    for at in shown:
        facts = f"  {value.sizes[at]:,} | {value.cluster_values[at]:.2f}"
        ax.text(1.0, middles[at], facts, fontsize=points, va="center", transform=ax.get_yaxis_transform())
    ax.axvline(0.0, color=INK, linewidth=0.8)
    ax.axvline(value.score, color=EMPHASIS, linewidth=1.2, linestyle="--", gid="mean")
    ax.set_xlim(min(-0.08, 1.05 * float(value.values.min())), 1.0)
    tidy(
        ax, title=f"Mean silhouette {value.score:.2f} of {count_of(k, 'cluster')}", x="silhouette", y="group"
    )
    ax.tick_params(axis="y", length=0)
    note(ax, _words_on_negatives(value, int(wrong.sum())))


def _words_on_negatives(value: Silhouette, n_wrong: int) -> str:
    side = "At the right: rows | mean of each cluster (black lines); red: mean of all rows.\n"
    if not n_wrong:
        return side + "No row is nearer to another cluster than to its own."
    share = n_wrong / value.values.size
    return side + f"{count_of(n_wrong, 'row')} ({share:.1%}) nearer to another cluster: bars to the left."
