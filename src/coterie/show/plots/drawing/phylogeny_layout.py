"""Where the nodes of a tree with branch lengths are drawn: away from the root, or around the middle."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from coterie._support.typing import Indices, Labels
from coterie._support.validation import Number, Whole, check_parameter
from coterie.errors import InvalidData, InvalidParameter
from coterie.phylogeny import Phylogeny
from coterie.show.palette import INK, color_of
from coterie.show.plots.drawing.marks import plain
from coterie.show.plots.drawing.tree_layout import LONGEST_TIP, TreeLayout
from coterie.tree import Dendrogram

MOST_SPREAD, PASSES = 300, 4  # tips of a tree whose branches are spread, and how often


@dataclass(frozen=True, eq=False)
class Branching:
    """The part of a tree that is drawn, as branches that grow from a root."""

    tips: tuple[int, ...]  # nodes drawn without what is below them, in order
    children: dict[int, list[int]]  # of the other nodes, children before parents
    lengths: dict[int, float]  # of the branch above each node
    places: dict[int, float]  # where nodes stand among the tips
    names: dict[int, str]  # what is written at each tip
    colors: dict[int, str]
    support: dict[int, str] = field(default_factory=dict)  # what is written at branches

    @property
    def root(self) -> int:
        """The node that all others grow from."""
        return next(reversed(self.children)) if self.children else self.tips[0]

    def depths(self) -> dict[int, float]:
        """Return how far from the root each node is drawn."""
        depths = {self.root: 0.0}
        for node in reversed(self.children):
            for child in self.children[node]:
                depths[child] = depths[node] + self.lengths[child]
        return depths

    def plane(self) -> dict[int, tuple[float, float]]:
        """Return where each node is drawn around the root.

        Felsenstein's equal-angle layout, in which each tip has the same angle; in trees that are not too
        large branches are then turned, so that the gaps between those at a node are equal (daylight).
        """
        widths = dict.fromkeys(self.tips, 1)
        for node, children in self.children.items():
            widths[node] = sum(widths[child] for child in children)
        turn = 2 * np.pi / widths[self.root]
        begins, spots = {self.root: 0.0}, {self.root: (0.0, 0.0)}
        for node in reversed(self.children):
            begin, (x, y) = begins[node], spots[node]
            for child in self.children[node]:
                angle = begin + turn * widths[child] / 2
                length = self.lengths[child]
                begins[child] = begin
                spots[child] = (x + length * float(np.cos(angle)), y + length * float(np.sin(angle)))
                begin += turn * widths[child]
        return _spread(spots, self.children) if len(self.tips) <= MOST_SPREAD else spots


def _spread(
    spots: dict[int, tuple[float, float]], children: dict[int, list[int]]
) -> dict[int, tuple[float, float]]:
    """Return the spots after turning what is at each node so that the gaps between are equal."""
    nodes = list(spots)
    number = {node: at for at, node in enumerate(nodes)}
    plane = np.array([complex(*spots[node]) for node in nodes])
    below = {node: [number[node]] for node in nodes}
    for node, own in children.items():
        below[node] = [number[node], *(at for child in own for at in below[child])]
    for _ in range(PASSES):
        for node in reversed(children):
            _equal_gaps(plane, number[node], [(number[child], below[child]) for child in children[node]],
                        np.setdiff1d(np.arange(len(nodes)), below[node]))  # fmt: skip
    return {node: (float(plane[at].real), float(plane[at].imag)) for node, at in number.items()}


def _equal_gaps(
    plane: npt.NDArray[np.complex128], centre: int, parts: list[tuple[int, list[int]]], rest: Indices
) -> None:
    """Turn the parts around a node, in place; the rest of the tree stays where it is."""
    around = plane - plane[centre]
    wedges = [_wedge(around, at, members) for at, members in parts]
    fixed = _wedge(around, int(rest[np.abs(around[rest]).argmin()]), rest) if rest.size else None
    free = 2 * np.pi - sum(high - low for low, high in wedges) - (fixed[1] - fixed[0] if fixed else 0.0)
    gap = free / (len(wedges) + bool(fixed))
    if gap <= 0:
        return
    begin = fixed[1] + gap if fixed else wedges[0][0]
    for (low, high), (_, members) in zip(wedges, parts, strict=True):
        plane[members] = plane[centre] + around[members] * np.exp(1j * (begin - low))
        begin += high - low + gap


def _wedge(
    around: npt.NDArray[np.complex128], neighbour: int, members: Sequence[int] | Indices
) -> tuple[float, float]:
    """Return the angles between which some nodes are seen from the origin, about that of a neighbour."""
    towards = (
        around[neighbour] if around[neighbour] != 0 else around[members][np.abs(around[members]).argmax()]
    )
    if towards == 0:
        return 0.0, 0.0
    middle = float(np.angle(towards))
    away = np.angle(around[members] / towards)[np.abs(around[members]) > 0]
    return middle + float(away.min()), middle + float(away.max())


def read_phylogeny(model: object, who: str) -> Phylogeny:
    """Return a tree with branch lengths: as given, or of a dendrogram.

    Examples
    --------
    >>> read_phylogeny(Dendrogram([[0, 1]], [2.0]), "unrooted_tree")
    Phylogeny of 2 leaves, rooted
    """
    tree = getattr(model, "dendrogram_", model)
    if isinstance(tree, Phylogeny):
        return tree
    if isinstance(tree, Dendrogram):
        return Phylogeny.from_dendrogram(tree)
    raise InvalidParameter(
        f"{who} needs a Phylogeny, a Dendrogram or a model with dendrogram_, got {type(model).__name__}."
    )


def read_clades(tree: Phylogeny, cut: Any, who: str) -> Labels | None:
    """Return the labels of the leaves for a number of groups, a largest distance, or labels; None for None.

    Examples
    --------
    >>> read_clades(Phylogeny.from_newick("((a:1,b:1):4,c:5);"), 2, "phylogram")
    array([0, 0, 1])
    """
    if cut is None:
        return None
    if np.ndim(cut) == 0:
        check_parameter(cut, Whole(1, tree.n_leaves) | Number(0.0), name="cut", who=who)
        return tree.cut(int(cut)) if isinstance(cut, int | np.integer) else tree.cut(max_distance=float(cut))
    labels = np.asarray(cut)
    if labels.shape != (tree.n_leaves,) or labels.dtype.kind not in "iu":
        raise InvalidData(
            f"cut of {who} must be a number of groups, a distance, or a label per leaf, {tree.n_leaves:,} of "
            f"them, got shape {labels.shape}."
        )
    return labels


def branching_of(tree: Phylogeny, *, max_leaves: int | None, labels: Labels | None) -> Branching:
    """Return what is drawn of a phylogeny: of too many leaves, those below its highest nodes are counted.

    Examples
    --------
    >>> found = branching_of(Phylogeny.from_newick("((a:1,b:1):4,c:5);"), max_leaves=2, labels=None)
    >>> [found.names[tip] for tip in found.tips]
    ['(2)', 'c']
    """
    first = tree.places[1]
    tips = sorted(_tips(tree, max_leaves), key=lambda node: int(first[node]))
    shown = set(tips)
    for tip in tips:
        node = int(tree.parents[tip])
        while node >= 0 and node not in shown:
            shown.add(node)
            node = int(tree.parents[node])
    inner = sorted(shown.difference(tips))
    children = {node: tree.children(node).tolist() for node in inner}
    places = {tip: float(place) for place, tip in enumerate(tips)}
    for node in inner:
        around = [places[child] for child in children[node]]
        places[node] = (min(around) + max(around)) / 2
    n = tree.n_leaves
    names = {
        tip: plain(tree.names[tip], LONGEST_TIP) if tip < n else f"({tree.sizes[tip]:,})" for tip in tips
    }
    lengths = {node: max(float(tree.lengths[node]), 0.0) for node in shown if node != tree.root}
    support = {node: f"{tree.support[node - n]:.0f}" for node in inner if np.isfinite(tree.support[node - n])}
    return Branching(
        tuple(tips), children, lengths, places, names, _colors(tree, sorted(shown), labels), support
    )


def branching_of_layout(layout: TreeLayout) -> Branching:
    """Return the same of a dendrogram, whose branches are as long as heights differ.

    Examples
    --------
    >>> from coterie.show.plots.drawing.tree_layout import lay_out
    >>> branching_of_layout(lay_out(Dendrogram([[0, 1]], [2.0]), max_leaves=None)).lengths
    {0: 2.0, 1: 2.0}
    """
    children = {node: layout.tree.children(node).tolist() for node in layout.inner}
    far = {node: abs(layout.heights[node] - layout.base) for node in layout.heights}
    lengths = {child: far[node] - far[child] for node in children for child in children[node]}
    names = {tip: layout.name(tip) for tip in layout.tips}
    return Branching(layout.tips, children, lengths, layout.places, names, layout.colors)


def _tips(tree: Phylogeny, max_leaves: int | None) -> list[int]:
    """Return the nodes at which a tree ends when its highest nodes are opened, until there are enough."""
    n = tree.n_leaves
    if max_leaves is None or n <= max_leaves:
        return list(range(n))
    reach = tree.depths.copy()  # of the deepest leaf below each node
    for node in range(n, tree.root + 1):
        reach[node] = reach[tree.children(node)].max()
    height = reach - tree.depths
    tips, waiting = {tree.root}, [(-float(height[tree.root]), tree.root)]
    while waiting:
        _, node = heapq.heappop(waiting)
        children = tree.children(node).tolist()
        if len(tips) + len(children) - 1 > max_leaves:
            break
        tips.remove(node)
        tips.update(children)
        for child in children:
            if child >= n:
                heapq.heappush(waiting, (-float(height[child]), child))
    return list(tips)


def _colors(tree: Phylogeny, nodes: list[int], labels: Labels | None) -> dict[int, str]:
    if labels is None:
        return dict.fromkeys(nodes, INK)
    order, first = tree.places
    ordered, colors = labels[order], {}
    for node in nodes:
        own = ordered[first[node] : first[node] + tree.sizes[node]]
        colors[node] = color_of(int(own[0])) if (own == own[0]).all() else INK
    return colors
