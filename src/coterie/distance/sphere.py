"""Places on a sphere as unit vectors, whose chords order pairs as great circles do."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import pi
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from coterie._support.sphere import EARTH_KM, places_of, vectors_of
from coterie._support.typing import FloatArray
from coterie._support.validation import Constraint
from coterie._support.validation.parameters import is_number
from coterie.distance.transforms import UndefinedRow
from coterie.errors import InvalidData

if TYPE_CHECKING:
    from coterie.distance.catalogue import Distance

# how far a pair is that is one radian apart, by the unit of its distance
RADII = {
    "radians": 1.0,
    "degrees": 180.0 / pi,
    "km": EARTH_KM,
    "m": EARTH_KM * 1000.0,
    "miles": EARTH_KM / 1.609344,
}
UNITS = {"radians": (pi / 2, "pi/2", 2 * pi, "2 pi"), "degrees": (90.0, "90", 360.0, "360")}
ROUNDING = 1e-6  # of float32: a pole that was rounded is still a place


class DistanceUnit(Constraint):
    """The unit of distances on a sphere, or the radius of the sphere."""

    def accepts(self, value: Any) -> bool:
        """Return whether the value is allowed."""
        if isinstance(value, str):
            return value in RADII
        return is_number(value) and 0 < float(value) < np.inf

    def describe(self) -> str:
        """Return the words that follow "must be"."""
        return f"one of {', '.join(RADII)}, or the radius of the sphere, a number above 0"


def with_radius(distance: Distance) -> Distance:
    """Return the distance of places in the units that it was told."""
    told = distance.values["distances"]
    radius = RADII[told] if isinstance(told, str) else float(told)
    return replace(distance, p=radius, transform=UnitVectors(str(distance.values["units"])))


@dataclass(frozen=True)
class UnitVectors:
    """Latitude and longitude to a unit vector; three columns of float64, whatever the type of the rows.

    Examples
    --------
    >>> UnitVectors("degrees").forward(np.array([[0.0, 90.0], [90.0, 0.0]])).round(3) + 0.0
    array([[0., 1., 0.],
           [0., 0., 1.]])
    >>> UnitVectors("radians").forward(np.array([[48.1, 11.6]]))
    Traceback (most recent call last):
    ...
    coterie.distance.transforms.UndefinedRow: has latitude 48.1, which is beyond pi/2 and looks like degrees
    """

    n_columns: ClassVar[int] = 3

    units: str  # of the places

    def forward(self, rows: FloatArray) -> FloatArray:
        """Return the unit vectors of places, or say which row is none."""
        if rows.shape[1] != 2:
            raise InvalidData(
                f'metric="haversine" takes two columns, latitude and longitude, got {rows.shape[1]}: '
                f"Haversine distance only valid in 2 dimensions. Pass these two columns only."
            )
        self._refuse_elsewhere(rows)
        return vectors_of(rows, in_degrees=self.units == "degrees")

    def backward(self, rows: FloatArray) -> FloatArray:
        """Return the latitude and longitude of vectors of any length."""
        places = places_of(rows)
        return places if self.units == "degrees" else np.radians(places)

    def _refuse_elsewhere(self, rows: FloatArray) -> None:
        """Refuse latitudes beyond the poles, and longitudes beyond a whole turn."""
        pole, pole_said, turn, turn_said = UNITS[self.units]
        sizes = np.abs(rows)
        beyond = sizes > np.array([pole, turn]) * (1 + ROUNDING)
        if not beyond.any():
            return
        row = int(np.argmax(beyond.any(axis=1)))
        latitude, longitude = float(rows[row, 0]), float(rows[row, 1])
        what = f"latitude {latitude:g}, which is beyond {pole_said}"
        if not beyond[row, 0]:
            what = f"longitude {longitude:g}, which is beyond {turn_said}"
        limits = np.array([turn / 2, pole]) * (1 + ROUNDING)
        if beyond[:, 0].any() and (sizes <= limits).all():
            raise UndefinedRow(row, f"has {what}", SWAPPED_WAY_OUT)
        if self.units == "radians" and (sizes <= [90.0, 360.0]).all():
            raise UndefinedRow(row, f"has {what} and looks like degrees", DEGREES_WAY_OUT)
        raise UndefinedRow(
            row,
            f"has {what}",
            f'metric="haversine" takes [latitude, longitude] in {self.units}: correct such rows, or '
            f"leave them out.",
        )


SWAPPED_WAY_OUT = "Are the columns swapped? Latitude comes first: pass X[:, [1, 0]]."
DEGREES_WAY_OUT = (
    'metric="haversine" takes [latitude, longitude] in radians, as scikit-learn does: pass '
    'metric_params={"units": "degrees"} (functions: units="degrees"), or numpy.radians(X).'
)
