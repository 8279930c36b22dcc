"""How values that hold functions are written: by what they are called and told."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from coterie.distance import Distance, Geometry, catalogue, get_distance, get_geometry
from coterie.errors import ModelFileError


def _state_of_distance(distance: Distance) -> dict[str, Any]:
    if distance.name not in catalogue():
        raise ModelFileError(
            f"the distance {distance.name} is a function, which cannot be saved: loading must never run "
            f"code. Use a distance of the catalogue."
        )
    return {"name": distance.name, "values": distance.values}


def _restore_distance(state: Mapping[str, Any]) -> Distance:
    told = {name: value for name, value in state["values"].items() if value is not None}
    return get_distance(state["name"], **told)


def _state_of_geometry(geometry: Geometry) -> dict[str, Any]:
    return {"distance": geometry.distance}


def _restore_geometry(state: Mapping[str, Any]) -> Geometry:
    return get_geometry(state["distance"])


# class -> how to get its state, how to make it of a state
ADAPTERS: Mapping[type, tuple[Callable[[Any], dict[str, Any]], Callable[[Mapping[str, Any]], Any]]] = {
    Distance: (_state_of_distance, _restore_distance),
    Geometry: (_state_of_geometry, _restore_geometry),
}
