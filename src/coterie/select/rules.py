"""From values to a choice: the rules by which criteria are read."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple, TypeAlias

import numpy as np

from coterie.select.curve import Values


class Measured(NamedTuple):
    """What a criterion found: values, errors if any, and how, if not from all rows."""

    values: Values
    errors: Values | None = None
    note: str = ""


class ChosenK(NamedTuple):
    """A number of clusters, or None, and why."""

    k: int | None
    reason: str


Rule: TypeAlias = Callable[[tuple[int, ...], Measured], ChosenK]
FAR = 3.0  # errors that no chance fluctuation reaches
UNDEFINED = ChosenK(None, "not defined for these data")


def largest(ks: tuple[int, ...], found: Measured) -> ChosenK:
    """Choose the largest value; ties: the fewest clusters.

    Examples
    --------
    >>> largest((2, 3, 4), Measured(np.array([0.1, 0.7, 0.2])))
    ChosenK(k=3, reason='largest, 0.7')
    """
    return _extreme(ks, found, found.values, "largest")


def smallest(ks: tuple[int, ...], found: Measured) -> ChosenK:
    """Choose the smallest value; ties: the fewest clusters."""
    return _extreme(ks, found, -found.values, "smallest")


def _extreme(ks: tuple[int, ...], found: Measured, scores: Values, word: str) -> ChosenK:
    usable = np.where(np.isnan(scores), -np.inf, scores)
    if not np.isfinite(found.values).any() and not np.isposinf(scores).any():
        return UNDEFINED
    at = int(np.argmax(usable))
    return ChosenK(ks[at], f"{word}, {found.values[at]:.3g}")


def first_within_one_error(ks: tuple[int, ...], found: Measured) -> ChosenK:
    """Choose the first k whose value is within one standard error of the next one, or above it.

    The rule of the gap statistic, ``value(k) >= value(k + 1) - error(k + 1)``, which stops too early where
    clusters are themselves in groups: a k is passed over when a later value is three errors above it.

    Examples
    --------
    >>> first_within_one_error((1, 2, 3), Measured(np.array([0.1, 0.5, 0.51]), np.array([0.1, 0.1, 0.1])))
    ChosenK(k=2, reason='0.5 at 2 is within one error of 0.51 at 3')
    """
    at = np.flatnonzero(np.isfinite(found.values)).tolist()
    if not at:
        return UNDEFINED
    errors = np.zeros(len(ks)) if found.errors is None else np.nan_to_num(found.errors)
    for place, (here, after) in enumerate(pairwise(at)):
        value, following = found.values[here], found.values[after]
        later = at[place + 1 :]
        is_topped = bool((found.values[later] - FAR * errors[later] > value).any())
        if value >= following - errors[after] and not is_topped:
            words = "above" if value >= following else "within one error of"
            return ChosenK(ks[here], f"{value:.3g} at {ks[here]} is {words} {following:.3g} at {ks[after]}")
    return ChosenK(None, f"still rising at {ks[at[-1]]}, the most that was tried")


def fewest_near_best(ks: tuple[int, ...], found: Measured) -> ChosenK:
    """Choose the fewest clusters whose value is at most their own standard error below the largest.

    Examples
    --------
    >>> fewest_near_best((1, 2, 3), Measured(np.array([0.1, 0.5, 0.51]), np.array([0.1, 0.1, 0.0])))
    ChosenK(k=2, reason='0.5 is within one error of the largest, 0.51')
    """
    usable = np.where(np.isfinite(found.values), found.values, -np.inf)
    best = int(np.argmax(usable))
    if not np.isfinite(usable[best]):
        return UNDEFINED
    errors = np.zeros(len(ks)) if found.errors is None else np.nan_to_num(found.errors)
    at = int(np.flatnonzero(usable + errors >= usable[best])[0])
    if at == best:
        return ChosenK(ks[best], f"largest, {usable[best]:.3g}")
    return ChosenK(ks[at], f"{usable[at]:.3g} is within one error of the largest, {usable[best]:.3g}")


def most_reaching(threshold: float, *, otherwise: str) -> Rule:
    """Return the rule that chooses the most clusters whose value plus error reaches a threshold.

    Examples
    --------
    >>> most_reaching(0.8, otherwise="no split")((1, 2, 3), Measured(np.array([1.0, 0.9, 0.4])))
    ChosenK(k=2, reason='the most clusters with at least 0.8, 0.9')
    """

    def rule(ks: tuple[int, ...], found: Measured) -> ChosenK:
        errors = np.zeros(len(ks)) if found.errors is None else np.nan_to_num(found.errors)
        if not np.isfinite(found.values).any():
            return UNDEFINED
        reaching = np.flatnonzero(np.nan_to_num(found.values, nan=-np.inf) + errors >= threshold)
        if reaching.size == 0:
            return ChosenK(1, f"{otherwise} reaches {threshold:g}")
        at = int(reaching[-1])
        if ks[at] == 1:
            return ChosenK(1, f"{otherwise} reaches {threshold:g}")
        return ChosenK(ks[at], f"the most clusters with at least {threshold:g}, {found.values[at]:.3g}")

    return rule


def first_at_most(threshold: float) -> Rule:
    """Return the rule that chooses the fewest clusters whose value is at most a threshold.

    Examples
    --------
    >>> first_at_most(10)((1, 2, 3), Measured(np.array([50.0, 8.0, np.nan])))
    ChosenK(k=2, reason='the fewest clusters with at most 10, 8')
    """

    def rule(ks: tuple[int, ...], found: Measured) -> ChosenK:
        if np.isnan(found.values).all():
            return UNDEFINED
        reaching = np.flatnonzero(np.nan_to_num(found.values, nan=np.inf) <= threshold)
        if reaching.size == 0:
            return ChosenK(None, f"never at most {threshold:g}")
        at = int(reaching[0])
        return ChosenK(ks[at], f"the fewest clusters with at most {threshold:g}, {found.values[at]:.3g}")

    return rule
