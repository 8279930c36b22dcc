"""Pictures with known segments, and how well superpixels follow them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
WITHIN = 2  # pixels, by which a border may be missed


def make_scene(
    seed: int, height: int = 240, width: int = 320, *, noise: float = 8.0, regions: int = 14
) -> tuple[Array, Array]:
    """Make a picture of cells and discs with slopes of colour, blur and noise; return it and its truth."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[:height, :width].astype(float)
    sites = rng.uniform(0, 1, (regions, 2)) * [height, width]
    bent = x + 6 * np.sin(y / 17), y + 6 * np.sin(x / 23)
    truth = ((bent[1][..., None] - sites[:, 0]) ** 2 + (bent[0][..., None] - sites[:, 1]) ** 2).argmin(axis=2)
    for at in range(4):
        cy, cx, r = rng.uniform(0, height), rng.uniform(0, width), rng.uniform(0.06, 0.16) * height
        truth[(y - cy) ** 2 + (x - cx) ** 2 < r * r] = regions + at
    colours = rng.uniform(30, 225, (regions + 4, 3))
    slope = rng.normal(0, 12, (regions + 4, 3))
    picture = colours[truth] + slope[truth] * (x / width + y / height - 1)[..., None]
    soft = (picture + np.roll(picture, 1, 0) + np.roll(picture, 1, 1) + np.roll(picture, (1, 1), (0, 1))) / 4
    soft[0], soft[:, 0] = picture[0], picture[:, 0]
    return np.clip(soft + rng.normal(0, noise, soft.shape), 0, 255).astype(np.uint8), truth


def borders(labels: Array) -> Array:
    """Return pixels beside another label."""
    found = np.zeros(labels.shape, dtype=bool)
    across, down = labels[:, 1:] != labels[:, :-1], labels[1:] != labels[:-1]
    found[:, 1:] |= across
    found[:, :-1] |= across
    found[1:] |= down
    found[:-1] |= down
    return found


def boundary_recall(labels: Array, truth: Array) -> float:
    """Return the share of the true borders that have a border of the segments within two pixels."""
    near = np.pad(borders(labels), WITHIN)
    steps = range(2 * WITHIN + 1)
    grown = np.zeros(truth.shape, dtype=bool)
    for dy in steps:
        for dx in steps:
            grown |= near[dy : dy + truth.shape[0], dx : dx + truth.shape[1]]
    wanted = borders(truth)
    return float(grown[wanted].mean())


def undersegmentation(labels: Array, truth: Array) -> float:
    """Return the share of pixels that lie outside of the region that has most of their segment."""
    n = int(truth.max()) + 1
    table = np.bincount(labels.ravel().astype(np.int64) * n + truth.ravel(), minlength=(labels.max() + 1) * n)
    return float(1 - table.reshape(-1, n).max(axis=1).sum() / truth.size)
