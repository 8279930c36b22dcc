"""The sets of ``python -m benchmarks.auto``: ten published ones, generated ones, real ones, and nulls."""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sklearn import datasets

from benchmarks.data import ROOT, DataMissingError

SIPU = ("s1", "s2", "a1", "d31", "r15", "unbalance", "aggregation", "flame", "jain", "spiral")
REAL = ("iris", "wine", "breast_cancer", "digits")
NULLS = ("box", "gauss", "t", "line", "disc")
SIZES = (300, 500, 800, 1_200, 2_000, 3_000)
DIMENSIONS = (2, 3, 4, 5, 7, 10)
# rows, groups, columns, distance of the nearest two centres in standard deviations
BLOBS = (
    (200, 3, 2, 5.0), (500, 4, 2, 4.5), (900, 7, 2, 6.0), (300, 3, 5, 5.0), (800, 6, 5, 5.0),
    (250, 3, 10, 5.0), (1_000, 5, 10, 5.0), (400, 4, 25, 6.0), (1_200, 8, 25, 6.0), (1_000, 10, 50, 7.0),
)  # fmt: skip
SHAPES = ("t", "box", "turned", "spreads", "sheared", "units", "noise columns", "sizes")
SHAPED = ((500, 3, 2, 5.5), (900, 5, 8, 6.0), (700, 4, 20, 6.5))

Sets = Iterator[tuple[str, Any, Any]]


def sipu(folder: Path) -> Sets:
    """Yield the ten sets with known groups; -1 in the labels is noise, which counts as a group of its own."""
    for name in SIPU:
        with (
            gzip.open(folder / f"{name}.data.gz") as data,
            gzip.open(folder / f"{name}.labels0.gz") as labels,
        ):
            yield name, np.loadtxt(data), np.loadtxt(labels).astype(int) - 1


def published(folders: Sequence[Path] = ()) -> Sets:
    """Yield all published sets of some folders; of none, of ``COTERIE_SETS`` or ``../shared/data``."""
    data = ROOT.parent / "shared" / "data"
    named = os.environ.get("COTERIE_SETS", "").split(os.pathsep)
    folders = folders or [Path(name) for name in named if name] or [data / "sipu", data / "shapes"]
    for folder in folders:
        if not any((*folder.glob("*.npz"), *folder.glob("*.data.gz"))):
            raise DataMissingError(f"no sets in {folder}; set COTERIE_SETS to the folders that have them")
        yield from arrays(folder) if any(folder.glob("*.npz")) else sipu(folder)


def arrays(folder: Path) -> Sets:
    """Yield the sets of a folder of ``*.npz``; -1 in the labels is noise."""
    for path in sorted(folder.glob("*.npz")):
        with np.load(path) as found:
            yield path.stem, found["X"].astype(np.float64), found["y"].astype(int)


def blobs(seed: int) -> Sets:
    """Yield normal groups of one size, from few columns to many."""
    for at, (n, k, d, apart) in enumerate(BLOBS):
        X, y = groups(np.random.default_rng([seed, at]), n, k, d, apart)
        yield f"{n} x {d}, {apart:g} apart", X, y


def shapes(seed: int) -> Sets:
    """Yield groups with heavy tails, edges, directions, spreads, units, sizes of their own."""
    for at, shape in enumerate(SHAPES):
        for more, (n, k, d, apart) in enumerate(SHAPED):
            rng = np.random.default_rng([seed, 100 + at, more])
            yield f"{shape}, {n} x {d}", *groups(rng, n, k, d, apart, shape)


def curves(seed: int) -> Sets:
    """Yield moons and circles."""
    for n in (300, 1_000):
        for noise in (0.05, 0.08, 0.1):
            yield f"moons {n}, {noise}", *datasets.make_moons(n, noise=noise, random_state=seed)
        for noise, factor in ((0.05, 0.3), (0.05, 0.5), (0.08, 0.4)):
            made = datasets.make_circles(n, noise=noise, factor=factor, random_state=seed)
            yield f"circles {n}, {noise}, {factor}", *made


def toys() -> Sets:
    """Yield the toys of scikit-learn's gallery."""
    yield "densities", *datasets.make_blobs(900, centers=3, cluster_std=[1.0, 2.5, 0.5], random_state=170)
    yield "sizes", *datasets.make_blobs([700, 60, 40], centers=[[0, 0], [8, 0], [0, 8]], random_state=5)
    X, y = datasets.make_blobs(600, centers=3, random_state=170)
    yield "stretched", X @ [[0.6, -0.6], [-0.4, 0.8]], y
    for k, d in ((2, 2), (5, 3), (7, 5), (10, 10)):
        made = datasets.make_blobs(900, d, centers=k, center_box=(-12, 12), random_state=k)
        yield f"blobs {k} in {d}", *made


