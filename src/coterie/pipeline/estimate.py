"""Numbers that say how far they can be trusted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from coterie._support.validation.schema import FLAG, Maybe, Real, Schema, Sometimes, Text

EVERY_ROW = "from every row"


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
    silhouette 0.6213 ± 0.011 (estimated: 1,000 rows against all)
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
        error = "" if self.error is None else f" ± {self.error:.2g}"
        return (
            f"{self.name} {self.value:.6g}{error} ({'exact' if self.is_exact else 'estimated'}: {self.how})"
        )
