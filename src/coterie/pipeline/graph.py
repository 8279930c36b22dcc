"""What `coterie.fit` does with a graph: communities, tested against random graphs of the same degrees."""

from __future__ import annotations

import time
from collections.abc import Sequence
from html import escape
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.sparse import csr_array, issparse

from coterie._printing import shortened
from coterie._support.declarations import held, saved
from coterie._support.facts import facts_of
from coterie._support.progress import ProgressOption, track
from coterie._support.typing import (
    AnyArray,
    FloatArray,
    Indices,
    JsonObject,
    Labels,
    SparseData,
    ValuesByName,
)
from coterie._support.validation import Whole
from coterie._support.validation.schema import (
    COUNT,
    FLAG,
    Instance,
    ListOf,
    Maybe,
    Real,
    Tensor,
    Text,
)
from coterie._support.validation.sparse import check_sparse
from coterie.cluster import Communities, leiden
from coterie.data import Table
from coterie.data.graphs import Graph, edge_columns, is_graph_object, read_graph
from coterie.errors import InvalidData, InvalidParameter
from coterie.evaluate import Significance
from coterie.evaluate.belief import fit_configuration, run_all
from coterie.pipeline.null_test import until_p_is_large
from coterie.pipeline.request import FitRequest, told
from coterie.pipeline.verdict import LEVEL

METHOD = "leiden"
MANY_EDGES = 300_000  # above, the fewest draws that can reject are made
FEW_DRAWS = 19
SHOWN_GROUPS = 20
CENTRAL, NAMED = 5, 3  # nodes of a group that are kept, and that are named
# what coterie.fit can be told about a graph; everything else is about rows
TAKEN = (
    *("method", "k", "budget", "columns", "random_state", "set", "believe"),
    *("sheet", "table", "query", "header", "encoding"),
)
INDENT = "  "


