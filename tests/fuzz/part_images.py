"""Pictures: odd arrays, files of every kind that are damaged, colours, superpixels and regions."""

from __future__ import annotations

import io
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from coterie.image import contact_sheet, picture_features, quantise, read_picture, segment, slic
from tests.fuzz.case import Case, Draw, expect
from tests.fuzz.checks import check_same
from tests.fuzz.mutate import mutated_bytes
from tests.fuzz.values import draw_wild

KINDS = ("PNG", "JPEG", "TIFF", "WEBP", "GIF", "BMP", "PPM", "ICO", "TGA", "JPEG2000")
MODES = ("L", "RGB", "RGBA", "P", "1", "LA", "CMYK", "I;16")
WAYS = ({}, {}, {"compression": "tiff_lzw"}, {"progressive": True}, {"interlace": 1}, {"lossless": True})
LIMIT = 100_000  # pixels: damage to a header may promise any number


def run(case: Case) -> None:
    """Read a file, or hand an array to one of the functions."""
    case.draw.choice([_file, _file, _array, _array, _array])(case)


def draw_array(draw: Draw) -> tuple[Any, str]:
    """Return pixels in one of the shapes and types that pictures come in, some of them wrong."""
    height, width = draw.choice([1, 2, 3, 17, 40]), draw.choice([1, 2, 5, 23, 60])
    shape = draw.choice([(height, width), (height, width, 3), (height, width, 3), (height, width, 4)])
    if draw.chance(0.1):
        shape = draw.choice([(), (0, 3), (4,), (3, 3, 2), (2, 2, 2, 3), (height, width, 1), (5, 0, 3)])
    steps = draw.choice([1, 2, 7, 256])
    values = draw.random.integers(0, steps, shape) * (255 // max(steps - 1, 1))
    kind = draw.choice(["u1", "u1", "u1", "u2", "i8", "f8", "f4", "f2", "?", "lists", "c16", "O", "U3"])
    words = f"{shape} of {steps} values as {kind}"
    if kind == "lists":
        return values.tolist(), words
    if kind in ("f8", "f4", "f2"):
        values = values / 255
        if draw.chance(0.2) and values.size:
            values.flat[0] = draw.choice([np.nan, np.inf, -0.1, 1.1, 1e300])
            words += f" with {values.flat[0]}"
    elif kind == "i8" and draw.chance(0.2) and values.size:
        values.flat[0] = draw.choice([-1, 256, 2**62])
    with np.errstate(all="ignore"):
        return values.astype(kind), words


def _array(case: Case) -> None:
    draw = case.draw
    image, words = draw_array(draw)
    what = draw.choice(["quantise", "slic", "segment", "features", "sheet"])
    wild = draw_wild(draw) if draw.chance(0.15) else None
    number = wild if wild is not None else draw.choice([1, 2, 3, 8, 40])
    space = draw.choice(["cielab", "oklab", "rgb"])
    more: dict[str, Any] = {"space": space, "random_state": draw.seed()}
    if what == "quantise":
        more["dither"] = draw.chance(0.4)
    if what == "segment":
        more["method"] = draw.choice(["merge", "merge", "spectral", "slic"])
        more |= draw.choice([{}, {"n_superpixels": draw.choice([1, 5, 60])}, {"compactness": 1e-300}])
        if draw.chance(0.3):
            number = None
            more |= draw.choice([{}, {"share": 0.05}, {"threshold": 5.0}, {"threshold": 1e300}])
    label = f"{what}({words}, {number!r}, {more})"
    answers = [
        case.attempt(label, lambda threads=threads: _answer(what, image, number, more, threads))
        for threads in (2, 1)
    ]
    check_same(*answers, f"{what}: another answer with one thread")
    labels = answers[0].get("labels")
    if labels is not None:
        n = answers[0]["n"]
        shape = np.asarray(image).shape[:2]
        expect(labels.shape == shape, f"{what}: labels of another shape", f"{labels.shape} {label}")
        expect(labels.min() >= 0 and labels.max() < n, f"{what}: a label that is not there", label)
        if what != "quantise":  # diffusion may leave a colour unused
            expect(len(np.unique(labels)) == n, f"{what}: an empty region", label)


def _answer(what: str, image: Any, number: Any, more: dict[str, Any], threads: int) -> dict[str, Any]:
    if what == "quantise":
        found = quantise(image, number, n_jobs=threads, **more)
        return {"labels": found.labels, "n": found.k, "palette": found.palette, "shares": found.shares}
    if what == "slic":
        pixels = slic(image, number, space=more["space"], n_jobs=threads)
        return {"labels": pixels.labels, "n": pixels.n, "colours": pixels.colours}
    if what == "segment":
        regions = segment(image, number, n_jobs=threads, **more)
        return {"labels": regions.labels, "n": regions.k, "colours": regions.colours}
    if what == "features":
        return {"X": picture_features([image, image], "edges" if repr(number) == "1" else "layout").X}
    return {"sheet": contact_sheet([image] * 3, [0, 1, 0], side=9, columns=number)}


def _file(case: Case) -> None:
    draw = case.draw
    mode = draw.choice(MODES)
    bits = 65_536 if mode == "I;16" else 256
    n_bands = {"RGB": 3, "RGBA": 4, "LA": 2, "CMYK": 4}.get(mode, 1)
    side = draw.choice([(1, 1), (7, 5), (33, 20)])
    values = draw.random.integers(0, bits, (*side, n_bands)).astype(np.uint16 if bits > 256 else np.uint8)
    band = values[:, :, 0] if n_bands == 1 else values
    image = Image.fromarray(band) if mode not in ("P", "1", "CMYK") else Image.fromarray(values[:, :, 0])
    image = Image.frombytes("CMYK", side[::-1], values.tobytes()) if mode == "CMYK" else image
    image = image.convert(mode) if mode in ("P", "1") else image
    content = _saved(draw, image)
    damaged = mutated_bytes(draw, content) if draw.chance(0.85) else content
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "picture.bin"
        path.write_bytes(damaged)
        picture = case.attempt(f"a damaged file of {mode}", lambda: read_picture(path, max_pixels=LIMIT))
    expect(picture.pixels.dtype == np.uint8 and picture.pixels.ndim == 3, "read_picture: no picture", mode)
    expect(picture.alpha is None or picture.alpha.shape == picture.shape, "read_picture: another alpha", mode)


def _saved(draw: Draw, image: Image.Image) -> bytes:
    """Return the file of a picture in a format that takes it."""
    kinds = draw.some(KINDS, len(KINDS))
    for kind in [*kinds, "TIFF"]:
        stream = io.BytesIO()
        try:
            image.save(stream, kind, **draw.choice(WAYS))
        except (OSError, ValueError, KeyError, TypeError, SystemError):
            continue
        return stream.getvalue()
    return b""
