"""SLIC superpixels: small connected regions of one colour, about as many as wanted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from coterie import _core
from coterie._support.threads import resolve_threads
from coterie._support.typing import AnyArray, FloatArray, Labels, MatrixLike
from coterie._support.validation import Number, Whole, check_parameter, engine_count
from coterie.errors import InvalidParameter
from coterie.image.colour import from_space, space_of
from coterie.image.pictures import MAX_PIXELS, Picture, read_picture

N_SEGMENTS = 500
COMPACTNESS = 10.0  # of colour difference that a step of the grid is worth (Achanta et al., 2012)
LEAST_SHARE = 0.25  # of the mean size: smaller parts join a neighbour
UNITS = 128.0  # steps of 16 bits per unit of colour difference
SCALES = {"oklab": 100.0, "cielab": 1.0, "rgb": 100.0}  # to units of which black and white are 100 apart


@dataclass(frozen=True, eq=False)
class Superpixels:
    """Superpixels of a picture.

    Parameters
    ----------
    labels : array of int32 of shape (height, width)
        The superpixel of each pixel, 0 .. n - 1, in the order of their first pixels.
    n : int
        How many there are.
    n_iter : int
        Rounds that were made.
    colours : array of shape (n, n_channels)
        Mean colour of each: three coordinates, or lightness alone for a grey picture. Black and white are 100
        apart in every space.
    sizes : array of int of shape (n,)
        Pixels of each.
    space : str
        Where colours were compared.
    picture : Picture
        The picture.
    """

    labels: Labels
    n: int
    n_iter: int
    colours: FloatArray
    sizes: AnyArray
    space: str
    picture: Picture

    @property
    def rgb(self) -> AnyArray:
        """Mean colour of each as bytes of red, green and blue."""
        return shown_colours(self.colours, self.space)


def shown_colours(colours: FloatArray, space: str) -> AnyArray:
    """Return colours of superpixels, or means of such, as bytes of red, green and blue."""
    points = colours / SCALES[space]
    if points.shape[1] == 1:  # a grey picture: lightness alone
        others = points if space == "rgb" else np.zeros_like(points)
        points = np.hstack([points, others, others])
    return from_space(points, space)


def slic(
    image: MatrixLike,
    n_segments: int = N_SEGMENTS,
    *,
    compactness: float = COMPACTNESS,
    max_iter: int = 10,
    space: str = "cielab",
    n_jobs: int | None = None,
    max_pixels: int = MAX_PIXELS,
) -> Superpixels:
    """Divide a picture into about `n_segments` connected regions of similar size and colour (SLIC).

    K-means of colour and place, from a regular grid: a pixel is compared with the centres within one step of
    the grid, and the distance is

        (difference of colour)^2 + (compactness / step)^2 (distance in pixels)^2.

    Then every connected part of at least a quarter of the mean size is a superpixel; smaller ones join the
    neighbour of the nearest colour.

    Parameters
    ----------
    image : str, path, array-like or PIL.Image.Image
        A picture, see `read_picture`. What is transparent is seen on white.
    n_segments : int, default=500
        About how many.
    compactness : float, default=10.0
        Larger: rounder; smaller: closer to the edges. Try 1, 10, 30.
    max_iter : int, default=10
        Most rounds; they end earlier when fewer than one pixel in 2,000 changes.
    space : {"cielab", "oklab", "rgb"}, default="cielab"
        Where colours are compared; black and white are 100 apart in each.
    n_jobs : int or None, default=None
        Threads; the answer is the same for any number.
    max_pixels : int, default=100_000_000
        Larger pictures are refused.

    Returns
    -------
    Superpixels

    Examples
    --------
    >>> import numpy as np
    >>> halves = np.zeros((20, 20)); halves[:, 10:] = 1
    >>> found = slic(halves, 4)
    >>> found.n, bool((found.labels[:, 9] != found.labels[:, 10]).all())
    (4, True)
    """
    for name, value, rule in (
        ("n_segments", n_segments, Whole(1)),
        ("compactness", compactness, Number(0.0, open_below=True)),
        ("max_iter", max_iter, Whole(1)),
    ):
        check_parameter(value, rule, name=name, who="slic")
    space_of(space, "slic")
    picture = read_picture(image, max_pixels=max_pixels, who="slic")
    n_pixels = picture.shape[0] * picture.shape[1]
    if n_segments > n_pixels:
        raise InvalidParameter(
            f"n_segments of slic must be at most the number of pixels, {n_pixels:,}, got {n_segments:,}."
        ).in_shell(f"--superpixels must be at most the number of pixels, {n_pixels:,}, got {n_segments:,}.")
    threads = resolve_threads(n_jobs)
    planes = colour_planes(picture, space, threads)
    labels, sizes, sums, n_iter = _core.superpixels(
        planes,
        int(n_segments),
        min(float(compactness), 1e6) * UNITS,
        engine_count(max_iter),
        max(1, round(LEAST_SHARE * n_pixels / n_segments)),
        threads,
    )
    counts = np.asarray(sizes)
    colours = np.asarray(sums) / counts[:, None] / UNITS
    return Superpixels(np.asarray(labels), len(counts), n_iter, colours, counts, space, picture)


def colour_planes(picture: Picture, space: str, threads: int) -> AnyArray:
    """Return the coordinates of all pixels as planes of 16 bits; of a grey picture, lightness alone."""
    pixels = np.ascontiguousarray(picture.over_white()).reshape(-1, 3)
    colours, _, index = map(np.asarray, _core.count_colours(pixels, None, threads))
    points = np.asarray(_core.locate_colours(colours, space_of(space, "slic"), threads))
    codes = np.rint(points * (UNITS * SCALES[space])).astype(np.int16)
    n_planes = 1 if picture.is_grey else 3
    planes = np.empty((n_planes, *picture.shape), dtype=np.int16)
    for axis in range(n_planes):
        np.take(np.ascontiguousarray(codes[:, axis]), index, out=planes[axis].reshape(-1))
    return planes
