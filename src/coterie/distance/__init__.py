"""Distances: the one catalogue, matrices and neighbours, and geometries (a distance with its barycentre)."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from coterie._support.caller import warn_caller
from coterie._support.lazy import lazy_names
from coterie.distance.catalogue import Distance, Parameter, distances, find_distance, register

if TYPE_CHECKING:
    from coterie.distance.geometry import (
        Barycentre,
        Clusters,
        Geometry,
        find_geometry,
        geometries,
        register_geometry,
    )
    from coterie.distance.input import input_kind
    from coterie.distance.matrices import (
        check_distance_matrix,
        check_similarity_matrix,
        distances_from_similarities,
    )
    from coterie.distance.neighbour_graphs import NeighbourGraph, neighbour_graph
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


def catalogue() -> Mapping[str, Distance]:
    """Return all distances by name. Deprecated: use `distances`."""
    warn_caller("coterie.distance.catalogue is deprecated: use distances().", DeprecationWarning)
    return {distance.name: distance for distance in distances()}


if not TYPE_CHECKING:  # to a type checker a module with __getattr__ has every name
    _HOMES = {
        "coterie.distance.geometry": [
            "Barycentre",
            "Clusters",
            "Geometry",
            "find_geometry",
            "geometries",
            "register_geometry",
        ],
        "coterie.distance.input": ["input_kind"],
        "coterie.distance.matrices": [
            "check_distance_matrix",
            "check_similarity_matrix",
            "distances_from_similarities",
        ],
        "coterie.distance.neighbour_graphs": ["NeighbourGraph", "neighbour_graph"],
        "coterie.distance.neighbour_index": ["NeighbourIndex"],
        "coterie.distance.neighbours": [
            "Nearest",
            "Neighbourhoods",
            "Neighbours",
            "k_nearest",
            "nearest",
            "neighbours_within",
        ],
        "coterie.distance.pairwise": ["pairwise_distances"],
        "coterie.distance.spanning": ["SpanningTree", "spanning_tree"],
        "coterie.distance.table": ["TableEncoding"],
    }
    _RENAMED = {"get_distance": "find_distance", "get_geometry": "find_geometry"}
    _find = lazy_names(__name__, _HOMES)

    def __getattr__(name):
        if name not in _RENAMED:
            return _find(name)
        new = _RENAMED[name]
        warn_caller(f"coterie.distance.{name} is deprecated: use {new}.", DeprecationWarning)
        return globals().get(new) or _find(new)
