"""The condensed tree of HDBSCAN: clusters that shrink and split as the density grows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from coterie._printing import count_of
from coterie._support.typing import FloatArray, Labels
from coterie.cluster import HDBSCAN, CondensedTree
from coterie.show.palette import FAINT, INK, NOISE_COLOR, color_of
from coterie.show.plots.drawing.canvas import axes_for, drawing, note, tidy
from coterie.show.plots.drawing.marks import LONGEST_NAME, halo, words_of_labels

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_STEPS = 150  # of the outline of one cluster
MOST_IN_WORDS = 8  # clusters beside which more than a number has room
MANY = 20  # clusters; the names of more are small and short
LONGEST_IN_CROWD = 8
LETTER = 0.011  # of the width of the picture, for a letter of a name
GAP = 0.012  # between siblings, as a share of all rows

Values = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Outline:
    """Widths of one cluster (rows that are still in it, or their weight) from each density to the next."""

    densities: Values
    widths: Values


def condensed_tree(model: HDBSCAN, ax: Axes | None = None, *, names: list[str] | None = None) -> Axes:
    """Draw each cluster from the density where it comes to be down to where its last row leaves it.

    Its width is the number of rows that are still in it, or their weight. Selected clusters have their
    colours, those that split from them too; the others are grey.

    Parameters
    ----------
    model : HDBSCAN
        Fitted.
    ax : Axes, default=None
        Where to draw; None opens a figure.
    names : list of str, default=None
        What to call cluster 0, 1, ...; None: group 1, 2, ...

    References
    ----------
    campello-2015

    Examples
    --------
    >>> from coterie.cluster import HDBSCAN
    >>> from coterie.show.plots import condensed_tree
    >>> X = [[0.0], [0.1], [0.2], [5.0], [5.2], [5.4], [40.0]]
    >>> model = HDBSCAN(min_cluster_size=3, min_samples=2).fit(X)
    >>> condensed_tree(model).get_title(loc="left")
    '2 clusters selected of 3 in the tree'
    """
    tree = model.condensed_tree_
    ax = axes_for(ax, size=(7.6, 5.0))
    deepest = _deepest(tree)
    centers, extent = _centers(tree)
    outlines = _outlines(tree, deepest)
    owner = _owners(tree, model.labels_[model._finite_rows])
    _draw_splits(ax, tree, outlines, centers)
    _draw(ax, outlines, centers, owner)
    _name(ax, tree, outlines, centers, owner, names)
    ax.set_xlim(-0.02 * extent, 1.02 * extent)
    ax.set_ylim(1.02 * deepest, 0.0)
    n_selected = np.unique(owner[owner >= 0]).size
    title = f"{count_of(n_selected, 'cluster')} selected of {tree.n_clusters:,} in the tree"
    tidy(ax, title=title, y="density (one over the distance)")
    ax.set_xticks([])
    ax.spines["bottom"].set_visible(False)
    width = f"rows, {tree.n_rows:,}" if tree.size.dtype.kind == "i" else f"weight, {tree.total:,.1f}"
    note(ax, f"Width: {width} at the top. Colour: selected; grey: not.", gap=8)
    return ax


def _deepest(tree: CondensedTree) -> float:
    """Return the highest finite density; rows at distance 0 of each other leave at infinity."""
    finite = tree.density[np.isfinite(tree.density)]
    return float(finite.max()) if finite.size else 1.0


def _children(tree: CondensedTree) -> dict[int, list[int]]:
    children: dict[int, list[int]] = {}
    for child, parent in enumerate(tree.parents().tolist()):
        if child:
            children.setdefault(parent, []).append(child)
    return children


def _sizes(tree: CondensedTree) -> Values:
    sizes = tree.sizes().astype(np.float64)
    sizes[0] = tree.total
    return sizes


def _centers(tree: CondensedTree) -> tuple[Values, float]:
    """Return where the middle of each cluster stands, and the width of all: children lie side by side."""
    children, extents = _children(tree), _sizes(tree)
    gap = GAP * tree.total
    for cluster in range(tree.n_clusters - 1, -1, -1):  # children have higher numbers than parents
        below = children.get(cluster, [])
        if below:
            extents[cluster] = max(extents[cluster], extents[below].sum() + gap * (len(below) - 1))
    centers = np.zeros(tree.n_clusters)
    centers[0] = extents[0] / 2
    for cluster in range(tree.n_clusters):
        below = children.get(cluster, [])
        left = centers[cluster] - (extents[below].sum() + gap * (len(below) - 1)) / 2 if below else 0.0
        for child in below:
            centers[child] = left + extents[child] / 2
            left += extents[child] + gap
    return centers, float(extents[0])


def _outlines(tree: CondensedTree, deepest: float) -> list[Outline]:
    """Return the outline of each cluster, with steps joined where there are many."""
    births, sizes = np.minimum(tree.births(), deepest), _sizes(tree)
    order = np.lexsort((tree.density, tree.parent))
    starts = np.searchsorted(tree.parent[order], np.arange(tree.n_clusters + 1) + tree.n_rows)
    outlines = []
    for cluster in range(tree.n_clusters):
        events = order[starts[cluster] : starts[cluster + 1]]
        densities = np.minimum(tree.density[events], deepest)
        left = sizes[cluster] - np.cumsum(tree.size[events])  # rows left after each event
        kept = np.unique(np.linspace(0, events.size - 1, min(events.size, MOST_STEPS)).astype(np.intp))
        before = np.r_[sizes[cluster], left[kept[:-1]]] if kept.size else np.zeros(0)
        outlines.append(
            Outline(np.r_[births[cluster], densities[kept]], np.asarray(before, dtype=np.float64))
        )
    return outlines


def _owners(tree: CondensedTree, labels: Labels) -> Labels:
    """Return the label that each cluster's rows got: its own or that of the selected cluster above; -1: none.

    The selected cluster of a label is the nearest that all clusters which its rows left last have above them.
    """
    parents, last = tree.parents(), tree.last_clusters()[0]
    owner = np.full(tree.n_clusters, -1, dtype=np.int64)
    is_in = labels >= 0
    pairs = np.unique(np.stack([labels[is_in], last[is_in]], axis=1), axis=0)
    for label in np.unique(pairs[:, 0]).tolist():
        ends = set(pairs[pairs[:, 0] == label, 1].tolist())
        while len(ends) > 1:
            deepest = max(ends)  # children have higher numbers than parents
            ends.remove(deepest)
            ends.add(int(parents[deepest]))
        owner[ends.pop()] = label
    for cluster in range(1, tree.n_clusters):
        if owner[cluster] < 0:
            owner[cluster] = owner[parents[cluster]]
    return owner


def _draw(ax: Axes, outlines: list[Outline], centers: Values, owner: Labels) -> None:
    shapes: list[FloatArray] = []
    for outline, center in zip(outlines, centers.tolist(), strict=True):
        densities = np.repeat(outline.densities, 2)[1:-1]
        halves = np.repeat(outline.widths, 2) / 2
        right = np.stack([center + halves, densities], axis=1)
        left = np.stack([center - halves, densities], axis=1)[::-1]
        shapes.append(np.concatenate([right, left]))
    colors = [FAINT if label < 0 else color_of(label) for label in owner.tolist()]
    ax.add_collection(
        drawing("collections").PolyCollection(shapes, facecolors=colors, edgecolors=colors, linewidths=0.6)
    )


def _draw_splits(ax: Axes, tree: CondensedTree, outlines: list[Outline], centers: Values) -> None:
    """Draw a line from the first to the last child where a cluster splits."""
    lines = []
    for below in _children(tree).values():
        density = float(outlines[below[0]].densities[0])
        halves = _sizes(tree)[below] / 2
        lines.append(
            [
                (float((centers[below] - halves).min()), density),
                (float((centers[below] + halves).max()), density),
            ]
        )
    ax.add_collection(
        drawing("collections").LineCollection(lines, colors=NOISE_COLOR, linewidths=1.0, zorder=0.9)
    )


def _name(
    ax: Axes,
    tree: CondensedTree,
    outlines: list[Outline],
    centers: Values,
    owner: Labels,
    names: list[str] | None,
) -> None:
    """Write the label of each selected cluster where it begins."""
    parents = tree.parents()
    is_first = (owner >= 0) & ((owner != owner[parents]) | (np.arange(owner.size) == 0))
    first = np.flatnonzero(is_first)
    places = np.array([(centers[cluster], outlines[cluster].densities[0]) for cluster in first]).reshape(
        -1, 2
    )
    reach = places / (np.ptp(centers) or 1.0, _deepest(tree))
    longest = LONGEST_NAME if first.size <= MANY else LONGEST_IN_CROWD
    words = words_of_labels(owner[first].tolist(), names, longest, is_short=first.size > MOST_IN_WORDS)
    room = LETTER * max(2, *map(len, words), 0)
    named: list[int] = []
    for at in np.lexsort((reach[:, 0],)).tolist():
        if (np.abs(reach[named] - reach[at]) < (room, 0.03)).all(axis=1).any():
            continue  # it would be written over another name
        named.append(at)
        text = ax.annotate(
            words[at],
            places[at].tolist(),
            xytext=(0, 4),
            textcoords="offset points",
            ha="center",
            color=INK,
            fontweight="bold",
            fontsize=9 if first.size <= MANY else 6.5,
        )
        text.set_path_effects(halo(3.0))
