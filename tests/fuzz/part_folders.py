"""Folders that are tables: Hive, Delta and Iceberg, whole and damaged, in memory and in blocks."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch
from urllib.parse import quote
from uuid import UUID

import numpy as np
import polars
import pyarrow

from coterie.data import read_table
from coterie.data.lakes import iceberg
from coterie.scale import read_blocks
from coterie.scale.runtime.passes import compute, fold, tasks
from tests.fuzz.case import Case, Draw, expect
from tests.fuzz.checks import check_same
from tests.fuzz.mutate import mutated_bytes
from tests.fuzz.tables import draw_file

KEYS = ("year", "month", "x", "a b", "é", "=", "", "0", "year")
VALUES = (
    *(
        "2024",
        "01",
        "1.5",
        "1e400",
        "-0",
        "__HIVE_DEFAULT_PARTITION__",
        "",
        "2024-02-30",
        "2024-02-28",
        "a=b",
    ),
    *("%2F", "%", "NaN", "é", "x" * 150, "9" * 19, "true", " ", "*", "[1]", "\x1b[31m", "\u202e"),
)


def run(case: Case) -> None:
    """Read a folder as a table, and in blocks: the same rows, or both are refused in our words."""
    case.draw.choice([_hive, _hive, _hive, _lake, _lake])(case)


def _frame(draw: Draw, n: int) -> Any:
    return polars.DataFrame(
        {"u": draw.random.normal(size=n).round(3), "v": draw.random.normal(size=n).round(3)}
    )


def _hive(case: Case) -> None:
    draw = case.draw
    root = case.folder / "lake"
    root.mkdir()
    n_keys = draw.choice([1, 1, 2])
    keys = [draw.choice(KEYS) if draw.chance(0.3) else f"k{at}" for at in range(n_keys)]
    suffix = draw.choice(["parquet", "csv", "arrow"])
    odd = draw.chance(0.5)
    for at in range(draw.choice([1, 2, 3])):
        values = [draw.choice(VALUES) if odd else str(2020 + at) for _ in keys]
        parts = [
            f"{key}={quote(value) if draw.chance(0.5) else value}"
            for key, value in zip(keys, values, strict=True)
        ]
        folder = root.joinpath(*(part.replace("/", "_") for part in parts))
        folder.mkdir(parents=True, exist_ok=True)
        if draw.chance(0.15):
            file = draw_file(draw)
            (folder / f"odd{at}{file.suffix or '.csv'}").write_bytes(file.content)
            continue
        frame = _frame(draw, draw.choice([1, 7, 20]))
        if draw.chance(0.2):
            frame = frame.with_columns(
                polars.lit(draw.choice([1, 2.5, "t"])).alias(draw.choice([keys[0] or "u", "w"]))
            )
        getattr(frame, {"csv": "write_csv", "parquet": "write_parquet", "arrow": "write_ipc"}[suffix])(
            folder / f"part{at}.{suffix}"
        )
    _read(case, root, f"folders {sorted(str(p.relative_to(root)) for p in root.rglob('*') if p.is_file())}")


@cache
def _made(kind: str) -> Path:
    """Return a folder with a small Delta or Iceberg table of two versions; it stays as it is."""
    root = Path(tempfile.mkdtemp(prefix=f"coterie-fuzz-{kind}-"))
    rng = np.random.default_rng(0)
    frames = [
        pyarrow.table({"u": rng.normal(size=9), "v": rng.normal(size=9), "year": np.full(9, 2023 + at)})
        for at in (0, 1)
    ]
    if kind == "delta":
        import deltalake

        for frame in frames:
            deltalake.write_deltalake(str(root / "table"), frame, mode="append", partition_by=["year"])
        return root / "table"
    from pyiceberg.catalog.sql import SqlCatalog

    catalogue = SqlCatalog("fuzz", uri=f"sqlite:///{root}/catalogue.db", warehouse=f"file://{root}/house")
    catalogue.create_namespace("n")
    names = Random(0)  # a case depends on its seed alone, and so does the order of the files
    with patch("uuid.uuid4", lambda: UUID(int=names.getrandbits(128), version=4)):
        table = catalogue.create_table("n.table", schema=frames[0].schema)
        for frame in frames:
            table.append(frame)
    return root / "house" / "n" / "table"


def _lake(case: Case) -> None:
    _damaged(case, case.draw.choice(["delta", "iceberg"]))


def _damaged(case: Case, kind: str) -> None:
    """Damage one file of a table, take it away or add one, read, and make it whole again.

    The table stays where it is: metadata of Iceberg name whole paths.
    """
    draw = case.draw
    root = _made(kind)
    path = draw.choice(sorted(path for path in root.rglob("*") if path.is_file()))
    content, added = path.read_bytes(), path.parent / f"zz-{path.name}"
    how = draw.choice(["none", "damage", "damage", "damage", "remove", "empty", "add"])
    for kept in (iceberg._opened, iceberg._planned):  # metadata files are never changed but here
        kept.cache_clear()
    try:
        if how in ("damage", "empty"):
            path.write_bytes(b"" if how == "empty" else mutated_bytes(draw, content))
        elif how == "remove":
            path.unlink()
        elif how == "add":
            added.write_bytes(content)
        _read(case, root, f"{kind}: {how} {path.relative_to(root)}")
    finally:
        added.unlink(missing_ok=True)
        path.write_bytes(content)


def _read(case: Case, root: Path, words: str) -> None:
    words = words[:1200]
    table = case.attempt(f"read_table of {words}", lambda: read_table(root))
    expect(len(table.columns) == len(set(table.columns)), "read_table: two columns of one name", words)
    choice = case.attempt(f"choose of {words}", table.choose)
    # blocks have numbers such as -999 as they are: what they stand for is known when all have been read
    matrix = case.attempt(f"matrix of {words}", lambda: table.matrix(choice.used, keep=choice.used))
    if not choice.used:
        return
    blocks = case.attempt(f"read_blocks of {words}", lambda: read_blocks(root, columns=list(choice.used)))
    found = case.attempt(f"blocks of {words}", lambda: _rows_in(blocks))
    dense = matrix.toarray() if hasattr(matrix, "toarray") else np.asarray(matrix)
    check_same(
        np.asarray(found, dtype=np.float64), np.asarray(dense, dtype=np.float64), "read_blocks: other rows"
    )


def _rows_in(source: Any) -> Any:
    found = compute(fold(tasks(source, lambda block, _weights: block.read()), _stack))
    return np.zeros((0, len(source.columns))) if found is None else found


def _stack(total: Any, found: Any) -> Any:
    return np.concatenate(found if total is None else [total, *found])
