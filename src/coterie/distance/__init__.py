"""Distances: the one catalogue, matrices and neighbours, and geometries (a distance with its barycentre)."""

from typing import TYPE_CHECKING, NoReturn

from coterie._support.hints import no_such_name
from coterie.distance import entries as _entries  # noqa: F401  # fills the catalogue of distances
from coterie.distance.catalogue import Distance, Parameter, catalogue, get_distance, register
from coterie.distance.geometry import (
    Barycentre,
    Clusters,
    Geometry,
    geometries,
    get_geometry,
    register_geometry,
)
from coterie.distance.input import (
    check_distance_matrix,
    check_similarity_matrix,
    distances_from_similarities,
    input_kind,
)
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

__all__ = [
    "Barycentre",
    "Clusters",
    "Distance",
    "Geometry",
    "Nearest",
    "Neighbourhoods",
    "Neighbours",
    "Parameter",
    "SpanningTree",
    "catalogue",
    "check_distance_matrix",
    "check_similarity_matrix",
    "distances_from_similarities",
    "geometries",
    "get_distance",
    "get_geometry",
    "input_kind",
    "k_nearest",
    "nearest",
    "neighbours_within",
    "pairwise_distances",
    "register",
    "register_geometry",
    "spanning_tree",
]

if not TYPE_CHECKING:  # to a type checker a module with __getattr__ has every name

    def __getattr__(name: str) -> NoReturn:
        raise no_such_name(__name__, name, __all__)
