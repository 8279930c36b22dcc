"""Where a mixture begins: given parameters, checked, or the statistics of a first assignment of the rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from coterie._support import scikit_learn
from coterie._support.linear_algebra import FLAT, is_positive_definite, symmetric_axes
from coterie._support.typing import CheckedRows, Data, FloatArray, Indices, Labels, RandomState, Weights
from coterie._support.validation import check_seed
from coterie.cluster.kmeans.functions import kmeans_plusplus
from coterie.cluster.kmeans.kmeans import KMeans
from coterie.cluster.mixture.families import Family
from coterie.cluster.mixture.parameters import LEAST_WEIGHT, Parameters, Statistics, factors_of_precisions
from coterie.distance import k_nearest
from coterie.errors import InvalidParameter

LEGACY_SEEDS = 2**32  # what NumPy's older generator takes as a seed
NEAR = 5  # neighbours of a row that lie in its own group, as a rule
ROUNDS = 3  # of neighbours, each found in the metric of those before
MOST_ROWS = 500  # whose neighbours tell the metric
STARTS_OF_WHITENED = 10  # of k-means


def check_weights(weights: Weights | None, n_components: int) -> FloatArray:
    """Return the weights as float64, or say what is wrong with them."""
    checked = checked_numbers(weights, "weights", (n_components,))
    if (checked < 0).any() or (checked > 1).any():
        raise InvalidParameter(
            "The parameter 'weights' should be in the range [0, 1], but got max value "
            f"{checked.min():.5f}, min value {checked.max():.5f}"
        )
    tolerance = 1e-6 if np.asarray(weights).dtype == np.float32 else 1e-8
    if abs(1.0 - checked.sum()) > tolerance:
        raise InvalidParameter(
            f"The parameter 'weights' should be normalized, but got sum(weights) = {checked.sum():.5f}"
        )
    return checked


def check_means(means: npt.ArrayLike, shape: tuple[int, int]) -> FloatArray:
    """Return the means as float64, or say what is wrong with them."""
    return checked_numbers(means, "means", shape)


def check_precisions(precisions: npt.ArrayLike, family: Family, shape: tuple[int, int]) -> FloatArray:
    """Return the precisions as float64, or say what is wrong with them."""
    checked = checked_numbers(precisions, f"{family.name} precision", stored_shape(family, shape))
    if family.kernel_shape == "diag":
        if not (checked > 0).all():
            raise InvalidParameter(f"'{family.name} precision' should be positive")
        return checked
    is_symmetric = np.allclose(checked, np.swapaxes(checked, -1, -2))
    turned = checked[..., ::-1, ::-1].reshape(-1, *checked.shape[-2:])  # as they will be factored
    if not is_symmetric or not all(map(is_positive_definite, turned)):
        raise InvalidParameter(f"'{family.name} precision' should be symmetric, positive-definite")
    return checked


def check_last_fit(
    means: FloatArray, factors: FloatArray, family: Family, shape: tuple[int, int], *, who: str
) -> None:
    """Refuse to go on from parameters of other components, columns or covariances."""
    if means.shape != shape or factors.shape != stored_shape(family, shape):
        raise InvalidParameter(
            f"warm_start of {who} goes on from the last fit, of {means.shape[0]} components, "
            f"{means.shape[1]} columns and precisions of shape {factors.shape}, got n_components={shape[0]}, "
            f'{shape[1]} columns and covariance_type="{family.name}". Set warm_start=False to start again.'
        )


def stored_shape(family: Family, shape: tuple[int, int]) -> tuple[int, ...]:
    """Return the shape of covariances in the storage of the family, for (components, columns)."""
    k, d = shape
    return {"full": (k, d, d), "tied": (d, d), "diag": (k, d), "spherical": (k,)}[family.storage]


def checked_numbers(values: npt.ArrayLike | None, name: str, shape: tuple[int, ...]) -> FloatArray:
    """Return finite numbers of that shape as float64, or say what is wrong with them."""
    try:
        checked = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InvalidParameter(f"The parameter '{name}' should be numbers, got {values!r:.80}") from None
    if checked.shape != shape:
        raise InvalidParameter(
            f"The parameter '{name}' should have the shape of {shape}, but got {checked.shape}"
        )
    if not np.isfinite(checked).all():
        raise InvalidParameter(f"The parameter '{name}' should be finite, got NaN or infinity")
    return checked


@dataclass(frozen=True, eq=False)
class GivenStart:
    """What the user gave of the first parameters; None where nothing."""

    weights: FloatArray | None
    means: FloatArray | None
    precisions: FloatArray | None

    @classmethod
    def checked(
        cls, weights_init: Any, means_init: Any, precisions_init: Any, family: Family, shape: tuple[int, int]
    ) -> GivenStart:
        """Return what was given, checked: parameters as in `GaussianMixture`, for (components, columns)."""
        return cls(
            None if weights_init is None else check_weights(weights_init, shape[0]),
            None if means_init is None else check_means(means_init, shape),
            None if precisions_init is None else check_precisions(precisions_init, family, shape),
        )

    @property
    def is_complete(self) -> bool:
        """Whether no row needs to be looked at."""
        return self.weights is not None and self.means is not None and self.precisions is not None

    def complete(self, statistics: Statistics | None, family: Family, reg_covar: float) -> Parameters:
        """Fill what is missing from the statistics."""
        weights, means = self.weights, self.means
        if self.precisions is not None:
            factors = factors_of_precisions(self.precisions, family)
            inverse = 1 / self.precisions if family.kernel_shape == "diag" else np.linalg.inv(self.precisions)
        else:
            assert statistics is not None
            found = statistics.parameters(family, reg_covar)  # with the sizes that the rows have
            inverse, factors = found.covariances, found.factors
        if statistics is not None:
            weights = statistics.weights if weights is None else weights
            means = statistics.means if means is None else means
        assert weights is not None
        assert means is not None
        return Parameters(family, weights / weights.sum(), means, inverse, factors)


class Draws:
    """Random numbers of several starts; an int gives those that scikit-learn draws for it."""

    def __init__(self, random_state: RandomState) -> None:
        self._first_seed: int | None = None
        if isinstance(random_state, np.random.Generator):
            random_state = np.random.RandomState(np.random.MT19937(check_seed(random_state)))
        elif isinstance(random_state, int | np.integer):
            self._first_seed = check_seed(random_state)
            if self._first_seed >= LEGACY_SEEDS:
                random_state = np.random.RandomState(np.random.MT19937(self._first_seed))
        self.numpy = scikit_learn.check_random_state(random_state)

    def seed(self) -> int:
        """Return the seed of the next k-means: the user's own number at first."""
        seed, self._first_seed = self._first_seed, None
        return check_seed(self.numpy) if seed is None else seed


