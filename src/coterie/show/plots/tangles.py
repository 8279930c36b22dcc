"""The tanglegram: two trees of the same leaves face to face."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from coterie._support.typing import FloatArray, Labels, Model
from coterie._support.validation import Nothing, Whole, check_parameter
from coterie.show.palette import FAINT, INK, NOISE_COLOR, color_of
from coterie.show.plots.drawing.canvas import drawing
from coterie.show.plots.drawing.marks import plain
from coterie.show.plots.drawing.tree_layout import Cut, TreeLayout, lay_out, read_cut, read_tree
from coterie.show.plots.trees import draw_tree, label_tips
from coterie.tree import Dendrogram, entanglement

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BAND_ROOM = 0.84  # of the room of a tip, for the bands that end there
BAND_NOTE = (
    "In brackets: leaves below. A band joins leaves that both share, as wide as their share at each end."
)


def tanglegram(
    first: Model,
    second: Model,
    *,
    cut: Cut = None,
    names: tuple[str, str] | None = None,
    max_leaves: int | None = 60,
) -> Figure:
    """Draw two trees of the same leaves face to face, a line from each leaf to itself.

    The straighter the lines the more alike the trees; the title gives the entanglement, 0 when all are
    straight. Leaves are matched by name when both trees have names, otherwise by number. Of large trees the
    last merges are drawn, and bands join the leaves below them.

    Parameters
    ----------
    first, second : Dendrogram, fitted model with ``dendrogram_``, or SciPy's matrix
        The trees; the order of their leaves is kept, ``coterie.tree.untangled_pair`` turns both.
    cut : int, float or labels, default=None
        Colour the lines by the clusters of a cut of the first tree, and the branches of both trees by them.
    names : pair of str, default=None
        Names of the trees.
    max_leaves : int or None, default=60
        Most tips of a tree; of a larger tree the last merges are drawn, with counts. None: all.

    Examples
    --------
    >>> from coterie.tree import Dendrogram
    >>> one = Dendrogram([[0, 1], [3, 2]], [1.0, 2.0])
    >>> tanglegram(one, one.reordered([2, 0, 1])).get_suptitle()
    'Entanglement 0.85 (0: the same order)'
    """
    check_parameter(max_leaves, Nothing() | Whole(2), name="max_leaves", who="tanglegram")
    left, right = read_tree(first, "tanglegram"), read_tree(second, "tanglegram")
    value = entanglement(left, right)
    labels = read_cut(left, cut, "tanglegram")
    partner = _partners(left, right)
    layouts = (
        lay_out(left, max_leaves=max_leaves, labels=labels),
        lay_out(right, max_leaves=max_leaves, labels=None if labels is None else labels[partner]),
    )
    figure, axes = _face_to_face(layouts)
    is_whole = all(len(layout.tips) == left.n_leaves for layout in layouts)
    if is_whole:
        _draw_threads(axes[1], left, right, partner, labels)
    else:
        _draw_bands(axes[1], layouts, partner, labels)
        figure.supxlabel(BAND_NOTE, fontsize="small", color=INK)
    axes[1].set_xlim(0, 1)
    axes[1].set_ylim(-0.6, len(layouts[0].tips) - 0.4)
    axes[1].set_axis_off()
    for ax, name in zip((axes[0], axes[2]), names or ("", ""), strict=True):
        ax.set_title(plain(name))
    how_many = "" if is_whole else f"{left.n_leaves:,} leaves, "
    title = f"{how_many}entanglement {value:.2g} (0: the same order)"
    figure.suptitle(title[0].upper() + title[1:], x=0.5, fontsize="large")
    return figure


def _face_to_face(layouts: tuple[TreeLayout, TreeLayout]) -> tuple[Figure, list[Axes]]:
    """Return a figure with both trees, their leaves towards the empty axes in the middle."""
    n_tips = max(len(layout.tips) for layout in layouts)
    figure: Figure = drawing().figure(
        figsize=(8.0, float(np.clip(0.17 * n_tips + 1.0, 3.4, 14))), layout="constrained"
    )
    axes = list(figure.subplots(1, 3, width_ratios=(4, 2, 4)))
    for ax, layout in zip((axes[0], axes[2]), layouts, strict=True):
        draw_tree(ax, layout, is_upright=False)
        if ax is axes[0]:
            ax.yaxis.tick_right()
        label_tips(ax, layout, is_upright=False)
        for side in ("top", "left", "right"):
            ax.spines[side].set_visible(False)
        ax.tick_params(axis="y", length=0)
    axes[0].invert_xaxis()
    return figure, axes


def _partners(left: Dendrogram, right: Dendrogram) -> Labels:
    """Return the leaf of the left tree that each leaf of the right one is."""
    if left.names is None or right.names is None:
        return np.arange(left.n_leaves)
    number = {name: leaf for leaf, name in enumerate(left.names)}
    return np.array([number[name] for name in right.names])


def _draw_threads(
    ax: Axes, left: Dendrogram, right: Dendrogram, partner: Labels, labels: Labels | None
) -> None:
    """Draw a line from each leaf to itself."""
    n = left.n_leaves
    left_place, right_place = np.argsort(left.leaf_order()), np.argsort(right.leaf_order())
    threads = np.zeros((n, 2, 2))
    threads[:, 1, 0] = 1.0
    threads[:, 0, 1] = left_place[partner]
    threads[:, 1, 1] = right_place
    colors = [FAINT] * n if labels is None else [color_of(int(labels[leaf])) for leaf in partner]
    ax.add_collection(
        drawing("collections").LineCollection(list(threads), colors=colors, linewidths=1.1, alpha=0.8)
    )


def _draw_bands(
    ax: Axes, layouts: tuple[TreeLayout, TreeLayout], partner: Labels, labels: Labels | None
) -> None:
    """Draw a band between each pair of tips that share leaves."""
    left, right = layouts
    tips = np.column_stack([_tip_of_leaves(left)[partner], _tip_of_leaves(right)])
    pairs, codes, counts = np.unique(tips, axis=0, return_inverse=True, return_counts=True)
    stretch = (len(left.tips) + 0.2) / (len(right.tips) + 0.2)  # both trees fill their axes
    starts, ends = _room(pairs[:, ::-1], counts), _room(pairs, counts)
    ends = (ends + 0.6) * stretch - 0.6
    corners = [
        np.array([(0, low), (0, high), (1, far_high), (1, far_low)])
        for (low, high), (far_low, far_high) in zip(starts, ends, strict=True)
    ]
    colors = _band_colors(codes.ravel(), None if labels is None else labels[partner])
    bands = drawing("collections").PolyCollection(
        corners, facecolors=colors, alpha=0.55, edgecolors="face", linewidths=0.3
    )
    ax.add_collection(bands)


def _tip_of_leaves(layout: TreeLayout) -> Labels:
    """Return the place of the tip that each leaf is, or is below."""
    order, first = layout.tree._leaf_order, layout.tree._first_places
    at = np.searchsorted([first[tip] for tip in layout.tips], np.arange(len(order)), side="right") - 1
    found: Labels = np.empty(len(order), dtype=np.int64)
    found[order] = at
    return found


def _room(pairs: Labels, counts: Labels) -> FloatArray:
    """Return the low and the high end of each band at its second tip, bands in the order of their first."""
    order = np.lexsort((pairs[:, 0], pairs[:, 1]))
    tip, share = pairs[order, 1], counts[order].astype(np.float64)
    share /= np.bincount(tip, weights=share)[tip]
    below = np.cumsum(share) - share
    is_first = np.diff(tip, prepend=-1) > 0
    below -= np.maximum.accumulate(np.where(is_first, below, 0.0))
    room = np.empty((len(pairs), 2))
    room[order] = tip[:, None] + BAND_ROOM * (np.column_stack([below, below + share]) - 0.5)
    return room


def _band_colors(codes: Labels, labels: Labels | None) -> list[str]:
    """Return the colour of the cluster that most leaves of each band have."""
    if labels is None:
        return [NOISE_COLOR] * (int(codes.max()) + 1)
    found, counts = np.unique(np.column_stack([codes, labels]), axis=0, return_counts=True)
    order = np.lexsort((counts, found[:, 0]))
    is_last = np.diff(found[order, 0], append=codes.max() + 1) > 0
    return [color_of(int(label)) for label in found[order][is_last, 1]]
