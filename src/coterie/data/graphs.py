"""Matrices of weights, edge lists, and graphs of networkx and igraph become one kind of graph."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array, issparse

from coterie._support.typing import (
    AnyArray,
    FloatArray,
    Indices,
    MatrixLike,
    PandasFrame,
    PandasSeries,
    PolarsFrame,
    PolarsSeries,
    SparseData,
)
from coterie._support.validation import Flag, Nothing, check_data, check_parameter
from coterie.data.frames import materialised
from coterie.data.schema import SOURCES, TARGETS
from coterie.errors import InvalidData, UnsupportedInput

NEARLY_SYMMETRIC = 1e-5  # mirrored weights that differ by less, as a share of the largest, are averaged
WEIGHTS = ("weight", "weights", "w", "value", "strength")


@dataclass(frozen=True, eq=False)
class Graph:
    """A weighted graph."""

    # (n, n): weight of each edge, above 0; symmetric unless directed. On the diagonal: loops, each once
    weights: SparseData
    nodes: AnyArray  # (n,): what the nodes are called
    is_directed: bool = False  # whether an edge leads from its first node to its second
    notes: tuple[str, ...] = ()  # what was done to make it a graph, in words

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return int(self.weights.shape[0])

    @property
    def n_edges(self) -> int:
        """Number of edges; of an undirected graph, each counts once."""
        stored = int(self.weights.nnz)
        if self.is_directed:
            return stored
        n_loops = int(np.count_nonzero(self.weights.diagonal()))
        return (stored - n_loops) // 2 + n_loops

    @property
    def total_weight(self) -> float:
        """Sum of the weights of the edges."""
        total = float(self.weights.sum())
        return total if self.is_directed else (total + float(self.weights.diagonal().sum())) / 2


def read_graph(
    graph: Any,
    *,
    directed: bool | None = None,
    nodes: Iterable[Hashable] | None = None,
    who: str = "this function",
    name: str = "graph",
) -> Graph:
    """Return what stands for a graph as one, or say what is wrong with it.

    Parameters
    ----------
    graph : Graph, matrix, edge list, or graph of networkx or igraph
        A square matrix, dense or sparse, holds weights of at least 0; 0: no edge. An edge list has two or
        three columns (source, target, weight): an array, a list of tuples, a frame, or a tuple of columns. A
        square array, or list of lists, is always a matrix.
        Edges that occur several times are added up, with a note.
    directed : bool, default=None
        Whether edges have a direction. None: as graphs of networkx and igraph say; matrices and edge lists
        have none, and a matrix that is not symmetric is refused.
    nodes : iterable, default=None
        Of an edge list: all nodes, those without edges too. None: those that occur.
    who, name : str
        The caller and its parameter, for messages; without a caller, what the graph is called.

    Examples
    --------
    >>> graph = read_graph([("a", "b"), ("b", "c"), ("a", "b")])
    >>> graph.nodes.tolist(), graph.n_edges, graph.notes
    (['a', 'b', 'c'], 2, ('1 edge occurs more than once: weights were added up',))
    """
    if isinstance(graph, Graph):
        return graph
    check_parameter(directed, Nothing() | Flag(), name="directed", who=who or name)
    what = f"{name} of {who}" if who else name
    if _is_networkx(graph):
        ends = list(graph.edges(data="weight", default=1))
        is_directed = bool(graph.is_directed()) if directed is None else directed
        return _of_edges(ends, list(graph.nodes), is_directed, what)
    if _is_igraph(graph):
        return _of_igraph(graph, directed, what)
    if issparse(graph):  # first: some formats are dictionaries
        return _of_matrix(graph, bool(directed), who, name)
    if isinstance(graph, dict) or hasattr(graph, "columns") or isinstance(graph, str):
        return _of_frame(graph, nodes, bool(directed), what)
    if isinstance(graph, tuple) and len(graph) in (2, 3) and all(np.ndim(part) == 1 for part in graph):
        return _of_columns([np.asarray(part) for part in graph], nodes, bool(directed), what)
    if _is_square(graph):
        return _of_matrix(graph, bool(directed), who, name)
    return _of_edges(graph, nodes, bool(directed), what)


def _is_networkx(graph: object) -> bool:
    return hasattr(graph, "is_directed") and hasattr(graph, "adjacency") and hasattr(graph, "edges")


def _is_igraph(graph: object) -> bool:
    return hasattr(graph, "is_directed") and hasattr(graph, "get_edgelist") and hasattr(graph, "vs")


def is_graph_object(graph: object) -> bool:
    """Return whether something is a graph of networkx or igraph, or one of ours.

    Examples
    --------
    >>> is_graph_object([[0, 1], [1, 0]])
    False
    """
    return isinstance(graph, Graph) or _is_networkx(graph) or _is_igraph(graph)


def _is_square(graph: Any) -> bool:
    """Return whether something is a matrix rather than edges: rows of lists, not tuples, where they are."""
    if isinstance(graph, list | tuple):
        n = len(graph)
        return n > 0 and all(_is_flat(row) and len(row) == n and type(row) is not tuple for row in graph)
    return getattr(graph, "ndim", 0) == 2 and graph.shape[0] == graph.shape[1] and graph.dtype.kind in "biuf"


def _is_flat(row: Any) -> bool:
    try:
        return np.ndim(row) == 1
    except ValueError:  # cells of several dimensions
        return False


def _of_igraph(graph: Any, directed: bool | None, what: str) -> Graph:
    ends = np.asarray(graph.get_edgelist(), dtype=np.int64).reshape(-1, 2)
    weights = graph.es["weight"] if "weight" in graph.es.attributes() else np.ones(len(ends))
    names = graph.vs["name"] if "name" in graph.vs.attributes() else range(graph.vcount())
    is_directed = bool(graph.is_directed()) if directed is None else directed
    return _assemble(ends[:, 0], ends[:, 1], _numbers(weights, what), _ids(names), is_directed, what)


def _of_matrix(graph: MatrixLike, is_directed: bool, who: str, name: str) -> Graph:
    options: Any = {"accept_sparse": True, "squares": False, "may_be_distances": True, "is_graph": True}
    checked = csr_array(check_data(graph, who=who, name=name, **options), copy=True, dtype=np.float64)
    what = f"{name} of {who}" if who else name
    if checked.shape[0] != checked.shape[1]:
        raise InvalidData(
            f"{what} must be a square matrix of weights, or an edge list of two or three columns, got the "
            f"shape {checked.shape}."
        )
    checked.sum_duplicates()
    checked.eliminate_zeros()
    nodes = np.arange(checked.shape[0])
    _refuse_weights(checked.data, lambda at: _cell(checked, at, name), what)
    notes: tuple[str, ...] = ()
    if not is_directed:
        checked, notes = _symmetric(checked, what, name)
    return Graph(checked, nodes, is_directed, notes)


def _symmetric(weights: SparseData, what: str, name: str) -> tuple[SparseData, tuple[str, ...]]:
    turned = csr_array(weights.T)  # cells in order, as those of the weights are
    pairs = ((getattr(weights, part), getattr(turned, part)) for part in ("indptr", "indices", "data"))
    if all(np.array_equal(given, mirrored) for given, mirrored in pairs):
        return weights, ()
    gap = weights - turned
    widest = float(abs(gap).max())
    if widest > NEARLY_SYMMETRIC * float(weights.data.max(initial=0.0)):
        rows, columns = abs(gap).tocoo().coords
        at = int(np.argmax(abs(gap).tocoo().data))
        i, j = int(rows[at]), int(columns[at])
        raise InvalidData(
            f"{what} must be symmetric unless it is directed, got {name}[{i}, {j}] = {weights[i, j]:g} and "
            f"{name}[{j}, {i}] = {weights[j, i]:g}. Say directed=True, or pass {name} + {name}.T."
        )
    return csr_array((weights + weights.T) / 2), ("weights that differ by rounding were averaged",)


def _of_frame(
    frame: PandasFrame | PolarsFrame, nodes: Iterable[Hashable] | None, is_directed: bool, what: str
) -> Graph:
    frame = materialised(frame)
    if isinstance(frame, str):
        raise UnsupportedInput(f"{what} must be a graph, got a string. Read the file first.")
    names = [str(column) for column in frame.columns]
    chosen = edge_columns(names)
    if chosen is None:
        raise InvalidData(
            f"{what} must be an edge list of two or three columns, or have columns named source and target, "
            f"got the columns {', '.join(names[:8])}."
        )
    values = [frame.iloc[:, at] if hasattr(frame, "iloc") else frame[names[at]] for at in chosen]
    return _of_columns([_plain_column(column) for column in values], nodes, is_directed, what)


def edge_columns(names: Sequence[str]) -> tuple[int, ...] | None:
    """Return which columns are source, target and weight; None where it cannot be told.

    Examples
    --------
    >>> edge_columns(["id", "target", "source"]), edge_columns(["a", "b"]), edge_columns(list("abcd"))
    ((2, 1), (0, 1), None)
    """
    lower = [name.strip().lower() for name in names]
    source = next((lower.index(one) for one in SOURCES if one in lower), None)
    target = next((lower.index(one) for one in TARGETS if one in lower), None)
    weight = next((lower.index(one) for one in WEIGHTS if one in lower), None)
    if source is not None and target is not None:
        return (source, target) if weight is None else (source, target, weight)
    return tuple(range(len(names))) if len(names) in (2, 3) else None


def _plain_column(column: PandasSeries | PolarsSeries) -> AnyArray:
    if str(getattr(column, "dtype", "")) in ("Int128", "UInt128"):
        return _ids(column.to_list())  # NumPy has no such type
    if hasattr(column, "to_numpy"):
        return np.asarray(column.to_numpy())
    return np.asarray(column)


def _of_edges(
    edges: Iterable[Sequence[object]], nodes: Iterable[Hashable] | None, is_directed: bool, what: str
) -> Graph:
    if isinstance(edges, np.ndarray) and edges.ndim == 2 and edges.dtype.kind in "iufUO":
        parts = [edges[:, at] for at in range(edges.shape[1])]
    else:
        try:
            rows = [tuple(edge) for edge in edges]
        except TypeError:
            raise UnsupportedInput(
                f"{what} must be a square matrix of weights, an edge list, or a graph of networkx or igraph, "
                f"got {type(edges).__name__}."
            ) from None
        widths = {len(row) for row in rows}
        if len(widths) > 1:
            raise InvalidData(
                f"{what} must be an edge list of two or three columns, got rows of different lengths."
            )
        width = widths.pop() if widths else 2
        parts = [_ids([row[at] for row in rows]) for at in range(width)]
    if len(parts) not in (2, 3):
        raise InvalidData(
            f"{what} must be a square matrix of weights, or an edge list of two or three columns (source, "
            f"target, weight), got {len(parts)} columns."
        )
    return _of_columns(parts, nodes, is_directed, what)


def _of_columns(
    parts: list[AnyArray], nodes: Iterable[Hashable] | None, is_directed: bool, what: str
) -> Graph:
    if any(part.ndim != 1 or part.dtype.kind == "V" for part in parts):
        raise InvalidData(f"{what} must have a number or a text in every cell, got cells of several values.")
    if len({len(part) for part in parts}) > 1:
        raise InvalidData(f"{what} must have as many sources as targets and weights.")
    sources, targets = parts[:2]
    weights = _numbers(parts[2], what) if len(parts) == 3 else np.ones(len(sources))
    for side, ends in (("source", sources), ("target", targets)):
        _refuse_unhashable(ends, f"{what} must name nodes by numbers or text", "edge")
        gone = _is_missing(ends)
        if gone.any():
            at = int(np.argmax(gone))
            raise InvalidData(f"{what} must name both nodes of every edge, got edge {at} without a {side}.")
    found, codes = (
        _codes([*sources, *targets], sources, targets)
        if nodes is None
        else _known(nodes, sources, targets, what)
    )
    n = len(sources)
    return _assemble(codes[:n], codes[n:], weights, found, is_directed, what)


def _codes(both: list[object], sources: AnyArray, targets: AnyArray) -> tuple[AnyArray, Indices]:
    """Return the different ids, sorted where they can be, and the place of each end among them."""
    if (
        sources.dtype.kind in "iuf" and targets.dtype.kind in "iuf"
    ) or sources.dtype.kind == targets.dtype.kind == "U":
        ids, codes = np.unique(np.concatenate([sources, targets]), return_inverse=True)
        is_whole = (
            ids.dtype.kind == "f" and bool((ids == np.floor(ids)).all()) and bool((np.abs(ids) < 2**53).all())
        )
        return ids.astype(np.int64) if is_whole else ids, codes.ravel()
    different = list(dict.fromkeys(both))
    with suppress(TypeError, ValueError):  # of several types: as they occur
        different.sort()
    place = {one: at for at, one in enumerate(different)}
    return _ids(different), np.array([place[one] for one in both], dtype=np.int64)


def _refuse_unhashable(ends: Any, must: str, place: str) -> None:
    """Refuse ids that are lists, arrays or the like: two of them cannot be told to be one node."""
    for at, one in enumerate(ends if getattr(ends, "dtype", None) is None or ends.dtype.kind == "O" else ()):
        try:
            hash(one)
        except TypeError:
            raise InvalidData(f"{must}, got {type(one).__name__} at {place} {at}.") from None


def _known(nodes: Any, sources: AnyArray, targets: AnyArray, what: str) -> tuple[AnyArray, Indices]:
    """Return the given ids, and the place of each end among them."""
    listed = list(nodes.tolist() if isinstance(nodes, np.ndarray) else nodes)
    _refuse_unhashable(listed, f"nodes of {what} must be numbers or text", "node")
    place = {one: at for at, one in enumerate(listed)}
    if len(place) < len(listed):
        raise InvalidData(f"nodes of {what} must differ, got {len(listed) - len(place)} that occur twice.")
    codes = np.array([place.get(one, -1) for one in [*sources.tolist(), *targets.tolist()]], dtype=np.int64)
    if (codes < 0).any():
        at = int(np.argmax(codes < 0))
        unknown = [*sources.tolist(), *targets.tolist()][at]
        raise InvalidData(
            f"edges of {what} must join the given nodes, got {unknown!r} in edge {at % len(sources)}."
        )
    return _ids(listed), codes


def _assemble(
    sources: Indices, targets: Indices, weights: FloatArray, nodes: AnyArray, is_directed: bool, what: str
) -> Graph:
    """Return the graph of edges between numbered nodes; what occurs twice is added up."""
    n = len(nodes)
    if n == 0:
        raise InvalidData(f"{what} must have at least one node, got an empty graph (0 sample(s)).")
    _refuse_weights(weights, lambda at: f"{nodes[sources[at]]!s} - {nodes[targets[at]]!s}", what)
    kept = weights > 0
    sources, targets, weights = sources[kept], targets[kept], weights[kept]
    if not is_directed:
        low, high = np.minimum(sources, targets), np.maximum(sources, targets)
        sources, targets = low, high
    one_way = csr_array((weights, (sources, targets)), shape=(n, n))
    one_way.sum_duplicates()
    n_twice = len(weights) - one_way.nnz
    occur = "edge occurs" if n_twice == 1 else "edges occur"
    notes = (f"{n_twice:,} {occur} more than once: weights were added up",) if n_twice else ()
    if not np.isfinite(one_way.data).all():
        raise InvalidData(f"{what} must have weights whose sum is finite. Divide them by a constant first.")
    if not is_directed:
        back = one_way.T.tocoo()
        is_other = back.coords[0] != back.coords[1]  # a loop is its own way back
        back = csr_array((back.data[is_other], tuple(ends[is_other] for ends in back.coords)), shape=(n, n))
        one_way = csr_array(one_way + back)
    one_way.sort_indices()
    return Graph(one_way, nodes, is_directed, notes)


def _ids(values: Iterable[object]) -> AnyArray:
    """Return ids as an array of their own type where they have one, else of objects."""
    listed = list(values)
    kinds = {type(value) for value in listed}
    if (
        kinds <= {int}
        or kinds <= {str}
        or kinds <= {float}
        or (kinds and all(issubclass(kind, np.number) for kind in kinds))
    ):
        try:
            return np.array(listed)
        except OverflowError:
            pass
    array = np.empty(len(listed), dtype=object)
    for at, value in enumerate(listed):  # at once, tuples would be taken for rows
        array[at] = value
    return array


def _is_missing(ends: AnyArray) -> AnyArray:
    if ends.dtype.kind == "f":
        return np.asarray(np.isnan(ends))
    if ends.dtype.kind == "O":
        return np.array([one is None or one != one or one == "" for one in ends], dtype=bool)
    return np.asarray(ends == "") if ends.dtype.kind == "U" else np.zeros(len(ends), dtype=bool)


def _numbers(weights: AnyArray, what: str) -> FloatArray:
    try:
        if not np.iscomplexobj(weights):
            return np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        pass
    raise InvalidData(f"weights of {what} must be numbers, at most 1.8e308.")


def _refuse_weights(weights: FloatArray, place: Callable[[int], str], what: str) -> None:
    is_wrong = ~(np.isfinite(weights) & (weights >= 0))
    if is_wrong.any():
        at = int(np.argmax(is_wrong))
        value = "NaN" if np.isnan(weights[at]) else f"{weights[at]:g}"
        raise InvalidData(
            f"{what} must have weights that are finite and at least 0, got {value} at {place(at)}. Leave out "
            f"edges without a weight; negative weights are not supported."
        )


def _cell(weights: SparseData, at: int, name: str) -> str:
    row = int(np.searchsorted(weights.indptr, at, side="right")) - 1
    return f"{name}[{row}, {weights.indices[at]}]"
