"""What k-medoids takes: rows and a distance, or a matrix; and how new rows meet the medoids."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from coterie import _core
from coterie._support.threads import resolve_threads
from coterie._support.typing import Data, Distances, Indices, Labels, MatrixLike
from coterie._support.validation import available_memory, check_data
from coterie._support.validation.schema import VALUES, Maybe, Real, Record, Sometimes, Tensor, wrong
from coterie.cluster.medoids.sources import ComputedDistances, GivenDistances, Source, nearest_column
from coterie.cluster.pair_order import refuse_order
from coterie.cluster.state_checks import check_distance, check_given
from coterie.distance import (
    Distance,
    check_distance_matrix,
    check_similarity_matrix,
    find_distance,
    input_kind,
    pairwise_distances,
)
from coterie.distance.matrices import mirrored, refuse_negative, reverse_similarities
from coterie.errors import InvalidParameter

# Beyond this many columns a matrix that is kept is read faster than its rows are computed again.
COMPUTED_MOST_FEATURES = 64
SHARE_OF_MEMORY = 4  # a matrix is kept only if it takes at most this part of what is free

# what `DistanceInput.learned` returns
LEARNED = Record(
    values=Sometimes(VALUES), offset=Sometimes(Maybe(Tensor("columns"))), largest=Sometimes(Maybe(Real()))
)


@dataclass(frozen=True)
class DistanceInput:
    """The parameter `metric` of an estimator, and what it says about the input."""

    metric: Any
    params: dict[str, Any] | None
    who: str

    @property
    def is_matrix(self) -> bool:
        """Whether the input is a matrix instead of rows."""
        return input_kind(self.metric) != "data"

    def check_name(self) -> None:
        """Refuse a name or parameters that no distance has."""
        if not self.is_matrix:
            find_distance(self.metric, **(self.params or {}))

    def check(self, estimator: Any, X: MatrixLike) -> Data:
        """Return the input of `fit`, checked; similarities as distances."""
        if not self.is_matrix:
            distance = find_distance(self.metric, **(self.params or {}))
            checked: Data = check_data(X, estimator=estimator, squares=distance.squares_numbers)
            return checked
        if self.params:
            raise InvalidParameter(
                f'metric_params of {self.who} must be None with metric="{self.metric}", got {self.params!r}.'
            )
        # columns are counted and named here; the matrix itself is looked at below
        turned = mirrored(X)
        data = check_data(
            turned, estimator=estimator, squares=False, may_be_distances=True, may_be_missing=True
        )
        given: MatrixLike = data if turned is X else X
        if input_kind(self.metric) == "distances":
            return check_distance_matrix(given, who=self.who)
        return check_similarity_matrix(given, who=self.who)

    def learn(self, X: Data) -> Distance | None:
        """Return the distance with what it learns from the rows; None when `X` is a matrix."""
        return None if self.is_matrix else find_distance(self.metric, **(self.params or {})).fit(X)

    def matrix(self, X: Data, distance: Distance | None) -> Distances:
        """Return all distances, if they fit in memory."""
        if distance is not None:
            if distance.function is not None:
                refuse_order(lambda A, B: pairwise_distances(A, B, metric=distance), X, "distance")
            return pairwise_distances(X, metric=distance)
        return X if input_kind(self.metric) == "distances" else reverse_similarities(X)

    def source(self, X: Data, distance: Distance | None) -> Source:
        """Return where distances come from: the matrix, or the rows."""
        everything = np.arange(X.shape[0])
        if distance is None or distance.function is not None:
            return GivenDistances(self.matrix(X, distance), everything)
        rows = np.ascontiguousarray(distance.prepare(X))
        if X.shape[1] > COMPUTED_MOST_FEATURES and _fits(len(X) ** 2 * X.itemsize):
            return GivenDistances(_core.pairwise_self(rows, distance.metric, resolve_threads()), everything)
        return ComputedDistances(rows, distance.metric, everything)

    def learned(self, X: Data, distance: Distance | None) -> dict[str, Any]:
        """Return what `predict` needs to know about the fit, as plain values that can be saved."""
        if distance is None:
            return {"largest": X.max() if input_kind(self.metric) == "similarities" else None}
        return {"values": dict(distance.values), "offset": getattr(distance.transform, "offset", None)}

    def check_learned(self, learned: Mapping[str, Any], medoids: Indices, n_columns: int) -> None:
        """Refuse what a file says was learned, if this input learns something else."""
        needs = {"largest"} if self.is_matrix else {"values", "offset"}
        if set(learned) != needs:
            raise wrong("_learned", self.who, f"hold {' and '.join(sorted(needs))}", ", ".join(learned))
        if not self.is_matrix:
            distance = find_distance(self.metric, **(self.params or {}))
            check_distance(distance, learned["values"], n_columns)
            is_moved = replace(distance, values=learned["values"]).learn is not None
            why = f"metric {distance.name}"
            check_given(learned["offset"], is_moved, who=self.who, name="_learned.offset", why=why)
            return
        is_turned = input_kind(self.metric) == "similarities"
        check_given(learned["largest"], is_turned, who=self.who, name="_learned.largest", why="this metric")
        if int(medoids.max()) >= n_columns:
            raise wrong("medoid_indices_", self.who, f"hold numbers below {n_columns:,}", int(medoids.max()))

    def nearest(self, model: Any, X: MatrixLike) -> Labels:
        """Return the nearest medoid of new rows."""
        rows = self._check_new(model, X)
        distance = self.refitted(model)
        if distance is None or distance.function is not None:
            return nearest_column(self._distances(model, rows, distance))[0]
        centers = distance.prepare(model.cluster_centers_.astype(rows.dtype, copy=False))
        labels: Labels = _core.nearest_exact(
            distance.prepare(rows), centers, distance.metric, resolve_threads()
        )[0]
        return labels

    def to_medoids(self, model: Any, X: MatrixLike) -> Distances:
        """Return the distances from new rows to all medoids."""
        return self._distances(model, self._check_new(model, X), self.refitted(model))

    def _check_new(self, model: Any, X: MatrixLike) -> Data:
        check_is_fitted(model)
        distance = None if self.is_matrix else find_distance(self.metric, **(self.params or {}))
        squares = distance is not None and distance.squares_numbers
        data: Data = check_data(X, estimator=model, reset=False, squares=squares, may_be_distances=True)
        if distance is None:
            if input_kind(self.metric) == "distances":
                refuse_negative(data, who=self.who)
            return data
        return data.astype(np.promote_types(data.dtype, model.cluster_centers_.dtype), copy=False)

    def refitted(self, model: Any) -> Distance | None:
        """Return the distance with what it had learned in `fit`; None when that took a matrix."""
        if self.is_matrix:
            return None
        distance = find_distance(self.metric, **(self.params or {}))
        if distance.function is not None:
            return distance
        distance = replace(distance, values=model._learned["values"])
        offset = model._learned["offset"]
        return distance if offset is None else distance.fit(offset[None, :])

    def _distances(self, model: Any, rows: Data, distance: Distance | None) -> Distances:
        if distance is None:
            near = np.ascontiguousarray(rows[:, model.medoid_indices_])
            largest = model._learned["largest"]
            return near if largest is None else np.asarray(largest - near)
        centers = model.cluster_centers_.astype(rows.dtype, copy=False)
        if distance.function is not None:
            return pairwise_distances(rows, centers, metric=distance)
        found: Distances = _core.pairwise(
            distance.prepare(rows), distance.prepare(centers), distance.metric, resolve_threads()
        )
        return found


def _fits(n_bytes: int) -> bool:
    free = available_memory()
    return free is None or n_bytes <= free // SHARE_OF_MEMORY
