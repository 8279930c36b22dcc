"""Tables under a distance of mixed columns: read, coded, and the distance told what the codes are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from coterie._support.typing import Data
from coterie._support.validation.parameters import is_number
from coterie.distance.catalogue import Distance, find_distance, known_names
from coterie.distance.table import TableEncoding, checked_codes, column_place, is_coded
from coterie.errors import InvalidData, InvalidParameter


def is_mixed(metric: Any) -> bool:
    """Return whether a `metric=` is a distance of tables with numbers and categories.

    Examples
    --------
    >>> is_mixed("gower"), is_mixed("euclidean")
    (True, False)
    """
    if isinstance(metric, str):
        return metric in known_names() and find_distance(metric).domain == "mixed"
    return isinstance(metric, Distance) and metric.domain == "mixed"


def learn_table(X: Any, distance: Distance, *, who: str) -> tuple[TableEncoding, Distance]:
    """Return how a table becomes codes, and the distance of these codes."""
    table = TableEncoding.learn(X, kinds=distance.values["kinds"], who=who)
    return table, of_codes(distance, table)


def of_codes(distance: Distance, table: TableEncoding) -> Distance:
    """Return the distance of rows that the table has coded."""
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


def read_mixed(X: Any, Y: Any, distance: Distance, *, who: str) -> tuple[Data, Data | None, Distance]:
    """Return two tables as coded rows of one type, and the distance of these."""
    kinds = distance.values["kinds"]
    if is_coded(X, kinds) and (Y is None or is_coded(Y, kinds)):
        coded: Data = checked_codes(X, who=who, name="X")
        others: Data | None = None if Y is None else checked_codes(Y, who=who, name="Y")
    else:
        table = TableEncoding.learn(X, Y, kinds=kinds, who=who)
        coded, distance = table.encode(X, who=who), of_codes(distance, table)
        others = None if Y is None else table.encode(Y, who=who, name="Y")
    if others is None:
        return coded, None, distance
    if others.shape[1] != coded.shape[1]:
        raise InvalidData(
            f"X and Y of {who} must have as many columns as each other, got {coded.shape[1]} and "
            f"{others.shape[1]}."
        )
    common = np.promote_types(coded.dtype, others.dtype)
    return coded.astype(common, copy=False), others.astype(common, copy=False), distance
