"""Concentrations on a sphere: the constant of a von Mises-Fisher density, and which concentration fits.

In d columns, with v = d/2 - 1 and A the area of the sphere of unit vectors, the density about m is

    f(x) = exp(kappa m.x - L(kappa)) / A,   L(kappa) = log of 0F1(v + 1; kappa^2 / 4),

so that L is 0 for the uniform density, kappa = 0. L is the logarithm of the modified Bessel function I_v
without its power of kappa; `excess` is L - kappa, which stays small where kappa is large.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import lgamma, log, pi

import numpy as np
from scipy.special import ive

from coterie._support.typing import Doubles, Mask

MANY = 50.0  # orders from which Debye's expansion has all digits
FAR = 1e8  # kappa from which four terms of Hankel's expansion have all digits; SciPy's function ends at 1e9
N_TERMS = 24  # of the power series, for kappa^2 up to 4 (order + 1): the m-th is at most 1 / m!
N_POLYNOMIALS = 7  # of Debye's expansion, after the first: the next is below 1e-15 at MANY
MOST_ALIKE = 1 - 1e-6  # mean length beyond which rows count as equal: a density needs some extent
NOTHING = 1e-150  # a mean length whose square vanishes
MOST_STEPS = 60


def _debye_polynomials(count: int) -> list[Doubles]:
    """Return the coefficients, lowest power first, of Debye's polynomials u_1, u_2 ... by recurrence."""
    current, found = [Fraction(1)], []
    for _ in range(count):
        following = [Fraction(0)] * (len(current) + 3)
        for power, value in enumerate(current):
            following[power + 1] += value / (8 * (power + 1))
            following[power + 3] -= 5 * value / (8 * (power + 3))
            if power:
                following[power + 1] += power * value / 2
                following[power + 3] -= power * value / 2
        found.append(np.array([float(value) for value in following]))
        current = following
    return found


_POLYNOMIALS = _debye_polynomials(N_POLYNOMIALS)


def excess(order: float, kappa: Doubles) -> Doubles:
    """Return L(kappa) - kappa of the Bessel function of this order (at least -1/2), for kappa of 0 and more.

    Examples
    --------
    >>> excess(0.5, np.array([0.0, 1.0])).round(6)  # log(sinh(1)) - 1
    array([ 0.      , -0.838561])
    """
    return _by_part(
        kappa**2 <= 4 * (order + 1),
        kappa,
        lambda small: _by_series(order, small),
        lambda large: (_by_expansion if order >= MANY else _by_scipy)(order, large),
    )


def _by_part(
    is_first: Mask, kappa: Doubles, first: Callable[[Doubles], Doubles], second: Callable[[Doubles], Doubles]
) -> Doubles:
    """Return one function of some numbers and another of the rest; what has no numbers is not called.

    A fit calls this for two or three components, some hundred thousand times.
    """
    n_first = int(np.count_nonzero(is_first))
    if n_first in (0, len(kappa)):
        return first(kappa) if n_first else second(kappa)
    found = np.empty_like(kappa)
    found[is_first], found[~is_first] = first(kappa[is_first]), second(kappa[~is_first])
    return found


def _by_scipy(order: float, kappa: Doubles) -> Doubles:
    logs = _by_part(
        kappa < FAR, kappa, lambda near: np.log(ive(order, near)), lambda far: _log_far(order, far)
    )
    return np.asarray(logs - order * np.log(kappa / 2) + lgamma(order + 1))


def _log_far(order: float, kappa: Doubles) -> Doubles:
    """Return the logarithm of I_order(kappa) exp(-kappa) by Hankel's expansion."""
    term = series = np.ones_like(kappa)
    for m in range(1, 4):
        term = -term * (4 * order**2 - (2 * m - 1) ** 2) / (m * 8 * kappa)
        series = series + term
    return np.asarray(np.log(series) - np.log(2 * pi * kappa) / 2)


