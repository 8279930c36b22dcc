"""Blocks: data of any size as rows in blocks of a fixed size, however they are stored."""

from __future__ import annotations

import uuid
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from itertools import accumulate
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from coterie._support.typing import Data, FloatType
from coterie.data import Scaling
from coterie.errors import InvalidData, InvalidParameter
from coterie.scale.preparation import Change, Preparation
from coterie.scale.runtime.cache import (
    HELD,
    RECENT,
    ROW_FILES,
    can_forget,
    folder_on_disk,
    forget_everywhere,
    forget_here,
)
from coterie.scale.runtime.counters import COUNTERS
from coterie.scale.sources.partitions import (
    ColumnKeys,
    Piece,
    Span,
    StoredRows,
    check_made,
    fill_rows,
    rows_of,
    some_of,
)

if TYPE_CHECKING:
    import pyarrow
    from dask.delayed import Delayed

ROWS_OF_SUMS = 8192  # the engine sums up so many rows by themselves; blocks are multiples of it
BLOCK_BYTES = 16 << 20  # estimate: large against the cost of a task, small against memory
MOST_ROWS = 1 << 20


@dataclass(frozen=True, eq=False)
class Block:
    """The rows of one block, read when they are asked for."""

    index: int  # which block
    first_row: int  # index of its first row in the whole
    spans: tuple[Span, ...]  # which rows of which pieces it consists of
    sources: list[Piece | StoredRows]  # for each span a piece, or the rows of one that Dask has made
    columns: ColumnKeys | None
    n_columns: int
    dtype: FloatType
    scaling: Change | None
    is_kept: ClassVar[bool] = False  # whether its rows lie in a file of decoded rows

    @property
    def n_rows(self) -> int:
        """How many rows it has."""
        return sum(span.stop - span.start for span in self.spans)

    def read(self) -> Data:
        """Return the rows as a C-ordered matrix."""
        COUNTERS.add(read_rows=self.n_rows)
        return self._read()

    def _read(self) -> Data:
        X = self._raw()
        return X if self.scaling is None else np.ascontiguousarray(self.scaling.apply(X))

    def _raw(self) -> Data:
        """Return the rows before they are scaled."""
        return self._only() if len(self.spans) == 1 else self._joined()

    def stored(self) -> pyarrow.Table:
        """Return the rows as they are stored in files of tables, as one Arrow table."""
        import pyarrow

        parts = self.stored_parts()
        try:
            return pyarrow.concat_tables(parts, promote_options="permissive")
        except pyarrow.ArrowException:  # numbers in one file, text in another
            return pyarrow.concat_tables([_as_text(part) for part in parts], promote_options="permissive")

    def stored_parts(self) -> list[pyarrow.Table]:
        """Return the rows as they are stored in files of tables, one Arrow table per piece."""
        return [self._value(number) for number in range(len(self.spans))]

    def place_of(self, row: int) -> tuple[str, int]:
        """Return the name of the piece that holds a row of the block, and the row's index in it."""
        for span in self.spans:
            if row < span.stop - span.start:
                return span.name, span.start + row
            row -= span.stop - span.start
        raise IndexError(row)

    def _only(self) -> Data:
        """Return the rows of a block that is part of one piece."""
        return rows_of(self._value(0), self.spans[0].name, self.columns, self.dtype)

    def _joined(self) -> Data:
        """Return the rows of several pieces, each written where it belongs."""
        X = np.empty((self.n_rows, self.n_columns), dtype=self.dtype)
        first = 0
        for number, span in enumerate(self.spans):
            last = first + span.stop - span.start
            fill_rows(X[first:last], self._value(number), span.name, self.columns)
            first = last
        return X

    def _value(self, number: int) -> StoredRows:
        """Return the rows of one span as they are stored."""
        span, source = self.spans[number], self.sources[number]
        if not hasattr(source, "is_sliced"):  # rows that Dask has made
            check_made(source, span, self.n_columns)
            return some_of(source, span.start, span.stop)
        if source.is_sliced:
            return counted(source.value(span.start, span.stop), span.stop - span.start)
        whole = RECENT.get(source.key, lambda: counted(source.value(0, source.n_rows), source.n_rows))
        return some_of(whole, span.start, span.stop)


def counted(value: StoredRows, n_rows: int) -> StoredRows:
    """Count rows that were decoded, and return them."""
    COUNTERS.add(decoded_rows=n_rows, decoded_bytes=int(getattr(value, "nbytes", 0)))
    return value


