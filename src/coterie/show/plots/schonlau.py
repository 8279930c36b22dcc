"""Schonlau's clustergram: where the means of the clusters lie as their number grows."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from coterie._printing import count_of
from coterie._support.caller import warn_caller
from coterie._support.typing import CheckedRows, FloatArray, Labels, MatrixLike
from coterie._support.validation import check_data
from coterie.errors import InvalidData
from coterie.show.layout.flows import Flow, Level, color_levels, flows_between
from coterie.show.layout.planes import principal_components
from coterie.show.palette import EMPHASIS, color_of
from coterie.show.plots.curves import K_WORDS
from coterie.show.plots.drawing.canvas import axes_for, drawing, note, tidy
from coterie.show.plots.flow import alluvial, labelings_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from coterie._support.typing import Labels
    from coterie.select import Evidence

LARGEST_DOT, SMALLEST_DOT = 260.0, 12.0  # square points, of all rows and of one
WIDEST_LINE, THINNEST_LINE = 14.0, 0.4  # points


def clustergram(
    evidence: Evidence | Mapping[int, Labels], ax: Axes | None = None, *, X: MatrixLike | None = None
) -> Axes:
    """Draw the mean of every cluster on the first principal component, a column per k (Schonlau).

    A dot is a cluster, as large as its rows are many; lines are the rows that go on to a cluster of the next
    k. Where dots stay far apart, clusters are well separated; where a new one appears among the others, it
    splits what belongs together.

    Parameters
    ----------
    evidence : Evidence or mapping of int to labels
        What `coterie.select.choose_k` returns, or labels of the same rows for several k.
    ax : Axes, default=None
        Where to draw; None opens a figure.
    X : array-like of shape (n_samples, n_features)
        The rows that were clustered. Without them an alluvial plot is drawn, which this function did under
        its name before: use `alluvial` for that.

    References
    ----------
    schonlau-2002

    Examples
    --------
    >>> import numpy as np
    >>> from coterie.show.plots import clustergram
    >>> labelings = {1: np.array([0, 0, 0]), 2: np.array([0, 0, 1])}
    >>> ax = clustergram(labelings, X=[[0.0], [1.0], [8.0]])
    >>> ax.get_ylabel()
    'mean on component 1 (100 % of the variance)'
    """
    if X is None:
        warn_caller(
            "clustergram without X draws an alluvial plot: call alluvial for that, or give the rows as X.",
            FutureWarning,
        )
        return alluvial(evidence, ax)
    labelings = labelings_of(evidence, "clustergram")
    scores, share = _scores(X, next(iter(labelings.values())).size)
    chosen = None if isinstance(evidence, Mapping) else evidence.k
    levels = [Level.of(k, labels) for k, labels in sorted(labelings.items())]
    flows = [
        flows_between(labelings[left.k], labelings[right.k], left, right)
        for left, right in itertools.pairwise(levels)
    ]
    means = [_means(scores, labelings[level.k], level) for level in levels]
    anchor = next((at for at, level in enumerate(levels) if level.k == chosen), len(levels) - 1)
    colors = color_levels(levels, flows, anchor)
    ax = axes_for(ax, size=(float(np.clip(2.4 + 0.75 * len(levels), 6.4, 14.0)), 5.0))
    for at, flow in enumerate(flows):
        _draw_lines(ax, at, flow, means, colors, scores.size)
    for at, level in enumerate(levels):
        _draw_dots(ax, at, level, means[at], colors[at], is_chosen=level.k == chosen)
    _dress(ax, levels, share)
    return ax


def _scores(X: MatrixLike, n: int) -> tuple[FloatArray, float]:
    """Return the rows on the first principal component, and the share of the variance that it keeps."""
    rows: CheckedRows = check_data(X, who="clustergram", may_be_distances=True)
    if rows.shape[0] != n:
        raise InvalidData(f"X of clustergram must have a row per label, {n:,}, got {rows.shape[0]:,}.")
    found = principal_components(rows, standardise=False)
    return found.places[:, 0], float(found.shares[0])


def _means(scores: FloatArray, labels: Labels, level: Level) -> FloatArray:
    """Return the mean of each cluster: that of its rows is the projection of its centre."""
    at = np.searchsorted(level.labels, labels[labels >= -1])
    sums = np.bincount(at, weights=scores[labels >= -1], minlength=level.sizes.size)
    return np.asarray(sums / level.sizes, dtype=np.float64)


def _draw_lines(ax: Axes, at: int, flow: Flow, means: list[FloatArray], colors: list[Labels], n: int) -> None:
    ends = [
        [(at, means[at][source]), (at + 1, means[at + 1][target])]
        for source, target in zip(flow.sources, flow.targets, strict=True)
    ]
    lines = drawing("collections").LineCollection(
        ends,
        colors=[color_of(int(colors[at + 1][target])) for target in flow.targets],
        linewidths=THINNEST_LINE + (WIDEST_LINE - THINNEST_LINE) * flow.sizes / n,
        alpha=0.45,
        zorder=1,
    )
    lines.set_gid("flows")
    ax.add_collection(lines)


def _draw_dots(
    ax: Axes, at: int, level: Level, means: FloatArray, colors: Labels, *, is_chosen: bool
) -> None:
    areas = SMALLEST_DOT + (LARGEST_DOT - SMALLEST_DOT) * level.sizes / level.sizes.sum()
    edge, width = (EMPHASIS, 1.6) if is_chosen else ("white", 0.6)
    fills = [color_of(int(color)) for color in colors]
    places = np.full(means.size, at)
    ax.scatter(places, means, s=areas, c=fills, edgecolors=edge, linewidths=width, zorder=2, gid="means")


def _dress(ax: Axes, levels: list[Level], share: float) -> None:
    every = -(-len(levels) // 30)
    ax.set_xticks(range(0, len(levels), every), [str(level.k) for level in levels[::every]])
    ax.set_xlim(-0.3, len(levels) - 0.7)
    n = int(levels[0].sizes.sum())
    title = f"{count_of(n, 'row')} from {levels[0].k} to {count_of(levels[-1].k, 'cluster')}"
    tidy(ax, title=title, x=K_WORDS, y=f"mean on component 1 ({100 * share:.3g} % of the variance)", grid="y")
    note(ax, "Area of dots and width of lines: rows. Red rim: the chosen k.")
