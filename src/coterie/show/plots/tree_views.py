"""Other views of trees: around a centre, and as a phylogeny."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from coterie._support.typing import FloatArray, Model
from coterie._support.validation import Flag, Nothing, Whole, check_parameter
from coterie.show.palette import INK, letters_in
from coterie.show.plots.drawing.canvas import axes_for, drawing, tidy
from coterie.show.plots.drawing.tree_layout import Cut, TreeLayout, lay_out, read_cut, read_tree
from coterie.show.plots.trees import title_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TURN = 2 * np.pi * 0.97  # a gap is left between the last tip and the first
ARC_STEP = np.radians(3)  # of the points that an arc is drawn by
MOST_NAMES = 160
HOLE = 0.04  # radius of the root's arc, of the whole


def radial_tree(
    model: Model, *, cut: Cut = None, max_leaves: int | None = 120, ax: Axes | None = None
) -> Axes:
    """Draw a tree around its root: leaves on the rim, heights towards the centre.

    Parameters
    ----------
    model : Dendrogram, fitted model with ``dendrogram_``, or SciPy's matrix
        The tree.
    cut : int, float or labels, default=None
        Colour the clusters of a cut: their number, a height, or a label per leaf.
    max_leaves : int or None, default=120
        Most tips; of a larger tree the last merges are drawn, with counts. None: all.
    ax : Axes, default=None
        Where to draw; None: on a new figure.

    Examples
    --------
    >>> from coterie.tree import Dendrogram
    >>> ax = radial_tree(Dendrogram([[0, 1], [2, 3], [4, 5]], [1.0, 2.0, 6.0]), cut=2)
    >>> [text.get_text() for text in ax.texts]
    ['0', '1', '2', '3']
    """
    check_parameter(max_leaves, Nothing() | Whole(2), name="max_leaves", who="radial_tree")
    tree = read_tree(model, "radial_tree")
    labels = read_cut(tree, cut, "radial_tree")
    layout = lay_out(tree, max_leaves=max_leaves, labels=labels)
    ax = axes_for(ax, size=(6.4, 6.4))
    lines, colors = [], []
    for node in layout.inner:
        children = layout.tree.children(node).tolist()
        angles = [_angle(layout, child) for child in children]
        radius = _radius(layout, layout.heights[node])
        lines.append(_arc(min(angles), max(angles), radius))
        for child, angle in zip(children, angles, strict=True):
            outer = _radius(layout, layout.heights[child])
            lines.append(np.outer([radius, outer], [np.cos(angle), np.sin(angle)]))
        colors += [layout.colors[node]] * (1 + len(children))
    many = len(lines) > 4000
    ax.add_collection(
        drawing("collections").LineCollection(lines, colors=colors, linewidths=1.2, rasterized=many)
    )
    _name_rim(ax, layout)
    ax.set_xlim(-1.2, 1.2)
    ax.set_ylim(-1.2, 1.2)
    ax.set_aspect("equal")
    tidy(ax, title=title_of(layout, labels))
    ax.set_axis_off()
    return ax


def phylogram(
    model: Model,
    *,
    cut: Cut = None,
    max_leaves: int | None = 80,
    slanted: bool = False,
    ax: Axes | None = None,
) -> Axes:
    """Draw a tree as a phylogeny: the root at the left, names at the right, a bar for the scale of branches.

    Parameters
    ----------
    model : Dendrogram, fitted model with ``dendrogram_``, or SciPy's matrix
        The tree; ``Dendrogram.from_newick`` reads one.
    cut : int, float or labels, default=None
        Colour the clusters of a cut: their number, a height, or a label per leaf.
    max_leaves : int or None, default=80
        Most tips; of a larger tree the last merges are drawn, with counts. None: all.
    slanted : bool, default=False
        Whether branches run straight to their node instead of around a corner.
    ax : Axes, default=None
        Where to draw; None: on a new figure.

    Examples
    --------
    >>> from coterie.tree import Dendrogram
    >>> ax = phylogram(Dendrogram.from_newick("((cat:4,dog:4):2,crow:6);"))
    >>> [text.get_text() for text in ax.texts]
    ['cat', 'dog', 'crow', '1']
    """
    check_parameter(max_leaves, Nothing() | Whole(2), name="max_leaves", who="phylogram")
    check_parameter(slanted, Flag(), name="slanted", who="phylogram")
    tree = read_tree(model, "phylogram")
    labels = read_cut(tree, cut, "phylogram")
    layout = lay_out(tree, max_leaves=max_leaves, labels=labels)
    ax = axes_for(ax, size=(6.4, float(np.clip(0.2 * len(layout.tips) + 0.8, 2.6, 14))))
    lines, colors = [], []
    for node in layout.inner:
        start = (_from_root(layout, node), layout.places[node])
        for child in layout.tree.children(node).tolist():
            end = (_from_root(layout, child), layout.places[child])
            lines.append(np.array([start, end] if slanted else [start, (start[0], end[1]), end]))
            colors.append(layout.colors[child])
    ax.add_collection(drawing("collections").LineCollection(lines, colors=colors, linewidths=1.4))
    for tip in layout.tips:
        _write_tip(ax, layout, tip, _from_root(layout, tip))
    _draw_scale_bar(ax, layout)
    ax.set_xlim(-0.02 * _depth(layout), 1.02 * _depth(layout))
    ax.set_ylim(len(layout.tips) + 0.4, -0.8)
    tidy(ax, title=title_of(layout, labels))
    ax.set_axis_off()
    return ax


def _angle(layout: TreeLayout, node: int) -> float:
    return TURN * layout.places[node] / max(len(layout.tips), 1)


def _radius(layout: TreeLayout, height: float) -> float:
    end = _end(layout)
    return HOLE + (1 - HOLE) * (height - end) / (layout.base - end) if layout.base != end else 1.0


def _end(layout: TreeLayout) -> float:
    """Return the drawn height that is farthest from the leaves."""
    return max(layout.heights.values(), key=lambda height: abs(height - layout.base))


def _arc(start: float, end: float, radius: float) -> FloatArray:
    angles = np.linspace(start, end, max(2, int((end - start) / ARC_STEP) + 2))
    return radius * np.column_stack([np.cos(angles), np.sin(angles)])


def _name_rim(ax: Axes, layout: TreeLayout) -> None:
    for tip in layout.tips if len(layout.tips) <= MOST_NAMES else ():
        angle, radius = _angle(layout, tip), _radius(layout, layout.heights[tip]) + 0.02
        degrees = np.degrees(angle)
        is_left = 90 < degrees % 360 < 270
        ax.text(
            radius * np.cos(angle),
            radius * np.sin(angle),
            layout.name(tip),
            rotation=degrees + 180 if is_left else degrees,
            rotation_mode="anchor",
            ha="right" if is_left else "left",
            va="center",
            color=letters_in(layout.colors[tip]),
            fontsize="small" if len(layout.tips) <= 60 else 6,
        )


def _depth(layout: TreeLayout) -> float:
    return abs(_end(layout) - layout.base) or 1.0


def _from_root(layout: TreeLayout, node: int) -> float:
    return _depth(layout) - abs(layout.heights[node] - layout.base)


def _write_tip(ax: Axes, layout: TreeLayout, tip: int, across: float) -> None:
    size = "small" if len(layout.tips) <= 40 else 6
    ax.annotate(
        layout.name(tip),
        (across, layout.places[tip]),
        xytext=(4, 0),
        textcoords="offset points",
        va="center",
        color=letters_in(layout.colors[tip]),
        fontsize=size,
        annotation_clip=False,
    )


def _draw_scale_bar(ax: Axes, layout: TreeLayout) -> None:
    """Draw a bar with a round length of about a fifth of the tree's depth."""
    wanted = _depth(layout) / 5
    unit = 10.0 ** np.floor(np.log10(wanted))
    length = float(max(step * unit for step in (1, 2, 5) if step * unit <= wanted))
    below = len(layout.tips) - 0.2
    ax.plot([0, length], [below, below], color=INK, linewidth=1.6, solid_capstyle="butt")
    ax.text(length / 2, below + 0.15, f"{length:g}", ha="center", va="top", color=INK, fontsize="small")
