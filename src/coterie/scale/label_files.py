"""Labels of rows in blocks: Parquet files in a folder, one per block, written where they are made."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from coterie._support.files import atomic_path, check_folder, make_folder, remove_parts
from coterie._support.optional import require
from coterie._support.stores import absolute, joined, local_path
from coterie._support.typing import AnyFunction, Labels, Model
from coterie.errors import InvalidData, ModelFileError
from coterie.pipeline import Groups
from coterie.pipeline.groups import group_name
from coterie.scale.blocks import Block, Blocks
from coterie.scale.methods.base import new_blocks
from coterie.scale.predict import group_block, label_block
from coterie.scale.runtime.passes import compute, fold, tasks


def write_labels(
    blocks: Blocks,
    label: AnyFunction,
    *args: object,
    folder: str | os.PathLike[str],
    force: bool = False,
    carried: Blocks | None = None,
) -> Path:
    """Write `label` and `group` of every block beside columns of the input, or `row`, counted from 1.

    Labels are ``label(block, None, *args)``; `carried` are the columns, cut like the blocks.
    """
    path = check_folder(folder, force=force)
    make_folder(path)
    place = absolute(local_path(path))
    made = tasks(blocks, _write_block, label, args, place, force, weights=carried)
    compute(fold(made, _count))
    remove_parts(path, lambda name: name > _name_of(blocks.n_blocks - 1))  # of data with more blocks
    return path


def _name_of(block: int) -> str:
    return f"part-{block:06d}.parquet"


def _write_block(
    block: Block,
    carried: Block | None,
    label: AnyFunction,
    args: tuple[Any, ...],
    folder: str,
    force: bool,
) -> int:
    arrow = require("pyarrow", extra="scale", purpose="Writing Parquet")
    parquet = require("pyarrow.parquet", extra="scale", purpose="Writing Parquet")
    labels = label(block, None, *args)
    rows = np.arange(block.first_row + 1, block.first_row + 1 + len(labels))
    beside = arrow.table({"row": rows}) if carried is None else carried.stored()
    with atomic_path(joined(folder, _name_of(block.index)), force=force) as temporary:
        names = arrow.array([group_name(label) for label in range(-1, int(labels.max(initial=-1)) + 1)])
        groups = arrow.DictionaryArray.from_arrays(arrow.array(labels + 1, arrow.int32()), names)
        parquet.write_table(beside.append_column("label", [labels]).append_column("group", groups), temporary)
    return len(labels)


Marks = tuple[tuple[int, str, float, str], ...]  # of a column: its place and name, a scaled mark, the mark


def _marks(groups: Groups, dtype: Any) -> Marks:
    """Return the numbers such as -999 that stood for missing values when the groups were found."""
    found = []
    for at, (name, how) in enumerate(groups.column_readings.items()):
        for mark in how.sentinels:
            row = np.full((1, len(groups.columns)), float(mark), dtype=dtype)
            found.append((at, name, float(groups.scaling.apply(row).astype(dtype)[0, at]), mark))
    return tuple(found)


def _group_block(block: Block, _weights: Block | None, model: Any, numbers: Labels, marks: Marks) -> Labels:
    """Return the groups of a block's rows; numbers that stood for missing values are refused."""
    rows = block.read() if marks else None
    for at, name, value, mark in marks:
        if rows is not None and (rows[:, at] == value).any():
            row = block.first_row + 1 + int(np.argmax(rows[:, at] == value))
            raise InvalidData(
                f'row {row} has {mark} in column "{name}", which stood for a missing value when the groups '
                f"were found. Data in blocks must be complete: drop or fill those rows first."
            )
    return group_block(block, None, model, numbers)


def _count(total: int | None, found: list[int]) -> int:
    return (total or 0) + sum(found)


def write_groups(model: Model, source: Any, folder: str | os.PathLike[str], *, force: bool = False) -> Path:
    """Write the group of each new row to Parquet files in a folder, one per block.

    Parameters
    ----------
    model : Clustering, Groups or estimator
        What `coterie.load` returned. An estimator's clusters keep its numbers.
    source : anything that `read_blocks` takes
        The rows, without missing values.
    folder : path
        Made if it is not there.
    force : bool, default=False
        Whether files of the same names may be replaced.
    """
    groups = getattr(model, "groups", model)
    if isinstance(groups, Groups):
        if groups.levels:
            raise InvalidData(
                "this model has categories, which are not used in data that are read in blocks. Place the "
                "rows one file at a time."
            )
        known = {name: how.reading for name, how in groups.column_readings.items() if how.reading is not None}
        blocks = new_blocks(source, groups.columns, len(groups.columns), who="the model", readings=known)
        scaled, marks = blocks.scaled(groups.scaling), _marks(groups, blocks.dtype)
        args = (groups.model, groups.numbers, marks)
        return write_labels(scaled, _group_block, *args, folder=folder, force=force)
    if not hasattr(model, "predict"):
        raise ModelFileError(f"a {type(model).__name__} places no new rows: it has no predict.")
    names = getattr(model, "feature_names_in_", None)
    blocks = new_blocks(source, names, model.n_features_in_, who=type(model).__name__)
    return write_labels(blocks, label_block, model, folder=folder, force=force)
