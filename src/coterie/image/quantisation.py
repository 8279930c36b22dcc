"""Colour quantisation: a picture in k colours that k-means finds."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from coterie import _core
from coterie._printing import count_of
from coterie._support.facts import facts_of
from coterie._support.threads import resolve_threads
from coterie._support.typing import AnyArray, FloatArray, JsonObject, Labels, MatrixLike, Weights
from coterie._support.validation import Flag, Seed, Whole, check_parameter
from coterie.cluster import KMeans
from coterie.errors import InvalidData
from coterie.image.colour import from_space, psnr, psnr_of, space_of
from coterie.image.pictures import MAX_PIXELS, Picture, read_picture, write_picture

MOST_COLOURS = 65_536  # that k-means looks at; more are joined in cells first
CELL_BITS = 2  # of each byte that such a cell leaves open: 64 x 64 x 64 cells
MOST_BREATHING = 64  # colours of a palette for which a better optimum is searched
CELLS_PER_COLOUR = 128  # of 32 x 32 x 32 cells: with fewer the search looks at finer ones
PALETTE_COLOURS = 256  # of a file with a palette


@dataclass(frozen=True, eq=False)
class Quantised:
    """A picture in few colours.

    Parameters
    ----------
    labels : array of int32 of shape (height, width)
        The colour of each pixel, as a row of `palette`.
    palette : array of uint8 of shape (n_palette, 3)
        Red, green and blue of the colours, the most frequent first.
    shares : array of shape (n_palette,)
        The share of the picture that each colour has; transparent pixels do not count.
    psnr : float
        Peak signal-to-noise ratio to the original in decibels; infinite if nothing changed.
    n_colours : int
        How many colours the original has.
    picture : Picture
        The original.
    space : str
        The space in which colours were compared.
    is_dithered : bool
        Whether errors were diffused.
    notes : tuple of str
        What the reader should know.
    """

    labels: Labels
    palette: AnyArray
    shares: FloatArray
    psnr: float
    n_colours: int
    picture: Picture
    space: str
    is_dithered: bool
    notes: tuple[str, ...]

    @property
    def k(self) -> int:
        """Number of colours."""
        return len(self.palette)

    @cached_property
    def image(self) -> AnyArray:
        """The picture in its new colours, in the shape of the original: grey stays grey, alpha is kept."""
        return self.picture.as_given(np.take(self.palette, self.labels, axis=0))

    @property
    def hex(self) -> tuple[str, ...]:
        """The colours as they are written in web pages."""
        return tuple("#" + bytes(colour).hex() for colour in self.palette.tolist())

    def save(self, path: str | os.PathLike[str], *, force: bool = False) -> None:
        """Write the picture as .png, .tif or .bmp; up to 256 opaque colours as a palette, which is small.

        Parameters
        ----------
        path : str or path
            Where to.
        force : bool, default=False
            Whether an existing file may be replaced.
        """
        if self.k <= PALETTE_COLOURS and self.picture.alpha is None and not self.picture.is_grey:
            write_picture(self.labels.astype(np.uint8), path, palette=self.palette, force=force)
        else:
            write_picture(self.image, path, force=force)

    def to_dict(self) -> JsonObject:
        """Return the facts as plain values."""
        height, width = self.picture.shape
        return {
            "source": self.picture.source,
            "width": width,
            "height": height,
            **facts_of(self, "k", "n_colours", "space"),
            "dither": self.is_dithered,
            "psnr": self.psnr,
            "palette": [
                {"colour": name, "share": share}
                for name, share in zip(self.hex, self.shares.tolist(), strict=True)
            ],
            "notes": list(self.notes),
        }


def quantise(
    image: MatrixLike,
    k: int = 16,
    *,
    space: str = "cielab",
    dither: bool = False,
    random_state: int | None = 0,
    n_jobs: int | None = None,
    max_pixels: int = MAX_PIXELS,
) -> Quantised:
    """Reduce a picture to k colours (a palette).

    K-means groups the colours of the picture, each weighted by the pixels that have it, and every pixel takes
    the colour of its group. Up to 64 colours, breathing searches for a better optimum, among the means of 32
    steps per channel where these are many. Of pictures with more than 65,536 colours, near colours are joined
    first: to 64 steps per channel, with their mean.

    Parameters
    ----------
    image : str, path, array-like or PIL.Image.Image
        A picture, see `read_picture`. Transparent pixels do not count, and alpha is kept.
    k : int, default=16
        How many colours.
    space : {"cielab", "oklab", "rgb"}, default="cielab"
        Where colours are compared. In CIELAB and OKLab distances are about what people see; CIELAB keeps
        few strong colours beside many dull ones. "rgb" has the smaller error by numbers (PSNR).
    dither : bool, default=False
        Whether to diffuse errors to neighbouring pixels (Floyd-Steinberg), which hides steps in smooth parts
        behind grain. Errors are amounts of light (with "rgb": of the encoded numbers).
    random_state : int or None, default=0
        Seed of k-means.
    n_jobs : int or None, default=None
        Threads; the answer is the same for any number.
    max_pixels : int, default=100_000_000
        Larger pictures are refused.

    Returns
    -------
    Quantised

    Examples
    --------
    >>> import numpy as np
    >>> ramp = np.repeat(np.arange(0, 256, 5, dtype=np.uint8)[None], 4, axis=0)
    >>> found = quantise(ramp, k=4)
    >>> found.k, found.n_colours, found.image.shape
    (4, 52, (4, 52))
    """
    check_parameter(k, Whole(1), name="k", who="quantise")
    k = int(k)  # a whole number of NumPy may have 8 bits
    check_parameter(dither, Flag(), name="dither", who="quantise")
    check_parameter(random_state, Seed(), name="random_state", who="quantise")
    kind, threads = space_of(space, "quantise"), resolve_threads(n_jobs)
    picture = read_picture(image, max_pixels=max_pixels, who="quantise")
    height, width = picture.shape
    pixels = picture.pixels.reshape(-1, 3)
    opacity = None if picture.alpha is None else picture.alpha.ravel()
    colours, weights, index = map(np.asarray, _core.count_colours(pixels, opacity, threads))
    is_seen = weights > 0
    n_colours = int(is_seen.sum())
    if n_colours == 0:
        raise InvalidData(f"{picture.source}: every pixel is transparent; there are no colours.")
    points = np.asarray(_core.locate_colours(colours, kind, threads))
    notes = picture.notes
    if n_colours <= k:
        palette = colours[is_seen]
        if n_colours < k:
            has = f"{picture.source} has {count_of(n_colours, 'colour')}"
            notes = (*notes, f"{has}, fewer than {k:,}: all are kept")
    else:
        centres = _fit_colours(points[is_seen], colours[is_seen], weights[is_seen], k, random_state)
        palette = np.unique(from_space(centres, space), axis=0)
        if len(palette) < k:
            notes = (*notes, f"{k - len(palette):,} of {k:,} colours are the same in 8 bits and were joined")
    of_colour = _nearest(points, np.asarray(_core.locate_colours(palette, kind, threads)))
    order, shares = _by_share(of_colour, weights, len(palette))
    palette, of_colour = palette[order], np.argsort(order).astype(np.int32)[of_colour]
    labels = np.take(of_colour, index).reshape(height, width)
    if dither:
        labels = np.asarray(_core.diffuse_errors(pixels, width, np.ascontiguousarray(palette), kind))
    if dither or opacity is not None:
        error = _error(picture, palette, labels)
    else:  # pixels of one colour have one error
        apart = (colours.astype(np.int64) - palette[of_colour]) ** 2
        error = psnr_of(int(apart.sum(axis=1) @ weights), 3 * len(pixels))
    return Quantised(labels, palette, shares, error, n_colours, picture, space, bool(dither), notes)


def _fit_colours(
    points: FloatArray, colours: AnyArray, weights: AnyArray, k: int, seed: int | None
) -> FloatArray:
    """Return the centres of weighted colours; a better optimum is searched among cells of many."""
    amounts: Weights = weights.astype(np.float64)
    cells: AnyArray = colours
    if len(points) > max(MOST_COLOURS, 4 * k):
        points, amounts, cells = _joined(points, amounts, colours >> CELL_BITS)
    if k > MOST_BREATHING:
        plain = KMeans(k, n_init=1, random_state=seed).fit(points, sample_weight=amounts)
        return np.asarray(plain.cluster_centers_)
    model = KMeans(k, n_init=1, improve="breathing", random_state=seed)
    found, totals, _ = _joined(points, amounts, cells >> (1 if cells is not colours else CELL_BITS + 1))
    if len(found) < CELLS_PER_COLOUR * k:
        return np.asarray(model.fit(points, sample_weight=amounts).cluster_centers_)
    start = model.fit(found, sample_weight=totals).cluster_centers_
    return np.asarray(KMeans(k, init=start, n_init=1).fit(points, sample_weight=amounts).cluster_centers_)


def _joined(points: FloatArray, weights: Weights, cells: AnyArray) -> tuple[FloatArray, Weights, AnyArray]:
    """Return the weighted means of points that share a cell, and the weights and places of the cells."""
    places = cells.astype(np.int64)
    side = int(places.max()) + 1
    codes = (places[:, 0] * side + places[:, 1]) * side + places[:, 2]
    totals: Weights = np.bincount(codes, weights=weights).astype(np.float64)
    sums = [np.bincount(codes, weights=weights * points[:, axis]) for axis in range(3)]
    used = np.flatnonzero(totals)
    means = np.column_stack([each[used] / totals[used] for each in sums])
    return means, totals[used], np.column_stack(np.unravel_index(used, (side, side, side)))


def _nearest(points: FloatArray, places: FloatArray) -> Labels:
    """Return the nearest place of each point."""
    from coterie.distance import nearest

    return np.asarray(nearest(points, places).index, dtype=np.int32)


def _by_share(of_colour: Labels, weights: AnyArray, k: int) -> tuple[AnyArray, FloatArray]:
    """Return the colours of a palette from the most to the least frequent, and their shares."""
    totals = np.bincount(of_colour, weights=weights.astype(np.float64), minlength=k)
    order = np.argsort(-totals, kind="stable")
    return order, totals[order] / totals.sum()


def _error(picture: Picture, palette: AnyArray, labels: Labels) -> float:
    """Return the PSNR over the pixels that can be seen."""
    new = np.take(palette, labels, axis=0)
    if picture.alpha is None:
        return psnr(picture.pixels, new)
    is_seen = picture.alpha > 0
    return psnr(picture.pixels[is_seen], new[is_seen])
