"""Scatter: rows in two columns, in the colours of their clusters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from coterie._printing import count_of
from coterie._support.typing import (
    CheckedRows,
    FloatArray,
    Labels,
    MatrixLike,
    Model,
    ValuesByName,
    VectorLike,
)
from coterie._support.validation import Nothing, Number, check_data, check_parameter
from coterie.errors import InvalidParameter
from coterie.show.layout.planes import GOLDEN
from coterie.show.palette import INK, color_of
from coterie.show.plots.drawing.canvas import axes_for, column_names, read_labels, tidy
from coterie.show.plots.drawing.cloud import MOST_NAMED, draw_cloud, name_clusters
from coterie.show.plots.drawing.ellipses import draw_ellipse, points_ellipse
from coterie.show.plots.drawing.marks import plain, words_of_labels

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LANE = 0.7  # of the height between two clusters, for rows with one column


def scatter(
    X: MatrixLike,
    model: Model,
    *,
    columns: tuple[int | str, int | str] = (0, 1),
    centers: MatrixLike | None = None,
    ellipses: float | None = None,
    names: Sequence[str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw rows in two of their columns: centroids are crosses, medoids rings, noise is grey.

    Every row is drawn: above 20,000 rows as a density in the colours of the clusters. With one column, each
    cluster has a lane of its own.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Rows.
    model : fitted estimator or labels
        What gives each row its cluster; -1 is noise. Its centres or medoids are marked.
    columns : pair of int or str, default=(0, 1)
        What to draw across and up: numbers, or names of a frame's columns.
    centers : array-like of shape (n_clusters, n_features), default=None
        Centres to mark instead of the model's.
    ellipses : float in (0, 1), default=None
        Draw, about each cluster, the ellipse that holds this share of a Gaussian with its covariance.
    names : sequence of str, default=None
        Names of the clusters, by label.
    ax : Axes, default=None
        Where to draw; None: on a new figure.

    Examples
    --------
    >>> from coterie.cluster import KMeans
    >>> X = [[1, 2], [1, 4], [1, 0], [10, 2], [10, 4], [10, 0]]
    >>> ax = scatter(X, KMeans(2, random_state=0).fit(X))
    >>> ax.get_title(loc="left")
    '2 clusters of 6 rows'
    """
    check_parameter(ellipses, Nothing() | Number(0, 0.9999, open_below=True), name="ellipses", who="scatter")
    rows: CheckedRows = check_data(X, who="scatter", may_be_distances=True)
    labels = read_labels(model, n=rows.shape[0], who="scatter")
    known = column_names(X, model)
    ax = axes_for(ax)
    if rows.shape[1] == 1:
        places, marks = _lanes(rows, labels), None
        words = (_word(known, 0), "group")
    else:
        chosen = [_column(column, known, rows.shape[1]) for column in columns]
        places = rows[:, chosen]
        marks = marks_of(model, rows) if centers is None else _given_marks(centers, rows.shape[1])
        words = (_word(known, chosen[0]), _word(known, chosen[1]))
        marks = None if marks is None else marks[:, chosen]
    draw_cloud(ax, places, labels)
    if ellipses is not None:
        _draw_ellipses(ax, places, labels, ellipses)
    if marks is not None:
        draw_marks(ax, marks, are_medoids=centers is None and hasattr(model, "medoid_indices_"))
    name_clusters(ax, places, labels, None if names is None else list(names))
    tidy(ax, title=headline(labels), x=words[0], y=words[1])
    if rows.shape[1] == 1:
        lanes = np.unique(labels[labels >= -1]).tolist()
        ax.set_yticks(lanes, words_of_labels(lanes, names))
    return ax


def headline(labels: Labels) -> str:
    """Return what is drawn, in words.

    Examples
    --------
    >>> headline(np.array([0, 1, 1, -1]))
    '2 clusters of 4 rows, 1 of them noise'
    """
    k, n_noise = len(np.unique(labels[labels >= 0])), int((labels == -1).sum())
    noise = f", {n_noise:,} of them noise" if n_noise else ""
    return f"{count_of(k, 'cluster')} of {labels.size:,} rows{noise}"


def draw_marks(ax: Axes, marks: FloatArray, *, are_medoids: bool) -> None:
    """Mark centroids by crosses in the colour of their cluster, medoids by rings.

    Examples
    --------
    >>> ax = axes_for(None)
    >>> draw_marks(ax, np.array([[0.0, 1.0]]), are_medoids=False)
    >>> ax.collections[0].get_label()
    'centroids'
    """
    is_crowded = len(marks) > MOST_NAMED
    across, up = marks[:, 0], marks[:, 1]
    if are_medoids:
        look: ValuesByName = {
            "facecolors": "none",
            "edgecolors": INK,
            "linewidths": 1.6,
            "label": "medoids",
        }
        ax.scatter(across, up, s=40 if is_crowded else 90, zorder=5, **look)
        return
    colors = [color_of(label) for label in range(len(marks))]
    width = 0.7 if is_crowded else 1.0
    cross: ValuesByName = {"marker": "X", "edgecolors": INK, "linewidths": width, "label": "centroids"}
    ax.scatter(across, up, c=colors, s=32 if is_crowded else 95, zorder=5, **cross)


def marks_of(model: Model, rows: CheckedRows) -> FloatArray | None:
    """Return the medoids or centres of a fitted model; None where it has none.

    Examples
    --------
    >>> marks_of([0, 1], np.zeros((2, 2))) is None
    True
    """
    found = getattr(model, "cluster_centers_", None)
    if found is None:
        found = getattr(model, "means_", None)
    if found is None and getattr(model, "medoid_indices_", None) is not None:
        found = rows[model.medoid_indices_]  # a model of distances knows its medoids by number only
    return None if found is None else np.asarray(found)


def _given_marks(centers: VectorLike, n_columns: int) -> FloatArray:
    given = np.asarray(centers, dtype=np.float64)
    if given.ndim != 2 or given.shape[1] != n_columns:
        raise InvalidParameter(
            f"centers of scatter must have the shape (n_clusters, {n_columns}), got {given.shape}."
        )
    return given


def _draw_ellipses(ax: Axes, places: FloatArray, labels: Labels, share: float) -> None:
    for label in np.unique(labels[labels >= 0]).tolist():
        shape = points_ellipse(places[labels == label], share)
        if shape is not None:
            draw_ellipse(ax, shape, color_of(label))


def _lanes(rows: FloatArray, labels: Labels) -> FloatArray:
    spread = (np.arange(len(rows)) * GOLDEN) % 1.0 - 0.5
    return np.column_stack([rows[:, 0], labels + LANE * spread])


def _column(column: int | str, known: list[str] | None, n_columns: int) -> int:
    if isinstance(column, str) and known is not None and column in known:
        return known.index(column)
    if isinstance(column, int | np.integer) and 0 <= column < n_columns:
        return int(column)
    allowed = f"numbers from 0 to {n_columns - 1}" + (f" or names: {', '.join(known[:8])}" if known else "")
    raise InvalidParameter(f"columns of scatter must be {allowed}; got {column!r}.")


def _word(known: list[str] | None, column: int) -> str:
    return f"column {column}" if known is None else plain(known[column])
