"""Laws of the measures of a graph and a labeling, read from their facts."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from coterie.errors import InvalidData, InvalidParameter
from coterie.evaluate import assess, compare, measures, modularity

OF_GRAPHS = measures("graph")
every_measure = pytest.mark.parametrize("measure", OF_GRAPHS, ids=lambda measure: measure.name)


def cliques(n_cliques, size, rng):
    """Cliques that nothing joins, their vertices in any order, and the clique of each vertex."""
    labels = rng.permutation(np.repeat(np.arange(n_cliques), size))
    return (labels[:, None] == labels).astype(float) - np.eye(len(labels)), labels


def random_graph(rng):
    weights = np.triu(rng.integers(0, 4, (18, 18)), 1).astype(float)
    return weights + weights.T


@every_measure
@pytest.mark.parametrize("seed", range(20))
def test_range_order_names_and_unit(measure, seed):
    """Law: floats in range; other names, another order, another unit or a sparse form change nothing."""
    rng = np.random.default_rng(seed)
    graph, labels, order = random_graph(rng), rng.integers(1, 5, 18), rng.permutation(18)
    value = measure(graph, labels)
    assert type(value) is float
    assert measure.low <= value <= measure.high
    assert measure(graph[np.ix_(order, order)], labels[order]) == pytest.approx(value)
    assert measure(graph, np.array(["a", "b", "c", "d"])[labels - 1]) == pytest.approx(value)
    assert measure(csr_array(graph), labels) == pytest.approx(value)
    if measure.is_scale_free:
        assert measure(7.5 * graph, labels) == pytest.approx(value)


@every_measure
@pytest.mark.parametrize("n_cliques", [2, 5, 12])
def test_direction(measure, n_cliques):
    """Law: the cliques of a graph beat any other labeling; more of them come closer to the best value."""
    rng = np.random.default_rng(n_cliques)
    graph, truth = cliques(n_cliques, 4, rng)
    value = measure(graph, truth)
    assert value == pytest.approx(1 - 1 / n_cliques)
    assert all(measure(graph, rng.permutation(truth)) <= value for _ in range(20))


@every_measure
def test_bad_graphs_are_refused(measure):
    """Law: no vertices, NaN, and weights that are not symmetric are refused in words."""
    with pytest.raises(InvalidData, match="0 sample"):
        measure(np.empty((0, 0)), [])
    with pytest.raises(InvalidData, match="NaN"):
        measure([[0, np.nan], [np.nan, 0]], [0, 1])
    with pytest.raises(InvalidData, match="must be symmetric"):
        measure([[0, 1], [2, 0]], [0, 1])


@every_measure
def test_tables_of_other_needs_refuse_it(measure):
    """Law: a measure of graphs is none of data or of two labelings; the refusal says what it needs."""
    with pytest.raises(InvalidParameter, match="needs graph"):
        assess([[0.0], [1.0], [2.0]], [0, 0, 1], measures=[measure.name])
    with pytest.raises(InvalidParameter, match="needs graph"):
        compare([0, 0, 1], [0, 0, 1], measures=[measure.name])


@pytest.mark.parametrize("factor", [1e308, 1e-310])
def test_modularity_of_any_size(factor):
    """Law: it does not depend on the unit of the weights, up to the ends of the range of numbers."""
    rng = np.random.default_rng(0)
    graph = np.triu((rng.random((12, 12)) < 0.5).astype(float), 1)
    graph, labels = graph + graph.T, rng.integers(0, 3, 12)
    assert modularity(graph * factor, labels) == pytest.approx(modularity(graph, labels))
