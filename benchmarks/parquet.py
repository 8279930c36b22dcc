"""Rows in Parquet files: made once for all rows of the table that read them, removed after the last one."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

FOLDER = Path(os.environ.get("COTERIE_SCRATCH", tempfile.gettempdir())) / "coterie-bench"
SMALL = FOLDER / "small"
FILES, ROWS_PER_GROUP = 20, 250_000
SEED = 20


@dataclass(frozen=True)
class Files:
    """Parquet files, a start, and some rows to judge centres by."""

    folder: Path
    start: NDArray[np.float32]
    X: NDArray[np.float32]


def make_files(n: int, d: int, k: int) -> Files:
    """Write the rows, if they are not there: 20 files, plain pages of float32 in groups of 250,000 rows."""
    import pyarrow.parquet as pq

    folder = _folder(n, d)
    folder.mkdir(parents=True, exist_ok=True)
    centres = np.random.default_rng(SEED).normal(scale=4.0, size=(k, d))
    began = time.monotonic()
    missing = [path for path in _paths(folder) if not path.exists()]
    for path in missing:
        _write(path, n // FILES, centres, np.random.default_rng([SEED, int(path.stem)]))
    if missing:
        (folder / "seconds").write_text(f"{time.monotonic() - began:.0f}")
    some = pq.ParquetFile(folder / "000.parquet").read_row_group(0)
    X = np.stack([some.column(i).to_numpy() for i in range(d)], axis=1)
    return Files(folder, X[:: len(X) // k][:k].copy(), X)


def remove_files() -> str:
    """Remove all rows; return how much they took of the disk, and of the time."""
    lines = []
    for folder in sorted(FOLDER.glob("*x*")):
        size = sum(path.stat().st_size for path in folder.iterdir())
        seconds = folder / "seconds"
        took = seconds.read_text() if seconds.exists() else "?"
        shutil.rmtree(folder)
        lines.append(f"{folder}: removed {size / 1e9:.2f} GB, which took {took} s to make")
    return "\n".join(lines)


def make_small_files(n_files: int) -> Path:
    """Write files of 20 rows and 2 columns, 1,000 per folder, if they are not there."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder = SMALL / str(n_files)
    if folder.exists():
        return folder
    rows = np.random.default_rng(SEED).normal(size=(2, 20))
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table({"a": rows[0], "b": rows[1]}), sink)
    content = sink.getvalue().to_pybytes()
    part = folder.with_suffix(".part")
    for number in range(n_files):
        path = part / f"{number // 1000:04d}" / f"{number % 1000:04d}.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    part.rename(folder)
    return folder


def remove_small_files() -> str:
    """Remove all small files."""
    shutil.rmtree(SMALL, ignore_errors=True)
    return f"{SMALL}: removed"


def _folder(n: int, d: int) -> Path:
    return FOLDER / f"{n}x{d}"


def _paths(folder: Path) -> list[Path]:
    return [folder / f"{number:03d}.parquet" for number in range(FILES)]


def _write(path: Path, n_rows: int, centres: NDArray[np.float64], rng: np.random.Generator) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    k, d = centres.shape
    part = path.with_suffix(".part")
    schema = pa.schema([(f"x{i}", pa.float32()) for i in range(d)])
    with pq.ParquetWriter(part, schema, compression="none", use_dictionary=False) as writer:
        for first in range(0, n_rows, ROWS_PER_GROUP):
            size = min(ROWS_PER_GROUP, n_rows - first)
            rows = centres[rng.integers(k, size=size)] + rng.normal(size=(size, d))
            writer.write_table(pa.table(list(rows.astype(np.float32).T), schema=schema))
    part.rename(path)
