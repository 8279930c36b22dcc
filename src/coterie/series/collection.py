"""Time series of any lengths, whatever they come as: lists, arrays, padded arrays, frames, long tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from coterie._printing import shortened
from coterie._support.typing import AnyArray, Indices, MatrixLike
from coterie._support.validation import check_data
from coterie._support.validation.explain import refuse_queries
from coterie.data import Table
from coterie.errors import InvalidData, UnsupportedInput

Points: TypeAlias = npt.NDArray[np.float64]  # (n_points, n_columns)

LARGEST = 1e120  # sums of squares of larger differences come near the end of the range of float64
SHOWN = 3


@dataclass(frozen=True, eq=False)
class SeriesCollection:
    """Series one behind the other, each of one or more points, all with the same columns.

    Parameters
    ----------
    values : array of shape (n_points, n_columns)
        The points of all series.
    starts : array of int of shape (n_series + 1,)
        Series i has the points ``starts[i]`` to ``starts[i + 1]``.
    ids : tuple, default=None
        What the series are called; None: they have no names.

    Examples
    --------
    >>> found = read_series([[1.0, 2.0, 3.0], [4.0, 5.0]])
    >>> len(found), found.lengths.tolist(), found[1].ravel().tolist()
    (2, [3, 2], [4.0, 5.0])
    """

    values: Points
    starts: Indices
    ids: tuple[object, ...] | None = None

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, at: int) -> Points:
        if not -len(self) <= at < len(self):
            raise IndexError(f"there is no series {at}: there are {len(self)}.")
        at %= len(self)
        return self.values[self.starts[at] : self.starts[at + 1]]

    def __iter__(self) -> Iterator[Points]:
        return (self[at] for at in range(len(self)))

    @property
    def lengths(self) -> Indices:
        """Points of each series."""
        return np.diff(self.starts)

    @property
    def n_columns(self) -> int:
        """Numbers at each point."""
        return int(self.values.shape[1])

    @property
    def has_one_length(self) -> bool:
        """Whether all series are equally long."""
        lengths = self.lengths
        return bool((lengths == lengths[0]).all())

    @property
    def shape(self) -> tuple[int, int]:
        """Number of series, and points of the longest."""
        return len(self), int(self.lengths.max())

    def take(self, which: AnyArray) -> SeriesCollection:
        """Return some of the series, by number or by a mask."""
        places = (
            np.flatnonzero(which) if np.asarray(which).dtype == bool else np.asarray(which, dtype=np.intp)
        )
        ids = None if self.ids is None else tuple(self.ids[place] for place in places)
        return collect([self[int(place)] for place in places], ids=ids)

    def to_array(self) -> Points:
        """Return an array of shape (n_series, longest, n_columns), NaN behind the end of a shorter series."""
        out = np.full((*self.shape, self.n_columns), np.nan)
        for at, one in enumerate(self):
            out[at, : len(one)] = one
        return out


def collect(series: Sequence[Points], *, ids: tuple[object, ...] | None = None) -> SeriesCollection:
    """Return checked arrays of shape (n_points, n_columns) as one collection."""
    starts = np.zeros(len(series) + 1, dtype=np.int64)
    np.cumsum([len(one) for one in series], out=starts[1:])
    return SeriesCollection(np.ascontiguousarray(np.concatenate(series), dtype=np.float64), starts, ids)


def read_series(X: MatrixLike, *, who: str = "read_series", name: str = "X") -> SeriesCollection:
    """Return series of any kind as a collection, or say what is wrong with them.

    Parameters
    ----------
    X : SeriesCollection, list, array or DataFrame
        A list of series, each a sequence of numbers or an array of shape (n_points, n_columns), of any
        lengths; an array of shape (n_series, n_points), or (n_series, n_points, n_columns). NaN at the end of
        a row pads a shorter series. A frame is wide: a row is a series. For long tables see
        `series_from_table`.
    who, name : str
        Names to use in messages.

    Examples
    --------
    >>> import numpy as np
    >>> read_series(np.zeros((4, 10, 2))).n_columns
    2
    """
    if isinstance(X, SeriesCollection):
        return X
    what = f"{name} of {who}"
    refuse_queries(X, what)
    if isinstance(X, list | tuple):
        return _of_list(X, what, who, name)
    if getattr(X, "ndim", None) == 3:
        return _of_block(np.asarray(X), what)
    checked = check_data(X, who=who, name=name, may_have_gaps=True, squares=False, may_be_distances=True)
    return _of_block(np.asarray(checked, dtype=np.float64)[:, :, None], what)


def _of_list(series: Sequence[npt.ArrayLike], what: str, who: str, name: str) -> SeriesCollection:
    if not len(series):
        raise InvalidData(f"{what} must hold at least one series, got 0 sample(s): an empty list.")
    if all(np.ndim(one) == 0 for one in series):
        raise InvalidData(
            f"{what} must be a list of series, got a list of {len(series)} single values. Expected 2D array, "
            f"got 1D array instead; one series is [x]. Reshape your data."
        )
    found = [_one(one, f"series {at} of {what}") for at, one in enumerate(series)]
    columns = [one.shape[1] for one in found]
    if len(set(columns)) > 1:
        other = next(at for at, count in enumerate(columns) if count != columns[0])
        raise InvalidData(
            f"{what} must have the same columns in every series: series 0 has {columns[0]}, series {other} "
            f"has {columns[other]}."
        )
    return _checked(found, what)


def _one(one: npt.ArrayLike, what: str) -> Points:
    """Return one series as points in rows, without the NaN that pad it."""
    try:
        values = np.asarray(one)
        if values.dtype.kind not in "biuf":
            if values.dtype.kind in "OUSMmc":
                raise TypeError(f"values of type {values.dtype}")
            raise ValueError(f"values of type {values.dtype}")
        values = values.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise UnsupportedInput(f"{what} must hold numbers, got {shortened(repr(one))} ({error}).") from None
    if values.ndim == 1:
        values = values[:, None]
    if values.ndim != 2 or values.shape[1] == 0:
        raise InvalidData(
            f"{what} must have the shape (n_points,) or (n_points, n_columns), got {values.shape}."
        )
    return _without_padding(values)


def _of_block(block: AnyArray, what: str) -> SeriesCollection:
    if block.dtype.kind not in "biuf":
        raise UnsupportedInput(f"{what} must hold numbers, got values of type {block.dtype}.")
    if 0 in block.shape:
        raise InvalidData(
            f"{what} must have at least one series of one point and one column, got the shape {block.shape}."
        )
    values = np.asarray(block, dtype=np.float64)
    return _checked([_without_padding(one) for one in values], what)


def _without_padding(values: Points) -> Points:
    """Cut the points at the end in which every column is NaN."""
    is_there = ~np.isnan(values).all(axis=1)
    return values[: int(np.flatnonzero(is_there)[-1]) + 1] if is_there.any() else values[:0]


def _checked(series: list[Points], what: str) -> SeriesCollection:
    empty = [at for at, one in enumerate(series) if not len(one)]
    if empty:
        raise InvalidData(
            f"{what}: series {_listed(empty)} {'has' if len(empty) == 1 else 'have'} no points. Leave "
            f"{'it' if len(empty) == 1 else 'them'} out."
        )
    found = collect(series)
    check_values(found, what)
    return found


def check_values(series: SeriesCollection, what: str) -> None:
    """Refuse values that are missing, infinite, or too large to be squared."""
    with np.errstate(invalid="ignore"):
        sound = np.abs(series.values) <= LARGEST
    if sound.all():
        return
    point, column = np.argwhere(~sound)[0]
    at = int(np.searchsorted(series.starts, point, side="right")) - 1
    value = float(series.values[point, column])
    called = f"series {at}" if series.ids is None else f'series "{shortened(series.ids[at])}"'
    where = f"{called} of {what}, point {point - series.starts[at]}"
    if np.isnan(value):
        raise InvalidData(
            f"{where}: Input contains NaN inside a series. Interpolate it, or leave it out; NaN at the end "
            f"of a row pads a shorter series."
        )
    if np.isinf(value):
        raise InvalidData(f"{where}: Input contains infinity. Replace it, or leave the series out.")
    raise InvalidData(
        f"{where}: {value:.3g} is too large, squares of differences would overflow. Divide all series by a "
        f"constant."
    )


def _listed(numbers: Sequence[int]) -> str:
    shown = ", ".join(str(number) for number in numbers[:SHOWN])
    return shown if len(numbers) <= SHOWN else f"{shown}, ... ({len(numbers):,} in all)"


def series_from_table(
    data: object,
    *,
    id: str,
    time: str | None = None,
    value: str | Sequence[str],
    who: str = "series_from_table",
) -> SeriesCollection:
    """Return the series of a long table: a row per point, with columns for the series, the time, the values.

    Parameters
    ----------
    data : Table, path, DataFrame, Arrow table or dict of columns
        The points, in any order.
    id : str
        The column that says to which series a point belongs.
    time : str, default=None
        The column to sort points by; None: they are in order.
    value : str or sequence of str
        The column, or columns, of numbers.

    Returns
    -------
    SeriesCollection
        In the order in which the series first occur, with their ids.

    Examples
    --------
    >>> points = {"who": ["b", "a", "b", "a"], "hour": [2, 1, 1, 2], "kwh": [4.0, 1.0, 3.0, 2.0]}
    >>> found = series_from_table(points, id="who", time="hour", value="kwh")
    >>> found.ids, found[0].ravel().tolist()
    (('b', 'a'), [3.0, 4.0])
    """
    from coterie.data import as_table
    from coterie.data.columns import check_names

    table = as_table(data)
    values = [value] if isinstance(value, str) else list(value)
    if not values:
        raise InvalidData(f"value of {who} must name at least one column.")
    check_names(table.source, table.columns, [id, *([time] if time is not None else []), *values])
    names, number = _codes(table, id)
    numbers = np.asarray(table.matrix(values), dtype=np.float64)
    if np.isnan(numbers).any():
        _refuse_gap(table.source, numbers, values, names, number)
    order = np.argsort(number, kind="stable")
    if time is not None:
        rank = _ranks(table, time)
        order = np.lexsort((rank, number))
        same = (np.diff(number[order]) == 0) & (np.diff(rank[order]) == 0)
        if same.any():
            row = int(order[int(np.flatnonzero(same)[0]) + 1])
            raise InvalidData(
                f'{table.source}: series "{shortened(names[number[row]])}" has two points at the same '
                f'"{shortened(time)}" (row {row + 1}). Average them first, or name another column.'
            )
    counts = np.bincount(number, minlength=len(names))
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    found = SeriesCollection(np.ascontiguousarray(numbers[order]), starts, tuple(names))
    check_values(found, table.source)
    return found


def _codes(table: Table, column: str) -> tuple[list[object], Indices]:
    """Return the different values of a column in the order in which they occur, and each row's number."""
    cells = _cells(table, column)
    missing = [at for at, cell in enumerate(cells) if cell is None or cell != cell]
    if missing:
        raise InvalidData(
            f'{table.source}: column "{shortened(column)}" has no id in row {missing[0] + 1} '
            f"({len(missing):,} rows in all). Leave these rows out, or fill them in."
        )
    number_of: dict[object, int] = {}
    number = np.array([number_of.setdefault(cell, len(number_of)) for cell in cells], dtype=np.intp)
    return list(number_of), number


