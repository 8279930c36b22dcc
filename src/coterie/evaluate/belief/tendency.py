"""Clustering tendency: departure from uniformity in the bounding box."""

from __future__ import annotations

import numpy as np
from scipy.special import expit, logsumexp

from coterie._support.declarations import held, saved
from coterie._support.facts import facts_of
from coterie._support.typing import CheckedRows, FloatArray, JsonObject, MatrixLike, RandomState
from coterie._support.validation import Nothing, Seed, Whole, check_data, check_parameter, check_seed
from coterie._support.validation.schema import COUNT, Real
from coterie.distance import k_nearest, nearest
from coterie.errors import InvalidParameter
from coterie.evaluate.belief.refitting import own_stream

_WHO = "hopkins"
SHARE_OF_ROWS = 10  # one row in ten is probed: more would no longer be independent of each other
MOST_PROBES = 1_000
NULL_PROBES = 4_000  # of uniform rows: how much u^d and w^d vary there


@saved()
class Hopkins:
    """The Hopkins statistic.

    Parameters
    ----------
    value : float
        In [0, 1]: 0.5 for rows uniform in their box, towards 1 for clusters, towards 0 for a grid.
    p_value : float
        Probability of a value at least as large for rows uniform in the box.

    Examples
    --------
    >>> Hopkins(0.5, 0.5, 10)
    Hopkins statistic 0.50 (p = 0.5): as uniform rows, 10 probes
    """

    value: float = held(Real(nan=True))
    p_value: float = held(Real(nan=True))
    n_probes: int = held(COUNT, "The number m of rows and of random points that were probed.")

    @property
    def verdict(self) -> str:
        """What the value says, in words."""
        if self.p_value <= 0.05:
            return "more clustered than uniform rows"
        return "as uniform rows" if self.p_value <= 0.95 else "more even than uniform rows"

    def to_dict(self) -> JsonObject:
        """Return what was found as plain numbers and words."""
        return facts_of(self, "value", "p_value", "n_probes", "verdict")

    def __repr__(self) -> str:
        return (
            f"Hopkins statistic {self.value:.2f} (p = {self.p_value:.3g}): {self.verdict}, "
            f"{self.n_probes:,} probes"
        )


def hopkins(X: MatrixLike, *, n_probes: int | None = None, random_state: RandomState = None) -> Hopkins:
    """Return the Hopkins statistic: whether the rows are clustered, or uniform in their bounding box.

    With the distances w of m random rows to their nearest other row, and the distances u of m random points
    to their nearest row, in d columns,

        H = sum of u^d / (sum of u^d + sum of w^d).

    If u^d and w^d were exponential, H would follow Beta(m, m). They are not near the faces of the box, and in
    many columns most rows are near a face: so their mean and their squared coefficient of variation v are
    measured on uniform rows in the same box, and Beta(m / v, m / v) gives the p-value.

    Columns are taken as they are; scale them first. A single cloud that does not fill its box, such as one
    Gaussian, also gives values above 0.5: the statistic speaks of tendency, not of the number of clusters.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        At least two rows; constant columns are left out.
    n_probes : int, default=None
        The number m; None: a tenth of the rows, at least one and at most 1,000.
    random_state : int, RandomState, Generator or None, default=None
        Same number, same answer.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> clustered = np.concatenate([rng.normal(0, 1, (200, 2)), rng.normal(20, 1, (200, 2))])
    >>> hopkins(clustered, random_state=0).value > 0.9
    True
    >>> hopkins(rng.random((400, 2)), random_state=0).p_value > 0.05
    True
    """
    check_parameter(n_probes, Nothing() | Whole(1), name="n_probes", who=_WHO)
    check_parameter(random_state, Seed(), name="random_state", who=_WHO)
    rows = check_data(X, who=_WHO, min_rows=2)
    n = rows.shape[0]
    m = min(MOST_PROBES, max(1, n // SHARE_OF_ROWS)) if n_probes is None else n_probes
    if m > n:
        raise InvalidParameter(f"n_probes of {_WHO} must be at most the {n} rows of X, got {m}.")
    low, high = rows.min(axis=0), rows.max(axis=0)
    varies = high > low
    if not varies.any():
        return Hopkins(1.0, 0.0 if m > 1 else 0.5, m)  # all rows are one point
    sides = (high - low)[varies]
    power = np.frexp(sides.max())[1]  # of about 1, the box has distances whose squares are numbers
    rows = np.ascontiguousarray(np.ldexp(rows[:, varies], -power))
    rng = own_stream(check_seed(random_state))
    odds = _log_odds(*_probe(rows, m, rng))
    return Hopkins(float(expit(odds)), _upper_tail(odds, m, n, np.ldexp(sides, -power), rng), m)


def _probe(rows: CheckedRows, m: int, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    """Return the logarithms of u^d of m random points of the rows' box, and of w^d of m random rows."""
    low, high = rows.min(axis=0), rows.max(axis=0)
    points = low + (high - low) * rng.random((m, rows.shape[1]))
    from_points = nearest(points.astype(rows.dtype), rows).distance
    chosen = rng.choice(len(rows), m, replace=False)
    from_rows = k_nearest(rows[chosen], rows, n_neighbors=2).distance[:, 1]
    with np.errstate(divide="ignore"):
        u, w = (np.log(np.asarray(each, dtype=np.float64)) for each in (from_points, from_rows))
    return rows.shape[1] * u, rows.shape[1] * w


def _log_odds(u: FloatArray, w: FloatArray) -> float:
    """Return log(H / (1 - H)), from logarithms."""
    of_points, of_rows = logsumexp(u), logsumexp(w)
    return 0.0 if np.isneginf(of_points) and np.isneginf(of_rows) else float(of_points - of_rows)


def _upper_tail(odds: float, m: int, n: int, sides: FloatArray, rng: np.random.Generator) -> float:
    """Return the probability of such odds for n uniform rows in a box."""
    from scipy.stats import beta  # here: it takes longer to import than all of ours

    drawn = [
        _probe(sides * rng.random((n, len(sides))), min(n, NULL_PROBES), rng)
        for _ in range(-(-NULL_PROBES // n))
    ]
    u, w = (np.concatenate(each) for each in zip(*drawn, strict=True))
    shape = m / _squared_variation(w)
    return float(beta.sf(expit(odds - _log_odds(u, w)), shape, shape))


def _squared_variation(logs: FloatArray) -> float:
    """Return the variance over the squared mean of numbers known by their logarithms."""
    return float(np.exp(logsumexp(2 * logs) - 2 * logsumexp(logs) + np.log(len(logs))) - 1)
