"""How much memory Parquet and Arrow files need: packed, a thousand million equal cells take kilobytes."""

from __future__ import annotations

import struct
from collections.abc import Iterator

from coterie._support.optional import require
from coterie._support.panics import quiet_panics
from coterie._support.typing import PolarsFrame
from coterie._support.validation import require_memory
from coterie.data.files.source import Source

CELL = 8  # bytes of a number, which each cell becomes
COPIES = 2  # the columns as they are read, and the matrix or the texts that are made of them
WAY_OUT = "With a checkpoint folder (checkpoint=, --checkpoint) a table is read block by block."
CONTINUES = b"\xff\xff\xff\xff"  # before the length of a message of Arrow
DICTIONARY, BATCH = 2, 3  # kinds of messages that hold cells
END = b"ARROW1"


def check_decoded_size(source: Source) -> None:
    """Refuse a file whose cells do not fit in memory: the reader ends the process where memory does.

    Damaged files pass: the reader says what is wrong with them.
    """
    try:
        with quiet_panics():
            n_cells, n_bytes = _in_parquet(source) if source.kind == "parquet" else _in_arrow(source)
    except Exception:  # as many ways to be damaged as there are bytes
        return
    require_memory(COPIES * max(CELL * n_cells, n_bytes), f"{source.name}, with {n_cells:,} cells,", WAY_OUT)


def check_texts(name: str, frame: PolarsFrame) -> None:
    """Refuse columns whose texts do not fit in memory: stored once, a text may stand in a million rows."""
    polars = require("polars", extra="cli", purpose="Reading tables")
    n_bytes = 0
    for column in frame:
        if column.dtype == polars.String:
            n_bytes += int(column.str.len_bytes().cast(polars.UInt64).sum())
        elif column.dtype in (polars.Categorical, polars.Enum):
            counts = column.alias("text").value_counts(name="rows")
            sizes = counts["text"].cast(polars.String).str.len_bytes().cast(polars.UInt64)
            n_bytes += int((sizes * counts["rows"].cast(polars.UInt64)).sum())
    require_memory(COPIES * n_bytes, f"{name}, with texts of many letters,", WAY_OUT)


def _in_parquet(source: Source) -> tuple[int, int]:
    """Return the cells of a Parquet file by its footer: of lists, their items."""
    polars = require("polars", extra="cli", purpose="Reading tables")
    kinds = polars.read_parquet_schema(source.stream()).values()
    content = source.content
    footer = len(content) - 8 - _whole(content, len(content) - 8, "<I")
    of_file = _Thrift(content, footer)
    n_rows = next((of_file.whole() for _ in of_file.fields(3)), 0)
    n_items = _values_in_parquet(content, footer) if any(kind.is_nested() for kind in kinds) else 0
    return max(n_items, n_rows * len(kinds)), 0


def _values_in_parquet(content: bytes, at: int) -> int:
    """Return how many values the chunks of all columns say they hold, by the footer at this place.

    PyArrow tells it too, but ends the process where the statistics of a chunk are damaged.
    """
    footer = _Thrift(content, at)
    return sum(
        footer.whole()
        for _ in footer.lists(4)  # row groups
        for _ in footer.lists(1)  # chunks of columns
        for _ in footer.structs(3)  # their metadata
        for _ in footer.fields(5)  # number of values
    )


def _in_arrow(source: Source) -> tuple[int, int]:
    """Return the cells of an Arrow file or stream, and their bytes, by the headers of its batches."""
    content = source.content
    places = _blocks(content) if source.kind == "arrow" else _messages(content)
    n_cells = n_bytes = 0
    for meta, body in places:
        message = _Table(content, meta + _whole(content, meta, "<I"))
        kind, header = message.number(1, "<B"), message.table(2)
        if header is None or kind not in (DICTIONARY, BATCH):
            continue
        batch = header if kind == BATCH else header.table(1)
        if batch is None:
            continue
        n_cells += sum(length for length, _ in batch.pairs(1))
        is_packed = batch.table(3) is not None
        for start, length in batch.pairs(2):
            told = _whole(content, body + start, "<q") if is_packed and length else length
            n_bytes += length if told < 0 else told
    return n_cells, n_bytes


def _blocks(content: bytes) -> Iterator[tuple[int, int]]:
    """Give where header and body of each message of a file are, by its footer."""
    size = _whole(content, len(content) - len(END) - 4, "<i")
    at = len(content) - len(END) - 4 - size
    footer = _Table(content, at + _whole(content, at, "<I"))
    for number in (2, 3):
        for place in footer.places(number, 24):
            start, n_meta = _whole(content, place, "<q"), _whole(content, place + 8, "<i")
            yield start + _prefix(content, start), start + n_meta


