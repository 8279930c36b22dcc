"""Columns of latitude and longitude: recognised by name and range, used as one position on the Earth.

Two angles are not coordinates: a degree of longitude shrinks towards the poles, and 180 is -180. A position
becomes three columns, its x, y and z from the centre of the Earth in km, whose Euclidean distances are the
straight lines through the Earth: up to 1,000 km within 0.1 % of the great circle, and beyond in its order.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from coterie._printing import shortened
from coterie._support.declarations import held, saved
from coterie._support.notes import Note
from coterie._support.optional import require
from coterie._support.sphere import EARTH_KM, vectors_of
from coterie._support.typing import AnyArray, FloatArray
from coterie._support.validation.schema import Text
from coterie.data.scaling import AUTO, Scaling
from coterie.errors import InvalidData, InvalidParameter

if TYPE_CHECKING:
    from coterie.data.table import Table

LATITUDES = ("latitude", "lat")
LONGITUDES = ("longitude", "long", "lng", "lon")
OFF = "off"
AXES = ("x", "y", "z")
PER_RADIAN = 180.0 / np.pi
MOST_DEGREES = (90.0, 360.0)  # of latitude, of longitude


@saved()
class Place:
    """Two columns, in degrees, that are one position.

    Parameters
    ----------
    latitude, longitude : str
        Names of the columns.
    """

    latitude: str = held(Text())
    longitude: str = held(Text())

    @property
    def columns(self) -> tuple[str, str]:
        """The two columns of the table."""
        return self.latitude, self.longitude

    @property
    def axes(self) -> tuple[str, ...]:
        """The names of the three columns that stand for the position, in km."""
        return tuple(f"{self.latitude}, {self.longitude}: {axis}" for axis in AXES)


def check_places(wanted: object) -> str:
    """Return the option `places`, or say what it may be.

    Examples
    --------
    >>> check_places("auto"), check_places("breite,laenge")
    ('auto', 'breite,laenge')
    """
    if isinstance(wanted, str) and (wanted in (AUTO, OFF) or len(_named(wanted)) == 2):
        return wanted
    said = 'must be "auto", "off" or the columns of latitude and longitude, "LAT,LON"'
    raise InvalidParameter(f"places of coterie.fit {said}, got {wanted!r}.").in_shell(
        f"--places must be auto, off or LAT,LON, the columns of latitude and longitude, got {wanted}."
    )


def _named(wanted: str) -> list[str]:
    return [name for name in wanted.split(",") if name]


def find_places(
    table: Table, wanted: str = AUTO, *, columns: Sequence[str] = (), others: Sequence[str] = ()
) -> tuple[tuple[Place, ...], tuple[str, ...]]:
    """Return the positions of a table, and notes about them.

    Parameters
    ----------
    table : Table
        Whose columns are looked at.
    wanted : str, default="auto"
        "auto" finds columns by their names; "off" finds none; "LAT,LON" names the two columns.
    columns : sequence of str
        The only columns to use; none: all.
    others : sequence of str
        Columns that are left out, or used as they are.
    """
    if wanted == OFF or table.is_matrix:
        return (), ()
    if wanted != AUTO:
        return _named_place(table, wanted), ()
    found: list[Place] = []
    notes: list[str] = []
    for place in named_pairs([name for name in columns or table.columns if name not in others]):
        if any(table.looks[name].numbers is None for name in place.columns):
            continue
        problem = what_is_wrong(cells_of(table, place), place)
        if problem is None:
            found.append(place)
            notes.append(note_place(place))
        else:
            notes.append(note_numbers(place, problem))
    return tuple(found), tuple(notes)


def _named_place(table: Table, wanted: str) -> tuple[Place]:
    place = named_place(wanted, table.columns, table.source)
    problem = what_is_wrong(cells_of(table, place), place)
    if problem is not None:
        raise no_position(place, table.source, problem)
    return (place,)


def named_place(wanted: str, columns: Sequence[str], source: str) -> Place:
    """Return the two columns that "LAT,LON" names."""
    from coterie.data.columns import check_names

    place = Place(*_named(wanted))
    check_names(source, columns, place.columns)
    return place


def no_position(place: Place, source: str, problem: str) -> InvalidParameter:
    """Return the error about columns that were named as a position, and are none."""
    way_out = "" if problem.endswith("?") else ". Correct such rows, or leave them out."
    return InvalidParameter(f"{source}: {','.join(place.columns)} is not a position: {problem}{way_out}")


def note_place(place: Place) -> Note:
    """Say that two columns are used as one position."""
    what = f"{' and '.join(place.columns)} (degrees) are used as one position on the Earth, in km"
    options = ('places="off"', "--places off", "coterie fit --places off")
    return Note(*(f"{what}; {option} uses them as two numbers" for option in options))


def named_pairs(columns: Sequence[str]) -> list[Place]:
    """Return columns whose names differ in latitude and longitude only.

    Examples
    --------
    >>> named_pairs(["id", "pickup_lng", "pickup_lat", "Latitude", "LONGITUDE", "flat"])
    [Place(latitude='pickup_lat', longitude='pickup_lng'), Place(latitude='Latitude', longitude='LONGITUDE')]
    """
    found: dict[str, dict[str, str]] = {}
    for name in columns:
        parts = re.split(r"[^a-z0-9]+", re.sub(r"([a-z])([A-Z])", r"\1_\2", name).lower())
        for kind, words in (("latitude", LATITUDES), ("longitude", LONGITUDES)):
            said = [word for word in parts if word in words]
            if len(said) == 1:
                rest = "_".join(word for word in parts if word != said[0])
                found.setdefault(rest, {}).setdefault(kind, name)
    return [Place(**pair) for pair in found.values() if len(pair) == 2]


def cells_of(table: Table, place: Place) -> FloatArray:
    """Return the latitudes and longitudes of a table, NaN where one is missing."""
    return np.asarray(table.matrix(place.columns), dtype=np.float64)


def what_is_wrong(cells: FloatArray, place: Place) -> str | None:
    """Return why two columns are not positions in degrees; None where they are.

    Examples
    --------
    >>> what_is_wrong(np.array([[11.6, 48.1], [151.2, -33.9]]), Place("lat", "lon"))
    'lat is 151.2 in row 2, beyond 90; are the two columns swapped?'
    """
    sizes = np.abs(np.nan_to_num(cells))
    if not len(cells) or np.isnan(cells).all(axis=0).any():
        return "one of them is empty"
    rows = np.argmax(sizes, axis=0)
    return beyond_degrees(sizes.max(axis=0), lambda at: (int(rows[at]), float(cells[rows[at], at])), place)


def beyond_degrees(largest: FloatArray, find: Callable[[int], tuple[int, float]], place: Place) -> str | None:
    """Return which of two columns goes beyond degrees, and where; None where neither does.

    Parameters
    ----------
    largest : array of shape (2,)
        The largest value of each column, whatever its sign.
    find : callable
        Returns the first row, counted from 0, in which a column has it, and the value there.
    place : Place
        The two columns.
    """
    for at, most in enumerate(MOST_DEGREES):
        if largest[at] > most:
            row, value = find(at)
            swapped = "; are the two columns swapped?" if at == 0 and largest[1] <= MOST_DEGREES[0] else ""
            return f"{place.columns[at]} is {value:g} in row {row + 1:,}, beyond {most:g}{swapped}"
    return None


def kilometres(cells: FloatArray) -> FloatArray:
    """Return the x, y and z of latitudes and longitudes in km; NaN where one of them is missing."""
    return np.asarray(EARTH_KM * vectors_of(cells))


def note_numbers(place: Place, problem: str) -> str:
    """Say that two columns called like a position are none, and why."""
    return f"{' and '.join(place.columns)} are used as two plain numbers: {problem}"


def counts_by_place(counts: Sequence[tuple[str, int]], places: Sequence[Place]) -> list[tuple[str, int]]:
    """Return columns and counts with a position as one, not as its three axes.

    Examples
    --------
    >>> counts_by_place([(axis, 2) for axis in Place("lat", "lon").axes], [Place("lat", "lon")])
    [('lat and lon', 2)]
    """
    names = {name: name for name, _ in counts}
    for place in places:
        names |= dict(zip(place.axes, [" and ".join(place.columns), "", ""], strict=True))
    return [(names[name], count) for name, count in counts if names[name]]


def with_places(table: Table, places: Sequence[Place]) -> Table:
    """Return the table with three more columns for each position: x, y and z in km.

    Examples
    --------
    >>> from coterie.data import as_table
    >>> table = as_table({"lat": [0.0, -90.0], "lon": [0.0, 0.0]})
    >>> with_places(table, find_places(table)[0]).matrix(["lat, lon: x", "lat, lon: z"]).round().tolist()
    [[6371.0, 0.0], [0.0, -6371.0]]
    """
    if not places:
        return table
    polars = require("polars", extra="cli", purpose="Reading tables")
    made: list[Any] = []
    for place in places:
        vectors = kilometres(cells_of(table, place))
        made += [
            polars.Series(name, column, nan_to_null=True)
            for name, column in zip(place.axes, vectors.T, strict=True)
        ]
    frame = table.content.with_columns(made)
    return replace(table, columns=tuple(frame.columns), content=frame)


def scale_places(
    fit: Callable[[str], Scaling],
    varies: AnyArray,
    columns: Sequence[str],
    places: Sequence[Place],
    how: str,
    scaling: Scaling,
) -> Scaling:
    """Return a scaling with one factor for the axes of each position: distances keep their proportions.

    A position counts as two columns. "auto" leaves positions in km where there is nothing else, and
    standardises them beside other columns, whose units are others.

    Parameters
    ----------
    fit : callable
        Returns the scaling of every column for itself, by name of the scaling.
    varies : array of bool of shape (n_columns,)
        Whether a column has more than one value.
    columns : sequence of str
        Names of the columns.
    places : sequence of Place
        The positions.
    how : str
        The scaling that was asked for.
    scaling : Scaling
        Of every column for itself.
    """
    at = [[columns.index(name) for name in place.axes] for place in places]
    if not at:
        return scaling
    if how == AUTO:
        is_alone = sum(map(len, at)) == len(columns)
        if is_alone or scaling.how == "none":
            scaling = fit("none" if is_alone else "standard")
    if scaling.how == "none":
        return scaling
    factor = scaling.factor.copy()
    for axes in at:
        total = float(np.sqrt(np.square(factor[axes])[varies[axes]].sum() / 2.0))
        factor[axes] = total if total > 0 else 1.0
    return Scaling(scaling.how, scaling.shift, factor)


def columns_in_table(columns: Sequence[str], places: Sequence[Place]) -> tuple[str, ...]:
    """Return the columns of the table that columns used come from: two, last, for the axes of a position.

    Examples
    --------
    >>> columns_in_table(["speed", *Place("lat", "lon").axes], [Place("lat", "lon")])
    ('speed', 'lat', 'lon')
    """
    axes = {name for place in places for name in place.axes}
    others = (name for name in columns if name not in axes)
    return (*others, *(name for place in places for name in place.columns))


def check_angles(columns: Sequence[str], source: str) -> None:
    """Refuse other columns for the haversine than two."""
    if len(columns) != 2:
        raise InvalidData(
            f"{source}: the haversine takes latitude and longitude, got {len(columns)} columns: "
            f"{', '.join(map(shortened, columns[:5]))}. Name the two, latitude first."
        )


def note_angles(angles: Place, scaling: Scaling) -> str:
    """Say in which unit two columns were taken as latitude and longitude."""
    unit = "radians" if scaling.is_identity else "degrees"
    return f"{' and '.join(angles.columns)} are latitude and longitude in {unit}; distances are in radians"


def angle_scaling(largest: AnyArray) -> Scaling:
    """Return the scaling of latitude and longitude to radians; numbers of radians stay as they are.

    It is told by the largest value of each, whatever its sign.

    Examples
    --------
    >>> angle_scaling(np.array([48.1, 11.6])).apply(np.array([[90.0, 180.0]])).round(4).tolist()
    [[1.5708, 3.1416]]
    """
    in_radians = bool((largest <= np.array([np.pi / 2 + 1e-6, 2 * np.pi + 1e-6])).all())
    return Scaling("none", np.zeros(2), np.full(2, 1.0 if in_radians else PER_RADIAN))
