"""The nodes of a tree: how it is stored, and what follows from its shape alone."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import ClassVar, Literal, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from coterie import _core
from coterie._support.typing import AnyArray, Indices, Settings, ValuesByName, VectorLike
from coterie._support.validation import Choice, check_parameter
from coterie._support.validation.schema import Maybe, Schema, Tensor, Texts, check_starts
from coterie.errors import InvalidParameter
from coterie.tree.arrays import (
    ChildrenLike,
    Heights,
    LeafNames,
    Nodes,
    TreeArrays,
    check_tree,
    read_children,
    read_heights,
    read_names,
)
from coterie.tree.nodes import TreeNodes

HeightsAre: TypeAlias = Literal["distances", "similarities"]
HEIGHTS_ARE = Choice("distances", "similarities")


class TreeStructure(TreeNodes):
    """Nodes, their children, sizes and heights; `Dendrogram` adds what is done with them."""

    def __init__(
        self,
        merges: ChildrenLike,
        heights: VectorLike,
        *,
        names: LeafNames = None,
        heights_are: HeightsAre = "distances",
    ) -> None:
        self._set(read_children(merges, type(self).__name__), heights, names, heights_are)

    def _set(
        self, arrays: TreeArrays, heights: VectorLike, names: LeafNames, heights_are: HeightsAre
    ) -> None:
        who = type(self).__name__
        check_parameter(heights_are, HEIGHTS_ARE, name="heights_are", who=who)
        check_tree(arrays, who)
        are_distances = heights_are == "distances"
        checked = read_heights(heights, arrays.n_inner, who, are_distances=are_distances)
        for array in (arrays.starts, arrays.children, checked):
            array.setflags(write=False)
        state = {
            "_arrays": arrays,
            "heights": checked,
            "names": read_names(names, arrays.n_leaves, who),
            "heights_are": heights_are,
        }
        vars(self).update(state)

    _schema: ClassVar[Schema] = {
        "starts": Tensor("nodes+1", kind="i8", low=0),
        "children": Tensor("edges", kind="i8", low=0, below="edges+1", may_be_empty=True),
        "heights": Tensor("nodes", kind="f8", allow="inf"),
        "names": Maybe(Texts()),
        "heights_are": HEIGHTS_ARE,
    }

    @classmethod
    def _check_state(cls, state: Settings, sizes: Mapping[str, int]) -> None:
        check_starts(state["starts"], sizes["edges"], who=cls.__name__, name="starts")

    heights: Heights
    names: tuple[str, ...] | None
    heights_are: HeightsAre

    @classmethod
    def _of(cls, arrays: TreeArrays, heights: AnyArray, names: LeafNames, heights_are: HeightsAre) -> Self:
        tree = cls.__new__(cls)
        copies = arrays._replace(starts=arrays.starts.copy(), children=arrays.children.copy())
        tree._set(copies, heights, names, heights_are)
        return tree

    @property
    def is_binary(self) -> bool:
        """Whether every inner node has two children."""
        return self._arrays.is_binary

    @property
    def merges(self) -> Nodes:
        """The two children of every inner node, as in SciPy; for binary trees."""
        self._require_binary("merges")
        return self._arrays.children.reshape(-1, 2)

    def cut_sizes(self) -> Indices:
        """Return the numbers of clusters that cuts of this tree can have, ascending.

        Examples
        --------
        >>> from coterie.tree import Dendrogram
        >>> Dendrogram([[0, 1, 2], [4, 3]], [1.0, 2.0]).cut_sizes()
        array([1, 2, 4])
        """
        joined = np.cumsum(np.diff(self._arrays.starts) - 1)
        return (self.n_leaves - np.concatenate([[0], joined]))[::-1].astype(np.intp)

    @cached_property
    def sizes(self) -> Nodes:
        """Number of leaves of every inner node."""
        return self._node_sizes[self.n_leaves :]

    @cached_property
    def is_monotone(self) -> bool:
        """Whether no node is lower than its children (higher, where heights are similarities).

        Examples
        --------
        >>> from coterie.tree import Dendrogram
        >>> Dendrogram([[0, 1], [3, 2]], [2.0, 1.5]).is_monotone
        False
        """
        return bool(np.array_equal(self._extreme_below, self._rising))

    def members(self, node: int) -> Indices:
        """Return the leaves below a node, in ascending order; a leaf holds itself.

        Examples
        --------
        >>> from coterie.tree import Dendrogram
        >>> Dendrogram([[2, 0], [3, 1]], [1.0, 2.0]).members(3)
        array([0, 2])
        """
        node = self._check_node(node)
        first = self._first_places[node]
        return np.sort(self._leaf_order[first : first + self._node_sizes[node]])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TreeStructure):
            return NotImplemented
        return (
            self.heights_are == other.heights_are
            and self.names == other.names
            and self.n_leaves == other.n_leaves
            and np.array_equal(self._arrays.starts, other._arrays.starts)
            and np.array_equal(self._arrays.children, other._arrays.children)
            and np.array_equal(self.heights, other.heights)
        )

    def __hash__(self) -> int:
        return hash((self.n_leaves, self.heights.tobytes(), self._arrays.children.tobytes()))

    def __reduce__(self) -> tuple[object, ...]:
        return _restored, (type(self), self.__coterie_state__())

    def __coterie_state__(self) -> ValuesByName:
        names = None if self.names is None else np.array(self.names, dtype=object)
        return {
            "starts": self._arrays.starts,
            "children": self._arrays.children,
            "heights": self.heights,
            "names": names,
            "heights_are": self.heights_are,
        }

    @classmethod
    def __coterie_restore__(cls, state: ValuesByName) -> Self:
        starts, children = (np.asarray(state[key], dtype=np.int64) for key in ("starts", "children"))
        is_sound = starts.ndim == 1 and starts.size and children.ndim == 1
        if not is_sound or starts[0] != 0 or starts[-1] != children.size or (np.diff(starts) < 2).any():
            raise ValueError("the children of the tree do not fit together")
        arrays = TreeArrays(starts, children, children.size - starts.size + 2)
        return cls._of(arrays, state["heights"], state["names"], state["heights_are"])

    @property
    def _leaf_order(self) -> Nodes:
        return self._order_and_places[0]

    @property
    def _first_places(self) -> Nodes:
        return self._order_and_places[1]

    @property
    def _rising(self) -> Heights:
        """Heights that rise towards the root, whatever they are."""
        return self.heights if self.heights_are == "distances" else -self.heights

    @cached_property
    def _extreme_below(self) -> npt.NDArray[np.float64]:
        return _core.tree_greatest_below(*self._arrays, self._rising)

    def _require_binary(self, what: str) -> None:
        if not self.is_binary:
            raise InvalidParameter(
                f"{what} of {type(self).__name__} needs two children per node, got a tree with more. "
                f"Use tree.binary()."
            )


def _restored(kind: type[TreeStructure], state: ValuesByName) -> TreeStructure:
    return kind.__coterie_restore__(state)