@saved(eq=False)
class GraphClustering:
    """Groups of the nodes of a graph, and whether random graphs have such groups too.

    Parameters
    ----------
    communities : Communities
        The groups: labels, names of the nodes, levels, quality.
    significance : Significance or None
        Modularity against random graphs of the same degrees (the configuration model).
    inside : array of shape (k,)
        Of each group: weight of the edges within it, as a share of all that its nodes have.
    density : array of shape (k,)
        Of each group: edges within it, as a share of all pairs of its nodes.
    central : tuple of arrays of int
        Of each group: the nodes with the heaviest edges within it, the heaviest first.
    """

    source: str = held(Text(), "What the graph is called.")
    communities: Communities = held(Instance(Communities))
    significance: Significance | None = held(Maybe(Instance(Significance)))
    n_edges: int = held(Whole(0), "Number of edges.")
    is_directed: bool = held(FLAG, "Whether edges have a direction.")
    inside: FloatArray = held(Tensor("groups", kind="f8"))
    density: FloatArray = held(Tensor("groups", kind="f8"))
    central: tuple[Indices, ...] = held(ListOf(Tensor(None, kind="i8", low=0), kind=tuple))
    resolution: float = held(Real(0.0), "That of the objective.")
    notes: tuple[str, ...] = held(ListOf(Text(), kind=tuple), "What the reader should know.")
    budget: str = held(Text(), "What was allowed.")
    seed: int = held(COUNT, "Same seed, same graph, same answer.")
    seconds: float = held(Real(), "Time it took.")

    @property
    def labels(self) -> Labels:
        """Group of each node, 0..k-1, the largest first."""
        return self.communities.labels

    @property
    def nodes(self) -> AnyArray:
        """What the nodes are called."""
        return self.communities.nodes

    @property
    def k(self) -> int:
        """Number of groups."""
        return self.communities.n_communities

    @property
    def modularity(self) -> float:
        """Modularity at resolution 1."""
        return self.communities.modularity

    @property
    def convincing(self) -> bool | None:
        """Whether random graphs of the same degrees are not divided as well; None: not tested."""
        if self.k in (1, len(self.labels)):
            return False
        return None if self.significance is None else self.significance.p_value <= LEVEL

    @property
    def headline(self) -> str:
        """The answer in one sentence."""
        if self.k in (1, len(self.labels)):
            return (
                "No groups: the graph is one community" if self.k == 1 else "No groups: every node is alone"
            )
        if self.significance is None:
            return f"{self.k} groups; not tested against random graphs"
        tested = f"{self.significance.verdict} (p = {self.significance.p_value:.2g})"
        if self.convincing:
            return f"{self.k} groups; {tested}"
        return f"No convincing groups. Best guess: {self.k} ({tested})"

    def summary(self) -> str:
        """Return the answer, and the evidence underneath."""
        kind = "directed" if self.is_directed else "undirected"
        lines = [f"{self.source}   {len(self.labels):,} nodes, {self.n_edges:,} edges; {kind}", ""]
        lines += [f"{INDENT}{self.headline}", _line("modularity", self._chance())]
        if self.resolution != 1 or self.communities.quality != self.modularity:
            lines.append(
                _line("quality", f"{self.communities.quality:.4g} at resolution {self.resolution:g}")
            )
        lines += ["", *self._groups(), ""]
        lines.append(f"{INDENT}Leiden, seed {self.seed}, {self.seconds:.1f} s")
        lines += [f"{INDENT}note: {note}" for note in self.notes]
        return "\n".join(lines)

    def _chance(self) -> str:
        value = f"{self.modularity:.3f}"
        if self.significance is None:
            return value
        draws = self.significance.draws
        return (
            f"{value}; random graphs of the same degrees: {draws.mean():.3f} ({self.significance.p_in_words})"
        )

    def _groups(self) -> list[str]:
        sizes = self.communities.sizes
        lines = [f"{INDENT}group     nodes   share   edges inside   density   central nodes"]
        for at in range(min(self.k, SHOWN_GROUPS)):
            share = sizes[at] / len(self.labels)
            size = f"{INDENT}{at + 1:<5}  {sizes[at]:>8,}  {share:>6.1%}"
            lines.append(
                f"{size}   {self.inside[at]:>12.1%}   {self.density[at]:>7.3g}   {self.central_words(at)}"
            )
        if self.k > SHOWN_GROUPS:
            lines.append(f"{INDENT}and {self.k - SHOWN_GROUPS:,} more groups")
        return lines

    def central_words(self, group: int) -> str:
        """Name the nodes with the heaviest edges within a group (counted from 0)."""
        return ", ".join(shortened(self.nodes[node]) for node in self.central[group][:NAMED])

    def to_dict(self) -> JsonObject:
        """Return plain values: what ``coterie fit --graph --json`` prints."""
        found = self.communities
        return {
            "source": self.source,
            "nodes": len(self.labels),
            "edges": self.n_edges,
            "directed": self.is_directed,
            **facts_of(self, "k", "headline", "convincing"),
            "method": METHOD,
            "resolution": self.resolution,
            "modularity": found.modularity,
            "quality": found.quality,
            "groups": [
                {
                    "label": at,
                    "size": int(size),
                    "inside": float(self.inside[at]),
                    "density": float(self.density[at]),
                    "central": [str(self.nodes[node]) for node in self.central[at]],
                }
                for at, size in enumerate(found.sizes)
            ],
            "levels": [int(level.max()) + 1 for level in found.levels.T],
            **facts_of(self, "significance", "notes", "budget", "seed"),
            "seconds": round(self.seconds, 6),
        }

    def table(self) -> Table:
        """Return the nodes as a table of one column."""
        import polars

        names = self.nodes.tolist() if self.nodes.dtype.kind == "O" else self.nodes
        if self.nodes.dtype.kind == "O":
            names = [str(name) for name in names]
        frame = polars.DataFrame({"node": names})
        return Table(self.source, ("node",), True, len(self.labels), frame)

    def __repr__(self) -> str:
        return self.summary()

    def _repr_html_(self) -> str:
        return f"<pre>{escape(self.summary())}</pre>"


