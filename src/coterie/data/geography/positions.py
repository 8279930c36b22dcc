"""Where groups are on the Earth: centre in degrees, radius in km."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from coterie._support.declarations import held, saved
from coterie._support.sphere import arcs_to, places_of, vectors_of
from coterie._support.typing import AnyArray, FloatArray, JsonObject, Labels
from coterie._support.validation.schema import Tensor, Text

if TYPE_CHECKING:
    from coterie.data.geography.places import Place
    from coterie.data.prepared import PreparedRows

DEGREE_KM = 111.2  # of latitude: decimals of a centre follow the radius


@saved(eq=False)
class Positions:
    """The groups of a position: a centre each, and how far their rows are from it.

    Parameters
    ----------
    latitude, longitude : str
        The two columns of the table.
    centers : array of shape (k, 2)
        Latitude and longitude, in degrees, of the direction in which a group's rows are on average.
    radii : array of shape (k, 2)
        Distance in km from the centre within which half of the rows are, and all.
    """

    latitude: str = held(Text())
    longitude: str = held(Text())
    centers: FloatArray = held(Tensor("groups", 2, kind="f8", allow="nan", may_be_empty=True))
    radii: FloatArray = held(Tensor("groups", 2, kind="f8", allow="nan", low=0, may_be_empty=True))

    @property
    def columns(self) -> tuple[str, str]:
        """The two columns of the table."""
        return self.latitude, self.longitude

    def words(self, group: int) -> str:
        """Say where a group (counted from 0) is."""
        half, most = self.radii[group].tolist()
        if math.isnan(most):
            return "of no known position"
        latitude, longitude = self.centers[group].tolist()
        return f"around {place_text(latitude, longitude, half)}, {radius_text(half, most)}"

    def facts(self, group: int) -> JsonObject:
        """Return the same as plain values."""
        (latitude, longitude), (half, most) = self.centers[group].tolist(), self.radii[group].tolist()
        return {
            "columns": list(self.columns),
            "latitude": latitude,
            "longitude": longitude,
            "half_within_km": half,
            "all_within_km": most,
        }


def place_text(latitude: float, longitude: float, within: float = 0.0) -> str:
    """Return a place in degrees, with as many decimals as a radius in km leaves of use.

    Examples
    --------
    >>> place_text(48.13743, 11.57549, 3.0), place_text(-33.9, -70.6, 900.0)
    ('48.137° N, 11.575° E', '33.9° S, 70.6° W')
    """
    decimals = 4 if within <= 0 else min(5, max(0, 1 - math.floor(math.log10(within / DEGREE_KM))))
    north, east = "N" if latitude >= 0 else "S", "E" if longitude >= 0 else "W"
    return f"{abs(latitude):.{decimals}f}° {north}, {abs(longitude):.{decimals}f}° {east}"


def radius_text(half: float, most: float) -> str:
    """Say how far rows are from their centre.

    Examples
    --------
    >>> radius_text(3.14159, 1284.2), radius_text(0.0, 0.0)
    ('half within 3.1 km, all within 1,300 km', 'all in one place')
    """
    if most <= 0:
        return "all in one place"
    return f"half within {_km(half)}, all within {_km(most)}"


def _km(distance: float) -> str:
    """Return a distance with two digits, in m below a km."""
    if distance <= 0:
        return "0 m"
    unit, value = ("km", distance) if distance >= 1 else ("m", 1000.0 * distance)
    decimals = 1 - math.floor(math.log10(value))
    return f"{round(value, decimals):,.{max(0, decimals)}f} {unit}"


def middle_longitude(vectors: AnyArray) -> float:
    """Return the longitude of the mean direction of vectors."""
    return float(places_of(np.asarray(vectors).mean(axis=0)[None])[0, 1])


def unwrapped_places(vectors: AnyArray, middle: float | None = None) -> FloatArray:
    """Return latitudes and longitudes of vectors, without a jump of longitude among them where possible.

    The longitudes are those within half a turn of the middle, by default that of the mean direction, so that
    groups on both sides of the date line have a mean.

    Examples
    --------
    >>> from coterie._support.sphere import vectors_of
    >>> unwrapped_places(vectors_of([[0.0, 179.0], [0.0, -179.0]])).round(6).tolist()
    [[0.0, 179.0], [0.0, 181.0]]
    """
    places = places_of(vectors)
    is_known = ~np.isnan(places).any(axis=1)
    if not is_known.any():
        return places
    middle = middle_longitude(np.asarray(vectors)[is_known]) if middle is None else middle
    around = (places[:, 1] - middle + 180.0) % 360.0 - 180.0
    is_apart = np.abs(places[:, 1] - middle) > 180.0  # others keep their digits
    return np.column_stack([places[:, 0], np.where(is_apart, middle + around, places[:, 1])])


def in_degrees(
    columns: Sequence[str], X: Any, places: Sequence[Place], middles: Sequence[float] | None = None
) -> tuple[tuple[str, ...], Any]:
    """Return columns and rows with latitude and longitude, last, in the place of the axes of positions.

    Longitudes are those around `middles`, one per position; None: around the mean direction of these rows.
    """
    names = tuple(columns)
    around: Sequence[float | None] = [None] * len(places) if middles is None else middles
    for place, middle in zip(places, around, strict=True):
        at = [names.index(name) for name in place.axes]
        rest = [column for column in range(len(names)) if column not in at]
        names = (*(names[column] for column in rest), *place.columns)
        X = np.column_stack([X[:, rest], unwrapped_places(X[:, at], middle)])
    return names, X


def with_positions(profile: Any, prepared: PreparedRows, labels: Labels) -> Any:
    """Return a profile that says where the groups are."""
    found = []
    if prepared.angles is not None:
        vectors = vectors_of(prepared.points, in_degrees=False)
        centers, radii = group_positions(vectors, labels, len(profile.sizes))
        found.append(Positions(*prepared.angles.columns, centers, radii))
    for place in prepared.places:
        at = [prepared.choice.used.index(name) for name in place.axes]
        vectors = np.asarray(prepared.complete.X[:, at], dtype=np.float64)
        centers, radii = group_positions(vectors, labels, len(profile.sizes))
        found.append(Positions(place.latitude, place.longitude, centers, radii))
    return replace(profile, positions=tuple(found))


def note_turns(profile: Any) -> tuple[str, ...]:
    """Say that longitudes in means and rules go on beyond 180, where groups lie across the date line."""
    said = []
    for each in profile.positions:
        if each.longitude in profile.columns:
            means = profile.means[:, profile.columns.index(each.longitude)]
            beyond = means[np.abs(means) > 180.0]
            if len(beyond):
                told = f"{beyond[0]:.1f} is {(beyond[0] + 180.0) % 360.0 - 180.0:.1f}"
                said.append(f"{each.longitude} is counted on across the date line in means and rules: {told}")
    return tuple(said)


def group_positions(vectors: FloatArray, labels: Labels, k: int) -> tuple[FloatArray, FloatArray]:
    """Return the centre of each group in degrees, and its radii in km: of half of its rows, and of all.

    Examples
    --------
    >>> from coterie._support.sphere import vectors_of
    >>> vectors = vectors_of([[0.0, 179.0], [0.0, -179.0], [10.0, 20.0]])
    >>> centers, radii = group_positions(vectors, np.array([0, 0, 1]), 2)
    >>> np.abs(centers).round(6).tolist(), radii.round(1).tolist()
    ([[0.0, 180.0], [10.0, 20.0]], [[111.2, 111.2], [0.0, 0.0]])
    """
    centers, radii = np.full((k, 2), np.nan), np.full((k, 2), np.nan)
    for group in range(k):
        own = vectors[labels == group]
        own = own[~np.isnan(own).any(axis=1)]
        if not len(own):
            continue
        middle = own.mean(axis=0)
        if not middle.any():  # rows all around the Earth: every centre is as good
            middle = own[0]
        arcs = arcs_to(own, middle)
        centers[group] = places_of(middle[None])[0]
        radii[group] = np.median(arcs), arcs.max()
    return centers, radii
