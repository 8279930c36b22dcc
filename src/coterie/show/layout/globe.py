"""Maps of the Earth: places in a plane of km with equal areas, and its lines of latitude and longitude."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from coterie._support.sphere import EARTH_KM, arcs_to, places_of, vectors_of
from coterie._support.typing import AnyArray, FloatArray

WIDEST = 60.0  # degrees from the centre that are drawn around it; places farther apart need the whole world
LEAST_KM = 0.05  # of a map: a single place has no extent
MARGIN = 0.08  # around the places, of their extent
STEPS = (30.0, 20.0, 10.0, 5.0, 2.0, 1.0, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001)
FEWEST_LINES = 3  # of each direction, where steps allow
POINTS_PER_LINE = 121
EQUAL_EARTH = (1.340264, -0.081106, 0.000893, 0.003796)  # Savric, Patterson and Jenny (2018)


@dataclass(frozen=True)
class Projection:
    """An equal-area map: Lambert's azimuthal one around a centre, or Equal Earth of the whole world.

    Examples
    --------
    >>> Projection(50.0, 10.0, False).project(np.array([[51.0, 10.0]])).round(1).tolist()
    [[0.0, 111.2]]
    """

    # latitude, longitude: the centre, in degrees; of the world, the meridian in the middle
    latitude: float
    longitude: float
    is_world: bool  # whether the whole world is drawn

    def project(self, places: AnyArray) -> FloatArray:
        """Return the places in the plane, in km east and north of the centre."""
        latitude, longitude = np.radians(np.asarray(places, dtype=np.float64)).T
        east = np.remainder(longitude - np.radians(self.longitude) + np.pi, 2 * np.pi) - np.pi
        if self.is_world:
            return EARTH_KM * _equal_earth(latitude, east)
        middle = np.radians(self.latitude)
        cosine = np.sin(middle) * np.sin(latitude) + np.cos(middle) * np.cos(latitude) * np.cos(east)
        factor = EARTH_KM * np.sqrt(2.0 / np.maximum(1.0 + cosine, 1e-12))
        x = factor * np.cos(latitude) * np.sin(east)
        y = factor * (np.cos(middle) * np.sin(latitude) - np.sin(middle) * np.cos(latitude) * np.cos(east))
        return np.column_stack([x, y])


def _equal_earth(latitude: FloatArray, east: FloatArray) -> FloatArray:
    a1, a2, a3, a4 = EQUAL_EARTH
    theta = np.arcsin(np.sqrt(3.0) / 2.0 * np.sin(latitude))
    square = theta * theta
    sixth = square**3
    slope = 9.0 * a4 * sixth * square + 7.0 * a3 * sixth + 3.0 * a2 * square + a1
    x = 2.0 * np.sqrt(3.0) * east * np.cos(theta) / (3.0 * slope)
    return np.column_stack([x, theta * (a1 + a2 * square + sixth * (a3 + a4 * square))])


def projection_for(places: AnyArray) -> Projection:
    """Return the map for places in degrees: around their centre, or of the world where they are far apart.

    Examples
    --------
    >>> projection_for(np.array([[0.0, 179.0], [0.0, -179.0]])).is_world
    False
    >>> projection_for(np.array([[50.0, 10.0], [-34.0, 151.0]]))
    Projection(latitude=0.0, longitude=0.0, is_world=True)
    """
    vectors = vectors_of(places)
    middle = vectors.mean(axis=0)
    if np.dot(middle, middle) > 1e-12 and arcs_to(vectors, middle).max() <= np.radians(WIDEST) * EARTH_KM:
        latitude, longitude = places_of(middle[None])[0].tolist()
        return Projection(latitude, longitude, False)
    return Projection(0.0, 0.0, True)


class Extent(NamedTuple):
    """The part of the plane that is drawn, in km."""

    left: float
    right: float
    low: float
    high: float

    @property
    def width(self) -> float:
        """From left to right."""
        return self.right - self.left


def extent_of(projection: Projection, plane: FloatArray) -> Extent:
    """Return what is drawn of the plane: all places, and some room around them; or the world."""
    if projection.is_world:
        plane = _outline(projection)
    low, high = plane.min(axis=0), plane.max(axis=0)
    span = max(float((high - low).max()), LEAST_KM)
    low, high = (
        (low + high - np.maximum(high - low, 0.5 * span)) / 2,
        (low + high + np.maximum(high - low, 0.5 * span)) / 2,
    )
    room = (0.02 if projection.is_world else MARGIN) * span
    return Extent(float(low[0] - room), float(high[0] + room), float(low[1] - room), float(high[1] + room))


class Line(NamedTuple):
    """A line of latitude or longitude: its points in the plane, where its name stands, and which it is."""

    plane: FloatArray
    name: str
    at: tuple[float, float] | None
    is_parallel: bool


def graticule(projection: Projection, extent: Extent) -> list[Line]:
    """Return the lines of latitude and longitude that cross the extent, at round degrees.

    Examples
    --------
    >>> around = Projection(48.1, 11.6, False)
    >>> lines = graticule(around, Extent(-100.0, 100.0, -100.0, 100.0))
    >>> [line.name for line in lines if line.is_parallel]
    ['47.5° N', '48.0° N', '48.5° N']
    """
    if projection.is_world:
        return _world_lines(projection)
    reach = np.degrees(max(map(abs, extent)) * 1.5 / EARTH_KM)
    south, north = max(-90.0, projection.latitude - reach), min(90.0, projection.latitude + reach)
    nearest_pole = np.cos(np.radians(max(abs(south), abs(north))))
    aside = 180.0 if nearest_pole < 1e-3 else min(180.0, reach / nearest_pole)
    west, east = projection.longitude - aside, projection.longitude + aside
    height = np.degrees((extent.high - extent.low) / EARTH_KM)
    to_pole = np.radians(90.0 - abs(projection.latitude)) * EARTH_KM
    wide = 360.0  # around a pole all meridians meet
    if to_pole > max(map(abs, extent)):
        wide = min(wide, np.degrees(extent.width / EARTH_KM) / np.cos(np.radians(projection.latitude)))
    found = []
    for latitude in _round_numbers(south, north, height):
        path = np.column_stack([np.full(POINTS_PER_LINE, latitude), np.linspace(west, east, POINTS_PER_LINE)])
        found.append(_line(projection, path, extent, _degrees(latitude, height, "NS"), is_parallel=True))
    for longitude in _round_numbers(west, east, wide):
        path = np.column_stack(
            [np.linspace(south, north, POINTS_PER_LINE), np.full(POINTS_PER_LINE, longitude)]
        )
        turned = (longitude + 180.0) % 360.0 - 180.0
        found.append(_line(projection, path, extent, _degrees(turned, wide, "EW"), is_parallel=False))
    return [line for line in found if _is_within(line.plane, extent)]


def _is_within(plane: FloatArray, extent: Extent) -> bool:
    """Return whether a line has a point in the extent."""
    x, y = plane.T
    across, along = (x >= extent.left) & (x <= extent.right), (y >= extent.low) & (y <= extent.high)
    return bool((across & along).any())


def _line(projection: Projection, path: FloatArray, extent: Extent, name: str, *, is_parallel: bool) -> Line:
    plane = projection.project(path)
    return Line(plane, name, _crossing(plane, extent, is_parallel=is_parallel), is_parallel)


def _crossing(plane: FloatArray, extent: Extent, *, is_parallel: bool) -> tuple[float, float] | None:
    """Return where a line crosses the left edge, of a meridian the lower edge; None where it does not."""
    across, along = (0, 1) if is_parallel else (1, 0)
    edge = extent.left if is_parallel else extent.low
    least, most = (extent.low, extent.high) if is_parallel else (extent.left, extent.right)
    sides = plane[:, across] - edge
    for at in np.flatnonzero(sides[:-1] * sides[1:] <= 0).tolist():
        whole = sides[at] - sides[at + 1]
        share = sides[at] / whole if whole else 0.0
        place = float(plane[at, along] + share * (plane[at + 1, along] - plane[at, along]))
        if least <= place <= most:
            return (edge, place) if is_parallel else (place, edge)
    return None


def _world_lines(projection: Projection) -> list[Line]:
    found, around = [], projection.longitude + np.linspace(-179.9999, 179.9999, POINTS_PER_LINE)
    for latitude in range(-60, 61, 30):
        path = np.column_stack([np.full(POINTS_PER_LINE, latitude), around])
        plane = projection.project(path)
        found.append(
            Line(plane, _degrees(latitude, 90.0, "NS"), (float(plane[0, 0]), float(plane[0, 1])), True)
        )
    for east in range(-120, 121, 60):
        path = np.column_stack([np.linspace(-90, 90, POINTS_PER_LINE), np.full(POINTS_PER_LINE, east)])
        plane = projection.project(path)
        found.append(Line(plane, _degrees(east, 90.0, "EW"), (float(plane[0, 0]), float(plane[0, 1])), False))
    return [*found, Line(_outline(projection), "", None, False)]


def _outline(projection: Projection) -> FloatArray:
    """Return the edge of the world: up one side of the last meridian, and down the other."""
    up, side = np.linspace(-90, 90, POINTS_PER_LINE), np.full(POINTS_PER_LINE, 179.9999)
    west = np.column_stack([up, projection.longitude - side])
    east = np.column_stack([up[::-1], projection.longitude + side])
    return projection.project(np.vstack([west, east, west[:1]]))


def _step(span: float) -> float:
    return next((step for step in STEPS if span / step >= FEWEST_LINES), STEPS[-1])


def _round_numbers(low: float, high: float, span: float) -> list[float]:
    """Return round degrees from low to high, so dense that some of them are within a span."""
    step = _step(span)
    first, last = int(np.ceil(low / step - 1e-9)), int(np.floor(high / step + 1e-9))
    return [number * step for number in range(first, last + 1)]


def _degrees(angle: float, span: float, sides: str) -> str:
    """Return an angle as maps write it: 48.5° N, 175° W; 0° and 180° have no side."""
    decimals = max(0, -int(np.floor(np.log10(_step(span)) + 1e-9)))
    side = "" if abs(angle) in (0.0, 180.0) else f" {sides[0] if angle > 0 else sides[1]}"
    return f"{abs(angle):.{decimals}f}°{side}"


def bar_length(extent: Extent) -> float:
    """Return a round length in km, about a fifth of the width.

    Examples
    --------
    >>> bar_length(Extent(0.0, 730.0, 0.0, 500.0))
    100.0
    """
    wanted = extent.width / 5
    power = 10.0 ** np.floor(np.log10(wanted))
    return float(power * max(digit for digit in (1, 2, 5) if digit * power <= wanted))
