"""Finding the nearest point of a fit that stands for a cluster: what predicting from density needs."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.exceptions import DataConversionWarning

from coterie._support.threads import resolve_threads
from coterie._support.typing import Distances, Indices, Labels, MatrixLike
from coterie._support.validation import check_data
from coterie.cluster.density.input import (
    as_matrix,
    is_boolean,
    is_known,
    measured_by_scikit_learn,
    shared_name,
    sparse_metric,
    without_direction,
)
from coterie.cluster.density.odd_rows import Mask, has_distances, in_parts
from coterie.distance import find_distance, input_kind, nearest
from coterie.errors import InvalidData


@dataclass(frozen=True)
class NearestCore:
    """Place among the core points, and distance; infinity where there is none."""

    index: Indices
    distance: Distances

    def among(self, is_in: Mask) -> NearestCore:
        """Return the same for all rows, of which only these have distances."""
        index = np.zeros(len(is_in), dtype=np.intp)
        distance = np.full(len(is_in), np.inf)
        index[is_in], distance[is_in] = self.index, self.distance
        return NearestCore(index, distance)


class CorePoints:
    """A fitted estimator with `components_`, rows that stand for clusters, and `core_sample_indices_`."""

    metric: Any
    metric_params: Any
    n_jobs: int | None
    components_: Any
    core_sample_indices_: Indices
    labels_: Labels
    _distance_values: dict[str, Any]

    def _nearest_core_points(self, X: MatrixLike) -> NearestCore:
        if input_kind(self.metric) == "distances":
            D = self._distances_given(X)[:, self.core_sample_indices_]
            return _row_minima(D)
        checked = check_data(X, estimator=self, reset=False, accept_sparse=True, may_be_distances=True)
        if len(self.core_sample_indices_) == 0:
            return _row_minima(np.empty((checked.shape[0], 0)))
        components = self.components_
        if sparse_metric(self.metric, self._given_exponent) is None:
            checked, components = self._as_matrices(checked, components)
        if not is_known(self.metric) or issparse(checked) or issparse(components):
            return self._by_scikit_learn(checked, components)
        values = (self.metric_params or {}) if callable(self.metric) else self._distance_values
        distance = find_distance(self.metric, **values)
        if without_direction(distance, checked, components):
            return self._by_scikit_learn(checked, components)
        is_in = has_distances(distance, checked)
        if is_in is not None and not is_in.any():
            return _row_minima(np.empty((checked.shape[0], 0)))
        rows, others = in_parts(distance, checked if is_in is None else checked[is_in], components)
        found = nearest(rows, others, distance, n_jobs=resolve_threads(self.n_jobs))
        nearest_core = NearestCore(found.index, found.distance)
        return nearest_core if is_in is None else nearest_core.among(is_in)

    @property
    def _given_exponent(self) -> float | None:
        return dict(self.metric_params or {}).get("p", getattr(self, "p", None))

    def _as_matrices(self, *sets: Any) -> list[Any]:
        return [as_matrix(rows, type(self).__name__) if issparse(rows) else rows for rows in sets]

    def _by_scikit_learn(self, rows: Any, others: Any) -> NearestCore:
        from sklearn.metrics import pairwise_distances_argmin_min

        params = dict(self.metric_params or {})
        metric = shared_name(self.metric)
        if metric == "minkowski":
            metric = sparse_metric(metric, self._given_exponent)
            params.pop("p", None)
        if is_boolean(metric):
            rows, others = rows.astype(bool), others.astype(bool)
        with measured_by_scikit_learn(metric, type(self).__name__), warnings.catch_warnings():
            warnings.simplefilter("ignore", DataConversionWarning)  # the fit has told of booleans
            index, distance = pairwise_distances_argmin_min(rows, others, metric=metric, metric_kwargs=params)
        return NearestCore(index, distance)

    def _distances_given(self, X: MatrixLike) -> Distances:
        checked = check_data(X, estimator=self, reset=False, squares=False, may_be_distances=True)
        if checked.shape[1] != len(self.labels_):
            raise InvalidData(
                f"X of predict must hold the distances of new rows to the {len(self.labels_)} rows of the "
                f"fit, got the shape {checked.shape}."
            )
        return np.asarray(checked)


def _row_minima(D: Distances) -> NearestCore:
    if D.shape[1] == 0:
        return NearestCore(np.zeros(len(D), dtype=np.intp), np.full(len(D), np.inf))
    index = np.argmin(D, axis=1)
    return NearestCore(index, D[np.arange(len(D)), index])
