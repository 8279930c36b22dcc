"""What the parameters of OPTICS may be: numbers of rows or shares of them, and radii without end."""

from __future__ import annotations

import math
from typing import Any

from coterie._support.typing import Weights
from coterie._support.validation import Constraint, Number, Whole
from coterie._support.validation.parameters import is_number, is_whole
from coterie.errors import InvalidParameter


class Share(Constraint):
    """A float from 0 to 1; whole numbers count rows instead."""

    def accepts(self, value: Any) -> bool:
        """Return whether the value is allowed."""
        return is_number(value) and not is_whole(value) and 0.0 <= value <= 1.0

    def describe(self) -> str:
        """Return the words that follow "must be"."""
        return "a float from 0 to 1 (a share of the rows)"


class Infinity(Constraint):
    """Positive infinity."""

    def accepts(self, value: Any) -> bool:
        """Return whether the value is allowed."""
        return is_number(value) and value == math.inf

    def describe(self) -> str:
        """Return the words that follow "must be"."""
        return "infinity"


SIZE = Whole(2) | Share()
UNBOUNDED = Number(0.0) | Infinity()


def resolve_size(size: float, n_rows: int, name: str, weights: Weights | None = None) -> int:
    """Return a number of rows, or their weight, at least 2 if it was given as a share of all."""
    total = n_rows if weights is None else float(weights.sum())
    count = int(size) if is_whole(size) else max(2, int(size * total))
    if count > total:
        what = f"number of rows, n_samples={n_rows}" if weights is None else f"total weight, {total:g}"
        text = f"{name} must be no greater than the {what}, got {size}. Lower it"
        raise InvalidParameter(f"{text}.").in_shell(f"{text}: --set {name}=2.")
    return count
