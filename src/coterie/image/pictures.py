"""Pictures from arrays and files, and back: every kind becomes red, green and blue of 8 bits."""

from __future__ import annotations

import io
import os
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from coterie._support.files import atomic_path, check_output
from coterie._support.optional import require
from coterie._support.typing import AnyArray, MatrixLike, PillowImage
from coterie._support.validation import Whole, check_parameter, require_memory
from coterie.data.files.source import read_content
from coterie.errors import CoterieError, InvalidData, InvalidFile, InvalidParameter, did_you_mean

MAX_PIXELS = 100_000_000  # of a picture; a file of some kilobytes can promise far more
BYTES_PER_PIXEL = 12  # while it is decoded and turned
# Formats that are decoded by libraries alone: Pillow would hand PostScript to a program. Icons are not among
# them: one of 16 x 16 pixels may hold a PNG of any size, which Pillow decodes before the size can be checked.
FORMATS = ("PNG", "JPEG", "MPO", "GIF", "BMP", "DIB", "TIFF", "WEBP", "PPM", "AVIF", "JPEG2000", "TGA")
SUFFIXES = (
    ".png", ".jpg", ".jpeg", ".gif", ".bmp", ".tif", ".tiff", ".webp", ".ppm", ".pgm", ".avif",
    ".jp2", ".tga",
)  # fmt: skip
EXACT_SUFFIXES = (".png", ".tif", ".tiff", ".bmp")  # formats that keep every pixel
PICTURE_SUFFIXES = (*EXACT_SUFFIXES, ".jpg", ".jpeg", ".webp")
WIDE_MODES = ("I;16", "I;16L", "I;16B", "I;16N", "I")
_PILLOW_LIMIT = threading.Lock()


@dataclass(frozen=True, eq=False)
class Picture:
    """A picture in memory.

    Parameters
    ----------
    pixels : array of uint8 of shape (height, width, 3)
        Red, green and blue (sRGB).
    alpha : array of uint8 of shape (height, width) or None
        How opaque each pixel is; None: all are.
    is_grey : bool
        Whether it came as grey.
    source : str
        What it is called.
    notes : tuple of str
        What had to be decided.
    """

    pixels: AnyArray
    alpha: AnyArray | None = None
    is_grey: bool = False
    source: str = "the image"
    notes: tuple[str, ...] = ()

    @property
    def shape(self) -> tuple[int, int]:
        """Height and width."""
        return self.pixels.shape[0], self.pixels.shape[1]

    def as_given(self, pixels: AnyArray) -> AnyArray:
        """Return other pixels of the same picture in the shape it came in: grey, with alpha, or neither."""
        if self.alpha is None:
            return pixels[:, :, 0] if self.is_grey else pixels
        return np.dstack([pixels, self.alpha])

    def over_white(self) -> AnyArray:
        """Return the pixels as they look on white paper."""
        if self.alpha is None:
            return self.pixels
        share = self.alpha[:, :, None].astype(np.uint32)
        mixed = (self.pixels * share + 255 * (255 - share) + 127) // 255
        return mixed.astype(np.uint8)


def read_picture(
    image: MatrixLike,
    *,
    max_pixels: int = MAX_PIXELS,
    who: str = "read_picture",
    at_least: int | None = None,
) -> Picture:
    """Return a picture from a file, an address, an array, or an image of Pillow.

    Parameters
    ----------
    image : str, path, array-like or PIL.Image.Image
        A file (PNG, JPEG, TIFF, WebP, GIF, BMP and others), or numbers of shape (height, width), (height,
        width, 3) or (height, width, 4): bytes, 16-bit numbers, or numbers from 0 to 1.
    max_pixels : int, default=100_000_000
        Larger pictures are refused before they are decoded.
    who : str
        What is read for, in messages.
    at_least : int, default=None
        If given, a JPEG may be decoded at a fraction of its size, as long as it stays this wide and high.

    Returns
    -------
    Picture

    Examples
    --------
    >>> read_picture([[0.0, 0.5], [1.0, 1.0]]).pixels[:, :, 0].tolist()
    [[0, 128], [255, 255]]
    """
    check_parameter(max_pixels, Whole(1), name="max_pixels", who=who)
    if isinstance(image, Picture):
        return image
    if isinstance(image, str | os.PathLike):
        return _read_file(image, int(max_pixels), at_least)
    if type(image).__module__.startswith("PIL."):
        opened: Any = image
        _check_pixels("the image", opened.size, int(max_pixels))
        return _of_pillow(opened, "the image")
    return _of_array(image, who, int(max_pixels))


