"""A tree as nodes and their children: what follows from its shape alone, whatever else it carries."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from coterie._support.typing import Indices
from coterie._support.validation import Whole, check_parameter
from coterie.tree.arrays import Nodes, TreeArrays


class TreeNodes:
    """Leaves 0..n-1 and inner nodes n, n+1 ..., each after its children; it never changes."""

    _arrays: TreeArrays

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a {type(self).__name__} never changes: {name} cannot be set.")

    @property
    def arrays(self) -> TreeArrays:
        """The tree as the engine takes it: starts and children of the inner nodes, number of leaves."""
        return self._arrays

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return self._arrays.n_leaves

    @property
    def n_inner(self) -> int:
        """Number of inner nodes: n_leaves - 1 when every one has two children."""
        return self._arrays.n_inner

    @property
    def root(self) -> int:
        """The node that holds all leaves: the last one."""
        return self.n_leaves + self.n_inner - 1

    def children(self, node: int) -> Indices:
        """Return the children of a node from left to right; none for a leaf.

        Examples
        --------
        >>> from coterie.tree import Dendrogram
        >>> Dendrogram([[0, 1, 2]], [1.0]).children(3)
        array([0, 1, 2])
        """
        inner = self._check_node(node) - self.n_leaves
        if inner < 0:
            return np.empty(0, dtype=np.int64)
        return self._arrays.children[self._arrays.starts[inner] : self._arrays.starts[inner + 1]]

    @cached_property
    def _node_sizes(self) -> Nodes:
        """Number of leaves below every node."""
        return self._arrays.sizes()

    @cached_property
    def _parents(self) -> Nodes:
        """Parent of every node, -1 for the last one."""
        return self._arrays.parents()

    @cached_property
    def _order_and_places(self) -> tuple[Nodes, Nodes]:
        """Leaves in the order in which they are drawn, and the place of every node's first leaf."""
        return self._arrays.leaf_order(self._node_sizes)

    def _check_node(self, node: int) -> int:
        check_parameter(node, Whole(0, self.root), name="node", who=f"this {type(self).__name__}")
        return int(node)
