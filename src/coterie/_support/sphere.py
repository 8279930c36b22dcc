"""Places on the Earth as vectors, and vectors as places."""

from __future__ import annotations

import numpy as np

from coterie import _core
from coterie._support.typing import AnyArray, FloatArray

EARTH_KM = 6371.0088  # mean radius of the Earth (IUGG 1980)


def vectors_of(places: AnyArray, *, in_degrees: bool = True) -> FloatArray:
    """Return the unit vectors of latitudes and longitudes; NaN where one of them is missing.

    Examples
    --------
    >>> vectors_of(np.array([[0.0, 90.0], [90.0, 0.0]])).round(3) + 0.0
    array([[0., 1., 0.],
           [0., 0., 1.]])
    """
    known = np.ascontiguousarray(places, dtype=np.float64)
    is_missing = np.asarray(~np.isfinite(known).all(axis=1))
    if not is_missing.any():
        return np.asarray(_core.unit_vectors(known, in_degrees))
    found = np.asarray(_core.unit_vectors(np.where(is_missing[:, None], 0.0, known), in_degrees))
    found[is_missing] = np.nan
    return found


def places_of(vectors: AnyArray) -> FloatArray:
    """Return the latitudes and longitudes, in degrees, in which vectors of any length point.

    Examples
    --------
    >>> places_of(np.array([[0.0, 2.0, 0.0], [-1.0, 0.0, 1.0]]))
    array([[  0.,  90.],
           [ 45., 180.]])
    """
    x, y, z = np.asarray(vectors, dtype=np.float64).T
    return np.asarray(np.degrees(np.column_stack([np.arctan2(z, np.hypot(x, y)), np.arctan2(y, x)])))


def arcs_to(vectors: AnyArray, centre: AnyArray) -> FloatArray:
    """Return the great-circle distances, in km, of directions from that of one vector.

    Examples
    --------
    >>> arcs_to(np.array([[0.0, 3.0, 0.0]]), np.array([1.0, 0.0, 0.0])).round(1)
    array([10007.6])
    """
    units = np.asarray(vectors, dtype=np.float64)
    units = units / np.sqrt(np.einsum("ij,ij->i", units, units))[:, None]
    middle = np.asarray(centre, dtype=np.float64) / np.sqrt(np.dot(centre, centre))
    apart, together = units - middle, units + middle
    half = np.arctan2(
        np.sqrt(np.einsum("ij,ij->i", apart, apart)), np.sqrt(np.einsum("ij,ij->i", together, together))
    )
    return np.asarray(2.0 * EARTH_KM * half)
