"""What distances learn from data: weights, variances, covariances, and a point to measure from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from coterie import _core
from coterie._support.caller import warn_caller
from coterie._support.linear_algebra import symmetric_axes
from coterie._support.stoppable import stoppable
from coterie._support.typing import AnyArray, CheckedRows, Data, FloatArray, Mask
from coterie.distance.catalogue import Distance
from coterie.distance.transforms import (
    ColumnMix,
    ColumnScaling,
    ColumnWhitening,
    SetCodes,
    SharedCells,
    first_without_common,
)
from coterie.errors import DataNotice, InvalidData, InvalidParameter

SINGULAR = 1e-12  # an eigenvalue below this share of the largest is rounding, not variance
ROUNDING = 1e-14  # of a VI that is given: below, a direction does not count at all

MOST_PATTERNS = 4096  # of missing cells, that are compared with each other


def with_weights(distance: Distance, X: Data, Y: Data | None) -> Distance:
    """Scale each column such that its term in the sum gets its weight: w |x - y|^p = |w^(1/p) (x - y)|^p."""
    w = _numbers_per_column(distance, "w", X.shape[1])
    if w.min() < 0:
        column = int(np.argmin(w))
        raise InvalidParameter(
            f"w of {distance.name} must be at least 0 in every column, got {w[column]:g} in column {column}."
        )
    p = exponent_of(distance)
    factors = (w > 0).astype(np.float64) if np.isinf(p) else w ** (1 / p)
    return replace(distance, transform=ColumnScaling(_origin(X), factors))


def with_variances(distance: Distance, X: Data, Y: Data | None) -> Distance:
    """Divide each column by its standard deviation, given as V or that of the rows of X and Y together."""
    if distance.values["V"] is None:
        distance = replace(distance, values={"V": _variances(X, Y, distance.name)})
    V = _numbers_per_column(distance, "V", X.shape[1])
    if not V.min() > 0:
        column = int(np.argmin(V))
        raise InvalidData(
            f"column {column} of X has variance {V[column]:g}: {distance.name} divides by it. Leave the "
            f"column out, or give a V that is positive everywhere."
        )
    return replace(distance, transform=ColumnScaling(_origin(X), 1 / np.sqrt(V)))


def with_covariance(distance: Distance, X: Data, Y: Data | None) -> Distance:
    """Whiten by the root of VI, given or the inverse covariance of the rows of X and Y together."""
    if distance.values["VI"] is None:
        distance = replace(distance, values={"VI": _inverse_covariance(X, Y, distance.name)})
    VI = _as_numbers(distance, "VI")
    n_columns = X.shape[1]
    if VI.shape != (n_columns, n_columns):
        raise InvalidParameter(
            f"VI of {distance.name} must have the shape {(n_columns, n_columns)} for {n_columns} columns, "
            f"got {VI.shape}."
        )
    symmetric = (VI + VI.T) / 2  # x VI x depends on nothing else
    scale = _deviations(symmetric)
    eigenvalues, vectors = symmetric_axes(symmetric / np.outer(scale, scale))
    if eigenvalues[0] < -SINGULAR * abs(eigenvalues[-1]) or eigenvalues[-1] <= 0:
        raise InvalidParameter(
            f"VI of {distance.name} must be positive semidefinite, got one with the eigenvalue "
            f"{eigenvalues[0]:.3g}: distances would be roots of negative numbers."
        )
    is_flat = eigenvalues <= ROUNDING * eigenvalues[-1]
    matrix = scale[:, None] * vectors * np.sqrt(np.where(is_flat, 0.0, eigenvalues))
    return replace(distance, transform=ColumnWhitening(_origin(X), matrix))


def with_levels(distance: Distance, X: Data, Y: Data | None) -> Distance:
    """Make each row the set of its categories and of what it has, as codes that are compared for equality."""
    levels = _numbers_per_column(distance, "levels", X.shape[1])
    if (levels < 0).any() or (levels % 1 != 0).any():
        raise InvalidParameter(
            f"levels of {distance.name} must be whole numbers of at least 0, got {levels.tolist()}."
        )
    return replace(distance, kernel=_core.Kernel.hamming, transform=SetCodes(tuple(int(n) for n in levels)))


def with_ranges(distance: Distance, X: Data, Y: Data | None) -> Distance:
    """Divide each number by its range, given as low and high or that of the rows of X and Y together."""
    n_columns = X.shape[1]
    kinds = kinds_of(distance, n_columns)
    weights = np.ones(n_columns) if distance.values["w"] is None else _column_weights(distance, n_columns)
    is_number = np.array([kind in ("number", "ordinal") for kind in kinds])
    is_learned = distance.values["low"] is None or distance.values["high"] is None
    low, high = (
        _ranges(X, Y, is_number, distance)
        if is_learned
        else (_numbers_per_column(distance, name, n_columns) for name in ("low", "high"))
    )
    with np.errstate(over="ignore"):
        spans = np.where(is_number & (high > low), high - low, 1.0)
    if not np.isfinite(spans).all():
        column = int(np.argmax(~np.isfinite(spans)))
        raise InvalidData(
            f"column {column} of X ranges from {low[column]:g} to {high[column]:g}, too far for "
            f"{distance.name}. Divide it by a constant first."
        )
    if is_learned:
        _note_incomparable(X, weights > 0, distance.name)
    ranks = {"number": 0, "ordinal": 0, "category": 1, "asymmetric": 2}
    group = np.array([ranks[kind] for kind in kinds])
    order = np.argsort(group, kind="stable")
    scaled = np.ldexp(weights, -int(np.frexp(weights.max())[1]))
    transform = ColumnMix(order, int((group == 0).sum()), int((group == 1).sum()), low, spans, scaled)
    values = {"kinds": kinds, "w": weights, "low": low, "high": high}
    return replace(distance, values=values, transform=transform)


def with_shared_cells(distance: Distance, X: Data, Y: Data | None) -> Distance:
    """Refuse pairs of rows without a common column, and remember which columns a new row must share."""
    told = distance.values["patterns"]
    if told is not None:
        patterns = np.asarray(told)
        if patterns.ndim != 2 or patterns.shape[1] != X.shape[1] or not np.isin(patterns, (0, 1)).all():
            raise InvalidParameter(
                f"patterns of {distance.name} must be 0 and 1, one column for each of X, {X.shape[1]}, got "
                f"the shape {patterns.shape}."
            )
        return replace(distance, transform=SharedCells(patterns.astype(bool)))
    is_there = ~np.isnan(X)
    others = is_there if Y is None else ~np.isnan(Y)
    if is_there.shape[1] != others.shape[1]:
        return distance  # said by who compares them
    rows, patterns = (np.unique(one, axis=0) for one in (is_there, others))
    if first_without_common(rows, patterns) is not None:
        raise _incomparable(is_there, others, distance.name, "X" if Y is None else "Y")
    if Y is not None:
        return distance
    patterns = _least_patterns(patterns)
    values = {**distance.values, "patterns": patterns.astype(np.float64)}
    return replace(distance, values=values, transform=SharedCells(patterns))


def _incomparable(is_there: Mask, others: CheckedRows, who: str, name: str) -> InvalidData:
    for what, rows in (("X", is_there), (name, others)):
        is_empty = ~rows.any(axis=1)
        if is_empty.any():
            return InvalidData(
                f"row {int(np.argmax(is_empty))} of {what} has no values: its {who} distance is undefined. "
                f"Leave such rows out."
            )
    pair = first_without_common(is_there, others)
    assert pair is not None
    return InvalidData(
        f"row {pair[0]} of X and row {pair[1]} of {name} have no column in which both have a value: their "
        f"{who} distance is undefined. Leave such rows out, or fill in values."
    )


def _least_patterns(patterns: AnyArray) -> AnyArray:
    """Return the patterns that contain no other: who shares a column with these shares one with all."""
    if len(patterns) > MOST_PATTERNS:
        return patterns
    cells = patterns.astype(np.float32)
    common, sizes = cells @ cells.T, cells.sum(axis=1)
    contains = (common == sizes) & (sizes[:, None] > sizes)  # row: contains column
    return np.asarray(patterns[~contains.any(axis=1)])


def kinds_of(distance: Distance, n_columns: int) -> tuple[str, ...]:
    """Return the kinds of coded columns; what is not coded yet is read by `coterie.distance.mixed`."""
    kinds = distance.values["kinds"]
    if kinds is None:
        return ("number",) * n_columns
    if isinstance(kinds, Mapping | str) or len(kinds) != n_columns:
        raise InvalidParameter(
            f"kinds of {distance.name} must be one per column, {n_columns}, got {kinds!r}."
        )
    for kind in kinds:
        if kind not in ("number", "ordinal", "category", "asymmetric"):
            raise InvalidParameter(f"kinds of {distance.name} must be those of coded columns, got {kind!r}.")
    return tuple(kinds)


def _column_weights(distance: Distance, n_columns: int) -> FloatArray:
    w = _numbers_per_column(distance, "w", n_columns)
    if w.min() < 0 or not w.max() > 0:
        raise InvalidParameter(
            f"w of {distance.name} must be at least 0 in every column and more in some, got {w.min():g} to "
            f"{w.max():g}."
        )
    return w


def _ranges(X: Data, Y: Data | None, is_number: Mask, distance: Distance) -> tuple[FloatArray, FloatArray]:
    """Return the least and the greatest value of each column of numbers, 0 and 0 of others."""
    low, high = np.zeros(X.shape[1]), np.zeros(X.shape[1])
    for column in np.flatnonzero(is_number):
        parts = [np.asarray(rows[:, column], dtype=np.float64) for rows in (X, Y) if rows is not None]
        values = np.concatenate(parts)
        values = values[~np.isnan(values)]
        if not len(values):
            raise InvalidData(f"column {column} of X has no values at all: leave it out of {distance.name}.")
        low[column], high[column] = values.min(), values.max()
    return low, high


def _note_incomparable(X: Data, counts: AnyArray, who: str) -> None:
    """Tell of rows that have no column in common: nothing says how far apart they are."""
    is_there = ~np.isnan(X[:, counts])
    if is_there.all() or 2 * is_there.sum(axis=1).min() > is_there.shape[1]:
        return  # two rows that have more than half of the columns each share one
    patterns = np.unique(is_there, axis=0).astype(np.float32)
    if len(patterns) <= MOST_PATTERNS and not (patterns @ patterns.T).all():
        warn_caller(
            f"some rows of X have no column in which both have a value: their {who} distance is taken to be "
            f"1, the largest. Leave out rows or columns that are mostly missing.",
            DataNotice,
        )


def exponent_of(distance: Distance) -> float:
    """Return the p of a distance of Minkowski's family."""
    if distance.kernel == _core.Kernel.manhattan:
        return 1.0
    if distance.kernel == _core.Kernel.chebyshev:
        return np.inf
    return distance.p