def _by_series(order: float, kappa: Doubles) -> Doubles:
    m = np.arange(1.0, N_TERMS)[:, None]
    terms = np.cumprod(kappa**2 / (4 * m * (order + m)), axis=0)
    return np.asarray(np.log1p(np.cumsum(terms, axis=0)[-1]) - kappa)


def _by_expansion(order: float, kappa: Doubles) -> Doubles:
    """Return the same by Debye's expansion, uniform in kappa; no power of kappa is left to overflow."""
    z = kappa / order
    root = np.sqrt(1 + z**2)
    series = np.ones_like(z)
    for power, polynomial in enumerate(_POLYNOMIALS, 1):
        series = series + np.polynomial.polynomial.polyval(1 / root, polynomial) / order**power
    return np.asarray(
        order / (root + z)
        - order * np.log(order * (1 + root) / 2)
        - log(2 * pi * order) / 2
        - np.log(root) / 2
        + np.log(series)
        + lgamma(order + 1)
    )


def mean_length(n_columns: int, kappa: Doubles) -> Doubles:
    """Return the length of the mean of unit vectors that are concentrated so: I_{v+1} / I_v of kappa.

    Examples
    --------
    >>> mean_length(3, np.array([1.0])).round(6)  # coth(1) - 1
    array([0.313035])
    """
    order = n_columns / 2 - 1
    return np.asarray(kappa / n_columns * np.exp(excess(order + 1, kappa) - excess(order, kappa)))


def log_density_at_peak(n_columns: int, kappa: Doubles) -> Doubles:
    """Return the logarithm of the density at its own direction; elsewhere kappa (1 - m.x) is less.

    Examples
    --------
    >>> log_density_at_peak(2, np.array([0.0])).round(6)  # uniform on the circle: 1 / 2 pi
    array([-1.837877])
    """
    half = n_columns / 2
    log_area = log(2) + half * log(pi) - lgamma(half)
    return -log_area - excess(half - 1, kappa)


def concentration(n_columns: int, length: Doubles) -> Doubles:
    """Return the concentration whose mean has this length: the likeliest one.

    A length of 0 gives 0; lengths above 1 - 1e-6 give that of 1 - 1e-6. Newton's steps, kept between the two
    bounds of `amos-1974` of the references.

    Examples
    --------
    >>> concentration(3, np.array([0.0, 0.313035])).round(4)
    array([0., 1.])
    """
    rho = np.where(length < NOTHING, 0.0, np.minimum(length, MOST_ALIKE))
    v = n_columns / 2 - 1
    low = np.maximum(_inverse_bound(rho, v, v + 2), _inverse_bound(rho, v + 0.5, v + 0.5))
    high = _inverse_bound(rho, v + 0.5, v + 1.5)
    low, high = np.minimum(low, high) * (1 - 1e-9), np.maximum(low, high) * (1 + 1e-9)
    kappa = (low + high) / 2
    for _ in range(MOST_STEPS):
        at = mean_length(n_columns, kappa)
        low, high = np.where(at < rho, kappa, low), np.where(at < rho, high, kappa)
        with np.errstate(divide="ignore", invalid="ignore"):
            step = kappa - (at - rho) / (1 - at**2 - (n_columns - 1) / kappa * at)
        is_inside = (step > low) & (step < high)
        following = np.where(is_inside, step, (low + high) / 2)
        is_done = bool((np.abs(following - kappa) <= 1e-13 * kappa).all())
        kappa = following
        if is_done:
            break
    return kappa


def _inverse_bound(rho: Doubles, alpha: float, beta: float) -> Doubles:
    """Return the kappa at which kappa / (alpha + sqrt(kappa^2 + beta^2)) is rho."""
    spare = (1 - rho) * (1 + rho)
    return np.asarray(rho * (alpha + np.sqrt((alpha * rho) ** 2 + beta**2 * spare)) / spare)
