"""What linkage can be given: rows, or distances or similarities in a square or condensed matrix."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.sparse import issparse

from coterie._core import Finish, Kernel
from coterie._support.stoppable import stoppable
from coterie._support.typing import Distances, MatrixLike, MetricLike, ValuesByName
from coterie._support.validation import require_memory
from coterie.distance import Distance, input_kind
from coterie.distance.input import GraphInput, Input, MatrixInput, RowsInput, SimilarityInput, resolve_matrix
from coterie.distance.pairwise import distance_matrix
from coterie.distance.rows import RowSets, prepare_rows
from coterie.errors import InvalidData, InvalidParameter
from coterie.tree._linkage_facts import LinkageMethod
from coterie.tree._linkage_graph import check_graph

WAY_OUT = (
    'method="single" keeps no matrix, nor do "ward", "centroid" and "median", nor does '
    '"average" with "sqeuclidean"; '
    "float32 needs half of float64; or link the centres of many small groups (k-means) instead of the rows."
)


FEWEST_FOR_ROUNDS = 10_000  # below, the whole matrix is quicker, and small enough
MOST_COLUMNS_BY_DIFFERENCES = 128  # beyond, twice the arithmetic is twice the time
_DIFFERENCES: dict[str | None, Finish] = {"distance": Finish.root, "square": Finish.identity}


def read_input(
    X: MatrixLike, metric: MetricLike, params: ValuesByName, symmetrize: str | None, threads: int, *, who: str
) -> Input:
    """Return what X is, checked."""
    kind = input_kind(metric)
    if symmetrize is not None and kind != "similarities":
        raise InvalidParameter(f'symmetrize of {who} is for metric="similarity", got metric={metric!r}.')
    given: Input
    if issparse(X):
        given = GraphInput(check_graph(X, kind, symmetrize, who=who), kind)
    elif _is_vector(X):
        kind = "similarities" if kind == "similarities" else "distances"
        vector = _condensed(X, kind, who)
        _n_of_condensed(len(vector), who)
        given = SimilarityInput(vector) if kind == "similarities" else MatrixInput(vector)
    elif kind == "data":
        rows = prepare_rows(X, None, metric, params, who=who)
        given = RowsInput(rows.X, rows.distance)
    else:
        _refuse_parameters(params, metric, who)
        given = resolve_matrix(X, kind, who=who, symmetrize=symmetrize, n_jobs=threads)
    if given.n < 2:
        raise InvalidData(f"X of {who} must have at least 2 rows, got {given.n}: there is nothing to merge.")
    return given


def square_matrix(
    given: RowsInput | MatrixInput, method: LinkageMethod, threads: int, *, who: str
) -> Distances:
    """Return a fresh square matrix that the engine may overwrite; similarities are negated."""
    require_memory(given.n**2 * given.values.itemsize, f"{method.name} linkage of {given.n:,} rows", WAY_OUT)
    if isinstance(given, RowsInput):
        return distance_matrix(RowSets(given.values, None, by_differences(given)), threads=threads)
    matrix: Distances = stoppable(_unfold if given.values.ndim == 1 else np.ndarray.copy, given.values)
    return np.negative(matrix, out=matrix) if given.kind == "similarities" else matrix


def _unfold(distances: Distances) -> Distances:
    """Return the square of distances that are given once for each pair."""
    from scipy.spatial.distance import squareform  # here: it takes long to import

    return np.asarray(squareform(distances, checks=False))


def is_worth_rounds(given: RowsInput) -> bool:
    """Return whether the first merges should be found before there is a matrix."""
    return given.distance is not None and given.distance.function is None and given.n >= FEWEST_FOR_ROUNDS


def by_differences(given: RowsInput) -> Distance:
    """Return the distance of given rows such that pairs of equal differences are equally far, to the bit.

    Products of rows are faster where there are many columns, but round equal distances differently: merges
    of rows of few digits would then depend on noise.
    """
    distance = given.distance
    assert distance is not None
    finish = _DIFFERENCES.get(distance.euclidean_form)
    if finish is None or given.values.shape[1] > MOST_COLUMNS_BY_DIFFERENCES:
        return distance
    return replace(distance, kernel=Kernel.squared_difference, finish=finish)


def _is_vector(X: MatrixLike) -> bool:
    if hasattr(X, "ndim"):
        return bool(X.ndim == 1)
    return isinstance(X, list | tuple) and np.ndim(X[0] if len(X) else 0.0) == 0


def _condensed(X: MatrixLike, kind: str, who: str) -> Distances:
    try:
        vector = np.ascontiguousarray(X)
        vector = vector if vector.dtype == np.float32 else vector.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InvalidData(f"X of {who} must be numbers, got {type(X).__name__} of other things.") from None
    wrong = ~np.isfinite(vector)
    if kind == "distances":
        wrong |= vector < 0
    if wrong.any():
        at = int(np.argmax(wrong))
        i, j = _pair_of_condensed(at, _n_of_condensed(len(vector), who))
        must = "finite and at least 0" if kind == "distances" else "finite"
        raise InvalidData(
            f"X of {who} must be condensed {kind}, which are {must}, got X[{at}] = {vector[at]:g}, the pair "
            f"of rows {i} and {j}. Pairs without a distance can be left out of a sparse matrix."
        )
    return vector


def _n_of_condensed(length: int, who: str) -> int:
    n = (1 + int(np.sqrt(1 + 8 * length))) // 2
    if length == 0 or n * (n - 1) // 2 != length:
        near = f"{n * (n - 1) // 2} ({n} rows) or {n * (n + 1) // 2} ({n + 1} rows)"
        raise InvalidData(
            f"X of {who} is a vector, so a condensed distance matrix of n (n - 1) / 2 numbers; got "
            f"{length}, which is the number for no n; near are {near}. One row of features: "
            f"X.reshape(1, -1); one feature: X.reshape(-1, 1)."
        )
    return n


def _pair_of_condensed(at: int, n: int) -> tuple[int, int]:
    starts = np.cumsum(np.arange(n - 1, 0, -1))
    i = int(np.searchsorted(starts, at, side="right"))
    return i, at - (int(starts[i - 1]) if i else 0) + i + 1


def _refuse_parameters(params: ValuesByName, metric: MetricLike, who: str) -> None:
    if params:
        raise InvalidParameter(f'metric="{metric}" of {who} takes no parameters, got {", ".join(params)}.')
