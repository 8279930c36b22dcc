"""How members flow from cluster to cluster as their number grows: alluvial plot and clustergram."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from coterie._printing import count_of
from coterie._support.caller import warn_caller
from coterie._support.typing import AnyArray, CheckedRows, FloatArray, Labels, MatrixLike
from coterie._support.validation import check_data
from coterie.errors import InvalidData, InvalidParameter
from coterie.show.layout.flows import Flow, Level, arrange, color_levels, flows_between
from coterie.show.layout.planes import principal_components
from coterie.show.palette import EMPHASIS, color_of
from coterie.show.plots.curves import K_WORDS
from coterie.show.plots.drawing.canvas import axes_for, drawing, note, tidy
from coterie.show.plots.drawing.marks import letters_on, words_of_labels

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from coterie.select import Evidence

NODE = 0.09  # half the width of a cluster, in steps of k
BEND = 16  # points along a ribbon
MOST_NAMED = 16  # clusters of a column that have room for their names
LARGEST_DOT, SMALLEST_DOT = 260.0, 12.0  # square points, of all rows and of one
WIDEST_LINE, THINNEST_LINE = 14.0, 0.4  # points


def alluvial(evidence: Evidence | Mapping[int, Labels], ax: Axes | None = None) -> Axes:
    """Draw clusters as stacked bars, a column per k, and the members that go to the next as ribbons.

    A cluster that splits cleanly sends its ribbons apart; one that is made of parts of several is no
    refinement. Colours are those of the clusters of the chosen k, passed on along the widest ribbons.

    Parameters
    ----------
    evidence : Evidence or mapping of int to labels
        What `coterie.select.choose_k` returns, or labels of the same rows for several k.
    ax : Axes, default=None
        Where to draw; None opens a figure.

    Examples
    --------
    >>> import numpy as np
    >>> from coterie.show.plots import alluvial
    >>> ax = alluvial({1: np.array([0, 0, 0]), 2: np.array([0, 0, 1]), 3: np.array([0, 1, 2])})
    >>> [text.get_text() for text in ax.get_xticklabels()]
    ['1', '2', '3']
    """
    columns = _Columns.of(_labelings_of(evidence, "alluvial"), evidence)
    tops = arrange(columns.levels, columns.flows)
    ax = axes_for(ax, size=(columns.width, 5.4))
    for at, flow in enumerate(columns.flows):
        _draw_ribbons(ax, at, flow, tops, columns.colors)
    for at, level in enumerate(columns.levels):
        _draw_column(ax, at, level, tops[at], columns.colors[at], is_chosen=level.k == columns.chosen)
    _dress_bars(ax, columns, tops)
    return ax


@dataclass(frozen=True, eq=False)
class _Columns:
    """A column of clusters for each k, and the rows that go from each to the next."""

    levels: list[Level]
    flows: list[Flow]
    colors: list[Labels]  # those of the chosen k, passed on
    chosen: int | None

    @classmethod
    def of(cls, labelings: dict[int, Labels], evidence: Any) -> _Columns:
        """Return the columns of labelings; without a chosen k the last one gives the colours."""
        chosen = None if isinstance(evidence, Mapping) else evidence.k
        levels = [Level.of(k, labels) for k, labels in sorted(labelings.items())]
        flows = [
            flows_between(labelings[left.k], labelings[right.k], left, right)
            for left, right in itertools.pairwise(levels)
        ]
        anchor = next((at for at, level in enumerate(levels) if level.k == chosen), len(levels) - 1)
        return cls(levels, flows, color_levels(levels, flows, anchor), chosen)

    @property
    def width(self) -> float:
        """Inches of the picture."""
        return float(np.clip(2.4 + 0.75 * len(self.levels), 6.4, 14.0))

    def dress(self, ax: Axes, *, y: str = "", grid: Literal["y"] | None = None) -> None:
        """Write the title and the numbers of clusters."""
        every = -(-len(self.levels) // 30)
        ax.set_xticks(range(0, len(self.levels), every), [str(level.k) for level in self.levels[::every]])
        ax.set_xlim(-0.3, len(self.levels) - 0.7)
        first, last = self.levels[0], self.levels[-1]
        rows = count_of(int(first.sizes.sum()), "row")
        tidy(ax, title=f"{rows} from {first.k} to {count_of(last.k, 'cluster')}", x=K_WORDS, y=y, grid=grid)


def _labelings_of(evidence: Any, who: str) -> dict[int, Labels]:
    """Return the labels for each k, all of the same rows."""
    given = evidence if isinstance(evidence, Mapping) else evidence.labelings
    found = {int(k): np.asarray(labels) for k, labels in given.items() if labels is not None}
    sizes = {labels.size for labels in found.values()}
    if len(found) < 2 or len(sizes) != 1:
        raise InvalidParameter(
            f"{who} needs labels of the same rows for at least two numbers of clusters, got "
            f"{len(found)} labelings of {' or '.join(f'{size:,}' for size in sorted(sizes)) or 'no'} rows."
        )
    return found


def _draw_ribbons(ax: Axes, at: int, flow: Flow, tops: list[AnyArray], colors: list[Labels]) -> None:
    """Draw the ribbons between two columns, stacked at both ends so that none cross where they touch."""
    left, right = flow.ends(tops[at], tops[at + 1])
    share = np.linspace(0.0, 1.0, BEND)
    bend = share**2 * (3 - 2 * share)  # level at both ends
    x = at + NODE + share * (1 - 2 * NODE)
    shapes = []
    for low, high, width in zip(left, right, flow.sizes.astype(np.float64), strict=True):
        y = low + bend * (high - low)
        shapes.append(np.r_[np.c_[x, y], np.c_[x[::-1], y[::-1] + width]])
    fills = [color_of(colors[at + 1][target]) for target in flow.targets]
    ribbons = drawing("collections").PolyCollection(
        shapes, facecolors=fills, linewidths=0, alpha=0.45, zorder=1
    )
    ribbons.set_gid("ribbons")
    ax.add_collection(ribbons)


def _draw_column(ax: Axes, at: int, level: Level, tops: AnyArray, colors: Labels, *, is_chosen: bool) -> None:
    fills = [color_of(color) for color in colors]
    edge, width = (EMPHASIS, 1.4) if is_chosen else ("white", 0.4)
    ax.bar(
        np.full(level.sizes.size, at), level.sizes, bottom=tops, width=2 * NODE, color=fills, edgecolor=edge,
        linewidth=width, zorder=2,
    )  # fmt: skip
    if not is_chosen or level.sizes.size > MOST_NAMED:
        return
    names = words_of_labels(level.labels.tolist(), is_short=True)
    for name, size, top, fill in zip(names, level.sizes, tops, fills, strict=True):
        ax.text(
            at, top + size / 2, name, ha="center", va="center", fontsize=8, color=letters_on(fill), zorder=3
        )


def _dress_bars(ax: Axes, columns: _Columns, tops: list[AnyArray]) -> None:
    lowest = min(float(top.min()) for top in tops)
    highest = max(float((top + level.sizes).max()) for top, level in zip(tops, columns.levels, strict=True))
    margin = 0.02 * (highest - lowest)
    ax.set_ylim(highest + margin, lowest - margin)
    ax.set_yticks([])
    columns.dress(ax)
    ax.spines["left"].set_visible(False)
    ax.tick_params(length=0)
    note(ax, "Heights: rows. A group inherits the colour of its widest ribbon. Red: the chosen k.")


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
    labelings = _labelings_of(evidence, "clustergram")
    scores, share = _scores(X, next(iter(labelings.values())).size)
    columns = _Columns.of(labelings, evidence)
    means = [_means(scores, labelings[level.k], level) for level in columns.levels]
    ax = axes_for(ax, size=(columns.width, 5.0))
    for at, flow in enumerate(columns.flows):
        _draw_lines(ax, at, flow, means, columns.colors, scores.size)
    for at, level in enumerate(columns.levels):
        _draw_dots(ax, at, level, means[at], columns.colors[at], is_chosen=level.k == columns.chosen)
    columns.dress(ax, y=f"mean on component 1 ({100 * share:.3g} % of the variance)", grid="y")
    note(ax, "Area of dots and width of lines: rows. Red rim: the chosen k.")
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
