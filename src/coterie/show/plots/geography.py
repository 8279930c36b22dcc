"""A map: places on the Earth in the colours of their groups, with lines of latitude and longitude."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from coterie._support.typing import CheckedRows, FloatArray, MatrixLike, Model
from coterie._support.validation import Choice, check_data, check_parameter
from coterie.data.geography.places import Place, find_places, what_is_wrong
from coterie.errors import InvalidData
from coterie.show.layout.globe import Extent, bar_length, extent_of, graticule, projection_for
from coterie.show.palette import FAINT, INK
from coterie.show.plots.drawing.canvas import axes_for, read_labels, tidy
from coterie.show.plots.drawing.cloud import draw_cloud, name_clusters
from coterie.show.plots.points import headline

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH = 7.2  # inches
SHAPES = (0.45, 1.1)  # height of a map over its width, at least and at most


def map(
    X: MatrixLike,
    model: Model,
    *,
    units: str = "degrees",
    names: Sequence[str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw places on a map of equal areas: around their centre, or of the world where they are far apart.

    Every place is drawn: above 20,000 as a density in the colours of the groups. There are no coastlines: the
    lines are those of latitude and longitude, and nothing is fetched from a network.

    Parameters
    ----------
    X : array-like of shape (n_samples, 2), or a frame
        Latitude and longitude; of a frame with more columns, those that are called so.
    model : fitted estimator or labels
        What gives each place its group; -1 is noise.
    units : {"degrees", "radians"}, default="degrees"
        Of latitude and longitude.
    names : sequence of str, default=None
        Names of the groups, by label.
    ax : Axes, default=None
        Where to draw; None: on a new figure.

    Examples
    --------
    >>> ax = map([[48.1, 11.6], [52.5, 13.4], [48.2, 11.5]], [0, 1, 0])
    >>> ax.get_title(loc="left")
    '2 clusters of 3 rows'
    """
    check_parameter(units, Choice("degrees", "radians"), name="units", who="map")
    places = _places(X, units)
    labels = read_labels(model, n=len(places), who="map")
    projection = projection_for(places)
    plane = projection.project(places)
    extent = extent_of(projection, plane)
    shape = float(np.clip((extent.high - extent.low) / extent.width, *SHAPES))
    ax = axes_for(ax, size=(WIDTH, WIDTH * shape))
    _draw_lines(ax, graticule(projection, extent))
    draw_cloud(ax, plane, labels)
    name_clusters(ax, plane, labels, None if names is None else list(names))
    _draw_scale(ax, extent, is_world=projection.is_world)
    tidy(ax, title=headline(labels))
    ax.set(xlim=extent[:2], ylim=extent[2:], aspect="equal", xticks=[], yticks=[])
    for spine in ax.spines.values():
        spine.set_visible(not projection.is_world)
        spine.set_color(FAINT)
    return ax


def _places(X: MatrixLike, units: str) -> FloatArray:
    """Return checked latitudes and longitudes in degrees."""
    X = _two_columns(X)
    rows: CheckedRows = check_data(X, who="map", may_be_distances=True)
    if rows.shape[1] != 2:
        raise InvalidData(
            f"X of map must have two columns, latitude and longitude, got {rows.shape[1]}. Name them lat and "
            f"lon, or pass these two alone."
        )
    rows = np.asarray(rows, dtype=np.float64)
    degrees = np.degrees(rows) if units == "radians" else rows
    problem = what_is_wrong(degrees, Place("latitude", "longitude"))
    if problem is not None:
        raise InvalidData(f"X of map has an invalid position: {problem}.")
    return np.asarray(degrees)


def _two_columns(X: Any) -> Any:
    """Return the columns of a frame that are called latitude and longitude; others as they are."""
    if not hasattr(X, "columns") or len(X.columns) == 2:
        return X
    from coterie.data import as_table

    found, _ = find_places(as_table(X))
    return X[list(found[0].columns)] if found else X


def _draw_lines(ax: Axes, lines: Sequence[Any]) -> None:
    for line in lines:
        ax.plot(*line.plane.T, color=FAINT, linewidth=0.6, zorder=0)
        if line.at is None:
            continue
        offset, across, up = ((-3, 0), "right", "center") if line.is_parallel else ((0, -3), "center", "top")
        ax.annotate(
            line.name,
            line.at,
            xytext=offset,
            textcoords="offset points",
            ha=across,
            va=up,
            color=INK,
            fontsize="small",
            annotation_clip=False,
        )


def _draw_scale(ax: Axes, extent: Extent, *, is_world: bool) -> None:
    """Draw a bar of round length, in the lower right corner."""
    length = bar_length(extent)
    height = extent.high - extent.low
    right, low = extent.right - 0.03 * extent.width, extent.low + (-0.1 if is_world else 0.04) * height
    words = f"{length:,.0f} km" if length >= 1 else f"{1000 * length:,.0f} m"
    ax.plot(
        [right - length, right],
        [low, low],
        color=INK,
        linewidth=2.0,
        solid_capstyle="butt",
        zorder=4,
        clip_on=False,
    )
    ax.annotate(
        f"{words} at the centre" if is_world else words,
        (right - length / 2 if not is_world else right, low),
        xytext=(0, 3),
        textcoords="offset points",
        ha="right" if is_world else "center",
        va="bottom",
        color=INK,
        fontsize="small",
        zorder=4,
        annotation_clip=False,
    )
