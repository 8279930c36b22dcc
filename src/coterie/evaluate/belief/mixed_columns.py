"""Rows of numbers and categories: as continuous points for the judge, as factors for maps, as shares.

Such rows are arrays of floats: scaled numbers, codes of categories, NaN where a cell is missing.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array
from scipy.special import ndtri

from coterie._support.linear_algebra import symmetric_axes
from coterie._support.typing import Data, FloatArray, Indices, Mask, Model
from coterie.distance import Distance, find_distance

NUMBER, CATEGORY = "number", "category"
GOWER = "gower"


@dataclass(frozen=True)
class MixedColumns:
    """What the columns of mixed rows hold.

    Examples
    --------
    >>> columns = MixedColumns((0, 2))
    >>> columns.kinds, columns.categorical
    (('number', 'category'), [1])
    """

    n_levels: tuple[int, ...]  # categories of each column; 0: numbers

    @property
    def kinds(self) -> tuple[str, ...]:
        """Of each column, "number" or "category"."""
        return tuple(CATEGORY if levels else NUMBER for levels in self.n_levels)

    @property
    def categorical(self) -> list[int]:
        """The columns of categories, by number."""
        return [at for at, levels in enumerate(self.n_levels) if levels]

    @cached_property
    def gower(self) -> Distance:
        """Gower's distance of these columns."""
        return find_distance(GOWER, kinds=self.kinds)

    def tell(self, estimator: Model) -> Model:
        """Return the estimator, told which of its columns are categories."""
        parameters = estimator.get_params(deep=False)
        if "categorical" in parameters and parameters["categorical"] is None:
            estimator.set_params(categorical=self.categorical)
        if parameters.get("metric") == GOWER:
            estimator.set_params(metric=self.gower)
        return estimator

    def indicators(self, rows: Data) -> FloatArray:
        """Return the numbers, and a column of 0 and 1 for each category; NaN where a cell is missing.

        Examples
        --------
        >>> MixedColumns((0, 2)).indicators(np.array([[1.5, 1.0], [2.0, np.nan]])).tolist()
        [[1.5, 0.0, 1.0], [2.0, nan, nan]]
        """
        parts = []
        for at, levels in enumerate(self.n_levels):
            column = np.asarray(rows[:, at], dtype=np.float64)
            if not levels:
                parts.append(column[:, None])
                continue
            found = (column[:, None] == np.arange(levels)).astype(np.float64)
            found[np.isnan(column)] = np.nan
            parts.append(found)
        return np.concatenate(parts, axis=1)

    def factors(self, rows: Data) -> FloatArray:
        """Return coordinates whose principal components are those of a factor analysis of mixed data.

        Numbers are standardised and indicators of categories divided by the root of their share; a missing
        cell is at the mean.
        """
        found = self.indicators(rows)
        known = ~np.isnan(found)
        n_known = np.maximum(known.sum(axis=0), 1)
        means = np.where(known, found, 0.0).sum(axis=0) / n_known
        centred = np.where(known, found - means, 0.0)
        is_share = np.repeat([bool(n) for n in self.n_levels], [max(n, 1) for n in self.n_levels])
        spread = np.sqrt(np.where(is_share, means, (centred**2).sum(axis=0) / n_known))
        return np.asarray(centred / np.where(spread > 0, spread, 1.0))

    def orders(self, rows: Data) -> list[Indices | None]:
        """Return an order of the categories of each column: that in which the other columns differ most."""
        factors = self.factors(rows)
        starts = np.cumsum([0, *(max(levels, 1) for levels in self.n_levels)])
        found: list[Indices | None] = []
        for at, levels in enumerate(self.n_levels):
            others = np.delete(factors, np.s_[starts[at] : starts[at + 1]], axis=1)
            found.append(_order(rows[:, at], levels, others) if levels else None)
        return found

    def points(self, rows: Data, seed: int = 0) -> FloatArray:
        """Return continuous points: what the judge sees of the rows.

        A category stands for an interval of a standard normal variable, as wide as its share; a cell becomes
        a draw from its interval. Columns that are independent of each other thus become one Gaussian cloud,
        and groups show only where several columns tell the same ones. A missing cell is drawn from its
        column.
        """
        out = np.empty(rows.shape)
        for at, order in enumerate(self.orders(rows)):
            column = np.asarray(rows[:, at], dtype=np.float64)
            known = ~np.isnan(column)
            rng = _stream(column, known, seed)
            if order is None:
                values = column[known]
                out[known, at] = values
                drawn = rng.integers(0, max(len(values), 1), int((~known).sum()))
                out[~known, at] = np.sort(values)[drawn] if len(values) else 0.0
                continue
            low, high = np.zeros(len(column)), np.ones(len(column))
            ends = intervals(column[known], order)
            codes = column[known].astype(np.intp)
            low[known], high[known] = ends[0][codes], ends[1][codes]
            out[:, at] = ndtri(low + (high - low) * rng.uniform(1e-9, 1.0 - 1e-9, len(column)))
        return standardised(out)


def intervals(codes: FloatArray, order: Indices) -> tuple[FloatArray, FloatArray]:
    """Return where the interval of each category begins and ends, as shares of the rows.

    Examples
    --------
    >>> intervals(np.array([0.0, 1.0, 1.0, 1.0]), np.array([1, 0]))
    (array([0.75, 0.  ]), array([1.  , 0.75]))
    """
    counts = np.bincount(codes.astype(np.intp), minlength=len(order)).astype(np.float64)
    ends = np.cumsum(counts[order]) / max(counts.sum(), 1.0)
    low, high = np.empty(len(order)), np.empty(len(order))
    low[order], high[order] = np.concatenate([[0.0], ends[:-1]]), ends
    return low, high


def standardised(points: FloatArray) -> FloatArray:
    """Return columns of mean 0 and standard deviation 1; constant ones are 0."""
    spread = points.std(axis=0)
    return np.asarray((points - points.mean(axis=0)) / np.where(spread > 0, spread, 1.0))


def _order(column: FloatArray, n_levels: int, others: FloatArray) -> Indices:
    """Return the categories along the first axis of the means that the other columns have in them."""
    known = np.flatnonzero(~np.isnan(column))
    codes = column[known].astype(np.intp)
    counts = np.bincount(codes, minlength=n_levels)
    if not others.shape[1] or n_levels < 2:
        return np.arange(n_levels)
    belongs = csr_array((np.ones(len(known)), (codes, known)), shape=(n_levels, len(column)))
    roots = np.sqrt(np.maximum(counts, 1))
    means = (belongs @ others) / roots[:, None]
    _, axes = symmetric_axes(means @ means.T)
    order = np.argsort(np.round(axes[:, -1] / roots, 9), kind="stable")
    return order if order[0] < order[-1] else order[::-1]  # an axis has no sign


def _stream(column: FloatArray, known: Mask, seed: int) -> np.random.Generator:
    """Return a stream that depends on what the column holds, not on its place among others."""
    content = np.sort(np.round(column[known], 9))
    return np.random.default_rng([seed, zlib.crc32(content.tobytes())])
