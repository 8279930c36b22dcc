"""What the density-based methods ask of the parameters of a distance."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from coterie._support.validation import Anything, Constraint, Flag, Function, Nothing, Whole


class AMapping(Constraint):
    """A dictionary."""

    def accepts(self, value: Any) -> bool:
        """Return whether the value is allowed."""
        return isinstance(value, Mapping)

    def describe(self) -> str:
        """Return the words that follow "must be"."""
        return "a dict"


METRIC_CONSTRAINTS: Mapping[str, Constraint] = {
    "metric": Anything(),
    "metric_params": AMapping() | Nothing(),
    "leaf_size": Whole(1),
    "n_jobs": Whole() | Nothing(),
    "progress": Nothing() | Flag() | Function(),
}