def real() -> Sets:
    """Yield the sets with classes that come with scikit-learn: classes, which need not be clusters."""
    for name in REAL:
        bunch = getattr(datasets, f"load_{name}")()
        yield name, bunch.data, bunch.target


def nulls(seed: int) -> Sets:
    """Yield thirty sets without groups."""
    rng = np.random.default_rng(seed)
    for at in range(30):
        kind, n, d = NULLS[at % 5], SIZES[(at // 5 + at) % 6], DIMENSIONS[at // 5]
        yield f"{kind} {n} x {d}", null(kind, n, d, rng), np.zeros(n, int)


def other_nulls(seed: int) -> Sets:
    """Yield sets without groups of fewer rows and more columns: rounded, skewed, curved, with gaps."""
    rng = np.random.default_rng([seed, 1])
    for kind in (*NULLS, "stars", "skewed", "sheet", "gaps", "low rank"):
        for n, d in ((100, 2), (100, 20), (600, 15), (1_500, 40)):
            yield f"{kind} {n} x {d}", null(kind, n, d, rng), np.zeros(n, int)


def null(kind: str, n: int, d: int, rng: Any) -> Any:
    """Return one set without groups."""
    if kind == "box":
        return rng.uniform(size=(n, d))
    if kind == "gauss":
        return rng.normal(size=(n, d)) @ rng.normal(size=(d, d))
    if kind == "t":
        return rng.normal(size=(n, d)) / np.sqrt(rng.chisquare(3, size=(n, 1)) / 3)
    if kind == "line":
        return rng.uniform(size=(n, 1)) @ rng.normal(size=(1, d)) + 0.01 * rng.normal(size=(n, d))
    if kind == "stars":
        return rng.integers(1, 6, (n, d)).astype(float)
    if kind == "skewed":
        return rng.exponential(size=(n, d))
    if kind == "sheet":
        u, v = rng.uniform(-1, 1, (2, n, 1))
        bends = u**2 * rng.uniform(0.3, 0.8, d - 1) + v * rng.uniform(0.3, 0.8, d - 1)
        return np.c_[u, bends] + 0.02 * rng.normal(size=(n, d))
    if kind == "low rank":
        rank = min(d, 4)
        return rng.normal(size=(n, rank)) @ rng.normal(size=(rank, d)) + 0.05 * rng.normal(size=(n, d))
    if kind == "gaps":
        X = null("gauss", n, d, rng)
        X[rng.random(X.shape) < 0.2] = np.nan
        return X
    X = rng.normal(size=(n, d))
    return X / np.linalg.norm(X, axis=1, keepdims=True) * rng.uniform(size=(n, 1)) ** (1 / d)


def groups(rng: Any, n: int, k: int, d: int, apart: float, shape: str = "") -> tuple[Any, Any]:
    """Return normal groups whose nearest two centres are so many standard deviations apart, then reshaped."""
    shares = rng.dirichlet(np.full(k, 1.5)) if shape == "sizes" else np.full(k, 1 / k)
    sizes = np.maximum((n * shares).astype(int), n // 25)
    rows = [_cloud(rng, size, d, shape) for size in sizes]
    X = np.concatenate(
        [own + centre for own, centre in zip(rows, centres_apart(rng, k, d, apart), strict=True)]
    )
    if shape == "sheared":
        X = X @ (np.eye(d) + 0.5 * rng.normal(size=(d, d)))
    elif shape == "units":
        X = X * 10 ** rng.uniform(-2, 3, d)
    elif shape == "noise columns":
        X = np.c_[X, rng.normal(size=X.shape)]
    return X, np.repeat(np.arange(k), sizes)


def centres_apart(rng: Any, k: int, d: int, apart: float) -> Any:
    """Return centres in a box that is just large enough."""
    for side in np.geomspace(0.1, 100, 400):
        centres = rng.uniform(-side, side, (k, d)) * apart
        gaps = np.linalg.norm(centres[:, None] - centres, axis=2)[np.triu_indices(k, 1)]
        if gaps.min() >= apart:
            return centres * apart / gaps.min()
    raise ValueError(f"no room for {k} centres {apart} apart")


def _cloud(rng: Any, n: int, d: int, shape: str) -> Any:
    """Return one group about 0."""
    Z = rng.normal(size=(n, d))
    if shape == "t":
        return Z / np.sqrt(rng.chisquare(5, (n, 1)) / 5)
    if shape == "box":
        return rng.uniform(-np.sqrt(3), np.sqrt(3), (n, d))
    if shape == "turned":
        axes = np.linalg.qr(rng.normal(size=(d, d)))[0]
        return Z @ (axes * rng.uniform(0.3, 1.0, d))
    return Z * rng.uniform(0.4, 1.0) if shape == "spreads" else Z