@dataclass(frozen=True, eq=False)
class StartRows:
    """The rows to fit, their weights, and how many components they are for."""

    X: Data
    weights: Weights | None
    n_components: int
    family: Family

    @property
    def heavy(self) -> Indices:
        """The rows that count."""
        return np.arange(len(self.X)) if self.weights is None else np.flatnonzero(self.weights)

    def of_labels(self, labels: Labels) -> Statistics:
        """Return the statistics of an assignment; a component without rows gets those of all rows."""
        members = [np.flatnonzero(labels == k) for k in range(self.n_components)]
        parts = [self._moments(rows, self._weights_of(rows)) for rows in members]
        return self._joined(parts)

    def of_picks(self, picks: Indices) -> Statistics:
        """Return the statistics of one row per component."""
        parts = [self._moments(np.array([row]), np.ones(1)) for row in picks]
        return self._joined(parts)

    def of_shares(self, shares: FloatArray) -> Statistics:
        """Return the statistics of a soft assignment."""
        everyone = np.arange(len(self.X))
        weights = shares if self.weights is None else shares * self.weights[:, None]
        return self._joined([self._moments(everyone, column) for column in weights.T])

    def _weights_of(self, rows: CheckedRows) -> FloatArray:
        return np.ones(len(rows)) if self.weights is None else self.weights[rows]

    def _moments(self, rows: CheckedRows, weights: FloatArray) -> tuple[float, FloatArray, FloatArray]:
        size = float(weights.sum())
        if size == 0:
            everyone = np.arange(len(self.X))
            _, mean, spread = self._moments(everyone, self._weights_of(everyone))
            return 0.0, mean, spread
        X = self.X[rows].astype(np.float64)
        mean = weights @ X / size
        X -= mean
        if self.family.kernel_shape == "diag":
            return size, mean, weights @ X**2 / size
        return size, mean, (X * weights[:, None]).T @ X / size

    def _joined(self, parts: list[tuple[float, FloatArray, FloatArray]]) -> Statistics:
        sizes, means, spreads = zip(*parts, strict=True)
        return Statistics(np.array(sizes) + LEAST_WEIGHT, np.array(means), np.array(spreads))


