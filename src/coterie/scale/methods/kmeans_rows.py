"""Centres and rows: what k-means tells of the rows of a block."""

from __future__ import annotations

import numpy as np

from coterie import _core
from coterie._support.typing import Centers, Data, Distances, FloatArray, Labels
from coterie.distance import get_distance
from coterie.scale.blocks import Block
from coterie.scale.runtime.check_finite import finite_rows
from coterie.scale.runtime.passes import read_weights


def _in_type_of(centers: Centers, X: Data, origin: FloatArray) -> tuple[Data, Centers, FloatArray]:
    """Return rows and model in the wider of their types: a float64 model places float32 rows in its own."""
    dtype = np.promote_types(X.dtype, centers.dtype)
    return (
        X.astype(dtype, copy=False),
        centers.astype(dtype, copy=False),
        origin.astype(dtype, copy=False),
    )


def label_block(block: Block, _weights: Block | None, model: tuple[Centers, FloatArray]) -> Labels:
    """Return the nearest centre of each row of a block."""
    X, centers, origin = _in_type_of(model[0], finite_rows(block, "KMeans"), model[1])
    labels: Labels = _core.kmeans_labels(X, centers, origin, None, 1)[0]
    return labels


def inertia_of_block(block: Block, weights: Block | None, model: tuple[Centers, FloatArray]) -> float:
    """Return the weighted sum of squared distances of the rows of a block to their nearest centres."""
    X, centers, origin = _in_type_of(model[0], finite_rows(block, "KMeans"), model[1])
    return float(_core.kmeans_labels(X, centers, origin, read_weights(weights), 1)[1])


def distances_of_block(block: Block, _weights: Block | None, model: tuple[Centers, FloatArray]) -> Distances:
    """Return the distance of each row of a block to each centre."""
    X, centers, _ = _in_type_of(model[0], finite_rows(block, "KMeans"), model[1])
    distances: Distances = _core.pairwise(X, centers, get_distance("euclidean").metric, 1)
    return distances


def add_numbers(total: float | None, found: list[float]) -> float:
    """Add numbers, one after the other."""
    for number in found:
        total = number if total is None else total + number
    return 0.0 if total is None else total
