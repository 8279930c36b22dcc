"""Numbers that say how far they can be trusted."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from coterie._support.validation.schema import FLAG, Maybe, Real, Schema, Sometimes, Text

EVERY_ROW = "from every row"
MOST_DECIMALS = 6  # an error below that is rounding


@dataclass(frozen=True)
class Fact:
    """A number about groups, and how far it can be off.

    Parameters
    ----------
    name : str
        What it is.
    value : float
        The number.
    is_exact : bool, default=True
        Whether every row was taken into account.
    error : float or None, default=None
        Standard error of an estimate, where it is known.
    how : str
        Where the number comes from.

    Examples
    --------
    >>> print(Fact("silhouette", 0.6213, is_exact=False, error=0.011, how="1,000 rows against all"))
    silhouette 0.621 ± 0.011 (estimated: 1,000 rows against all)
    """

    _schema: ClassVar[Schema] = {
        "name": Text(),
        "value": Real(nan=True),
        "is_exact": Sometimes(FLAG),
        "error": Sometimes(Maybe(Real(nan=True))),
        "how": Sometimes(Text()),
    }

    name: str
    value: float
    is_exact: bool = True
    error: float | None = None
    how: str = EVERY_ROW

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return {
            "name": self.name,
            "value": self.value,
            "is_exact": self.is_exact,
            "error": self.error,
            "how": self.how,
        }

    def __str__(self) -> str:
        how = "exact" if self.is_exact else "estimated"
        return f"{self.name} {with_error(self.value, self.error)} ({how}: {self.how})"


def with_error(value: float, error: float | None) -> str:
    """Return a value with its standard error, two digits of it, and as many decimals of the value.

    An error of 0 is left out: the draws did not differ, which does not make the value exact.

    Examples
    --------
    >>> with_error(0.645095, 0.0029), with_error(1.0, 0.0), with_error(12345.6, 210.4), with_error(0.5, None)
    ('0.6451 ± 0.0029', '1', '12,350 ± 210', '0.5')
    """
    if error is None or not math.isfinite(error) or not math.isfinite(value) or error <= 0:
        return f"{value:.4g}"
    decimals = 1 - math.floor(math.log10(error))
    shown = max(0, decimals)
    if decimals > MOST_DECIMALS:
        return f"{value:.4g}"
    return f"{round(value, decimals):,.{shown}f} ± {round(error, decimals):,.{shown}f}"
