"""Rows that a distance leaves open, and what scikit-learn's labels make of them."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import numpy.typing as npt

from coterie._core import Finish, Kernel
from coterie._support.caller import caller_level
from coterie._support.typing import Data
from coterie.distance import Distance
from coterie.distance.transforms import CentredUnitLength
from coterie.errors import DataNotice

Mask = npt.NDArray[np.bool_]


def has_distances(distance: Distance | None, X: Any) -> Mask | None:
    """Return which dense rows have a distance to others; None for all.

    A constant row has no correlation with any other: for scikit-learn it is near to no row, itself included.
    """
    if distance is None or not isinstance(distance.transform, CentredUnitLength):
        return None
    is_varied = X.max(axis=1) != X.min(axis=1)
    return None if is_varied.all() else np.asarray(is_varied)


def has_neighbours(distance: Distance | None, X: Any, radius: float) -> Mask | None:
    """Return which dense rows can have neighbours within the radius; None for all, or if no row can.

    Two empty sets have no Dice coefficient, and an empty set is at distance 1 from every other.
    """
    is_of_sets = distance is not None and distance.finish is Finish.dice and radius < 1
    is_in = X.any(axis=1) if is_of_sets else has_distances(distance, X)
    return None if is_in is None or is_in.all() or not is_in.any() else np.asarray(is_in)


def note_left_out(is_in: Mask, distance: Distance, who: str) -> None:
    """Tell of rows that are noise because they have no distance."""
    n_out = int((~is_in).sum())
    what = "empty sets" if distance.finish is Finish.dice else "constant"
    warnings.warn(
        f"{n_out:,} of {len(is_in):,} rows of X of {who} are {what}: their {distance.name} distance is "
        f"undefined, and they are noise, as in scikit-learn. Leave them out if they mean nothing.",
        DataNotice,
        stacklevel=caller_level(),
    )


def in_parts(distance: Distance | None, *sets: Data) -> tuple[Data, ...]:
    """Return rows such that their Bray-Curtis distance is that of scikit-learn's trees.

    These divide by sum(|x| + |y|) rather than sum |x + y|. Both agree where nothing is negative: so positive
    and negative parts become columns of their own.
    """
    is_of_amounts = distance is not None and distance.kernel is Kernel.braycurtis
    if not is_of_amounts or all(rows.size == 0 or rows.min() >= 0 for rows in sets):
        return sets
    return tuple(np.hstack([np.maximum(rows, 0), np.maximum(-rows, 0)]) for rows in sets)
