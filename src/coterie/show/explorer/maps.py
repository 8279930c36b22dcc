"""The rows in a plane: principal components, t-SNE, the graph of neighbours, or two columns."""

from __future__ import annotations

import numpy as np

from coterie._support.typing import FloatArray
from coterie.data.sampling import draw_rows
from coterie.errors import InvalidParameter
from coterie.pipeline.rows.memory import MemoryRows
from coterie.show.layout.planes import GOLDEN, principal_plane, tsne_plane

KINDS = ("pca", "tsne", "graph", "xy")
IN_WORKER = ("tsne", "graph")  # kinds that take seconds
MOST_TSNE_ROWS = 2_000
MOST_GRAPH_ROWS = 20_000
GRAPH_NEIGHBOURS = 15
PCA_ROWS = 20_000  # that components come from where columns are very many


def as_single(values: FloatArray) -> FloatArray:
    """Return numbers as the page takes them: float32, those beyond its range at the end of it.

    Examples
    --------
    >>> as_single(np.array([1e300, np.nan, -2.0])).tolist()
    [3.4028234663852886e+38, nan, -2.0]
    """
    most = float(np.finfo(np.float32).max)
    return np.ascontiguousarray(np.clip(values, -most, most), dtype="<f4")


class PlaneMap:
    """Places of all rows of a table, NaN where a row has none, and what the map shows, in a sentence."""

    def __init__(self, places: FloatArray, text: str, x: str = "", y: str = "") -> None:
        self.places = as_single(places)
        self.text, self.x, self.y = text, x, y


def compute_map(rows: MemoryRows, kind: str, seed: int) -> PlaneMap:
    """Return a map of prepared rows."""
    if kind == "pca":
        return _components(rows)
    return _tsne(rows, seed) if kind == "tsne" else _graph(rows, seed)


def _spread(rows: MemoryRows, places: FloatArray) -> FloatArray:
    """Return places of all rows of the table; those that were left out have none."""
    whole = np.full((rows.prepared.table.n_rows, 2), np.nan)
    whole[rows.prepared.rows] = places
    return whole


def _components(rows: MemoryRows) -> PlaneMap:
    points = np.asarray(rows.points)
    if points.shape[1] == 1:
        spread = (np.arange(len(points)) * GOLDEN) % 1.0
        text = "One column was used; rows are spread upwards so that none hides another."
        return PlaneMap(_spread(rows, np.stack([points[:, 0], spread], axis=1)), text, rows.columns[0], "")
    some = draw_rows(len(points), PCA_ROWS, 0)
    found = principal_plane(points, some)
    places = found.places
    if not found.is_whole:
        places = np.full((len(points), 2), np.nan)
        places[some] = found.places
    share = float(found.shares[:2].sum())
    name = "Factors" if rows.mixed is not None else "PCA"
    said = "" if found.is_whole else f"; {len(some):,} of {len(points):,} rows"
    x, y = (f"component {at + 1} ({found.shares[at]:.0%})" for at in range(2))
    return PlaneMap(_spread(rows, places), f"{name}: {share:.0%} of the variance{said}", x, y)


def _tsne(rows: MemoryRows, seed: int) -> PlaneMap:
    points = np.asarray(rows.points)
    if len(points) < 20:
        raise InvalidParameter(f"t-SNE needs at least 20 rows, got {len(points)}. Use PCA.")
    some = draw_rows(len(points), MOST_TSNE_ROWS, seed)
    found = tsne_plane(points[some], seed)
    places = np.full((len(points), 2), np.nan)
    places[some] = found.places
    text = f"{found.how}: near means alike; gaps and sizes mean nothing."
    return PlaneMap(_spread(rows, places), text)


def _graph(rows: MemoryRows, seed: int) -> PlaneMap:
    from coterie.cluster import lay_out_graph
    from coterie.distance import neighbour_graph

    points = np.asarray(rows.points, dtype=np.float64)
    some = draw_rows(len(points), MOST_GRAPH_ROWS, seed)
    n_neighbours = min(GRAPH_NEIGHBOURS, len(some) - 1)
    if n_neighbours < 2:
        raise InvalidParameter(f"a graph needs at least three rows, got {len(some)}. Use PCA.")
    links = neighbour_graph(np.ascontiguousarray(points[some]), n_neighbours).weights
    places = np.full((len(points), 2), np.nan)
    places[some] = lay_out_graph(links, random_state=seed)
    said = "" if len(some) == len(points) else f" of {len(some):,} of {len(points):,} rows"
    text = f"Graph of the {n_neighbours} nearest neighbours{said}: near means alike."
    return PlaneMap(_spread(rows, places), text)


def column_map(x: tuple[str, FloatArray], y: tuple[str, FloatArray]) -> PlaneMap:
    """Return a map of two columns, in their own units."""
    return PlaneMap(np.stack([x[1], y[1]], axis=1), f"{y[0]} by {x[0]}", x[0], y[0])
