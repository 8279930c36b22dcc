"""The dendrogram: a tree of merges with heights, and what can be done with one."""

from __future__ import annotations

from typing import Self

import numpy as np

from coterie import _core
from coterie._support.stoppable import part_of_square
from coterie._support.typing import Indices, Labels, MatrixLike, VectorLike
from coterie._support.validation import Flag, Whole, check_parameter, require_memory
from coterie.errors import InvalidData, InvalidParameter
from coterie.tree import _cuts
from coterie.tree._distances import square_distances
from coterie.tree._heights import MeasuredTree
from coterie.tree.drawing import draw, outline

MOST_DRAWN = 60  # leaves of a tree that `print` still draws


class Dendrogram(MeasuredTree):
    """A tree of merges with heights, which never changes: what hierarchical methods return.

    Leaves are nodes 0..n-1. Inner nodes n, n+1, ... stand in the order in which they were made, children
    before parents, and the last one is the root. Heights need not rise towards the root (`is_monotone`):
    centroid and median linkage make trees that do not.

    Parameters
    ----------
    merges : array-like of shape (n_merges, 2), or a sequence of sequences
        The nodes that each merge joins; more than two where a node has more children.
    heights : array-like of shape (n_merges,)
        At which height: a distance of at least 0, infinity allowed, or a similarity.
    names : sequence of str, default=None
        Of the leaves. None: they are called by their numbers.
    heights_are : {"distances", "similarities"}, default="distances"
        Whether heights rise or fall towards the root.

    Attributes
    ----------
    merges : ndarray of shape (n_merges, 2)
        Of a binary tree; `children(node)` serves every tree.
    heights, sizes : ndarray of shape (n_merges,)
        Height and number of leaves of each inner node.
    names : tuple of str or None
        Of the leaves.
    n_leaves, n_inner, root : int
        Numbers of leaves and of inner nodes; the last node.
    is_binary, is_monotone : bool
        Whether all nodes have two children; whether none is lower than a child.

    Examples
    --------
    >>> tree = Dendrogram([[0, 1], [2, 3], [4, 5]], [1.0, 2.0, 6.0], names=["a", "b", "c", "d"])
    >>> tree.cut(n_clusters=2)
    array([0, 0, 1, 1])
    >>> print(tree.draw(width=24))
    a ╶───┐
          ├────────────────┐
    b ╶───┘                │
                           │
    c ╶───────┐            │
              ├────────────┘
    d ╶───────┘
      0                    6
    """

    def cut(
        self,
        n_clusters: int | None = None,
        *,
        height: float | None = None,
        min_size: int | None = None,
        best: str | _cuts.Score | None = None,
        X: MatrixLike | None = None,
        distances: MatrixLike | None = None,
        max_clusters: int | None = None,
    ) -> Labels:
        """Return the labels of the leaves at a cut: 0..k-1, in the order of the lowest leaf of each cluster.

        Parameters
        ----------
        n_clusters : int, default=None
            After the first merges that leave so many clusters, whatever their heights.
        height : float, default=None
            Clusters are the largest nodes in which no merge is above this height (below it, where heights are
            similarities). In a tree that is not monotone a node counts as high as the highest merge in it,
            as in SciPy's ``fcluster(criterion="distance")``.
        min_size : int, default=None
            The finest cut in which no cluster has fewer leaves: a node is split while all parts are large
            enough.
        best : "silhouette" or callable, default=None
            The cut into 2 to `max_clusters` clusters with the highest mean silhouette (of `X`, Euclidean,
            or of `distances`), or with the highest value of a function of labels. Ties: the fewest
            clusters.
        X : array-like of shape (n_leaves, n_features), default=None
            Data for the silhouette.
        distances : array-like, condensed or square, default=None
            Distances for the silhouette.
        max_clusters : int, default=None
            The most clusters that `best` tries; None: 100, or n_leaves - 1 when that is less.

        Examples
        --------
        >>> tree = Dendrogram([[2, 3], [4, 1], [5, 0]], [1.0, 2.0, 6.0])
        >>> tree.cut(2), tree.cut(height=1.5), tree.cut(min_size=2)
        (array([0, 1, 1, 1]), array([0, 1, 2, 2]), array([0, 0, 0, 0]))
        >>> tree.cut(best="silhouette", X=[[9.0], [2.0], [0.0], [1.0]])
        array([0, 1, 1, 1])
        """
        cuts = {"n_clusters": n_clusters, "height": height, "min_size": min_size, "best": best}
        told = [name for name, value in cuts.items() if value is not None]
        if len(told) != 1:
            given = " and ".join(told) or "none"
            raise InvalidParameter(f"cut needs one of n_clusters, height, min_size and best, got {given}.")
        if best is None and (X is not None or distances is not None or max_clusters is not None):
            raise InvalidParameter("X, distances and max_clusters of cut belong to best=, not given here.")
        if n_clusters is not None:
            return _cuts.cut_by_number(self, n_clusters)
        if height is not None:
            return _cuts.cut_by_height(self, height)
        if min_size is not None:
            return _cuts.cut_by_size(self, min_size)
        assert best is not None
        return _cuts.cut_by_score(self, best, X, distances, max_clusters)

    def leaf_order(
        self, *, optimal: bool = False, X: MatrixLike | None = None, distances: MatrixLike | None = None
    ) -> Indices:
        """Return the leaves from left to right.

        Parameters
        ----------
        optimal : bool, default=False
            Turn children so that the sum of the distances of adjacent leaves is least; for binary trees.
            Needs memory for three squares of n_leaves numbers.
        X : array-like of shape (n_leaves, n_features), default=None
            Data, for Euclidean distances.
        distances : array-like, condensed or square, default=None
            Distances between the leaves.

        Examples
        --------
        >>> tree = Dendrogram([[0, 1], [3, 2]], [1.0, 2.0])
        >>> tree.leaf_order(), tree.leaf_order(optimal=True, X=[[1.0], [0.0], [3.0]])
        (array([0, 1, 2]), array([1, 0, 2]))
        """
        check_parameter(optimal, Flag(), name="optimal", who="leaf_order")
        if not optimal:
            if X is not None or distances is not None:
                raise InvalidParameter("X and distances of leaf_order need optimal=True.")
            return self._leaf_order.copy()
        self._require_binary("leaf_order(optimal=True)")
        what = f"the optimal order of {self.n_leaves:,} leaves"
        require_memory(24 * self.n_leaves**2, what, "Order a part of it: tree.subtree(node).")
        square = square_distances(X, distances, self.n_leaves, "leaf_order(optimal=True)")
        order = self._leaf_order
        return order[_core.tree_optimal_order(*self._arrays, part_of_square(square, order))]

    def reordered(self, order: VectorLike) -> Self:
        """Return the tree with children turned so that its leaves stand in this order.

        Examples
        --------
        >>> Dendrogram([[0, 1], [3, 2]], [1.0, 2.0]).reordered([2, 1, 0]).merges
        array([[1, 0],
               [2, 3]])
        """
        wanted = np.asarray(order)
        if wanted.shape != (self.n_leaves,) or not np.array_equal(np.sort(wanted), np.arange(self.n_leaves)):
            raise InvalidData(f"order of reordered must hold each of the {self.n_leaves} leaves once.")
        place = np.empty(self.n_leaves, dtype=np.int64)
        place[wanted] = np.arange(self.n_leaves)
        first, _ = _core.tree_leaf_ranges(*self._arrays, place)
        keys = np.concatenate([place, first])[self._arrays.children]
        family = np.repeat(np.arange(self.n_inner), np.diff(self._arrays.starts))
        arrays = self._arrays._replace(children=self._arrays.children[np.lexsort((keys, family))])
        turned = self._of(arrays, self.heights, self.names, self.heights_are)
        if not np.array_equal(turned._leaf_order, wanted):
            raise InvalidData("order of reordered must keep the leaves of every node together.")
        return turned

    def draw(self, width: int = 78) -> str:
        """Return a picture of the tree as text, two lines per leaf.

        Parameters
        ----------
        width : int, default=78
            Characters per line.

        Examples
        --------
        >>> print(Dendrogram([[0, 1], [3, 2]], [1.0, 2.0]).draw(16))
        0 ╶──────┐
                 ├─────┐
        1 ╶──────┘     │
                       │
        2 ╶────────────┘
          0            2
        """
        check_parameter(width, Whole(16), name="width", who="draw")
        cells = 8 * 2 * self.n_leaves * width
        require_memory(cells, f"a drawing of {self.n_leaves:,} leaves", "Draw a part: tree.subtree(node).")
        return draw(self, width)

    def __repr__(self) -> str:
        what = "" if self.heights_are == "distances" else " (similarities)"
        heights = f", heights {self.heights[0]:g} to {self.heights[-1]:g}{what}" if self.n_inner else ""
        return f"{type(self).__name__} of {self.n_leaves:,} leaves{heights}"

    def __str__(self) -> str:
        if self.n_leaves <= MOST_DRAWN:
            return f"{self!r}\n{self.draw()}"
        return f"{self!r}\n{outline(self)}"