def _cells(table: Table, column: str) -> list[Any]:
    if table.is_matrix:
        content = np.asarray(table.content)[:, table.columns.index(column)]
        return [int(cell) if float(cell).is_integer() else cell for cell in content.tolist()]
    cells: list[Any] = table.content[column].to_list()
    nested = next((cell for cell in cells if isinstance(cell, list | dict)), None)
    if nested is not None:
        raise InvalidData(
            f'{table.source}: column "{shortened(column)}" must hold a number, a date or text in every row, '
            f"got {shortened(nested)}."
        )
    return cells


def _ranks(table: Any, column: str) -> Indices:
    """Return the rank of each row's time; equal times have equal ranks."""
    cells = _cells(table, column)
    missing = [at for at, cell in enumerate(cells) if cell is None or cell != cell]
    if missing:
        raise InvalidData(
            f'{table.source}: column "{shortened(column)}" has no time in row {missing[0] + 1} '
            f"({len(missing):,} rows in all). Leave these rows out, or fill them in."
        )
    rank_of = {cell: at for at, cell in enumerate(sorted(set(cells)))}
    return np.array([rank_of[cell] for cell in cells], dtype=np.intp)


def _refuse_gap(
    source: str, numbers: Points, columns: Sequence[str], names: Sequence[object], number: Indices
) -> None:
    row, column = np.argwhere(np.isnan(numbers))[0]
    raise InvalidData(
        f'{source}: series "{shortened(names[number[row]])}" has no "{shortened(columns[column])}" in row '
        f"{row + 1}. Leave the row out (series may have different lengths), or fill it in."
    )
