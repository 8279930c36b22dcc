"""Image segmentation: the picture, its segments, and their borders."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from coterie._typing import FloatArray, Labels, MatrixLike
from coterie.errors import InvalidData
from coterie.show.palette import EMPHASIS, color_of
from coterie.show.plots._canvas import drawing, panels, read_labels

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def segmentation(image: MatrixLike, model: Any) -> Figure:
    """Draw an image, its segments in their mean colours and in colours of clusters, and their borders.

    Parameters
    ----------
    image : array-like of shape (height, width), (height, width, 3) or (height, width, 4)
        Whole numbers from 0 to 255 or numbers from 0 to 1.
    model : fitted estimator or labels
        The cluster of each pixel, row by row, or an array of shape (height, width).

    Returns
    -------
    Figure

    Examples
    --------
    >>> figure = segmentation([[0.0, 0.1, 0.9], [0.0, 0.1, 1.0]], [[0, 0, 1], [0, 0, 1]])
    >>> [ax.get_title(loc="left") for ax in figure.axes]
    ['image, 3 x 2', '2 segments, mean colours', 'segments', 'borders']
    """
    pixels = _read_image(image)
    height, width = pixels.shape[:2]
    flat = model if hasattr(model, "labels_") else np.asarray(model).ravel()
    labels = read_labels(flat, n=height * width, who="segmentation").reshape(height, width)
    k = len(np.unique(labels[labels >= 0]))
    pictures = {
        f"image, {width:,} x {height:,}": pixels,
        f"{k} segments, mean colours": _mean_colors(pixels, labels),
        "segments": _cluster_colors(labels),
        "borders": _with_borders(pixels, labels),
    }
    figure, axes = panels(4, columns=2, size=(3.6, 3.6 * min(height / width, 2.0) + 0.3))
    for ax, (title, picture) in zip(axes, pictures.items(), strict=True):
        ax.imshow(picture, interpolation="nearest" if max(height, width) < 200 else "auto")
        ax.set_title(title, loc="left", fontsize="medium")
        ax.set_axis_off()
    return figure


def _read_image(image: MatrixLike) -> FloatArray:
    """Return red, green and blue from 0 to 1."""
    given = np.asarray(image)
    pixels = given / 255.0 if given.dtype.kind in "iu" else given.astype(np.float64)
    is_sound = pixels.ndim in (2, 3) and pixels.size and (pixels.ndim == 2 or pixels.shape[2] in (3, 4))
    if not is_sound or not (pixels.min() >= 0 and pixels.max() <= 1):
        raise InvalidData(
            "image of segmentation must have the shape (height, width), (height, width, 3) or "
            f"(height, width, 4), and whole numbers up to 255 or numbers up to 1, got {given.dtype} of shape "
            f"{given.shape}."
        )
    return np.repeat(pixels[:, :, None], 3, axis=2) if pixels.ndim == 2 else pixels[:, :, :3]


def _mean_colors(pixels: FloatArray, labels: Labels) -> FloatArray:
    present, codes = np.unique(labels, return_inverse=True)
    codes = codes.reshape(labels.shape)
    counts = np.bincount(codes.ravel(), minlength=len(present))
    means = [
        np.bincount(codes.ravel(), weights=pixels[:, :, channel].ravel()) / counts for channel in range(3)
    ]
    colors: FloatArray = np.column_stack(means)[codes]
    return colors


def _cluster_colors(labels: Labels) -> FloatArray:
    present, codes = np.unique(labels, return_inverse=True)
    colors = np.array([drawing("colors").to_rgb(color_of(int(label))) for label in present])
    picture: FloatArray = colors[codes.reshape(labels.shape)]
    return picture


def _with_borders(pixels: FloatArray, labels: Labels) -> FloatArray:
    """Return the image in grey with the pixels right of and below a border in a strong colour."""
    picture = np.repeat(pixels.mean(axis=2, keepdims=True), 3, axis=2)
    is_border = np.zeros(labels.shape, dtype=bool)
    is_border[:, 1:] |= labels[:, 1:] != labels[:, :-1]
    is_border[1:] |= labels[1:] != labels[:-1]
    picture[is_border] = drawing("colors").to_rgb(EMPHASIS)
    return picture
