"""Images that ``coterie plot`` divides into segments."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from coterie._support.optional import require
from coterie._support.typing import FloatArray
from coterie.cli.plot_subject import PlotRequest
from coterie.errors import InvalidFile, MissingFile

MOST_SEGMENTS = 10  # compared, where -k does not say how many
MOST_PIXELS = 4_000  # by which they are compared


@dataclass(frozen=True)
class ImageSubject:
    """An image file to be segmented: pixels from 0 to 1 in red, green and blue."""

    request: PlotRequest
    pixels: FloatArray

    @property
    def k(self) -> int:
        """The number of segments asked for, or the knee of the distortion of some pixels."""
        from coterie.select import choose_k

        asked = self.request
        if asked.k is not None:
            return asked.k
        pixels = self.pixels.reshape(-1, 3)
        rng = np.random.default_rng(asked.seed)
        some = rng.choice(len(pixels), min(len(pixels), MOST_PIXELS), replace=False)
        most = min(MOST_SEGMENTS, len(np.unique(pixels[some], axis=0)))
        if most < 3:
            return most
        evidence = choose_k(
            pixels[np.sort(some)], k=range(1, most + 1), criteria=["elbow"], random_state=asked.seed
        )
        print(f"{evidence.k} segments, the knee of the distortion; -k N draws another number")
        return int(evidence.k)


def read_image(path: str) -> FloatArray:
    """Return the pixels of an image file, from 0 to 1."""
    pillow: Any = require("PIL.Image", extra="plot", purpose="Reading images")
    if not Path(path).is_file():
        raise MissingFile(f"{path}: no such file.")
    try:
        with pillow.open(path) as image:
            return np.asarray(image.convert("RGB"), dtype=np.float64) / 255
    except (OSError, ValueError) as error:
        raise InvalidFile(f"{path}: is not an image that can be read ({error}).") from error