def is_graph(X: Any) -> bool:
    """Return whether data for `coterie.fit` are a graph: an object, or a sparse matrix that is symmetric.

    Examples
    --------
    >>> is_graph(csr_array([[0, 1], [1, 0]])), is_graph(csr_array([[0, 1], [2, 0]]))
    (True, False)
    """
    if is_graph_object(X):
        return True
    if not issparse(X) or X.ndim != 2 or not 1 < X.shape[0] == X.shape[1] or X.dtype.kind not in "biuf":
        return False
    sound = check_sparse(X, who="coterie.fit")  # before compiled code follows its indices
    return not (sound != sound.T).nnz


def fit_graph(
    graph: object,
    request: FitRequest,
    *,
    source: str = "the graph",
    progress: ProgressOption = None,
) -> GraphClustering:
    """Find the communities of a graph, and test them against random graphs of the same degrees."""
    began = time.perf_counter()
    settings = _settings(request)
    read = graph_of(graph, request, settings.pop("directed", None))
    with track(progress, "communities", total=None):
        found = leiden(read, random_state=request.seed, **settings)
    notes = list(found.notes)
    significance = None
    if request.believe and found.n_communities > 1:
        significance, note = _compare(read, found, request, settings, progress)
        notes += note
    inside, density = _describe(read, found.labels)
    return GraphClustering(
        source=source,
        communities=found,
        significance=significance,
        n_edges=read.n_edges,
        is_directed=read.is_directed,
        inside=inside,
        density=density,
        central=_central(read, found.labels),
        resolution=float(settings.get("resolution", 1.0)),
        notes=tuple(notes),
        budget=request.budget.name,
        seed=request.seed,
        seconds=time.perf_counter() - began,
    )


def _settings(request: FitRequest) -> ValuesByName:
    """Return the parameters of Leiden, or say which option is about rows."""
    for name in told(request.arguments):
        if name not in TAKEN:
            raise InvalidParameter(
                f"{name} of coterie.fit is about rows, not about a graph. Leave it out."
            ).in_shell(f"--{name.replace('_', '-')} is about rows, not about --graph. Leave it out.")
    if request.ks is not None:
        raise InvalidParameter(
            "k of coterie.fit is not for a graph: Leiden finds the number of groups. "
            'For more of them: set={"resolution": 2}.'
        ).in_shell("-k is not for --graph: Leiden finds the number of groups. For more: --set resolution=2.")
    if request.methods not in (None, (METHOD,)):
        raise InvalidParameter(
            f'method of coterie.fit must be "{METHOD}" for a graph, got {request.methods}.'
        ).in_shell(f"--method must be {METHOD} with --graph, got {','.join(request.methods or ())}.")
    allowed = ("resolution", "objective", "directed", "theta", "n_iterations")
    for name in request.settings:
        if name not in allowed:
            raise InvalidParameter(
                f"set of coterie.fit takes {', '.join(allowed)} for a graph, got {name!r}."
            )
    return dict(request.settings)


def graph_of(graph: object, request: FitRequest, directed: bool | None = None) -> Graph:
    """Return the graph in a table of edges or a matrix, or in anything else that `read_graph` takes."""
    if isinstance(graph, Graph):
        return graph
    if not isinstance(graph, Table):
        return read_graph(graph, directed=directed, who="coterie.fit")
    if graph.is_matrix and not request.columns and graph.content.shape[0] == graph.content.shape[1]:
        return read_graph(graph.content, directed=directed, who="", name=graph.source)
    return read_graph(_edges(graph, request.columns), directed=directed, who="", name=graph.source)


