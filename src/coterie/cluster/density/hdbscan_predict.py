"""Rows that the hierarchy of HDBSCAN was found without: new ones, and those that weigh nothing."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import SimpleNamespace

import numpy as np
from scipy.sparse import issparse

from coterie._support.threads import resolve_threads
from coterie._support.typing import (
    AnyArray,
    CheckedRows,
    Distances,
    FloatArray,
    Indices,
    MatrixLike,
    Model,
    Settings,
    ValuesByName,
    Weights,
)
from coterie._support.validation import check_data, check_sparse
from coterie.cluster.density.condensed_tree import clusters_at, labels_at, outlier_scores_at, strengths_at
from coterie.cluster.density.hdbscan_input import (
    HDBSCANInput,
    as_measured,
    prepared,
    row_sums,
    scikit_learns_distances,
)
from coterie.cluster.density.metric import is_known, resolve_distance, without_direction
from coterie.cluster.density.neighbourhoods import CELLS_PER_BLOCK
from coterie.cluster.density.weight_lists import lists_of_weight
from coterie.distance import Distance, find_distance, input_kind, k_nearest, nearest
from coterie.distance.input import check_new_input, dense_rows, far_unless_stored
from coterie.errors import InvalidData


@dataclass(frozen=True)
class Hanging:
    """The row of the fit that each new row reaches first, its distance, and the density of that reach."""

    row: Indices
    distance: Distances
    density: FloatArray


def hang(model: Model, X: CheckedRows) -> Hanging:
    """Return where new rows, their columns already checked, would hang in the spanning tree."""
    n, n_queries = len(model._core_distances), X.shape[0]
    # of NumPy it may be of 8 bits
    min_samples = int(model.min_cluster_size if model.min_samples is None else model.min_samples)
    weights = np.ones(n) if model._weights is None else model._weights
    row, nearest_reach = np.zeros(n_queries, dtype=np.intp), np.empty(n_queries)
    apart = np.empty(n_queries)
    most = 2 * min_samples  # weight of the neighbours to hang on

    def ask(which: Indices, k: int) -> tuple[Indices, Distances]:
        return _nearest_rows(model, X[which], k)

    for lists in lists_of_weight(ask, n_queries, weights, most, first=most):
        at = np.arange(len(lists.which))
        core = lists.distance[at, lists.place_of(min_samples - 1)]  # the new row itself counts as well
        own = np.maximum(core[:, None], model._core_distances[lists.index])
        reach = np.maximum(own, lists.distance / model.alpha)
        reach[lists.total - weights[lists.index] >= most] = np.inf
        reach[lists.distance == 0] = -1.0  # an equal row stands for the new one
        best = np.argmin(reach, axis=1)
        row[lists.which], apart[lists.which] = lists.index[at, best], lists.distance[at, best]
        nearest_reach[lists.which] = reach[at, best]
    with np.errstate(divide="ignore"):
        density = np.where(nearest_reach > 0, 1 / nearest_reach, np.inf)
    return Hanging(row, apart, density)


def split_rows(model: Model, X: MatrixLike) -> tuple[CheckedRows, FloatArray]:
    """Return the finite rows, and a number per row: NaN or infinite where it is not finite."""
    if input_kind(model.metric) == "distances":
        D = _given(model, X)
        return D, np.zeros(len(D))
    data = check_data(
        X, estimator=model, reset=False, accept_sparse=True, may_be_distances=True, may_be_missing=True
    )
    data = _as_fitted(model, data)
    if model._takes_gaps and not issparse(data):
        return data, np.zeros(len(data))
    sums = row_sums(data)
    is_finite = np.isfinite(sums)
    return data if is_finite.all() else data[is_finite], sums


def soft_membership(model: Model, X: MatrixLike) -> FloatArray:
    """Return the share of each cluster in each row."""
    tree, chosen = model.condensed_tree_, model._chosen
    data = _checked(model, X)
    hanging = hang(model, data)
    if not len(chosen):
        return np.zeros((len(hanging.row), 0))
    apart = _to_exemplars(model, data, _exemplars(model))
    with np.errstate(divide="ignore", invalid="ignore"):
        near = np.where((apart == 0).any(axis=1, keepdims=True), apart == 0, 1 / apart)
    shares = near / near.sum(axis=1, keepdims=True)
    deepest = tree.deaths()[chosen][np.argmin(apart, axis=1)]
    _, densities = tree.last_clusters()
    density = np.where(hanging.distance == 0, densities[hanging.row], hanging.density)
    with np.errstate(invalid="ignore", divide="ignore"):
        strength = np.where(density >= deepest, 1.0, density / deepest)
    return np.asarray(shares * strength[:, None])


def _exemplars(model: Model) -> list[Indices]:
    """Return for each chosen cluster the rows that stay to the end in its densest parts."""
    from coterie.cluster.density.condensed_tree import nearest_chosen

    tree, chosen = model.condensed_tree_, model._chosen
    cluster, density = tree.last_clusters()
    is_leaf = np.ones(tree.n_clusters, dtype=bool)
    is_leaf[tree.parents()[1:]] = False
    number = nearest_chosen(tree, chosen)[cluster]
    is_last = is_leaf[cluster] & (density >= tree.deaths()[cluster])
    found = [np.flatnonzero(is_last & (number == c)) for c in range(len(chosen))]
    return [rows if len(rows) else np.flatnonzero(number == c) for c, rows in enumerate(found)]


def _to_exemplars(model: Model, data: CheckedRows, exemplars: list[Indices]) -> Distances:
    if input_kind(model.metric) == "distances":
        return np.column_stack([data[:, rows].min(axis=1) for rows in exemplars])
    columns = []
    for rows in exemplars:
        if _is_ours(model, data):
            queries, others = as_measured(model, _distance(model), data, model._rows[rows])
            columns.append(nearest(queries, others, _distance(model)).distance)
        else:
            columns.append(scikit_learns_distances(model, data, model._rows[rows]).min(axis=1))
    return np.column_stack(columns)


def _nearest_rows(model: Model, X: CheckedRows, k: int) -> tuple[Indices, Distances]:
    if input_kind(model.metric) == "distances":
        return _smallest(X, k)
    data = X.astype(np.float64, copy=False)
    if model._table is None:
        data = check_data(
            data,
            who="HDBSCAN",
            accept_sparse=True,
            may_be_distances=True,
            may_have_gaps=model._takes_gaps,
            squares=_squares_numbers(model),
        )
    if not _is_ours(model, data):
        return _smallest(scikit_learns_distances(model, data, model._rows), k)
    threads = resolve_threads(model.n_jobs)
    queries, others = as_measured(model, _distance(model), data, model._rows)
    found = k_nearest(queries, others, k, _distance(model), n_jobs=threads)
    return found.index, found.distance


def _smallest(D: Distances, k: int) -> tuple[Indices, Distances]:
    index = np.argsort(D, axis=1, kind="stable")[:, :k]
    return index, np.take_along_axis(D, index, axis=1)


def _checked(model: Model, X: MatrixLike) -> CheckedRows:
    if input_kind(model.metric) == "distances":
        return _given(model, X)
    X = check_sparse(X, who="HDBSCAN") if issparse(X) else X
    if getattr(X, "dtype", None) == np.float32:
        X = X.astype(np.float64)  # type: ignore[union-attr]  # first: as in the fit, nothing overflows then
    squares = _squares_numbers(model)
    data = check_data(
        X, estimator=model, reset=False, accept_sparse=True, may_be_distances=True, squares=squares
    )
    return _as_fitted(model, data.astype(np.float64, copy=False))


def _as_fitted(model: Model, data: CheckedRows) -> CheckedRows:
    """Return rows in the form that the fit kept: a function of two sparse rows is given two sparse rows."""
    if issparse(data) and not issparse(model._rows):
        return dense_rows(data, who="HDBSCAN")
    return type(model._rows)(data) if issparse(model._rows) and not issparse(data) else data


def _is_ours(model: Model, data: CheckedRows) -> bool:
    if not is_known(model.metric) or issparse(data) or issparse(model._rows):
        return False
    return not without_direction(_distance(model), data, model._rows)


def _squares_numbers(model: Model) -> bool:
    """Return whether the distance squares numbers: then, as in the fit, these may not be too large."""
    return is_known(model.metric) and _distance(model).squares_numbers


def _distance(model: Model) -> Distance:
    values = dict(model.metric_params or {}) if callable(model.metric) else model._distance_values
    return find_distance(model.metric, **values)


def _given(model: Model, X: MatrixLike) -> Distances:
    """Return the distances of new rows to those rows of the fit that count."""
    D = check_new_input(X, "distances", estimator=model).astype(np.float64, copy=False)
    is_all = D.shape[1] == len(model._finite_rows)
    return np.asarray(D if is_all else D[:, model._finite_rows])


def weigh(given: HDBSCANInput, model: Model, weights: Weights | None) -> HDBSCANInput:
    """Return the rows that count, with their weights; the rows of no weight stand by."""
    if weights is None:
        return given
    weights = weights[given.finite]
    if not weights.any():
        raise InvalidData("Sample weights of HDBSCAN must be more than 0 for some finite row, all are zero.")
    if (weights == 0).any():
        given = _split(given, model, weights > 0)
        weights = weights[weights > 0]
    if given.n_finite == 1 and weights[0] <= 1:
        raise InvalidData("n_samples=1 while HDBSCAN requires more than one sample, or one that weighs more")
    return given if (weights == 1).all() else replace(given, weights=np.ascontiguousarray(weights))


def _split(given: HDBSCANInput, model: Model, counts: AnyArray) -> HDBSCANInput:
    kept, left = np.flatnonzero(counts), np.flatnonzero(~counts)
    if given.is_matrix:
        to_kept = given.X[left][:, kept]
        X = given.X[kept][:, kept]
        X, idle_rows = (X, to_kept) if issparse(X) else (np.ascontiguousarray(X), to_kept)
        rows = None
    else:
        X, idle_rows = given.X[kept], given.X[left]
        distance = None if given.rows is None else resolve_distance(model.metric, model.metric_params)
        rows = prepared(model, distance, X)
    finite, idle = given.finite[kept], given.finite[left]
    return replace(given, X=X, rows=rows, finite=finite, idle=idle, idle_rows=idle_rows)


def place_idle_rows(model: Model, given: HDBSCANInput, found: Settings, values: Settings) -> ValuesByName:
    """Return the values of all rows: those of no weight get what `predict` would say of them."""
    if not len(given.idle):
        nothing = np.empty(0, dtype=np.int64)
        return {**values, "_idle": [nothing, nothing, np.empty(0)]}
    fitted = SimpleNamespace(
        **model.get_params(deep=False), **found, _table=model._table, _takes_gaps=model._takes_gaps
    )
    hanging = _hang_all(fitted, given)
    tree, chosen, row = found["condensed_tree_"], found["_chosen"], hanging.row
    labels = labels_at(tree, chosen, model._selection(), row, hanging.density)
    cluster = clusters_at(tree, row, hanging.density)
    of_points = {
        "labels_": labels,
        "probabilities_": strengths_at(tree, chosen, labels, hanging.density),
        "outlier_scores_": outlier_scores_at(tree, cluster, hanging.density),
    }
    is_equal = hanging.distance == 0  # to a row that counts: it speaks for both
    placed = {
        name: np.concatenate([own, np.where(is_equal, own[row], of_points[name])])
        for name, own in values.items()
    }
    return {**placed, "_idle": [given.idle, row, hanging.density]}


def _hang_all(fitted: Model, given: HDBSCANInput) -> Hanging:
    rows = given.idle_rows
    if not issparse(rows) or not given.is_matrix:
        return hang(fitted, rows)
    step = max(1, CELLS_PER_BLOCK // rows.shape[1])
    blocks = [rows[start : start + step] for start in range(0, rows.shape[0], step)]
    parts = [hang(fitted, far_unless_stored(block)) for block in blocks]
    return Hanging(
        np.concatenate([part.row for part in parts]),
        np.concatenate([part.distance for part in parts]),
        np.concatenate([part.density for part in parts]),
    )
