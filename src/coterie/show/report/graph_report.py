"""The report of the communities of a network: the network drawn, its groups, and random graphs beside it."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from scipy.sparse import csr_array

from coterie._printing import count_of
from coterie._support.files import check_output
from coterie._support.typing import FloatArray, Indices, Labels, SparseData
from coterie.cluster import lay_out_graph
from coterie.data.graphs import Graph
from coterie.errors import InvalidData
from coterie.pipeline.graph import GraphClustering
from coterie.pipeline.partition import Partition, RowsAtHand
from coterie.show.report.clusterings import versions
from coterie.show.report.subject import ReportSubject
from coterie.show.report.write import write_subject

HEAVY = 0.9  # share of the edges that are lighter than one that pulls with full strength
MOST_LEVELS = 60  # groups of a level that a page shows
NO_DISTANCE = "graph"  # nodes have no distance of their own: no silhouettes are drawn


class GraphMap:
    """Places for the nodes of a network, as a report asks for them."""

    def __init__(self, graph: Graph, seed: int) -> None:
        self._graph, self._seed = graph, seed

    def map(self) -> FloatArray:
        """Return the places of the nodes: linked ones near each other."""
        links = _links(self._graph)
        if links.nnz:
            links.data = np.minimum(links.data / np.quantile(links.data, HEAVY), 1.0)
        return lay_out_graph(links, random_state=self._seed)

    def links(self, places: Indices, most: int) -> tuple[tuple[int, int], ...]:
        """Return the edges between the nodes at these places; none where they are too many."""
        among = _links(self._graph)[places][:, places].tocoo()
        one, other = (ends[among.row < among.col] for ends in (among.row, among.col))
        return tuple(zip(one.tolist(), other.tolist(), strict=True)) if len(one) <= most else ()


def report_graph(
    found: GraphClustering,
    graph: Graph,
    path: str | os.PathLike[str],
    *,
    command: str | None = None,
    force: bool = False,
) -> Path:
    """Write the report of the communities of a graph as one HTML file.

    Parameters
    ----------
    found : GraphClustering
        From `coterie.fit(graph=...)`.
    graph : Graph
        The graph, as `coterie.data.graphs.read_graph` gives it.
    path : str or path
        Where to write the page, an .html file.
    command : str, default=None
        What was typed in the shell.
    force : bool, default=False
        Whether an existing file may be replaced.
    """
    check_output(path, force=force)
    return write_subject(subject_of_graph(found, graph, command=command), path, force=force)


def subject_of_graph(found: GraphClustering, graph: Graph, *, command: str | None = None) -> ReportSubject:
    """Return what a report of communities is about."""
    n = len(found.labels)
    if graph.weights.shape[0] != n:
        raise InvalidData(f"report_graph needs the graph of the {n:,} nodes, got {graph.weights.shape[0]:,}.")
    values, columns = _node_columns(graph, np.asarray(found.labels))
    at_hand = RowsAtHand(values, values, np.arange(n), columns, n, metric=NO_DISTANCE)
    levels: dict[int, Partition] = {}
    for level in found.communities.levels.T:
        k = int(level.max()) + 1
        if 1 < k <= MOST_LEVELS and k != found.k:
            levels[k] = Partition(at_hand, np.asarray(level))
    return ReportSubject(
        title=Path(found.source).name,
        partition=Partition(at_hand, np.asarray(found.labels)),
        n_rows=n,
        headline=found.headline,
        lead=f"Leiden, modularity {found.modularity:.3f}",
        others=levels,
        row_names=[str(name) for name in found.nodes.tolist()],
        group_names=[found.central_words(group) for group in range(found.k)],
        typical=found.central,
        significance=found.significance,
        linked=GraphMap(graph, found.seed),
        is_network=True,
        scaling="edges",
        units=("node", "nodes"),
        extent=count_of(found.n_edges, "edge"),
        notes=found.notes,
        made=[("method", "Leiden"), ("resolution", f"{found.resolution:g}"), *versions()],
        command=command,
        python="import coterie\n\ncoterie.fit(graph=edges)",
        seed=found.seed,
    )


def _links(graph: Graph) -> SparseData:
    """Return the weights in both directions together, without loops."""
    weights = csr_array(graph.weights, dtype=np.float64)
    links = csr_array((weights + weights.T) / 2)
    links.setdiag(0)
    links.eliminate_zeros()
    return links


def _node_columns(graph: Graph, labels: Labels) -> tuple[FloatArray, tuple[str, ...]]:
    """Return what is known of a node: its edges, and which share of their weight stays in its group."""
    links = _links(graph)
    row = np.repeat(np.arange(len(labels)), np.diff(links.indptr))
    total = np.bincount(row, links.data, minlength=len(labels))
    within = np.bincount(row, links.data * (labels[row] == labels[links.indices]), minlength=len(labels))
    shares = np.divide(within, total, out=np.ones(len(labels)), where=total > 0)
    return np.column_stack([np.diff(links.indptr).astype(float), shares, total]), (
        "edges",
        "share of its edges within the group",
        "weight of its edges",
    )