def _messages(content: bytes) -> Iterator[tuple[int, int]]:
    """Give where header and body of each message of a stream are."""
    at = 0
    while at + 8 <= len(content):
        prefix = _prefix(content, at)
        size = _whole(content, at + prefix - 4, "<i")
        if size <= 0:
            return
        meta = at + prefix
        body = meta + size
        yield meta, body
        at = body + _Table(content, meta + _whole(content, meta, "<I")).number(3, "<q")


def _prefix(content: bytes, at: int) -> int:
    """Return the bytes before a header: its length, which newer files put a mark before."""
    return 8 if content[at : at + 4] == CONTINUES else 4


def _whole(content: bytes, at: int, kind: str) -> int:
    if at < 0:
        raise struct.error("a place before the first byte")
    return int(struct.unpack_from(kind, content, at)[0])


class _Thrift:
    """Values in Thrift's compact form, the format of Parquet's footers, read one after the other."""

    def __init__(self, content: bytes, at: int) -> None:
        if at < 0:
            raise struct.error("a place before the first byte")
        self._content, self._at = content, at

    def fields(self, wanted: int) -> Iterator[int]:
        """Give the kind of a field of the struct that comes next; it is read before the iterator goes on."""
        number = 0
        while kind := self._byte():
            step = kind >> 4
            number = number + step if step else self.whole()
            if number == wanted:
                yield kind & 15
            else:
                self._skip(kind & 15)

    def lists(self, wanted: int) -> Iterator[None]:
        """Give each struct of a list, which is a field; it is read before the iterator goes on."""
        for _ in self.fields(wanted):
            for _ in range(self._items()[0]):
                yield

    def structs(self, wanted: int) -> Iterator[None]:
        """Give a struct, which is a field; it is read before the iterator goes on."""
        for _ in self.fields(wanted):
            yield

    def whole(self) -> int:
        """Return the whole number that comes next."""
        value = self._varint()
        return value >> 1 ^ -(value & 1)

    def _skip(self, kind: int) -> None:
        if kind in (1, 2):  # yes and no are kinds of fields
            return
        if kind == 3:
            self._at += 1
        elif kind in (4, 5, 6):
            self._varint()
        elif kind == 7:
            self._at += 8
        elif kind == 8:
            size = self._varint()
            self._at += size
        elif kind in (9, 10):
            n_items, of = self._items()
            for _ in range(n_items):
                self._skip(3 if of in (1, 2) else of)
        elif kind == 12:
            for _ in self.fields(0):
                raise struct.error("a field without a number")
        else:
            raise struct.error("a kind that footers do not have")
        if self._at > len(self._content):
            raise struct.error("a place after the last byte")

    def _items(self) -> tuple[int, int]:
        """Return the length of a list, and the kind of its items."""
        head = self._byte()
        return (self._varint() if head >> 4 == 15 else head >> 4), head & 15

    def _varint(self) -> int:
        value = shift = 0
        while (byte := self._byte()) & 128:
            value |= (byte & 127) << shift
            shift += 7
            if shift > 63:
                raise struct.error("a number of more than 64 bits")
        return value | byte << shift

    def _byte(self) -> int:
        self._at += 1
        return self._content[self._at - 1]


class _Table:
    """A table of FlatBuffers, the format of Arrow's headers: fields by number, each of them optional."""

    def __init__(self, content: bytes, at: int) -> None:
        self._content, self._at = content, at
        self._fields = at - _whole(content, at, "<i")
        self._size = _whole(content, self._fields, "<H")

    def number(self, field: int, kind: str) -> int:
        """Return a whole number, 0 where it is left out."""
        place = self._place(field)
        return 0 if place is None else _whole(self._content, place, kind)

    def table(self, field: int) -> _Table | None:
        """Return a table within this one."""
        place = self._place(field)
        return None if place is None else _Table(self._content, place + _whole(self._content, place, "<I"))

    def places(self, field: int, size: int) -> range:
        """Return where the items of a list are, which take so many bytes each."""
        place = self._place(field)
        if place is None:
            return range(0)
        start = place + _whole(self._content, place, "<I")
        count = _whole(self._content, start, "<I")
        return range(start + 4, min(start + 4 + count * size, len(self._content)), size)

    def pairs(self, field: int) -> list[tuple[int, int]]:
        """Return a list of pairs of whole numbers."""
        return [struct.unpack_from("<qq", self._content, at) for at in self.places(field, 16)]

    def _place(self, field: int) -> int | None:
        at = 4 + 2 * field
        offset = _whole(self._content, self._fields + at, "<H") if at < self._size else 0
        return self._at + offset if offset else None
