"""What a user asked of `coterie.fit`, checked before any work."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie.cluster import find_method
from coterie.data import SCALINGS
from coterie.distance import get_distance
from coterie.errors import InvalidParameter, did_you_mean, shown_in_shell
from coterie.pipeline.budget import Budget, find_budget
from coterie.pipeline.families import takes_distance

AUTO = "auto"


@dataclass(frozen=True)
class Asked:
    """A checked request.

    Parameters
    ----------
    methods : tuple of str or None
        Methods to compare; None: those of the budget.
    ks : tuple of int or None
        Numbers of groups; None: whatever there is.
    distance : str or None
        Name of the distance; None: Euclidean.
    scale : str or None
        Name of the scaling; None: by the data.
    budget : Budget
        What it may cost.
    """

    methods: tuple[str, ...] | None
    ks: tuple[int, ...] | None
    distance: str | None
    scale: str | None
    budget: Budget

    @property
    def may_be_one(self) -> bool:
        """Whether "no groups" is an answer."""
        return self.ks is None or 1 in self.ks

    def numbers(self, most: int) -> tuple[int, ...]:
        """Return the numbers of groups to try; without a wish, up to `most`."""
        wanted = range(2, most + 1) if self.ks is None else [k for k in self.ks if k > 1]
        return tuple(wanted)

    def methods_for(self, points: Any) -> tuple[str, ...]:
        """Return the methods to compare on these data."""
        names = self.methods or self.budget.methods
        if self.distance is not None and self.methods is None:
            names = tuple(name for name in names if takes_distance(name, self.distance))
        return names


def check_asked(method: Any, k: Any, distance: Any, scale: Any, budget: Any) -> Asked:
    """Return the request, or say what is wrong with it."""
    chosen = find_budget(budget)
    methods = None if method == AUTO else _methods(method)
    if scale != AUTO and scale not in SCALINGS:
        names = [AUTO, *SCALINGS]
        near = did_you_mean(str(scale), names)
        raise InvalidParameter(f'no such scale "{scale}".{near} ({", ".join(names)})')
    name = None if distance in (AUTO, None) else get_distance(distance).name
    if name == "euclidean":
        name = None
    for each in methods or ():
        if name is not None and not takes_distance(each, name):
            raise InvalidParameter(f"{find_method(each).title} has no distance {name}.")
    return Asked(methods, check_k(k), name, None if scale == AUTO else scale, chosen)


def _methods(method: Any) -> tuple[str, ...]:
    is_list = isinstance(method, Iterable) and not isinstance(method, str)
    names = list(method) if is_list else method.split(",") if isinstance(method, str) else []
    if not names or not all(isinstance(name, str) and name.strip() for name in names):
        raise InvalidParameter(
            "method of coterie.fit must be a name of coterie.cluster.catalogue(), several joined by commas, "
            f'or "auto", got {method!r}.'
        )
    return tuple(find_method(str(name).strip()).name for name in names)


def check_k(k: Any) -> tuple[int, ...] | None:
    """Return the numbers of groups that `k` stands for; None for "auto".

    Examples
    --------
    >>> check_k("2..4"), check_k(3), check_k("auto")
    ((2, 3, 4), (3,), None)
    """
    if k is None or (isinstance(k, str) and k == AUTO):
        return None
    if isinstance(k, str):
        first, dots, last = k.partition("..")
        if not first.strip().isdecimal() or (dots and not last.strip().isdecimal()):
            raise _bad_k(k)
        numbers: Iterable[int] = range(int(first), int(last or first) + 1)
    elif isinstance(k, int | np.integer) and not isinstance(k, bool):
        numbers = [int(k)]
    elif isinstance(k, Iterable):
        numbers = list(k)
    else:
        raise _bad_k(k)
    found = tuple(sorted(set(numbers)))
    if not found or not all(isinstance(one, int | np.integer) and one >= 1 for one in found):
        raise _bad_k(k)
    return tuple(int(one) for one in found)


def _bad_k(k: Any) -> InvalidParameter:
    allowed = 'a number from 1, a range such as "2..8", or "auto"'
    return InvalidParameter(f"k of coterie.fit must be {allowed}, got {k!r}.").in_shell(
        f"-k must be a number from 1, a range such as 2..8, or auto, got {shown_in_shell(k)}."
    )
