"""Regions: which cluster a new row would go to, everywhere in the plane."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from coterie._support.typing import CheckedRows, FloatArray, Labels, MatrixLike, Model
from coterie._support.validation import Whole, check_data, check_parameter
from coterie.errors import InvalidParameter
from coterie.show.palette import INK, color_of
from coterie.show.plots.drawing.canvas import axes_for, column_names, drawing, labels_of_rows, note, predicted
from coterie.show.plots.drawing.cloud import Extent, draw_cloud, name_clusters
from coterie.show.plots.drawing.projection import label_plane, plane_of
from coterie.show.plots.points import draw_marks, headline, marks_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TINT = 0.24  # opacity of a region
MARGIN = 0.06  # of the extent of the rows, on each side


def regions(
    X: MatrixLike,
    model: Model,
    *,
    resolution: int = 360,
    names: Sequence[str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the plane in the colours of the clusters that a model predicts: Voronoi cells for k-means.

    Rows with more than two columns are drawn on their first two principal components; the regions are then
    those of the plane through the mean, and rows off the plane may lie in other ones.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Rows.
    model : fitted estimator with ``predict`` and ``labels_``
        What predicts.
    resolution : int, default=360
        Predictions across the picture, and three quarters of it up.
    names : sequence of str, default=None
        Names of the clusters, by label.
    ax : Axes, default=None
        Where to draw; None: on a new figure.

    Examples
    --------
    >>> from coterie.cluster import KMeans
    >>> X = [[1, 2], [1, 4], [1, 0], [10, 2], [10, 4], [10, 0]]
    >>> ax = regions(X, KMeans(2, random_state=0).fit(X), resolution=40)
    >>> ax.images[0].get_array().shape
    (30, 40, 4)
    """
    check_parameter(resolution, Whole(4), name="resolution", who="regions")
    if not hasattr(model, "predict"):
        raise InvalidParameter(
            f"model of regions must have predict, got {type(model).__name__}. Use scatter for labels alone."
        )
    rows: CheckedRows = check_data(X, who="regions", may_be_distances=True)
    labels = labels_of_rows(model, X, len(rows), "regions")
    plane = plane_of(rows, column_names(X, model))
    extent, grid = _grid(plane.places, resolution)
    found = predicted(model, plane.lift(grid).astype(rows.dtype))
    ax = axes_for(ax)
    _draw_tints(ax, found.reshape(3 * resolution // 4, resolution), extent)
    draw_cloud(ax, plane.places, labels)
    marks = marks_of(model, rows)
    if marks is not None:
        draw_marks(ax, plane.project(marks), are_medoids=hasattr(model, "medoid_indices_"))
    name_clusters(ax, plane.places, labels, None if names is None else list(names))
    label_plane(ax, plane, headline(labels))
    ax.set_xlim(extent[:2])
    ax.set_ylim(extent[2:])
    if plane.components is not None:
        note(ax, "Regions of the plane of the first two components through the mean.")
    return ax


def _grid(places: FloatArray, resolution: int) -> tuple[Extent, FloatArray]:
    """Return the ends of the picture, and the middles of its cells from the lower left."""
    low, high = places.min(axis=0), places.max(axis=0)
    margin = np.where(high > low, MARGIN * (high - low), 0.5)
    low, high = low - margin, high + margin
    middles = [
        low[i] + (np.arange(n) + 0.5) * (high[i] - low[i]) / n
        for i, n in enumerate((resolution, 3 * resolution // 4))
    ]
    across, up = np.meshgrid(*middles)
    extent = (float(low[0]), float(high[0]), float(low[1]), float(high[1]))
    return extent, np.column_stack([across.ravel(), up.ravel()])


def _draw_tints(ax: Axes, predicted: Labels, extent: Extent) -> None:
    to_rgba = drawing("colors").to_rgba
    present, codes = np.unique(predicted, return_inverse=True)
    tints = np.array([to_rgba(color_of(int(label)), TINT) for label in present])
    image = tints[codes.reshape(predicted.shape)]
    ax.imshow(image, origin="lower", extent=extent, aspect="auto", interpolation="nearest", zorder=0)
    borders = np.zeros(predicted.shape, dtype=bool)
    borders[:, 1:] |= predicted[:, 1:] != predicted[:, :-1]
    borders[1:] |= predicted[1:] != predicted[:-1]
    lines = np.where(borders[..., None], to_rgba(INK, 0.45), (0.0, 0.0, 0.0, 0.0))
    ax.imshow(lines, origin="lower", extent=extent, aspect="auto", interpolation="nearest", zorder=0.5)