def _edges(table: Table, names: Sequence[str]) -> tuple[AnyArray, ...]:
    """Return the columns of source, target and weight of a table."""
    known = list(table.columns)
    if names:
        unknown = [name for name in names if name not in known]
        if unknown or len(names) not in (2, 3):
            raise InvalidData(
                f"{table.source}: columns must name source, target and, if there is one, weight, got "
                f"{', '.join(names)}. There are {', '.join(known[:12])}."
            )
        chosen: tuple[int, ...] | None = tuple(known.index(name) for name in names)
    else:
        chosen = edge_columns(known)
    if chosen is None:
        listed = ", ".join(known[:12])
        raise InvalidData(
            f"{table.source}: which columns are source, target and weight? There are {listed}. Say "
            f"columns=[source, target, weight]."
        ).in_shell(
            f"{table.source}: which columns are source, target and weight? There are {listed}. Say "
            f"--columns SOURCE,TARGET or --columns SOURCE,TARGET,WEIGHT."
        )
    if table.is_matrix:
        content = table.content.toarray() if issparse(table.content) else table.content
        return tuple(content[:, at] for at in chosen)
    return tuple(np.asarray(table.content[known[at]].to_numpy()) for at in chosen)


def _compare(
    graph: Graph, found: Communities, request: FitRequest, settings: ValuesByName, progress: ProgressOption
) -> tuple[Significance | None, list[str]]:
    """Return how often random graphs of the same degrees are divided as well, with notes.

    Draws stop once the p-value is certain to be far above the level (Besag and Clifford 1991).
    """
    if graph.n_edges < 2:
        return None, ["fewer than 2 edges are too few to test against random graphs"]
    n_draws = request.budget.draws if graph.n_edges <= MANY_EDGES else FEW_DRAWS
    sample = fit_configuration(graph)

    def value(rng: np.random.Generator) -> float:
        drawn = leiden(sample(rng), random_state=int(rng.integers(2**32)), **settings)
        return drawn.quality

    with track(progress, "random graphs: draw", total=n_draws) as tracker:
        draws = run_all(
            value,
            request.seed,
            n_draws,
            n_rows=graph.n_nodes,
            tracker=tracker,
            is_enough=until_p_is_large(found.quality, n_draws),
        )
    name = "modularity" if settings.get("objective", "modularity") == "modularity" else "quality"
    words = "random graphs of the same degrees"
    values = np.array(draws)
    return Significance(name, "configuration", words, found.quality, values, greater_is_better=True), []


def _relative(graph: Graph) -> SparseData:
    """Return the edges with weights as shares of the heaviest: sums of large ones would overflow."""
    edges = csr_array(graph.weights).tocoo()
    heaviest = edges.data.max(initial=0.0)
    edges.data = edges.data / heaviest if heaviest > 0 else edges.data
    return edges


def _describe(graph: Graph, labels: Labels) -> tuple[FloatArray, FloatArray]:
    """Return of each group the share of its weight that lies within it, and how dense it is."""
    edges = _relative(graph)
    k = int(labels.max()) + 1
    rows, columns = edges.coords
    is_inside = labels[rows] == labels[columns]
    is_other = rows != columns
    touching = np.bincount(labels[rows], edges.data, k)
    within = np.bincount(labels[rows[is_inside]], edges.data[is_inside], k)
    if graph.is_directed:
        touching = touching + np.bincount(labels[columns], edges.data, k) - within
    pairs = np.bincount(labels, minlength=k).astype(np.float64)
    pairs *= pairs - 1
    counted = np.bincount(labels[rows[is_inside & is_other]], minlength=k)
    inside = np.divide(within, touching, out=np.zeros(k), where=touching > 0)
    return inside, np.divide(counted, pairs, out=np.zeros(k), where=pairs > 0)


def _central(graph: Graph, labels: Labels) -> tuple[Indices, ...]:
    """Return of each group the nodes with the heaviest edges within it."""
    edges = _relative(graph)
    rows, columns = edges.coords
    is_inside = (labels[rows] == labels[columns]) & (rows != columns)
    weight = np.bincount(rows[is_inside], edges.data[is_inside], len(labels))
    if graph.is_directed:
        weight = weight + np.bincount(columns[is_inside], edges.data[is_inside], len(labels))
    order = np.lexsort((np.arange(len(labels)), -weight, labels))
    ends = np.searchsorted(labels[order], np.arange(int(labels.max()) + 2))
    return tuple(order[first:last][:CENTRAL].astype(np.int64) for first, last in pairwise(ends))


def _line(name: str, text: str) -> str:
    return f"{INDENT}{name:<24}{text}"
