"""What HDBSCAN makes of weights: rows that weigh nothing are placed in the hierarchy of the others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
from scipy.sparse import issparse

from coterie._support.typing import Weights
from coterie.cluster.density.condensed_tree import clusters_at, labels_at, outlier_scores_at, strengths_at
from coterie.cluster.density.hdbscan_input import HDBSCANInput, prepared
from coterie.cluster.density.hdbscan_predict import Hanging, hang
from coterie.cluster.density.input import far_unless_stored, resolve_distance
from coterie.cluster.density.neighbourhoods import CELLS_PER_BLOCK
from coterie.errors import InvalidData


def weigh(given: HDBSCANInput, model: Any, weights: Weights | None) -> HDBSCANInput:
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


def _split(given: HDBSCANInput, model: Any, counts: Any) -> HDBSCANInput:
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


def place_idle_rows(
    model: Any, given: HDBSCANInput, found: Mapping[str, Any], values: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the values of all rows: those of no weight get what `predict` would say of them.

    Parameters
    ----------
    model : HDBSCAN
        For its parameters.
    given : HDBSCANInput
        What it was given.
    found : dict
        Fitted attributes by name: the hierarchy.
    values : dict
        Labels, probabilities and outlier scores of the rows that count, by the names of the attributes.
    """
    if not len(given.idle):
        nothing = np.empty(0, dtype=np.int64)
        return {**values, "_idle": [nothing, nothing, np.empty(0)]}
    fitted = SimpleNamespace(**model.get_params(deep=False), **found)
    hanging = _hang_all(fitted, given)
    tree, chosen, row = found["condensed_tree_"], found["_chosen"], hanging.row
    labels = labels_at(tree, chosen, row, hanging.density)
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


def _hang_all(fitted: Any, given: HDBSCANInput) -> Hanging:
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
