"""Sparse graphs as input of linkage: pairs that are not stored are infinitely far."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
from scipy import sparse

from coterie._support.typing import AnyArray, SparseData
from coterie._support.validation import check_sparse
from coterie._support.validation.data import TOLERANCE
from coterie.distance.input import InputKind
from coterie.errors import InvalidData, InvalidParameter

GRAPH_METHODS = ("single", "complete", "average", "weighted")


def check_graph(graph: SparseData, kind: InputKind, symmetrize: str | None, *, who: str) -> SparseData:
    """Return a symmetric CSR array of float64 without a diagonal, or say which cell is wrong."""
    if kind == "data":
        raise InvalidParameter(
            f'a sparse X of {who} must be a graph of distances or similarities: metric="precomputed" or '
            f'"similarity". For sparse rows of features use X.toarray().'
        )
    if graph.shape[0] != graph.shape[1]:
        raise InvalidData(f"X of {who} must be a square matrix of {kind}, got the shape {graph.shape}.")
    edges = sparse.coo_array(check_sparse(graph, who=who))
    rows, columns, values = edges.row, edges.col, edges.data.astype(np.float64)
    is_wrong = ~np.isfinite(values)
    if kind == "distances":
        is_wrong |= (values < 0) | ((rows == columns) & (values != 0))
    if is_wrong.any():
        at = int(np.argmax(is_wrong))
        raise InvalidData(
            f"X of {who} must be a graph of {kind}: finite"
            f"{', at least 0 and 0 on the diagonal' if kind == 'distances' else ''}, got "
            f"X[{rows[at]}, {columns[at]}] = {values[at]:g}. Pairs without a distance are left out."
        )
    keep = rows != columns
    checked = sparse.csr_array((values[keep], (rows[keep], columns[keep])), shape=graph.shape)
    checked.sort_indices()
    return _symmetric(checked, symmetrize, who)


def graph_arrays(graph: SparseData, sign: float) -> tuple[AnyArray, AnyArray, AnyArray]:
    """Return values, columns and row starts as the engine takes them."""
    return (
        np.ascontiguousarray(sign * graph.data),
        graph.indices.astype(np.int32, copy=False),
        graph.indptr.astype(np.int64, copy=False),
    )


def _symmetric(graph: SparseData, how: str | None, who: str) -> SparseData:
    mirrored = sparse.csr_array(graph.T)
    mirrored.sort_indices()
    if how is not None:
        return _one_of_two(graph, mirrored, how)
    is_same_shape = np.array_equal(graph.indptr, mirrored.indptr) and np.array_equal(
        graph.indices, mirrored.indices
    )
    limit = TOLERANCE[graph.dtype] * np.abs(graph.data).max(initial=0.0)
    if is_same_shape and (np.abs(graph.data - mirrored.data) <= limit).all():
        return graph
    cells, mirror = dict(_cells(graph)), dict(_cells(mirrored))
    row, column = next(
        cell for cell, value in cells.items() if cell not in mirror or abs(mirror[cell] - value) > limit
    )
    other = mirror.get((row, column))
    raise InvalidData(
        f"X of {who} must be a symmetric graph, got X[{row}, {column}] = {cells[row, column]:g} and "
        f"X[{column}, {row}] {'missing' if other is None else f'= {other:g}'}. X.maximum(X.T) makes it so."
    )


def _cells(graph: SparseData) -> Iterable[tuple[tuple[int, int], float]]:
    edges = sparse.coo_array(graph)
    return zip(zip(edges.row.tolist(), edges.col.tolist(), strict=True), edges.data.tolist(), strict=True)


def _one_of_two(graph: SparseData, mirrored: SparseData, how: str) -> SparseData:
    """Join two scores per pair; a missing one is minus infinity, so only "max" keeps pairs with one score."""
    both = {cell: [value] for cell, value in _cells(graph)}
    for cell, value in _cells(mirrored):
        both.setdefault(cell, []).append(value)
    joins: dict[str, Callable[[list[float]], float]] = {
        "max": max,
        "min": min,
        "mean": lambda scores: sum(scores) / 2,
    }
    join = joins[how]
    kept = {cell: join(scores) for cell, scores in both.items() if how == "max" or len(scores) == 2}
    cells = np.array(list(kept), dtype=np.intp).reshape(-1, 2).T
    joined = sparse.csr_array((np.array(list(kept.values())), cells), shape=graph.shape)
    joined.sort_indices()
    return joined
