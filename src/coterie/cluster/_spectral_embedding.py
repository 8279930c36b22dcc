"""From a graph to coordinates: eigenvectors of its Laplacian, and where new points lie among them."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import sparse

from coterie._typing import FloatArray, Labels
from coterie.cluster._spectral_graphs import Graph
from coterie.cluster._spectral_problem import Eigenproblem
from coterie.cluster._spectral_solver import largest_pairs
from coterie.cluster._spectral_weights import WeightedGraph
from coterie.errors import DataNotice, InvalidData

Mask = npt.NDArray[np.bool_]

LAPLACIANS = ("random_walk", "symmetric", "unnormalized")
LEAST_FACTOR = 1e-3  # eigenvectors whose extension divides by less are not extended


@dataclass(frozen=True, eq=False)
class Embedding:
    """Coordinates of the points of a graph.

    Parameters
    ----------
    laplacian : {"random_walk", "symmetric", "unnormalized"}
        Whose eigenvectors these are.
    eigenvalues : array of shape (n_components + 1,)
        Of the Laplacian, from the smallest up; one more than there are coordinates, for the gap.
    coordinates : array of shape (n, n_components)
        The eigenvectors as columns.
    n_parts : int
        Connected components of the graph, isolated points not counted.
    n_isolated : int
        Points without any weight. Where there are coordinates enough for all parts and all of them, each has
        one of its own; otherwise they stay at the origin.
    """

    laplacian: str
    eigenvalues: FloatArray
    coordinates: FloatArray
    n_parts: int
    n_isolated: int


@dataclass(frozen=True)
class SolverOptions:
    """How eigenvectors are found."""

    solver: str | None
    tol: float
    seed: int


def embed(graph: Graph, n_components: int, laplacian: str, options: SolverOptions) -> Embedding:
    """Return the eigenvectors of the smallest eigenvalues of a graph's Laplacian.

    With W the weights and D their row sums: "unnormalized" is L = D - W, "symmetric" is
    L = I - D^(-1/2) W D^(-1/2), and "random_walk" is L = I - D^(-1) W, whose eigenvectors are those of
    "symmetric" times D^(-1/2). An eigenvalue is zero as often as the graph has components, with
    vectors that are constant on them: these are known without any iteration. Of a graph whose points have
    masses, these are the vectors that its copies have.
    """
    is_isolated = graph.degrees <= 0
    n_isolated = int(is_isolated.sum())
    if n_isolated == graph.n:
        raise InvalidData(
            "no two rows have any affinity: the graph has no edge. Use a larger h (a smaller gamma), a "
            "larger epsilon, or more neighbours."
        )
    joined = graph.among(~is_isolated) if n_isolated else graph
    parts = joined.parts()
    n_parts = int(parts.max()) + 1
    n_apart = n_isolated if n_parts + n_isolated <= n_components else 0
    _warn_if_not_connected(n_parts, n_isolated, are_at_origin=n_apart == 0)
    n_wanted = n_components - n_apart
    found = largest_pairs(
        _problem(joined, parts, laplacian, n_wanted + 1),
        min(n_wanted + 1, joined.n),
        n_wanted,
        solver=options.solver,
        tol=options.tol,
        seed=options.seed,
    )
    eigenvalues = np.maximum((0.0 if laplacian == "unnormalized" else 1.0) - found.values, 0.0)
    vectors = _per_copy(found.vectors[:, :n_wanted], eigenvalues, joined, laplacian)
    coordinates: FloatArray = np.zeros((graph.n, n_components))
    coordinates[~is_isolated, : vectors.shape[1]] = _with_settled_signs(vectors)
    if n_apart:
        heights = 1.0 if graph.masses is None else 1.0 / np.sqrt(graph.masses[is_isolated])
        coordinates = _with_own_coordinates(coordinates, is_isolated, heights, n_parts)
        eigenvalues = np.insert(eigenvalues, n_parts, np.zeros(n_apart))
    return Embedding(laplacian, eigenvalues, coordinates, n_parts, n_isolated)


def extend(
    sums: FloatArray,
    degrees: FloatArray,
    eigenvalues: FloatArray,
    laplacian: str,
    otherwise: float | FloatArray = 0.0,
) -> FloatArray:
    """Return coordinates of new points, such that the equation of the eigenvectors holds at them too.

    Parameters
    ----------
    sums : array of shape (n_new, n_components)
        Weights of the new points with the graph's points, times `extendable` coordinates.
    degrees : array of shape (n_new,)
        Sums of these weights.
    eigenvalues : array of shape (n_components,) or longer
        Of the Laplacian.
    laplacian : {"random_walk", "symmetric", "unnormalized"}
        Which one.
    otherwise : float or array of shape (n_new, n_components)
        Coordinates where the equation says nothing.
    """
    values = eigenvalues[: sums.shape[1]]
    safe = np.where(degrees > 0, degrees, 1.0)[:, None]
    # (d - lambda) u = sum of w u, or (1 - lambda) u = sum of w u / d
    factors = 1.0 - values / (safe if laplacian == "unnormalized" else 1.0)
    is_told = factors > LEAST_FACTOR
    found = sums / safe / np.where(is_told, factors, 1.0)
    if laplacian == "symmetric":
        found *= np.sqrt(safe)
    return np.asarray(np.where(is_told, found, otherwise))


def extendable(coordinates: FloatArray, degrees: FloatArray, laplacian: str) -> FloatArray:
    """Return the coordinates whose weighted sums `extend` takes: of the random walk, or the plain ones."""
    if laplacian != "symmetric":
        return coordinates
    return np.asarray(coordinates / np.sqrt(np.where(degrees > 0, degrees, 1.0))[:, None])


def _problem(graph: Graph, parts: Labels, laplacian: str, most_known: int) -> Eigenproblem:
    degrees = graph.degrees
    constant = np.ones(graph.n) if laplacian == "unnormalized" else np.sqrt(degrees)
    if graph.masses is not None:
        constant = constant * np.sqrt(graph.masses)
        constant /= constant.max()  # its squares stay within range
    volumes = np.bincount(parts, weights=constant**2)
    largest_first = np.argsort(-volumes, kind="stable")[:most_known]
    known = np.where(parts[:, None] == largest_first, constant[:, None], 0.0)
    known /= np.sqrt(volumes[largest_first])
    if laplacian == "unnormalized":
        lowest = -2.0 * float(degrees.max())
        return Eigenproblem(
            lambda V: graph.times(V) - degrees[:, None] * V,
            graph.n,
            known,
            np.zeros(known.shape[1]),
            lowest,
            graph.is_sparse,
            graph.rounding * float(degrees.max()),
            lambda: graph.stored() - sparse.diags_array(degrees),
        )
    roots = 1.0 / np.sqrt(degrees)
    return Eigenproblem(
        lambda V: roots[:, None] * graph.times(roots[:, None] * V),
        graph.n,
        known,
        np.ones(known.shape[1]),
        -1.0,
        graph.is_sparse,
        graph.rounding,
        lambda: sparse.diags_array(roots) @ graph.stored() @ sparse.diags_array(roots),
    )


def _per_copy(vectors: FloatArray, eigenvalues: FloatArray, graph: Graph, laplacian: str) -> FloatArray:
    """Return coordinates of the points from vectors of unit length: of each of a point's copies the same."""
    coordinates = vectors / np.sqrt(graph.degrees)[:, None] if laplacian == "random_walk" else vectors
    if not isinstance(graph, WeightedGraph):
        return coordinates
    coordinates = coordinates / np.sqrt(graph.masses)[:, None]
    is_light = graph.masses < 1.0  # rounding of the vectors is divided by the root of the mass: once more
    if is_light.any():
        sums = graph.sums(extendable(coordinates, graph.degrees, laplacian))[is_light]
        coordinates[is_light] = extend(
            sums, graph.degrees[is_light], eigenvalues, laplacian, coordinates[is_light]
        )
    return coordinates