def _of_array(image: MatrixLike, who: str, max_pixels: int) -> Picture:
    given = np.asarray(image)
    is_shape = given.ndim in (2, 3) and given.size > 0 and (given.ndim == 2 or given.shape[2] in (1, 3, 4))
    if not is_shape or given.dtype.kind not in "buif":
        raise _not_an_image(who, f"{given.dtype} of shape {given.shape}")
    _check_pixels("the image", (given.shape[1], given.shape[0]), max_pixels)
    values = _as_bytes(given, who)
    if values.ndim == 2 or values.shape[2] == 1:
        flat = values.reshape(values.shape[:2])
        return Picture(np.repeat(flat[:, :, None], 3, axis=2), is_grey=True)
    alpha = np.ascontiguousarray(values[:, :, 3]) if values.shape[2] == 4 else None
    return Picture(np.ascontiguousarray(values[:, :, :3]), alpha)


def _as_bytes(given: AnyArray, who: str) -> AnyArray:
    if given.dtype == np.uint8:
        return given
    if given.dtype == np.uint16:
        return ((given.astype(np.uint32) + 128) // 257).astype(np.uint8)
    if given.dtype.kind == "b":
        return np.where(given, np.uint8(255), np.uint8(0))
    most = 255 if given.dtype.kind in "iu" else 1
    least, largest = given.min(), given.max()
    if not (least >= 0 and largest <= most):
        raise _not_an_image(who, f"{given.dtype} from {least} to {largest}")
    return given.astype(np.uint8) if most == 255 else np.rint(given.astype(np.float64) * 255).astype(np.uint8)


def _not_an_image(who: str, got: str) -> InvalidData:
    return InvalidData(
        f"image of {who} must be a file, or have the shape (height, width), (height, width, 3) or (height, "
        f"width, 4) and hold bytes, 16-bit numbers, or numbers from 0 to 1, got {got}."
    )


def _check_pixels(name: str, size: tuple[int, int], max_pixels: int) -> None:
    n_pixels = size[0] * size[1]
    what = f"{size[0]:,} x {size[1]:,} pixels"
    if n_pixels > max_pixels:
        text = f"{name}: has {what}, more than the limit of {max_pixels:,}."
        raise InvalidFile(f"{text} Use max_pixels={n_pixels} if you trust it.").in_shell(
            f"{text} Use --max-pixels {n_pixels} if you trust it."
        )
    require_memory(BYTES_PER_PIXEL * n_pixels, f"{name} of {what}", "Make it smaller first.")


def pillow(purpose: str = "Reading and writing pictures") -> ModuleType:
    """Return ``PIL.Image``, or say which extra brings it."""
    return require("PIL.Image", extra="images", purpose=purpose)


def _read_file(where: str | os.PathLike[str], max_pixels: int, at_least: int | None) -> Picture:
    module = pillow()
    name, content = read_content(where)
    if len(content) == 0:
        raise InvalidFile(f"{name}: the file is empty.")
    module.init()
    known = [kind for kind in FORMATS if kind in module.OPEN]
    with _in_words(name), _opened(module, content, known) as image:
        _check_pixels(name, image.size, max_pixels)
        n_frames = int(getattr(image, "n_frames", 1))
        if at_least is not None:
            image.draft(None, (at_least, at_least))
        picture = _of_pillow(_upright(image), name)
    if n_frames > 1 and image.format != "MPO":  # a camera's MPO holds previews of the one picture
        note = f"{name} has {n_frames:,} frames; the first is used"
        return Picture(picture.pixels, picture.alpha, picture.is_grey, name, (note,))
    return picture


@contextmanager
def _opened(module: Any, content: Any, formats: list[str]) -> Iterator[Any]:
    """Open a picture under our limit: Pillow's is one for the whole process, and cannot be raised for one."""
    with _PILLOW_LIMIT:
        before, module.MAX_IMAGE_PIXELS = module.MAX_IMAGE_PIXELS, None
        try:
            with module.open(io.BytesIO(content), formats=formats) as image:
                yield image
        finally:
            module.MAX_IMAGE_PIXELS = before


@contextmanager
def _in_words(name: str) -> Iterator[None]:
    """Say that a file cannot be decoded, whatever its damage leads to."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # on odd tags; what matters is an error
            yield
    except CoterieError:
        raise
    except MemoryError:
        raise InvalidFile(f"{name}: needs more memory than there is to be decoded.") from None
    except Exception as error:
        unknown = type(error).__name__ == "UnidentifiedImageError"
        told = str(error).partition("(")[0].strip() if isinstance(error, OSError) and not unknown else ""
        problem = f" ({told})" if told else ""
        kind = "not a picture of a known format" if unknown else "a damaged or cut-off picture"
        raise InvalidFile(
            f"{name}: {kind}{problem}. Formats: PNG, JPEG, TIFF, WebP, GIF, BMP, PPM, AVIF, JPEG 2000."
        ) from None


def _upright(image: Any) -> Any:
    """Return the image turned as its EXIF orientation says; damaged EXIF turns nothing."""
    operations = require("PIL.ImageOps", extra="images", purpose="Reading pictures")
    image.load()
    try:
        return operations.exif_transpose(image)
    except Exception:  # the pixels are sound, only what is told about them is not
        return image


def _of_pillow(image: PillowImage, name: str) -> Picture:
    image.load()
    mode: str = image.mode
    if mode in WIDE_MODES:
        wide = np.asarray(image).astype(np.int64)
        if wide.min() < 0 or wide.max() > 65535:
            raise InvalidFile(f"{name}: has numbers from {wide.min()} to {wide.max()}; 16 bits are read.")
        is_narrow = mode == "I" and wide.max() <= 255
        values = wide.astype(np.uint8 if is_narrow else np.uint16)
        made = _of_array(values, "read_picture", values.size)
        return Picture(made.pixels, None, True, name)
    if mode == "F":
        raise InvalidFile(f"{name}: has floating-point pixels of unknown range. Scale them to bytes first.")
    if mode in ("L", "1"):
        grey = np.asarray(image.convert("L"))
        return Picture(np.repeat(grey[:, :, None], 3, axis=2), None, True, name)
    if mode in ("RGBA", "LA", "La", "PA", "RGBa") or "transparency" in image.info:
        values = np.array(image.convert("RGBA"))
        is_grey = mode in ("LA", "La")
        alpha = np.ascontiguousarray(values[:, :, 3])
        pixels = np.ascontiguousarray(values[:, :, :3])
        is_opaque = bool((alpha == 255).all())
        return Picture(pixels, None if is_opaque else alpha, is_grey and is_opaque, name)
    # CMYK, YCbCr, LAB, HSV and palettes too; embedded colour profiles are not applied
    return Picture(np.array(image.convert("RGB")), None, False, name)


def check_picture_output(path: str | os.PathLike[str], *, force: bool = False, exact: bool = False) -> Path:
    """Refuse, before any work, a picture that could not be written; `exact`: every pixel must be kept."""
    target = check_output(path, force=force)
    suffixes = EXACT_SUFFIXES if exact else PICTURE_SUFFIXES
    if target.suffix.lower() not in suffixes:
        why = (
            " (JPEG and WebP would change colours)"
            if exact and target.suffix.lower() in PICTURE_SUFFIXES
            else ""
        )
        raise InvalidParameter(
            f"{target}: the name must end in one of {', '.join(suffixes)}{why}, got "
            f"{target.suffix or 'no ending'}.{did_you_mean(target.suffix, suffixes)}"
        )
    pillow("Writing pictures")
    return target


def write_picture(
    pixels: MatrixLike,
    path: str | os.PathLike[str],
    *,
    palette: AnyArray | None = None,
    force: bool = False,
) -> None:
    """Write pixels in the format of the file's ending.

    Parameters
    ----------
    pixels : array of uint8 or uint16
        Shape (height, width), (height, width, 3) or (height, width, 4); numbers of colours with `palette`.
    path : str or path
        Where to: .png, .tif or .bmp keep every pixel, .jpg and .webp do not.
    palette : array of uint8 of shape (n_colours, 3), default=None
        Colours of the numbers, at most 256.
    force : bool, default=False
        Whether an existing file may be replaced.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "grey.png"
    >>> write_picture(np.array([[0, 255]], dtype=np.uint8), path)
    >>> read_picture(path).pixels[0, :, 0].tolist()
    [0, 255]
    """
    target = check_picture_output(path, force=force)
    module = pillow("Writing pictures")
    image = module.fromarray(np.ascontiguousarray(pixels))
    kind = module.registered_extensions()[target.suffix.lower()]
    if palette is not None:
        image.putpalette(np.asarray(palette, dtype=np.uint8).tobytes())
    if kind in ("JPEG", "BMP") and image.mode in ("RGBA", "P"):
        image = image.convert("RGB")
    how = {"quality": 92} if kind in ("JPEG", "WEBP") else {}
    with atomic_path(path, force=force) as temporary, temporary.open("wb") as file:
        image.save(file, format=kind, **how)
