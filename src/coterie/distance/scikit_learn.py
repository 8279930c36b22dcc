"""Distances that only scikit-learn computes: what it refuses, and what it returns, is looked at here."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np

from coterie._support.typing import Distances, MatrixLike, MetricLike, ValuesByName
from coterie._support.validation import check_data
from coterie.distance.catalogue import find_distance, known_names
from coterie.errors import CoterieError, InvalidData, InvalidParameter

Found = TypeVar("Found")
NORMS = ("X_norm_squared", "Y_norm_squared")  # of euclidean: taken so that calls keep working, not used


def is_scikit_learns(metric: MetricLike) -> bool:
    """Return whether scikit-learn has a distance of this name and the catalogue has not.

    Examples
    --------
    >>> is_scikit_learns("yule"), is_scikit_learns("euclidean")
    (True, False)
    """
    if not isinstance(metric, str) or metric in known_names():
        return False
    from sklearn.metrics.pairwise import PAIRWISE_BOOLEAN_FUNCTIONS, PAIRWISE_DISTANCE_FUNCTIONS

    return metric in PAIRWISE_DISTANCE_FUNCTIONS or metric in PAIRWISE_BOOLEAN_FUNCTIONS


def pairwise_by_scikit_learn(
    X: MatrixLike, Y: MatrixLike | None, metric: str, params: ValuesByName, *, who: str
) -> Distances:
    """Return a matrix of a distance that only scikit-learn has.

    Examples
    --------
    >>> pairwise_by_scikit_learn([[0.0, 0.0]], [[0.0, 3.0]], "haversine", {}, who="this function")
    array([[3.]])
    """
    from sklearn.metrics import pairwise_distances

    rows = _as_given(X, who, "X")
    others = None if Y is None else _as_given(Y, who, "Y")
    return measure_by_scikit_learn(
        lambda: np.asarray(pairwise_distances(rows, others, metric=metric, **params)), metric, who=who
    )


def _as_given(X: MatrixLike, who: str, name: str) -> MatrixLike:
    """Return checked rows, booleans as booleans: scikit-learn warns of numbers where it wants sets."""
    checked = check_data(X, who=who, name=name)
    return checked.astype(bool) if np.asarray(X).dtype == bool else checked


def translate_parameters(metric: MetricLike, params: ValuesByName) -> tuple[MetricLike, ValuesByName]:
    """Return a distance and its parameters without those that only scikit-learn's euclidean has.

    Examples
    --------
    >>> translate_parameters("l2", {"squared": True, "Y_norm_squared": [25.0]})
    ('sqeuclidean', {})
    """
    theirs = {name: value for name, value in params.items() if name in (*NORMS, "squared")}
    if not theirs or not isinstance(metric, str) or find_distance(metric).name != "euclidean":
        return metric, params
    squared = theirs.get("squared", False)
    if not isinstance(squared, bool | np.bool_):
        raise InvalidParameter(f"squared of euclidean must be True or False, got {squared!r}.")
    rest = {name: value for name, value in params.items() if name not in theirs}
    return "sqeuclidean" if squared else metric, rest


def measure_by_scikit_learn(measure: Callable[[], Found], metric: MetricLike, *, who: str) -> Found:
    """Return the distances that `measure` gets from scikit-learn, or say why there are none.

    What a function that the user gave raises stays as it is.

    Examples
    --------
    >>> from sklearn.metrics import pairwise_distances
    >>> distances = lambda: pairwise_distances([[0.0], [1e200]], metric="sqeuclidean")
    >>> measure_by_scikit_learn(distances, "sqeuclidean", who="DBSCAN")
    Traceback (most recent call last):
    ...
    coterie.errors.InvalidData: metric='sqeuclidean' of DBSCAN gives distances that are not finite: 2 of 4 are
    infinite. Divide X by a constant, or choose another distance.
    """
    try:
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            found = measure()
    except (TypeError, ValueError) as reason:
        if callable(metric) or isinstance(reason, CoterieError):
            raise
        raise InvalidParameter(
            f"metric={metric!r} of {who} does not take these rows: {str(reason).rstrip('.')}. Change X or "
            f"metric_params, or choose a distance of coterie.distance.distances()."
        ) from reason
    _refuse_not_finite(np.asarray(found), metric, who)
    return found


def _refuse_not_finite(distances: Distances, metric: MetricLike, who: str) -> None:
    if np.isfinite(distances).all():
        return
    n_wrong = int(np.isnan(distances).sum())
    if n_wrong:
        what = "NaN: it is not defined for some of these rows. Leave them out"
    else:
        n_wrong, what = int(np.isinf(distances).sum()), "infinite. Divide X by a constant"
    shown = getattr(metric, "__name__", None) or metric
    raise InvalidData(
        f"metric={shown!r} of {who} gives distances that are not finite: {n_wrong:,} of {distances.size:,} "
        f"are {what}, or choose another distance."
    )
