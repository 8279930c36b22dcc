"""How deep the deepest valley is in data without clusters: what `ModeTree.depths` are compared with."""

from __future__ import annotations

from typing import Any

import numpy as np

from coterie._support.typing import FloatArray

# Depth that 95 % of samples of one uniform cloud stay below, by the dimension that `dimension_at` reports for
# it and by the number of cells n / n_neighbors: benchmarks/valley_null.py. One Gaussian and one
# t-distribution stay lower.
_CELLS = np.log([4.0, 7.5, 11.0, 18.0, 28.0, 47.0, 78.0, 140.0, 375.0, 2000.0])
_DIMENSIONS = np.array([0.9, 1.75, 2.5, 3.95, 5.9])
_DEPTHS = np.array(
    [
        [1.70, 2.10, 2.46, 2.84, 3.12, 3.56, 3.84, 3.94, 4.49, 5.0],
        [0.90, 1.20, 1.70, 1.96, 2.22, 2.51, 2.63, 2.93, 3.38, 3.8],
        [0.70, 0.90, 1.57, 1.66, 1.78, 1.98, 2.23, 2.53, 3.05, 3.5],
        [0.70, 0.86, 1.19, 1.26, 1.51, 1.66, 1.87, 2.12, 2.51, 3.0],
        [0.60, 0.73, 1.18, 1.34, 1.34, 1.43, 1.62, 2.03, 2.37, 2.8],
    ]
)
# What a tube adds to a line, by how many dimensions its neighbourhoods have more; nothing with many cells.
_TUBE, _TUBE_PER_DIMENSION, _TUBE_FROM, _TUBE_MOST = 0.6, 0.25, 0.4, 4.0
_TUBE_CELLS = (25.0, 100.0)


def null_depth(n_rows: Any, n_neighbors: int, dimension: float, extent: Any) -> FloatArray:
    """Return the depth that the deepest valley of a cloud without clusters exceeds in one case of twenty.

    Parameters
    ----------
    n_rows : float or array
        Rows of the cloud, or of several.
    n_neighbors : int
        Neighbours that the density is estimated from.
    dimension : float
        What `dimension_at` reports for that number of neighbours.
    extent : float or array
        In how many directions the cloud extends: 1 for a tube, however thick a neighbourhood of it is. A path
        along a tube cannot go round a thin spot, so that valleys without meaning are deeper.

    Examples
    --------
    >>> bool(null_depth(500, 10, 2.0, 2.0) < null_depth(500, 10, 2.0, 1.0))
    True
    """
    cells = np.log(np.maximum(np.asarray(n_rows, dtype=np.float64) / n_neighbors, 1.0))
    across = np.clip(np.minimum(dimension, extent), _DIMENSIONS[0], _DIMENSIONS[-1])
    above = np.clip(np.searchsorted(_DIMENSIONS, across), 1, len(_DIMENSIONS) - 1)
    share = (across - _DIMENSIONS[above - 1]) / (_DIMENSIONS[above] - _DIMENSIONS[above - 1])
    by_dimension = np.array([np.interp(cells, _CELLS, row) for row in _DEPTHS])
    low = np.take_along_axis(by_dimension, np.expand_dims(above - 1, 0), axis=0)[0]
    high = np.take_along_axis(by_dimension, np.expand_dims(above, 0), axis=0)[0]
    few, many = np.log(_TUBE_CELLS)
    fewness = np.clip((many - cells) / (many - few), 0.0, 1.0)
    more = np.clip(dimension - np.minimum(dimension, extent), 0.0, _TUBE_MOST)
    tube = (_TUBE + _TUBE_PER_DIMENSION * more) * np.minimum(more / _TUBE_FROM, 1.0) * fewness
    return np.asarray(low + share * (high - low) + tube)
