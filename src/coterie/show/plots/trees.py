"""Dendrograms: one, or several linkages side by side."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from coterie._printing import count_of
from coterie._support.typing import Labels, Model, Settings, VectorLike
from coterie._support.validation import Choice, Nothing, Whole, check_parameter
from coterie.errors import InvalidParameter
from coterie.show.palette import EMPHASIS, FAINT, INK, letters_in
from coterie.show.plots.drawing.canvas import axes_for, drawing, panels, tidy
from coterie.show.plots.drawing.marks import LINE_SPACING, POINTS_PER_INCH, halo, plain
from coterie.show.plots.drawing.tree_layout import Cut, TreeLayout, cut_height, lay_out, read_cut, read_tree

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_NAMES = 80  # tips with a name; more would overlap
SMALLEST_NAME, LARGEST_NAME = 6.0, 8.5  # points; smaller ones cannot be read
UPRIGHT_NAMES = 12  # tips whose names fit side by side, if short
COUNTS = "leaves; (n): n leaves below a wedge"
WEDGE = 0.8  # width of a node that was cut short, of the room it has


def dendrogram(
    model: Model,
    *,
    cut: Cut = None,
    max_leaves: int | None = 50,
    orientation: str = "vertical",
    order: VectorLike | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw a tree of merges: coloured at a cut, its top part with counts when there are many leaves.

    Parameters
    ----------
    model : Dendrogram, fitted model with ``dendrogram_``, or SciPy's matrix
        The tree, with any number of leaves; merges lower than those below them are drawn as they are.
    cut : int, float or labels, default=None
        Colour the clusters of a cut: their number, a height, or a label per leaf. A dashed line shows where
        it goes through the tree.
    max_leaves : int or None, default=50
        Of a larger tree the last merges are drawn; a wedge and a count stand for what is below. None: all.
        As many as the clusters of the cut are always drawn.
    orientation : {"vertical", "horizontal"}, default="vertical"
        The root at the top, or at the right.
    order : array-like of shape (n_leaves,), default=None
        The leaves from left to right, such as ``tree.leaf_order(optimal=True, X=X)``.
    ax : Axes, default=None
        Where to draw; None: on a new figure.

    Examples
    --------
    >>> from coterie.tree import Dendrogram
    >>> tree = Dendrogram([[0, 1], [2, 3], [4, 5]], [1.0, 2.0, 6.0], names=["a", "b", "c", "d"])
    >>> ax = dendrogram(tree, cut=2)
    >>> [text.get_text() for text in ax.get_xticklabels()], ax.get_title(loc="left")
    (['a', 'b', 'c', 'd'], '4 leaves, cut into 2 clusters')
    """
    check_parameter(max_leaves, Nothing() | Whole(2), name="max_leaves", who="dendrogram")
    check_parameter(orientation, Choice("vertical", "horizontal"), name="orientation", who="dendrogram")
    tree = read_tree(model, "dendrogram")
    labels = read_cut(tree, cut, "dendrogram")
    tree = tree if order is None else tree.reordered(order)
    layout = lay_out(tree, max_leaves=_enough(max_leaves, labels), labels=labels)
    is_upright = orientation == "vertical"
    ax = axes_for(ax, size=_size(len(layout.tips), is_upright))
    draw_tree(ax, layout, is_upright=is_upright)
    where = None if labels is None else _line(layout, labels, cut)
    if where is not None:
        line = ax.axhline if is_upright else ax.axvline
        line(where, color=EMPHASIS, linewidth=1.1, linestyle="--", zorder=3)
        _name_line(ax, where, is_upright=is_upright)
    height = "similarity" if tree.heights_are == "similarities" else "height"
    tidy(ax, title=title_of(layout, labels), x="" if is_upright else height, y=height if is_upright else "")
    label_tips(ax, layout, is_upright=is_upright)
    axis = ax.xaxis if is_upright else ax.yaxis
    if len(layout.tips) < tree.n_leaves and len(axis.get_ticklocs()):
        axis.set_label_text(COUNTS, color=INK)
    return ax


