"""Placing new rows in clusters of OPTICS that were found without them."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np
from scipy.sparse import csr_array, issparse

from coterie._support.threads import resolve_threads
from coterie._support.typing import Distances, FloatArray, Labels, MatrixLike
from coterie._support.validation import check_data
from coterie.cluster.density.input import far_unless_stored, is_boolean
from coterie.cluster.density.neighbourhoods import CELLS_PER_BLOCK, Mask
from coterie.cluster.density.optics_space import fitted_measure, nearest_reach
from coterie.errors import InvalidData


def place_rows(model: Any, X: MatrixLike) -> Labels:
    """Return the clusters that reach new rows within their scale; a row of the fit keeps its label."""
    return place_checked(model, _check_queries(model, X), np.ones(len(model.labels_), dtype=bool))


def place_checked(model: Any, data: Any, counts: Mask) -> Labels:
    """Return the same for checked rows; only those rows of the fit that count stand for an equal one."""
    n = len(model.labels_)
    core = np.where(model.labels_ >= 0, model.core_distances_, np.inf)
    most = np.append(_scales(model), 0.0)[model.labels_]  # of noise, which reaches nobody
    labels = np.full(data.shape[0], -1, dtype=np.intp)
    step = max(1, CELLS_PER_BLOCK // n)
    for start in range(0, data.shape[0], step):
        D = _to_fitted(model, data[start : start + step])
        row, reach = nearest_reach(D, core, most)
        is_equal = (D == 0) & counts
        row = np.where(is_equal.any(axis=1), np.argmax(is_equal, axis=1), row)
        is_placed = is_equal.any(axis=1) | np.isfinite(reach)
        labels[start : start + step] = np.where(is_placed, model.labels_[row], -1)
    return labels


def place_idle_rows(model: Any, X: Any, found: Mapping[str, Any]) -> Labels:
    """Return all labels of a fit: rows that weigh nothing get those of new rows."""
    weights, labels = found["_weights"], found["labels_"]
    if weights is None or (weights > 0).all():
        return np.asarray(labels)
    fitted = SimpleNamespace(
        **model.get_params(deep=False), **found, _radius=model._radius, _is_given=model._is_given
    )
    labels[weights == 0] = place_checked(fitted, X[weights == 0], weights > 0)
    return np.asarray(labels)


def _scales(model: Any) -> FloatArray:
    """Return for each cluster the largest reachability at which it takes rows."""
    n_clusters = int(model.labels_.max()) + 1
    if model.cluster_method == "dbscan":
        return np.full(n_clusters, model._radius)
    label, before = model.labels_, model.predecessor_
    is_inside = (label >= 0) & (before >= 0) & (label[before] == label)
    scales = np.zeros(n_clusters)
    np.maximum.at(scales, label[is_inside], model.reachability_[is_inside])
    if model._weights is not None:  # copies are reached from the row itself
        has_copies = (label >= 0) & (model._weights > 1) & (model.core_distances_ < model.reachability_)
        np.maximum.at(scales, label[has_copies], model.core_distances_[has_copies])
    return scales


def _check_queries(model: Any, X: MatrixLike) -> Any:
    if model._is_given:
        D = check_data(X, estimator=model, reset=False, squares=False, may_be_distances=True).astype(
            np.float64, copy=False
        )
        if D.shape[1] != len(model.labels_):
            raise InvalidData(
                f"X of predict must hold the distances of new rows to the {len(model.labels_)} rows of the "
                f"fit, got the shape {D.shape}."
            )
        return D
    data = check_data(X, estimator=model, reset=False, accept_sparse=True, may_be_distances=True)
    data = data.astype(np.float64, copy=False)
    return (data != 0).astype(np.float64) if is_boolean(model.metric) else data


def _to_fitted(model: Any, data: Any) -> Distances:
    if model._is_given:
        return far_unless_stored(data) if issparse(data) else np.asarray(data)
    rows = model._rows
    if issparse(data) != issparse(rows):  # in the form of the fit, where an equal row is at distance 0
        data = csr_array(data) if issparse(rows) else data.toarray()
    measure = fitted_measure(model, is_sparse=issparse(rows))
    if issparse(rows) and not measure.takes_sparse:
        data, rows = data.toarray(), rows.toarray()
    return measure.between(data, rows, resolve_threads(model.n_jobs))
