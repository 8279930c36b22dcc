"""Distances: the one catalogue, matrices and neighbours, and geometries (a distance with its barycentre)."""

import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from coterie._support.hints import no_such_name
from coterie.distance import entries as _entries  # noqa: F401  # fills the catalogue of distances
from coterie.distance.catalogue import Distance, Parameter, distances, find_distance, register
from coterie.distance.geometry import (
    Barycentre,
    Clusters,
    Geometry,
    find_geometry,
    geometries,
    register_geometry,
)
from coterie.distance.input import (
    check_distance_matrix,
    check_similarity_matrix,
    distances_from_similarities,
    input_kind,
)
from coterie.distance.neighbour_graph import NeighbourGraph, neighbour_graph
from coterie.distance.neighbour_index import NeighbourIndex
from coterie.distance.neighbours import (
    Nearest,
    Neighbourhoods,
    Neighbours,
    k_nearest,
    nearest,
    neighbours_within,
)
from coterie.distance.pairwise import pairwise_distances
from coterie.distance.spanning import SpanningTree, spanning_tree
from coterie.distance.table import TableEncoding

__all__ = [
    "Barycentre",
    "Clusters",
    "Distance",
    "Geometry",
    "Nearest",
    "NeighbourGraph",
    "NeighbourIndex",
    "Neighbourhoods",
    "Neighbours",
    "Parameter",
    "SpanningTree",
    "TableEncoding",
    "check_distance_matrix",
    "check_similarity_matrix",
    "distances",
    "distances_from_similarities",
    "find_distance",
    "find_geometry",
    "geometries",
    "input_kind",
    "k_nearest",
    "nearest",
    "neighbour_graph",
    "neighbours_within",
    "pairwise_distances",
    "register",
    "register_geometry",
    "spanning_tree",
]

_RENAMED = {"get_distance": find_distance, "get_geometry": find_geometry}


def catalogue() -> Mapping[str, Distance]:
    """Return all distances by name. Deprecated: use `distances`."""
    warnings.warn(
        "coterie.distance.catalogue is deprecated: use distances().", DeprecationWarning, stacklevel=2
    )
    return {distance.name: distance for distance in distances()}


if not TYPE_CHECKING:  # to a type checker a module with __getattr__ has every name

    def __getattr__(name: str) -> Any:
        if name not in _RENAMED:
            raise no_such_name(__name__, name, __all__)
        new = _RENAMED[name]
        warnings.warn(
            f"coterie.distance.{name} is deprecated: use {new.__name__}.", DeprecationWarning, stacklevel=2
        )
        return new
