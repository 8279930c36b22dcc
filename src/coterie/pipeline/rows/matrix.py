"""Rows that are known by their distances alone."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from coterie._support.linear_algebra import FLAT, symmetric_axes
from coterie._support.optional import require
from coterie._support.progress import Tracker
from coterie._support.typing import Data, Distances
from coterie.data import Table, as_table, prepare_rows
from coterie.data.square import names_of_square, square_columns, square_of
from coterie.distance.matrices import check_distance_matrix
from coterie.pipeline.candidates import Candidate
from coterie.pipeline.recipe import takes_distance
from coterie.pipeline.request import PRECOMPUTED, FitRequest
from coterie.pipeline.rows.memory import MemoryRows
from coterie.pipeline.rows.protocol import Compared, Fitted
from coterie.pipeline.rows.tables import check_rows, classes_of, dense

MOST_AXES = 50  # principal coordinates of a matrix of distances


@dataclass(frozen=True, eq=False)
class MatrixRows(MemoryRows):
    """Rows of which distances are known: judged by principal coordinates, fitted to the distances."""

    distances: Distances | None = None

    def fit(self, winner: Candidate, compared: Compared, request: FitRequest, tracker: Tracker) -> Fitted:
        """Fit a winner to the distances where its method takes them, else to the coordinates."""
        takes_them = takes_distance(winner.method, PRECOMPUTED) and winner.parameters.get("linkage") != "ward"
        if not takes_them or not compared.is_whole:
            return super().fit(winner, compared, request, tracker)
        of_matrix = replace(winner, parameters={**winner.parameters, "metric": PRECOMPUTED})
        model = of_matrix.make().fit(self.distances)
        return Fitted(model, np.asarray(model.labels_))


def matrix_rows(data: object, request: FitRequest) -> MatrixRows:
    """Return the rows of a matrix of distances, by their principal coordinates."""
    table = dense(as_table(data, may_be_distances=True, **request.reading))
    columns = square_columns(table, drop=request.drop)
    distances = check_distance_matrix(square_of(table, drop=request.drop), who="coterie.fit", name="X")
    check_rows(request, len(distances), table.source)
    found = rows_of_distances(
        distances, source=table.source, names=names_of_square(table, columns), notes=table.notes
    )
    classes, _ = classes_of(table, request.truth)
    return replace(found, classes=classes)


def rows_of_distances(
    distances: Data,
    *,
    source: str,
    names: list[str] | None,
    key: str | None = None,
    notes: tuple[str, ...] = (),
) -> MatrixRows:
    """Return rows of which distances are known, by their principal coordinates.

    Parameters
    ----------
    distances : array of shape (n, n)
        Checked.
    source : str
        What to call the data.
    names : list of str or None
        What the rows are called; None: by number.
    key : str, default=None
        What a table of labels calls the column of the names; None: it has row numbers instead.
    notes : tuple
        What the reader should know already.
    """
    axes, kept = principal_coordinates(distances)
    used = tuple(f"axis {at + 1}" for at in range(axes.shape[1]))
    note = (
        f"groups are described by {len(used)} principal coordinates, which keep {kept:.0%} of the distances"
    )
    polars = require("polars", extra="cli", purpose="Taking data frames")
    numbers = [str(row + 1) for row in range(len(axes))]
    column, keys = ("row", ()) if key is None else (key, (key,))
    content = polars.DataFrame(axes, schema=list(used)).with_columns(
        polars.Series(column, numbers if names is None else names)
    )
    coordinates = Table(source, (*used, column), True, len(axes), content, (*notes, note), keys=keys)
    prepared = prepare_rows(coordinates, scale="none", columns=used)
    prepared = replace(prepared, choice=replace(prepared.choice, left_out=()))
    return MatrixRows(prepared, None, distances)


def principal_coordinates(distances: Data) -> tuple[Data, float]:
    """Return coordinates whose Euclidean distances are the given ones, as nearly as can be, and how nearly.

    Classical scaling: eigenvectors of the doubly centred squares, those of positive eigenvalues, up to 50.
    The second value is their share of the sum of all eigenvalues' sizes.

    Examples
    --------
    >>> points = np.array([[0.0], [1.0], [3.0]])
    >>> axes, kept = principal_coordinates(np.abs(points - points.T))
    >>> np.abs(axes - axes.T).round(6).tolist(), round(kept, 6)
    ([[0.0, 1.0, 3.0], [1.0, 0.0, 2.0], [3.0, 2.0, 0.0]], 1.0)
    """
    squares = np.asarray(distances, dtype=np.float64) ** 2
    centred = -0.5 * (squares - squares.mean(axis=0) - squares.mean(axis=1)[:, None] + squares.mean())
    values, vectors = symmetric_axes((centred + centred.T) / 2)
    order = np.argsort(-values, kind="stable")[:MOST_AXES]
    least = max(FLAT, np.finfo(np.float64).eps * len(squares)) * float(np.abs(values).max())
    order = order[values[order] > least]
    if not order.size:
        return np.zeros((len(squares), 1)), 1.0
    kept = float(values[order].sum() / np.abs(values).sum())
    return np.ascontiguousarray(vectors[:, order] * np.sqrt(values[order])), kept
