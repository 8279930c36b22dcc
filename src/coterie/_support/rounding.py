"""Comparisons that rounding does not decide: of two answers that are equally good, the first one is kept."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import TypeVar

import numpy as np

from coterie._support.typing import FloatArray, Indices

Item = TypeVar("Item")

# Two runs that end in the same groups, numbered differently, add the same numbers up in another order.
EQUAL = 1e-9  # share of the larger number; far above rounding, far below what a run is worth


def is_lower(new: float, best: float) -> bool:
    """Return whether a number is lower than the best so far by more than rounding.

    Rounding depends on the instruction set and on the kernels of BLAS, and must not choose between starts
    that are equally good: their groups have other numbers.

    Parameters
    ----------
    new, best : float
        Two values of what is to be small.

    Examples
    --------
    >>> is_lower(1.0, 2.0), is_lower(1.0, 1.0), is_lower(1.0 - 1e-15, 1.0)
    (True, False, False)
    """
    if not (math.isfinite(new) and math.isfinite(best)):
        return bool(new < best)
    return bool(best - new > EQUAL * max(abs(new), abs(best)))


def rising_order(values: FloatArray, equal: float = EQUAL) -> Indices:
    """Return the order in which numbers rise; those that are equal but for rounding stay as they stand.

    Parameters
    ----------
    values : array of shape (n,)
        Finite numbers.
    equal : float, default=1e-9
        What is rounding, as a share of the largest number.

    Examples
    --------
    >>> rising_order(np.array([3.0, 1.0 + 1e-15, 1.0, 2.0])).tolist()
    [1, 2, 3, 0]
    """
    order = np.argsort(values, kind="stable")
    is_more = np.diff(values[order]) > equal * np.abs(values).max(initial=0.0)
    rank = np.zeros(len(values), dtype=np.int64)
    rank[order[1:]] = np.cumsum(is_more)
    return np.argsort(rank, kind="stable")


def first_largest(items: Iterable[Item], size: Callable[[Item], float]) -> Item:
    """Return the largest of the items; of those that are equal but for rounding, the first.

    Parameters
    ----------
    items : iterable
        At least one.
    size : callable
        Gets an item and returns its size.

    Examples
    --------
    >>> first_largest(["a", "b", "c"], {"a": 1.0, "b": 3.0, "c": 3.0 + 1e-15}.__getitem__)
    'b'
    """
    first, *others = items
    best, largest = first, size(first)
    for item in others:
        if is_lower(largest, size(item)):
            best, largest = item, size(item)
    return best
