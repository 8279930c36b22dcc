"""Ellipses about groups of points in the plane: of a covariance, or the smallest one that holds all."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from coterie._support.linear_algebra import symmetric_axes
from coterie._support.typing import FloatArray
from coterie.show.plots.drawing.canvas import drawing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.typing import ColorType

SPANNING_STEPS = (
    1000  # most steps; each is one pass over a hull's corners, some twenty to a hundred are usual
)
SPANNING_TOLERANCE = 1e-6
LEAST_THICKNESS = 1e-6  # share of the extent: thinner is a line, for its square is near rounding
LEAST_AXIS = 1e-3  # share of the longer axis: a flat ellipse stays visible


class EllipseShape(NamedTuple):
    """Centre, full lengths of the axes, and the angle of the first one in degrees."""

    center: FloatArray
    width: float
    height: float
    angle: float


def covariance_ellipse(center: FloatArray, covariance: FloatArray, share: float) -> EllipseShape:
    """Return the ellipse that holds this share of a Gaussian.

    Examples
    --------
    >>> shape = covariance_ellipse(np.zeros(2), np.diag([4.0, 1.0]), 1 - np.exp(-0.5))
    >>> round(shape.width, 6), round(shape.height, 6)
    (4.0, 2.0)
    """
    radius = np.sqrt(-2.0 * np.log1p(-share))  # the quantile of chi with two degrees of freedom
    return _shape(center, np.asarray(covariance, dtype=np.float64) * radius**2)


def points_ellipse(points: FloatArray, share: float) -> EllipseShape | None:
    """Return the ellipse of the points' own covariance; None for fewer than three points.

    Examples
    --------
    >>> points_ellipse(np.zeros((2, 2)), 0.95) is None
    True
    """
    if len(points) < 3:
        return None
    return covariance_ellipse(points.mean(axis=0), np.cov(points.T), share)


def spanning_ellipse(points: FloatArray) -> EllipseShape:
    """Return the ellipse of least area that holds all points .

    Examples
    --------
    >>> corners = np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0], [2.0, 2.0]])
    >>> shape = spanning_ellipse(corners)
    >>> shape.center, round(shape.width / np.sqrt(8), 3)
    (array([1., 1.]), np.float64(1.0))
    """
    corners = _hull(np.asarray(points, dtype=np.float64))
    center, spread = corners.mean(axis=0), np.ptp(corners, axis=0).max()
    if len(corners) < 3 or not spread > 0:
        return _shape_of_line(corners)
    placed = (corners - center) / spread  # about 0, in units of their extent: no digits are lost in products
    if np.linalg.svd(placed, compute_uv=False)[1] < LEAST_THICKNESS:
        return _shape_of_line(corners)
    weights = _spanning_weights(np.column_stack([placed, np.ones(len(corners))]))
    center = weights @ corners
    scatter = (corners - center).T @ (weights[:, None] * (corners - center))
    reach = np.einsum("ij,ji->i", corners - center, np.linalg.solve(scatter, (corners - center).T))
    return _shape(center, scatter * float(reach.max()))


def _spanning_weights(lifted: FloatArray) -> FloatArray:
    """Return the weights of the corners that span the ellipse: Khachiyan's steps, and Todd's away steps.

    At the optimum every corner with a weight reaches as far as there are columns, and none reaches farther.
    """
    n, d = lifted.shape
    weights = np.full(n, 1 / n)
    for _ in range(SPANNING_STEPS):
        moments = lifted.T @ (weights[:, None] * lifted)
        reach = np.einsum("ij,ji->i", lifted, np.linalg.solve(moments, lifted.T))
        far, near = int(reach.argmax()), int(np.where(weights > 0, reach, np.inf).argmin())
        too_far, too_near = reach[far] - d, d - reach[near]
        if max(too_far, too_near) < d * SPANNING_TOLERANCE:
            break
        if too_far >= too_near:
            step = too_far / (d * (reach[far] - 1))
            weights *= 1 - step
            weights[far] += step
        else:
            most = weights[near] / (1 - weights[near])
            step = min(most, too_near / (d * (reach[near] - 1))) if reach[near] > 1 else most
            weights *= 1 + step
            weights[near] = max(weights[near] - step, 0.0)
    return weights


def draw_ellipse(ax: Axes, shape: EllipseShape, color: ColorType) -> None:
    """Draw an ellipse: an outline, and a faint filling.

    Examples
    --------
    >>> from coterie.show.plots.drawing.canvas import axes_for
    >>> ax = axes_for(None)
    >>> draw_ellipse(ax, EllipseShape(np.zeros(2), 2.0, 1.0, 0.0), "#0072b2")
    >>> len(ax.patches)
    1
    """
    patch = drawing("patches").Ellipse(
        tuple(shape.center),
        shape.width,
        shape.height,
        angle=shape.angle,
        facecolor=drawing("colors").to_rgba(color, 0.10),
        edgecolor=color,
        linewidth=1.2,
        zorder=3,
    )
    ax.add_patch(patch)
    corners = patch.get_corners()
    ax.update_datalim(corners)
    ax.autoscale_view()


def _shape(center: FloatArray, scatter: FloatArray) -> EllipseShape:
    values, vectors = symmetric_axes(scatter)
    long = 2 * np.sqrt(max(values[1], 0.0))
    short = max(2 * np.sqrt(max(values[0], 0.0)), LEAST_AXIS * long)
    angle = float(np.degrees(np.arctan2(vectors[1, 1], vectors[0, 1])))
    return EllipseShape(np.asarray(center), float(long), float(short), angle)


def _shape_of_line(points: FloatArray) -> EllipseShape:
    """Points on a line, or one point."""
    center = (points.min(axis=0) + points.max(axis=0)) / 2
    away = points - center
    longest = away[np.linalg.norm(away, axis=1).argmax()]
    return _shape(center, np.outer(longest, longest))


def _hull(points: FloatArray) -> FloatArray:
    from scipy.spatial import ConvexHull, QhullError

    if len(points) < 3:
        return points
    try:
        corners: FloatArray = points[ConvexHull(points).vertices]
    except QhullError:  # all on a line, or all the same
        return np.unique(points, axis=0)
    return corners