def linkages(
    trees: Settings, *, cut: Cut = None, max_leaves: int | None = 30, orientation: str = "vertical"
) -> Figure:
    """Draw the trees of several linkages side by side, each with its own heights.

    Parameters
    ----------
    trees : mapping of str to Dendrogram, or a LinkageComparison
        The trees by name.
    cut : int, float or labels, default=None
        As in `dendrogram`, for every tree.
    max_leaves : int or None, default=30
        Most tips of a tree.
    orientation : {"vertical", "horizontal"}, default="vertical"
        The roots at the top, or at the right.

    Examples
    --------
    >>> from coterie.tree import Dendrogram, linkage
    >>> X = [[0.0], [1.0], [5.0], [6.5]]
    >>> names = ("single", "complete")
    >>> figure = linkages({name: Dendrogram.from_linkage(linkage(X, name)) for name in names}, cut=2)
    >>> [ax.get_title(loc="left") for ax in figure.axes]
    ['single', 'complete']
    """
    found = getattr(trees, "trees", trees)
    if not isinstance(found, Mapping) or not found:
        raise InvalidParameter(
            f"trees of linkages must be a mapping of names to trees, got {type(trees).__name__}."
        )
    figure, axes = panels(len(found), columns=min(3, len(found)), size=(4.0, 3.2))
    for ax, (name, tree) in zip(axes, found.items(), strict=True):
        dendrogram(tree, cut=cut, max_leaves=max_leaves, orientation=orientation, ax=ax)
        ax.set_title(plain(name), loc="left")
        ax.set(
            **{"xlabel" if orientation == "vertical" else "ylabel": ""}
        )  # small panels: names would repeat
    return figure


def draw_tree(ax: Axes, layout: TreeLayout, *, is_upright: bool) -> None:
    """Draw the links of a tree, and a wedge for every node that was cut short."""
    links, colors = [], []
    for node in layout.inner:
        children = sorted(layout.tree.children(node).tolist(), key=layout.places.__getitem__)
        height = layout.heights[node]
        legs = [
            [(layout.places[child], layout.heights[child]), (layout.places[child], height)]
            for child in children
        ]
        links.append([legs[0][0], legs[0][1], legs[-1][1], legs[-1][0]])
        links += legs[1:-1]
        colors += [layout.colors[node]] * (len(children) - 1)
    lines = [np.array(link if is_upright else [place[::-1] for place in link]) for link in links]
    many = len(lines) > 2000
    collection = drawing("collections").LineCollection(
        lines, colors=colors, linewidths=0.6 if many else 1.3, capstyle="round", rasterized=many
    )
    ax.add_collection(collection)
    _draw_wedges(ax, layout, is_upright=is_upright)
    _set_limits(ax, layout, is_upright=is_upright)


def label_tips(ax: Axes, layout: TreeLayout, *, is_upright: bool) -> None:
    """Write the name of each tip at its place; none where there are too many to read."""
    axis = ax.xaxis if is_upright else ax.yaxis
    n = len(layout.tips)
    points = _points_that_fit(ax, n, is_upright=is_upright)
    shown = layout.tips if n <= MOST_NAMES and points >= SMALLEST_NAME else ()
    names = [layout.name(tip) for tip in shown]
    axis.set_ticks([layout.places[tip] for tip in shown], names)
    axis.set_tick_params(length=0, labelsize=points)
    for tip, text in zip(shown, axis.get_ticklabels(), strict=True):
        text.set_color(letters_in(layout.colors[tip]))
    is_wide = n * max(map(len, names), default=0) > UPRIGHT_NAMES * 5
    if is_upright and is_wide:
        axis.set_tick_params(labelrotation=90)


