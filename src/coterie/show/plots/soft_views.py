"""Soft groups: the ellipses of a Gaussian mixture, and the membership of each row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from coterie._support.typing import CheckedRows, FloatArray, MatrixLike, Model
from coterie._support.validation import check_data
from coterie.cluster.mixture import FAMILIES
from coterie.errors import InvalidData, InvalidParameter
from coterie.show.palette import cluster_colors, color_of
from coterie.show.plots.drawing.canvas import axes_for, column_names, drawing, labels_of_rows, note
from coterie.show.plots.drawing.cloud import draw_cloud, draw_mixed, name_clusters
from coterie.show.plots.drawing.ellipses import covariance_ellipse, draw_ellipse
from coterie.show.plots.drawing.marks import words_of_labels
from coterie.show.plots.drawing.projection import Plane, label_plane, plane_of
from coterie.show.plots.points import draw_marks

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SURE = 0.9  # membership of a row that belongs to one component


def mixture(
    X: MatrixLike,
    model: Model,
    *,
    shares: Sequence[float] = (0.5, 0.95),
    names: Sequence[str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw a Gaussian mixture: rows in the colour of their likeliest component, ellipses of each component.

    With more than two columns, rows and components are drawn on the first two principal components.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Rows.
    model : fitted GaussianMixture
        Coterie's, of any family of covariances, or scikit-learn's.
    shares : sequence of float in (0, 1), default=(0.5, 0.95)
        What share of a component each of its ellipses holds.
    names : sequence of str, default=None
        Names of the components.
    ax : Axes, default=None
        Where to draw; None: on a new figure.

    Examples
    --------
    >>> from coterie.cluster import GaussianMixture
    >>> X = [[0, 0], [1, 0], [0, 1], [1, 1.2], [8, 8], [9, 8], [8, 9], [9, 9.3]]
    >>> ax = mixture(X, GaussianMixture(2, random_state=0).fit(X))
    >>> len(ax.patches), ax.get_title(loc="left")
    (4, '2 components of 8 rows')
    """
    if not shares or not all(0 < share < 1 for share in shares):
        raise InvalidParameter(f"shares of mixture must be numbers between 0 and 1, got {tuple(shares)}.")
    rows: CheckedRows = check_data(X, who="mixture", may_be_distances=True)
    covariances = _full_covariances(model)
    labels = labels_of_rows(model, X, len(rows), "mixture")
    plane = plane_of(rows, column_names(X, model))
    ax = axes_for(ax)
    draw_cloud(ax, plane.places, labels, opacity=0.6)
    if rows.shape[1] > 1:
        axes = _axes(plane)
        for label, (mean, covariance) in enumerate(zip(model.means_, covariances, strict=True)):
            center = plane.project(mean[None])[0]
            for share in sorted(shares, reverse=True):
                shape = covariance_ellipse(center, axes.T @ covariance @ axes, share)
                draw_ellipse(ax, shape, color_of(label))
    draw_marks(ax, plane.project(np.asarray(model.means_)), are_medoids=False)
    words = _names_with_weights(model, names)
    name_clusters(ax, plane.places, labels, words if len(words) <= 12 else None)
    label_plane(ax, plane, f"{len(covariances)} components of {len(rows):,} rows")
    if rows.shape[1] > 1:
        held = " and ".join(f"{100 * share:g} %" for share in sorted(shares))
        note(ax, f"Ellipses hold {held} of their component; crosses: means.")
    return ax


def responsibilities(
    X: MatrixLike, model: Model, *, names: Sequence[str] | None = None, ax: Axes | None = None
) -> Axes:
    """Draw the membership of each row: its colour is the mixture of the colours of its components.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Rows; with more than two columns they are drawn on their first two components.
    model : fitted estimator with ``predict_proba`` or ``membership``, or an array of shape (n_samples, k)
        The membership of each row in each cluster; what is missing to 1 is grey.
    names : sequence of str, default=None
        Names of the clusters, by label.
    ax : Axes, default=None
        Where to draw; None: on a new figure.

    Examples
    --------
    >>> ax = responsibilities([[0, 0], [1, 1], [2, 2]], [[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]])
    >>> ax.get_title(loc="left")
    '2 of 3 rows belong to one cluster by 0.9 or more'
    """
    rows: CheckedRows = check_data(X, who="responsibilities", may_be_distances=True)
    soft = _membership(X, model, len(rows))
    to_rgb = drawing("colors").to_rgb
    colors = np.array([to_rgb(color) for color in [*cluster_colors(soft.shape[1]), color_of(-1)]])
    rest = np.clip(1.0 - soft.sum(axis=1, keepdims=True), 0.0, 1.0)
    plane = plane_of(rows, column_names(X, model))
    ax = axes_for(ax)
    draw_mixed(ax, plane.places, np.clip(np.hstack([soft, rest]) @ colors, 0.0, 1.0))
    words = words_of_labels(range(soft.shape[1])) if names is None else list(names)
    name_clusters(ax, plane.places, soft.argmax(axis=1), words)
    n_sure = int((soft.max(axis=1) >= SURE).sum())
    title = f"{n_sure:,} of {len(rows):,} rows belong to one cluster by {SURE} or more"
    label_plane(ax, plane, title)
    note(ax, "Colours are mixed by the memberships.")
    return ax


def _membership(X: MatrixLike, model: Model, n: int) -> FloatArray:
    if hasattr(model, "predict_proba"):
        soft = np.asarray(model.predict_proba(X))
    elif hasattr(model, "membership"):
        soft = np.asarray(model.membership(X))
    else:
        soft = np.asarray(model, dtype=np.float64) if not hasattr(model, "fit") else np.empty(0)
    if soft.ndim != 2 or len(soft) != n:
        raise InvalidData(
            f"responsibilities needs memberships of shape ({n}, n_clusters) or a model that gives them, got "
            f"{type(model).__name__} of shape {soft.shape}."
        )
    return soft


def _full_covariances(model: Model) -> FloatArray:
    """Return a matrix per component, however the family keeps them."""
    kind = getattr(model, "covariance_type", None)
    if kind not in FAMILIES or not hasattr(model, "covariances_"):
        raise InvalidParameter(
            f"model of mixture must be a fitted Gaussian mixture, got {type(model).__name__}."
        )
    k, d = model.means_.shape
    values, storage = np.asarray(model.covariances_), FAMILIES[kind].storage
    if storage == "tied":
        return np.broadcast_to(values, (k, d, d))
    if storage == "diag":
        return values[:, :, None] * np.eye(d)
    return values[:, None, None] * np.eye(d) if storage == "spherical" else values


def _axes(plane: Plane) -> FloatArray:
    """Return the directions of the picture in the columns of the data."""
    if plane.components is None:
        return np.eye(2)
    return plane.components.axes / plane.components.scale[:, None]


def _names_with_weights(model: Model, names: Sequence[str] | None) -> list[str]:
    known = words_of_labels(range(len(model.means_))) if names is None else list(names)
    return [f"{name} ({100 * weight:.0f} %)" for name, weight in zip(known, model.weights_, strict=True)]
