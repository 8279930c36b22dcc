"""Numbers that describe pictures: colour layout, edges, or the pixels themselves."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from coterie._support.stores import files_below, is_folder, is_pattern, is_url, local_path, matching, shown
from coterie._support.typing import AnyArray, FloatArray, MatrixLike
from coterie._support.validation import Choice, Whole, check_parameter
from coterie.errors import InvalidData, InvalidFile, MissingFile
from coterie.image.colour import to_space
from coterie.image.pictures import MAX_PIXELS, SUFFIXES, Picture, read_picture

KINDS = ("layout", "edges", "pixels")
GRID = 8  # cells of the colour layout, along each side
EDGE_GRID, N_DIRECTIONS = 4, 8
EDGE_SIDE = 64  # pixels along each side of the picture that edges are found in
LEAST_SIDE = 128  # to which a JPEG may be decoded
MOST_PIXELS = 4_096  # of pictures of equal size, as columns
SHOWN = 3


@dataclass(frozen=True, eq=False)
class PictureFeatures:
    """Numbers that describe pictures.

    Parameters
    ----------
    X : array of shape (n_pictures, n_columns)
        The numbers.
    names : tuple of str
        What each picture is called: its path within the folder, or its number.
    columns : tuple of str
        What each column holds.
    files : tuple of str
        The files; empty for arrays.
    notes : tuple of str
        What the reader should know, such as files that could not be read.
    """

    X: FloatArray
    names: tuple[str, ...]
    columns: tuple[str, ...]
    files: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def find_pictures(where: str | os.PathLike[str]) -> tuple[list[str], list[str]]:
    """Return the files of a folder or a pattern that end as pictures do, in order, and their names in it."""
    place = local_path(where)
    if is_folder(place):
        found = [path for path in files_below(place)[0] if Path(path).suffix.lower() in SUFFIXES]
        names = [_within(path, place) for path in found]
    elif is_pattern(place):
        found = [path for path in matching(place) if Path(path).suffix.lower() in SUFFIXES]
        names = [path.rpartition("/")[2] for path in found]
        names = names if len(set(names)) == len(names) else found
    elif not is_url(place) and not os.path.exists(place):
        raise MissingFile(f"{shown(where)}: no such folder.")
    else:
        raise InvalidFile(
            f"{shown(where)}: must be a folder of pictures, or a pattern in quotes such as 'p/*.jpg'."
        )
    if not found:
        raise InvalidFile(f"{shown(where)}: holds no pictures ({', '.join(SUFFIXES[:5])} ...).")
    return found, names


def _within(path: str, folder: str) -> str:
    name = path[len(folder) :] if path.startswith(folder) else os.path.relpath(path, folder)
    return name.replace(os.sep, "/").lstrip("/")


def picture_features(
    pictures: str | os.PathLike[str] | Sequence[MatrixLike],
    kind: str = "layout",
    *,
    max_pixels: int = MAX_PIXELS,
) -> PictureFeatures:
    """Describe pictures by numbers, for clustering.

    These descriptors know colours and where they are, or directions of edges, and nothing of what is shown: a
    red car and a red flower are alike. Vectors of a model that was trained on pictures (CLIP, DINOv2 and
    others) are better wherever the content matters; pass such vectors to `coterie.fit` as they are.

    Parameters
    ----------
    pictures : str, path or list
        A folder, a pattern such as ``"photos/*.jpg"``, or a list of files and arrays.
    kind : {"layout", "edges", "pixels"}, default="layout"
        "layout": mean colour (OKLab) of 8 x 8 cells, 192 columns. "edges": how much lightness changes in each
        of 8 directions, in 4 x 4 cells, 128 columns. "pixels": lightness of every pixel, for pictures of
        equal size with at most 4,096 pixels, such as digits.
    max_pixels : int, default=100_000_000
        Larger pictures are refused.

    Returns
    -------
    PictureFeatures

    Examples
    --------
    >>> import numpy as np
    >>> found = picture_features([np.zeros((9, 9)), np.ones((7, 5))])
    >>> found.X.shape, found.columns[:3], round(float(found.X[1, 0]), 3)
    ((2, 192), ('L 1,1', 'a 1,1', 'b 1,1'), 1.0)
    """
    check_parameter(kind, Choice(*KINDS), name="kind", who="picture_features")
    check_parameter(max_pixels, Whole(1), name="max_pixels", who="picture_features")
    is_place = isinstance(pictures, str | os.PathLike)
    given: list[Any]
    given, names = find_pictures(pictures) if isinstance(pictures, str | os.PathLike) else _listed(pictures)
    rows: list[AnyArray] = []
    kept: list[int] = []
    notes: list[str] = []
    size: tuple[int, int] | None = None
    least = None if kind == "pixels" else LEAST_SIDE
    for at, each in enumerate(given):
        try:
            picture = read_picture(each, max_pixels=max_pixels, who="picture_features", at_least=least)
        except InvalidFile as error:
            if not is_place or "--max-pixels" in (error.shell_text or ""):
                raise
            notes.append(f"left out: {error}")
            continue
        size = picture.shape if size is None else size
        rows.append(_describe(picture, kind, size, names[at]))
        kept.append(at)
    if not rows:
        raise InvalidFile(f"{shown(str(pictures))}: none of {len(given):,} files is a picture: {notes[0]}")
    files = tuple(str(given[at]) for at in kept) if is_place else ()
    return PictureFeatures(
        np.vstack(rows), tuple(names[at] for at in kept), _columns(kind, size or (1, 1)), files, _few(notes)
    )


def _listed(pictures: Iterable[object]) -> tuple[list[object], list[str]]:
    given = list(pictures)
    if not given:
        raise InvalidData("pictures of picture_features must be at least one, got none.")
    names = [shown(each) if isinstance(each, str | os.PathLike) else str(at) for at, each in enumerate(given)]
    return given, names


def _few(notes: list[str]) -> tuple[str, ...]:
    more = len(notes) - SHOWN
    return (*notes[:SHOWN], f"left out: {more:,} more files") if more > 0 else tuple(notes)


def _describe(picture: Picture, kind: str, size: tuple[int, int], name: str) -> FloatArray:
    if kind == "layout":
        return block_means(picture, GRID, GRID).reshape(-1)
    if kind == "edges":
        return _edges(picture)
    own, others = (f"{width} x {height} pixels" for height, width in (picture.shape, size))
    if picture.shape != size:
        text = f"{name}: has {own}, others {others}; they must be of equal size for"
        raise InvalidData(f'{text} kind="pixels". Use kind="layout".').in_shell(
            f"{text} --kind pixels. Use --kind layout."
        )
    if size[0] * size[1] > MOST_PIXELS:
        text = f"{name}: has {own}; at most {MOST_PIXELS:,} become columns. Make the pictures smaller, or use"
        raise InvalidData(f'{text} kind="layout".').in_shell(f"{text} --kind layout.")
    return to_space(picture.over_white())[:, :, 0].reshape(-1)


def _columns(kind: str, size: tuple[int, int]) -> tuple[str, ...]:
    if kind == "layout":
        cells = [(y, x) for y in range(GRID) for x in range(GRID)]
        return tuple(f"{axis} {y + 1},{x + 1}" for y, x in cells for axis in "Lab")
    if kind == "edges":
        cells = [(y, x) for y in range(EDGE_GRID) for x in range(EDGE_GRID)]
        degrees = [180 * at // N_DIRECTIONS for at in range(N_DIRECTIONS)]
        return tuple(f"edges {degree} at {y + 1},{x + 1}" for y, x in cells for degree in degrees)
    return tuple(f"pixel {y + 1},{x + 1}" for y in range(size[0]) for x in range(size[1]))


def block_means(picture: Picture, rows: int, columns: int) -> FloatArray:
    """Return the mean colour (OKLab) of a grid of cells; cells of tiny pictures share pixels."""
    points = to_space(picture.over_white())
    for axis, n_cells in ((0, rows), (1, columns)):
        n = points.shape[axis]
        starts = np.arange(n_cells) * n // n_cells
        ends = np.maximum(starts + 1, (np.arange(n_cells) + 1) * n // n_cells)
        sums = np.cumsum(np.insert(points, 0, 0.0, axis=axis), axis=axis)
        width = (ends - starts).reshape((-1, 1, 1) if axis == 0 else (1, -1, 1))
        points = (np.take(sums, ends, axis=axis) - np.take(sums, starts, axis=axis)) / width
    return points


def _edges(picture: Picture) -> FloatArray:
    """Return the change of lightness by direction in each of 4 x 4 cells, relative to all of the picture."""
    light = block_means(picture, EDGE_SIDE, EDGE_SIDE)[:, :, 0]
    down, across = np.gradient(light)
    strength = np.hypot(down, across)
    # directions without sense; level and upright edges are in the middle of their shares
    turns = np.arctan2(down, across) / np.pi * N_DIRECTIONS
    direction = np.floor(turns + 0.5).astype(np.int64) % N_DIRECTIONS
    cell = np.arange(EDGE_SIDE) * EDGE_GRID // EDGE_SIDE
    places = (cell[:, None] * EDGE_GRID + cell[None, :]) * N_DIRECTIONS + direction
    sums = np.bincount(places.ravel(), weights=strength.ravel(), minlength=EDGE_GRID**2 * N_DIRECTIONS)
    shares: FloatArray = np.sqrt(sums / (sums.sum() + 1e-9))
    return shares
