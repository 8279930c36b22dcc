"""Trees made of trees: parts, pairs, other numbers, other heights."""

from __future__ import annotations

from typing import Self

import numpy as np
import numpy.typing as npt

from coterie import _core
from coterie._support.typing import VectorLike
from coterie.tree._structure import HeightsAre, TreeStructure
from coterie.tree.arrays import (
    ChildrenLike,
    LeafNames,
    TreeArrays,
    check_tree,
    read_children,
    read_heights,
    sort_by_height,
    take_spans,
)


class ReshapedTree(TreeStructure):
    """A tree that gives others of its nodes."""

    @classmethod
    def from_nodes(
        cls,
        children: ChildrenLike,
        heights: VectorLike,
        *,
        names: LeafNames = None,
        heights_are: HeightsAre = "distances",
    ) -> Self:
        """Make a tree of inner nodes in any order; they are renumbered by height, children before parents.

        Parameters
        ----------
        children : sequence of sequences of int
            Children of inner node n + i; the leaves are 0..n-1.
        heights : array-like
            Height of each inner node.
        names : sequence of str, default=None
            Of the leaves.
        heights_are : {"distances", "similarities"}, default="distances"
            Whether heights rise or fall towards the root.

        Examples
        --------
        >>> from coterie.tree import Dendrogram
        >>> Dendrogram.from_nodes([[4, 2], [0, 1]], [5.0, 1.0]).merges
        array([[0, 1],
               [3, 2]])
        """
        who = cls.__name__
        arrays = read_children(children, who)
        are_distances = heights_are == "distances"
        checked = read_heights(heights, arrays.n_inner, who, are_distances=are_distances)
        nodes = arrays.children
        if nodes.size and (nodes.min() < 0 or nodes.max() >= arrays.n_leaves + arrays.n_inner):
            check_tree(arrays, who)
        return cls._of(*sort_by_height(arrays, checked, who, are_distances=are_distances), names, heights_are)

    def subtree(self, node: int) -> Self:
        """Return the tree below a node; its leaf i is ``members(node)[i]``, names go along.

        Examples
        --------
        >>> from coterie.tree import Dendrogram
        >>> Dendrogram([[1, 2], [3, 0]], [1.0, 2.0], names=["a", "b", "c"]).subtree(3).names
        ('b', 'c')
        """
        node = self._check_node(node)
        is_below = _core.tree_mark_below(*self._arrays, node).astype(bool)
        number = np.cumsum(is_below) - 1
        chosen = np.flatnonzero(is_below[self.n_leaves :])
        starts, places = take_spans(self._arrays.starts, chosen)
        n_leaves = int(is_below[: self.n_leaves].sum())
        arrays = TreeArrays(starts, number[self._arrays.children[places]], n_leaves)
        names = None if self.names is None else [self.names[leaf] for leaf in self.members(node)]
        return self._of(arrays, self.heights[chosen], names, self.heights_are)

    def binary(self) -> Self:
        """Return the tree with two children per node: larger families are joined one by one at their height.

        Examples
        --------
        >>> from coterie.tree import Dendrogram
        >>> Dendrogram([[0, 1, 2]], [1.0]).binary().merges
        array([[0, 1],
               [3, 2]])
        """
        if self.is_binary:
            return self
        steps = np.diff(self._arrays.starts) - 1  # merges that each node becomes
        last = self.n_leaves + np.cumsum(steps) - 1  # the node that stands for it
        number = np.concatenate([np.arange(self.n_leaves), last])
        right = np.ones(self._arrays.children.size, dtype=bool)
        right[self._arrays.starts[:-1]] = False
        merges = np.empty((int(steps.sum()), 2), dtype=np.int64)
        merges[:, 1] = number[self._arrays.children[right]]
        merges[:, 0] = self.n_leaves - 1 + np.arange(len(merges))  # what was joined just before
        merges[last - self.n_leaves - steps + 1, 0] = number[self._arrays.children[self._arrays.starts[:-1]]]
        return type(self)(
            merges, np.repeat(self.heights, steps), names=self.names, heights_are=self.heights_are
        )

    def as_distances(self, largest: float | None = None) -> Self:
        """Return a tree of similarities as one of distances: each height is how far it is below the largest.

        Parameters
        ----------
        largest : float, default=None
            The similarity of a leaf with itself; None: the largest height.

        Examples
        --------
        >>> from coterie.tree import Dendrogram
        >>> Dendrogram([[0, 1], [3, 2]], [0.75, 0.5], heights_are="similarities").as_distances(1.0).heights
        array([0.25, 0.5 ])
        """
        if self.heights_are == "distances":
            return self
        top = float(self.heights.max(initial=-np.inf)) if largest is None else float(largest)
        return self._of(self._arrays, top - self.heights, self.names, "distances")

    def _renumbered(self, numbers: npt.NDArray[np.int64], names: LeafNames) -> Self:
        """Return the tree with leaf i called ``numbers[i]``."""
        nodes = np.concatenate([numbers, np.arange(self.n_leaves, self.root + 1)])
        arrays = self._arrays._replace(children=nodes[self._arrays.children])
        return self._of(arrays, self.heights, names, self.heights_are)
