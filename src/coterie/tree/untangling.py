"""Two trees face to face: turning the children of one, or of both, so that fewer lines cross."""

from __future__ import annotations

import numpy as np

from coterie._support.typing import FloatArray, Indices
from coterie.tree.comparing import _matched, entanglement
from coterie.tree.dendrogram import Dendrogram

POWER = 1.5  # of `entanglement`
MOST_PLACED = 2_000_000  # leaves that one pass over the nodes may place; long chains of leaves have more
MOST_ROUNDS = 20
MOST_VISITS = 20_000  # of nodes, in all rounds: a second of work
TIE = 1e-9  # two sums of the same numbers
PATIENCE = 2  # rounds that may pass without getting nearer


def untangled(first: Dendrogram, second: Dendrogram) -> Dendrogram:
    """Turn the children of the second tree so that its leaves stand nearly as those of the first.

    The children of each node are put in the order of the mean places of their leaves in the first tree: the
    merges stay, only left and right change.

    Parameters
    ----------
    first, second : Dendrogram
        Trees of the same leaves, matched by name when both have names, otherwise by number.

    Returns
    -------
    tree : Dendrogram
        The second tree; as it was, if turning does not make `entanglement` smaller.

    See Also
    --------
    untangled_pair : Turns both trees.

    Examples
    --------
    >>> one = Dendrogram([[0, 1], [3, 2]], [1.0, 2.0])
    >>> other = one.reordered([2, 1, 0])
    >>> entanglement(one, other), entanglement(one, untangled(one, other))
    (1.0, 0.0)
    """
    turned = _by_means(second, _places(first, second, "untangled"))
    return turned if entanglement(first, turned) < entanglement(first, second) else second


def untangled_pair(first: Dendrogram, second: Dendrogram) -> tuple[Dendrogram, Dendrogram]:
    """Turn the children of both trees so that their leaves stand face to face.

    In turns, each tree is turned from its root down wherever that brings the leaves below a node nearer to
    their places in the other tree, until neither gets nearer. The merges stay.

    Parameters
    ----------
    first, second : Dendrogram
        Trees of the same leaves, matched by name when both have names, otherwise by number.

    Returns
    -------
    first, second : Dendrogram
        Both trees; `entanglement` is never larger than before.

    Examples
    --------
    >>> one = Dendrogram([[1, 2], [0, 3]], [1.0, 2.0])
    >>> other = Dendrogram([[0, 2], [1, 3]], [1.0, 2.0])
    >>> round(entanglement(one, untangled(one, other)), 2), entanglement(*untangled_pair(one, other))
    (0.35, 0.0)
    """
    starts = [(first, second), (first, untangled(first, second)), (untangled(second, first), second)]
    found = [_descend(*start) for start in starts]
    return min(found, key=lambda pair: entanglement(*pair))


def _descend(first: Dendrogram, second: Dendrogram) -> tuple[Dendrogram, Dendrogram]:
    """Turn one tree after the other until that helps no more, and return the best that was met."""
    best, least, waited = (first, second), entanglement(first, second), 0
    for _ in range(max(1, min(MOST_ROUNDS, MOST_VISITS // (2 * first.n_leaves)))):
        second = _from_the_root(second, _places(first, second, "untangled_pair"))
        first = _from_the_root(first, _places(second, first, "untangled_pair"))
        value = entanglement(first, second)
        waited = 0 if value < least else waited + 1
        if value < least:
            best, least = (first, second), value
        if waited > PATIENCE or not least:
            break
    return best


def _places(fixed: Dendrogram, turned: Dendrogram, who: str) -> Indices:
    """Return where each leaf of one tree stands in the other."""
    _, matched = _matched(fixed, turned, who)
    place = np.argsort(fixed.leaf_order())
    if matched is not turned and fixed.names is not None and turned.names is not None:
        number = {name: leaf for leaf, name in enumerate(fixed.names)}
        place = place[[number[name] for name in turned.names]]
    return place


def _by_means(tree: Dendrogram, place: Indices) -> Dendrogram:
    """Return the tree with the children of each node in the order of the mean places of their leaves."""
    sums = np.concatenate([[0], np.cumsum(place[tree._leaf_order])])
    starts, sizes = tree._first_places, tree._node_sizes
    middles = (sums[starts + sizes] - sums[starts]) / sizes
    family = np.repeat(np.arange(tree.n_inner), np.diff(tree._arrays.starts))
    return _with_children(tree, tree._arrays.children[np.lexsort((middles[tree._arrays.children], family))])


def _from_the_root(tree: Dendrogram, place: Indices) -> Dendrogram:
    """Return the tree with children in reverse wherever that is as near to the places or nearer, root first.

    Ties are turned too: the way to straight lines may lead along equally long ones.
    """
    sizes, starts, children = tree._node_sizes, tree._arrays.starts, tree._arrays.children.copy()
    if int(sizes[tree.n_leaves :].sum()) > MOST_PLACED:
        return _by_means(tree, place)
    wanted = place[tree._leaf_order].astype(np.float64)
    at = np.zeros(
        len(sizes), dtype=np.int64
    )  # where the leaves of each node begin, once those above are turned
    for node in range(tree.root, tree.n_leaves - 1, -1):
        inner = node - tree.n_leaves
        family = children[starts[inner] : starts[inner + 1]]
        backwards = family[::-1].copy()
        as_it_is = _cost(tree, family, int(at[node]), wanted)
        if _cost(tree, backwards, int(at[node]), wanted) <= as_it_is * (1 + TIE):
            children[starts[inner] : starts[inner + 1]] = family = backwards
        at[family] = at[node] + np.cumsum(sizes[family]) - sizes[family]
    return _with_children(tree, children)


def _cost(tree: Dendrogram, family: Indices, begin: int, wanted: FloatArray) -> float:
    """Return how far the leaves of these nodes, one after the other, are from the places they should have."""
    first, sizes = tree._first_places[family], tree._node_sizes[family]
    ends = begin + np.cumsum(sizes)
    parts = [
        np.abs(np.arange(end - size, end) - wanted[start : start + size])
        for start, size, end in zip(first.tolist(), sizes.tolist(), ends.tolist(), strict=True)
    ]
    return float(sum(np.sum(part**POWER) for part in parts))


def _with_children(tree: Dendrogram, children: Indices) -> Dendrogram:
    arrays = tree._arrays._replace(children=children)
    return tree._of(arrays, tree.heights, tree.names, tree.heights_are)
