"""The clustermap: a table as a heat map, with the trees of its rows and of its columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from coterie._printing import count_of
from coterie._support.typing import CheckedRows, FloatArray, Indices, Labels, MatrixLike, Model, ValuesByName
from coterie._support.validation import Choice, Nothing, check_data, check_parameter
from coterie.errors import InvalidData
from coterie.show.palette import DIVERGING, SEQUENTIAL, color_of
from coterie.show.plots.drawing.canvas import column_names, drawing
from coterie.show.plots.drawing.marks import plain
from coterie.show.plots.drawing.tree_layout import Cut, lay_out, read_cut, read_tree
from coterie.show.plots.trees import draw_tree
from coterie.tree import Dendrogram

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.image import AxesImage

MOST_BANDS = 1000  # bands of a heat map; more rows are averaged in the order of the tree
MOST_NAMES = 60
MOST_TIPS = 300  # of a tree beside the heat map
SCALES = ("columns", "rows")


def clustermap(
    X: MatrixLike,
    rows: Model,
    columns: Model = None,
    *,
    scale: str | None = "columns",
    cut: Cut = None,
    columns_cut: Cut = None,
) -> Figure:
    """Draw a table as a heat map, rows and columns in the order of their trees, which stand at its sides.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The table.
    rows : Dendrogram, fitted model with ``dendrogram_``, or SciPy's matrix
        The tree of the rows. Above 1,000 rows each band is the mean of neighbours in it.
    columns : Dendrogram, fitted model or SciPy's matrix, default=None
        The tree of the columns; None: they stay in their order.
    scale : {"columns", "rows", None}, default="columns"
        Show how many standard deviations each value is from the mean of its column or row, or the values.
    cut, columns_cut : int, float or labels, default=None
        Colour the clusters of a cut of the trees.

    Examples
    --------
    >>> from coterie.tree import linkage
    >>> X = [[0.0, 1.0, 9.0], [1.0, 0.0, 8.0], [9.0, 9.0, 0.0], [8.0, 9.5, 1.0]]
    >>> figure = clustermap(X, linkage(X, "average"), linkage(list(zip(*X)), "average"), cut=2)
    >>> figure.axes[0].images[0].get_array().shape
    (4, 3)
    """
    check_parameter(scale, Nothing() | Choice(*SCALES), name="scale", who="clustermap")
    table: CheckedRows = check_data(X, who="clustermap", may_be_distances=True)
    across = None if columns is None else _tree_of(columns, table.shape[1], "columns")
    down = _tree_of(rows, table.shape[0], "rows")
    order = np.arange(table.shape[1]) if across is None else across.leaf_order()
    shown = _bands(_scaled(table, scale)[down.leaf_order()][:, order])
    figure: Figure = drawing().figure(figsize=_size(shown.shape), layout="constrained")
    above = (0.01, 0.01) if across is None else (8, 1)
    grid = figure.add_gridspec(3, 3, width_ratios=(8, 1, 32), height_ratios=(*above, 32), wspace=0, hspace=0)
    heat = figure.add_subplot(grid[2, 2])
    image = _draw_heat(heat, shown, table.shape[0], is_scaled=scale is not None)
    labels = read_cut(down, cut, "clustermap")
    _draw_side(figure.add_subplot(grid[2, 0]), down, labels, is_upright=False)
    if labels is not None:
        _draw_strip(figure.add_subplot(grid[2, 1]), labels[down.leaf_order()][:, None])
    if across is not None:
        labels = read_cut(across, columns_cut, "clustermap")
        _draw_side(figure.add_subplot(grid[0, 2]), across, labels, is_upright=True)
        if labels is not None:
            _draw_strip(figure.add_subplot(grid[1, 2]), labels[order][None])
    _name_columns(heat, column_names(X), across, order)
    _name_rows(heat, down)
    bar = figure.colorbar(image, ax=heat, shrink=0.5, location="right", pad=0.02)
    bar.set_label("value" if scale is None else f"standard deviations from the mean of its {scale[:-1]}")
    _entitle(figure, table.shape, read_cut(down, cut, "clustermap"))
    return figure


def _entitle(figure: Figure, shape: tuple[int, int], labels: Labels | None) -> None:
    """Say how large the table is, and how many clusters are coloured."""
    clusters = "" if labels is None else f", {count_of(len(np.unique(labels)), 'cluster')}"
    title = f"{count_of(shape[0], 'row')}, {count_of(shape[1], 'column')}{clusters}"
    figure.suptitle(title, fontsize="large")


def _tree_of(model: Model, n: int, name: str) -> Dendrogram:
    tree = read_tree(model, "clustermap")
    if tree.n_leaves != n:
        raise InvalidData(
            f"{name} of clustermap must be a tree with a leaf per {name[:-1]}, {n:,}, got {tree.n_leaves:,}."
        )
    return tree


def _scaled(table: FloatArray, scale: str | None) -> FloatArray:
    if scale is None:
        return table
    axis = SCALES.index(scale)
    spread = table.std(axis=axis, keepdims=True)
    away: FloatArray = table - table.mean(axis=axis, keepdims=True)
    return away / np.where(spread > 0, spread, 1.0)


def _bands(ordered: FloatArray) -> FloatArray:
    """Return at most 1,000 bands: means of neighbouring rows, of nearly as many each."""
    n = len(ordered)
    if n <= MOST_BANDS:
        return ordered
    edges = np.linspace(0, n, MOST_BANDS + 1).astype(np.int64)
    means: FloatArray = np.add.reduceat(ordered, edges[:-1], axis=0) / np.diff(edges)[:, None]
    return means


def _draw_heat(ax: Axes, shown: FloatArray, n_rows: int, *, is_scaled: bool) -> AxesImage:
    """Draw values in colours that a few extreme ones do not wash out."""
    if is_scaled:
        end = float(np.quantile(np.abs(shown), 0.99)) or 1.0
        limits: ValuesByName = {"cmap": DIVERGING, "vmin": -end, "vmax": end}
    else:
        limits = {"cmap": SEQUENTIAL}
    extent = (-0.5, shown.shape[1] - 0.5, -0.5, n_rows - 0.5)
    return ax.imshow(shown, aspect="auto", origin="lower", extent=extent, interpolation="nearest", **limits)


def _draw_side(ax: Axes, tree: Dendrogram, labels: Labels | None, *, is_upright: bool) -> None:
    layout = lay_out(tree, max_leaves=MOST_TIPS, labels=labels, by_size=True)
    draw_tree(ax, layout, is_upright=is_upright)
    ends = (-0.5, tree.n_leaves - 0.5)
    if is_upright:
        ax.set_xlim(ends)
    else:
        ax.set_ylim(ends)
        ax.invert_xaxis()
    ax.set_axis_off()


def _draw_strip(ax: Axes, labels: Labels) -> None:
    """Draw the clusters beside the heat map."""
    to_rgb = drawing("colors").to_rgb
    present, codes = np.unique(labels, return_inverse=True)
    colors = np.array([to_rgb(color_of(int(label))) for label in present])
    ax.imshow(colors[codes.reshape(labels.shape)], aspect="auto", origin="lower", interpolation="nearest")
    ax.set_axis_off()


def _name_columns(ax: Axes, known: list[str] | None, tree: Dendrogram | None, order: Indices) -> None:
    names = known or [str(column) for column in range(len(order))]
    if tree is not None and tree.names is not None:
        names = list(tree.names)
    names = [plain(name) for name in names]
    shown = range(len(order)) if len(order) <= MOST_NAMES else ()
    ax.set_xticks(list(shown), [names[int(order[place])] for place in shown])
    if sum(map(len, names[:MOST_NAMES])) > 40:
        ax.tick_params(axis="x", labelrotation=90)
    ax.tick_params(axis="x", length=0)


def _name_rows(ax: Axes, tree: Dendrogram) -> None:
    is_named = tree.names is not None and tree.n_leaves <= MOST_NAMES
    order = tree.leaf_order() if is_named else ()
    names = [plain(tree.names[leaf]) for leaf in order] if tree.names is not None else []
    ax.yaxis.tick_right()
    ax.set_yticks(range(len(names)), names, fontsize="small")
    ax.tick_params(axis="y", length=0)


def _size(shape: tuple[int, ...]) -> tuple[float, float]:
    return float(np.clip(0.25 * shape[1] + 3.5, 5.5, 13)), float(np.clip(0.12 * shape[0] + 2.0, 4.5, 9))
