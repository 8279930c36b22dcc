"""The Leiden algorithm on a graph: what it is told, what it finds, and `leiden` itself."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from scipy.sparse import csr_array

from coterie import _core
from coterie._support.declarations import held, saved
from coterie._support.typing import (
    AnyArray,
    FloatArray,
    Labels,
    RandomState,
    SparseData,
    ValuesByName,
)
from coterie._support.validation import (
    Choice,
    Constraint,
    Flag,
    Nothing,
    Number,
    Seed,
    Whole,
    check_parameters,
    engine_count,
)
from coterie._support.validation.parameters import check_seed
from coterie._support.validation.schema import FLAG, ListOf, Names, Real, Tensor, Text
from coterie.data.graphs import Graph, read_graph
from coterie.errors import InvalidData
from coterie.evaluate import modularity

Objective: TypeAlias = Literal["modularity", "cpm"]
EXACT_BITS = 52  # of the sum of all weights: multiples of the last one are added without rounding
MOST_RESOLUTION = 1e100  # products with it stay numbers

LEIDEN_CONSTRAINTS: Mapping[str, Constraint] = {
    "resolution": Number(0.0, MOST_RESOLUTION),
    "objective": Choice("modularity", "cpm"),
    "directed": Nothing() | Flag(),
    "theta": Number(0.0, open_below=True),
    "n_iterations": Nothing() | Whole(1),
    "random_state": Seed(),
}


@saved(eq=False)
class Communities:
    """The communities of a graph.

    Parameters
    ----------
    labels : array of int of shape (n_nodes,)
        Community of each node: 0 is the largest.
    nodes : array of shape (n_nodes,)
        What the nodes are called.
    levels : array of int of shape (n_nodes, n_levels)
        Communities within communities, from fine to coarse: each level joins communities of the one before.
        The last is `labels`.
    quality : float
        What was maximised: modularity at the resolution, or the constant Potts model.
    notes : tuple of str
        What was done to the input, in words.
    """

    labels: Labels = held(Tensor("rows", kind="i4", low=0, below="rows"))
    nodes: AnyArray = held(Names("rows"))
    levels: Labels = held(Tensor("rows", "levels", kind="i4", low=0, below="rows"))
    level_qualities: FloatArray = held(Tensor("levels", kind="f8"), "Quality of each level; it never falls.")
    quality: float = held(Real())
    modularity: float = held(Real(), "Modularity at resolution 1, whatever was maximised.")
    is_settled: bool = held(FLAG, "Whether the last iteration changed nothing.")
    n_iterations: int = held(Whole(1), "Iterations that were made.")
    notes: tuple[str, ...] = held(ListOf(Text(), kind=tuple), default=())

    @property
    def n_communities(self) -> int:
        """Number of communities."""
        return int(self.labels.max()) + 1

    @property
    def sizes(self) -> AnyArray:
        """Nodes of each community, largest first."""
        return np.bincount(self.labels)

    def as_dict(self) -> dict[Hashable, int]:
        """Return the community of each node by its name."""
        return dict(zip(self.nodes.tolist(), self.labels.tolist(), strict=True))


def leiden(
    graph: SparseData,
    *,
    resolution: float = 1.0,
    objective: Objective = "modularity",
    directed: bool | None = None,
    nodes: Iterable[Hashable] | None = None,
    theta: float = 0.01,
    n_iterations: int | None = 2,
    random_state: RandomState = 0,
) -> Communities:
    """Find the communities of a graph: groups of nodes with more edges among them than expected.

    The Leiden algorithm [traag-2019]: nodes move to the community that gains most, communities are refined,
    the refined ones become the nodes of a smaller graph, and so on. Every community is connected.

    Parameters
    ----------
    graph : matrix, edge list, or graph of networkx or igraph
        A square matrix of weights, dense or sparse; an edge list of two or three columns (source, target,
        weight) as an array, a list of tuples or a frame, with ids of any type; or a graph object. Edges that
        occur several times are added up.
    resolution : float, default=1.0
        The higher, the more and smaller communities. For "cpm": the least density within communities, and
        the greatest between them, in units of the weights.
    objective : {"modularity", "cpm"}, default="modularity"
        Modularity compares with random graphs of the same degrees; the constant Potts model (CPM) with a
        constant density, so that communities do not depend on the size of the graph.
    directed : bool, default=None
        Whether edges have a direction. None: as a graph object says; matrices and edge lists have none.
    nodes : iterable, default=None
        Of an edge list: all nodes, those without edges too.
    theta : float, default=0.01
        How random refinement is, in units of the mean weight of an edge.
    n_iterations : int or None, default=2
        Each begins with the communities of the one before; None: until nothing improves.
    random_state : int, RandomState, Generator or None, default=0
        Order of visits, and refinement. Same number, same graph, same communities.

    Returns
    -------
    Communities

    Notes
    -----
    Loops count in the degree twice, as in networkx. Weights are rounded to 52 bits of their sum; then sums
    are exact, and the communities do not depend on threads or processor.

    Examples
    --------
    >>> found = leiden([("a", "b"), ("b", "c"), ("a", "c"), ("c", "d"), ("d", "e"), ("e", "f"), ("d", "f")])
    >>> found.as_dict()
    {'a': 0, 'b': 0, 'c': 0, 'd': 1, 'e': 1, 'f': 1}
    >>> round(found.modularity, 3)
    0.357
    """
    given = {
        "resolution": resolution,
        "objective": objective,
        "directed": directed,
        "theta": theta,
        "n_iterations": n_iterations,
        "random_state": random_state,
    }
    check_parameters(given, LEIDEN_CONSTRAINTS, who="leiden")
    read = read_graph(graph, directed=directed, nodes=nodes, who="leiden")
    return find_communities(
        read,
        resolution=float(resolution),
        objective=objective,
        theta=float(theta),
        n_iterations=n_iterations,
        seed=check_seed(random_state),
    )


def find_communities(
    graph: Graph, *, resolution: float, objective: str, theta: float, n_iterations: int | None, seed: int
) -> Communities:
    """Return the communities of a checked graph."""
    ready = _prepare(graph, resolution, objective)
    levels, values, n_made, is_settled = _run(ready, theta, n_iterations, seed)
    levels = np.column_stack([by_size(level) for level in levels])
    qualities = _in_units(values, ready)
    labels = np.ascontiguousarray(levels[:, -1])
    is_default = objective == "modularity" and resolution == 1
    return Communities(
        labels=labels,
        nodes=graph.nodes,
        levels=levels,
        level_qualities=qualities,
        quality=float(qualities[-1]),
        modularity=float(qualities[-1]) if is_default else modularity(graph, labels),
        is_settled=bool(is_settled),
        n_iterations=int(n_made),
        notes=graph.notes,
    )


def find_labels(graph: Graph, *, resolution: float, theta: float, n_iterations: int, seed: int) -> Labels:
    """Return the community of each node by modularity, and nothing else."""
    levels, *_ = _run(_prepare(graph, resolution, "modularity"), theta, n_iterations, seed)
    return by_size(levels[-1])


def _run(
    ready: _Prepared, theta: float, n_iterations: int | None, seed: int
) -> tuple[Labels, FloatArray, int, bool]:
    return _core.leiden(**ready.arrays, theta=theta, n_iterations=engine_count(n_iterations or 0), seed=seed)


def by_size(labels: Labels) -> Labels:
    """Return labels numbered by size, the largest community first; equal ones as they appear.

    Examples
    --------
    >>> by_size(np.array([0, 1, 1, 2])).tolist()
    [1, 0, 0, 2]
    """
    order = np.argsort(-np.bincount(labels), kind="stable")
    number = np.empty(len(order), dtype=np.int32)
    number[order] = np.arange(len(order), dtype=np.int32)
    return number[labels]


class _Prepared(NamedTuple):
    """What the engine takes; the quality is its value plus `shift`, times `unit`, times 2 to the `power`."""

    arrays: ValuesByName
    unit: float
    shift: float
    power: int


def _in_units(values: FloatArray, ready: _Prepared) -> FloatArray:
    """Return qualities in the unit of the weights that were given."""
    with np.errstate(over="ignore"):
        found: FloatArray = np.ldexp((values + ready.shift) * ready.unit, ready.power)
    if not np.isfinite(found).all():
        raise InvalidData(
            "the weights of the graph add up to more than a number can hold, 1.8e308. Divide them, and the "
            "resolution, by a constant."
        )
    return found


def _prepare(graph: Graph, resolution: float, objective: str) -> _Prepared:
    """Return symmetric weights without loops, loops, masses of nodes, and the penalty of the objective."""
    given, n = csr_array(graph.weights, dtype=np.float64), graph.n_nodes
    power = int(np.frexp(given.data.max(initial=0.0))[1])
    weights = csr_array((_rounded(np.ldexp(given.data, -power)), given.indices, given.indptr), shape=(n, n))
    loops = weights.diagonal()
    both = csr_array(weights + weights.T) if graph.is_directed else weights
    both = _without_loops(both, has_loops=bool(loops.any()))
    out, into = np.asarray(both.sum(axis=1)) + 2 * loops, None
    total = float(out.sum())  # each edge twice
    if objective == "cpm":
        out, scale = np.ones(n), np.ldexp(resolution, -power)
        penalty = scale if graph.is_directed else scale / 2
        unit, shift = 1.0, penalty * n
    else:
        if graph.is_directed:
            out, into = np.asarray(weights.sum(axis=1)), np.asarray(weights.sum(axis=0))
        penalty = resolution / (total / 2 if graph.is_directed else 2 * total) if total else 0.0
        unit, shift, power = 2 / total if total else 0.0, 0.0, 0
    starts, targets = both.indptr.astype(np.int64), both.indices.astype(np.int32, copy=False)
    arrays: ValuesByName = {"starts": starts, "targets": targets, "weights": both.data, "loops": 2 * loops}
    arrays |= {"out": out, "in_": into, "penalty": float(penalty)}
    return _Prepared(arrays, float(unit), float(shift), power)


def _without_loops(both: SparseData, *, has_loops: bool) -> SparseData:
    """Return weights above 0 between different nodes."""
    if has_loops or not both.data.all():
        both = both.copy()
        if has_loops:
            both.setdiag(0)
        both.eliminate_zeros()
    return both


def _rounded(weights: FloatArray) -> FloatArray:
    """Return weights as multiples of a step of which no sum of twice as many is rounded."""
    if not len(weights):
        return weights
    step = np.ldexp(1.0, int(np.frexp(2 * weights.sum())[1]) - EXACT_BITS)
    return np.asarray(np.rint(weights / step) * step)
