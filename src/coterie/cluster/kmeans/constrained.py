"""K-means with limits for the sizes of groups, and with rows that go together or stay apart."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from coterie import _core
from coterie._support import scikit_learn
from coterie._support.declarations import KW_ONLY, estimator, fitted, parameter
from coterie._support.progress import ProgressOption, Tracker, track
from coterie._support.rounding import is_lower
from coterie._support.threads import resolve_threads
from coterie._support.typing import (
    Centers,
    CheckedRows,
    Data,
    FittedAttributes,
    FloatArray,
    Indices,
    Init,
    Labels,
    MatrixLike,
    RandomState,
    Weights,
)
from coterie._support.validation import (
    AnArray,
    Nothing,
    Whole,
    check_n_clusters,
    check_seed,
    require_memory,
)
from coterie._support.validation.schema import FLAG
from coterie.cluster.base import Listener, about_one
from coterie.cluster.kmeans.centers import CenterClusterer
from coterie.cluster.kmeans.constrained_assignment import Assigner, Assignment, Costs
from coterie.cluster.kmeans.constraints import SizeLimits, Units, check_size_limits, join_rows, pairs_among
from coterie.cluster.kmeans.points import ONE_THREAD_WORK, DensePoints, Stopping, inertia_of
from coterie.cluster.kmeans.starts import (
    check_init,
    count_starts,
    make_start,
    seed_of_restart,
)

RESTARTS = 10  # of starts that are merely random
MOST_EXCHANGES = 20  # times that rows are moved after iterations have ended
MOST_EXCHANGED = 4_000_000  # costs, rows times groups, up to which they are
LEAST_GAIN = 1e-9  # of the sum: less is rounding
TIE_BITS = 40  # of a cost that count; its last bits depend on the processor
BYTES_PER_COST = 24  # the costs, a copy of them, the heaps of moves


@estimator
class ConstrainedKMeans(CenterClusterer):
    """K-means with limits for the group sizes, must-link and cannot-link constraints.

    As k-means it lowers

        J = sum over rows i of  w_i |x_i - c(i)|^2

    by turns, but c(i) is no longer the nearest centre: of all assignments within the constraints the one of
    least J is taken. For sizes alone this is a transportation problem and solved exactly. Rows that must be
    together move as one. With pairs that must be apart, or with joined rows and limits of size, the best
    assignment cannot be found in reasonable time: a search finds one that keeps every constraint and
    improves it by moves and swaps. Neither step raises J.

    Parameters
    ----------
    size_min : int, array-like of shape (n_clusters,) or None, default=1
        The fewest rows of a group, one number for all or one for each. None is 0. Sizes count rows, whatever
        they weigh.
    size_max : int, array-like of shape (n_clusters,) or None, default=None
        The most rows of a group. None sets no limit. Where limits differ between groups, the larger ones go
        to the larger groups of the start, unless `init` gives the centres.
    must_link, cannot_link : array-like of shape (n_pairs, 2) or None, default=None
        Pairs of row numbers that must, or must not, be in one group.
    init : {"k-means++", "random", "random partition"}, array or callable, default="k-means++"
        First centres, as in `KMeans`.
    n_init : "auto" or int, default="auto"
        How many starts; the run of least J is kept. "auto" is 1 for "k-means++" and for an array, else 10.
    tol : float, default=1e-4
        Stop when the squared shift of all centres together is at most this share of the mean variance of the
        columns. A run always stops when no label changes.

    Attributes
    ----------
    cluster_centers_ : array of shape (n_clusters, n_features)
        The centres.
    labels_ : array of int32 of shape (n_samples,)
        The group of each row: all constraints hold.
    inertia_ : float
        The value of J.
    n_iter_ : int
        Iterations of the best run.
    exact_ : bool
        Whether no other assignment to these centres keeps the constraints at a lower J; False where that was
        searched for, not proved.

    Examples
    --------
    >>> from coterie.cluster import ConstrainedKMeans
    >>> X = [[0], [1], [2], [3], [4], [20]]
    >>> model = ConstrainedKMeans(2, size_min=3, init=[[2], [20]]).fit(X)
    >>> model.labels_
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    >>> ConstrainedKMeans(2, cannot_link=[(0, 1)], init=[[2], [20]]).fit_predict(X)
    array([0, 1, 0, 0, 0, 1], dtype=int32)
    >>> model.predict([[5], [6], [7]])
    array([0, 1, 1], dtype=int32)
    """

    _takes_sparse = False
    _has_dense_centers = False

    n_clusters: int = 8
    _: KW_ONLY
    size_min: npt.ArrayLike = parameter(Nothing() | Whole(0) | AnArray(), default=1)
    size_max: npt.ArrayLike | None = parameter(Nothing() | Whole(1) | AnArray(), default=None)
    must_link: npt.ArrayLike | None = parameter(Nothing() | AnArray(), default=None)
    cannot_link: npt.ArrayLike | None = parameter(Nothing() | AnArray(), default=None)
    init: Init = "k-means++"
    n_init: int | str = "auto"
    max_iter: int = 300
    tol: float = 1e-4
    random_state: RandomState = None
    progress: ProgressOption = None

    exact_: bool = fitted(FLAG)

    def predict(self, X: MatrixLike, *, respect_sizes: bool = False) -> Labels:
        """Return the group of each row.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
            Rows.
        respect_sizes : bool, default=False
            False: the nearest centre. True: of all assignments of these rows within `size_min` and `size_max`
            the one of least squared distances to the centres. Pairs are of the rows of `fit` and not used.
        """
        data = self._check_new(X)
        if not respect_sizes:
            return self._place(data)
        k = len(self.cluster_centers_)
        limits = check_size_limits(self.size_min, self.size_max, k, len(data), who=type(self).__name__)
        rows = np.ascontiguousarray(data, dtype=np.float64)
        costs = _costs(rows, self._centers_for(data), None, resolve_threads())[0]
        labels: Labels = _core.assign_within_sizes(costs, limits.least, limits.most, np.zeros(k))[0]
        return labels

    def restricted_to(self, rows: Indices, n_rows: int) -> Self:
        """Return an unfitted copy for some of the rows of a data set, a bootstrap resample for example.

        Parameters
        ----------
        rows : array of int
            Which rows, each once.
        n_rows : int
            How many there are in all; the pairs number these.

        Returns
        -------
        ConstrainedKMeans
            With limits of size in proportion, rounded away from each other, and the pairs among these rows.
        """
        rows, share = np.asarray(rows), len(rows) / n_rows
        must, cannot = pairs_among(self.must_link, self.cannot_link, rows, n_rows, who=type(self).__name__)
        copy: Self = scikit_learn.clone(self)
        if self.size_min is not None:
            least = np.asarray(self.size_min)
            copy.size_min = np.minimum(least, np.maximum(1, np.floor(least * share))).astype(np.int64)
        if self.size_max is not None:
            copy.size_max = np.ceil(np.asarray(self.size_max) * share).astype(np.int64)
        for name in ("size_min", "size_max"):
            value = getattr(copy, name)
            if np.ndim(value) == 0 and value is not None:
                setattr(copy, name, int(value))
        copy.must_link = must if len(must) else None
        copy.cannot_link = cannot if len(cannot) else None
        return copy

    def _compute(
        self, X: CheckedRows, weights: Weights | None, listener: Listener | None
    ) -> FittedAttributes:
        who, n_rows = type(self).__name__, X.shape[0]
        check_n_clusters(self.n_clusters, n_rows, who=who)
        k = int(self.n_clusters)
        limits = check_size_limits(self.size_min, self.size_max, k, n_rows, who=who)
        require_memory(
            BYTES_PER_COST * n_rows * k,
            f"{who} of {n_rows:,} rows and {k:,} groups",
            "Use fewer groups, or fit a sample of the rows and let predict place the others.",
        )
        scaled = None if weights is None else about_one(weights)[0]
        units = join_rows(X, scaled, self.must_link, self.cannot_link, who=who)
        with track(self.progress, "constrained k-means: iteration").also(listener) as tracker:
            best = self._best_run(units, limits, tracker)
        centers = best.centers.astype(X.dtype)
        labels = best.assignment.labels[units.unit_of_row]
        return {
            "cluster_centers_": centers,
            "labels_": labels,
            "inertia_": inertia_of(lambda rows: X[rows], weights, centers, labels),
            "n_iter_": best.n_iter,
            "exact_": best.assignment.is_exact,
            "_n_features_out": k,
            "_origin": best.origin.astype(X.dtype),
        }

    def _best_run(self, units: Units, limits: SizeLimits, tracker: Tracker) -> ConstrainedRun:
        who = type(self).__name__
        points = DensePoints.of(units.rows, units.weights, resolve_threads())
        if units.rows.size * int(self.n_clusters) <= ONE_THREAD_WORK:
            points = replace(points, n_threads=1)
        init = check_init(self.init, int(self.n_clusters), units.rows, who=who)
        seed = check_seed(self.random_state)
        assigner = Assigner.of(units, limits, who=who)
        best: ConstrainedRun | None = None
        for restart in range(count_starts(self.n_init, init, RESTARTS, who=who)):
            start = make_start(
                points, init, int(self.n_clusters), seed_of_restart(seed, restart), who=who
            ).centers
            # of fewer different rows than groups some are starts twice
            centers = start[np.arange(int(self.n_clusters)) % len(start)]
            if isinstance(init, str):
                centers = _ordered_by_limits(points, centers, units, limits)
            run = _run(points, centers, assigner, Stopping(self.max_iter, self.tol), tracker)
            if best is None or is_lower(run.value, best.value):
                best = run
        assert best is not None  # n_init is at least 1
        return best


@dataclass(frozen=True, eq=False)
class ConstrainedRun:
    """Where iterations from one start ended."""

    centers: Centers
    assignment: Assignment
    power: int  # of two, by which its costs were divided
    n_iter: int
    origin: FloatArray

    @property
    def value(self) -> float:
        """J, infinite where it is beyond all numbers."""
        return float(np.ldexp(self.assignment.cost, self.power))

    def costs_less_than(self, other: ConstrainedRun) -> bool:
        """Return whether J is less, also where it is beyond all numbers."""
        return bool(self.assignment.cost < np.ldexp(other.assignment.cost, other.power - self.power))


def _costs(rows: Data, centers: Centers, weights: Weights | None, n_threads: int) -> tuple[Costs, int]:
    """Return weighted squared distances below 1, and the power of two that they were divided by.

    Sums of them, which prices are, do not overflow; those that are equal but for rounding are equal.
    """
    others: Any = np.ascontiguousarray(centers, dtype=np.float64)
    given: Any = np.ascontiguousarray(rows, dtype=np.float64)
    masses: Any = None if weights is None else np.ascontiguousarray(weights, dtype=np.float64)
    return _core.settled_costs(given, others, masses, TIE_BITS, n_threads)


def _ordered_by_limits(points: DensePoints, centers: Centers, units: Units, limits: SizeLimits) -> Centers:
    """Return the centres in the order in which the largest natural groups have the largest limits."""
    width = limits.least + limits.most
    if (width == width[0]).all():
        return centers
    sizes = np.bincount(points.label(centers), units.counts, minlength=len(centers))
    ordered = np.empty_like(centers)
    ordered[np.argsort(-width, kind="stable")] = centers[np.argsort(-sizes, kind="stable")]
    return ordered


def _run(
    points: DensePoints, centers: Centers, assigner: Assigner, stopping: Stopping, tracker: Tracker
) -> ConstrainedRun:
    """Assign and average by turns until nothing changes, and go on where moving rows lowers the sum."""
    best = _descend(points, centers, assigner, stopping, tracker, 0)
    is_small = len(points.X) * len(centers) <= MOST_EXCHANGED
    for _ in range(MOST_EXCHANGES if is_small else 0):
        centers_after = _exchanged(points, best, assigner)
        if centers_after is None or best.n_iter >= stopping.max_iter:
            break
        run = _descend(points, centers_after, assigner, stopping, tracker, best.n_iter)
        if not run.value < (1 - LEAST_GAIN) * best.value:
            break
        best = run
    return best


def _exchanged(points: DensePoints, run: ConstrainedRun, assigner: Assigner) -> Centers | None:
    """Return the means after rows moved to where the sum falls, means following them; None: it does not."""
    labels, k = run.assignment.labels, len(run.centers)
    limits, n_rows = assigner.limits, int(assigner.counts.sum())
    if not ((limits.least > 1) | (limits.most < n_rows)).any():
        return None  # sizes are free: this is k-means
    masses = _masses(points, labels, k)
    costs, power = _exchange_costs(points, run, masses)
    # tied units look for room anew, which may lead elsewhere than where they are
    known = run.assignment._replace(prices=np.ldexp(run.assignment.prices, -power))
    moved = assigner.assign(costs, None if len(assigner.tied) else known).labels
    if np.array_equal(moved, labels):
        return None
    before, after = (_means(points, one, run.centers) for one in (labels, moved))
    is_lower = _spread(points, after, _masses(points, moved, k)) > _spread(points, before, masses)
    return after if is_lower else None


def _exchange_costs(points: DensePoints, run: ConstrainedRun, masses: FloatArray) -> tuple[Costs, int]:
    """Return what the sum of squares gains where a row joins a group, and the power of two it is divided by.

    A row of weight w that leaves a group of weight W takes W / (W - w) of its squared distance along, and
    adds W / (W + w) of that to the group it joins [hartigan-1975]. Groups that iterations leave alone can
    still be improved in this way.
    """
    labels = run.assignment.labels
    weights = np.ones(1) if points.weights is None else points.weights
    costs, _ = _costs(points.X, run.centers, points.weights, points.n_threads)
    rows, left = np.arange(len(labels)), masses[labels] - weights
    own = costs[rows, labels] * np.where(left > 0, masses[labels] / np.where(left > 0, left, 1.0), 1.0)
    joined = masses + weights[:, None]
    costs *= masses / np.where(joined > 0, joined, 1.0)  # weight 0 joins weight 0 at no cost
    costs[rows, labels] = own
    power = max(0, int(np.frexp(costs.max())[1]))
    costs *= 2.0**-power
    return costs, power


def _masses(points: DensePoints, labels: Labels, k: int) -> FloatArray:
    return np.bincount(labels, points.weights, minlength=k).astype(np.float64)


def _spread(points: DensePoints, means: Centers, masses: FloatArray) -> float:
    """Return the sum of squares between groups: what it gains, the sum of squares within them loses."""
    return float(np.square(means - points.columns.mean).sum(axis=1) @ masses)


def _descend(
    points: DensePoints,
    centers: Centers,
    assigner: Assigner,
    stopping: Stopping,
    tracker: Tracker,
    n_iter: int,
) -> ConstrainedRun:
    """Assign and average by turns until nothing changes; `n_iter` are the iterations before.

    The sum falls until then, but for rounding: the mean of copied rows with weights is not those rows to the
    last bit, and where costs are rounding alone other labels win every time. So it ends where the sum does
    not fall.
    """
    run = _assigned(points, centers, assigner, None, n_iter + 1)
    while True:
        tracker.report(run.n_iter)
        means = _means(points, run.assignment.labels, run.centers)
        shift = float(((means - run.centers) ** 2).sum())
        is_last = shift <= stopping.tol * points.mean_variance or run.n_iter >= stopping.max_iter
        after = _assigned(points, means, assigner, run, run.n_iter if is_last else run.n_iter + 1)
        if np.array_equal(after.assignment.labels, run.assignment.labels):
            return after
        if not after.costs_less_than(run):
            return replace(run, n_iter=after.n_iter)
        if is_last:
            return after
        run = after


def _assigned(
    points: DensePoints, centers: Centers, assigner: Assigner, before: ConstrainedRun | None, n_iter: int
) -> ConstrainedRun:
    costs, power = _costs(points.X, centers, points.weights, points.n_threads)
    known = None
    if before is not None:
        prices = np.ldexp(before.assignment.prices, before.power - power)
        known = before.assignment._replace(prices=prices)
    return ConstrainedRun(centers, assigner.assign(costs, known), power, n_iter, points.origin)


def _means(points: DensePoints, labels: Any, centers: Centers) -> Centers:
    """Return the mean of each group; a group without weight keeps its centre."""
    kind = _core.Barycentre.mean
    means: Centers = _core.barycentres(
        points.X, labels, len(centers), points.weights, kind, n_threads=points.n_threads
    )
    return np.where(np.isnan(means), centers, means)
