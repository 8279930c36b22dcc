"""Views of many columns in the plane: the clusplot, embeddings, and how well they keep distances."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from coterie._support.typing import CheckedRows, FloatArray, MatrixLike, Model
from coterie._support.validation import Flag, Nothing, Whole, check_data, check_parameter
from coterie.errors import InvalidData
from coterie.show.layout.planes import principal_components
from coterie.show.palette import EMPHASIS, INK, SEQUENTIAL, color_of
from coterie.show.plots.drawing.canvas import axes_for, note, read_labels, tidy
from coterie.show.plots.drawing.cloud import draw_cloud, name_clusters
from coterie.show.plots.drawing.ellipses import draw_ellipse, spanning_ellipse
from coterie.show.plots.drawing.marks import plain
from coterie.show.plots.points import draw_marks, headline, marks_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_PAIRS = 20_000  # pairs of distances drawn as points; more are drawn as a density
DENSITY_CELLS = 60  # hexagons across


def clusplot(
    X: MatrixLike,
    model: Model,
    *,
    standardise: bool = True,
    ellipses: bool = True,
    names: Sequence[str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the rows on their first two principal components, an ellipse about each cluster (R's clusplot).

    The note below says what share of the variance the two components explain. The ellipses are the smallest
    ones that hold all rows of their cluster.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Rows.
    model : fitted estimator or labels
        What gives each row its cluster; its centres or medoids are marked.
    standardise : bool, default=True
        Whether the components are those of columns scaled to variance 1, as in R.
    ellipses : bool, default=True
        Whether to draw them.
    names : sequence of str, default=None
        Names of the clusters, by label.
    ax : Axes, default=None
        Where to draw; None: on a new figure.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> clusplot(X, y).texts[-1].get_text()
    'These two components explain 95.81 % of the variance (standardised columns).'
    """
    check_parameter(standardise, Flag(), name="standardise", who="clusplot")
    check_parameter(ellipses, Flag(), name="ellipses", who="clusplot")
    rows: CheckedRows = check_data(X, who="clusplot", may_be_distances=True)
    labels = read_labels(model, n=rows.shape[0], who="clusplot")
    found = principal_components(rows, standardise=standardise)
    ax = axes_for(ax)
    draw_cloud(ax, found.places, labels)
    for label in np.unique(labels[labels >= 0]).tolist() if ellipses else ():
        draw_ellipse(ax, spanning_ellipse(found.places[labels == label]), color_of(label))
    marks = marks_of(model, rows)
    if marks is not None:
        draw_marks(ax, found.project(marks), are_medoids=hasattr(model, "medoid_indices_"))
    name_clusters(ax, found.places, labels, None if names is None else list(names))
    tidy(ax, title=headline(labels), x=_component(1, found.shares), y=_component(2, found.shares))
    what = "standardised columns" if standardise else "columns as they are"
    marked = (
        ""
        if marks is None
        else " Rings: medoids."
        if hasattr(model, "medoid_indices_")
        else " Crosses: centroids."
    )
    said = f"These two components explain {100 * found.shares.sum():.2f} % of the variance ({what})."
    note(ax, said + marked)
    return ax


