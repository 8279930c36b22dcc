"""Borders between regions, and regions in their mean colours."""

from __future__ import annotations

import numpy as np

from coterie._support.typing import AnyArray, FloatArray, Labels, MatrixLike
from coterie._support.validation import Whole, check_parameter
from coterie.errors import InvalidData
from coterie.image.pictures import read_picture

LINE = (255, 214, 10)  # yellow: seen on dark and on bright parts
PIXELS_PER_WIDTH = 700  # of the longer side, that a line gets a pixel of width for


def find_boundaries(labels: MatrixLike) -> AnyArray:
    """Return which pixels differ in label from their left or upper neighbour.

    Parameters
    ----------
    labels : array of shape (height, width)
        The region of each pixel.

    Examples
    --------
    >>> find_boundaries([[0, 0, 1], [0, 0, 1]]).astype(int).tolist()
    [[0, 0, 1], [0, 0, 1]]
    """
    given = np.asarray(labels)
    if given.ndim != 2:
        raise InvalidData(
            f"labels of find_boundaries must have the shape (height, width), got {given.shape}."
        )
    is_border = np.zeros(given.shape, dtype=bool)
    is_border[:, 1:] |= given[:, 1:] != given[:, :-1]
    is_border[1:] |= given[1:] != given[:-1]
    return is_border


def draw_boundaries(
    image: MatrixLike, labels: MatrixLike, *, colour: tuple[int, int, int] = LINE, width: int | None = None
) -> AnyArray:
    """Return the picture with lines between its regions.

    Parameters
    ----------
    image : str, path, array-like or Picture
        The picture.
    labels : array of shape (height, width)
        The region of each pixel.
    colour : tuple of three int, default=(255, 214, 10)
        Of the lines.
    width : int, default=None
        Of the lines, in pixels; None: 1, and one more for every 700 pixels of the longer side.

    Returns
    -------
    array of uint8 of shape (height, width, 3)

    Examples
    --------
    >>> draw_boundaries([[0.0, 0.0, 1.0]], [[0, 0, 1]])[0].tolist()
    [[0, 0, 0], [0, 0, 0], [255, 214, 10]]
    """
    picture = read_picture(image, who="draw_boundaries")
    is_border = find_boundaries(labels)
    if is_border.shape != picture.shape:
        raise InvalidData(
            f"labels of draw_boundaries must have the shape of the picture, {picture.shape}, got "
            f"{is_border.shape}."
        )
    if width is not None:
        check_parameter(width, Whole(1), name="width", who="draw_boundaries")
    lines = int(width) if width is not None else 1 + max(is_border.shape) // PIXELS_PER_WIDTH
    wide = is_border.copy()
    for step in range(1, min(lines, max(is_border.shape))):  # a line grows to both sides in turns
        by = step // 2 + 1 if step % 2 else -(step // 2)
        wide |= _shifted(is_border, by, 0) | _shifted(is_border, by, 1)
    drawn = picture.over_white().copy()
    drawn[wide] = colour
    return drawn


def _shifted(mask: AnyArray, by: int, axis: int) -> AnyArray:
    moved = np.roll(mask, by, axis=axis)
    edge = slice(0, by) if by > 0 else slice(by, None)
    moved[(edge, slice(None)) if axis == 0 else (slice(None), edge)] = False
    return moved


def mean_colours(pixels: FloatArray, labels: Labels) -> FloatArray:
    """Return the picture in which every region has its mean colour.

    Parameters
    ----------
    pixels : array of shape (height, width, 3)
        The picture.
    labels : array of shape (height, width)
        The region of each pixel.

    Examples
    --------
    >>> mean_colours(np.array([[[0.0] * 3, [0.5] * 3]]), np.array([[0, 0]]))[0, :, 0].tolist()
    [0.25, 0.25]
    """
    present, codes = np.unique(labels, return_inverse=True)
    codes = codes.reshape(labels.shape)
    counts = np.bincount(codes.ravel(), minlength=len(present))
    means = [
        np.bincount(codes.ravel(), weights=pixels[:, :, channel].ravel()) / counts for channel in range(3)
    ]
    colours: FloatArray = np.column_stack(means)[codes]
    return colours
