"""Estimators that end in a local model: its predictions over blocks are theirs."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from dask.array import Array as DaskArray

from coterie._support.typing import Centers, Indices, MatrixLike, Model, Weights
from coterie.scale.blocks import Block, Blocks
from coterie.scale.methods.base import LazyEstimator
from coterie.scale.predict import label_block, per_row
from coterie.scale.runtime.passes import compute, fold, lazy_array, tasks


class LocalPredictor(LazyEstimator):
    """An estimator whose fitted `local_` model places new rows."""

    local_: Model

    def predict(self, X: MatrixLike) -> DaskArray:
        """Return the group of each row of new data, as a lazy Dask array."""
        return lazy_array(self._new_blocks(X), label_block, self.local_, dtype=self._label_type)

    _label_type: npt.DTypeLike = np.int32


class LocalCentres(LocalPredictor):
    """An estimator whose fitted `local_` model also tells how far new rows are from its centres."""

    cluster_centers_: Centers

    def transform(self, X: MatrixLike) -> DaskArray:
        """Return the distance of each row of new data to each centre, as a lazy Dask array."""
        blocks, n_columns = self._new_blocks(X), len(self.cluster_centers_)
        dtype = np.promote_types(blocks.dtype, self.cluster_centers_.dtype)
        return lazy_array(blocks, per_row, self.local_, "transform", dtype=dtype, n_columns=n_columns)


def name_columns(model: Model, blocks: Blocks) -> None:
    """Tell a local model what its columns are called, and how many there are."""
    model.n_features_in_ = blocks.n_columns
    if blocks.columns is not None:
        model.feature_names_in_ = np.asarray(blocks.columns, dtype=object)


def count_rows(blocks: Blocks, model: object, n_groups: int) -> Indices:
    """Return how many rows a local model places in each group, in one pass; noise is in none."""
    counts: Indices = compute(fold(tasks(blocks, _count_block, model, n_groups), add_arrays))
    return counts


def _count_block(block: Block, _weights: Block | None, model: object, n_groups: int) -> Indices:
    labels = label_block(block, None, model)
    return np.bincount(labels[labels >= 0], minlength=n_groups)


def add_arrays(total: Any, found: list[Any]) -> Any:
    """Add arrays, or tuples of arrays, one after the other."""
    for one in found:
        if total is None:
            total = one
        elif isinstance(one, tuple):
            total = tuple(a + b for a, b in zip(total, one, strict=True))
        else:
            total = total + one
    return total


def total_weight(weights: Weights | None, n_rows: int) -> float:
    """Return the weight of rows, their number if all weigh the same."""
    return float(n_rows) if weights is None else float(weights.sum())
