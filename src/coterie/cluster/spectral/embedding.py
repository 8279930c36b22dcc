"""From a graph to coordinates: eigenvectors of its Laplacian, and where new points lie among them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy import sparse

from coterie._printing import count_of
from coterie._support.caller import warn_caller
from coterie._support.linear_algebra import settle_signs
from coterie._support.typing import AnyArray, FloatArray, Labels, SparseData, Weights
from coterie.cluster.spectral.eigen import Eigenproblem, largest_pairs
from coterie.cluster.spectral.graphs import AffinityGraph
from coterie.errors import DataNotice, InvalidData

Mask = npt.NDArray[np.bool_]

LAPLACIANS = ("random_walk", "symmetric", "unnormalized")
LEAST_FACTOR = 1e-3  # eigenvectors whose extension divides by less are not extended
LIGHT_SHARE = 0.1  # of the median root of degree and mass: errors of lighter points are amplified
NOISE_OVER_TOLERANCE = 100  # entries of eigenvectors below so many tolerances may be errors
STEPS_TO_FOLLOW = 5
MOST_STEADY = 0.5  # eigenvalue up to which the equation, which divides by one minus it, may be repeated


@dataclass(frozen=True, eq=False)
class Embedding:
    """Coordinates of the points of a graph."""

    laplacian: str  # whose eigenvectors these are
    # of the Laplacian, from the smallest up; one more than there are coordinates, for the gap
    eigenvalues: FloatArray
    coordinates: FloatArray  # the eigenvectors as columns
    n_parts: int  # connected components of the graph, isolated points not counted
    # points without any weight. Where there are coordinates enough for all parts and all of them, each has
    # one of its own; otherwise they stay at the origin
    n_isolated: int


@dataclass(frozen=True)
class SolverOptions:
    """How eigenvectors are found."""

    solver: str | None
    tol: float
    seed: int


def embed(graph: AffinityGraph, n_components: int, laplacian: str, options: SolverOptions) -> Embedding:
    """Return the eigenvectors of the smallest eigenvalues of a graph's Laplacian.

    With W the weights and D their row sums: "unnormalized" is L = D - W, "symmetric" is
    L = I - D^(-1/2) W D^(-1/2), and "random_walk" is L = I - D^(-1) W, whose eigenvectors are those of
    "symmetric" times D^(-1/2). An eigenvalue is zero as often as the graph has components, with
    vectors that are constant on them: these are known without any iteration. Of a graph whose points have
    masses, these are the vectors that its copies have.
    """
    _check_degrees(graph.degrees)
    is_isolated = graph.degrees <= 0
    n_isolated = int(is_isolated.sum())
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
    vectors = _per_copy(found.vectors[:, :n_wanted], eigenvalues, joined, laplacian, options.tol)
    coordinates: FloatArray = np.zeros((graph.n, n_components))
    coordinates[~is_isolated, : vectors.shape[1]] = settle_signs(vectors)
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
) -> FloatArray:
    """Return coordinates of new points, such that the equation of the eigenvectors holds at them too.

    They are 0 where the equation says nothing.

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
    """
    n_missing = max(sums.shape[1] - len(eigenvalues), 0)  # of few joined points, the last are all zero
    values = np.pad(eigenvalues[: sums.shape[1]], (0, n_missing), constant_values=np.inf)
    safe = np.where(degrees > 0, degrees, 1.0)[:, None]
    # (d - lambda) u = sum of w u, or (1 - lambda) u = sum of w u / d
    factors = 1.0 - values / (safe if laplacian == "unnormalized" else 1.0)
    is_told = factors > LEAST_FACTOR
    found = sums / safe / np.where(is_told, factors, 1.0)
    if laplacian == "symmetric":
        found *= np.sqrt(safe)
    return np.asarray(np.where(is_told, found, 0.0))


def extendable(coordinates: FloatArray, degrees: FloatArray, laplacian: str) -> FloatArray:
    """Return the coordinates whose weighted sums `extend` takes: of the random walk, or the plain ones."""
    if laplacian != "symmetric":
        return coordinates
    return np.asarray(coordinates / np.sqrt(np.where(degrees > 0, degrees, 1.0))[:, None])


def _check_degrees(degrees: FloatArray) -> None:
    if degrees.min() < 0:
        row = int(degrees.argmin())
        raise InvalidData(
            f"affinities of a row must sum to more than 0, those of row {row} sum to {degrees[row]:.3g}: "
            f"some are negative. Use a kernel that never is, such as affinity='rbf', or shift the data to be "
            f"positive."
        )
    if degrees.max() <= 0:
        raise InvalidData(
            "no two rows have any affinity: the graph has no edge. Use a larger h (a smaller gamma), a "
            "larger epsilon, or more neighbours."
        )


def _problem(graph: AffinityGraph, parts: Labels, laplacian: str, most_known: int) -> Eigenproblem:
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


def _per_copy(
    vectors: FloatArray, eigenvalues: FloatArray, graph: AffinityGraph, laplacian: str, tol: float
) -> FloatArray:
    """Return coordinates of the points from vectors of unit length: of each of a point's copies the same.

    An error of the vectors is divided by the roots of degree and mass: where these are small, as of
    outliers, coordinates are taken from those of the others instead.
    """
    roots = np.sqrt(graph.degrees) if laplacian == "random_walk" else np.ones(graph.n)
    has_loops = np.zeros(graph.n, dtype=bool)
    if isinstance(graph, WeightedGraph):
        roots = roots * np.sqrt(graph.masses)
        has_loops = graph.loops > 0
    coordinates: FloatArray = vectors / roots[:, None]
    is_light = (roots < LIGHT_SHARE * np.median(roots)) & ~has_loops
    if not is_light.any():
        return coordinates
    is_noise = np.abs(vectors[is_light]) < NOISE_OVER_TOLERANCE * max(tol, graph.rounding)
    return _follow(coordinates, is_light, is_noise, graph, eigenvalues, laplacian)


def _follow(
    coordinates: FloatArray,
    points: Mask,
    is_asked: Mask,
    graph: AffinityGraph,
    eigenvalues: FloatArray,
    laplacian: str,
) -> FloatArray:
    """Return coordinates in which some of those of some points follow from the others by their equation.

    In several steps, since points may follow one another, but in one where eigenvalues are large: there the
    equation amplifies.
    """
    degrees = graph.degrees.copy()
    degrees[points] = graph.times_at(points, np.ones((graph.n, 1))).ravel()
    scale = degrees[points, None] if laplacian == "unnormalized" else 1.0
    is_steady = eigenvalues[: coordinates.shape[1]] / scale < MOST_STEADY
    settled = coordinates.copy()
    settled[points] = np.where(is_asked, 0.0, settled[points])
    for step in range(STEPS_TO_FOLLOW):
        sums = graph.times_at(points, extendable(settled, degrees, laplacian))
        found = extend(sums, degrees[points], eigenvalues, laplacian)
        settled[points] = np.where(is_asked & (is_steady | (step == 0)), found, settled[points])
    return settled


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
        alone = f" and {count_of(n_isolated, 'isolated point')}"
        alone += ", kept at the origin" if are_at_origin else ""
    warn_caller(
        "Graph is not fully connected, spectral embedding may not work as expected: it has "
        f"{count_of(n_parts, 'component')}{alone}.",
        DataNotice,
    )


@dataclass(frozen=True, eq=False)
class WeightedGraph:
    """A graph in which a point stands for several copies of it.

    With W the weights between points, m the masses and w the weights between a point and its copy, a copy has
    the degree ``d_i = sum over j of m_j W_ij + (m_i - 1) w_i``, and the graph of all copies acts on
    functions f that are equal on copies, written as ``g = m^(1/2) f``, as the symmetric matrix
    ``m_i^(1/2) W_ij m_j^(1/2)`` with ``(m_i - 1) w_i`` on its diagonal. A point of a mass below 1 has no copy
    of itself, only less influence on others: there, the diagonal is 0.
    """

    graph: AffinityGraph
    masses: Weights

    @property
    def n(self) -> int:
        return self.graph.n

    @property
    def is_sparse(self) -> bool:
        return self.graph.is_sparse

    @property
    def rounding(self) -> float:
        return self.graph.rounding

    @property
    def own(self) -> float | FloatArray:
        return self.graph.own

    @cached_property
    def loops(self) -> FloatArray:
        """Weights of a copy with the others of its point, summed."""
        return np.asarray(np.maximum(self.masses - 1.0, 0.0) * self.own)

    @cached_property
    def degrees(self) -> FloatArray:
        return _in_range(self.graph, self.masses[:, None]).ravel() + self.loops

    def times(self, V: FloatArray) -> FloatArray:
        roots = np.sqrt(self.masses)[:, None]
        return np.asarray(roots * _in_range(self.graph, roots * V) + self.loops[:, None] * V)

    def times_at(self, points: AnyArray, V: FloatArray) -> FloatArray:
        """Return the values of the others, summed by mass and weight; for points that have no loops."""
        return self.graph.times_at(points, self.masses[:, None] * V)

    def stored(self) -> SparseData:
        roots = sparse.diags_array(np.sqrt(self.masses))
        return sparse.csr_array(roots @ self.graph.stored() @ roots + sparse.diags_array(self.loops))

    def among(self, points: AnyArray) -> AffinityGraph:
        return WeightedGraph(self.graph.among(points), self.masses[points])

    def parts(self) -> Labels:
        return self.graph.parts()


def _in_range(graph: AffinityGraph, values: FloatArray) -> FloatArray:
    """Return a product whose factor neither overflows nor vanishes in float32."""
    size = float(np.abs(values).max(initial=0.0)) or 1.0
    return np.asarray(graph.times(values / size) * size)
