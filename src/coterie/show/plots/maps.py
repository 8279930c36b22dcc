"""Self-organizing maps: the U-matrix, with the rows of each node and its group."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from coterie._printing import count_of
from coterie._support import scikit_learn
from coterie._support.typing import FloatArray, Indices
from coterie.cluster import SelfOrganizingMap
from coterie.errors import InvalidParameter
from coterie.show.palette import INK, color_of
from coterie.show.plots.drawing.canvas import axes_for, drawing, note, tidy
from coterie.show.plots.drawing.cloud import name_clusters

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HEIGHTS = "Greys"  # colour map that leaves the colours to the groups
PAPER = "white"
LARGEST_DOT = 0.38  # radius, in nodes
MOST_GROUPS = 30  # beyond, dots have no colours of their own
MAP_WIDTH = 5.2  # inches
CORNERS = {"rectangular": 4, "hexagonal": 6}


def u_matrix(model: SelfOrganizingMap, ax: Axes | None = None, *, names: list[str] | None = None) -> Axes:
    """Draw the U-matrix of a self-organizing map: dark nodes are far from their neighbours, ridges divide.

    A dot says how many rows a node has, by its area; its colour is the group, where the map has groups.

    Parameters
    ----------
    model : SelfOrganizingMap
        Fitted.
    ax : Axes, default=None
        Where to draw; None opens a figure.
    names : list of str, default=None
        What to call group 0, 1, ...; None: group 1, 2, ...

    Examples
    --------
    >>> from coterie.cluster import SelfOrganizingMap
    >>> from coterie.show.plots import u_matrix
    >>> som = SelfOrganizingMap(2, 3, n_clusters=2).fit([[0, 0], [0, 1], [1, 0], [9, 9], [9, 8], [8, 9]])
    >>> u_matrix(som).get_title(loc="left")
    'Distances between neighbours on a map of 2 x 3 nodes'
    """
    if not isinstance(model, SelfOrganizingMap):
        raise InvalidParameter(
            f"model of u_matrix must be a SelfOrganizingMap, got a {type(model).__name__}."
        )
    scikit_learn.check_is_fitted(model)
    places, hits, heights = model.grid.places, model.hits_.ravel(), model.u_matrix_.ravel()
    across, down = np.ptp(places, axis=0) + 1.0
    ax = axes_for(ax, size=(MAP_WIDTH + 2.6, float(np.clip(MAP_WIDTH * down / across, 2.2, 7.0)) + 0.9))
    cells = drawing("collections").PolyCollection(
        list(places[:, None, :] + _corners(model.layout)), cmap=HEIGHTS, edgecolor=PAPER, linewidth=0.6
    )
    cells.set_array(heights)
    cells.set_gid("nodes")
    ax.add_collection(cells)
    _draw_rows(ax, model)
    if _has_groups(model):
        name_clusters(ax, places[model.nodes_], model.labels_, names)
    ax.set_aspect("equal")
    ax.autoscale_view()
    ax.invert_yaxis()  # the first row of the grid on top
    tidy(ax, title=f"Distances between neighbours on a map of {model.n_rows} x {model.n_columns} nodes")
    ax.set_xticks([])
    ax.set_yticks([])
    for spine in ax.spines.values():
        spine.set_visible(False)
    bar = ax.figure.colorbar(cells, ax=ax, shrink=0.85, pad=0.02)
    bar.set_label("mean distance to the neighbours")
    bar.outline.set_visible(False)
    note(ax, f"Area of a dot: rows of the node, at most {count_of(round(float(hits.max())), 'row')}.", gap=8)
    return ax


def _draw_rows(ax: Axes, model: SelfOrganizingMap) -> None:
    """Draw a dot on each node that has rows; its area is their number."""
    places, hits = model.grid.places, model.hits_.ravel()
    used = np.flatnonzero(hits > 0)
    radii, circle = LARGEST_DOT * np.sqrt(hits[used] / hits.max()), drawing("patches").Circle
    dots = drawing("collections").PatchCollection(
        [circle(tuple(places[node]), radius) for node, radius in zip(used, radii, strict=True)],
        facecolor=_colors(model, used),
        edgecolor=PAPER,
        linewidth=0.8,
    )
    dots.set_gid("rows")
    ax.add_collection(dots)


def _corners(layout: str) -> FloatArray:
    """Return the corners of a node about its place: a square, or a hexagon that stands on a corner."""
    n = CORNERS[layout]
    radius = 0.5 / np.cos(np.pi / n)  # half of the distance between neighbours to the middle of a side
    angles = 2 * np.pi * np.arange(n) / n + (np.pi / 4 if n == 4 else np.pi / 6)
    return np.asarray(radius * np.column_stack([np.cos(angles), np.sin(angles)]))


def _has_groups(model: SelfOrganizingMap) -> bool:
    return model.n_clusters is not None and int(model.node_labels_.max()) < MOST_GROUPS


def _colors(model: SelfOrganizingMap, nodes: Indices) -> list[str]:
    if not _has_groups(model):
        return [INK] * len(nodes)
    return [color_of(int(label)) for label in model.node_labels_[nodes]]
