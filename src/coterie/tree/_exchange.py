"""Trees from elsewhere and to elsewhere: SciPy, scikit-learn, Newick."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import numpy as np
import numpy.typing as npt

from coterie import _core
from coterie._support.typing import MatrixLike, VectorLike
from coterie.errors import InvalidData, InvalidParameter
from coterie.tree._reshaping import ReshapedTree
from coterie.tree._structure import HeightsAre
from coterie.tree.arrays import ChildrenLike, Heights, LeafNames, Nodes, TreeArrays, sort_by_height
from coterie.tree.newick import format_newick, parse_newick

if TYPE_CHECKING:
    from coterie.tree._structure import TreeStructure

WHO = "from_newick"


def write_newick(tree: TreeStructure) -> str:
    """Return the tree as text; the length of a branch is the difference of the heights at its ends."""
    if tree.heights_are == "similarities":
        raise InvalidParameter(
            "to_newick writes lengths of branches, this tree has similarities. "
            "Use tree.as_distances(largest)."
        )
    if not np.isfinite(tree.heights).all():
        raise InvalidParameter("to_newick writes lengths of branches, this tree has infinite heights.")
    return format_newick(tree._arrays, _core.tree_branch_lengths(*tree._arrays, tree.heights), tree.names)


def read_newick(text: str, names: LeafNames) -> tuple[TreeArrays, Heights, LeafNames]:
    """Return the arrays, the heights and the names of a tree written as text."""
    parsed = parse_newick(text, WHO)
    starts, numbers, n_leaves = parsed.arrays
    heights = _core.tree_ways_down(*parsed.arrays, parsed.lengths)
    if heights.size and heights.min() < 0:
        raise InvalidData(
            f"text of {WHO} must not put a node below its leaves, got the height {heights.min():g}."
        )
    ids, kept = _leaf_ids(parsed.names, names)
    numbers = np.concatenate([ids, np.arange(n_leaves, n_leaves + heights.size)])[numbers]
    arrays, heights = sort_by_height(TreeArrays(starts, numbers, n_leaves), heights, WHO, are_distances=True)
    return arrays, heights, kept


def _leaf_ids(found: list[str], names: LeafNames) -> tuple[Nodes, LeafNames]:
    """Return the number of each leaf: as `names` says, by names that are 0..n-1, or as they come."""
    n_leaves = len(found)
    if names is None:
        numbers = [str(i) for i in range(n_leaves)]
        if set(found) == set(numbers):
            return np.array(found, dtype=np.int64), None
        return np.arange(n_leaves), found
    number = {str(name): i for i, name in enumerate(names)}
    if len(number) != n_leaves or set(found) != set(number):
        odd = sorted(set(found) ^ set(number))[:3]
        raise InvalidData(f"names of {WHO} must be the names of the leaves, each once; they differ in {odd}.")
    return np.array([number[name] for name in found], dtype=np.int64), names


class ExchangedTree(ReshapedTree):
    """A tree that is written and read in the forms of others."""

    def to_linkage(self) -> npt.NDArray[np.float64]:
        """Return SciPy's matrix of merges: two nodes, height and size per row; for binary trees.

        Examples
        --------
        >>> from coterie.tree import Dendrogram
        >>> Dendrogram([[0, 1], [3, 2]], [1.0, 2.0]).to_linkage()
        array([[0., 1., 1., 2.],
               [3., 2., 2., 3.]])
        """
        return np.column_stack([self.merges, self.heights, self.sizes]).astype(np.float64)

    @classmethod
    def from_linkage(
        cls, Z: MatrixLike, *, names: LeafNames = None, heights_are: HeightsAre = "distances"
    ) -> Self:
        """Make a tree of a matrix of `scipy.cluster.hierarchy.linkage` or `fastcluster.linkage`.

        Parameters
        ----------
        Z : array-like of shape (n_leaves - 1, 4)
            Two nodes, height and size per row; the sizes must be right.
        names : sequence of str, default=None
            Of the leaves.
        heights_are : {"distances", "similarities"}, default="distances"
            What the heights are.

        Examples
        --------
        >>> from coterie.tree import Dendrogram
        >>> Dendrogram.from_linkage([[0, 1, 0.5, 2], [2, 3, 2.0, 3]])
        Dendrogram of 3 leaves, heights 0.5 to 2
        """
        matrix = np.asarray(Z, dtype=np.float64)
        if matrix.ndim != 2 or matrix.shape[1] != 4:
            raise InvalidData(f"Z of from_linkage must have the shape (n_leaves - 1, 4), got {matrix.shape}.")
        tree = cls(matrix[:, :2], matrix[:, 2], names=names, heights_are=heights_are)
        if not np.array_equal(tree.sizes, matrix[:, 3]):
            row = int(np.argmax(tree.sizes != matrix[:, 3]))
            raise InvalidData(
                f"Z of from_linkage must end in sizes: row {row} joins {tree.sizes[row]} leaves, "
                f"got {matrix[row, 3]:g}."
            )
        return tree

    @classmethod
    def from_children(
        cls, children: ChildrenLike, distances: VectorLike | None = None, *, names: LeafNames = None
    ) -> Self:
        """Make a tree of scikit-learn's ``children_`` and ``distances_``.

        Parameters
        ----------
        children : array-like of shape (n_leaves - 1, 2)
            Of a full tree.
        distances : array-like of shape (n_leaves - 1,), default=None
            Heights. None: the merges are 1, 2, 3, ... high.
        names : sequence of str, default=None
            Of the leaves.

        Examples
        --------
        >>> from coterie.tree import Dendrogram
        >>> Dendrogram.from_children([[0, 1], [2, 3]], [0.5, 2.0])
        Dendrogram of 3 leaves, heights 0.5 to 2
        """
        heights: VectorLike = np.arange(1, len(np.asarray(children)) + 1) if distances is None else distances
        return cls(children, heights, names=names)

    def to_newick(self) -> str:
        """Return the tree as Newick text; heights become lengths of branches, names are quoted if needed.

        Examples
        --------
        >>> from coterie.tree import Dendrogram
        >>> Dendrogram([[0, 1], [3, 2]], [1.0, 4.0], names=["a", "b", "the c"]).to_newick()
        "((a:1,b:1):3,'the c':4);"
        """
        return write_newick(self)

    @classmethod
    def from_newick(cls, text: str, *, names: LeafNames = None) -> Self:
        """Make a tree of Newick text.

        The height of a node is the longest way down to a leaf; branches without any lengths count 1. Names
        of inner nodes and comments are left out.

        Parameters
        ----------
        text : str
            One tree, ended by a semicolon.
        names : sequence of str, default=None
            The names of the leaves in the order in which they are to be numbered. None: as they come in the
            text, and if they are the numbers 0..n-1, by these.

        Examples
        --------
        >>> from coterie.tree import Dendrogram
        >>> Dendrogram.from_newick("((a:1,b:1):3,c:4);").heights
        array([1., 4.])
        """
        arrays, heights, kept = read_newick(text, names)
        return cls._of(arrays, heights, kept, "distances")
