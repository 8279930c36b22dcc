"""Tables under a distance of mixed columns: read, coded, and the distance told what the codes are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from coterie._support.typing import Data, MatrixLike, MetricLike
from coterie._support.validation.parameters import is_number
from coterie._support.yes_no import YES_NO_WORDS
from coterie.distance.catalogue import Distance, find_distance, known_names
from coterie.distance.columns import YES_OR_NO, Column, Value, called, read_columns
from coterie.distance.table import Kind, TableEncoding, checked_codes, column_place, is_coded
from coterie.errors import CoterieError, InvalidData, InvalidParameter


def is_mixed(metric: MetricLike) -> bool:
    """Return whether a `metric=` is a distance of tables with numbers and categories.

    Examples
    --------
    >>> is_mixed("gower"), is_mixed("euclidean")
    (True, False)
    """
    return _domain(metric) == "mixed"


def takes_gaps(metric: MetricLike) -> bool:
    """Return whether a `metric=` is a distance of rows whose cells may be missing.

    Examples
    --------
    >>> takes_gaps("nan_euclidean"), takes_gaps("euclidean")
    (True, False)
    """
    distance = _known(metric)
    return distance is not None and distance.takes_gaps


def takes_table(metric: MetricLike, *tables: object) -> bool:
    """Return whether tables are to be coded: always for a distance of mixed columns, else if they hold names.

    Examples
    --------
    >>> takes_table("hamming", [["red"], ["blue"]]), takes_table("hamming", [[1.0]])
    (True, False)
    """
    domain = _domain(metric)
    return domain == "mixed" or (domain in ("categorical", "boolean") and any(map(_holds_names, tables)))


def takes_categories(metric: MetricLike) -> bool:
    """Return whether a `metric=` is a distance of rows that may hold categories.

    Examples
    --------
    >>> [name for name in ("gower", "hamming", "jaccard", "matching", "euclidean") if takes_categories(name)]
    ['gower', 'hamming', 'jaccard']
    """
    distance = _known(metric)
    return distance is not None and (
        distance.domain in ("mixed", "categorical") or "levels" in distance.values
    )


def holds_categories(metric: MetricLike, X: object) -> bool:
    """Return whether rows under a distance have categories, by name or as codes: then they have no means.

    Examples
    --------
    >>> holds_categories("hamming", [["red"], ["blue"]]), holds_categories("gower", [[1.0], [2.0]])
    (True, False)
    """
    distance = _known(metric)
    if distance is None:
        return False
    kinds, levels = distance.values.get("kinds"), distance.values.get("levels")
    told = kinds if isinstance(kinds, tuple | list) else ()
    if levels is not None or any(kind != "number" for kind in told):
        return True
    return distance.domain in ("mixed", "categorical", "boolean") and _holds_names(X)


def columns_for(metric: MetricLike) -> dict[str, bool]:
    """Return which cells of a table a distance takes, as options of those who read tables.

    Examples
    --------
    >>> columns_for("gower"), columns_for("hamming")["keeps_gaps"]
    ({'categories': True, 'keeps_gaps': True}, False)
    """
    return {"categories": takes_categories(metric), "keeps_gaps": is_mixed(metric)}


def distance_of_levels(distance: Distance, levels: Sequence[tuple[str, ...] | None]) -> Distance:
    """Return the distance of rows of numbers and codes, where `levels` are what the codes stand for.

    Parameters
    ----------
    distance : Distance
        One that takes categories.
    levels : sequence of (tuple of str or None)
        The values of each column, no before yes; None: numbers.

    Examples
    --------
    >>> distance_of_levels(find_distance("jaccard"), [("free", "pro"), ("no", "yes"), None])
    Distance('jaccard', levels=[2, 0, 0])
    """
    if distance.domain == "categorical":  # the share of columns that differ: Gower's, if all are categories
        return find_distance("gower", kinds=("category",) * len(levels))
    is_of_sets = "levels" in distance.values
    kinds = tuple(
        "number" if known is None else _kind_in_set(known) if is_of_sets else "category" for known in levels
    )
    return distance_of_codes(distance, TableEncoding(kinds, tuple(levels)))


def _domain(metric: MetricLike) -> str | None:
    distance = _known(metric)
    return None if distance is None else distance.domain


def _known(metric: MetricLike) -> Distance | None:
    if isinstance(metric, str):
        return find_distance(metric) if metric in known_names() else None
    return metric if isinstance(metric, Distance) else None


def _holds_names(table: object) -> bool:
    if isinstance(table, list | tuple):
        try:
            table = np.asarray(table)
        except ValueError:
            return False
    if table is None or (isinstance(table, np.ndarray) and table.dtype.kind not in "OUS"):
        return False
    try:
        columns = read_columns(table, who="this function")
    except CoterieError:
        return False  # whoever reads it as numbers says what is wrong
    return any(column.levels not in (None, YES_OR_NO) for column in columns)


def learn_table(
    X: MatrixLike, *others: MatrixLike, distance: Distance, who: str
) -> tuple[TableEncoding, Distance]:
    """Return how tables become codes, and the distance of these codes."""
    if distance.domain == "mixed":
        table = TableEncoding.learn(X, *others, kinds=distance.values["kinds"], who=who)
        return table, distance_of_codes(distance, table)
    by_type = TableEncoding.learn(X, *others, who=who).without_order()
    if distance.domain == "categorical":
        return by_type, distance
    if "levels" in distance.values:
        kinds = [_kind_in_set(levels) for levels in by_type.levels]
        table = TableEncoding.learn(X, *others, kinds=kinds, who=who)
        return table, distance_of_codes(distance, table)
    for at, levels in enumerate(by_type.levels):
        if levels is not None and len(levels) > 2:
            raise InvalidData(
                f"{called(by_type.names[at] if by_type.names else None, at)} of X of {who} must be yes or no "
                f"for {distance.name}, got {len(levels)} values. Use the distance hamming, which is the same "
                f"for categories: the share of the columns that differ."
            )
    kinds = ["number" if kind == "number" else "asymmetric" for kind in by_type.kinds]
    return TableEncoding.learn(X, *others, kinds=kinds, who=who), distance


def _kind_in_set(levels: tuple[Value, ...] | None) -> Kind:
    """Return what a column says of a set: a number, yes or no, or which of several values it has."""
    if levels is None:
        return "number"
    has_words = all(isinstance(level, str) for level in levels)
    words = {str(level).strip().lower() for level in levels}
    is_yes_no = any(words <= {*pair, ""} for pair in YES_NO_WORDS) if has_words else len(levels) <= 2
    return "asymmetric" if is_yes_no else "category"


def refuse_missing(coded: Data, distance: str, *, who: str, name: str = "X") -> None:
    """Refuse missing cells under a distance that cannot leave them out."""
    if np.isnan(coded).any():
        row, column = np.argwhere(np.isnan(coded))[0]
        raise InvalidData(
            f"Input {name} contains NaN: row {row}, column {column} of {name} of {who} is missing. The "
            f'distance {distance} needs every cell; metric="gower" leaves missing ones out.'
        )


def distance_of_codes(distance: Distance, table: TableEncoding) -> Distance:
    """Return the distance of rows that the table has coded."""
    if distance.domain == "mixed":
        return _of_mixed_codes(distance, table)
    if "levels" not in distance.values:
        return distance
    n_levels = [
        len(levels or ()) * (kind == "category")
        for kind, levels in zip(table.kinds, table.levels, strict=True)
    ]
    return find_distance(distance, levels=n_levels) if any(n_levels) else distance


def _of_mixed_codes(distance: Distance, table: TableEncoding) -> Distance:
    kinds = tuple("number" if kind == "ordinal" else kind for kind in table.kinds)
    told = {name: value for name, value in distance.told.items() if name not in ("kinds", "w")}
    w = distance.values["w"]
    if isinstance(w, Mapping):
        weights = np.ones(len(kinds))
        names = [None] * len(kinds) if table.names is None else list(table.names)
        for key, value in w.items():
            if not is_number(value):
                raise InvalidParameter(f"w of {distance.name} must be numbers, got {value!r} for {key!r}.")
            weights[column_place(key, names, f"w of {distance.name}")] = value
        w = weights
    return find_distance(distance.name, kinds=kinds, **told, **({} if w is None else {"w": w}))


def _width(columns: Sequence[Column]) -> type[np.floating[Any]]:
    """Return float32 where all numbers of a table are, as for arrays; codes of categories fit either."""
    numbers = [column.values.dtype for column in columns if column.levels is None]
    return np.float32 if numbers and all(kind == np.float32 for kind in numbers) else np.float64


def read_mixed(X: Any, Y: Any, distance: Distance, *, who: str) -> tuple[Data, Data | None, Distance]:
    """Return two tables as coded rows of one type, and the distance of these."""
    kinds = distance.values.get("kinds")
    if is_coded(X, kinds) and (Y is None or is_coded(Y, kinds)):
        coded: Data = checked_codes(X, who=who, name="X")
        others: Data | None = None if Y is None else checked_codes(Y, who=who, name="Y")
    else:
        columns = read_columns(X, who=who)
        new = None if Y is None else read_columns(Y, who=who, name="Y")
        table, distance = learn_table(columns, new, distance=distance, who=who)
        dtype = _width(columns)
        coded = table.encode(columns, who=who).astype(dtype, copy=False)
        others = None if new is None else table.encode(new, who=who, name="Y").astype(_width(new), copy=False)
    if distance.domain != "mixed":
        refuse_missing(coded, distance.name, who=who)
        if others is not None:
            refuse_missing(others, distance.name, who=who, name="Y")
    if others is None:
        return coded, None, distance
    if others.shape[1] != coded.shape[1]:
        raise InvalidData(
            f"X and Y of {who} must have as many columns as each other, got {coded.shape[1]} and "
            f"{others.shape[1]}."
        )
    common = np.promote_types(coded.dtype, others.dtype)
    return coded.astype(common, copy=False), others.astype(common, copy=False), distance
