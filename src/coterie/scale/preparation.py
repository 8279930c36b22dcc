"""What is done to rows in blocks when they are read: gaps are filled, columns are scaled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from coterie._support.typing import Data, FloatArray
from coterie.data import Scaling
from coterie.data.missing import Donors


class Change(Protocol):
    """What can be done to rows."""

    def apply(self, X: Data) -> Data:
        """Return the rows changed."""


@dataclass(frozen=True, eq=False)
class Preparation:
    """Gaps filled with medians or from similar rows, then columns scaled."""

    medians: FloatArray | None = None  # (d,): what gaps are filled with
    donors: Donors | None = None  # rows that values are taken from instead
    scaling: Scaling | None = None  # what is done to the columns afterwards

    def apply(self, X: Data) -> Data:
        """Return rows filled and scaled."""
        if self.donors is not None:
            X = self.donors.fill(X) if np.isnan(X).any() else X
        elif self.medians is not None:
            X = np.where(np.isnan(X), self.medians.astype(X.dtype), X)
        if self.scaling is None or self.scaling.is_identity:
            return X
        return np.ascontiguousarray(self.scaling.apply(X))