def embedding(
    places: MatrixLike,
    model: Model,
    *,
    kind: str = "",
    names: Sequence[str] | None = None,
    sample_of: int | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw rows at the places that an embedding gave them: t-SNE, PCA, a Laplacian eigenmap.

    Parameters
    ----------
    places : array-like of shape (n_samples, 2) or more columns
        Coordinates of the rows; the first two are drawn.
    model : fitted estimator or labels
        What gives each row its cluster.
    kind : str, default=""
        What the coordinates are, e.g. "t-SNE": names the axes.
    names : sequence of str, default=None
        Names of the clusters, by label.
    sample_of : int, default=None
        Number of rows of which these are a sample, which a note then says.
    ax : Axes, default=None
        Where to draw; None: on a new figure.

    Examples
    --------
    >>> from coterie.cluster import LaplacianEigenmap
    >>> X = [[0.0, 0.0], [0.1, 0.0], [0.0, 0.1], [5.0, 5.0], [5.1, 5.0], [5.0, 5.1]]
    >>> places = LaplacianEigenmap(n_components=2, affinity="rbf", random_state=0).fit_transform(X)
    >>> embedding(places, [0, 0, 0, 1, 1, 1], kind="Laplacian eigenmap").get_xlabel()
    'Laplacian eigenmap 1'
    """
    check_parameter(sample_of, Nothing() | Whole(1), name="sample_of", who="embedding")
    rows: CheckedRows = check_data(places, who="embedding", name="places", may_be_distances=True)
    if rows.shape[1] < 2:
        raise InvalidData(f"places of embedding must have two columns or more, got shape {rows.shape}.")
    labels = read_labels(model, n=rows.shape[0], who="embedding")
    ax = axes_for(ax)
    draw_cloud(ax, rows[:, :2], labels)
    name_clusters(ax, rows[:, :2], labels, None if names is None else list(names))
    word = plain(kind) or "coordinate"
    tidy(ax, title=headline(labels), x=f"{word} 1", y=f"{word} 2")
    ax.set_aspect("equal", adjustable="datalim")
    if sample_of is not None and sample_of > len(rows):
        note(ax, f"A random sample of {len(rows):,} of {sample_of:,} rows, some of every cluster.")
    return ax


def shepard(distances: MatrixLike, shown: MatrixLike, *, ax: Axes | None = None) -> Axes:
    """Draw the distances of an embedding, or the heights of a tree, against those of the data.

    On the line, which is the nearest one through 0, all distances are shown in proportion; the correlation is
    in the title. Each pair is one point, or, when there are more than 20,000 pairs, part of a density.

    Parameters
    ----------
    distances : array-like, condensed or square
        Distances between the rows.
    shown : array-like, condensed or square
        Distances between the places where they are shown, or ``dendrogram.cophenetic()``.
    ax : Axes, default=None
        Where to draw; None: on a new figure.

    Examples
    --------
    >>> shepard([1.0, 2.0, 3.0], [1.0, 2.0, 4.0]).get_title(loc="left")
    '3 pairs, correlation 0.982'
    """
    given, seen = _condensed(distances, "distances"), _condensed(shown, "shown")
    if given.size != seen.size:
        raise InvalidData(f"shepard needs as many distances as shown, {given.size:,}, got {seen.size:,}.")
    ax = axes_for(ax, size=(5.2, 4.6))
    if given.size > MOST_PAIRS:
        ax.hexbin(given, seen, gridsize=DENSITY_CELLS, cmap=SEQUENTIAL, bins="log", mincnt=1, linewidths=0)
    else:
        ax.scatter(given, seen, s=8, c=INK, alpha=0.35, linewidths=0, rasterized=given.size > 2000)
    ends = np.array([0.0, given.max()])
    slope = float(given @ seen / (given @ given)) if given.any() else 0.0
    line = f"best line through 0: {slope:.3g} × distance"
    ax.plot(ends, slope * ends, color=EMPHASIS, linewidth=1.2, label=line)
    ax.legend(loc="upper left", frameon=False, fontsize="small")
    is_flat = given.size < 2 or np.ptp(given) == 0 or np.ptp(seen) == 0
    correlation = 0.0 if is_flat else float(np.corrcoef(given, seen)[0, 1])
    title = f"{given.size:,} pairs, correlation {correlation:.3f}"
    tidy(ax, title=title, x="distance in the data", y="distance in the picture or tree")
    return ax


def _condensed(values: MatrixLike, name: str) -> FloatArray:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim == 1 and array.size:
        return array
    if array.ndim == 2 and array.shape[0] == array.shape[1] and array.shape[0] > 1:
        upper: FloatArray = array[np.triu_indices(array.shape[0], 1)]
        return upper
    raise InvalidData(f"{name} of shepard must be condensed or square distances, got shape {array.shape}.")


def _component(number: int, shares: FloatArray) -> str:
    return f"component {number} ({100 * shares[number - 1]:.1f} %)"
