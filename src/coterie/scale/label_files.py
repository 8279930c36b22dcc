"""Labels of rows of any number: Parquet files in a folder, one per block, written where they are made."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from coterie._support.files import atomic_path
from coterie._support.optional import require
from coterie.errors import ExistingFile, FileProblem
from coterie.pipeline.groups import group_name
from coterie.scale.blocks import Block, Blocks
from coterie.scale.runtime.passes import compute, fold, tasks


def check_folder(folder: str | os.PathLike[str], *, force: bool = False) -> Path:
    """Refuse, before any work, a folder that could not be written or holds files already."""
    path = Path(folder)
    if path.exists() and not path.is_dir():
        raise FileProblem(f"{path}: is a file; labels of blocks go to a folder.")
    if path.is_dir() and any(path.iterdir()) and not force:
        raise ExistingFile(
            f"{path}: holds files already. Use force=True to replace the labels among them."
        ).in_shell(f"{path}: holds files already. Use --force to replace the labels among them.")
    if not path.exists() and not path.parent.is_dir():
        raise FileProblem(f"{path}: the folder {path.parent} does not exist.")
    return path


def write_labels(
    blocks: Blocks,
    label: Callable[..., Any],
    *args: Any,
    folder: str | os.PathLike[str],
    force: bool = False,
) -> Path:
    """Write `row`, counted from 1, `label` and `group` of every block; ``label(block, None, *args)``."""
    path = check_folder(folder, force=force)
    path.mkdir(exist_ok=True)
    made = tasks(blocks, _write_block, label, args, str(path.absolute()), force)
    compute(fold(made, _count))
    for older in path.glob("part-??????.parquet"):  # of data with more blocks: they would pass for labels
        if older.name > _name_of(blocks.n_blocks - 1):
            older.unlink()
    return path


def _name_of(block: int) -> str:
    return f"part-{block:06d}.parquet"


def _write_block(
    block: Block,
    _weights: Block | None,
    label: Callable[..., Any],
    args: tuple[Any, ...],
    folder: str,
    force: bool,
) -> int:
    arrow = require("pyarrow", extra="scale", purpose="Writing Parquet")
    parquet = require("pyarrow.parquet", extra="scale", purpose="Writing Parquet")
    labels = label(block, None, *args)
    rows = np.arange(block.first_row + 1, block.first_row + 1 + len(labels))
    with atomic_path(f"{folder}/{_name_of(block.index)}", force=force) as temporary:
        names = arrow.array([group_name(label) for label in range(-1, int(labels.max(initial=-1)) + 1)])
        groups = arrow.DictionaryArray.from_arrays(arrow.array(labels + 1, arrow.int32()), names)
        parquet.write_table(arrow.table({"row": rows, "label": labels, "group": groups}), temporary)
    return len(labels)


def _count(total: int | None, found: list[int]) -> int:
    return (total or 0) + sum(found)
