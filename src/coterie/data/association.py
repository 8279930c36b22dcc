"""Categories that tell nothing about any other column, and so nothing about groups."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from coterie._support.typing import FloatArray

NOT_ASSOCIATED = "not associated with the other columns"
SHUFFLES = 100  # of the rows of a column: what association chance gives
FAR = 6.0  # standard deviations beyond that, from which two columns are associated
MOST_ROWS = 5_000


def not_associated(X: FloatArray, levels: Sequence[object]) -> list[int]:
    """Return the columns of categories that are not associated with any other column.

    Of a category and a number the share of variance that it explains is compared with that of shuffled
    categories, of two categories the chi-square statistic. Rows in another order give the same answer.

    Parameters
    ----------
    X : array of shape (n, d)
        Numbers and codes; NaN where a cell is missing.
    levels : sequence
        Of each column, its categories; None: numbers.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> plan, town = rng.integers(0, 2, 200), rng.integers(0, 3, 200)
    >>> X = np.column_stack([plan + rng.normal(size=200), plan, town])
    >>> not_associated(X, [None, ("free", "pro"), ("Bonn", "Rom", "Ulm")])
    [2]
    """
    order = np.lexsort(np.where(np.isnan(X), np.inf, X).T)
    if len(order) > MOST_ROWS:
        order = order[np.sort(np.random.default_rng(0).choice(len(order), MOST_ROWS, replace=False))]
    X = X[order]
    parts = [
        _standardised(X[:, at], None if known is None else len(known))  # type: ignore[arg-type]  # a tuple
        for at, known in enumerate(levels)
    ]
    found = []
    for at, known in enumerate(levels):
        others = [part for place, part in enumerate(parts) if place != at]
        if known is not None and others and not _is_associated(X[:, at], len(known), others):  # type: ignore[arg-type]
            found.append(at)
    return found


def _standardised(column: FloatArray, n_levels: int | None) -> FloatArray:
    """Return a number standardised, or indicators of categories over the root of their share; gaps are 0."""
    values = column[:, None] if n_levels is None else (column[:, None] == np.arange(n_levels)).astype(float)
    known = ~np.isnan(column)
    if not known.any():
        return np.zeros(values.shape)
    means = values[known].mean(axis=0)
    centred = np.where(known[:, None], values - means, 0.0)
    scale = np.sqrt(means) if n_levels is not None else centred[known].std(axis=0)
    return np.asarray(centred / np.where(scale > 0, scale, 1.0))


def _is_associated(column: FloatArray, n_levels: int, others: Sequence[FloatArray]) -> bool:
    known = np.flatnonzero(~np.isnan(column))
    codes, joined = column[known].astype(np.intp), np.concatenate(others, axis=1)[known]
    starts = np.cumsum([0, *(part.shape[1] for part in others[:-1])])
    counts = np.maximum(np.bincount(codes, minlength=n_levels), 1)
    rng = np.random.default_rng(0)
    own = _explained(codes, counts, joined, starts)
    chance = np.array([_explained(rng.permutation(codes), counts, joined, starts) for _ in range(SHUFFLES)])
    spread = chance.std(axis=0)
    return bool((own - chance.mean(axis=0) > FAR * np.where(spread > 0, spread, np.inf)).any())


def _explained(codes: Any, counts: Any, joined: FloatArray, starts: Any) -> npt.NDArray[np.float64]:
    """Return, for each other column, the squares that the categories explain."""
    belongs = np.zeros((len(counts), len(codes)))
    belongs[codes, np.arange(len(codes))] = 1.0
    squares = (np.square(belongs @ joined) / counts[:, None]).sum(axis=0)
    return np.asarray(np.add.reduceat(squares, starts))
