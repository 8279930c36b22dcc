"""Columns of categories: which texts are, what their codes stand for, and whether they tell anything."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from coterie._printing import shortened
from coterie._support.optional import require
from coterie._support.threads import one_thread
from coterie._support.typing import AnyArray, FloatArray, Indices, PolarsSeries
from coterie.data.cells import YES_NO, yes_or_no
from coterie.data.schema import kind_of_code

if TYPE_CHECKING:
    from coterie.data.columns import Look

Levels: TypeAlias = tuple[tuple[str, ...] | None, ...]  # of each column; None: numbers
MOST_CATEGORIES = 50
ROWS_PER_CATEGORY = 5  # on average: a text that hardly repeats names rows rather than kinds of them
YES_OR_NO = ("no", "yes")
UNSEEN = -1.0  # code of a category that was not there when groups were found: it differs from all others
SHOWN = 3
NOT_ASSOCIATED = "not associated with the other columns"
SHUFFLES = 100  # of the rows of a column: what association chance gives
FAR = 6.0  # standard deviations beyond that, from which two columns are associated
MOST_ROWS = 5_000  # that association is measured on


def why_no_category(series: PolarsSeries, *, is_kept: bool = False) -> str | None:
    """Return why a column of text is not used as categories; None where it is.

    Examples
    --------
    >>> import polars
    >>> why_no_category(polars.Series("plan", ["free", "pro"] * 10)) is None
    True
    >>> why_no_category(polars.Series("city", [f"town {at}" for at in range(20)]))
    'text with 20 different values'
    """
    n_different = int(series.drop_nulls().n_unique())
    return why_not(series.name, n_different, len(series), is_kept=is_kept)


def why_not(name: str, n_different: int, n_rows: int, *, is_kept: bool = False, more: str = "") -> str | None:
    """Return why so many different texts in so many rows are not categories; None where they are.

    Examples
    --------
    >>> why_not("city", 20, 20), why_not("city", 9, 20, more="more than ")
    ('text with 20 different values', 'text with more than 9 different values')
    >>> why_not("plan", 2, 9)
    'text that repeats too little: 2 values in 9 rows'
    """
    if n_different < 2 and not is_kept:
        return "constant"
    if n_different > MOST_CATEGORIES or (not is_kept and n_different * ROWS_PER_CATEGORY > n_rows):
        if not more and 2 * n_different <= n_rows and n_different <= MOST_CATEGORIES:
            return f"text that repeats too little: {n_different} values in {n_rows} rows"
        return f"text with {more}{n_different:,} different values"
    return None if is_kept else kind_of_code(name, n_different, n_rows)


def is_category(look: Look) -> bool:
    """Return whether a column holds text of few values, which stand for kinds of rows."""
    return bool(look.is_text) and look.why_no_category() is None


def is_yes_no(look: Look) -> bool:
    """Return whether a column holds yes and no, in words or not."""
    if look.numbers is None:
        return False
    return str(look.series.dtype) == "Boolean" or (look.reading is not None and look.reading.kind == YES_NO)


def texts_of(series: PolarsSeries) -> PolarsSeries:
    """Return a column of text or categories as text without blanks around it; an empty cell is missing."""
    polars = require("polars", extra="cli", purpose="Reading tables")
    if series.dtype.is_float() and (series.fill_nan(None).drop_nulls() % 1 == 0).all():
        series = series.fill_nan(None).cast(polars.Int64, strict=False)  # 2.0 is the category "2" of a file
    texts = series.cast(polars.String).str.strip_chars()
    return texts.set(texts == "", None)


def levels_of(look: Look) -> tuple[str, ...]:
    """Return the categories of a column, sorted."""
    if is_yes_no(look):
        return YES_OR_NO
    return tuple(look.text_levels())


def levels_in(series: PolarsSeries) -> tuple[str, ...]:
    """Return the different texts of a column, sorted."""
    return tuple(sorted(texts_of(series).drop_nulls().unique().to_list()))


def codes_of(look: Any, levels: Sequence[str]) -> tuple[FloatArray, list[str]]:
    """Return the code of each cell, NaN where one is missing, and the values that have none.

    Parameters
    ----------
    look : Look
        What the column holds.
    levels : sequence of str
        What the codes 0, 1, ... stand for.
    """
    polars = require("polars", extra="cli", purpose="Reading tables")
    if tuple(levels) == YES_OR_NO and is_yes_no(look):
        numbers = look.numbers.cast(polars.Float64).to_numpy()
        return np.asarray(numbers, dtype=np.float64), []
    texts = texts_of(look.series)
    if tuple(levels) == YES_OR_NO:
        texts = yes_or_no(texts)
    places = {level: float(code) for code, level in enumerate(levels)}
    codes = texts.replace_strict(places, default=UNSEEN, return_dtype=polars.Float64)
    codes = polars.select(polars.when(texts.is_null()).then(None).otherwise(codes)).to_series()
    new = texts.filter((codes == UNSEEN).fill_null(False)).unique().sort().to_list()
    return codes.cast(polars.Float64).fill_null(float("nan")).to_numpy().astype(np.float64), new


def note_unseen(new: dict[str, list[str]]) -> str:
    """Return what to say about categories that were not there when groups were found; or nothing.

    Examples
    --------
    >>> note_unseen({"plan": ["gold"], "town": []})
    'new categories, which were not in the fit: plan ("gold"); they differ from all others'
    """
    named = [
        f'{shortened(name)} ("{shortened(values[0])}"{", ..." * (len(values) > 1)})'
        for name, values in new.items()
        if values
    ]
    if not named:
        return ""
    listed = ", ".join(named[:SHOWN]) + (" and others" if len(named) > SHOWN else "")
    return f"new categories, which were not in the fit: {listed}; they differ from all others"


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
    with one_thread("blas"):  # thousands of small products: threads would mostly wait for each other
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


def _explained(
    codes: Indices, counts: AnyArray, joined: FloatArray, starts: Indices
) -> npt.NDArray[np.float64]:
    """Return, for each other column, the squares that the categories explain."""
    belongs = np.zeros((len(counts), len(codes)))
    belongs[codes, np.arange(len(codes))] = 1.0
    squares = (np.square(belongs @ joined) / counts[:, None]).sum(axis=0)
    return np.asarray(np.add.reduceat(squares, starts))
