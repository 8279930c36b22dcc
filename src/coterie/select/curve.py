"""One criterion over the numbers of clusters, and what it would choose."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from coterie._support.declarations import held, saved
from coterie._support.facts import facts_of, finite
from coterie._support.typing import JsonObject
from coterie._support.validation.schema import COUNT, FLAG, ListOf, Maybe, Sometimes, Tensor, Text

Values = npt.NDArray[np.float64]


@saved(eq=False)
class Curve:
    """The values of one criterion, one per number of clusters.

    Parameters
    ----------
    name, title : str
        What to ask for, and what to call it in a sentence.
    values : ndarray of shape (n_ks,)
        NaN where the criterion is not defined.
    errors : ndarray of shape (n_ks,) or None
        Standard errors; None where there are none to be had.
    greater_is_better : bool or None
        Direction; None where neither is: an elbow is a bend.
    choice : int or None
        The number of clusters that the criterion would choose; None: it does not say.
    note : str
        How the values were found, when not from all rows; empty: they are exact.

    Examples
    --------
    >>> Curve("ch", "CH", (2, 3), np.array([5.0, 9.0]), None, True, 3, "largest")
    CH: 3 (largest)
    """

    name: str = held(Text())
    title: str = held(Text())
    ks: tuple[int, ...] = held(ListOf(COUNT, "ks", kind=tuple), "Numbers of clusters.")
    values: Values = held(Tensor("ks", kind="f8", allow="all", may_be_empty=True))
    errors: Values | None = held(Maybe(Tensor("ks", kind="f8", allow="all", may_be_empty=True)))
    greater_is_better: bool | None = held(Maybe(FLAG))
    choice: int | None = held(Maybe(COUNT))
    reason: str = held(Text(), "Why.")
    note: str = held(Sometimes(Text()), default="")

    @property
    def is_estimate(self) -> bool:
        """Whether the values were found from some of the rows only."""
        return bool(self.note)

    def at(self, k: int) -> float:
        """Return the value at one number of clusters."""
        return float(self.values[self.ks.index(k)])

    def to_dict(self) -> JsonObject:
        """Return plain lists and numbers; None where there is no value."""
        names = ("name", "title", "values", "errors", "greater_is_better", "choice", "reason", "note")
        return {name: finite(value) for name, value in facts_of(self, *names).items()}

    def __repr__(self) -> str:
        chosen = "no choice" if self.choice is None else str(self.choice)
        return f"{self.title}: {chosen} ({self.reason})"
