"""Impurity curves: which linkage, and where to cut its tree."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from coterie.errors import InvalidParameter
from coterie.evaluate.internal import CutCurve
from coterie.show.palette import FAINT, color_of, marker_of
from coterie.show.plots.drawing.canvas import axes_for, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DECADES = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)  # numbers of clusters that are marked on a curve


def impurity_curves(curves: Any, *, ax: Axes | None = None) -> Axes:
    """Draw cluster impurity against label impurity over every cut of one or several trees.

    Few clusters lie at the lower right (classes stay together, clusters are mixed), many at the upper left.
    The nearer to the corner the better; the mark on each curve is the cut whose larger impurity is least.

    Parameters
    ----------
    curves : LinkageComparison, CutCurve, or mapping of str to CutCurve
        What ``coterie.evaluate.compare_linkages`` or ``cut_curve`` gives.
    ax : Axes, default=None
        Where to draw; None: on a new figure.

    Returns
    -------
    Axes

    Examples
    --------
    >>> from coterie.evaluate import compare_linkages
    >>> X = [[0.0], [1.0], [5.0], [6.0], [7.0]]
    >>> ax = impurity_curves(compare_linkages(X, [0, 0, 1, 1, 1], linkages=["single", "average"]))
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['single: 2 clusters, 0.00', 'average: 2 clusters, 0.00']
    """
    named = {"tree": curves} if isinstance(curves, CutCurve) else curves
    if not isinstance(named, Mapping) or not all(isinstance(one, CutCurve) for one in named.values()):
        raise InvalidParameter(
            "curves of impurity_curves must be those of compare_linkages or cut_curve, got "
            f"{type(curves).__name__}."
        )
    ax = axes_for(ax, size=(6.4, 4.8))
    ax.plot([0, 1], [0, 1], color=FAINT, linewidth=1, zorder=0)
    for number, (name, curve) in enumerate(named.items()):
        _draw_curve(ax, name, curve, number)
    ax.set_xlim(-0.02, None)
    ax.set_ylim(-0.02, None)
    ax.legend(frameon=False, loc="upper right", title="where the larger impurity is least", alignment="left")
    title = "Impurities of every cut" if len(named) == 1 else f"Impurities of every cut of {len(named)} trees"
    x, y = "cluster impurity (1 - purity)", "label impurity (1 - inverse purity)"
    tidy(ax, title=title, x=x, y=y, grid="both")
    return ax


def _draw_curve(ax: Axes, name: str, curve: CutCurve, number: int) -> None:
    of_clusters, of_labels = curve.cluster_impurity, curve.label_impurity
    color = color_of(number)
    ax.plot(of_clusters, of_labels, color=color, linewidth=1.6, alpha=0.9, zorder=2)
    marked = np.flatnonzero(np.isin(curve.n_clusters, DECADES))
    ax.plot(of_clusters[marked], of_labels[marked], ".", color=color, markersize=4, zorder=3)
    worse = np.maximum(of_clusters, of_labels)
    best = int(worse.argmin())
    ax.plot(
        of_clusters[[best]],
        of_labels[[best]],
        marker=marker_of(10 * number),  # another marker for every curve
        markersize=9,
        color=color,
        markeredgecolor="white",
        zorder=4,
        label=f"{name}: {curve.n_clusters[best]:,} clusters, {worse[best]:.2f}",
    )
