"""K-modes and k-prototypes: k-means for tables with categories, in which cells may be missing."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from coterie import _core
from coterie._support import scikit_learn
from coterie._support.caller import warn_caller
from coterie._support.declarations import KW_ONLY, estimator, fitted, parameter
from coterie._support.progress import ProgressOption, track
from coterie._support.rounding import is_lower
from coterie._support.threads import resolve_threads
from coterie._support.typing import (
    AnyArray,
    Data,
    FittedAttributes,
    FloatArray,
    Init,
    Labels,
    MatrixLike,
    RandomState,
    Settings,
    Tags,
    Weights,
)
from coterie._support.validation import (
    AnArray,
    Choice,
    Nothing,
    Number,
    Whole,
    check_n_clusters,
    check_seed,
    engine_count,
)
from coterie._support.validation.schema import COUNT, Tensor, wrong
from coterie.cluster.base import Listener, WeightedClusterer
from coterie.cluster.categorical.rows import (
    MergedRows,
    MixedRows,
    Prototypes,
    check_numbers,
    first_prototypes,
    learn_columns,
    merge_equal_rows,
    middle_of,
    refuse_empty_rows,
    row_as_prototype,
    split_columns,
    without_gaps,
)
from coterie.cluster.kmeans.empty_clusters import warn_if_fewer
from coterie.distance import TableEncoding
from coterie.errors import InvalidData

STARTS = ("cao", "huang", "random")
RESTARTS = 10  # of starts that are drawn
LEAST_GAIN = 1e-9  # of the cost: less is rounding


@dataclass(frozen=True, eq=False)
class CategoricalRun:
    """What one start ends with."""

    labels: Labels
    prototypes: Prototypes
    costs: FloatArray
    is_settled: bool


@estimator
class _PrototypeClusterer(WeightedClusterer):
    """What k-modes and k-prototypes share: everything but which columns are numbers.

    Parameters
    ----------
    init : {"cao", "huang", "random"} or array-like of shape (n_clusters, n_features), default="cao"
        Rows to start from. "cao": rows of frequent categories that differ from each other; the same each
        time. "huang": the rows most like categories drawn by their frequency. "random": random rows.
    n_init : "auto" or int, default="auto"
        How many starts; the run of the lowest cost is kept. "auto": 10 for "huang" and "random". There is
        one start for "cao" and an array.

    Attributes
    ----------
    inertia_, cost_ : float
        The cost.
    """

    n_clusters: int = parameter(Whole(1), default=8)
    _: KW_ONLY
    init: Init = parameter(Choice(*STARTS) | AnArray(), default="cao")
    n_init: int | str = parameter(Choice("auto") | Whole(1), default="auto")
    max_iter: int = parameter(Whole(1), "Most passes over all rows of one run.", default=100)
    random_state: RandomState = None
    n_jobs: int | None = parameter(Nothing() | Whole(), default=None)
    progress: ProgressOption = None

    labels_: Labels = fitted(Tensor("rows", kind="i4", low=0, below="clusters"))
    inertia_: float = fitted(Number())
    gamma_: float = fitted(Number(0.0))
    n_iter_: int = fitted(COUNT, "Passes of the best run.")
    epoch_costs_: FloatArray = fitted(Tensor(None, kind="f8"), "The cost after every pass of the best run.")
    _n_init: int = fitted(COUNT)
    _means: npt.NDArray[np.float64] = fitted(Tensor("clusters", None, kind="f8"))
    _modes: AnyArray = fitted(Tensor("clusters", None, kind="i4", low=0))

    _objective_words: ClassVar[str] = "cost"

    @classmethod
    def _check_state(cls, state: Settings, sizes: Mapping[str, int]) -> None:
        table = state.get("_table")
        if table is None:
            raise wrong("_table", cls.__name__, "be there", "None")
        n_numbers = sum(kind == "number" for kind in table.kinds)
        n_levels = [len(levels) for levels in table.levels if levels is not None]
        shapes = state["_means"].shape[1], state["_modes"].shape[1], len(table.kinds)
        if shapes != (n_numbers, len(n_levels), sizes["columns"]):
            raise wrong("_means", cls.__name__, "fit the columns of its table", "others")
        if (state["_modes"] >= np.array(n_levels, dtype=np.int64)).any():
            raise wrong("_modes", cls.__name__, "be categories of their columns", "others")

    @property
    def cluster_centroids_(self) -> AnyArray:
        """The prototype of each cluster in the values of the table: means, and most frequent categories."""
        scikit_learn.check_is_fitted(self)
        assert self._table is not None
        out = np.empty((len(self._means), len(self._table.kinds)), dtype=object)
        numbers, codes = iter(self._means.T), iter(self._modes.T)
        for at, levels in enumerate(self._table.levels):
            out[:, at] = next(numbers).tolist() if levels is None else [levels[code] for code in next(codes)]
        return out

    @property
    def cost_(self) -> float:
        """The objective, under the name that the package kmodes has for it."""
        return self.inertia_

    def predict(self, X: MatrixLike) -> Labels:
        """Return the nearest prototype of each row.

        Parameters
        ----------
        X : frame or array-like of shape (n_samples, n_features)
            New rows. A category that the fit has not seen differs from all others, with a notice. A row
            without any value is refused.
        """
        rows = self._split(self._check_new(X))
        refuse_empty_rows(rows, type(self).__name__)
        labels, _ = rows.labels(
            Prototypes(self._means, self._modes), self.gamma_, resolve_threads(self.n_jobs)
        )
        return labels

    def _with_table(self, model: Self, X: MatrixLike) -> Self:
        other = copy.copy(model)
        other.__dict__["_table"] = model._learn_table(X)
        return other

    def _learn_table(self, X: MatrixLike) -> TableEncoding:
        raise NotImplementedError

    def _gamma(self, merged: MergedRows) -> float:
        """Return what a category that differs costs."""
        raise NotImplementedError

    def _split(self, coded: Data) -> MixedRows:
        assert self._table is not None
        return split_columns(coded, self._table)

    def _compute(self, X: Any, weights: Weights | None, listener: Listener | None) -> FittedAttributes:
        who, k = type(self).__name__, self.n_clusters
        check_n_clusters(k, len(X), who=who)
        rows = self._split(X)
        refuse_empty_rows(rows, who)
        check_numbers(rows.numbers)
        merged = merge_equal_rows(rows, weights)
        gamma = self._gamma(merged)
        best = self._best_run(merged, gamma, listener)
        prototypes = _without_empty(best)
        warn_if_fewer(len(prototypes), k)
        labels, _ = rows.labels(prototypes, gamma, resolve_threads(self.n_jobs))
        if not best.is_settled:
            warn_caller(
                f"{who} has not converged after {self.max_iter} passes: raise max_iter.",
                scikit_learn.ConvergenceWarning,
            )
        return {
            "labels_": labels,
            "inertia_": float(best.costs[-1]),
            "gamma_": gamma,
            "n_iter_": len(best.costs) - 1,
            "epoch_costs_": best.costs,
            "_n_init": self._count_starts(),
            "_means": prototypes.means,
            "_modes": prototypes.modes,
        }

    def _count_starts(self) -> int:
        if not isinstance(self.init, str) or self.init == "cao":
            return 1  # the same each time
        return RESTARTS if self.n_init == "auto" else int(self.n_init)

    def _best_run(self, merged: MergedRows, gamma: float, listener: Listener | None) -> CategoricalRun:
        threads, seed = resolve_threads(self.n_jobs), check_seed(self.random_state)
        n_starts = self._count_starts()
        best: CategoricalRun | None = None
        with track(self.progress, f"{type(self).__name__}: start", total=n_starts).also(listener) as tracker:
            for number in range(n_starts):
                start = self._start(merged, gamma, [seed, number], threads)
                run = _run(merged, start, gamma, engine_count(self.max_iter), threads)
                best = run if best is None or is_lower(run.costs[-1], best.costs[-1]) else best
                tracker.report(number + 1)
        assert best is not None
        return _swap(best, merged, gamma, engine_count(self.max_iter), threads)

    def _start(self, merged: MergedRows, gamma: float, seed: Sequence[int], threads: int) -> Prototypes:
        if isinstance(self.init, str):
            return first_prototypes(self.init, merged, self.n_clusters, gamma, seed, threads)
        who, shape = type(self).__name__, np.shape(self.init)
        assert self._table is not None
        if shape != (self.n_clusters, len(self._table.kinds)):
            raise InvalidData(
                f"init of {who} must have a row per cluster and the columns of X, shape "
                f"{(self.n_clusters, len(self._table.kinds))}, got {shape}."
            )
        given = self._split(self._table.encode(self.init, who=who, name="init"))
        return without_gaps(given, middle_of(merged))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.string = tags.input_tags.categorical = True
        return tags


@estimator
class KModes(_PrototypeClusterer):
    """K-modes: k-means for categories, around the most frequent category of every column.

    K-modes lowers the number of cells that differ from the mode of their cluster,

        cost = sum over rows i of  w_i sum over columns j of  [x_ij != mode_j of the cluster of i],

    first for all rows at once, then row by row, each where the cost falls most. Of the best start, the mode
    that is missed least is then put where a row costs most, as long as the cost falls. A missing cell counts
    for nothing.

    Attributes
    ----------
    cluster_centroids_ : array of object of shape (n_clusters, n_features)
        The modes, in the values of the table.
    labels_ : array of int32 of shape (n_samples,)
        The nearest mode of each row.

    Examples
    --------
    >>> from coterie.cluster import KModes
    >>> X = [["red", "S", "new"], ["red", "S", "old"], ["blue", "L", "old"], ["blue", "L", "old"]]
    >>> model = KModes(n_clusters=2).fit(X)
    >>> model.cluster_centroids_.tolist()
    [['blue', 'L', 'old'], ['red', 'S', 'new']]
    >>> model.labels_, model.cost_
    (array([1, 1, 0, 0], dtype=int32), 1.0)
    """

    def _learn_table(self, X: MatrixLike) -> TableEncoding:
        return TableEncoding.learn(X, kinds="category", who=type(self).__name__)

    def _gamma(self, merged: MergedRows) -> float:
        return 1.0


@estimator
class KPrototypes(_PrototypeClusterer):
    """K-prototypes: k-means for numbers and categories, around means and most frequent categories.

    K-prototypes lowers

        cost = sum over rows of  w (sum over numbers (x - mean)^2 + gamma sum over categories [x != mode]),

    first for all rows at once, then row by row, each where the cost falls most. Of the best start, the
    prototype that is missed least is then put where a row costs most, as long as the cost falls. A missing
    cell counts for nothing. Numbers are taken as they are: scale columns of different units first.

    Parameters
    ----------
    categorical : sequence of column names or numbers, or None, default=None
        Columns that are categories although they hold numbers. Text, yes/no and categories of a frame
        always are.
    gamma : "auto" or float, default="auto"
        What a category that differs costs. "auto": half of the mean standard deviation of the numbers, as
        Huang advises.

    Attributes
    ----------
    cluster_centroids_ : array of object of shape (n_clusters, n_features)
        Means and modes, in the values of the table.
    labels_ : array of int32 of shape (n_samples,)
        The nearest prototype of each row.
    gamma_ : float
        The gamma that was used.

    Examples
    --------
    >>> from coterie.cluster import KPrototypes
    >>> X = [[1.0, "free"], [2.0, "free"], [1.5, None], [8.0, "pro"], [9.0, "pro"]]
    >>> model = KPrototypes(n_clusters=2).fit(X)
    >>> model.labels_
    array([0, 0, 0, 1, 1], dtype=int32)
    >>> model.cluster_centroids_.tolist()
    [[1.5, 'free'], [8.5, 'pro']]
    >>> model.predict([[7.0, "pro"]])
    array([1], dtype=int32)
    """

    _: KW_ONLY
    categorical: Sequence[str | int] | None = parameter(Nothing() | AnArray(), default=None)
    gamma: float | str = parameter(Choice("auto") | Number(0.0), default="auto")

    def _learn_table(self, X: MatrixLike) -> TableEncoding:
        return learn_columns(X, self.categorical, who=type(self).__name__)

    def _gamma(self, merged: MergedRows) -> float:
        if self.gamma != "auto":
            return float(self.gamma)
        deviations = []
        for column in merged.rows.numbers.T:
            is_there = ~np.isnan(column)
            values, mass = column[is_there], merged.weights[is_there]
            mean = np.average(values, weights=mass) if len(values) else 0.0
            deviations.append(np.sqrt(np.average((values - mean) ** 2, weights=mass)) if len(values) else 0.0)
        spread = float(np.mean(deviations)) if deviations else 0.0
        return 0.5 * spread if spread > 0 else 1.0  # constant numbers tell nothing: categories decide


def _run(merged: MergedRows, start: Prototypes, gamma: float, max_iter: int, threads: int) -> CategoricalRun:
    rows, weights = merged.rows, merged.weights
    labels, means, modes, costs, is_settled = _core.fit_prototypes(
        rows.numbers, rows.codes, rows.n_levels, weights, start.means, start.modes, gamma, max_iter, threads
    )
    return CategoricalRun(labels, Prototypes(means, modes), costs, is_settled)


def _swap(
    best: CategoricalRun, merged: MergedRows, gamma: float, max_iter: int, threads: int
) -> CategoricalRun:
    """Put the prototype that is missed least where a row costs most, as long as the cost falls after it.

    Two prototypes in one group, and one for two groups, are an optimum of moves of rows alone.
    """
    rows = merged.rows
    for _ in range(len(best.prototypes)):
        found, k = best.prototypes, len(best.prototypes)
        if not 1 < k < rows.n:
            break
        cost = rows.labels(found, gamma, threads)[1]
        losses = [
            float((rows.labels(found.without(at), gamma, threads)[1] - cost) @ merged.weights)
            for at in range(k)
        ]
        new = row_as_prototype(merged, int(np.argmax(cost)))
        start = found.without(int(np.argmin(losses))).and_also(new)
        run = _run(merged, start, gamma, max_iter, threads)
        if not run.costs[-1] < (1 - LEAST_GAIN) * best.costs[-1]:
            break
        best = run
    return best


def _without_empty(run: CategoricalRun) -> Prototypes:
    """Return the prototypes of clusters that have rows."""
    is_used = np.bincount(run.labels, minlength=len(run.prototypes)) > 0
    if is_used.all():
        return run.prototypes
    return Prototypes(
        np.ascontiguousarray(run.prototypes.means[is_used]),
        np.ascontiguousarray(run.prototypes.modes[is_used]),
    )