def _origin(X: Data) -> FloatArray:
    """Return a point among the data: differences from it lose no digits that distances need."""
    return np.asarray(X.mean(axis=0, dtype=np.float64))


def _as_numbers(distance: Distance, name: str) -> FloatArray:
    try:
        numbers = np.asarray(distance.values[name], dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        numbers = np.array(np.nan)
    if not np.isfinite(numbers).all():
        raise InvalidParameter(f"{name} of {distance.name} must be an array of finite numbers.")
    return numbers


def _numbers_per_column(distance: Distance, name: str, n_columns: int) -> FloatArray:
    numbers = _as_numbers(distance, name)
    if numbers.shape != (n_columns,):
        raise InvalidParameter(
            f"{name} of {distance.name} must have one number per column, shape {(n_columns,)}, "
            f"got shape {numbers.shape}."
        )
    return numbers


def _variances(X: Data, Y: Data | None, who: str) -> FloatArray:
    n_rows = len(X) + (0 if Y is None else len(Y))
    if n_rows < 2:
        raise InvalidData(f"{who} needs two rows to learn variances, got {n_rows}. Give V.")
    mean, variance = _moments(X)
    if Y is None:
        return np.asarray(variance * (n_rows / (n_rows - 1)))
    other_mean, other_variance = _moments(Y)
    between = (mean - other_mean) ** 2 * (len(X) * len(Y) / n_rows)
    return np.asarray((len(X) * variance + len(Y) * other_variance + between) / (n_rows - 1))


def _moments(X: Data) -> tuple[FloatArray, FloatArray]:
    moments = _core.column_moments(X)
    return np.asarray(moments.mean), np.asarray(moments.variance)


def _inverse_covariance(X: Data, Y: Data | None, who: str) -> FloatArray:
    rows = np.asarray(X if Y is None else np.vstack([X, Y]), dtype=np.float64)
    n_rows, n_columns = rows.shape
    if n_rows <= n_columns:
        raise InvalidData(
            f"{who} needs more rows than columns to learn a covariance, got {n_rows} rows and {n_columns} "
            f"columns. Give VI, e.g. sklearn.covariance.LedoitWolf().fit(X).precision_."
        )
    covariance = np.atleast_2d(np.cov(rows, rowvar=False))
    scale = _deviations(covariance)
    correlations = covariance / np.outer(scale, scale)
    eigenvalues = stoppable(np.linalg.eigvalsh, correlations)
    if eigenvalues[0] <= SINGULAR * eigenvalues[-1]:
        raise InvalidData(
            f"the covariance of X is singular: some column is constant or a combination of others, and {who} "
            f"divides by it. Leave such columns out, or give VI, e.g. numpy.linalg.pinv(numpy.cov(X.T))."
        )
    return np.asarray(stoppable(np.linalg.inv, correlations) / np.outer(scale, scale))


def _deviations(matrix: FloatArray) -> FloatArray:
    """Return the units of the columns of a covariance: they must not decide what is singular."""
    roots = np.sqrt(np.abs(np.diagonal(matrix)))
    return np.where(roots > 0, roots, 1.0)
