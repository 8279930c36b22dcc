"""Colour spaces in which distances are what people see, and the error of a picture."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from coterie import _core
from coterie._support.threads import resolve_threads
from coterie._support.typing import AnyArray, FloatArray, MatrixLike
from coterie._support.validation import Choice, check_parameter
from coterie.errors import InvalidData

SPACES = ("oklab", "cielab", "rgb")
SPACE = Choice(*SPACES)

# Back from OKLab: to cube roots of cone responses, then to light of red, green and blue (B. Ottosson, 2020).
_OKLAB_ROOTS = np.array(
    [[1, 0.3963377774, 0.2158037573], [1, -0.1055613458, -0.0638541728], [1, -0.0894841775, -1.2914855480]]
)
_OKLAB_LIGHT = np.array(
    [
        [4.0767416621, -3.3077115913, 0.2309699292],
        [-1.2684380046, 2.6097574011, -0.3413193965],
        [-0.0041960863, -0.7034186147, 1.7076147010],
    ]
)
# From CIE XYZ of D65 to light of red, green and blue (IEC 61966-2-1).
_XYZ_LIGHT = np.array(
    [
        [3.2404542, -1.5371385, -0.4985314],
        [-0.9692660, 1.8760108, 0.0415560],
        [0.0556434, -0.2040259, 1.0572252],
    ]
)
_WHITE = np.array([0.95047, 1.0000001, 1.08883])


def space_of(name: str, who: str) -> Any:
    """Return the engine's word for a colour space, or say which there are."""
    check_parameter(name, SPACE, name="space", who=who)
    return getattr(_core.ColourSpace, name)


def to_space(colours: MatrixLike, space: str = "oklab", *, n_jobs: int | None = None) -> FloatArray:
    """Return the coordinates of sRGB colours.

    Parameters
    ----------
    colours : array of uint8 of shape (..., 3)
        Red, green and blue.
    space : {"oklab", "cielab", "rgb"}, default="oklab"
        OKLab with L from 0 to 1, CIELAB (D65) with L from 0 to 100, or sRGB itself from 0 to 1.
    n_jobs : int, default=None
        Threads.

    Examples
    --------
    >>> to_space(np.array([[255, 255, 255]], dtype=np.uint8), "cielab").round(3).tolist()
    [[100.0, 0.0, 0.0]]
    """
    kind = space_of(space, "to_space")
    given = np.ascontiguousarray(colours)
    if given.dtype != np.uint8 or given.ndim < 1 or given.shape[-1] != 3:
        raise InvalidData(
            f"colours of to_space must be bytes of shape (..., 3), got {given.dtype} of shape {given.shape}."
        )
    found = np.asarray(_core.locate_colours(given.reshape(-1, 3), kind, resolve_threads(n_jobs)))
    return found.reshape(given.shape)


def from_space(points: MatrixLike, space: str = "oklab") -> AnyArray:
    """Return the nearest sRGB colours of coordinates; what no screen shows is clipped.

    Parameters
    ----------
    points : array of shape (..., 3)
        Coordinates, as `to_space` gives them.
    space : {"oklab", "cielab", "rgb"}, default="oklab"
        Their space.

    Examples
    --------
    >>> from_space([0.5, 0.0, 0.0]).tolist()
    [99, 99, 99]
    """
    check_parameter(space, SPACE, name="space", who="from_space")
    given = np.asarray(points, dtype=np.float64)
    if given.ndim < 1 or given.shape[-1] != 3 or not np.isfinite(given).all():
        raise InvalidData(
            f"points of from_space must be finite numbers of shape (..., 3), got {given.shape}."
        )
    if space == "rgb":
        return np.rint(np.clip(given, 0, 1) * 255).astype(np.uint8)
    light = _light_of_oklab(given) if space == "oklab" else _light_of_cielab(given)
    # the light halfway between two bytes as encoded: no powers, so that every processor gives the same byte
    middles = np.asarray(_core.lights((np.arange(255) + 0.5) / 255))
    return np.searchsorted(middles, light.ravel(), side="right").reshape(light.shape).astype(np.uint8)


def _product(points: FloatArray, matrix: FloatArray) -> FloatArray:
    """Return the product with a 3 x 3 matrix, added in one order whatever BLAS there is."""
    columns = [points[..., 0] * row[0] + points[..., 1] * row[1] + points[..., 2] * row[2] for row in matrix]
    return np.stack(columns, axis=-1)


def _light_of_oklab(points: FloatArray) -> FloatArray:
    roots = _product(points, _OKLAB_ROOTS)
    return _product(roots * roots * roots, _OKLAB_LIGHT)


def _light_of_cielab(points: FloatArray) -> FloatArray:
    y = (points[..., 0] + 16) / 116
    roots = np.stack([y + points[..., 1] / 500, y, y - points[..., 2] / 200], axis=-1)
    cubes = np.where(roots > 6 / 29, roots * roots * roots, (116 * roots - 16) * 27 / 24389)
    return _product(cubes * _WHITE, _XYZ_LIGHT)


def psnr(original: AnyArray, other: AnyArray) -> float:
    """Return the peak signal-to-noise ratio of a picture in decibels; infinite if nothing differs.

    Parameters
    ----------
    original, other : arrays of uint8 of the same shape
        Two pictures.

    Examples
    --------
    >>> round(psnr(np.zeros((2, 2), np.uint8), np.full((2, 2), 16, np.uint8)), 2)
    24.05
    """
    one, two = np.asarray(original), np.asarray(other)
    if one.shape != two.shape or one.size == 0:
        raise InvalidData(f"pictures of psnr must have the same shape, got {one.shape} and {two.shape}.")
    if one.dtype != np.uint8 or two.dtype != np.uint8:
        raise InvalidData(f"pictures of psnr must be bytes, got {one.dtype} and {two.dtype}.")
    total = 0
    for at in range(0, len(one), 256):  # in blocks of rows: whole pictures of differences are large
        apart = one[at : at + 256].astype(np.int32) - two[at : at + 256]
        total += int((apart * apart).sum(dtype=np.int64))
    return psnr_of(total, one.size)


def psnr_of(squares: int, count: int) -> float:
    """Return the peak signal-to-noise ratio of bytes from the sum of squared differences and their number."""
    return math.inf if squares == 0 else 10 * math.log10(255**2 * count / squares)
