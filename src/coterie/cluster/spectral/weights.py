"""Rows that weigh: the graph of their copies, among functions that are equal on copies."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from coterie._support.typing import FloatArray, Labels, Weights
from coterie.cluster.spectral.graphs import Graph


@dataclass(frozen=True, eq=False)
class WeightedGraph:
    """A graph in which a point stands for several copies of it.

    With W the weights between points, m the masses and w the weights between a point and its copy, a copy has
    the degree ``d_i = sum over j of m_j W_ij + (m_i - 1) w_i``, and the graph of all copies acts on
    functions f that are equal on copies, written as ``g = m^(1/2) f``, as the symmetric matrix
    ``m_i^(1/2) W_ij m_j^(1/2)`` with ``(m_i - 1) w_i`` on its diagonal. A point of a mass below 1 has no copy
    of itself, only less influence on others: there, the diagonal is 0.
    """

    graph: Graph
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

    def times_at(self, points: Any, V: FloatArray) -> FloatArray:
        """Return the values of the others, summed by mass and weight; for points that have no loops."""
        return self.graph.times_at(points, self.masses[:, None] * V)

    def stored(self) -> Any:
        roots = sparse.diags_array(np.sqrt(self.masses))
        return sparse.csr_array(roots @ self.graph.stored() @ roots + sparse.diags_array(self.loops))

    def among(self, points: Any) -> Graph:
        return WeightedGraph(self.graph.among(points), self.masses[points])

    def parts(self) -> Labels:
        return self.graph.parts()


def _in_range(graph: Graph, values: FloatArray) -> FloatArray:
    """Return a product whose factor neither overflows nor vanishes in float32."""
    size = float(np.abs(values).max(initial=0.0)) or 1.0
    return np.asarray(graph.times(values / size) * size)
