"""Other views of trees: around a centre, as a phylogeny, and without a root."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from coterie._printing import count_of
from coterie._support.typing import FloatArray, Labels, Model
from coterie._support.validation import Flag, Nothing, Whole, check_parameter
from coterie.phylogeny import Phylogeny
from coterie.show.palette import INK, letters_in
from coterie.show.plots.drawing.canvas import axes_for, drawing, tidy
from coterie.show.plots.drawing.marks import halo
from coterie.show.plots.drawing.phylogeny_layout import (
    Branching,
    branching_of,
    branching_of_layout,
    read_clades,
    read_phylogeny,
)
from coterie.show.plots.drawing.tree_layout import Cut, TreeLayout, lay_out, read_cut, read_tree
from coterie.show.plots.trees import title_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TURN = 2 * np.pi * 0.97  # a gap is left between the last tip and the first
ARC_STEP = np.radians(3)  # of the points that an arc is drawn by
MOST_NAMES = 160
MOST_SUPPORTED = 60  # tips of a tree at whose branches support is written
Spot = tuple[float, float]
SHORT = 4  # letters; such names stand upright: turned, a 6 reads as a 9
AT_NODE: Spot = (-3.0, 2.0)  # where support is written, in points from a node
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
    model : Phylogeny, Dendrogram, fitted model with ``dendrogram_``, or SciPy's matrix
        The tree. Support of branches is written at their nodes; negative lengths are drawn as 0.
    cut : int, float or labels, default=None
        Colour the clusters of a cut: their number, a height (of a phylogeny: the largest distance within a
        group), or a label per leaf.
    max_leaves : int or None, default=80
        Most tips; of a larger tree the highest nodes are drawn, with counts. None: all.
    slanted : bool, default=False
        Whether branches run straight to their node instead of around a corner.
    ax : Axes, default=None
        Where to draw; None: on a new figure.

    Examples
    --------
    >>> from coterie.phylogeny import Phylogeny
    >>> ax = phylogram(Phylogeny.from_newick("((cat:4,dog:3)95:2,crow:6);"))
    >>> [text.get_text() for text in ax.texts]
    ['cat', 'dog', 'crow', '95', '1']
    """
    check_parameter(max_leaves, Nothing() | Whole(2), name="max_leaves", who="phylogram")
    check_parameter(slanted, Flag(), name="slanted", who="phylogram")
    branching, title = _branching(model, cut, max_leaves, "phylogram")
    n_tips, depths = len(branching.tips), branching.depths()
    depth = max(depths.values()) or 1.0
    ax = axes_for(ax, size=(6.4, float(np.clip(0.2 * n_tips + 0.8, 2.6, 14))))
    lines, colors = [], []
    for node, children in branching.children.items():
        start = (depths[node], branching.places[node])
        for child in children:
            end = (depths[child], branching.places[child])
            lines.append(np.array([start, end] if slanted else [start, (start[0], end[1]), end]))
            colors.append(branching.colors[child])
    ax.add_collection(drawing("collections").LineCollection(lines, colors=colors, linewidths=1.4))
    for tip in branching.tips:
        _write_tip(ax, branching, tip, depths[tip])
    for node in branching.support if n_tips <= MOST_SUPPORTED else ():
        _write_support(ax, branching, node, (depths[node], branching.places[node]), AT_NODE)
    _draw_scale_bar(ax, depth, n_tips - 0.2, 0.15)
    ax.set_xlim((-0.05 if branching.support else -0.02) * depth, 1.02 * depth)
    ax.set_ylim(n_tips + 0.4, -0.8)
    tidy(ax, title=title)
    ax.set_axis_off()
    return ax


def unrooted_tree(
    model: Model, *, cut: Cut = None, max_leaves: int | None = 120, ax: Axes | None = None
) -> Axes:
    """Draw a tree without a root: branches in all directions, as long as they are, spread evenly.

    Parameters
    ----------
    model : Phylogeny, Dendrogram or fitted model with ``dendrogram_``
        The tree. Support is written at branches; negative lengths are drawn as 0.
    cut : int, float or labels, default=None
        Colour groups: their number, the largest distance within one (both of a rooted tree), or a label per
        leaf.
    max_leaves : int or None, default=120
        Most tips; of a larger tree the highest nodes are drawn, with counts. None: all.
    ax : Axes, default=None
        Where to draw; None: on a new figure.

    Examples
    --------
    >>> from coterie.phylogeny import Phylogeny
    >>> ax = unrooted_tree(Phylogeny.from_newick("((cat:4,dog:3)95:2,crow:6,trout:9);"))
    >>> [text.get_text() for text in ax.texts]
    ['cat', 'dog', 'crow', 'trout', '95', '2']
    """
    check_parameter(max_leaves, Nothing() | Whole(2), name="max_leaves", who="unrooted_tree")
    tree = read_phylogeny(model, "unrooted_tree")
    labels = read_clades(tree, cut, "unrooted_tree")
    branching = branching_of(tree.unrooted(), max_leaves=max_leaves, labels=labels)
    spots = branching.plane()
    ax = axes_for(ax, size=(6.4, 6.4))
    lines, colors = [], []
    for node, children in branching.children.items():
        lines += [np.array([spots[node], spots[child]]) for child in children]
        colors += [branching.colors[child] for child in children]
        for child in children:
            if child in branching.names and len(branching.tips) <= MOST_NAMES:
                _write_end(ax, branching, child, spots[node], spots[child])
    ax.add_collection(drawing("collections").LineCollection(lines, colors=colors, linewidths=1.4))
    for node, children in branching.children.items() if len(branching.tips) <= MOST_SUPPORTED else ():
        for child in children:
            if child in branching.support:
                middle = np.mean([spots[node], spots[child]], axis=0)
                _write_support(ax, branching, child, middle, _beside(spots[node], spots[child]))
    _frame(ax, np.array(list(spots.values())))
    tidy(ax, title=_title(tree, branching, labels))
    ax.set_axis_off()
    return ax


