"""The grid of a self-organizing map: where nodes stand, which are neighbours, sums over nearby ones."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
import numpy.typing as npt

from coterie._support.typing import FloatArray, Indices

LAYOUTS = ("rectangular", "hexagonal")
ROW_HEIGHT = np.sqrt(3.0) / 2  # of hexagons whose centres are 1 apart
SLACK = 1e-9


@dataclass(frozen=True)
class Grid:
    """Nodes in rows and columns, numbered row by row; neighbours in a row are 1 apart.

    Examples
    --------
    >>> Grid(2, 2, "hexagonal").places.round(2).tolist()
    [[0.0, 0.0], [1.0, 0.0], [0.5, 0.87], [1.5, 0.87]]
    >>> Grid(2, 3, "rectangular").neighbours(0).tolist()
    [1, 3, 4]
    """

    # n_rows, n_columns: its size
    n_rows: int
    n_columns: int
    # squares with up to eight neighbours, or hexagons with up to six: every second row is half a node to the
    # right
    layout: str

    @property
    def n_nodes(self) -> int:
        """How many nodes there are."""
        return self.n_rows * self.n_columns

    @property
    def places(self) -> FloatArray:
        """Where the nodes are drawn: x and y of each."""
        rows, columns = np.divmod(np.arange(self.n_nodes), self.n_columns)
        x = columns + self._offsets[rows]
        return np.column_stack([x, rows * self._row_height])

    @property
    def _offsets(self) -> FloatArray:
        """How far each row is shifted to the right."""
        shift = 0.5 if self.layout == "hexagonal" else 0.0
        return np.asarray(shift * (np.arange(self.n_rows) % 2))

    @property
    def _row_height(self) -> float:
        return float(ROW_HEIGHT) if self.layout == "hexagonal" else 1.0

    @property
    def _reach(self) -> float:
        """Squared distance of the farthest direct neighbours: squares touch at corners, too."""
        return (1.0 if self.layout == "hexagonal" else 2.0) + SLACK

    def are_neighbours(self, first: Indices, second: Indices) -> npt.NDArray[np.bool_]:
        """Return for pairs of nodes whether they are neighbours, or the same."""
        places = self.places
        return np.asarray(np.square(places[first] - places[second]).sum(axis=-1) <= self._reach)

    def neighbours(self, node: int) -> Indices:
        """Return the direct neighbours of a node."""
        first, second = self._pairs()
        return np.sort(second[first == node])

    def _pairs(self) -> tuple[Indices, Indices]:
        """Return all pairs of direct neighbours, each in both directions."""
        nodes = np.arange(self.n_nodes)
        rows, columns = np.divmod(nodes, self.n_columns)
        pairs = []
        for down, right in product((-1, 0, 1), repeat=2):
            row, column = rows + down, columns + right
            is_inside = (row >= 0) & (row < self.n_rows) & (column >= 0) & (column < self.n_columns)
            first, second = nodes[is_inside], (row * self.n_columns + column)[is_inside]
            is_near = self.are_neighbours(first, second) & (first != second)
            pairs.append((first[is_near], second[is_near]))
        firsts, seconds = zip(*pairs, strict=True)
        return np.concatenate(firsts), np.concatenate(seconds)

    def smooth(self, values: FloatArray, sigma: float) -> FloatArray:
        """Return for each node the sum over all nodes of their values, times ``exp(-d^2 / (2 sigma^2))``.

        The Gaussian of a distance is the product of those along columns and rows: so are the sums, which
        takes as many steps per node as the grid has rows and columns. Rows that are shifted alike are one
        part; sums are in NumPy's own order, whatever the processor.

        Parameters
        ----------
        values : array of shape (n_nodes, n)
            One row per node.
        sigma : float
            The reach of a node.
        """
        cube = values.reshape(self.n_rows, self.n_columns, -1)
        found = np.zeros_like(cube)
        step = 2 if self.layout == "hexagonal" else 1
        columns, rows = np.arange(self.n_columns), np.arange(self.n_rows) * self._row_height
        down = _gauss(rows[:, None] - rows, sigma)
        for source in range(min(step, self.n_rows)):
            for target in range(min(step, self.n_rows)):
                shift = self._offsets[target] - self._offsets[source]
                across = _gauss(columns[:, None] + shift - columns, sigma)
                moved = np.einsum("cx,rxn->rcn", across, cube[source::step])
                found[target::step] += np.einsum("tr,rcn->tcn", down[target::step, source::step], moved)
        return found.reshape(values.shape)

    def u_matrix(self, codebook: FloatArray) -> FloatArray:
        """Return the mean distance of each node's vector to those of its neighbours, by rows and columns."""
        vectors, (first, second) = codebook.astype(np.float64), self._pairs()
        distances = np.sqrt(np.square(vectors[first] - vectors[second]).sum(axis=1))
        totals, counts = (np.bincount(first, each, self.n_nodes) for each in (distances, np.ones(len(first))))
        return np.asarray(totals / np.maximum(counts, 1)).reshape(self.n_rows, self.n_columns)


def _gauss(distances: FloatArray, sigma: float) -> FloatArray:
    with np.errstate(under="ignore", over="ignore"):
        return np.asarray(np.exp(-0.5 * np.square(distances / sigma)))
