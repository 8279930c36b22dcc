"""What the state of a class holds, declared field by field, so that no file is trusted.

A schema maps the names of a state to fields. Fields are constraints of single values (`Whole`, `Choice`,
`Text`, ...), arrays (`Tensor`, `Texts`), and what is made of fields (`Maybe`, `ListOf`, `Record`, ...).
Arrays name their dimensions; a name has one size in the whole state, whichever field says it first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np
from scipy.sparse import issparse

from coterie._printing import count_of
from coterie._support.typing import AnyArray, Settings, VectorLike
from coterie._support.validation.data import largest_safe
from coterie._support.validation.parameters import Choice, Constraint, Flag, Whole, is_number, is_whole
from coterie.errors import ModelFileError

Dimension: TypeAlias = str | int | None  # "rows", "rows-1", a fixed size, or any size

_FLOATS = ("float32", "float64")
KINDS: Mapping[str, tuple[str, ...]] = {
    "f": _FLOATS,
    "f8": ("float64",),
    "i": ("int32", "int64"),
    "i4": ("int32",),
    "i8": ("int64",),
    "n": ("int32", "int64", *_FLOATS),
    "any": ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", *_FLOATS),
}
LARGEST_WHOLE = 2**63 - 1  # what native code and NumPy count with
_DIMENSION = re.compile(r"([a-z_ ]+?)([+-]\d+)?")


class Scope:
    """One state while it is checked: whose it is, the sizes known so far, and checks that wait for them."""

    def __init__(self, who: str) -> None:
        self.who = who
        self.sizes: dict[str, tuple[int, str]] = {}
        self.later: list[Callable[[], None]] = []
        self.has_table = False  # whether rows are those of a table, whose cells may be missing

    def size(self, dimension: str) -> int | None:
        """Return the size of a dimension such as "rows-1", None while it is not known."""
        name, shift = _parse(dimension)
        return self.sizes[name][0] + shift if name in self.sizes else None

    def agree(self, dimension: str, size: int, place: str, *, may_be_empty: bool = True) -> None:
        """Take the size as that of a dimension, or refuse one that contradicts what is known."""
        name, shift = _parse(dimension)
        if name not in self.sizes:
            if size - shift < 0 or (size == 0 and not may_be_empty):
                raise wrong(place, self.who, f"have at least one of its {name}", size)
            self.sizes[name] = (size - shift, place)
            return
        known, origin = self.sizes[name]
        if size != known + shift:
            raise wrong(place, self.who, f"have {known + shift:,} {name}, as {origin} says", f"{size:,}")

    def known(self) -> dict[str, int]:
        """Return the sizes by name."""
        return {name: size for name, (size, _) in self.sizes.items()}


class Field:
    """Something that a state holds; unlike a constraint, it may depend on other fields."""

    def check(self, value: object, place: str, scope: Scope) -> None:
        """Refuse a value that does not fit; checks that need all sizes go to ``scope.later``."""
        raise NotImplementedError


Schema: TypeAlias = Mapping[str, Field | Constraint]


class Tensor(Field):
    """An array of numbers.

    Parameters
    ----------
    *shape : str, int or None
        Named dimensions ("rows", "rows-1"), fixed sizes, or None for any size.
    kind : str, default="f"
        A name of `KINDS`.
    allow : {"", "inf", "nan", "all"}, default=""
        Whether there may be infinite numbers, missing ones (NaN), or both.
    low, high : number, default=None
        Least and greatest value.
    above : number, default=None
        What every value must exceed.
    below : str, default=None
        The dimension that the values are indices of.
    may_be_empty : bool, default=False
        Whether a dimension that it names first may be 0.
    sparse : bool, default=False
        Whether a CSR matrix may stand for it.
    of_table : bool, default=False
        Whether it holds rows of the fit, whose cells may be missing where the state has a `_table` or
        `_has_gaps`.
    """

    def __init__(
        self,
        *shape: Dimension,
        kind: str = "f",
        allow: str = "",
        low: float | None = None,
        high: float | None = None,
        above: float | None = None,
        below: str | None = None,
        may_be_empty: bool = False,
        sparse: bool = False,
        of_table: bool = False,
    ) -> None:
        self.shape, self.kinds, self.allow = shape, KINDS[kind], allow
        self.low, self.high, self.above, self.below = low, high, above, below
        self.may_be_empty, self.sparse, self.of_table = may_be_empty, sparse, of_table

    def check(self, value: Any, place: str, scope: Scope) -> None:
        is_sparse = self.sparse and issparse(value)
        if not (isinstance(value, np.ndarray) or is_sparse):
            raise wrong(place, scope.who, "be an array of numbers", _kind_of(value))
        if value.dtype.name not in self.kinds:
            raise wrong(place, scope.who, f"be an array of {' or '.join(self.kinds)}", value.dtype.name)
        if value.ndim != len(self.shape):
            raise wrong(place, scope.who, f"have {count_of(len(self.shape), 'dimension')}", value.ndim)
        for dimension, size in zip(self.shape, value.shape, strict=True):
            if isinstance(dimension, str):
                scope.agree(dimension, size, place, may_be_empty=self.may_be_empty)
            elif dimension is not None and size != dimension:
                raise wrong(place, scope.who, f"have {dimension} numbers in each row", size)
        numbers = value.data if is_sparse else value
        scope.later.append(lambda: self._check_numbers(numbers, place, scope))

    def _check_numbers(self, numbers: AnyArray, place: str, scope: Scope) -> None:
        if numbers.dtype.kind == "f":
            is_nan = np.isnan(numbers)
            may_be_missing = self.allow in ("nan", "all") or (self.of_table and scope.has_table)
            if not may_be_missing and is_nan.any():
                raise wrong(place, scope.who, "hold finite numbers", "NaN")
            if self.allow not in ("inf", "all") and np.isinf(numbers).any():
                raise wrong(place, scope.who, "hold finite numbers", "infinity")
            numbers = numbers[~is_nan] if is_nan.any() else numbers
        if not numbers.size:
            return
        least, greatest = numbers.min(), numbers.max()
        most = None if self.below is None else scope.size(self.below)
        if self.low is not None and least < self.low:
            raise wrong(place, scope.who, f"hold numbers of at least {self.low}", least)
        if self.above is not None and least <= self.above:
            raise wrong(place, scope.who, f"hold numbers above {self.above}", least)
        if self.high is not None and greatest > self.high:
            raise wrong(place, scope.who, f"hold numbers of at most {self.high}", greatest)
        if most is not None and greatest >= most:
            raise wrong(place, scope.who, f"hold numbers below {most:,}, its {self.below}", greatest)


class Size(Field):
    """A whole number that is the size of a dimension."""

    def __init__(self, dimension: str, least: int = 0) -> None:
        self.dimension, self.least = dimension, least

    def check(self, value: Any, place: str, scope: Scope) -> None:
        if not is_whole(value) or not self.least <= value <= LARGEST_WHOLE:
            raise wrong(place, scope.who, f"be a whole number of at least {self.least}", shown(value))
        scope.agree(self.dimension, int(value), place)


class Texts(Field):
    """An array of text, as many as a dimension has."""

    def __init__(self, dimension: str | None = None) -> None:
        self.dimension = dimension

    def check(self, value: Any, place: str, scope: Scope) -> None:
        is_text = isinstance(value, np.ndarray) and value.ndim == 1 and value.dtype.kind in "UO"
        if not is_text or not all(isinstance(item, str) for item in value):
            raise wrong(place, scope.who, "be a list of names", _kind_of(value))
        if self.dimension is not None:
            scope.agree(self.dimension, len(value), place)


class Names(Field):
    """An array of labels: whole numbers, numbers or text."""

    def __init__(self, dimension: str | None = None) -> None:
        self.dimension = dimension

    def check(self, value: object, place: str, scope: Scope) -> None:
        Either(
            Tensor(self.dimension, kind="any", allow="all", may_be_empty=True), Texts(self.dimension)
        ).check(value, place, scope)


class Maybe(Field):
    """A field, or None."""

    def __init__(self, field: Field | Constraint) -> None:
        self.field = field

    def check(self, value: object, place: str, scope: Scope) -> None:
        if value is not None:
            check_field(self.field, value, place, scope)


class Sometimes(Maybe):
    """A field that a state may lack."""

    def check(self, value: object, place: str, scope: Scope) -> None:
        check_field(self.field, value, place, scope)


class Either(Field):
    """The first of several fields that takes the value."""

    def __init__(self, *fields: Field | Constraint) -> None:
        self.fields = fields

    def check(self, value: object, place: str, scope: Scope) -> None:
        problem: ModelFileError | None = None
        for field in self.fields:
            sizes, later = dict(scope.sizes), list(scope.later)
            try:
                check_field(field, value, place, scope)
            except ModelFileError as error:
                problem, scope.sizes, scope.later = error, sizes, later
            else:
                return
        assert problem is not None
        raise problem


class ListOf(Field):
    """A list, or with ``kind=tuple`` a tuple, of one field for all."""

    def __init__(
        self,
        field: Field | Constraint,
        dimension: str | None = None,
        *,
        kind: type[list[object]] | type[tuple[object, ...]] = list,
    ) -> None:
        self.field, self.dimension, self.kind = field, dimension, kind

    def check(self, value: object, place: str, scope: Scope) -> None:
        if not isinstance(value, self.kind):
            raise wrong(place, scope.who, f"be a {self.kind.__name__}", _kind_of(value))
        if self.dimension is not None:
            scope.agree(self.dimension, len(value), place)
        for at, item in enumerate(value):
            check_field(self.field, item, f"{place}[{at}]", scope)


class Several(Field):
    """A list, or with ``kind=tuple`` a tuple, of different fields."""

    def __init__(
        self, *fields: Field | Constraint, kind: type[list[object]] | type[tuple[object, ...]] = list
    ) -> None:
        self.fields, self.kind = fields, kind

    def check(self, value: object, place: str, scope: Scope) -> None:
        if not isinstance(value, self.kind) or len(value) != len(self.fields):
            raise wrong(place, scope.who, f"be a {self.kind.__name__} of {len(self.fields)}", _kind_of(value))
        for at, (field, item) in enumerate(zip(self.fields, value, strict=True)):
            check_field(field, item, f"{place}[{at}]", scope)


class Record(Field):
    """A dict with certain keys, each with a field of its own."""

    def __init__(self, **fields: Field | Constraint) -> None:
        self.fields = fields

    def check(self, value: object, place: str, scope: Scope) -> None:
        if type(value) is not dict:
            raise wrong(place, scope.who, "be a dict", _kind_of(value))
        _check_names(value, self.fields, f"{place} of {scope.who}")
        for key, field in self.fields.items():
            if key in value:
                check_field(field, value[key], f"{place}.{key}", scope)


class DictOf(Field):
    """A dict of any keys of one field, with values of another."""

    def __init__(self, key: Field | Constraint, value: Field | Constraint) -> None:
        self.key, self.value = key, value

    def check(self, value: object, place: str, scope: Scope) -> None:
        if type(value) is not dict:
            raise wrong(place, scope.who, "be a dict", _kind_of(value))
        for key, item in value.items():
            check_field(self.key, key, f"a key of {place}", scope)
            check_field(self.value, item, f"{place}.{key}", scope)


class Instance(Field):
    """An object of a class; keywords say which of its attributes are sizes of dimensions.

    Examples
    --------
    >>> from fractions import Fraction
    >>> check_state({"share": Fraction(1, 2)}, {"share": Instance(Fraction, denominator="parts")}, who="it")
    {'parts': 2}
    """

    def __init__(self, *kinds: type, **sizes: str) -> None:
        self.kinds, self.sizes = kinds, sizes

    def check(self, value: object, place: str, scope: Scope) -> None:
        if not isinstance(value, self.kinds):
            raise wrong(
                place,
                scope.who,
                f"be {_article(' or '.join(kind.__name__ for kind in self.kinds))}",
                _kind_of(value),
            )
        for attribute, dimension in self.sizes.items():
            size: Any = getattr(value, attribute, None)
            if not is_whole(size):
                raise wrong(f"{place}.{attribute}", scope.who, "be a whole number", shown(size))
            scope.agree(dimension, int(size), f"{place}.{attribute}")


class Estimator(Field):
    """An estimator; where a dimension is named, a fitted one of so many columns."""

    def __init__(self, dimension: str | None = None) -> None:
        self.dimension = dimension

    def check(self, value: object, place: str, scope: Scope) -> None:
        if not hasattr(value, "get_params"):
            raise wrong(place, scope.who, "be an estimator", _kind_of(value))
        if self.dimension is not None:
            if not hasattr(value, "n_features_in_"):
                raise wrong(place, scope.who, "be a fitted estimator", "one that is not")
            scope.agree(self.dimension, int(value.n_features_in_), f"{place}.n_features_in_")


class Savable(Field):
    """A value of a class of a room above, by its name."""

    def __init__(self, kind: str) -> None:
        self.kind = kind

    def check(self, value: object, place: str, scope: Scope) -> None:
        if type(value).__name__ != self.kind:
            raise wrong(place, scope.who, f"be a {self.kind}", _kind_of(value))


class Text(Constraint):
    """Any text."""

    def accepts(self, value: object) -> bool:
        return isinstance(value, str)

    def describe(self) -> str:
        return "text"


class Real(Constraint):
    """A number that may be infinite; with ``nan=True`` also NaN."""

    def __init__(self, least: float | None = None, *, nan: bool = False) -> None:
        self.least, self.nan = least, nan

    def accepts(self, value: Any) -> bool:
        if not is_number(value):
            return False
        return self.nan if value != value else self.least is None or value >= self.least

    def describe(self) -> str:
        return "a number" + ("" if self.least is None else f" of at least {self.least}")


class FloatType(Constraint):
    """The type of numbers that data have."""

    def accepts(self, value: object) -> bool:
        return isinstance(value, np.dtype) and value.name in KINDS["f"]

    def describe(self) -> str:
        return "float32 or float64"


class Plain(Constraint):
    """Numbers, text, None, arrays, and lists and dicts of them: what a function may be told."""

    def accepts(self, value: object) -> bool:
        if isinstance(value, Mapping):
            return all(isinstance(key, str | int) and self.accepts(item) for key, item in value.items())
        if isinstance(value, list | tuple):
            return all(map(self.accepts, value))
        return value is None or isinstance(value, bool | str | np.ndarray | np.bool_) or is_number(value)

    def describe(self) -> str:
        return "plain values"


class Label(Constraint):
    """What a cluster or class may be called: a number or text."""

    def accepts(self, value: object) -> bool:
        return isinstance(value, str | bool | np.bool_) or is_number(value)

    def describe(self) -> str:
        return "a number or text"


# what scikit-learn and `check_data` set in every fitted estimator
ESTIMATOR: Schema = {
    "n_features_in_": Size("columns", 1),
    "feature_names_in_": Sometimes(Texts("columns")),
    "_table": Sometimes(Maybe(Savable("TableEncoding"))),
    "_has_gaps": Sometimes(Flag()),
    "_sklearn_output_config": Sometimes(DictOf(Text(), Choice("default", "pandas", "polars"))),
}
COUNT = Whole(0, LARGEST_WHOLE)
FLAG = Flag()
NAME = Label()
VALUES = DictOf(Text(), Plain())  # what a distance was told or has learned: it knows what they may be


def check_state(state: Settings, schema: Schema, *, who: str) -> dict[str, int]:
    """Refuse a state that its schema does not describe; return the sizes of its dimensions.

    Examples
    --------
    >>> schema = {"means": Tensor("groups", "columns"), "labels": Tensor("rows", kind="i", below="groups")}
    >>> check_state({"means": np.zeros((2, 3)), "labels": np.array([0, 1, 1])}, schema, who="it")
    {'groups': 2, 'columns': 3, 'rows': 3}
    >>> check_state({"means": np.zeros((2, 3)), "labels": np.array([0, 1, 2])}, schema, who="it")
    Traceback (most recent call last):
    ...
    coterie.errors.ModelFileError: labels of it must hold numbers below 2, its groups, got 2
    """
    _check_names(state, schema, who)
    scope = Scope(who)
    scope.has_table = state.get("_table") is not None or state.get("_has_gaps") is True
    for name, field in schema.items():
        if name in state:
            check_field(field, state[name], name, scope)
    for check in scope.later:
        check()
    return scope.known()


def check_field(field: Field | Constraint, value: object, place: str, scope: Scope) -> None:
    """Check one value against a field or a constraint."""
    if isinstance(field, Field):
        field.check(value, place, scope)
    elif not field.accepts(value):
        raise wrong(place, scope.who, f"be {field.describe()}", shown(value))


def check_starts(starts: AnyArray, total: int, *, who: str, name: str) -> None:
    """Refuse starts of spans that do not lie end to end from 0 to the total.

    Examples
    --------
    >>> check_starts(np.array([0, 2, 2, 5]), 5, who="it", name="starts")
    """
    if starts[0] != 0 or starts[-1] != total or (np.diff(starts) < 0).any():
        raise wrong(name, who, f"rise from 0 to {total:,}", "others")


def wrong(place: str, who: str, must: str, got: object) -> ModelFileError:
    """Return the error for a part of a state.

    Examples
    --------
    >>> str(wrong("labels_", "KMeans", "hold numbers below 3", 7))
    'labels_ of KMeans must hold numbers below 3, got 7'
    """
    return ModelFileError(f"{place} of {who} must {must}, got {got}")


def shown(value: object) -> str:
    """Return a value as a message may show it: on one line, and short."""
    text = repr(value) if isinstance(value, str | int | float | bool | np.generic | None) else _kind_of(value)
    return text if len(text) <= 40 else f"{text[:37]}..."


def _check_names(state: Settings, fields: Schema, who: str) -> None:
    unknown = [key for key in state if key not in fields]
    if unknown:
        raise ModelFileError(f"{who} has no attribute {shown(unknown[0])} to restore")
    for name, field in fields.items():
        if name not in state and not isinstance(field, Sometimes):
            raise ModelFileError(f"{who} lacks {name}")


def _parse(dimension: str) -> tuple[str, int]:
    match = _DIMENSION.fullmatch(dimension)
    assert match is not None, dimension
    return match[1], int(match[2] or 0)


def _kind_of(value: object) -> str:
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype.name} of shape {value.shape}"
    return "None" if value is None else _article(type(value).__name__)


def _article(word: str) -> str:
    return f"{'an' if word[0] in 'aeiouAEIOU' else 'a'} {word}"


def check_squares(array: VectorLike, *, who: str, name: str) -> None:
    """Refuse finite coordinates so large that squared distances to them overflow."""
    values = np.asarray(array)
    if values.dtype.kind != "f" or not values.size:
        return
    safe = largest_safe(values.dtype, (1, values.shape[-1]))
    largest = float(np.nanmax(np.abs(values), initial=0.0))
    if largest > safe:
        raise wrong(name, who, f"hold numbers of at most {safe:.3g}, whose squares fit", f"{largest:.3g}")
