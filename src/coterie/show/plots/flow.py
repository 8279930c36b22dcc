"""The alluvial plot: how members flow from cluster to cluster as their number grows."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from coterie._printing import count_of
from coterie._support.typing import AnyArray, Labels
from coterie.errors import InvalidParameter
from coterie.show.layout.flows import Flow, Level, arrange, color_levels, flows_between
from coterie.show.palette import EMPHASIS, color_of
from coterie.show.plots.curves import K_WORDS
from coterie.show.plots.drawing.canvas import axes_for, drawing, note, tidy
from coterie.show.plots.drawing.marks import letters_on, words_of_labels

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from coterie._support.typing import Labels
    from coterie.select import Evidence

NODE = 0.09  # half the width of a cluster, in steps of k
BEND = 16  # points along a ribbon
MOST_NAMED = 16  # clusters of a column that have room for their names


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
    labelings = labelings_of(evidence, "alluvial")
    chosen = None if isinstance(evidence, Mapping) else evidence.k
    levels = [Level.of(k, labels) for k, labels in sorted(labelings.items())]
    flows = [
        flows_between(labelings[left.k], labelings[right.k], left, right)
        for left, right in itertools.pairwise(levels)
    ]
    tops = arrange(levels, flows)
    anchor = next((at for at, level in enumerate(levels) if level.k == chosen), len(levels) - 1)
    colors = color_levels(levels, flows, anchor)
    ax = axes_for(ax, size=(float(np.clip(2.4 + 0.75 * len(levels), 6.4, 14.0)), 5.4))
    for at, flow in enumerate(flows):
        _draw_ribbons(ax, at, flow, tops, colors)
    for at, level in enumerate(levels):
        _draw_column(ax, at, level, tops[at], colors[at], is_chosen=level.k == chosen)
    _dress(ax, levels, tops)
    return ax


def labelings_of(evidence: Any, who: str) -> dict[int, Labels]:
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


def _dress(ax: Axes, levels: list[Level], tops: list[AnyArray]) -> None:
    every = -(-len(levels) // 30)
    ax.set_xticks(range(0, len(levels), every), [str(level.k) for level in levels[::every]])
    lowest = min(float(top.min()) for top in tops)
    highest = max(float((top + level.sizes).max()) for top, level in zip(tops, levels, strict=True))
    margin = 0.02 * (highest - lowest)
    ax.set_xlim(-0.3, len(levels) - 0.7)
    ax.set_ylim(highest + margin, lowest - margin)
    ax.set_yticks([])
    n = int(levels[0].sizes.sum())
    title = f"{count_of(n, 'row')} from {levels[0].k} to {count_of(levels[-1].k, 'cluster')}"
    tidy(ax, title=title, x=K_WORDS)
    ax.spines["left"].set_visible(False)
    ax.tick_params(length=0)
    note(ax, "Heights: rows. A group inherits the colour of its widest ribbon. Red: the chosen k.")
