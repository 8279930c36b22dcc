"""Two trees face to face: turning the children of one so that fewer lines cross."""

from __future__ import annotations

import numpy as np

from coterie.tree.comparing import _matched, entanglement
from coterie.tree.dendrogram import Dendrogram


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

    Examples
    --------
    >>> one = Dendrogram([[0, 1], [3, 2]], [1.0, 2.0])
    >>> other = one.reordered([2, 1, 0])
    >>> entanglement(one, other), entanglement(one, untangled(one, other))
    (1.0, 0.0)
    """
    _, matched = _matched(first, second, "untangled")
    place = np.argsort(first.leaf_order())
    if matched is not second and first.names is not None and second.names is not None:
        number = {name: leaf for leaf, name in enumerate(first.names)}
        place = place[[number[name] for name in second.names]]
    sums = np.concatenate([[0], np.cumsum(place[second._leaf_order])])
    starts, sizes = second._first_places, second._node_sizes
    middles = (sums[starts + sizes] - sums[starts]) / sizes
    arrays = second._arrays
    family = np.repeat(np.arange(second.n_inner), np.diff(arrays.starts))
    children = arrays.children[np.lexsort((middles[arrays.children], family))]
    turned = second._of(arrays._replace(children=children), second.heights, second.names, second.heights_are)
    return turned if entanglement(first, turned) < entanglement(first, second) else second
