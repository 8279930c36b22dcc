"""Trees from elsewhere and to elsewhere: SciPy, scikit-learn, Newick."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt

from coterie._support.typing import MatrixLike, VectorLike
from coterie.errors import InvalidData
from coterie.tree._newick import read_newick, write_newick
from coterie.tree._reshaping import ReshapedTree
from coterie.tree._structure import HeightsAre


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
    def from_linkage(cls, Z: MatrixLike, *, names: Any = None, heights_are: HeightsAre = "distances") -> Self:
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
        cls, children: MatrixLike, distances: VectorLike | None = None, *, names: Any = None
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
        heights = np.arange(1, len(np.asarray(children)) + 1) if distances is None else distances
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
    def from_newick(cls, text: str, *, names: Any = None) -> Self:
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
