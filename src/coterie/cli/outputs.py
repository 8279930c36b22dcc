"""Files that commands write: checked before the work, written whole or not at all."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import numpy as np

from coterie._support.files import atomic_path, check_output
from coterie._support.optional import require
from coterie._support.typing import Labels
from coterie.data import Table
from coterie.data.source import STANDARD_INPUT
from coterie.errors import InvalidParameter, did_you_mean
from coterie.pipeline.groups import NOT_GROUPED

LABEL_SUFFIXES = (".csv", ".tsv", ".parquet", ".npy")


def check(data: str, *, labels: Path | None = None, model: Path | None = None, force: bool = False) -> None:
    """Refuse outputs that cannot or must not be written, before anything is read."""
    for target in (labels, model):
        if target is None:
            continue
        check_output(target, force=force)
        if data != STANDARD_INPUT and target.exists() and Path(data).exists() and target.samefile(data):
            raise InvalidParameter(f"{target} is the input: it is never overwritten. Write to another file.")
    if (
        labels is not None
        and labels.suffix.lower() not in LABEL_SUFFIXES
        and labels.is_file() is labels.exists()
    ):
        near = did_you_mean(labels.suffix, LABEL_SUFFIXES)
        raise InvalidParameter(
            f"{labels}: the name must end in one of {', '.join(LABEL_SUFFIXES)}, got "
            f"{labels.suffix or 'no ending'}.{near}"
        )
    if labels is not None and model is not None and os.path.abspath(labels) == os.path.abspath(model):
        raise InvalidParameter(f"--output and --save both name {labels}: two files are needed.")


def write_labels(table: Table, labels: Labels, path: Path, *, force: bool) -> None:
    """Write the group of each row, in the format of the file's ending."""
    suffix = path.suffix.lower()
    with atomic_path(path, force=force) as temporary, temporary.open("wb") as file:
        if suffix == ".npy":
            np.save(file, labels)
        elif suffix == ".parquet":
            label_frame(table, labels).write_parquet(file)
        else:
            label_frame(table, labels).write_csv(file, separator="\t" if suffix == ".tsv" else ",")


def print_labels(table: Table, labels: Labels) -> None:
    """Print the group of each row as CSV."""
    sys.stdout.write(label_frame(table, labels).write_csv())


def label_frame(table: Table, labels: Labels) -> Any:
    """Return the columns that name the rows (or the row number) and the group; empty for rows left out."""
    polars = require("polars", extra="cli", purpose="Writing tables")
    group = polars.Series("group", labels)
    group = group.set(group == NOT_GROUPED, None)
    keys = [name for name in table.key_columns() if name != "group"]
    if keys:
        return table.content.select(keys).with_columns(group)
    return polars.DataFrame({"row": np.arange(1, table.n_rows + 1), "group": group})


def write_text(text: str, path: Path, *, force: bool) -> None:
    """Write text, whole or not at all."""
    with atomic_path(path, force=force) as temporary:
        temporary.write_text(text, encoding="utf-8")


def copy(source: Path, target: Path, *, force: bool) -> None:
    """Copy a file, never over an existing one unless told so."""
    with atomic_path(target, force=force) as temporary:
        temporary.write_bytes(source.read_bytes())
