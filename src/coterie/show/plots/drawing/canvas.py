"""What all plots share: axes to draw on, titles and notes, labels of what is drawn."""

from __future__ import annotations

import math
import warnings
from types import ModuleType
from typing import TYPE_CHECKING, Literal

import numpy as np

from coterie._support.optional import require
from coterie._support.typing import Labels, MatrixLike, Model
from coterie.errors import InvalidData, InvalidParameter
from coterie.show.palette import FAINT, INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NOTE_GAP = 38  # points below the axes: under the ticks and the label of the x axis


def drawing(module: str = "pyplot") -> ModuleType:
    """Return a module of matplotlib, or say what to install.

    Examples
    --------
    >>> drawing("patches").Ellipse.__name__
    'Ellipse'
    """
    return require(f"matplotlib.{module}", extra="plot", purpose="Drawing")


def axes_for(ax: Axes | None, *, size: tuple[float, float] = (6.4, 4.6)) -> Axes:
    """Return the axes given, or those of a new figure of this size (inches).

    Examples
    --------
    >>> axes_for(None, size=(4, 3)).figure.get_size_inches()
    array([4., 3.])
    """
    if ax is not None:
        if not hasattr(ax, "plot"):
            raise InvalidParameter(f"ax must be matplotlib Axes or None, got {type(ax).__name__}.")
        return ax
    figure = drawing().figure(figsize=size, layout="constrained")
    new: Axes = figure.add_subplot()
    return new


def panels(
    n: int,
    *,
    columns: int | None = None,
    size: tuple[float, float] = (3.0, 2.7),
    share_x: bool = False,
    share_y: bool = False,
) -> tuple[Figure, list[Axes]]:
    """Return a new figure with n axes in rows; `size` is that of one panel.

    Examples
    --------
    >>> figure, axes = panels(5)
    >>> len(axes), figure.get_size_inches()
    (5, array([9. , 5.4]))
    """
    columns = min(n, columns or max(1, math.ceil(math.sqrt(n))))
    rows = math.ceil(n / columns)
    figure = drawing().figure(figsize=(columns * size[0], rows * size[1]), layout="constrained")
    grid = figure.subplots(rows, columns, squeeze=False, sharex=share_x, sharey=share_y).ravel()
    for unused in grid[n:]:
        unused.remove()
    return figure, list(grid[:n])


def tidy(
    ax: Axes, *, title: str = "", x: str = "", y: str = "", grid: Literal["both", "x", "y"] | None = None
) -> None:
    """Set title and labels, take away what carries nothing; `grid` is "x", "y" or "both".

    Examples
    --------
    >>> ax = axes_for(None)
    >>> tidy(ax, title="Sizes", x="group", y="rows")
    >>> ax.get_title(loc="left"), ax.get_ylabel()
    ('Sizes', 'rows')
    """
    ax.set_title(title, loc="left", color=INK, fontsize="large")
    ax.set_xlabel(x, color=INK)
    ax.set_ylabel(y, color=INK)
    for side in ("top", "right"):
        if side in ax.spines:
            ax.spines[side].set_visible(False)
    ax.tick_params(color=FAINT, labelcolor=INK)
    if grid is not None:
        ax.grid(axis=grid, color=FAINT, linewidth=0.6)
        ax.set_axisbelow(True)


def note(ax: Axes, text: str, *, gap: float = NOTE_GAP) -> None:
    """Write a line under the axes, `gap` points below them.

    Examples
    --------
    >>> ax = axes_for(None)
    >>> note(ax, "every row is drawn")
    >>> [text.get_text() for text in ax.texts]
    ['every row is drawn']
    """
    ax.annotate(
        text,
        (0.5, 0.0),
        xytext=(0, -gap),
        xycoords="axes fraction",
        textcoords="offset points",
        ha="center",
        va="top",
        color=INK,
        fontsize="small",
        annotation_clip=False,
    )


def read_labels(model: Model, *, n: int | None = None, who: str) -> Labels:
    """Return the labels of a fitted model, or labels given as such; `n` is how many there must be.

    Examples
    --------
    >>> read_labels([0, 0, 1], n=3, who="scatter")
    array([0, 0, 1])
    """
    labels = np.asarray(model.labels_ if hasattr(model, "labels_") else getattr(model, "labels", model))
    if labels.ndim != 1 or labels.dtype.kind not in "iu":
        raise InvalidParameter(
            f"{who} needs a fitted model or whole-number labels of shape (n_samples,), got "
            f"{type(model).__name__} of shape {labels.shape}."
        )
    if n is not None and labels.size != n:
        raise InvalidData(f"{who} needs a label per row, {n:,} of them, got {labels.size:,}.")
    return labels


def labels_of_rows(model: Model, X: MatrixLike, n: int, who: str) -> Labels:
    """Return the cluster of each of n rows: as the model was fitted to them, or as it predicts other rows.

    Examples
    --------
    >>> from coterie.cluster import KMeans
    >>> model = KMeans(2, init=[[0.0], [9.0]]).fit([[0.0], [1.0], [9.0]])
    >>> labels_of_rows(model, [[8.0], [2.0]], 2, "regions")
    array([1, 0], dtype=int32)
    """
    labels = getattr(model, "labels_", None)
    if labels is None or len(labels) != n:
        labels = predicted(model, X)
    return read_labels(labels, n=n, who=who)


def predicted(model: Model, X: MatrixLike) -> Labels:
    """Return what a model predicts, whether it was fitted to a frame or to an array.

    Examples
    --------
    >>> from coterie.cluster import KMeans
    >>> predicted(KMeans(2, init=[[0.0], [9.0]]).fit([[0.0], [9.0]]), [[1.0]])
    array([0], dtype=int32)
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "X (does not have valid|has) feature names")
        return np.asarray(model.predict(X))


def column_names(X: MatrixLike, model: Model = None) -> list[str] | None:
    """Return the names of the columns of a frame, or those that a model saw; None without any.

    Examples
    --------
    >>> column_names([[1.0, 2.0]]) is None
    True
    """
    if hasattr(X, "columns"):
        return [str(name) for name in X.columns]
    names = getattr(model, "feature_names_in_", None)
    return None if names is None else [str(name) for name in names]
