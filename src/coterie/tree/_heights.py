"""What the heights of a tree say: where pairs of leaves meet, and how well that stands for distances."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from coterie import _core
from coterie._support.typing import MatrixLike, VectorLike
from coterie._support.validation import require_memory
from coterie.errors import InvalidData, InvalidParameter
from coterie.tree._distances import condensed_distances
from coterie.tree._exchange import ExchangedTree


class MeasuredTree(ExchangedTree):
    """A tree whose heights are compared with distances."""

    def cophenetic(self, pairs: MatrixLike | None = None) -> npt.NDArray[np.float64]:
        """Return the height of the lowest node that holds both leaves of a pair.

        Parameters
        ----------
        pairs : array-like of shape (n_pairs, 2), default=None
            Pairs of leaves; a leaf with itself is at 0 (in a tree of similarities: at infinity). None: all
            pairs, in the order of SciPy's condensed distances.

        Examples
        --------
        >>> from coterie.tree import Dendrogram
        >>> tree = Dendrogram([[0, 1], [3, 2]], [1.0, 4.0])
        >>> tree.cophenetic(), tree.cophenetic([[2, 0]])
        (array([1., 4., 4.]), array([4.]))
        """
        if pairs is None:
            need = 4 * self.n_leaves * (self.n_leaves - 1)
            require_memory(need, f"the cophenetic matrix of {self.n_leaves:,} leaves", "Ask for some pairs.")
            return np.asarray(_core.tree_cophenetic(*self._arrays, self.heights))
        checked = np.ascontiguousarray(pairs)
        if checked.ndim != 2 or checked.shape[1] != 2 or checked.dtype.kind not in "iu":
            raise InvalidData(
                f"pairs of cophenetic must be whole numbers of shape (n_pairs, 2), got {checked.shape}."
            )
        if checked.size and (checked.min() < 0 or checked.max() >= self.n_leaves):
            raise InvalidData(
                f"pairs of cophenetic must be leaves, 0 to {self.n_leaves - 1}, got {checked.min()} "
                f"to {checked.max()}."
            )
        nodes = _core.tree_common_nodes(*self._arrays, checked.astype(np.int64))
        own = 0.0 if self.heights_are == "distances" else np.inf
        return np.concatenate([np.full(self.n_leaves, own), self.heights])[nodes]

    def cophenetic_correlation(self, distances: VectorLike | MatrixLike) -> float:
        """Pearson correlation of distances between leaves with the heights at which the tree joins them.

        Parameters
        ----------
        distances : array-like, condensed or square
            What the tree was made of; similarities for a tree of similarities.

        Returns
        -------
        correlation : float
            In [-1, 1]; 0 when either does not vary.

        Examples
        --------
        >>> from coterie.tree import Dendrogram
        >>> tree = Dendrogram([[0, 1], [3, 2]], [1.0, 4.5])
        >>> round(tree.cophenetic_correlation([1.0, 5.0, 4.0]), 4)
        0.9707
        """
        given = condensed_distances(distances, self.n_leaves, "cophenetic_correlation")
        heights = self.cophenetic()
        is_flat = heights.size < 2 or np.ptp(given) == 0 or np.ptp(heights) == 0
        return 0.0 if is_flat else float(np.clip(np.corrcoef(given, heights)[0, 1], -1.0, 1.0))

    @property
    def agglomerative_coefficient(self) -> float:
        """Mean over leaves of 1 - (height of the first merge) / (height of the root): how much structure.

        For a divisive tree the same number is called the divisive coefficient. It grows with the number of
        leaves.

        Examples
        --------
        >>> from coterie.tree import Dendrogram
        >>> Dendrogram([[0, 1], [3, 2]], [1.0, 4.0]).agglomerative_coefficient
        0.5
        """
        if self.heights_are == "similarities":
            raise InvalidParameter(
                "agglomerative_coefficient needs distances, this tree has similarities. "
                "Use tree.as_distances(largest)."
            )
        if self.n_inner == 0 or self.heights[-1] == 0:
            return 0.0
        first = self.heights[self._parents[: self.n_leaves] - self.n_leaves]
        # infinite over infinite is 1; a root far below its children makes it minus infinity
        with np.errstate(invalid="ignore", over="ignore"):
            share = first / self.heights[-1]
            return float(np.mean(1 - np.where(np.isnan(share), 1.0, share)))
