"""From subclusters to clusters, and from rows to subclusters."""

from __future__ import annotations

import inspect
import warnings
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from coterie import _core
from coterie._support.caller import caller_level
from coterie._support.typing import Centers, Data, Distances, Labels, SparseData
from coterie._support.validation import Constraint, require_memory
from coterie._support.validation.parameters import is_whole
from coterie.cluster.agglomerative.tree_labels import cut_tree
from coterie.cluster.kmeans.sparse_points import csr_parts
from coterie.distance import find_distance
from coterie.distance.engines import TREE_LEAST_POINTS, TREE_MOST_FEATURES, smallest_by_tree
from coterie.distance.rows import Rows
from coterie.errors import InvalidData
from coterie.tree import METHODS
from coterie.tree.linkage import link
from coterie.tree.linkage_input import Given


class AClusterer(Constraint):
    """An estimator with `fit_predict`."""

    def accepts(self, value: Any) -> bool:
        return hasattr(value, "fit_predict") and not inspect.isclass(value)

    def describe(self) -> str:
        return "an estimator with fit_predict"


def label_subclusters(centers: Centers, n_clusters: Any, n_threads: int, *, who: str) -> Labels:
    """Return the cluster of each subcluster.

    Parameters
    ----------
    centers : array of shape (n_subclusters, n_features)
        Their means, which count alike.
    n_clusters : None, int or estimator
        None: each is a cluster of its own. A number: Ward's tree is cut. An estimator: a clone of it decides.
    n_threads : int
        For Ward's tree.
    who : str
        Name to use in messages.

    Examples
    --------
    >>> label_subclusters(np.array([[0.0], [9.0], [1.0]]), 2, 1, who="Birch")
    array([0, 1, 0])
    """
    n = len(centers)
    if n_clusters is None:
        return np.arange(n)
    if not is_whole(n_clusters):
        return _labels_by(n_clusters, centers, who)
    if n < n_clusters:
        warnings.warn(
            f"Number of subclusters found ({n}) by {who} is less than n_clusters={n_clusters}: each is a "
            f"cluster. Decrease the threshold.",
            ConvergenceWarning,
            stacklevel=caller_level(),
        )
        return np.arange(n)
    if n == 1:
        return np.zeros(1, dtype=np.intp)
    distance = find_distance("euclidean")
    Z = link(Given("data", n, distance.prepare(centers), distance), METHODS["ward"], n_threads, who=who)
    return cut_tree(Z[:, :2].astype(np.intp), n, int(n_clusters))


def nearest_subclusters(X: Data | SparseData, centers: Centers, n_threads: int) -> Labels:
    """Return the subcluster whose centre is nearest to each row, the first one of equals."""
    data, centers = _in_one_type(X, centers)
    if issparse(data):
        nearest: Labels = _core.sparse_nearest(*csr_parts(data), centers, n_threads)[0]
        return nearest
    # by the centres alone: a row gets the same label in whatever company
    if centers.shape[1] <= TREE_MOST_FEATURES and len(centers) >= TREE_LEAST_POINTS:
        found = smallest_by_tree(Rows(data, centers, find_distance("euclidean")), 1, False, n_threads)
        return found.index[:, 0].astype(np.int32)
    origin = centers.mean(axis=0, dtype=np.float64).astype(centers.dtype)
    nearest, _ = _core.kmeans_labels(data, centers, origin, None, n_threads)
    return nearest


def distances_to_subclusters(
    X: Data | SparseData, centers: Centers, n_threads: int, *, who: str
) -> Distances:
    """Return the distance of each row to each centre."""
    data, centers = _in_one_type(X, centers)
    n_rows, n = data.shape[0], len(centers)
    require_memory(
        n_rows * n * data.dtype.itemsize,
        f"transform of {who} for {n_rows:,} rows and {n:,} subclusters",
        "Transform fewer rows at a time, or raise the threshold.",
    )
    if not issparse(data):
        found: Distances = _core.pairwise(data, centers, find_distance("euclidean").metric, n_threads)
        return found
    squared: Distances = _core.sparse_pairwise_squared(*csr_parts(data), centers, n_threads)
    return np.asarray(np.sqrt(squared, out=squared))


def _labels_by(estimator: Any, centers: Centers, who: str) -> Labels:
    labels = np.asarray(clone(estimator, safe=False).fit_predict(centers))
    if labels.shape != (len(centers),):
        raise InvalidData(
            f"n_clusters of {who} must give one label per subcluster, {len(centers)} in all, got an array of "
            f"shape {labels.shape} from {type(estimator).__name__}."
        )
    return labels


def _in_one_type(X: Data | SparseData, centers: Centers) -> tuple[Data | SparseData, Centers]:
    """Return both in the wider of their types."""
    dtype = np.promote_types(X.dtype, centers.dtype)
    return X.astype(dtype, copy=False), centers.astype(dtype, copy=False)