@dataclass(frozen=True, eq=False)
class Blocks:
    """Rows of any number in blocks of a fixed size.

    The size of a block follows from the number of columns alone, so that what is computed block by block
    does not depend on how files or collections were cut.

    Parameters
    ----------
    pieces : tuple of Piece
        The data as they are stored, in order.
    columns : tuple of str or None
        Names of the columns in use, None when they have none.
    n_columns : int
        How many they are.
    dtype : dtype
        Float32 or float64, the same for all blocks.
    block_rows : int
        Rows per block; the last block may have fewer.
    scaling : Scaling, Preparation or None
        What is done to rows when they are read.

    Examples
    --------
    >>> from coterie.scale import read_blocks
    >>> read_blocks(np.ones((20_000, 3)), block_rows=8192)
    Blocks(20,000 rows x 3 columns of float64 in 3 blocks of 8,192 rows)
    """

    pieces: tuple[Piece, ...]
    columns: ColumnKeys | None
    n_columns: int
    dtype: FloatType
    block_rows: int
    scaling: Change | None = None
    n_rows: int = field(init=False)
    _ends: tuple[int, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        ends = tuple(accumulate(piece.n_rows for piece in self.pieces))
        object.__setattr__(self, "_ends", ends)
        object.__setattr__(self, "n_rows", ends[-1] if ends else 0)

    @property
    def n_blocks(self) -> int:
        """How many blocks there are."""
        return -(-self.n_rows // self.block_rows)

    @property
    def is_stored(self) -> bool:
        """Whether the rows are in files, which every worker can read for itself."""
        return all(piece.is_stored for piece in self.pieces)

    def sizes(self) -> tuple[int, ...]:
        """Return the number of rows of each block."""
        return tuple(block.n_rows for block in self)

    def scaled(self, scaling: Scaling) -> Blocks:
        """Return the same rows, scaled when they are read; gaps that are filled stay so."""
        if isinstance(self.scaling, Preparation):
            return replace(self, scaling=replace(self.scaling, scaling=scaling))
        return replace(self, scaling=None if scaling.is_identity else scaling)

    def of_pieces(self, pieces: Sequence[Piece]) -> Blocks:
        """Return the rows of some pieces, read as these are; nothing that is kept of the others is theirs."""
        return Blocks(tuple(pieces), self.columns, self.n_columns, self.dtype, self.block_rows, self.scaling)

    def prepared(self, preparation: Preparation) -> Blocks:
        """Return the same rows, filled and scaled when they are read."""
        return replace(self, scaling=preparation)

    def __iter__(self) -> Iterator[Block]:
        piece = 0
        for index in range(self.n_blocks):
            first, last = index * self.block_rows, min((index + 1) * self.block_rows, self.n_rows)
            while self._ends[piece] <= first:
                piece += 1
            spans, sources = zip(*self._spans(piece, first, last), strict=True)
            yield Block(
                index, first, spans, list(sources), self.columns, self.n_columns, self.dtype, self.scaling
            )

    def _spans(self, number: int, first: int, last: int) -> Iterator[tuple[Span, Piece | Delayed]]:
        while number < len(self.pieces) and (begin := self._ends[number] - self.pieces[number].n_rows) < last:
            piece = self.pieces[number]
            start, stop = max(first - begin, 0), min(last - begin, piece.n_rows)
            if start < stop:
                yield piece.part(start, stop)
            number += 1

    def __repr__(self) -> str:
        return (
            f"Blocks({self.n_rows:,} rows x {self.n_columns:,} columns of {self.dtype} in {self.n_blocks:,} "
            f"blocks of {self.block_rows:,} rows)"
        )


def _as_text(table: pyarrow.Table) -> pyarrow.Table:
    """Return a table with all its columns as text."""
    import pyarrow

    return table.cast(pyarrow.schema([(name, pyarrow.string()) for name in table.column_names]))


def rows_per_block(n_columns: int) -> int:
    """Return how many rows make a block of the usual size.

    Examples
    --------
    >>> rows_per_block(8), rows_per_block(100_000)
    (262144, 8192)
    """
    rows = ROWS_OF_SUMS
    while 2 * rows * n_columns * 8 <= BLOCK_BYTES and 2 * rows <= MOST_ROWS:
        rows *= 2
    return rows


def check_block_rows(block_rows: int | None, n_columns: int) -> int:
    """Return the number of rows of a block, the usual one if none is given."""
    if block_rows is None:
        return rows_per_block(n_columns)
    if block_rows < ROWS_OF_SUMS or block_rows % ROWS_OF_SUMS:
        raise InvalidParameter(
            f"block_rows must be a multiple of {ROWS_OF_SUMS}, got {block_rows}: results are then the same "
            f"to the bit for all of them."
        )
    return int(block_rows)


@dataclass(frozen=True, eq=False)
class KeptBlock(Block):
    """A block that keeps its rows where it is read, and decodes them again where it finds none."""

    run: str = ""  # under which decoded rows lie in a file; "": in none
    held: str = ""  # under which scaled rows lie in memory; "": they do not

    @property
    def is_kept(self) -> bool:  # type: ignore[override]  # it follows from the run
        """Whether its rows lie in a file of decoded rows."""
        return bool(self.run)

    def _read(self) -> Data:
        if not self.held:
            return super()._read()
        X: Data | None = HELD.get(self.held, self.index)
        if X is None:
            X = super()._read()
            X = np.array(X) if isinstance(X, np.memmap) or X.base is not None else X
            if HELD.reserve(self.held, self.index, X.nbytes):
                HELD.keep(self.held, self.index, X)
                COUNTERS.add(kept_bytes=X.nbytes)
        return X

    def _raw(self) -> Data:
        folder = folder_on_disk() if self.run else None
        file = None if folder is None else ROW_FILES.of(self.run, folder)
        if file is None:
            return super()._raw()
        X = file.get(self.index)
        if X is None:
            X = super()._raw()
            file.keep(self.index, X)
        return X


@dataclass(frozen=True, eq=False)
class KeptBlocks(Blocks):
    """Blocks that keep their rows under the name of a run: decoded in a file, scaled in memory, or both."""

    run: str = ""
    held: str = ""

    def scaled(self, scaling: Scaling) -> Blocks:
        """Return the same rows, scaled when they are read; those in memory are scaled otherwise."""
        return replace(super().scaled(scaling), held="")  # type: ignore[call-arg]  # it is one of these

    def __iter__(self) -> Iterator[Block]:
        for block in super().__iter__():
            facts = {field.name: getattr(block, field.name) for field in fields(block)}
            yield KeptBlock(**facts, run=self.run, held=self.held)


def is_slow_to_read(blocks: Blocks) -> bool:
    """Return whether rows are in files that must be decoded: Parquet, CSV, Arrow."""
    return blocks.is_stored and not all(piece.is_sliced for piece in blocks.pieces)


def keeping(blocks: Blocks, **names: str) -> Blocks:
    """Return the same blocks, which keep their rows under these names."""
    facts = {field.name: getattr(blocks, field.name) for field in fields(blocks) if field.init}
    return KeptBlocks(**facts | names)


@contextmanager
def decoded_once(blocks: Blocks, *, spill: bool, hold: bool = False) -> Iterator[Blocks]:
    """Give the same blocks, which keep rows until the end if that pays: in memory (`hold`), or on disk."""
    is_in_file = isinstance(blocks, KeptBlocks) and bool(blocks.run)
    if not is_slow_to_read(blocks) or not can_forget() or not (hold or (spill and not is_in_file)):
        yield blocks
        return
    run = uuid.uuid4().hex
    try:
        yield keeping(blocks, held=run) if hold else keeping(blocks, run=run)
    finally:
        forget_everywhere(run)


def kept_while_used(blocks: Blocks) -> tuple[Blocks, Keeper | None]:
    """Return the same blocks, which keep decoded rows on disk, and what they are kept as long as.

    Of blocks that are quick to read, these blocks and None.
    """
    if not is_slow_to_read(blocks):
        return blocks, None
    keeper = Keeper()
    return keeping(blocks, run=keeper.run), keeper


class Keeper:
    """Holds rows on the disk of this process as long as it lives."""

    def __init__(self) -> None:
        self.run = uuid.uuid4().hex
        weakref.finalize(self, forget_here, self.run)


def finite_rows(block: Block, who: str) -> Data:
    """Return the rows of a block; NaN and infinity are refused with their place."""
    X = block.read()
    with np.errstate(over="ignore", invalid="ignore"):
        is_certain = np.isfinite(X.sum())  # a sum that is not can have overflowed
    if not is_certain:
        refuse_not_finite(block, X, who)
    return X


def refuse_not_finite(block: Block, X: Data, who: str) -> None:
    """Refuse rows that hold NaN or infinity: where the first one is, and how many there are."""
    rows, columns = np.nonzero(~np.isfinite(X))
    if rows.size == 0:
        return
    place, row = block.place_of(int(rows[0]))
    column = block.columns[columns[0]] if block.columns else int(columns[0])
    value = "NaN" if np.isnan(X[rows[0], columns[0]]) else "infinity"
    raise InvalidData(
        f'{place}: Input X contains {value}: row {row} of it, column "{column}" ({rows.size:,} such '
        f"values in this block). {who} needs finite values."
    )
