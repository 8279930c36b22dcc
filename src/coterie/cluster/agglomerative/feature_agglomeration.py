"""Feature agglomeration: columns that go together become one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Self

import numpy as np

from coterie._support import scikit_learn
from coterie._support.declarations import KW_ONLY, estimator, fitted, parameter
from coterie._support.scikit_learn import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from coterie._support.typing import (
    AnyFunction,
    Data,
    Doubles,
    Indices,
    Labels,
    MatrixLike,
    MetricLike,
    Settings,
    SparseData,
)
from coterie._support.validation import Function, Nothing, Whole, check_data, check_parameter
from coterie._support.validation.schema import COUNT, Size, Sometimes, Tensor
from coterie.cluster.agglomerative.agglomerative import AgglomerativeClustering
from coterie.cluster.state_checks import check_labels_used, check_merges
from coterie.errors import InvalidData

_COPIED = ("children_", "n_leaves_", "n_connected_components_", "n_clusters_", "labels_", "distances_")


@estimator
class FeatureAgglomeration(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Agglomerative clustering of columns; each cluster is pooled into one column.

    A drop-in for scikit-learn's class; all linkages of `AgglomerativeClustering` work.

    Parameters
    ----------
    n_clusters : int or None, default=2
        How many columns to keep; None when `distance_threshold` is given.
    metric, memory, connectivity, compute_full_tree, linkage, distance_threshold, compute_distances
        As in `AgglomerativeClustering`, for columns instead of rows.
    pooling_func : callable, default=numpy.mean
        Makes one column of several: called with an array and ``axis=1``.

    Attributes
    ----------
    n_clusters_, n_leaves_, n_connected_components_, children_, distances_
        As in `AgglomerativeClustering`.

    Examples
    --------
    >>> from coterie.cluster import FeatureAgglomeration
    >>> X = [[0.0, 0.2, 9.0], [1.0, 1.2, 5.0]]
    >>> model = FeatureAgglomeration(n_clusters=2).fit(X)
    >>> model.transform(X)
    array([[0.1, 9. ],
           [1.1, 5. ]])
    """

    n_clusters: int | None = parameter(Whole(1) | Nothing(), default=2)
    _: KW_ONLY
    metric: MetricLike = "euclidean"
    memory: object = None
    connectivity: SparseData = None
    compute_full_tree: bool | str = "auto"
    linkage: str = "ward"
    pooling_func: AnyFunction = parameter(Function(), default=np.mean)
    distance_threshold: float | None = None
    compute_distances: bool = False

    n_leaves_: int = fitted(Size("columns"))
    n_clusters_: int = fitted(Size("clusters", 1))
    n_connected_components_: int = fitted(COUNT)
    children_: Indices = fitted(Tensor("merges", 2, kind="i8", may_be_empty=True))
    labels_: Labels = fitted(Tensor("columns", kind="i8", low=0, below="clusters"), "Cluster of each column.")
    distances_: Doubles = fitted(Sometimes(Tensor("merges", kind="f8", allow="inf")))

    @classmethod
    def _check_state(cls, state: Settings, sizes: Mapping[str, int]) -> None:
        check_merges(state["children_"], sizes["columns"], who=cls.__name__)
        check_labels_used(state["labels_"], sizes["clusters"], who=cls.__name__)

    def fit(self, X: MatrixLike, y: None = None) -> Self:
        """Find the clusters of the columns of `X`; `y` is ignored."""
        check_parameter(self.pooling_func, Function(), name="pooling_func", who=type(self).__name__)
        data = check_data(X, estimator=self, min_columns=2, may_be_distances=True)
        options = self.get_params(deep=False)
        del options["pooling_func"]
        found = AgglomerativeClustering(**options).fit(np.ascontiguousarray(data.T))
        for name in _COPIED:
            self.__dict__.pop(name, None)
        self.__dict__.update({name: getattr(found, name) for name in _COPIED if hasattr(found, name)})
        return self

    def transform(self, X: MatrixLike) -> Data:
        """Return one pooled column per cluster."""
        scikit_learn.check_is_fitted(self)
        data = check_data(X, estimator=self, reset=False, may_be_distances=True, squares=False)
        columns = [
            self.pooling_func(data[:, self.labels_ == cluster], axis=1) for cluster in range(self.n_clusters_)
        ]
        return np.ascontiguousarray(np.array(columns).T)

    def inverse_transform(self, X: MatrixLike) -> Data:
        """Return pooled rows with as many columns as before: every one has the value of its cluster."""
        scikit_learn.check_is_fitted(self)
        pooled: Data = check_data(X, who=type(self).__name__, may_be_distances=True, squares=False)
        if pooled.shape[1] != self.n_clusters_:
            raise InvalidData(
                f"X of {type(self).__name__}.inverse_transform must have {self.n_clusters_} columns, one per "
                f"cluster, got {pooled.shape[1]}."
            )
        return pooled[:, self.labels_]

    @property
    def _n_features_out(self) -> int:
        return self.n_clusters_