def _with_settled_signs(vectors: FloatArray) -> FloatArray:
    """Let the largest entry of each vector be positive: signs are arbitrary, answers should not be."""
    largest = vectors[np.abs(vectors).argmax(axis=0), np.arange(vectors.shape[1])]
    return np.asarray(vectors * np.where(largest < 0, -1.0, 1.0))


def _with_own_coordinates(
    coordinates: FloatArray, is_isolated: Mask, heights: float | FloatArray, n_parts: int
) -> FloatArray:
    """Give every isolated point a coordinate, after those of the parts: it is a component of its own."""
    alone = np.flatnonzero(is_isolated)
    own = np.zeros((len(coordinates), len(alone)))
    own[alone, np.arange(len(alone))] = heights
    others = coordinates[:, : coordinates.shape[1] - len(alone)]
    return np.hstack([others[:, :n_parts], own, others[:, n_parts:]])


def _warn_if_not_connected(n_parts: int, n_isolated: int, *, are_at_origin: bool) -> None:
    if n_parts == 1 and n_isolated == 0:
        return
    alone = ""
    if n_isolated:
        alone = f" and {n_isolated:,} isolated point{'s' if n_isolated > 1 else ''}"
        alone += ", kept at the origin" if are_at_origin else ""
    warnings.warn(
        "Graph is not fully connected, spectral embedding may not work as expected: it has "
        f"{n_parts:,} component{'s' if n_parts > 1 else ''}{alone}.",
        DataNotice,
        stacklevel=8,
    )
