"""Image segmentation: the picture, its segments, and their borders."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import ndimage

from coterie._printing import count_of
from coterie._support.typing import FloatArray, Labels, MatrixLike, Model
from coterie.errors import InvalidData
from coterie.image import find_boundaries, mean_colours
from coterie.show.palette import EMPHASIS, color_of
from coterie.show.plots.drawing.canvas import drawing, panels, read_labels

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LEAST_PART = 0.001  # of the image: smaller parts are specks of a texture
PALER = 0.25  # of the way to white, behind borders


def segmentation(image: MatrixLike, model: Model) -> Figure:
    """Draw an image, its segments in their mean colours and in colours of clusters, and their borders.

    Borders are those of connected parts of 0.1 % of the image or more: the specks of a texture have none.

    Parameters
    ----------
    image : array-like of shape (height, width), (height, width, 3) or (height, width, 4)
        Whole numbers from 0 to 255 or numbers from 0 to 1.
    model : fitted estimator or labels
        The cluster of each pixel, row by row, or an array of shape (height, width).

    Examples
    --------
    >>> figure = segmentation([[0.0, 0.1, 0.9], [0.0, 0.1, 1.0]], [[0, 0, 1], [0, 0, 1]])
    >>> [ax.get_title(loc="left") for ax in figure.axes]
    ['image, 3 x 2', '2 segments, mean colours', 'segments', 'borders of 2 parts']
    """
    pixels = _read_image(image)
    height, width = pixels.shape[:2]
    flat = model if hasattr(model, "labels_") else np.asarray(model).ravel()
    labels = read_labels(flat, n=height * width, who="segmentation").reshape(height, width)
    k = len(np.unique(labels[labels >= 0]))
    borders, n_parts = _with_borders(pixels, labels)
    pictures = {
        f"image, {width:,} x {height:,}": pixels,
        f"{k} segments, mean colours": mean_colours(pixels, labels),
        "segments": _cluster_colors(labels),
        f"borders of {count_of(n_parts, 'part')}": borders,
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


def _cluster_colors(labels: Labels) -> FloatArray:
    present, codes = np.unique(labels, return_inverse=True)
    colors = np.array([drawing("colors").to_rgb(color_of(int(label))) for label in present])
    picture: FloatArray = colors[codes.reshape(labels.shape)]
    return picture


def _with_borders(pixels: FloatArray, labels: Labels) -> tuple[FloatArray, int]:
    """Return the image in grey with borders between parts in a strong colour, and the number of parts."""
    parts, n_parts = _large_parts(labels)
    picture = PALER + (1 - PALER) * np.repeat(pixels.mean(axis=2, keepdims=True), 3, axis=2)
    picture[find_boundaries(parts)] = drawing("colors").to_rgb(EMPHASIS)
    return picture, n_parts


def _large_parts(labels: Labels) -> tuple[Labels, int]:
    """Return the connected part of each pixel, that of the nearest large one for specks, and their number."""
    parts, n = np.zeros(labels.shape, dtype=np.int64), 0
    for label in np.unique(labels).tolist():
        own, n_own = ndimage.label(labels == label)
        parts += np.where(own > 0, own + n, 0)
        n += n_own
    sizes = np.bincount(parts.ravel())
    is_speck = (sizes < LEAST_PART * labels.size)[parts]
    if is_speck.all():
        return parts, n
    nearest = ndimage.distance_transform_edt(is_speck, return_distances=False, return_indices=True)
    found: Labels = parts[tuple(nearest)]
    return found, int((sizes[1:] >= LEAST_PART * labels.size).sum())