def _branching(model: Model, cut: Cut, max_leaves: int | None, who: str) -> tuple[Branching, str]:
    """Return what is drawn of a phylogeny or a dendrogram, and its title."""
    if isinstance(model, Phylogeny):
        groups = read_clades(model, cut, who)
        branching = branching_of(model, max_leaves=max_leaves, labels=groups)
        return branching, _title(model, branching, groups)
    tree = read_tree(model, who)
    labels = read_cut(tree, cut, who)
    layout = lay_out(tree, max_leaves=max_leaves, labels=labels)
    return branching_of_layout(layout), title_of(layout, labels)


def _title(tree: Phylogeny, branching: Branching, labels: Labels | None) -> str:
    k = 0 if labels is None else len(np.unique(labels))
    groups = "" if labels is None else f", {count_of(k, 'group')}"
    shown = "" if len(branching.tips) == tree.n_leaves else f", {len(branching.tips):,} tips drawn"
    return f"{tree.n_leaves:,} leaves{groups}{shown}"


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


def _write_tip(ax: Axes, branching: Branching, tip: int, across: float) -> None:
    ax.annotate(
        branching.names[tip],
        (across, branching.places[tip]),
        xytext=(4, 0),
        textcoords="offset points",
        va="center",
        color=letters_in(branching.colors[tip]),
        fontsize="small" if len(branching.tips) <= 40 else 6,
        annotation_clip=False,
    )


def _write_end(ax: Axes, branching: Branching, tip: int, start: Spot, end: Spot) -> None:
    """Write the name of a tip in the direction of its branch, never upside down."""
    angle = np.arctan2(end[1] - start[1], end[0] - start[0])
    degrees = float(np.degrees(angle))
    is_left, is_short = abs(degrees) > 90, len(branching.names[tip]) <= SHORT
    away, turned = (8, 0.0) if is_short else (4, degrees + 180 if is_left else degrees)
    ax.annotate(
        branching.names[tip],
        end,
        xytext=(away * np.cos(angle), away * np.sin(angle)),
        textcoords="offset points",
        rotation=turned,
        rotation_mode="anchor",
        ha="center" if is_short else "right" if is_left else "left",
        va="center",
        color=letters_in(branching.colors[tip]),
        fontsize="small" if len(branching.tips) <= 40 else 6,
        annotation_clip=False,
    )


def _write_support(ax: Axes, branching: Branching, node: int, at: Spot | FloatArray, shift: Spot) -> None:
    text = ax.annotate(
        branching.support[node],
        (float(at[0]), float(at[1])),
        xytext=shift,
        textcoords="offset points",
        ha="right" if shift == AT_NODE else "center",
        va="bottom" if shift == AT_NODE else "center",
        color=INK,
        fontsize="x-small",
        annotation_clip=False,
    )
    text.set_path_effects(halo())


def _beside(start: Spot, end: Spot) -> Spot:
    """Return the points by which a text is moved to stand at the left of a branch."""
    angle = np.arctan2(end[1] - start[1], end[0] - start[0])
    return float(-8 * np.sin(angle)), float(8 * np.cos(angle))


def _frame(ax: Axes, spots: FloatArray) -> None:
    """Leave room around the branches for names, and a line below for the bar."""
    low, high = spots.min(axis=0), spots.max(axis=0)
    size = float(max(*(high - low), 1e-300))
    _draw_scale_bar(ax, size, low[1] - 0.12 * size, -0.02 * size, left=float(low[0]))
    ax.set_xlim(low[0] - 0.14 * size, high[0] + 0.14 * size)
    ax.set_ylim(low[1] - 0.2 * size, high[1] + 0.14 * size)
    ax.set_aspect("equal")


def _draw_scale_bar(ax: Axes, size: float, below: float, gap: float, *, left: float = 0.0) -> None:
    """Draw a bar with a round length of about a fifth of the tree's size."""
    wanted = size / 5
    unit = 10.0 ** np.floor(np.log10(wanted))
    length = float(max(step * unit for step in (1, 2, 5) if step * unit <= wanted))
    ends = [left, left + length]
    ax.plot(ends, [below, below], color=INK, linewidth=1.6, solid_capstyle="butt")
    ax.text(sum(ends) / 2, below + gap, f"{length:g}", ha="center", va="top", color=INK, fontsize="small")
