"""What was found in rows of any number, and which of its numbers are exact."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from coterie._typing import Centers, Indices, Labels
from coterie.scale.blocks import Block, Blocks
from coterie.scale.label_files import write_labels
from coterie.scale.predict import label_block


@dataclass(frozen=True)
class Fact:
    """A number, and how far it can be off.

    Parameters
    ----------
    name : str
        What it is.
    value : float
        The number.
    error : float or None
        Standard error of an estimate; None: the number is exact.
    """

    name: str
    value: float
    error: float | None = None

    @property
    def is_exact(self) -> bool:
        """Whether every row was taken into account."""
        return self.error is None

    def __str__(self) -> str:
        how = "exact" if self.error is None else f"+- {self.error:.2g}, estimated"
        return f"{self.name} {self.value:.6g} ({how})"


@dataclass(frozen=True, eq=False)
class LazyClustering:
    """Groups of rows of any number.

    Parameters
    ----------
    source : str
        What was read.
    method, title : str
        How groups were found, in a word and for a sentence.
    model : object
        The fitted estimator of `coterie.scale`, on scaled rows.
    blocks : Blocks
        The scaled rows.
    scale : str
        How columns were scaled.
    left_out : tuple of (str, str)
        Columns that were not used, and why.
    sizes : array of shape (k,)
        Rows per group.
    centers : array of shape (k, n_columns) or None
        Centres of the groups in the units of the columns.
    facts : tuple of Fact
        Numbers that value the groups, exact or estimated.
    notes : tuple of str
        What deserves a look.
    seconds : float
        Time taken.
    """

    source: str
    method: str
    title: str
    model: Any
    blocks: Blocks
    scale: str
    left_out: tuple[tuple[str, str], ...]
    sizes: Indices
    centers: Centers | None
    facts: tuple[Fact, ...]
    notes: tuple[str, ...]
    seconds: float

    @property
    def k(self) -> int:
        """How many groups there are."""
        return len(self.sizes)

    @property
    def labels(self) -> Any:
        """The group of each row, a lazy Dask array."""
        return self.model.labels_

    def write_labels(self, folder: str | os.PathLike[str], *, force: bool = False) -> Path:
        """Write the group of each row to Parquet files in a folder, one per block."""
        if hasattr(self.model, "local_"):
            return write_labels(self.blocks, label_block, self.model, folder=folder, force=force)
        return write_labels(self.blocks, _known_labels, np.asarray(self.labels), folder=folder, force=force)

    def to_dict(self) -> dict[str, Any]:
        """Return everything but labels as plain values."""
        return {
            "source": self.source,
            "method": self.method,
            "k": self.k,
            "n_rows": self.blocks.n_rows,
            "n_blocks": self.blocks.n_blocks,
            "columns": list(self.blocks.columns or range(self.blocks.n_columns)),
            "left_out": dict(self.left_out),
            "scale": self.scale,
            "sizes": [int(size) for size in self.sizes],
            "centers": None if self.centers is None else self.centers.tolist(),
            "facts": [
                {"name": fact.name, "value": fact.value, "is_exact": fact.is_exact, "error": fact.error}
                for fact in self.facts
            ],
            "notes": list(self.notes),
            "seconds": self.seconds,
        }

    def summary(self) -> str:
        """Return the answer, and the evidence underneath."""
        left_out = "".join(f"; left out: {name} ({reason})" for name, reason in self.left_out)
        n_rows, n_blocks = self.blocks.n_rows, self.blocks.n_blocks
        columns = f"{_counted(self.blocks.n_columns, 'column')} used{left_out}"
        lines = [
            f"{self.source}   {_counted(n_rows, 'row')} in {_counted(n_blocks, 'block')}; {columns}",
            f"  {_counted(self.k, 'group')}   {self.title}, columns scaled: {self.scale}",
            *(
                f"  group {group}: {_counted(int(size), 'row')} ({size / n_rows:.1%})"
                for group, size in enumerate(self.sizes[:SHOWN])
            ),
            *([f"  and {self.k - SHOWN} more groups"] if self.k > SHOWN else []),
            *(f"  {fact}" for fact in self.facts),
            *(f"  note: {note}" for note in self.notes),
        ]
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.summary()


SHOWN = 20


def _known_labels(block: Block, _weights: Block | None, labels: Labels) -> Labels:
    return labels[block.first_row : block.first_row + block.n_rows]


def _counted(number: int, word: str) -> str:
    return f"{number:,} {word}" if number == 1 else f"{number:,} {word}s"
