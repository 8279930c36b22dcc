"""K-medoids: groups about one of their own rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from coterie import _core
from coterie._support import scikit_learn
from coterie._support.declarations import KW_ONLY, estimator, fitted, parameter
from coterie._support.progress import ProgressOption, track
from coterie._support.threads import resolve_threads
from coterie._support.typing import (
    CheckedRows,
    Data,
    Distances,
    FittedAttributes,
    Indices,
    Init,
    Labels,
    MatrixLike,
    MetricLike,
    RandomState,
    Settings,
    ValuesByName,
    Weights,
)
from coterie._support.validation import (
    AnArray,
    Anything,
    Choice,
    Dictionary,
    Nothing,
    Number,
    Whole,
    check_n_clusters,
    check_seed,
)
from coterie._support.validation.schema import (
    COUNT,
    FLAG,
    VALUES,
    Maybe,
    Record,
    Size,
    Sometimes,
    Tensor,
    Text,
    wrong,
)
from coterie.cluster.base import DistanceTransformer, Listener
from coterie.cluster.kmeans.empty_clusters import warn_if_fewer, without_empty
from coterie.cluster.medoids.runs import (
    NAMED_MEDOIDS,
    MedoidPlan,
    check_first_medoids,
    find_medoids,
    total_distance,
)
from coterie.cluster.medoids.sources import Source, make_source, nearest_column
from coterie.cluster.state_checks import check_distance, check_given, check_rows
from coterie.distance import Distance, find_distance, input_kind, pairwise_distances
from coterie.distance.input import check_new_input, distance_of_rows, resolve_input
from coterie.distance.matrices import refuse_negative
from coterie.errors import InvalidParameter

METHODS = ("auto", "fasterpam", "pam", "fastermsc", "clara", "onebatch")
AUTO_MOST_ROWS = 50_000  # all pairs of more rows take minutes per pass
RESTARTS = 10  # of starts that are merely random


@estimator
class KMedoids(DistanceTransformer):
    """K-medoids: the k rows (medoids) with the least sum of distances to all rows.

    K-medoids lowers

        TD = sum over rows i of  w_i d(x_i, m(i)),    m(i) the nearest medoid of row i,

    by swapping medoids for other rows. Medoids are rows, so any distance will do, or only a matrix of
    distances, and rows far away pull less than they pull a mean.

    Parameters
    ----------
    metric : str, callable or Distance, default="euclidean"
        A name of `coterie.distance.distances()`, a distance, or a function of two rows (slow, and all
        distances are kept). "precomputed": `X` is a matrix of distances. "similarity": of similarities; the
        distance of a pair is how far it is from the largest similarity.
    metric_params : dict or None, default=None
        Parameters of the distance, such as ``{"p": 3}``.
    method : {"auto", "fasterpam", "pam", "fastermsc", "clara", "onebatch"}, default="auto"
        "fasterpam" takes every swap that improves, as it comes; "pam" looks at all swaps and takes the best,
        as R's `pam` does: slower, and no better on the whole. Both end where no swap helps. "fastermsc" swaps
        for the medoid silhouette instead of TD. The other two look at samples: "clara" finds the medoids of
        subsamples and keeps those that serve all rows best; "onebatch" takes all rows for candidates and lets
        a weighted batch judge them. "auto": "fasterpam" up to 50,000 rows and for matrices, else "onebatch".
    init : {"build", "lab", "k-medoids++", "random"} or array of int, default="build"
        First medoids. "build": the row with the least sum of distances, then one by one the row that lowers
        TD most. "lab": the same within a small sample per pick. "k-medoids++": rows far from the medoids so
        far are likely, of 2 + ln k draws the best is taken. "random": random rows. An array: their numbers.
    n_init : "auto" or int, default="auto"
        How many starts; the best run is kept. "auto" is 10 for "random", else 1. "build" and an array are
        the same each time, so that there is one start.
    max_iter : int, default=300
        Most passes over all rows of one run; "pam" makes one swap per pass.
    sample_size : int or None, default=None
        Rows in a sample of "clara" (None: 40 per cluster, at least 1000) or "onebatch" (None: 100 ln(k n)).

    Attributes
    ----------
    medoid_indices_ : array of shape (n_clusters,)
        The rows that are medoids; group c is that of medoid c, in the order of the start. Fewer than
        `n_clusters`, with a warning, when `X` has fewer different rows.
    cluster_centers_ : array of shape (n_clusters, n_features) or None
        Those rows; None when `X` was a matrix.
    labels_ : array of int32 of shape (n_samples,)
        The nearest medoid of each row.
    medoid_silhouette_ : float
        Mean of 1 - (distance to the nearest) / (to the second nearest medoid); absent for one group.
    n_swaps_, n_iter_ : int
        Swaps, and passes over the candidates, of the best run (of all subsamples).
    algorithm_used_ : {"fasterpam", "pam", "fastermsc", "clara", "onebatch"}
        The method that ran.
    exact_ : bool
        Whether every swap was judged by all rows: not by samples that leave some out.

    Examples
    --------
    >>> from coterie.cluster import KMedoids
    >>> X = [[1, 2], [1, 4], [1, 0], [10, 2], [10, 4], [10, 0]]
    >>> model = KMedoids(n_clusters=2).fit(X)
    >>> model.medoid_indices_
    array([0, 3])
    >>> model.inertia_
    8.0
    >>> model.predict([[0, 0], [12, 3]])
    array([0, 1], dtype=int32)
    """

    n_clusters: int = parameter(Whole(1), default=8)
    _: KW_ONLY
    metric: MetricLike = parameter(Anything(), default="euclidean")  # coterie.distance knows its names
    metric_params: ValuesByName | None = parameter(Dictionary() | Nothing(), default=None)
    method: str = parameter(Choice(*METHODS), default="auto")
    init: Init = parameter(Choice(*NAMED_MEDOIDS) | AnArray(), default="build")
    n_init: int | str = parameter(Choice("auto") | Whole(1), default="auto")
    max_iter: int = parameter(Whole(1), default=300)
    sample_size: int | None = parameter(Nothing() | Whole(1), default=None)
    n_subsamples: int = parameter(Whole(1), 'Subsamples of "clara".', default=5)
    random_state: RandomState = None
    progress: ProgressOption = None

    labels_: Labels = fitted(Sometimes(Tensor("rows", kind="i", low=0, below="clusters")))
    medoid_indices_: Indices = fitted(Tensor("clusters", kind="i8", low=0, below="rows"))
    # Centers, or None where a matrix was fitted
    cluster_centers_: Any = fitted(Maybe(Tensor("clusters", "columns", of_table=True)))
    inertia_: float = fitted(Number(), "The value of TD.")
    medoid_silhouette_: float = fitted(Sometimes(Number()))
    n_swaps_: int = fitted(COUNT)
    n_iter_: int = fitted(COUNT)
    algorithm_used_: str = fitted(Text())
    exact_: bool = fitted(FLAG)
    _n_init: int = fitted(COUNT)
    _n_features_out: int = fitted(Size("clusters"))
    _learned: ValuesByName = fitted(
        Record(
            values=Sometimes(VALUES),
            offset=Sometimes(Maybe(Tensor("columns"))),
            largest=Sometimes(Maybe(Number())),
        )
    )

    _sometimes = ("medoid_silhouette_",)
    _objective_words: ClassVar[str] = "sum of distances"

    @classmethod
    def _check_state(cls, state: Settings, sizes: Mapping[str, int]) -> None:
        who, learned, n_columns = cls.__name__, state["_learned"], sizes["columns"]
        distance = distance_of_rows(state["metric"], state["metric_params"])
        is_rows, why = distance is not None, "this metric"
        check_given(state["cluster_centers_"], is_rows, who=who, name="cluster_centers_", why=why)
        needs = {"values", "offset"} if is_rows else {"largest"}
        if set(learned) != needs:
            raise wrong("_learned", who, f"hold {' and '.join(sorted(needs))}", ", ".join(learned))
        if distance is not None:
            check_distance(distance, learned["values"], n_columns)
            is_moved = _told(distance, learned).learn is not None
            why = f"metric {distance.name}"
            check_given(learned["offset"], is_moved, who=who, name="_learned.offset", why=why)
            centers, distance = state["cluster_centers_"], _refitted(distance, learned)
            check_rows(centers, distance, who=who, name="cluster_centers_")
            return
        is_turned, last = input_kind(state["metric"]) == "similarities", int(state["medoid_indices_"].max())
        check_given(learned["largest"], is_turned, who=who, name="_learned.largest", why=why)
        if last >= n_columns:
            raise wrong("medoid_indices_", who, f"hold numbers below {n_columns:,}", last)

    def predict(self, X: MatrixLike) -> Labels:
        """Return the index of the nearest medoid for each row; for the rows of `fit` these are `labels_`.

        A model of a matrix takes the distances of new rows to all rows of `fit`.
        """
        rows, distance = self._check_new(X), self._distance()
        if distance is None or distance.function is not None:
            return nearest_column(self._to_medoids(rows, distance))[0]
        centers = distance.prepare(self.cluster_centers_.astype(rows.dtype, copy=False))
        labels: Labels = _core.nearest_exact(
            distance.prepare(rows), centers, distance.metric, resolve_threads()
        )[0]
        return labels

    def transform(self, X: MatrixLike) -> Distances:
        """Return the distance of each row to each medoid; of a model of a matrix as `predict` takes them."""
        return self._to_medoids(self._check_new(X), self._distance())

    def _to_medoids(self, rows: Data, distance: Distance | None) -> Distances:
        if distance is None:
            near, largest = np.ascontiguousarray(rows[:, self.medoid_indices_]), self._learned["largest"]
            return near if largest is None else np.asarray(largest - near)
        centers = self.cluster_centers_.astype(rows.dtype, copy=False)
        if distance.function is not None:
            return pairwise_distances(rows, centers, metric=distance)
        found: Distances = _core.pairwise(
            distance.prepare(rows), distance.prepare(centers), distance.metric, resolve_threads()
        )
        return found

    def _distance(self) -> Distance | None:
        """Return the distance with what it had learned in `fit`; None when that took a matrix."""
        distance = distance_of_rows(self.metric, self.metric_params)
        return None if distance is None else _refitted(distance, self._learned)

    def _check_new(self, X: MatrixLike) -> Data:
        scikit_learn.check_is_fitted(self)
        distance = distance_of_rows(self.metric, self.metric_params)
        squares = distance is not None and distance.squares_numbers
        data: Data = check_new_input(X, self._kind, estimator=self, squares=squares)
        if self._kind == "distances":
            refuse_negative(data, who=type(self).__name__)
        if distance is None:
            return data
        return data.astype(np.promote_types(data.dtype, self.cluster_centers_.dtype), copy=False)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        distance_of_rows(self.metric, self.metric_params)  # refuses a name or parameters that none has

    def _check_rows(self, X: MatrixLike) -> CheckedRows:
        if self._kind != "data" and self.metric_params:
            raise InvalidParameter(
                f'metric_params of {type(self).__name__} must be None with metric="{self.metric}", got '
                f"{self.metric_params!r}."
            )
        distance = distance_of_rows(self.metric, self.metric_params)
        return resolve_input(X, self._kind, estimator=self, distance=distance).values

    def _compute(self, X: Data, weights: Weights | None, listener: Listener | None) -> FittedAttributes:
        check_n_clusters(self.n_clusters, X.shape[0], who=type(self).__name__)
        plan = self._plan(X)
        distance = distance_of_rows(self.metric, self.metric_params)
        distance = None if distance is None else distance.fit(X)
        source = make_source(X, self._kind, distance)
        with track(self.progress, f"k-medoids ({plan.method}): pass").also(listener) as tracker:
            run = find_medoids(source, weights, plan, tracker)
        medoids, labels, near = _settled(source, run.medoids)
        inertia = total_distance(near, weights)
        warn_if_fewer(len(medoids), self.n_clusters)
        return {
            "medoid_indices_": medoids,
            "cluster_centers_": None if distance is None else X[medoids],
            "labels_": labels,
            "inertia_": inertia,
            "n_swaps_": run.n_swaps,
            "n_iter_": run.n_iter,
            "algorithm_used_": plan.method,
            "exact_": run.is_exact,
            "_n_init": plan.n_init,
            "_n_features_out": len(medoids),
            "_learned": self._learn(X, distance),
            **_medoid_silhouette(source, medoids, weights),
        }

    def _learn(self, X: Data, distance: Distance | None) -> ValuesByName:
        """Return what `predict` needs to know about the fit, as plain values that can be saved."""
        if distance is None:
            return {"largest": X.max() if self._kind == "similarities" else None}
        return {"values": dict(distance.values), "offset": getattr(distance.transform, "offset", None)}

    def _plan(self, X: Data) -> MedoidPlan:
        who = type(self).__name__
        if self.method == "fastermsc" and self.n_clusters < 2:
            raise InvalidParameter(
                f'n_clusters of {who} must be at least 2 for method="fastermsc": the silhouette compares two '
                f"medoids, got {self.n_clusters}."
            )
        init: Init = self.init
        if not isinstance(init, str):
            if self.method == "clara":
                raise InvalidParameter(f'init of {who} must be a name for method="clara", got an array.')
            init = check_first_medoids(self.init, self.n_clusters, X.shape[0], who=who)
        is_fixed = not isinstance(init, str) or init == "build"
        n_auto = RESTARTS if isinstance(init, str) and init == "random" else 1
        return MedoidPlan(
            n_clusters=self.n_clusters,
            method=self._chosen_method(X.shape[0]),
            init=init,
            n_init=1 if is_fixed else n_auto if self.n_init == "auto" else int(self.n_init),
            max_iter=self.max_iter,
            sample_size=self.sample_size,
            n_subsamples=self.n_subsamples,
            seed=check_seed(self.random_state),
        )

    def _chosen_method(self, n_rows: int) -> str:
        if self.method != "auto":
            return self.method
        return "fasterpam" if n_rows <= AUTO_MOST_ROWS or self._kind != "data" else "onebatch"


def _settled(source: Source, medoids: Indices) -> tuple[Indices, Labels, Distances]:
    """Return the medoids that have rows, the label of each row, and its distance."""
    labels, near = source.nearest(medoids, resolve_threads())
    return *without_empty(medoids, labels), near


def _told(distance: Distance, learned: Settings) -> Distance:
    """Return the distance with the values of the fit, and what follows from them."""
    if distance.function is not None:
        return distance
    return find_distance(
        distance, **{name: value for name, value in learned["values"].items() if value is not None}
    )


def _refitted(distance: Distance, learned: Settings) -> Distance:
    if distance.function is not None:
        return distance
    distance, offset = _told(distance, learned), learned["offset"]
    return distance if offset is None else distance.fit(offset[None, :])


def _medoid_silhouette(source: Source, medoids: Indices, weights: Weights | None) -> dict[str, float]:
    if len(medoids) < 2:
        return {}
    near, second = (side.astype(np.float64) for side in source.nearest_two(medoids, resolve_threads()))
    width = np.divide(second - near, second, out=np.zeros_like(near), where=second > 0)
    return {"medoid_silhouette_": float(np.average(width, weights=weights))}
