"""Tables of numbers, categories and yes/no as one matrix of numbers and codes, learned once for all rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, TypeAlias

import numpy as np

from coterie._printing import shortened
from coterie._support.caller import warn_caller
from coterie._support.declarations import held, saved
from coterie._support.typing import Data, FloatArray, Indices, MatrixLike, Settings
from coterie._support.validation import Choice
from coterie._support.validation.schema import Label, ListOf, Maybe, Text, wrong
from coterie._support.yes_no import ABSENT
from coterie.distance.columns import Column, Value, called, read_columns
from coterie.errors import DataNotice, InvalidData, InvalidParameter, did_you_mean

Kind: TypeAlias = Literal["number", "ordinal", "category", "asymmetric"]
KINDS: tuple[Kind, ...] = ("number", "ordinal", "category", "asymmetric")
SYMMETRIC = "symmetric"  # yes or no, of which both say as much: a category of two
SHOWN = 3  # columns that a message names
UNSEEN = -1.0  # code of a category that was not there when the table was learned: it differs from all others


@saved()
class TableEncoding:
    """What the columns of a table hold, and the codes of their values.

    Parameters
    ----------
    kinds : tuple of {"number", "ordinal", "category", "asymmetric"}
        One per column.
    levels : tuple of (tuple or None)
        The values that codes 0, 1, ... of a column stand for; None: numbers, which stand for themselves.
    names : tuple of str, or None
        What the columns are called.

    Examples
    --------
    >>> table = TableEncoding.learn([[1.0, "red"], [3.0, "blue"], [None, "red"]])
    >>> table.kinds
    ('number', 'category')
    >>> table.encode([[2.0, "blue"]])
    array([[2., 0.]])
    """

    kinds: tuple[Kind, ...] = held(ListOf(Choice(*KINDS), "columns", kind=tuple))
    levels: tuple[tuple[Value, ...] | None, ...] = held(
        ListOf(Maybe(ListOf(Label(), kind=tuple)), "columns", kind=tuple)
    )
    names: tuple[str, ...] | None = held(Maybe(ListOf(Text(), "columns", kind=tuple)), default=None)

    @classmethod
    def _check_state(cls, state: Settings, sizes: Mapping[str, int]) -> None:
        for at, (kind, levels) in enumerate(zip(state["kinds"], state["levels"], strict=True)):
            if (kind == "number") != (levels is None):
                raise wrong(f"levels[{at}]", cls.__name__, f"suit the kind {kind}", "others")
            if levels is not None and (len(set(levels)) < len(levels) or any(v != v for v in levels)):
                raise wrong(
                    f"levels[{at}]", cls.__name__, "hold different texts or numbers", "NaN or one twice"
                )

    @classmethod
    def learn(
        cls, table: MatrixLike, *others: MatrixLike, kinds: object = None, who: str = "this function"
    ) -> TableEncoding:
        """Return the encoding of tables that have the same columns.

        Parameters
        ----------
        table, *others : frames or array-likes
            None among the others is passed over.
        kinds : sequence, mapping or None, default=None
            One for all, one per column, or by name or number for some: "number", "ordinal", "category",
            "symmetric", "asymmetric", or the values of an ordinal column in their order. None, and
            columns that are not named: by their types.
        who : str
            The caller, for messages.
        """
        given = [table, *(other for other in others if other is not None)]
        read = [read_columns(each, who=who) for each in given]
        if len({len(columns) for columns in read}) > 1:
            counts = " and ".join(str(len(columns)) for columns in read)
            raise InvalidData(f"X and Y of {who} must have as many columns as each other, got {counts}.")
        told = kinds_by_place(kinds, [column.name for column in read[0]], who)
        found = [
            _learn_column([columns[at] for columns in read], told.get(at), at, who)
            for at in range(len(read[0]))
        ]
        names = [column.name for column in read[0]]
        return cls(
            tuple(kind for kind, _ in found),
            tuple(levels for _, levels in found),
            None if None in names else tuple(str(name) for name in names),
        )

    def without_order(self) -> TableEncoding:
        """Return the same with every column that is not a number as a category."""
        kinds: tuple[Kind, ...] = tuple("number" if kind == "number" else "category" for kind in self.kinds)
        return replace(self, kinds=kinds)

    def encode(self, table: MatrixLike, *, who: str = "this function", name: str = "X") -> FloatArray:
        """Return the table as numbers: codes of categories, ordinals and yes/no, NaN where a cell is missing.

        A category that was not learned gets a code that differs from all others, and a value that an ordinal
        or yes/no column does not have is missing; both with a `DataNotice`.
        """
        columns = read_columns(table, who=who, name=name)
        if len(columns) != len(self.kinds):
            raise InvalidData(f"{name} of {who} must have {len(self.kinds)} columns, got {len(columns)}.")
        dtype = np.float32 if all(one.values.dtype == np.float32 for one in columns) else np.float64
        out = np.empty((len(columns[0].values), len(columns)), dtype=dtype)
        unseen = []
        for at, column in enumerate(columns):
            out[:, at], new = self._encode_column(column, at, who, name)
            if new:
                unseen.append(
                    f'{called(column.name, at)} ("{shortened(str(new[0]))}"{", ..." * (len(new) > 1)})'
                )
        if unseen:
            listed = ", ".join(unseen[:SHOWN]) + (" and others" if len(unseen) > SHOWN else "")
            warn_caller(
                f"{name} of {who} has values that were not there when it was fitted, in {listed}. New "
                f"categories differ from all others; new values of ordinal and yes/no columns count as "
                f"missing.",
                DataNotice,
            )
        return out

    def _encode_column(self, column: Column, at: int, who: str, name: str) -> tuple[FloatArray, list[Value]]:
        """Return the codes of a column, and its values that have none."""
        levels = self.levels[at]
        if levels is None:
            if column.levels not in (None, (False, True)):
                raise InvalidData(
                    f"{called(column.name, at)} of {name} of {who} must be numbers, as when it was fitted, "
                    f"got text."
                )
            return np.where(column.is_missing, np.nan, column.values), []
        place_of = {level: code for code, level in enumerate(levels)}
        own, code_of_cell = _values_of(column)
        places = [place_of.get(value, _same_text(value, place_of)) for value in own]
        lost = UNSEEN if self.kinds[at] == "category" else np.nan
        codes = np.array([lost if place is None else place for place in places] + [np.nan], dtype=np.float64)
        is_used = np.zeros(len(own) + 1, dtype=bool)
        is_used[code_of_cell] = True
        new = [
            value for value, place, used in zip(own, places, is_used, strict=False) if place is None and used
        ]
        return codes[code_of_cell], new


def kinds_by_place(kinds: Any, names: Sequence[str | None], who: str) -> dict[int, Any]:
    """Return what was said of columns, by their number."""
    if kinds is None:
        return {}
    if isinstance(kinds, Mapping):
        return {column_place(key, names, f"kinds of {who}"): kind for key, kind in kinds.items()}
    if isinstance(kinds, str):
        return dict.fromkeys(range(len(names)), kinds)
    is_list = isinstance(kinds, Sequence | np.ndarray)
    if not is_list or len(kinds) != len(names):
        got = len(kinds) if is_list else shortened(repr(kinds))
        raise InvalidParameter(
            f"kinds of {who} must be one per column, {len(names)}, or a dict of some, got {got}."
        )
    return dict(enumerate(kinds))


def column_place(key: object, names: Sequence[str | None], what: str) -> int:
    """Return the number of a column that is given by name or number."""
    if isinstance(key, str):
        if key in names:
            return names.index(key)
        known = [name for name in names if name is not None]
        raise InvalidParameter(
            f'{what} names the column "{key}", which is not there.{did_you_mean(key, known)}'
        )
    if not isinstance(key, int | np.integer) or not 0 <= key < len(names):
        raise InvalidParameter(f"{what} must be numbers of columns from 0 to {len(names) - 1}, got {key!r}.")
    return int(key)


def _learn_column(
    parts: Sequence[Column], told: Any, at: int, who: str
) -> tuple[Kind, tuple[Value, ...] | None]:
    """Return the kind of a column, and what its codes stand for."""
    what = called(parts[0].name, at)
    if all(part.is_missing.all() for part in parts):
        raise InvalidData(f"{what} of X of {who} has no values at all. Leave it out.")
    is_named = any(part.levels is not None for part in parts)
    if told is None:
        is_ordered = all(part.levels is not None and part.is_ordered for part in parts)
        told = "ordinal" if is_ordered else "category" if is_named else "number"
    if told == "number":
        if any(part.levels not in (None, (False, True)) for part in parts):
            raise InvalidData(f'{what} of X of {who} is text: its kind cannot be "number".')
        return "number", None
    if isinstance(told, Sequence) and not isinstance(told, str):
        return "ordinal", _given_levels(told, parts, what, who)
    if told not in (*KINDS, SYMMETRIC):
        listed = ", ".join(f'"{kind}"' for kind in (*KINDS, SYMMETRIC))
        raise InvalidParameter(
            f"the kind of {what} of {who} must be {listed} or a list of levels, got {told!r}."
        )
    levels = _levels(parts)
    if told == "ordinal" and is_named and not any(part.is_ordered for part in parts):
        raise InvalidParameter(
            f'{what} of {who} is text without an order: instead of "ordinal" give its levels from low to '
            f"high, such as kinds={{{parts[0].name or at!r}: {list(levels)[:4]!r}}}."
        )
    if told in (SYMMETRIC, "asymmetric") and len(levels) > 2:
        raise InvalidData(f"{what} of X of {who} must have two values to be {told}, got {len(levels)}.")
    if told == "asymmetric" and len(levels) == 1:
        levels = _with_other(levels[0])
    elif told == "asymmetric" and not any(part.is_ordered for part in parts):
        levels = tuple(sorted(levels, key=is_absent, reverse=True))
    return ("category" if told == SYMMETRIC else told), levels


def _with_other(only: Value) -> tuple[Value, ...]:
    """Return absent and present for a column that has but one of them: 0, False and "no" are absent."""
    if not isinstance(only, str):
        return (0, 1)
    return (only,) if is_absent(only) else ("", only)


def is_absent(value: Value) -> bool:
    """Return whether a value of a column of yes and no is a word for no; numbers and booleans are not words.

    Examples
    --------
    >>> is_absent("Nein"), is_absent("ja"), is_absent(0)
    (True, False, False)
    """
    return isinstance(value, str) and value.strip().lower() in ABSENT


def _given_levels(told: Sequence[Any], parts: Sequence[Column], what: str, who: str) -> tuple[Value, ...]:
    levels = tuple(told)
    is_level = [isinstance(level, str | int | float) and level == level for level in levels]  # not NaN
    if not all(is_level) or len(set(levels)) < len(levels):
        raise InvalidParameter(
            f"the levels of {what} of {who} must be different texts or numbers, got {told!r}."
        )
    others = [value for value in _levels(parts) if value not in levels]
    if others:
        raise InvalidParameter(
            f"the levels of {what} of {who} must name all its values, "
            f'"{shortened(str(others[0]))}" is not there.'
        )
    return levels


def _levels(parts: Sequence[Column]) -> tuple[Value, ...]:
    """Return the values of a column in the order that its type says, or sorted."""
    ordered = [part.levels for part in parts if part.levels is not None and part.is_ordered]
    if ordered:
        rest = [level for levels in ordered[1:] for level in levels if level not in ordered[0]]
        return (*ordered[0], *dict.fromkeys(rest))
    found: set[Value] = set()
    for part in parts:
        own, codes = _values_of(part)
        found.update(own[code] for code in np.unique(codes[codes >= 0]) if code < len(own))
    try:
        return tuple(sorted(found))
    except TypeError:
        return tuple(sorted(found, key=str))


def _values_of(column: Column) -> tuple[tuple[Value, ...], Indices]:
    """Return the different values of a column, and which of them each cell has: -1 for a missing one."""
    if column.levels is not None:
        return column.levels, column.values
    is_missing = column.is_missing
    values, codes = np.unique(column.values[~is_missing], return_inverse=True)
    cells = np.full(len(column.values), -1, dtype=np.int64)
    cells[~is_missing] = codes.ravel()
    return tuple(_whole(value) for value in values.tolist()), cells


def _whole(value: float) -> Value:
    return int(value) if value == int(value) else value


def _same_text(value: Value, place_of: Mapping[Value, int]) -> int | None:
    """Return the place of a value that was text when the table was learned and is a number now, or back."""
    if not isinstance(value, str):
        return place_of.get(str(value))
    try:
        return place_of.get(float(value))
    except ValueError:
        return None


def is_coded(table: Any, kinds: Any) -> bool:
    """Return whether a table is numbers already, of which none need to be ranked first."""
    is_numbers = isinstance(table, np.ndarray) and table.ndim == 2 and table.dtype in (np.float64, np.float32)
    is_plain = kinds is None or (
        not isinstance(kinds, Mapping | str)
        and all(kind in ("number", "category", "asymmetric") for kind in kinds)
    )
    return is_numbers and is_plain


def checked_codes(table: Data, *, who: str, name: str) -> Data:
    """Return rows that are coded already, if they are finite or missing."""
    if not table.size:
        what = "sample" if not len(table) else "feature"
        raise InvalidData(
            f"Found array with 0 {what}(s) (shape={table.shape}) while a minimum of 1 is required by {who}: "
            f"{name} is empty."
        )
    if np.isinf(table).any():
        raise InvalidData(f"Input {name} contains infinity: distances of {who} need finite numbers.")
    return np.ascontiguousarray(table)
