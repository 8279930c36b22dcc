"""What all functions of two sets of rows begin with: check, learn, prepare."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from coterie._support.typing import Data, MatrixLike, MetricLike, ValuesByName
from coterie.distance._range import refuse_opposites
from coterie.distance.catalogue import Distance, find_distance
from coterie.distance.input import input_kind, resolve_rows
from coterie.distance.mixed import read_mixed, takes_table
from coterie.errors import InvalidData, InvalidParameter


@dataclass(frozen=True)
class RowSets:
    """Two sets of rows as the engine takes them; Y is None when they are the same."""

    X: Data
    Y: Data | None
    distance: Distance

    @property
    def others(self) -> Data:
        """The rows that those of X are compared with."""
        return self.X if self.Y is None else self.Y


def prepare_rows(
    X: MatrixLike,
    Y: MatrixLike | None,
    metric: MetricLike,
    params: ValuesByName,
    *,
    who: str,
    takes_sparse: bool = False,
    threads: int = 1,
) -> RowSets:
    """Return checked rows under the transform of the distance, which has learned from all of them."""
    if input_kind(metric) != "data":
        raise InvalidParameter(
            f'metric="{metric}" of {who} says that X is a matrix already; name a distance instead.'
        )
    distance = find_distance(metric, **params)
    if takes_table(distance, X, Y):
        coded_X, coded_Y, distance = read_mixed(X, Y, distance, who=who)
        return _prepared(coded_X, coded_Y, distance, threads)
    checked_X = resolve_rows(X, distance, who=who, takes_sparse=takes_sparse)
    checked_Y = None if Y is None else resolve_rows(Y, distance, who=who, name="Y", takes_sparse=takes_sparse)
    if checked_Y is not None:
        if checked_Y.shape[1] != checked_X.shape[1]:
            raise InvalidData(
                f"X and Y of {who} must have as many columns as each other, got {checked_X.shape[1]} and "
                f"{checked_Y.shape[1]}."
            )
        common = np.promote_types(checked_X.dtype, checked_Y.dtype)
        checked_X, checked_Y = checked_X.astype(common, copy=False), checked_Y.astype(common, copy=False)
    return _prepared(checked_X, checked_Y, distance, threads)


def _prepared(X: Data, Y: Data | None, distance: Distance, threads: int) -> RowSets:
    distance = distance.fit(X, Y)
    prepared_X = distance.prepare(X, threads=threads)
    prepared_Y = None if Y is None else distance.prepare(Y, name="Y", threads=threads)
    if prepared_Y is not None:
        refuse_opposites(distance, prepared_X, prepared_Y, names=("X", "Y"))
    return RowSets(prepared_X, prepared_Y, distance)
