"""Null data for rows of numbers and categories: one latent Gaussian, of which categories are intervals."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import ndtri

from coterie._support.linear_algebra import symmetric_axes
from coterie._support.typing import Data, FloatArray, Indices
from coterie.evaluate.belief.mixed_columns import MixedColumns, intervals
from coterie.evaluate.belief.null_models import step_of

CALIBRATION_ROWS = 2_000  # of the draws by which latent correlations are matched
ROUNDS = 6
MOST_CORRELATED = 0.995


@dataclass(frozen=True, eq=False)
class NullMixedRows:
    """Null data with the margins, the pairwise association and the gaps of given mixed rows.

    Every column is a function of one Gaussian variable: a number is the variable itself, a category the
    interval that it lies in. The correlations of the variables are such that the columns are as associated
    as those of the rows. Columns drawn independently would be too easy to beat: those of most tables are
    correlated without groups.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> rows = np.column_stack([rng.normal(size=200), rng.integers(0, 3, 200)])
    >>> drawn = NullMixedRows(rows, MixedColumns((0, 3))).draw(rng)
    >>> np.bincount(drawn[:, 1].astype(int)).tolist() == np.bincount(rows[:, 1].astype(int)).tolist()
    True
    """

    rows: Data  # (n, d): scaled numbers, codes, NaN where a cell is missing
    columns: MixedColumns  # which is which

    def draw(self, rng: np.random.Generator) -> FloatArray:
        """Return as many rows, with the same cells missing."""
        n_rows, n_columns = self.rows.shape
        latent = rng.normal(size=(n_rows, n_columns)) @ self._root.T
        drawn = self._cells(latent)
        return np.where(np.isnan(self.rows), np.nan, drawn)

    @cached_property
    def _orders(self) -> list[Indices | None]:
        return self.columns.orders(self.rows)

    @cached_property
    def _root(self) -> FloatArray:
        """A root of the latent correlations."""
        wanted = _correlations(self._scores(self.rows), ~np.isnan(self.rows))
        base = np.random.default_rng(0).normal(size=(CALIBRATION_ROWS, len(wanted)))
        latent, root = wanted.copy(), wanted
        for _ in range(ROUNDS):
            root = _root_of(latent)
            drawn = self._scores(self._cells(base @ root.T))
            found = _correlations(drawn, np.ones(drawn.shape, dtype=bool))
            latent = np.clip(latent + wanted - found, -MOST_CORRELATED, MOST_CORRELATED)
            np.fill_diagonal(latent, 1.0)
        return root

    def _cells(self, latent: FloatArray) -> FloatArray:
        """Return the cells that latent variables stand for, with the shares that the rows have."""
        out = np.empty(latent.shape)
        for at, order in enumerate(self._orders):
            column = self.rows[:, at]
            known = column[~np.isnan(column)]
            if order is None:
                out[:, at] = _rounded(known.mean() + known.std() * latent[:, at], known)
                continue
            shares = np.bincount(known.astype(np.intp), minlength=len(order)) / len(known)
            ranks = np.argsort(np.argsort(latent[:, at], kind="stable"), kind="stable")
            ends = np.round(np.cumsum(shares[order]) * len(latent))
            out[:, at] = order[np.minimum(np.searchsorted(ends, ranks, side="right"), len(order) - 1)]
        return out

    def _scores(self, rows: FloatArray) -> FloatArray:
        """Return numbers, and for a category the middle of its interval."""
        out = np.array(rows, dtype=np.float64)
        for at, order in enumerate(self._orders):
            if order is not None:
                known = ~np.isnan(self.rows[:, at])
                low, high = intervals(self.rows[known, at], order)
                middle = ndtri(np.clip((low + high) / 2, 1e-6, 1 - 1e-6))
                here = ~np.isnan(rows[:, at])
                out[here, at] = middle[rows[here, at].astype(np.intp)]
        return out


def _rounded(values: FloatArray, like: FloatArray) -> FloatArray:
    """Return values rounded as the numbers of a column are, within their range."""
    step = step_of(like)
    if not step:
        return values
    low, high = like.min(), like.max()
    return np.asarray(np.clip(low + step * np.round((values - low) / step), low, high))


def _correlations(values: FloatArray, known: FloatArray) -> FloatArray:
    """Return correlations over the cells that both columns have."""
    n_known = np.maximum(known.sum(axis=0), 1)
    means = np.where(known, values, 0.0).sum(axis=0) / n_known
    centred = np.where(known, values - means, 0.0)
    spread = np.sqrt((centred**2).sum(axis=0) / n_known)
    scaled = centred / np.where(spread > 0, spread, 1.0)
    pairs = np.maximum(known.astype(np.float64).T @ known.astype(np.float64), 1.0)
    found = np.clip(scaled.T @ scaled / pairs, -MOST_CORRELATED, MOST_CORRELATED)
    np.fill_diagonal(found, 1.0)
    return np.asarray(found)


def _root_of(correlations: FloatArray) -> FloatArray:
    """Return a root of the nearest matrix that is one of correlations."""
    values, axes = symmetric_axes(correlations)
    root = axes * np.sqrt(np.maximum(values, 0.0))
    return np.asarray(root / np.sqrt(np.square(root).sum(axis=1, keepdims=True)))
