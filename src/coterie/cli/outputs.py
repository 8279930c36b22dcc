"""Files that commands write: checked before the work, written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NotRequired, TypedDict, Unpack

import numpy as np

from coterie._support.files import atomic_path, check_folder, check_output, make_folder, remove_parts
from coterie._support.stores import is_url, shown
from coterie._support.typing import AnyArray, Labels
from coterie.cli.render.terminal import write_data
from coterie.data import Table
from coterie.data.databases import is_database
from coterie.data.files.source import STANDARD_INPUT
from coterie.data.paths import is_in_blocks, is_several, part_names
from coterie.errors import InvalidParameter, did_you_mean
from coterie.persist import save as save_model
from coterie.pipeline import Clustering
from coterie.pipeline.label_table import label_frame, without_formulas

LABEL_SUFFIXES = (".csv", ".tsv", ".parquet", ".npy")
PART = "part-000000.parquet"  # labels of data that are read as a whole, in a folder


class LabelColumns(TypedDict):
    """What is written beside labels."""

    with_data: bool
    carry: tuple[str, ...]
    with_file: bool
    names: NotRequired[Sequence[str] | None]  # of the groups; None: "group 1" and so on


class LabelOptions(LabelColumns):
    """How labels of data in memory are written."""

    escape_formulas: bool


class BlockColumns(LabelColumns):
    """What is written beside labels of data in blocks, and in which parts."""

    keep_layout: bool


@dataclass(frozen=True)
class Files:
    """What a command writes: labels, a model."""

    data: str
    labels: Path | None = None
    model: Path | None = None
    force: bool = False
    with_data: bool = False
    escapes: bool = False
    carry: tuple[str, ...] = ()
    with_file: bool = False
    keep_layout: bool = False
    in_blocks: bool = False  # whether the rows are read in blocks, however few they are

    @property
    def labels_to_stdout(self) -> bool:
        """Whether the labels are printed, and nothing else."""
        return self.labels is not None and str(self.labels) == STANDARD_INPUT

    @property
    def labels_to_folder(self) -> bool:
        """Whether labels go to a folder: one that is there, or without an ending if rows may have parts."""
        if self.labels is None or self.labels_to_stdout:
            return False
        may_be_parts = (
            self.in_blocks or is_several(self.data) or is_database(self.data) or is_in_blocks(self.data)
        )
        return self.labels.is_dir() or (may_be_parts and not self.labels.suffix)

    def check(self, *, as_json: bool = False) -> None:
        """Refuse outputs that cannot or must not be written, before anything is read."""
        if as_json and self.labels_to_stdout:
            raise InvalidParameter("-o - and --json both print. Leave one out, or write labels to a file.")
        if self.escapes and self.labels_to_folder:
            raise InvalidParameter("--escape-formulas is for text files, .csv and .tsv. Leave it out.")
        if self.with_data and self.labels is None:
            raise InvalidParameter("--with-data needs -o FILE: it writes the columns beside the labels.")
        for option, value in (("--carry", self.carry), ("--with-file", self.with_file)):
            if value and self.labels is None:
                raise InvalidParameter(f"{option} needs -o FILE: it writes columns beside the labels.")
        if self.keep_layout and not self.labels_to_folder:
            raise InvalidParameter("--keep-layout needs -o FOLDER: it writes a part per file of the data.")
        if self.labels_to_folder:
            assert self.labels is not None
            self._check_folder(self.labels)
        check(
            self.data,
            labels=None if self.labels_to_folder or self.labels_to_stdout else self.labels,
            model=self.model,
            force=self.force,
        )

    def _check_folder(self, folder: Path) -> None:
        source = Path(self.data)
        if source.is_dir() and source.resolve() in [folder.resolve(), *folder.resolve().parents]:
            raise InvalidParameter(
                f"{folder}: is within {self.data}, which is read. Write to another folder."
            )
        check_folder(folder, force=self.force)

    def write(self, found: Clustering) -> None:
        """Write labels and model of an answer."""
        if self.labels is not None:
            self._write_labels(found, self.labels)
        if self.model is not None:
            save_model(found, self.model, force=self.force)

    def check_parts(self) -> None:
        """Refuse, before any work, a single file for labels of data that turned out to be read in blocks."""
        if self.labels is None or self.labels_to_folder:
            return
        if self.labels_to_stdout or self.labels.suffix:
            raise InvalidParameter(
                f"labels of data in blocks are written to a folder, got -o {shown(self.labels)}. Name a "
                f"folder."
            )

    @property
    def beside(self) -> BlockColumns:
        """What is written beside labels of data in blocks, and in which parts."""
        return {
            "with_data": self.with_data,
            "carry": self.carry,
            "with_file": self.with_file,
            "keep_layout": self.keep_layout,
        }

    def _write_labels(self, found: Clustering, path: Path) -> None:
        if hasattr(found, "write_labels"):  # of data in blocks, one file per block
            self.check_parts()
            found.write_labels(path, **self.beside, force=self.force)
            return
        self.write_labels(found.rows.prepared.table, found.labels)

    def write_labels(self, table: Table, labels: Labels) -> None:
        """Print labels of data in memory, or write them to the file or the folder."""
        assert self.labels is not None
        if self.labels_to_stdout:
            print_labels(table, labels, **self.how)
        elif self.keep_layout:
            self._write_parts(table, labels, self.labels)
        else:
            write_labels(table, labels, self.target(self.labels), force=self.force, **self.how)

    def _write_parts(self, table: Table, labels: Labels, folder: Path) -> None:
        """Write the labels of each file of the data to a part of its name."""
        frame, first = label_frame(table, labels, **self._columns), 0
        names = part_names([name for name, _ in table.files])
        for name, (_, n_rows) in zip(names, table.files, strict=True):
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            with atomic_path(path, force=self.force) as temporary:
                frame.slice(first, n_rows).write_parquet(temporary)
            first += n_rows

    def target(self, path: Path) -> Path:
        """Return the file for labels of data in memory: the only part of a folder, without older ones."""
        if not self.labels_to_folder:
            return path
        make_folder(path)
        remove_parts(path, lambda name: name != PART)
        return path / PART

    @property
    def _columns(self) -> LabelColumns:
        return {"with_data": self.with_data, "carry": self.carry, "with_file": self.with_file}

    @property
    def how(self) -> LabelOptions:
        """How labels are written."""
        return {**self._columns, "escape_formulas": self.escapes}

    def written_labels(self, found: Clustering) -> Path | None:
        """Return where the labels are, for people to read."""
        if self.labels is None or not (self.labels_to_folder or hasattr(found, "write_labels")):
            return self.labels
        return self.labels / ("**/*.parquet" if self.keep_layout else "part-*.parquet")


def refuse_input(target: Path, *inputs: str | None) -> None:
    """Refuse to write where something is read from."""
    for one in inputs:
        if one is None or one == STANDARD_INPUT:
            continue
        if is_url(target) and shown(target) == shown(one):
            raise InvalidParameter(f"{shown(target)} is the input: it is never overwritten. Write elsewhere.")
        if target.exists() and Path(one).exists() and target.samefile(one):
            raise InvalidParameter(f"{target} is the input: it is never overwritten. Write to another file.")


def check(data: str, *, labels: Path | None = None, model: Path | None = None, force: bool = False) -> None:
    """Refuse files that cannot or must not be written, before anything is read."""
    for target in (labels, model):
        if target is None:
            continue
        check_output(target, force=force)
        refuse_input(target, data)
    if (
        labels is not None
        and labels.suffix.lower() not in LABEL_SUFFIXES
        and labels.is_file() is labels.exists()
    ):
        near = did_you_mean(labels.suffix, LABEL_SUFFIXES)
        raise InvalidParameter(
            f"{shown(labels)}: the name must end in one of {', '.join(LABEL_SUFFIXES)}, got "
            f"{labels.suffix or 'no ending'}.{near}"
        )
    if labels is not None and model is not None and os.path.abspath(labels) == os.path.abspath(model):
        raise InvalidParameter(f"--output and --save both name {labels}: two files are needed.")


def write_labels(
    table: Table,
    labels: Labels,
    path: Path,
    *,
    force: bool,
    escape_formulas: bool = False,
    **columns: Unpack[LabelColumns],
) -> None:
    """Write the label of each row, in the format of the file's ending.

    Keys are written as they are, so that rows can be matched by them. A spreadsheet takes text such as
    ``=cmd`` for a formula: `escape_formulas` puts an apostrophe before it in CSV and TSV.
    """
    suffix = path.suffix.lower()
    with atomic_path(path, force=force) as temporary, temporary.open("wb") as file:
        if suffix == ".npy":
            np.save(file, plain_labels(labels))
            return
        frame = label_frame(table, labels, **columns)
        if suffix == ".parquet":
            frame.write_parquet(file)
        else:
            frame = without_formulas(frame) if escape_formulas else frame
            frame.write_csv(file, separator="\t" if suffix == ".tsv" else ",")


def plain_labels(labels: Labels) -> AnyArray:
    """Return labels as an array of whole numbers, or of numbers with NaN where rows were left out."""
    is_left_out = np.ma.getmaskarray(labels)
    if not is_left_out.any():
        return np.asarray(labels)
    return np.where(is_left_out, np.nan, np.asarray(labels, dtype=np.float64))


def print_labels(
    table: Table, labels: Labels, *, escape_formulas: bool = False, **columns: Unpack[LabelColumns]
) -> None:
    """Print the label of each row as CSV."""
    frame = label_frame(table, labels, **columns)
    write_data((without_formulas(frame) if escape_formulas else frame).write_csv())


def write_text(text: str, path: Path, *, force: bool) -> None:
    """Write text, whole or not at all."""
    with atomic_path(path, force=force) as temporary:
        temporary.write_text(text, encoding="utf-8")


def copy(source: Path, target: Path, *, force: bool) -> None:
    """Copy a file, never over an existing one unless told so."""
    with atomic_path(target, force=force) as temporary:
        temporary.write_bytes(source.read_bytes())