def _points_that_fit(ax: Axes, n: int, *, is_upright: bool) -> float:
    """Return the size of letters of which n lines stand side by side along the tips."""
    box = ax.get_window_extent()
    length = (box.width if is_upright else box.height) / ax.get_figure().dpi  # type: ignore[union-attr]  # has one
    return float(min(LARGEST_NAME, POINTS_PER_INCH * length / (LINE_SPACING * max(n, 1))))


def _name_line(ax: Axes, where: float, *, is_upright: bool) -> None:
    """Write beside the dashed line that it is the cut."""
    at, shift = ((1.0, where), (-2, 2)) if is_upright else ((where, 1.0), (3, -2))
    text = ax.annotate(
        "cut",
        at,
        xytext=shift,
        xycoords=("axes fraction", "data") if is_upright else ("data", "axes fraction"),
        textcoords="offset points",
        ha="right" if is_upright else "left",
        va="bottom" if is_upright else "top",
        color=EMPHASIS,
        fontsize="small",
        annotation_clip=False,
    )
    text.set_path_effects(halo())


def _draw_wedges(ax: Axes, layout: TreeLayout, *, is_upright: bool) -> None:
    n = layout.tree.n_leaves
    cut_short = [tip for tip in layout.tips if tip >= n]
    corners = []
    for tip in cut_short:
        place, height = layout.places[tip], layout.heights[tip]
        wedge = [(place, height), (place - WEDGE / 2, layout.base), (place + WEDGE / 2, layout.base)]
        corners.append(np.array(wedge if is_upright else [corner[::-1] for corner in wedge]))
    if corners:
        to_rgba = drawing("colors").to_rgba
        colors = [layout.colors[tip] for tip in cut_short]
        ax.add_collection(
            drawing("collections").PolyCollection(
                corners,
                facecolors=[to_rgba(color, 0.35) for color in colors],
                edgecolors=colors,
                linewidths=0.8,
            )
        )


def _set_limits(ax: Axes, layout: TreeLayout, *, is_upright: bool) -> None:
    places = [layout.places[tip] for tip in layout.tips]
    heights = list(layout.heights.values())
    end = max(heights, key=lambda height: abs(height - layout.base))
    beyond = end + 0.04 * (end - layout.base) if end != layout.base else end + 1
    set_places, set_heights = (ax.set_xlim, ax.set_ylim) if is_upright else (ax.set_ylim, ax.set_xlim)
    set_places(min(places) - 0.6, max(places) + 0.6)
    set_heights(layout.base, beyond)
    ax.spines["bottom" if is_upright else "left"].set_color(FAINT)


def _enough(max_leaves: int | None, labels: Labels | None) -> int | None:
    """Return the number of tips, at least one per cluster as long as tips can be told apart."""
    if max_leaves is None or labels is None:
        return max_leaves
    k = len(np.unique(labels))
    return max(max_leaves, k) if k <= MOST_NAMES else max_leaves


def _line(layout: TreeLayout, labels: Labels, cut: Cut) -> float | None:
    """Return where the cut is drawn: at the height given, or between the merges made and the others."""
    if isinstance(cut, float | np.floating):
        return float(cut)
    return cut_height(layout.tree, labels)


def title_of(layout: TreeLayout, labels: Labels | None) -> str:
    """Return how many leaves a tree has, how it is cut, and how much of it is drawn."""
    n, k = layout.tree.n_leaves, 0 if labels is None else len(np.unique(labels))
    cut = "" if labels is None else f", cut into {count_of(k, 'cluster')}"
    shown = "" if len(layout.tips) == n else f" (last {count_of(len(layout.inner), 'merge')} drawn)"
    return f"{n:,} leaves{cut}{shown}"


def _size(n_tips: int, is_upright: bool) -> tuple[float, float]:
    if is_upright:
        return float(np.clip(0.19 * n_tips + 1.5, 6.4, 16)), 4.4
    return 6.4, float(np.clip(0.19 * n_tips + 1.0, 3.6, 16))
