"""Columns of latitude and longitude: recognised by name and range, used as one position on the Earth.

Two angles are no coordinates: a degree of longitude shrinks towards the poles, and 180 is -180. A position
becomes three columns, its x, y and z from the centre of the Earth in km, whose Euclidean distances are the
straight lines through the Earth: up to 1,000 km within 0.1 % of the great circle, and beyond in its order.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from coterie._support.notes import Note
from coterie._support.optional import require
from coterie._support.sphere import EARTH_KM, vectors_of
from coterie._support.typing import FloatArray
from coterie._support.validation.schema import Schema, Text
from coterie.data.scaling import AUTO, Scaling, fit_scaling
from coterie.errors import InvalidParameter

if TYPE_CHECKING:
    from coterie.data.table import Table

LATITUDES = ("latitude", "lat")
LONGITUDES = ("longitude", "long", "lng", "lon")
OFF = "off"
AXES = ("x", "y", "z")
PER_RADIAN = 180.0 / np.pi


@dataclass(frozen=True)
class Place:
    """Two columns, in degrees, that are one position.

    Parameters
    ----------
    latitude, longitude : str
        Names of the columns.
    """

    _schema: ClassVar[Schema] = {"latitude": Text(), "longitude": Text()}

    latitude: str
    longitude: str

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
            notes.append(_note(place))
        else:
            notes.append(f"{' and '.join(place.columns)} are used as two plain numbers: {problem}")
    return tuple(found), tuple(notes)


def _named_place(table: Table, wanted: str) -> tuple[Place]:
    from coterie.data.columns import check_names

    place = Place(*_named(wanted))
    check_names(table.source, table.columns, place.columns)
    problem = what_is_wrong(cells_of(table, place), place)
    if problem is not None:
        raise InvalidParameter(f"{table.source}: {wanted} is not a position: {problem}.")
    return (place,)


def _note(place: Place) -> Note:
    what = f"{' and '.join(place.columns)} (degrees) are used as one position on the Earth, in km"
    return Note(
        f'{what}; places="off" uses them as two numbers', f"{what}; --places off uses them as two numbers"
    )


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
    """Return why two columns are no positions in degrees; None where they are.

    Examples
    --------
    >>> what_is_wrong(np.array([[11.6, 48.1], [151.2, -33.9]]), Place("lat", "lon"))
    'lat is 151.2 in row 2, beyond 90; are the two columns swapped?'
    """
    sizes = np.abs(np.nan_to_num(cells))
    if not len(cells) or np.isnan(cells).all(axis=0).any():
        return "one of them is empty"
    for at, most in ((0, 90.0), (1, 360.0)):
        row = int(np.argmax(sizes[:, at]))
        if sizes[row, at] > most:
            swapped = "; are the two columns swapped?" if at == 0 and sizes[:, 1].max() <= 90.0 else ""
            return f"{place.columns[at]} is {cells[row, at]:g} in row {row + 1:,}, beyond {most:g}{swapped}"
    return None


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
        vectors = EARTH_KM * vectors_of(cells_of(table, place))
        made += [
            polars.Series(name, column, nan_to_null=True)
            for name, column in zip(place.axes, vectors.T, strict=True)
        ]
    frame = table.content.with_columns(made)
    return replace(table, columns=tuple(frame.columns), content=frame)


def scale_places(
    X: Any, columns: Sequence[str], places: Sequence[Place], how: str, scaling: Scaling
) -> Scaling:
    """Return a scaling with one factor for the axes of each position: distances keep their proportions.

    A position counts as two columns. "auto" leaves positions in km where there is nothing else, and
    standardises them beside other columns, whose units are others.

    Parameters
    ----------
    X : array of shape (n_rows, n_columns)
        Rows without missing values, or with NaN.
    columns : sequence of str
        Names of its columns.
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
            scaling = fit_scaling(np.nan_to_num(X), "none" if is_alone else "standard")
    if scaling.how == "none":
        return scaling
    factor = scaling.factor.copy()
    for axes in at:
        varies = np.nanmax(X[:, axes], axis=0) > np.nanmin(X[:, axes], axis=0)
        total = float(np.sqrt(np.square(factor[axes])[varies].sum() / 2.0))
        factor[axes] = total if total > 0 else 1.0
    return Scaling(scaling.how, scaling.shift, factor)


def angle_scaling(X: Any) -> Scaling:
    """Return the scaling of latitude and longitude to radians; numbers of radians stay as they are.

    Examples
    --------
    >>> angle_scaling(np.array([[48.1, 11.6]])).apply(np.array([[90.0, 180.0]])).round(4).tolist()
    [[1.5708, 3.1416]]
    """
    in_radians = bool((np.abs(X) <= [np.pi / 2 + 1e-6, 2 * np.pi + 1e-6]).all())
    return Scaling("none", np.zeros(2), np.full(2, 1.0 if in_radians else PER_RADIAN))
