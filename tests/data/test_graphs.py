"""Graphs: whatever stands for one is read alike, and what cannot be one is refused in words."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from scipy.sparse import coo_array, csr_array

from coterie.data.graphs import Graph, edge_columns, read_graph
from coterie.errors import InvalidData, InvalidParameter, UnsupportedInput

EDGES = [("a", "b", 2.0), ("b", "c", 1.0), ("c", "c", 3.0)]
WEIGHTS = np.array([[0, 2, 0], [2, 0, 1], [0, 1, 3.0]])


class Networkx:
    """What is asked of a graph of networkx."""

    def __init__(self, is_directed=False):
        self.nodes, self._directed = ["a", "b", "c", "alone"], is_directed

    def is_directed(self):
        return self._directed

    def adjacency(self):
        raise AssertionError("not needed")

    def edges(self, data, default):
        assert (data, default) == ("weight", 1)
        return EDGES


class Igraph:
    """What is asked of a graph of igraph."""

    class Attributes(dict):
        def attributes(self):
            return list(self)

    es = Attributes(weight=[2.0, 1.0, 3.0])
    vs = Attributes(name=["a", "b", "c"])

    def is_directed(self):
        return False

    def get_edgelist(self):
        return [(0, 1), (1, 2), (2, 2)]

    def vcount(self):
        return 3


@pytest.mark.parametrize(
    "given",
    [
        EDGES,
        tuple(map(np.array, zip(*EDGES, strict=True))),
        pd.DataFrame(EDGES, columns=["from", "to", "weight"]),
        pl.DataFrame(EDGES, schema=["x", "y", "z"], orient="row"),
        pd.DataFrame([(1, *edge) for edge in EDGES], columns=["id", "source", "target", "weight"]),
        np.array(EDGES, dtype=object),
        Igraph(),
    ],
)
def test_all_kinds_of_edge_lists(given):
    """Law: the container of edges does not matter; loops count once."""
    graph = read_graph(given)
    assert graph.nodes.tolist() == ["a", "b", "c"]
    np.testing.assert_array_equal(graph.weights.toarray(), WEIGHTS)
    assert (graph.n_nodes, graph.n_edges, graph.total_weight) == (3, 3, 6.0)
    assert not graph.is_directed


def test_graphs_of_networkx_keep_their_nodes_and_direction():
    """Law: isolated nodes stay; a directed graph is one unless told otherwise."""
    graph = read_graph(Networkx())
    assert graph.nodes.tolist() == ["a", "b", "c", "alone"]
    np.testing.assert_array_equal(graph.weights.toarray()[:3, :3], WEIGHTS)
    assert read_graph(Networkx(is_directed=True)).is_directed
    assert read_graph(Networkx(is_directed=True)).n_edges == 3
    assert not read_graph(Networkx(is_directed=True), directed=False).is_directed


@pytest.mark.parametrize("kind", [np.asarray, csr_array, coo_array, np.ndarray.tolist])
def test_matrices(kind):
    """Law: a square matrix is a matrix of weights, and given arrays are never changed."""
    given = kind(WEIGHTS)
    graph = read_graph(given)
    np.testing.assert_array_equal(graph.weights.toarray(), WEIGHTS)
    assert graph.nodes.tolist() == [0, 1, 2]
    assert read_graph(graph) is graph
    assert isinstance(graph, Graph)


def test_ids_of_any_type():
    """Law: numbers are sorted, whole ones stay whole; ids of several types come as they occur."""
    assert read_graph(np.array([[9, 2], [2, 4]])[:1]).nodes.tolist() == [2, 9]
    assert read_graph([(9.0, 2.0), (2.0, 4.0), (5.0, 2.0)]).nodes.dtype == np.int64
    assert read_graph([("x", 1), (1, (2, 3)), ("x", (2, 3))]).nodes.tolist() == ["x", 1, (2, 3)]


def test_duplicates_are_added_up_and_said():
    """Law: an edge that occurs twice, in either direction, has the sum of the weights."""
    graph = read_graph([(0, 1, 2.0), (1, 0, 0.5), (1, 2, 1.0), (0, 1, 1.0)])
    assert graph.weights[0, 1] == graph.weights[1, 0] == 3.5
    assert graph.notes == ("2 edges occur more than once: weights were added up",)
    both = read_graph([(0, 1, 2.0), (1, 0, 0.5), (1, 2, 1.0)], directed=True)
    assert (both.weights[0, 1], both.weights[1, 0], both.notes) == (2.0, 0.5, ())


def test_matrices_that_are_nearly_symmetric_are_averaged():
    """Law: rounding is averaged; more is refused unless the graph is directed."""
    nearly = WEIGHTS.copy()
    nearly[0, 1] += 1e-9
    graph = read_graph(nearly)
    assert graph.weights[0, 1] == graph.weights[1, 0]
    assert "averaged" in graph.notes[0]
    nearly[0, 1] = 5
    with pytest.raises(InvalidData, match=r"symmetric unless it is directed, got graph\[0, 1\] = 5 and"):
        read_graph(nearly)
    assert read_graph(nearly, directed=True).is_directed


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ([(0, 1, -1.0), (1, 2, 1.0)], "finite and at least 0, got -1 at 0 - 1"),
        ([(0, 1, np.nan), (1, 2, 1.0)], "got NaN at 0 - 1"),
        (np.array([[0, -2.0], [-2.0, 0]]), r"got -2 at graph\[0, 1\]"),
        (csr_array(np.array([[0, np.inf], [np.inf, 0]])), "inf"),
        ([(None, 1), (1, 2), (2, 3)], "edge 0 without a source"),
        ([("a", ""), ("a", "b"), ("b", "c")], "edge 0 without a target"),
        (np.array([[0, np.nan], [1, 2], [2, 0]]), "edge 0 without a target"),
        ([], "at least one node"),
        (np.ones((5, 4)), "edge list of two or three columns"),
        (csr_array((2, 3)), "square matrix of weights"),
        ([(0, 1), (1, 2, 3.0)], "rows of different lengths"),
        ([(0, 1, "much"), (1, 2, "more")], "must be numbers"),
        (pd.DataFrame(np.ones((3, 4)), columns=list("abcd")), "columns named source and target"),
        ((np.arange(3), np.arange(4)), "as many sources"),
    ],
)
def test_what_is_no_graph_is_refused(given, words):
    """Law: the message says what is wrong and where."""
    with pytest.raises(InvalidData, match=words):
        read_graph(given)


def test_other_things_are_refused():
    """Law: a number or a path is not a graph."""
    for wrong in (3, "edges.csv"):
        with pytest.raises(UnsupportedInput, match="must be a"):
            read_graph(wrong)


def test_given_nodes_are_all_nodes():
    """Law: nodes without edges can be named; edges to others are refused."""
    assert read_graph([(1, 2)], nodes=[1, 2, 3]).n_nodes == 3
    with pytest.raises(InvalidData, match="must join the given nodes, got 9 in edge 1"):
        read_graph([(1, 2), (9, 1), (1, 3)], nodes=[1, 2, 3])
    with pytest.raises(InvalidData, match="must differ"):
        read_graph([(1, 2)], nodes=[1, 2, 2])


def test_columns_are_told_by_name():
    """Law: names tell; two or three columns need none."""
    assert edge_columns(["Weight", "Target", "Source"]) == (2, 1, 0)
    assert edge_columns(["p", "q", "r"]) == (0, 1, 2)
    assert edge_columns(["p", "q", "r", "s"]) is None


@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "dok", "lil", "dia", "bsr"])
def test_every_format_of_sparse_matrices(kind):
    """Law: a sparse matrix is a graph in any format; some are dictionaries."""
    weights = np.array([[0, 1.0, 0], [1, 0, 2], [0, 2, 0]])
    for make in (sparse.coo_array, sparse.coo_matrix):
        found = read_graph(make(weights).asformat(kind))
        np.testing.assert_array_equal(found.weights.toarray(), weights)


@pytest.mark.parametrize(
    ("edges", "words"),
    [
        ([([1], "x"), ({}, [1])], "must name nodes by numbers or text, got list at edge 0"),
        ({"source": [{}], "target": [b"y"]}, "must have a number or a text in every cell"),
        ([(1, 2, 10**400)], "weights of graph of .* must be numbers, at most"),
        (pd.DataFrame([(2, 4, 1j)]), "weights of graph .*must be numbers, at most"),
    ],
)
def test_cells_that_are_neither_nodes_nor_weights(edges, words):
    """Lists, objects and numbers beyond floats are refused, with the edge."""
    with pytest.raises(InvalidData, match=words):
        read_graph(edges)


def test_nodes_of_any_hashable_kind():
    """Tuples are nodes, alone or among numbers; whole numbers may be of any size."""
    assert read_graph([(1, (1, 2), 1.0)]).nodes.tolist() == [1, (1, 2)]
    assert read_graph({"source": [2.0, 3], "target": [2.0, (1, 2)]}).n_nodes == 3
    assert read_graph({"source": [2**64, 5], "target": [10**30, 5]}).nodes.tolist() == [5, 2**64, 10**30]


def test_loops_of_large_weights():
    """Law: a loop is counted once, however large its weight."""
    found = read_graph([("a", "a", 1.7e308), ("a", "b", 2.0)]).weights.toarray()
    np.testing.assert_array_equal(found, [[1.7e308, 2.0], [2.0, 0.0]])


def test_a_direction_is_yes_or_no():
    """An array is not an answer to whether edges have a direction."""
    with pytest.raises(InvalidParameter, match="directed of leiden must be None or True or False"):
        read_graph([("a", "b")], directed=np.array([1.0, 2.0]), who="leiden")
