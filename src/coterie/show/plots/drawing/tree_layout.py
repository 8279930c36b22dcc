"""Where the nodes of a tree are drawn: tips side by side, inner nodes above the middle of their children."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from coterie._support.typing import FloatArray, Labels, Model, VectorLike
from coterie._support.validation import Nothing, Number, Whole, check_parameter
from coterie.errors import InvalidData, InvalidParameter
from coterie.show.palette import INK, color_of
from coterie.show.plots.drawing.marks import plain
from coterie.tree import Dendrogram

LONGEST_TIP = 24
INFINITE = 1.15  # times the largest finite height: where infinite heights are drawn


@dataclass(frozen=True, eq=False)
class TreeLayout:
    """The part of a tree that is drawn."""

    tree: Dendrogram  # the whole tree
    # nodes drawn without what is below them, from left to right: leaves, and nodes cut short
    tips: tuple[int, ...]
    inner: tuple[int, ...]  # the other nodes drawn, children before parents
    places: dict[int, float]  # where nodes stand among the tips
    heights: dict[int, float]  # drawn heights: finite, rising towards the root
    base: float  # height at which leaves are drawn
    colors: dict[int, str]  # colour of each node: of its cluster, or ink where it holds several

    @property
    def top(self) -> float:
        """The largest drawn height."""
        return max(self.heights.values())

    def size(self, node: int) -> int:
        """Return the number of leaves of a node."""
        n = self.tree.n_leaves
        return 1 if node < n else int(self.tree.sizes[node - n])

    def name(self, tip: int) -> str:
        """Return what is written at a tip: the name of a leaf, or how many leaves it stands for."""
        if tip >= self.tree.n_leaves:
            return f"({self.size(tip):,})"
        name = str(tip) if self.tree.names is None else self.tree.names[tip]
        return plain(name, LONGEST_TIP)


def read_tree(model: Model, who: str) -> Dendrogram:
    """Return a tree that is given as such, as a model's `dendrogram_`, or as SciPy's matrix.

    Examples
    --------
    >>> read_tree([[0, 1, 0.5, 2], [2, 3, 2.0, 3]], "dendrogram")
    Dendrogram of 3 leaves, heights 0.5 to 2
    """
    tree = getattr(model, "dendrogram_", model)
    if isinstance(tree, Dendrogram):
        return tree
    if isinstance(tree, np.ndarray | list | tuple):
        return Dendrogram.from_linkage(tree)
    raise InvalidParameter(
        f"{who} needs a Dendrogram, a model with dendrogram_ or SciPy's matrix, got {type(model).__name__}."
    )


Cut: TypeAlias = VectorLike | Model | None  # a number of clusters, a height, labels, or a model that has them


def read_cut(tree: Dendrogram, cut: Cut, who: str) -> Labels | None:
    """Return the labels of the leaves for a number of clusters, a height, or labels; None for None.

    Examples
    --------
    >>> tree = Dendrogram([[0, 1], [3, 2]], [1.0, 2.0])
    >>> read_cut(tree, 2, "dendrogram"), read_cut(tree, 1.5, "dendrogram")
    (array([0, 0, 1]), array([0, 0, 1]))
    """
    if cut is None:
        return None
    given: Any = getattr(cut, "labels_", cut)
    if np.ndim(given) == 0:
        constraint = Nothing() | Whole(1, tree.n_leaves) | Number()
        check_parameter(given, constraint, name="cut", who=who)
        is_number = isinstance(given, int | np.integer)
        return tree.cut(n_clusters=int(given)) if is_number else tree.cut(height=float(given))
    labels = np.asarray(given)
    if labels.shape != (tree.n_leaves,) or labels.dtype.kind not in "iu":
        raise InvalidData(
            f"cut of {who} must be a number of clusters, a height, or a label per leaf, {tree.n_leaves:,} of "
            f"them, got shape {labels.shape}."
        )
    return labels


def lay_out(
    tree: Dendrogram, *, max_leaves: int | None, labels: Labels | None = None, by_size: bool = False
) -> TreeLayout:
    """Return where the last merges of a tree are drawn, with at most so many tips.

    Parameters
    ----------
    tree : Dendrogram
        The tree, in the order of its leaves.
    max_leaves : int or None
        Most tips; None: all leaves.
    labels : array of shape (n_leaves,), default=None
        Clusters of the leaves, for the colours.
    by_size : bool, default=False
        Whether a tip is as wide as its leaves are many, so that it stands beside them in a picture of rows.

    Examples
    --------
    >>> tree = Dendrogram([[0, 1], [2, 3], [4, 5]], [1.0, 2.0, 6.0])
    >>> lay_out(tree, max_leaves=3).tips
    (4, 2, 3)
    """
    n = tree.n_leaves
    numbers = tree.cut_sizes()[::-1]  # clusters left after 0, 1, 2 ... merges
    first = 0 if max_leaves is None else int(np.argmax(numbers <= max_leaves))
    inner = tuple(range(n + first, n + tree.n_inner))
    below = [int(child) for node in inner for child in tree.children(node)] or [tree.root]
    order = tree._first_places
    tips = tuple(sorted((node for node in below if node < n + first), key=lambda node: int(order[node])))
    places = {tip: float(place) for place, tip in enumerate(tips)}
    if by_size:
        sizes = {tip: 1 if tip < n else int(tree.sizes[tip - n]) for tip in tips}
        places = {tip: float(order[tip]) + (sizes[tip] - 1) / 2 for tip in tips}
    for node in inner:
        around = [places[int(child)] for child in tree.children(node)]
        places[node] = (min(around) + max(around)) / 2
    drawn = _drawn_heights(tree)
    base = _base(tree, drawn)
    heights = {node: base if node < n else float(drawn[node - n]) for node in (*tips, *inner)}
    return TreeLayout(tree, tips, inner, places, heights, base, _colors(tree, (*tips, *inner), labels))


def cut_height(tree: Dendrogram, labels: Labels) -> float | None:
    """Return a height between the merges that a cut makes and those it does not; None where there is none.

    Examples
    --------
    >>> tree = Dendrogram([[0, 1], [2, 3], [4, 5]], [1.0, 2.0, 6.0])
    >>> cut_height(tree, tree.cut(2))
    4.0
    """
    k = len(np.unique(labels))
    numbers = tree.cut_sizes()[::-1]
    made = int(np.searchsorted(-numbers, -k))
    if not tree.is_monotone or numbers[made] != k or k == 1:
        return None
    if not np.array_equal(tree.cut(k), np.unique(labels, return_inverse=True)[1]):
        return None
    drawn = _drawn_heights(tree)
    below = drawn[made - 1] if made else _base(tree, drawn)
    return float(below + drawn[made]) / 2


def _drawn_heights(tree: Dendrogram) -> FloatArray:
    """Return finite heights: similarities as they are, infinity a little beyond the rest."""
    heights = np.array(tree.heights)
    finite = heights[np.isfinite(heights)]
    far = INFINITE * finite.max(initial=0.0) or 1.0
    return np.nan_to_num(heights, posinf=far, neginf=-far)


def _base(tree: Dendrogram, drawn: FloatArray) -> float:
    """Return the height of leaves: 0, or for similarities a little more alike than any merge."""
    if tree.heights_are == "distances" or drawn.size == 0:
        return 0.0
    return float(drawn.max() + 0.05 * max(float(np.ptp(drawn)), abs(float(drawn.max())), 1e-300))


def _colors(tree: Dendrogram, nodes: tuple[int, ...], labels: Labels | None) -> dict[int, str]:
    if labels is None:
        return dict.fromkeys(nodes, INK)
    ordered, first = labels[tree._leaf_order], tree._first_places
    sizes = tree._node_sizes
    colors = {}
    for node in nodes:
        own = ordered[first[node] : first[node] + sizes[node]]
        colors[node] = color_of(int(own[0])) if (own == own[0]).all() else INK
    return colors
