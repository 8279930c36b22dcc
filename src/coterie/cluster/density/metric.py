"""What `metric` means to density-based methods: a distance of the catalogue, or one that scikit-learn has."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from coterie._core import Finish, Kernel
from coterie._support.caller import warn_caller
from coterie._support.linear_algebra import is_positive_definite
from coterie._support.typing import AnyArray, CheckedRows, Data, MatrixLike, MetricLike, Settings
from coterie._support.validation import PROGRESS, Constraint, Dictionary, Nothing, Whole
from coterie.distance import Distance, find_distance
from coterie.distance.catalogue import Metric, known_names
from coterie.distance.input import InputRules
from coterie.distance.transforms import CentredUnitLength, UnitLength
from coterie.errors import DataNotice, InvalidParameter

METRIC_CONSTRAINTS: Mapping[str, Constraint] = {
    "metric": Metric(),
    "metric_params": Dictionary() | Nothing(),
    "leaf_size": Whole(1),
    "n_jobs": Whole() | Nothing(),
    "progress": PROGRESS,
}
# scikit-learn's trees and neighbours take distances that differ by direction
RULES = InputRules(kinds=("data", "distances"), takes_sparse=True, symmetry="noted")


def resolve_distance(
    metric: MetricLike, metric_params: Settings | None, p: float | None = None
) -> Distance | None:
    """Return the distance that the parameters mean; None for one that only scikit-learn knows."""
    params = dict(metric_params or {})
    if p is not None and "p" in params:
        warn_caller(
            "Parameter p is found in metric_params. The corresponding parameter from __init__ is ignored.",
            SyntaxWarning,
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


def _inverse(V: MatrixLike) -> AnyArray:
    V = np.asarray(V, dtype=np.float64)
    is_square = V.ndim == 2 and V.shape[0] == V.shape[1]
    if not is_square or not np.allclose(V, V.T) or not is_positive_definite(V):
        raise InvalidParameter(
            "V of mahalanobis must be a covariance that has an inverse: square, symmetric, no column a "
            f"combination of others, got one of shape {V.shape}. Leave such columns out, or give VI."
        )
    return np.linalg.inv(V)


def shared_name(metric: MetricLike) -> MetricLike:
    """Return a distance of the catalogue, and an alias that only we know, by the name that all know it by."""
    if isinstance(metric, Distance):
        return metric.name if metric.function is None else metric
    if not isinstance(metric, str):
        return metric
    name = known_names().get(metric, metric)
    return name if name == metric or metric not in scikit_learn_metrics() else metric


def is_known(metric: MetricLike) -> bool:
    """Return whether the engine can compute the distance: a name or alias, a function, or a distance."""
    is_name = isinstance(metric, str) and metric in known_names()
    return is_name or callable(metric) or isinstance(metric, Distance)


def is_boolean(metric: MetricLike) -> bool:
    """Return whether scikit-learn turns rows into booleans for the distance."""
    from sklearn.metrics.pairwise import PAIRWISE_BOOLEAN_FUNCTIONS

    return isinstance(metric, str) and metric in PAIRWISE_BOOLEAN_FUNCTIONS


def without_direction(distance: Distance | None, *sets: CheckedRows) -> int:
    """Return how many rows have no direction, for a distance of directions; 0 for any other."""
    if distance is None or type(distance.transform) is not UnitLength:
        return 0
    return sum(rows.shape[0] - np.count_nonzero(abs(rows).sum(axis=1)) for rows in sets)


def note_no_direction(distance: Distance | None, X: CheckedRows, who: str) -> bool:
    """Tell of rows of zeros under the cosine: as in scikit-learn, they are at distance 1 from all others."""
    n_rows = without_direction(distance, X)
    if n_rows:
        warn_caller(
            f"{n_rows:,} of {X.shape[0]:,} rows of X of {who} are zero and have no direction: their cosine "
            f"distance to all other rows is taken to be 1, as scikit-learn does. Leave them out if they mean "
            f"nothing.",
            DataNotice,
        )
    return n_rows > 0


def scikit_learn_metrics() -> frozenset[str]:
    """Return the names that scikit-learn takes for distances of rows."""
    from sklearn.metrics.pairwise import _VALID_METRICS

    return frozenset(_VALID_METRICS) - {"precomputed"}


def sparse_metric(metric: MetricLike, p: float | None) -> str | None:
    """Return the name under which scikit-learn computes a distance of sparse rows; None if it does not."""
    from sklearn.metrics.pairwise import PAIRED_DISTANCES, PAIRWISE_DISTANCE_FUNCTIONS

    if metric == "minkowski":
        metric = {1.0: "manhattan", 2.0: "euclidean"}.get(2.0 if p is None else p)
    known = set(PAIRWISE_DISTANCE_FUNCTIONS) & {*PAIRED_DISTANCES, "cityblock", "l1", "l2"}
    return metric if isinstance(metric, str) and metric in known else None


def takes_sparse_rows(metric: MetricLike) -> bool:
    """Return whether scikit-learn measures sparse rows under this very name, or hands them to a function."""
    return callable(metric) or (metric != "minkowski" and sparse_metric(metric, None) is not None)


Mask = npt.NDArray[np.bool_]


def has_distances(distance: Distance | None, X: CheckedRows) -> Mask | None:
    """Return which dense rows have a distance to others; None for all.

    A constant row has no correlation with any other: for scikit-learn it is near to no row, itself included.
    """
    if distance is None or not isinstance(distance.transform, CentredUnitLength):
        return None
    is_varied = X.max(axis=1) != X.min(axis=1)
    return None if is_varied.all() else np.asarray(is_varied)


def has_neighbours(distance: Distance | None, X: CheckedRows, radius: float) -> Mask | None:
    """Return which dense rows can have neighbours within the radius; None for all, or if no row can.

    Two empty sets have no Dice coefficient, and an empty set is at distance 1 from every other.
    """
    if distance is None or distance.finish is not Finish.dice:
        is_in = has_distances(distance, X)
    elif radius >= 1 or distance.values["levels"] is not None:  # with categories no set is empty
        return None
    else:
        is_in = X.any(axis=1)
    return None if is_in is None or is_in.all() or not is_in.any() else np.asarray(is_in)


def note_left_out(is_in: Mask, distance: Distance, who: str) -> None:
    """Tell of rows that are noise because they have no distance."""
    n_out = int((~is_in).sum())
    what = "empty sets" if distance.finish is Finish.dice else "constant"
    warn_caller(
        f"{n_out:,} of {len(is_in):,} rows of X of {who} are {what}: their {distance.name} distance is "
        f"undefined, and they are noise, as in scikit-learn. Leave them out if they mean nothing.",
        DataNotice,
    )


def in_parts(distance: Distance | None, *sets: Data) -> tuple[Data, ...]:
    """Return rows such that their Bray-Curtis distance is that of scikit-learn's trees.

    These divide by sum(|x| + |y|) rather than sum |x + y|. Both agree where nothing is negative: so positive
    and negative parts become columns of their own.
    """
    is_of_amounts = distance is not None and distance.kernel is Kernel.braycurtis
    if not is_of_amounts or all(rows.size == 0 or rows.min() >= 0 for rows in sets):
        return sets
    return tuple(np.hstack([np.maximum(rows, 0), np.maximum(-rows, 0)]) for rows in sets)
