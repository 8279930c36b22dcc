"""Contact sheets: the pictures of each group side by side, typical ones first."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from coterie._printing import count_of
from coterie._support.optional import require
from coterie._support.typing import AnyArray, FloatArray, Labels, MatrixLike, RandomState, VectorLike
from coterie._support.validation import Nothing, Whole, check_data, check_n_clusters, check_parameter
from coterie.cluster import KMeans
from coterie.data.labels import CLUSTER_NAMES, choose_label_column, label_values, read_labels_table
from coterie.errors import InvalidData, InvalidParameter
from coterie.image.features import PictureFeatures, find_pictures
from coterie.image.pictures import MAX_PIXELS, Picture, pillow, read_picture

SIDE, COLUMNS, MOST = 96, 10, 30
GAP, HEADING = 4, 22
PAPER, INK, FAINT = (255, 255, 255), (34, 34, 34), (120, 120, 120)
NAMES_OF_FILES = ("file", "name", "path", "picture", "image", "filename")
NOISE = -1
LONGEST_TITLE = 40
MOST_SHEET_PIXELS = 200_000_000


def group_pictures(
    features: PictureFeatures, n_clusters: int, *, random_state: RandomState = 0
) -> tuple[Labels, FloatArray]:
    """Group pictures by k-means of their features; return the group of each and its distance to the centre.

    To find the number of groups, or to use another method, hand ``features.X`` to `coterie.fit`.

    Parameters
    ----------
    features : PictureFeatures
        From `picture_features`.
    n_clusters : int
        How many groups.
    random_state : int, RandomState, Generator or None, default=0
        Seed of k-means.

    Examples
    --------
    >>> import numpy as np
    >>> from coterie.image import picture_features
    >>> found = picture_features([np.full((4, 4), value) for value in (0.0, 0.1, 0.9, 1.0, 1.0)])
    >>> group_pictures(found, 2)[0].tolist()
    [1, 1, 0, 0, 0]
    """
    check_parameter(n_clusters, Whole(1), name="n_clusters", who="group_pictures")
    check_n_clusters(n_clusters, len(features.X), who="group_pictures")
    model = KMeans(n_clusters, random_state=random_state).fit(features.X)
    order = np.argsort(-np.bincount(model.labels_, minlength=n_clusters), kind="stable")
    labels = np.argsort(order)[model.labels_]
    return labels, distances_to_centres(features.X, labels)


def distances_to_centres(X: FloatArray, labels: Labels) -> FloatArray:
    """Return how far each row is from the mean of its group: small is typical."""
    apart = np.empty(len(X))
    for label in np.unique(labels):
        own = labels == label
        apart[own] = ((X[own] - X[own].mean(axis=0)) ** 2).sum(axis=1)
    return np.sqrt(apart)


def match_labels(
    where: str | os.PathLike[str], names: Sequence[str], *, column: str | None = None
) -> tuple[AnyArray, tuple[str, ...]]:
    r"""Read the group of each picture from a table.

    Parameters
    ----------
    where : str or path
        A table with a column of files (named file, name, path or picture) and one of labels, as ``coterie fit
        features.csv -o labels.csv`` writes it. Without: one row per picture, in their order.
    names : list of str
        What the pictures are called. A table may name them with or without folders.
    column : str, default=None
        Column of the labels; None looks for a usual name.

    Returns
    -------
    labels : array of int
        0 .. k - 1 in the order of the labels; -1 for noise (label -1), and for pictures without a label.
    titles : tuple of str
        What each group is called.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "labels.csv"
    >>> _ = path.write_text("file,label\nb.png,1\na.png,0\n")
    >>> match_labels(path, ["a.png", "b.png"])
    (array([0, 1]), ('group 1', 'group 2'))
    """
    table = read_labels_table(where, None, None)
    key = next((name for name in NAMES_OF_FILES if name in table.columns), None)
    taken = () if key is None else (key,)
    wanted = choose_label_column(table, column, CLUSTER_NAMES, taken=taken, option="--column")
    values = table.content[wanted]
    is_empty = values.is_null().to_numpy()
    if key is None:
        if table.n_rows != len(names):
            raise InvalidData(
                f"{table.source}: has {table.n_rows:,} rows for {len(names):,} pictures and no column of "
                f'files. Add a column "file".'
            )
        rows: list[int | None] = list(range(len(names)))
    else:
        rows = _rows_of(names, [str(value) for value in table.content[key].to_list()], table.source)
    found = label_values(values.fill_null(NOISE) if values.dtype.is_numeric() else values.fill_null(""))
    chosen = [None if at is None or is_empty[at] else found[at] for at in rows]
    return _numbered(chosen)


def _rows_of(names: Sequence[str], files: list[str], source: str) -> list[int | None]:
    """Return the row of each picture: by its path, or by its last part where that is enough."""
    by_path = {file.replace("\\", "/").lstrip("./"): at for at, file in enumerate(files)}
    by_name: dict[str, int | None] = {}
    for path, at in by_path.items():
        last = path.rpartition("/")[2]
        by_name[last] = None if last in by_name else at
    rows = [by_path.get(name, by_name.get(name.rpartition("/")[2])) for name in names]
    if all(at is None for at in rows):
        raise InvalidData(
            f'{source}: none of its files is among the pictures. It names "{files[0] if files else ""}", '
            f'the first picture is "{names[0]}".'
        )
    return rows


def _numbered(chosen: list[Any]) -> tuple[Labels, tuple[str, ...]]:
    present = [value for value in chosen if value is not None and value != NOISE and value == value]
    distinct = sorted(set(present), key=lambda value: (isinstance(value, str), value))
    if not distinct:
        raise InvalidData("no picture has a label.")
    number = {value: at for at, value in enumerate(distinct)}
    are_numbers = all(not isinstance(value, str) and float(value).is_integer() for value in distinct)
    titles = tuple(f"group {int(value) + 1}" if are_numbers else str(value) for value in distinct)
    labels = np.array([number.get(value, NOISE) if value is not None else NOISE for value in chosen])
    return labels, titles


def contact_sheet(
    pictures: str | os.PathLike[str] | Sequence[MatrixLike],
    labels: VectorLike,
    *,
    features: MatrixLike | None = None,
    titles: Sequence[str] | None = None,
    columns: int = COLUMNS,
    side: int = SIDE,
    most: int | None = MOST,
    max_pixels: int = MAX_PIXELS,
) -> AnyArray:
    """Draw the pictures of each group side by side, the largest group first, then pictures without a group.

    Parameters
    ----------
    pictures : str, path or list
        A folder, a pattern, or a list of files and arrays.
    labels : array of int of shape (n_pictures,)
        Group of each picture, 0 .. k - 1; -1: none.
    features : array of shape (n_pictures, n_columns), default=None
        What groups were made of: pictures near the mean of their group come first. None: in their order.
    titles : list of str, default=None
        What each group is called; None: group 1, group 2 ...
    columns : int, default=10
        Pictures in a row.
    side : int, default=96
        Pixels of the longer side of each.
    most : int or None, default=30
        Pictures of each group that are shown; None: all.
    max_pixels : int, default=100_000_000
        Larger pictures are refused.

    Returns
    -------
    array of uint8 of shape (height, width, 3)

    Examples
    --------
    >>> import numpy as np
    >>> contact_sheet([np.zeros((9, 9)), np.ones((9, 9))], [0, 1], columns=2, side=20).shape
    (96, 52, 3)
    """
    for name, value, rule in (
        ("columns", columns, Whole(1)),
        ("side", side, Whole(8)),
        ("most", most, Whole(1) | Nothing()),
    ):
        check_parameter(value, rule, name=name, who="contact_sheet")
    given = find_pictures(pictures)[0] if isinstance(pictures, str | os.PathLike) else list(pictures)
    codes = _check_labels(labels, len(given))
    k = int(codes.max()) + 1
    named = [f"group {at + 1}" for at in range(k)] if titles is None else list(titles)
    if len(named) < k:
        raise InvalidParameter(f"titles of contact_sheet must name {k} groups, got {len(named)}.")
    apart = np.zeros(len(given)) if features is None else _check_features(features, codes)
    parts = []
    sizes = np.bincount(codes[codes >= 0], minlength=k)
    for label in [*np.argsort(-sizes, kind="stable").tolist(), NOISE]:
        own = np.flatnonzero(codes == label)
        if len(own):
            own = own[np.argsort(apart[own], kind="stable")]
            parts.append((named[label] if label >= 0 else "no group", own))
    return _draw(given, parts, int(columns), int(side), most, max_pixels)


def _check_labels(labels: VectorLike, n: int) -> Labels:
    codes = np.asarray(labels)
    if codes.shape != (n,) or n == 0 or codes.dtype.kind not in "iu":
        raise InvalidData(
            f"labels of contact_sheet must be {n:,} whole numbers, one per picture, got {codes.dtype} of "
            f"shape {codes.shape}."
        )
    if codes.min() < NOISE or codes.max() >= n:
        raise InvalidData(
            f"labels of contact_sheet must be 0 .. k - 1, or -1 for none, got {codes.min()} to {codes.max()}."
        )
    return codes.astype(np.int64)


def _check_features(features: MatrixLike, labels: Labels) -> FloatArray:
    X = check_data(features, who="contact_sheet", name="features")
    if len(X) != len(labels):
        raise InvalidData(f"features of contact_sheet must have {len(labels):,} rows, got {len(X):,}.")
    return distances_to_centres(X, labels)


def _draw(
    given: list[Any],
    parts: list[tuple[str, AnyArray]],
    columns: int,
    side: int,
    most: int | None,
    max_pixels: int,
) -> AnyArray:
    pillow("Drawing contact sheets")
    drawing = require("PIL.ImageDraw", extra="images", purpose="Drawing contact sheets")
    fonts = require("PIL.ImageFont", extra="images", purpose="Drawing contact sheets")
    image_of = pillow()
    cell = side + GAP
    shown_of = [own if most is None else own[:most] for _, own in parts]
    heights = [HEADING + -(-len(own) // columns) * cell for own in shown_of]
    width, height = GAP + columns * cell, GAP + sum(heights)
    if width * height > MOST_SHEET_PIXELS:
        text = f"the sheet would have {width:,} x {height:,} pixels. Use a smaller"
        raise InvalidParameter(f"{text} side or most.").in_shell(f"{text} --side or --most.")
    sheet = image_of.new("RGB", (width, height), PAPER)
    pen, font, top = drawing.Draw(sheet), fonts.load_default(), GAP
    for (title, own), seen, rows in zip(parts, shown_of, heights, strict=True):
        more = f", {len(seen):,} shown" if len(seen) < len(own) else ""
        count = f"{count_of(len(own), 'picture')}{more}"
        label = f"{title[:LONGEST_TITLE]}   "
        pen.text((GAP, top + 4), label, fill=INK, font=font)
        pen.text((GAP + pen.textlength(label, font=font), top + 4), count, fill=FAINT, font=font)
        for place, at in enumerate(seen.tolist()):
            picture = read_picture(given[at], max_pixels=max_pixels, who="contact_sheet", at_least=side)
            small = image_of.fromarray(_shrunk(picture, side, image_of))
            x = GAP + place % columns * cell + (side - small.width) // 2
            y = top + HEADING + place // columns * cell + (side - small.height) // 2
            sheet.paste(small, (x, y))
        top += rows
    return np.asarray(sheet)


def _shrunk(picture: Picture, side: int, image_of: Any) -> AnyArray:
    """Return a picture whose longer side is `side` pixels; small ones grow in whole steps, pixel by pixel."""
    pixels = picture.over_white()
    height, width = picture.shape
    if max(height, width) <= side:
        times = side // max(height, width)
        return np.repeat(np.repeat(pixels, times, axis=0), times, axis=1)
    share = side / max(height, width)
    size = max(1, round(width * share)), max(1, round(height * share))
    return np.asarray(image_of.fromarray(pixels).resize(size, image_of.Resampling.BOX, reducing_gap=2.0))
