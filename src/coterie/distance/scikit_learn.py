"""Distances that only scikit-learn computes: what it refuses, and what it returns, is looked at here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from coterie.errors import CoterieError, InvalidData, InvalidParameter

Found = TypeVar("Found")


def measure_by_scikit_learn(measure: Callable[[], Found], metric: Any, *, who: str) -> Found:
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


def _refuse_not_finite(distances: Any, metric: Any, who: str) -> None:
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