def _by_kmeans(rows: StartRows, draws: Draws) -> Statistics:
    model = KMeans(rows.n_components, n_init=1, random_state=draws.seed())
    return rows.of_labels(model.fit(rows.X, sample_weight=rows.weights).labels_)


def _by_whitened_kmeans(rows: StartRows, draws: Draws) -> Statistics:
    seed = draws.seed()
    some = np.random.default_rng(seed).permutation(rows.heavy)[:MOST_ROWS]
    X = whitened_rows(np.asarray(rows.X, dtype=np.float64), some)
    model = KMeans(rows.n_components, n_init=STARTS_OF_WHITENED, random_state=seed)
    return rows.of_labels(model.fit(X, sample_weight=rows.weights).labels_)


def whitened_rows(X: FloatArray, some: Indices) -> FloatArray:
    """Return rows stretched and sheared so that near rows differ by as much in every direction.

    Near rows are of one group, so that the spread of their differences is that within groups (`art-1982` of
    the references): a direction in which all groups are long is shortened. Which rows are near is asked in
    the metric found so far, at first that of all rows.

    Parameters
    ----------
    X : array of shape (n, d)
        Rows.
    some : array of int
        Those whose neighbours are asked.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = np.r_[rng.normal(0, [50, 1], (90, 2)), rng.normal(0, [50, 1], (90, 2)) + [0, 9]]
    >>> along, across = whitened_rows(X, np.arange(180)).std(axis=0)
    >>> bool(across > 2 * along)
    True
    """
    rows = X - X[some].mean(axis=0)
    differences = rows[some]
    for _ in range(1 + ROUNDS if len(some) > 1 else 0):
        squares, axes = symmetric_axes(differences.T @ differences)
        least = FLAT * squares[-1] if squares[-1] > 0 else 1.0
        rows = rows @ (axes * np.sqrt(len(differences) / np.maximum(squares, least)) @ axes.T)
        own = np.ascontiguousarray(rows[some])
        near = k_nearest(own, None, min(NEAR, len(own) - 1)).index
        differences = (own[:, None] - own[near]).reshape(-1, X.shape[1])
    return np.ascontiguousarray(rows)


def _by_random_shares(rows: StartRows, draws: Draws) -> Statistics:
    shares = draws.numpy.uniform(size=(len(rows.X), rows.n_components))
    return rows.of_shares(shares / shares.sum(axis=1, keepdims=True))


def _by_random_rows(rows: StartRows, draws: Draws) -> Statistics:
    heavy, k = rows.heavy, rows.n_components
    return rows.of_picks(draws.numpy.choice(heavy, size=k, replace=len(heavy) < k))


def _by_plusplus(rows: StartRows, draws: Draws) -> Statistics:
    seed, k = draws.seed(), rows.n_components
    return rows.of_picks(kmeans_plusplus(rows.X, k, sample_weight=rows.weights, random_state=seed)[1])


STARTS: dict[str, Callable[[StartRows, Draws], Statistics]] = {
    "kmeans": _by_kmeans,
    "whitened": _by_whitened_kmeans,
    "k-means++": _by_plusplus,
    "random": _by_random_shares,
    "random_from_data": _by_random_rows,
}
