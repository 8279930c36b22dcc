"""What density-based methods are given: rows under a distance, a matrix of distances, or a sparse graph."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from scipy.sparse import csr_array, issparse
from sklearn.utils.validation import validate_data

from coterie import _core
from coterie._support.caller import caller_level
from coterie._support.linear_algebra import is_positive_definite
from coterie._support.typing import Data, Distances, MatrixLike, SparseData
from coterie._support.validation import check_data, require_memory
from coterie.distance import Distance, find_distance, input_kind
from coterie.distance.catalogue import known_names
from coterie.distance.matrices import TOLERANCE, in_row_order
from coterie.distance.transforms import UnitLength
from coterie.errors import CoterieError, DataNotice, InvalidData, InvalidParameter


def resolve_distance(metric: Any, metric_params: Any, p: float | None = None) -> Distance | None:
    """Return the distance that the parameters mean; None for one that only scikit-learn knows."""
    params = dict(metric_params or {})
    if p is not None and "p" in params:
        warnings.warn(
            "Parameter p is found in metric_params. The corresponding parameter from __init__ is ignored.",
            SyntaxWarning,
            stacklevel=caller_level(),
        )
    metric = "minkowski" if isinstance(metric, str) and metric == "p" else metric
    name = shared_name(metric)
    if name == "mahalanobis" and "V" in params and "VI" not in params:
        params["VI"] = _inverse(params.pop("V"))
    if name == "minkowski" and p is not None and isinstance(metric, str):
        params.setdefault("p", p)
    if isinstance(metric, str) and metric not in known_names() and metric in scikit_learn_metrics():
        return None
    return find_distance(metric, **params)


def _inverse(V: Any) -> Any:
    V = np.asarray(V, dtype=np.float64)
    is_square = V.ndim == 2 and V.shape[0] == V.shape[1]
    if not is_square or not np.allclose(V, V.T) or not is_positive_definite(V):
        raise InvalidParameter(
            "V of mahalanobis must be a covariance that has an inverse: square, symmetric, no column a "
            f"combination of others, got one of shape {V.shape}. Leave such columns out, or give VI."
        )
    return np.linalg.inv(V)


def shared_name(metric: Any) -> Any:
    """Return a distance of the catalogue, and an alias that only we know, by the name that all know it by."""
    if isinstance(metric, Distance):
        return metric.name if metric.function is None else metric
    is_alias = isinstance(metric, str) and metric in known_names() and metric not in scikit_learn_metrics()
    return known_names()[metric] if is_alias else metric


def is_known(metric: Any) -> bool:
    """Return whether the engine can compute the distance: a name or alias, a function, or a distance."""
    return callable(metric) or isinstance(metric, Distance) or metric in known_names()


def is_boolean(metric: Any) -> bool:
    """Return whether scikit-learn turns rows into booleans for the distance."""
    from sklearn.metrics.pairwise import PAIRWISE_BOOLEAN_FUNCTIONS

    return isinstance(metric, str) and metric in PAIRWISE_BOOLEAN_FUNCTIONS


def without_direction(distance: Distance | None, *sets: Any) -> int:
    """Return how many rows have no direction, for a distance of directions; 0 for any other."""
    if distance is None or type(distance.transform) is not UnitLength:
        return 0
    return sum(rows.shape[0] - np.count_nonzero(abs(rows).sum(axis=1)) for rows in sets)


def note_no_direction(distance: Distance | None, X: Any, who: str) -> bool:
    """Tell of rows of zeros under the cosine: as in scikit-learn, they are at distance 1 from all others."""
    n_rows = without_direction(distance, X)
    if n_rows:
        warnings.warn(
            f"{n_rows:,} of {X.shape[0]:,} rows of X of {who} are zero and have no direction: their cosine "
            f"distance to all other rows is taken to be 1, as scikit-learn does. Leave them out if they mean "
            f"nothing.",
            DataNotice,
            stacklevel=caller_level(),
        )
    return n_rows > 0


def scikit_learn_metrics() -> frozenset[str]:
    """Return the names that scikit-learn takes for distances of rows."""
    from sklearn.metrics.pairwise import _VALID_METRICS

    return frozenset(_VALID_METRICS) - {"precomputed"}


def check_density_input(estimator: Any, X: MatrixLike, metric: Any) -> Any:
    """Return rows or, for metric="precomputed", a square matrix of distances; either may be CSR."""
    if input_kind(metric) == "similarities":
        raise InvalidParameter(
            f'metric of {type(estimator).__name__} must be a distance or "precomputed", got "similarity". '
            f"Turn similarities into distances first: coterie.distance.distances_from_similarities."
        )
    if input_kind(metric) == "data":
        return check_data(X, estimator=estimator, accept_sparse=True)
    who = type(estimator).__name__
    checked = read_distances(estimator, X, [np.float64, np.float32])
    if not issparse(checked):
        check_data(checked, who=who, squares=False, may_be_distances=True)  # says where a number is missing
    _refuse_no_distances(checked, who)
    return checked


def read_distances(estimator: Any, X: MatrixLike, dtype: list[Any]) -> Any:
    """Return a matrix of distances as C-ordered floats, not yet looked at, or a graph of them as CSR."""
    who = type(estimator).__name__
    may_be: dict[str, Any] = {"squares": False, "may_be_distances": True, "may_be_missing": True}
    if not issparse(X):
        check_data(X, who=who, **may_be)
        return validate_data(estimator, in_row_order(X), dtype=dtype, order="C", ensure_all_finite=False)
    graph: Any = check_data(X, estimator=estimator, accept_sparse=True, is_graph=True, **may_be)
    _refuse_entries(graph, who)
    return graph if graph.dtype in dtype else graph.astype(dtype[0])


def _refuse_entries(graph: SparseData, who: str) -> None:
    """Refuse stored distances that are none."""
    is_wrong = ~(graph.data >= 0) | np.isinf(graph.data)
    if not is_wrong.any():
        return
    at = int(np.argmax(is_wrong))
    row, value = int(np.searchsorted(graph.indptr, at, side="right")) - 1, graph.data[at]
    kind = "NaN" if np.isnan(value) else "infinity" if np.isinf(value) else "negative values"
    raise InvalidData(
        f"Input X contains {kind}: stored distances of {who} must be finite and at least 0, got "
        f"X[{row}, {graph.indices[at]}] = {value:g}. Leave out pairs that have no "
        f"distance: what is not stored is infinitely far."
    )


def _refuse_no_distances(D: Any, who: str) -> None:
    if D.shape[0] != D.shape[1]:
        raise InvalidData(
            f"X of {who} must be a square matrix of distances for metric='precomputed', got the shape "
            f"{D.shape}. If these are rows of features, name a distance: metric='euclidean'."
        )
    if issparse(D):
        return
    if D.size and np.nanmin(D) < 0:
        raise InvalidData(
            f"Negative values in data passed to `X`: distances of {who} must be at least 0, got "
            f"{np.nanmin(D):g}."
        )
    with np.errstate(invalid="ignore"):
        facts = _core.matrix_facts(D)
        is_apart = facts.largest_asymmetry > TOLERANCE[D.dtype] * facts.largest
    if is_apart and np.isfinite(D).all():
        warnings.warn(
            f"X of {who} is not symmetric: distances from a row are read in its row of the matrix, and may "
            f"differ from distances to it.",
            DataNotice,
            stacklevel=caller_level(),
        )


def with_explicit_diagonal(graph: SparseData) -> SparseData:
    """Return a sparse matrix in which every row is its own neighbour, at distance 0 if unsaid."""
    rows = csr_array(graph, copy=True)
    n = rows.shape[0]
    counts = np.diff(rows.indptr)
    row_of = np.repeat(np.arange(n), counts)
    has_own = np.zeros(n, dtype=bool)
    has_own[row_of[rows.indices == row_of]] = True
    absent = np.flatnonzero(~has_own)
    order = np.argsort(np.concatenate([row_of, absent]), kind="stable")
    indices = np.concatenate([rows.indices, absent])[order]
    data = np.concatenate([rows.data, np.zeros(len(absent), dtype=rows.data.dtype)])[order]
    starts = np.concatenate([[0], np.cumsum(counts + ~has_own)])
    return csr_array((data, indices, starts), shape=rows.shape)


def far_unless_stored(graph: SparseData) -> Distances:
    """Return some rows of a sparse matrix of distances as dense ones: what is not stored is infinite."""
    stored = graph.tocoo()
    dense = np.full(graph.shape, np.inf)
    dense[stored.row, stored.col] = stored.data
    return dense


def fitted_values(distance: Distance) -> dict[str, Any]:
    """Return the parameters that make the same distance again: what it was told and what it learned."""
    return {name: value for name, value in distance.values.items() if value is not None}


def sparse_metric(metric: Any, p: float | None) -> str | None:
    """Return the name under which scikit-learn computes a distance of sparse rows; None if it does not."""
    from sklearn.metrics.pairwise import PAIRED_DISTANCES, PAIRWISE_DISTANCE_FUNCTIONS

    if metric == "minkowski":
        metric = {1.0: "manhattan", 2.0: "euclidean"}.get(2.0 if p is None else p)
    known = set(PAIRWISE_DISTANCE_FUNCTIONS) & {*PAIRED_DISTANCES, "cityblock", "l1", "l2"}
    return metric if isinstance(metric, str) and metric in known else None


def takes_sparse_rows(metric: Any) -> bool:
    """Return whether scikit-learn measures sparse rows under this very name, or hands them to a function."""
    return callable(metric) or (metric != "minkowski" and sparse_metric(metric, None) is not None)


@contextmanager
def measured_by_scikit_learn(metric: Any, who: str) -> Iterator[None]:
    """Say what scikit-learn's or SciPy's distances do not take; what a given function raises stays."""
    try:
        yield
    except (TypeError, ValueError) as reason:
        if callable(metric) or isinstance(reason, CoterieError):
            raise
        raise InvalidParameter(
            f"metric={metric!r} of {who} does not take these rows: {str(reason).rstrip('.')}. Change X or "
            f"metric_params, or choose a distance of coterie.distance.distances()."
        ) from reason


def as_matrix(X: Any, who: str) -> Data:
    """Return a dense copy of sparse rows, if it fits in memory."""
    require_memory(
        X.shape[0] * X.shape[1] * X.dtype.itemsize,
        f"a dense copy of {X.shape[0]:,} sparse rows, which this distance of {who} needs,",
        "Use metric='euclidean', 'manhattan' or 'cosine', which take sparse rows as they are.",
    )
    return np.ascontiguousarray(X.toarray())
