"""Spectral clustering: eigenvalues with the eigengap, and affinities in the order of the clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from scipy import sparse

from coterie._printing import count_of
from coterie._support.typing import CheckedRows, Labels
from coterie.cluster import LaplacianEigenmap, SpectralClustering
from coterie.cluster.spectral import MatrixGraph
from coterie.show.palette import EMPHASIS, FAINT, INK, color_of
from coterie.show.plots.drawing.canvas import axes_for, drawing, note, tidy
from coterie.show.plots.drawing.marks import AMOUNTS, names_that_fit, words_of_labels

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STRIP = 0.025  # width of the strip of colours, as a share of the image
BRIGHTEST = 0.995  # quantile of the cells that has the full colour
MOST_LINES = 20  # clusters with lines between them
MOST_CELLS = 600  # rows and columns of the image
MOST_STORED = (
    2000  # rows up to which a dense matrix is asked for; beyond, that of rows spread over all clusters
)


def eigenvalues(model: SpectralClustering | LaplacianEigenmap, ax: Axes | None = None) -> Axes:
    """Draw the smallest eigenvalues of the Laplacian and mark the largest gap (eigengap).

    Parameters
    ----------
    model : SpectralClustering or LaplacianEigenmap
        Fitted; it has one eigenvalue more than coordinates.
    ax : Axes, default=None
        Where to draw; None opens a figure.

    Examples
    --------
    >>> from coterie.cluster import SpectralClustering
    >>> from coterie.show.plots import eigenvalues
    >>> X = [[1, 1], [2, 1], [1, 0], [4, 7], [3, 5], [3, 6]]
    >>> model = SpectralClustering(2, n_components=4, random_state=0).fit(X)
    >>> eigenvalues(model).get_title(loc="left")
    'The largest gap is after eigenvalue 2: 2 groups'
    """
    ax = axes_for(ax)
    values = np.asarray(model.eigenvalues_, dtype=np.float64)
    places = np.arange(1, values.size + 1)
    ax.vlines(places, 0.0, values, color=FAINT, linewidth=1.2)
    size = 40 if values.size <= 30 else 12
    k = int(np.argmax(model.eigengaps_)) + 1
    colors = [color_of(0) if place <= k else INK for place in places]
    ax.scatter(places, values, s=size, c=colors, zorder=3, linewidths=0, gid="eigenvalues")
    low, high = float(values[k - 1]), float(values[k])
    ax.axhspan(low, high, color=EMPHASIS, alpha=0.12, linewidth=0, gid="gap")
    ax.annotate(
        "",
        (k + 0.5, high),
        xytext=(k + 0.5, low),
        arrowprops={"arrowstyle": "<->", "color": EMPHASIS, "lw": 1.4},
    )
    ax.annotate(
        f"gap {high - low:.3g}",
        (k + 0.5, (low + high) / 2),
        xytext=(8, 0) if k < 0.7 * values.size else (-8, 0),
        textcoords="offset points",
        ha="left" if k < 0.7 * values.size else "right",
        va="center",
        color=EMPHASIS,
    )
    ax.xaxis.set_major_locator(drawing("ticker").MaxNLocator(nbins=15, integer=True, min_n_ticks=1))
    title = f"The largest gap is after eigenvalue {k}: {count_of(k, 'group')}"
    tidy(ax, title=title, x="eigenvalue, from the smallest", y="value", grid="y")
    if model.n_parts_ > 1:
        note(ax, f"The graph falls into {model.n_parts_:,} parts: so many eigenvalues are 0.")
    return ax


def affinity(model: SpectralClustering, ax: Axes | None = None, *, names: list[str] | None = None) -> Axes:
    """Draw the affinity matrix, rows sorted by cluster: clusters are blocks.

    Within a cluster, rows stand in the order of their first coordinate.

    Many rows are joined to fewer cells, each the mean of its pairs. Of a dense matrix of more than 2000 rows,
    rows spread evenly over all clusters are drawn, so that nothing grows with the square of the rows; a note
    says so.

    Parameters
    ----------
    model : SpectralClustering
        Fitted.
    ax : Axes, default=None
        Where to draw; None opens a figure.
    names : list of str, default=None
        What to call cluster 0, 1, ...; None: group 1, 2, ...

    Examples
    --------
    >>> from coterie.cluster import SpectralClustering
    >>> from coterie.show.plots import affinity
    >>> model = SpectralClustering(2, random_state=0).fit([[1, 1], [2, 1], [1, 0], [4, 7], [3, 5], [3, 6]])
    >>> affinity(model).images[0].get_array().shape
    (6, 6)
    """
    graph, labels = model.graph(), model.labels_
    within = model.embedding_[:, min(1, model.embedding_.shape[1] - 1)]  # the first coordinate that varies
    order = np.lexsort((within, labels))
    if order.size > MOST_STORED and not graph.is_sparse:
        order = order[np.linspace(0, order.size - 1, MOST_STORED).astype(np.intp)]
    part = graph.among(order)
    weights = part.weights if isinstance(part, MatrixGraph) else part.times(np.eye(order.size))
    ax = axes_for(ax, size=(6.2, 5.4))
    cells = _joined(weights, min(order.size, MOST_CELLS))
    filled = cells[cells > 0]
    top = float(np.quantile(filled, BRIGHTEST)) if filled.size else 1.0
    n = order.size
    image = ax.imshow(
        cells, cmap=AMOUNTS, vmin=0.0, vmax=top, extent=(0, n, n, 0), aspect="auto", interpolation="nearest"
    )
    _draw_borders(ax, labels[order], names)
    bar = ax.get_figure().colorbar(image, ax=ax, fraction=0.035, aspect=30, pad=0.02)  # type: ignore[union-attr]
    bar.set_label("mean affinity", color=INK)
    bar.outline.set_visible(False)
    n_clusters = np.unique(labels).size
    title = f"Affinities of {count_of(labels.size, 'row')} in the order of {count_of(n_clusters, 'cluster')}"
    tidy(ax, title=title, y="group")
    ax.set_xticks([])
    ax.spines[["left", "bottom"]].set_visible(False)
    if n < labels.size:
        note(ax, f"{n:,} rows, spread evenly over all clusters.", gap=10)
    return ax


def _joined(weights: CheckedRows, n_cells: int) -> npt.NDArray[np.float64]:
    """Return the mean of each block of pairs; the diagonal, a row with itself, does not count."""
    n = weights.shape[0]
    edges = np.linspace(0, n, n_cells + 1).astype(np.intp)
    heights = np.diff(edges)
    cell_of = np.repeat(np.arange(n_cells), heights)
    if sparse.issparse(weights):
        belongs = sparse.csr_array((np.ones(n), (cell_of, np.arange(n))), shape=(n_cells, n))
        sums = (belongs @ weights @ belongs.T).toarray()
        own = np.bincount(cell_of, weights=weights.diagonal(), minlength=n_cells)
    else:
        sums = np.add.reduceat(np.add.reduceat(weights, edges[:-1], axis=0), edges[:-1], axis=1)
        own = np.bincount(cell_of, weights=np.diagonal(weights), minlength=n_cells)
    pairs = np.outer(heights, heights).astype(np.float64)
    pairs[np.diag_indices(n_cells)] -= heights
    sums[np.diag_indices(n_cells)] -= own
    means: npt.NDArray[np.float64] = np.divide(sums, pairs, out=np.zeros_like(sums), where=pairs > 0)
    return means


def _draw_borders(ax: Axes, labels: Labels, names: list[str] | None) -> None:
    """Draw a strip in the colours of the clusters at the left, and lines between clusters."""
    present, first, counts = np.unique(labels, return_index=True, return_counts=True)
    strip = STRIP * labels.size
    middles = first + counts / 2
    points = 9.0 if present.size <= 12 else 6.5
    for label, start, count in zip(present.tolist(), first.tolist(), counts.tolist(), strict=True):
        ax.bar(
            -1.5 * strip, count, bottom=start, width=strip, color=color_of(label), linewidth=0, gid="strip"
        )
    if present.size <= MOST_LINES:
        for start in first[1:].tolist():
            ax.axhline(start, color=INK, linewidth=0.5, xmin=2 * STRIP)
            ax.axvline(start, color=INK, linewidth=0.5)
    ax.set_xlim(-2 * strip, labels.size)
    ax.set_ylim(labels.size, 0)
    shown = names_that_fit(ax, middles.tolist(), float(labels.size), points)
    words = words_of_labels(present.tolist(), names)
    ax.set_yticks(middles[shown], [words[at] for at in shown], fontsize=points)
    ax.tick_params(axis="y", length=0)
