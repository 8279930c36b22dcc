"""Mixtures on the sphere: groups of directions, each as concentrated as its rows are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.sparse import csr_array, issparse

from coterie._core import Mixture, mixture_labels, mixture_shares, mixture_sums
from coterie._support import scikit_learn
from coterie._support.declarations import KW_ONLY, estimator, fitted, parameter
from coterie._support.progress import ProgressOption, Tracker, track
from coterie._support.rounding import is_lower
from coterie._support.threads import resolve_threads
from coterie._support.typing import (
    CheckedRows,
    Data,
    Doubles,
    FittedAttributes,
    FloatArray,
    Indices,
    Labels,
    MatrixLike,
    RandomState,
    Settings,
    SparseData,
    Weights,
)
from coterie._support.validation import (
    Choice,
    Number,
    Whole,
    check_n_clusters,
    check_seed,
    shift_seed,
)
from coterie._support.validation.schema import COUNT, FLAG, Tensor, wrong
from coterie.cluster.base import Listener, about_one
from coterie.cluster.kmeans.functions import kmeans_plusplus
from coterie.cluster.kmeans.kmeans import KMeans
from coterie.cluster.mixture.concentration import concentration, log_density_at_peak
from coterie.cluster.mixture.criteria import LikelihoodClusterer, shares_of
from coterie.cluster.mixture.parameters import LEAST_WEIGHT
from coterie.distance import find_distance
from coterie.distance.approximate import sparse_unit_rows
from coterie.errors import InvalidData

CELLS_AT_ONCE = 1 << 22  # of rows in float64
NOT_UNIT = 1e-6  # by which the length of a direction in a file may differ from 1
MOST_CONCENTRATED = 1e15  # of a saved model; fits end at half a million per column
NOT_WHOLE = 1e-6  # by which the sum of the weights in a file may differ from 1


@dataclass(frozen=True, eq=False)
class Sphere:
    """The parameters of all components."""

    # weights, concentrations: (n_components,): share of all rows, and how closely the rows lie about the
    # direction
    weights: Doubles
    directions: Doubles  # (n_components, n_columns): unit vectors
    concentrations: Doubles

    @property
    def log_peaks(self) -> Doubles:
        """Logarithm of weight times density, at the direction itself."""
        peaks = log_density_at_peak(self.directions.shape[1], self.concentrations)
        return np.asarray(np.log(self.weights + LEAST_WEIGHT) + peaks)

    def native(self) -> Mixture:
        """Return round Gaussians that are equal to the densities on the sphere: 2 (1 - m.x) is |x - m|^2."""
        d = self.directions.shape[1]
        factors = np.repeat(np.sqrt(self.concentrations), d)
        return Mixture("diag", np.zeros(d), self.log_peaks, np.ascontiguousarray(self.directions), factors)

    def log_joint(self, rows: SparseData) -> Doubles:
        """Return the logarithm of weight times density of sparse unit rows in every component."""
        products = rows @ np.ascontiguousarray(self.directions.T)
        return np.asarray(self.log_peaks - self.concentrations * (1 - products))


@dataclass(frozen=True, eq=False)
class UnitRows:
    """Directions of the rows, dense or sparse, with their weights."""

    rows: CheckedRows
    weights: Weights | None

    @classmethod
    def of(cls, X: Data | SparseData, weights: Weights | None, *, who: str) -> UnitRows:
        """Divide checked rows by their lengths; a row of zeros is refused by its number."""
        cosine = find_distance("cosine")
        lengths = abs(X).max(axis=1).toarray().ravel() if issparse(X) else X.any(axis=1)
        if not lengths.all():
            raise InvalidData(
                f"row {int(np.argmin(lengths))} of X of {who} has length zero and thus no direction. Leave "
                f"such rows out."
            )
        if issparse(X):
            return cls(sparse_unit_rows(X, cosine, who=who), weights)
        return cls(cosine.prepare(X), weights)

    @property
    def total_weight(self) -> float:
        """Weight of all rows."""
        return float(self.rows.shape[0]) if self.weights is None else float(self.weights.sum())

    def blocks(self) -> Iterator[tuple[slice, CheckedRows, Weights | None]]:
        """Give the rows piece by piece, in float64; pieces depend on the number of columns only."""
        n_rows, n_columns = self.rows.shape
        step = max(256, CELLS_AT_ONCE // n_columns)
        for start in range(0, n_rows, step):
            part = slice(start, min(start + step, n_rows))
            rows = self.rows[part]
            if not issparse(rows) and rows.dtype != np.float64:
                rows = rows.astype(np.float64)
                rows /= np.sqrt(np.square(rows).sum(axis=1))[:, None]
            yield part, rows, None if self.weights is None else self.weights[part]

    def sums_of_labels(self, labels: Labels, k: int) -> tuple[Doubles, Doubles]:
        """Return the weight and the sum of the rows of each group."""
        n = self.rows.shape[0]
        weights = np.ones(n) if self.weights is None else self.weights
        sums = np.zeros((k, self.rows.shape[1]))
        sizes: Doubles = np.bincount(labels, weights, minlength=k).astype(np.float64)
        for part, rows, _ in self.blocks():
            entries = (weights[part], (labels[part], np.arange(rows.shape[0])))
            found = csr_array(entries, shape=(k, rows.shape[0])) @ rows
            sums += found.toarray() if issparse(found) else found
        return sizes, sums

    def expectation(self, sphere: Sphere) -> tuple[float, Doubles, Doubles]:
        """Return the log-likelihood of all rows, and weight and sum of the rows by their shares."""
        k, d = sphere.directions.shape
        total, sizes, sums = 0.0, np.zeros(k), np.zeros((k, d))
        native = None if issparse(self.rows) else sphere.native()
        for _, rows, weights in self.blocks():
            if native is not None:
                part, size, moves, _, _ = mixture_sums(rows, native, weights, resolve_threads())
                found = moves + size[:, None] * sphere.directions
            else:
                shares, logs = shares_of(sphere.log_joint(rows))
                if weights is not None:
                    shares, logs = shares * weights[:, None], logs * weights
                part, size, found = float(logs.sum()), shares.sum(axis=0), (rows.T @ shares).T
            total, sizes, sums = total + float(part), sizes + size, sums + found
        return total, sizes, sums

    def label(self, sphere: Sphere) -> tuple[Labels, Doubles]:
        """Return the likeliest component and the log-likelihood of each row."""
        labels, logs = np.empty(self.rows.shape[0], dtype=np.int32), np.empty(self.rows.shape[0])
        native = None if issparse(self.rows) else sphere.native()
        for part, rows, _ in self.blocks():
            if native is not None:
                labels[part], logs[part] = mixture_labels(rows, native, resolve_threads())
            else:
                joint = sphere.log_joint(rows)
                labels[part], logs[part] = joint.argmax(axis=1), shares_of(joint)[1]
        return labels, logs

    def share(self, sphere: Sphere) -> Doubles:
        """Return the probability of each component for each row."""
        shares = np.empty((self.rows.shape[0], len(sphere.weights)))
        native = None if issparse(self.rows) else sphere.native()
        for part, rows, _ in self.blocks():
            shares[part] = (
                shares_of(sphere.log_joint(rows))[0]
                if native is None
                else mixture_shares(rows, native, resolve_threads())
            )
        return shares


def maximise(sizes: Doubles, sums: Doubles, before: Doubles, *, is_shared: bool) -> Sphere:
    """Return the likeliest parameters; where the rows of a component cancel, it keeps its direction.

    Parameters
    ----------
    sizes : array of shape (n_components,)
        Weight of the rows of each component.
    sums : array of shape (n_components, n_columns)
        Their weighted sum.
    before : array of shape (n_components, n_columns)
        Directions so far.
    is_shared : bool
        Whether all components are equally concentrated.
    """
    lengths = np.sqrt(np.square(sums).sum(axis=1))
    is_known = lengths > 0
    directions = np.where(is_known[:, None], sums / np.where(is_known, lengths, 1.0)[:, None], before)
    if is_shared:
        means = np.full(len(sizes), lengths.sum() / sizes.sum())
    else:
        means = np.divide(lengths, sizes, out=np.zeros_like(sizes), where=sizes > 0)
    return Sphere(sizes / sizes.sum(), directions, concentration(sums.shape[1], means))


@dataclass(frozen=True, eq=False)
class DirectionsRun:
    """What one start ends with."""

    sphere: Sphere
    bounds: list[float]
    converged: bool


def run_em(rows: UnitRows, start: Sphere, *, tol: float, max_iter: int, is_shared: bool) -> DirectionsRun:
    """Raise the likelihood step by step, until the mean of a row gains less than `tol`."""
    sphere, previous = start, start
    bounds: list[float] = []
    for _ in range(max_iter + 1):
        total, sizes, sums = rows.expectation(sphere)
        bound = total / rows.total_weight
        if bounds and bound < bounds[-1]:  # by rounding: a step itself never lowers it
            return DirectionsRun(previous, bounds, True)
        bounds.append(bound)
        if len(bounds) > 1 and bound - bounds[-2] < tol:
            return DirectionsRun(sphere, bounds, True)
        if len(bounds) <= max_iter:
            previous, sphere = sphere, maximise(sizes, sums, sphere.directions, is_shared=is_shared)
    return DirectionsRun(sphere, bounds, False)


def _by_kmeans(rows: UnitRows, k: int, seed: int) -> Labels:
    """Return the groups of spherical k-means (of sparse rows: of k-means of their directions)."""
    geometry = "euclidean" if issparse(rows.rows) else "cosine"
    model = KMeans(k, geometry=geometry, n_init=1, random_state=seed)
    return model.fit(rows.rows, sample_weight=rows.weights).labels_


def _by_plusplus(rows: UnitRows, k: int, seed: int) -> Labels:
    """Return the nearest of k rows that k-means++ picks."""
    picks = kmeans_plusplus(rows.rows, k, sample_weight=rows.weights, random_state=seed)[1]
    return _nearest(rows, picks)


def _by_random_rows(rows: UnitRows, k: int, seed: int) -> Labels:
    """Return the nearest of k rows drawn at random."""
    heavy = np.arange(rows.rows.shape[0]) if rows.weights is None else np.flatnonzero(rows.weights)
    rng = np.random.default_rng(seed)
    return _nearest(rows, rng.choice(heavy, size=k, replace=len(heavy) < k))


def _nearest(rows: UnitRows, picks: Indices) -> Labels:
    chosen = rows.rows[picks]
    directions = np.asarray(chosen.toarray() if issparse(chosen) else chosen, dtype=np.float64)
    k = len(picks)
    return rows.label(Sphere(np.full(k, 1 / k), directions, np.ones(k)))[0]


STARTS = {"kmeans": _by_kmeans, "k-means++": _by_plusplus, "random": _by_random_rows}


@estimator
class VonMisesFisherMixture(LikelihoodClusterer):
    """Mixture of von Mises-Fisher distributions: soft clusters of directions.

    Rows are divided by their lengths. On the sphere of unit vectors, the density of a row is

        p(x) = sum over components k of  weight_k c(kappa_k) exp(kappa_k m_k.x),

    m_k the direction of a component and kappa_k its concentration: 0 is uniform, larger is closer together.
    Expectation-maximisation raises the likelihood; no step lowers it. With one large concentration for all
    components the steps become those of spherical k-means. For embeddings, and for the words of texts.

    Parameters
    ----------
    concentration : {"each", "shared"}, default="each"
        Whether every component has its own concentration, or all have the same.
    tol : float, default=1e-6
        Stop when the mean log-likelihood of a row gains less than this.
    n_init : int, default=1
        How many starts; the run of the largest likelihood is kept.
    init_params : {"kmeans", "k-means++", "random"}, default="kmeans"
        First groups: those of spherical k-means, or the rows nearest to one row per component, which are
        picked by k-means++ or at random.

    Attributes
    ----------
    weights_ : array of shape (n_components,)
        Share of all rows in each component.
    means_ : array of shape (n_components, n_features)
        The direction of each component, a unit vector.
    concentrations_ : array of shape (n_components,)
        How closely the rows of each component lie about its direction.
    labels_ : array of int32 of shape (n_samples,)
        The likeliest component of each row.
    lower_bounds_ : array of float
        The same after every iteration of the best run; never falls.

    Examples
    --------
    >>> from coterie.cluster import VonMisesFisherMixture
    >>> X = [[1, 0.1], [2, -0.1], [3, 0.2], [-0.1, 1], [0.2, 4], [0.1, 2]]
    >>> model = VonMisesFisherMixture(2, random_state=0).fit(X)
    >>> bool((model.labels_[:3] != model.labels_[3:]).all())
    True
    >>> model.predict_proba([[1, 0]]).max() > 0.99
    np.True_
    """

    _takes_sparse: ClassVar[bool] = True

    n_components: int = parameter(Whole(1), "How many components.", default=1)
    _: KW_ONLY
    concentration: str = parameter(Choice("each", "shared"), default="each")
    tol: float = parameter(Number(0.0), default=1e-6)
    max_iter: int = parameter(Whole(1), default=300)
    n_init: int = parameter(Whole(1), default=1)
    init_params: str = parameter(Choice(*STARTS), default="kmeans")
    random_state: RandomState = None
    progress: ProgressOption = None

    labels_: Labels = fitted(Tensor("rows", kind="i4", low=0, below="components"))
    weights_: Doubles = fitted(Tensor("components", kind="f8", low=0, high=1))
    means_: Doubles = fitted(Tensor("components", "columns", kind="f8", low=-1 - NOT_UNIT, high=1 + NOT_UNIT))
    concentrations_: Doubles = fitted(Tensor("components", kind="f8", low=0, high=MOST_CONCENTRATED))
    lower_bound_: float = fitted(Number(), "Mean log-likelihood of a row, as a density on the sphere.")
    lower_bounds_: FloatArray = fitted(Tensor(None, kind="f8"))
    n_iter_: int = fitted(COUNT, "Its iterations.")
    converged_: bool = fitted(FLAG)

    row_attributes = ("labels_",)

    @classmethod
    def _check_state(cls, state: Settings, sizes: Mapping[str, int]) -> None:
        who, lengths = cls.__name__, np.sqrt(np.square(state["means_"]).sum(axis=1))
        if (np.abs(lengths - 1) > NOT_UNIT).any():
            raise wrong("means_", who, "hold unit vectors", f"a length of {float(lengths.min()):.6g}")
        if abs(float(state["weights_"].sum()) - 1) > NOT_WHOLE:
            raise wrong("weights_", who, "have the sum 1", float(state["weights_"].sum()))

    def predict(self, X: MatrixLike) -> Labels:
        """Return the likeliest component of each row; a row of zeros has no direction and is refused."""
        return self._unit_rows(X).label(self._sphere())[0]

    def predict_proba(self, X: MatrixLike) -> FloatArray:
        """Return the share of each row in each component, of shape (n_samples, n_components)."""
        return self._unit_rows(X).share(self._sphere())

    def score_samples(self, X: MatrixLike) -> FloatArray:
        """Return the logarithm of the density of each row's direction on the sphere."""
        return self._unit_rows(X).label(self._sphere())[1]

    def _unit_rows(self, X: MatrixLike) -> UnitRows:
        return UnitRows.of(self._check_new(X), None, who=type(self).__name__)

    def _sphere(self) -> Sphere:
        return Sphere(self.weights_, self.means_, self.concentrations_)

    def _n_free(self) -> int:
        k, d = self.means_.shape
        return int(k * (d - 1) + (k if self.concentration == "each" else 1) + k - 1)

    def _compute(
        self, X: Data | SparseData, weights: Weights | None, listener: Listener | None
    ) -> FittedAttributes:
        who = type(self).__name__
        check_n_clusters(self.n_components, X.shape[0], who=who, name="n_components")
        rows = UnitRows.of(X, None if weights is None else about_one(weights)[0], who=who)
        with track(self.progress, f"{who}: start", total=self.n_init).also(listener) as tracker:
            best = self._best_run(rows, tracker)
        if not best.converged:
            scikit_learn.warn_not_converged(who, self.max_iter)
        return {
            "labels_": rows.label(best.sphere)[0],
            "weights_": best.sphere.weights,
            "means_": best.sphere.directions,
            "concentrations_": best.sphere.concentrations,
            "lower_bound_": best.bounds[-1],
            "lower_bounds_": np.array(best.bounds),
            "n_iter_": len(best.bounds),
            "converged_": best.converged,
        }

    def _best_run(self, rows: UnitRows, tracker: Tracker) -> DirectionsRun:
        seed, k, best = check_seed(self.random_state), self.n_components, None
        is_shared = self.concentration == "shared"
        for number in range(self.n_init):
            labels = STARTS[self.init_params](rows, k, shift_seed(seed, number))
            sizes, sums = rows.sums_of_labels(labels, k)
            everyone = np.repeat(sums.sum(axis=0)[None, :], k, axis=0)
            start = maximise(sizes, sums, _unit(everyone), is_shared=is_shared)
            run = run_em(rows, start, tol=self.tol, max_iter=self.max_iter, is_shared=is_shared)
            best = run if best is None or is_lower(best.bounds[-1], run.bounds[-1]) else best
            tracker.report(number + 1)
        assert best is not None
        return best


def _unit(rows: Doubles) -> Doubles:
    """Return the directions of rows; of a row of zeros, the first axis."""
    lengths = np.sqrt(np.square(rows).sum(axis=1, keepdims=True))
    first = np.zeros(rows.shape[1])
    first[0] = 1.0
    return np.where(lengths > 0, rows / np.where(lengths > 0, lengths, 1.0), first)
