"""How well the heights of a tree stand for the distances."""

from __future__ import annotations

from typing import Any

import numpy as np

from coterie._support.typing import MatrixLike, VectorLike
from coterie.errors import InvalidData
from coterie.evaluate.catalogue import measure
from coterie.evaluate.internal.distance_pairs import all_pairs
from coterie.evaluate.internal.partitions import Partition
from coterie.evaluate.internal.space_input import read_space
from coterie.tree import Dendrogram


@measure(
    symbol="CPCC", group="trees", needs="tree", low=-1, high=1, is_scale_free=True, reference="sokal-1962"
)
def cophenetic_correlation(
    X: MatrixLike, cophenetic: VectorLike | Dendrogram, *, metric: Any = "euclidean", **kwds: Any
) -> float:
    """Pearson correlation of the distances of pairs with the heights at which a tree joins them.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features) or (n_samples, n_samples)
        Data, or distances with ``metric="precomputed"``.
    cophenetic : Dendrogram, or array-like of shape (n_samples * (n_samples - 1) / 2,)
        The tree; or the height of the join of every pair, in the order of SciPy's condensed distances, as
        ``scipy.cluster.hierarchy.cophenet`` gives it.
    metric : str or callable, default="euclidean"
        Distance between rows.
    **kwds
        Further parameters of the distance.

    Examples
    --------
    >>> round(cophenetic_correlation([[0.0], [1.0], [5.0]], [1.0, 4.5, 4.5]), 4)
    0.9707
    """
    who = "cophenetic_correlation"
    given: Any = cophenetic.cophenetic() if isinstance(cophenetic, Dendrogram) else cophenetic
    heights = np.asarray(given, dtype=np.float64)
    n = np.shape(X)[0]
    if heights.shape != (n * (n - 1) // 2,) or not np.isfinite(heights).all():
        raise InvalidData(
            f"cophenetic of {who} must be {n * (n - 1) // 2} finite heights, one per pair of {n} samples, "
            f"got shape {heights.shape}."
        )
    together = Partition(np.zeros(n, dtype=np.int32), np.zeros(1, dtype=np.int64))
    space = read_space(X, metric, together, who=who, options=kwds)
    distances = all_pairs(space, together, who).within
    is_flat = distances.size < 2 or np.ptp(distances) == 0 or np.ptp(heights) == 0
    return 0.0 if is_flat else float(np.clip(np.corrcoef(distances, heights)[0, 1], -1.0, 1.0))
