"""What the groups look like, in the units of the table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from coterie._typing import FloatArray, Labels

NOTABLE = 0.5  # differences of less than half a standard deviation are not worth a word
WORDS = 3


@dataclass(frozen=True, eq=False)
class Profile:
    """Sizes, means and what sets each group apart.

    Parameters
    ----------
    columns : tuple of str
        Names of the columns.
    sizes : array of shape (k,)
        Rows per group.
    means : array of shape (k, n_columns)
        Mean of each column in each group, in the table's units.
    differences : array of shape (k, n_columns)
        Distance of these from the mean of all rows, in standard deviations of all rows.
    spread : array of shape (n_columns,)
        Standard deviation of all rows.
    """

    columns: tuple[str, ...]
    sizes: Labels
    means: FloatArray
    differences: FloatArray
    spread: FloatArray

    def apart(self, group: int) -> list[tuple[str, float]]:
        """Return the columns in which a group (counted from 0) differs most, and by how much."""
        differences = self.differences[group]
        order = np.argsort(-np.abs(differences), kind="stable")
        return [(self.columns[i], float(differences[i])) for i in order if abs(differences[i]) >= NOTABLE]

    def words(self, group: int) -> str:
        """Say in words what sets a group (counted from 0) apart."""
        named = [
            f"{name} {'high' if by > 0 else 'low'} ({by:+.1f})" for name, by in self.apart(group)[:WORDS]
        ]
        return ", ".join(named).replace(")", " sd)", 1) if named else "close to the average in every column"


def profile_groups(X: Any, labels: Labels, columns: Sequence[str], n_groups: int) -> Profile:
    """Describe the groups 0..n_groups-1 of the rows of `X`; other labels count for the average only.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [0.0], [9.0]])
    >>> profile_groups(X, np.array([0, 0, 1]), ["spend"], 2).words(1)
    'spend high (+1.4 sd)'
    """
    inside = np.flatnonzero(labels >= 0)
    ones = np.ones(inside.size)
    belongs = sparse.csr_array((ones, (labels[inside], inside)), shape=(n_groups, len(labels)))
    sizes = np.bincount(labels[inside], minlength=n_groups)
    means = belongs @ X / np.maximum(sizes, 1)[:, None]
    means = means.toarray() if sparse.issparse(means) else np.asarray(means)
    center, spread = _center_and_spread(X)
    differences = (means - center) / np.where(spread > 0, spread, 1.0)
    return Profile(tuple(columns), sizes, means, differences, spread)


def _center_and_spread(X: Any) -> tuple[FloatArray, FloatArray]:
    if not sparse.issparse(X):
        return X.mean(axis=0, dtype=np.float64), X.std(axis=0, dtype=np.float64)
    center = np.asarray(X.mean(axis=0)).ravel()
    squares = np.asarray(X.multiply(X).mean(axis=0)).ravel()
    return center, np.sqrt(np.maximum(squares - center**2, 0.0))
