"""Small files whose tables do not fit in memory: refused before a reader ends the process."""

import contextlib
import io
import json
import os
import sqlite3
import struct
import subprocess
import sys
import zipfile

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from coterie._support.validation import memory
from coterie.data import read_table
from coterie.data.files import decoded
from coterie.data.files.source import Source, open_source
from coterie.errors import NotEnoughMemory

N = 400_000
LONG = "x" * 100_000


@pytest.fixture(autouse=True)
def little_memory(monkeypatch):
    """Let 16 MiB be free."""
    monkeypatch.setattr(memory, "available_memory", lambda: 1 << 24)


def columnar(kind, table):
    """Return the content of a file in one of the formats, packed."""
    stream = io.BytesIO()
    if kind == "parquet":
        pq.write_table(table, stream, compression="zstd")
    else:
        options = pa.ipc.IpcWriteOptions(compression="zstd")
        new = pa.ipc.new_file if kind == "arrow" else pa.ipc.new_stream
        with new(stream, table.schema, options=options) as writer:
            writer.write_table(table)
    return stream.getvalue()


@pytest.mark.parametrize("kind", ["parquet", "arrow", "arrows"])
@pytest.mark.parametrize(
    "column",
    [
        pa.array(np.zeros(4 * N)),
        pa.array(np.zeros(4 * N, dtype=bool)),
        pa.nulls(4 * N),
        pa.array([np.zeros(4 * N)]),
        pa.array([{"a": [0.0] * (4 * N)}]),
    ],
    ids=["numbers", "yes and no", "nulls", "a list", "a list in a record"],
)
def test_columns_of_equal_cells(tmp_path, kind, column):
    """Law: cells that take some kilobytes packed are counted by what they take unpacked."""
    content = columnar(kind, pa.table({"x": column}))
    assert len(content) < 1 << 18
    (tmp_path / f"t.{kind}").write_bytes(content)
    with pytest.raises(NotEnoughMemory, match=r"with 1,600,\d\d\d cells, needs 24\.\d MiB, 16\.0 MiB are fr"):
        read_table(tmp_path / f"t.{kind}")


@pytest.mark.parametrize("at", range(1, 400, 3))
def test_a_damaged_footer_passes(at):
    """Law: a footer that is damaged anywhere is left to the reader to tell: no process ends."""
    content = bytearray(columnar("parquet", pa.table({"x": [[1.0, 2.0]], "y": ["a"]})))
    for value in (0, 0x7F, 0x80, 0xFF, 0xFC):
        content[-min(at, len(content))] = value
        decoded.check_decoded_size(Source("t.parquet", bytes(content), "parquet"))


@pytest.mark.parametrize("of", [0x11, 0x12, 0x15, 0x18, 0x19, 0x1C, 0x80, 0xF9])
def test_a_hostile_footer_ends(of):
    """Law: endless lists, numbers without end and structs in structs end at the last byte."""
    footer = b"\x49\xfc" + b"\xff" * 9 + bytes([of]) * 100_000
    content = b"PAR1" + footer + len(footer).to_bytes(4, "little") + b"PAR1"
    with pytest.raises((struct.error, IndexError, RecursionError)):
        decoded._values_in_parquet(content, content.index(footer))


@pytest.mark.parametrize("kind", ["parquet", "arrow", "arrows"])
@pytest.mark.parametrize("is_category", [False, True])
def test_one_long_text_in_every_row(tmp_path, kind, is_category):
    """Law: a text that is stored once, for all rows, is counted as often as it stands in the table."""
    if kind == "parquet" and not is_category:
        stream = io.BytesIO()
        table = pa.table({"t": pa.array([LONG]).dictionary_encode().take(pa.array([0] * 200))})
        pq.write_table(table, stream, store_schema=False)
        content = stream.getvalue()
    else:
        texts = pa.DictionaryArray.from_arrays(pa.array([0] * 200, pa.int32()), pa.array([LONG]))
        content = columnar(kind, pa.table({"t": texts}))
    (tmp_path / f"t.{kind}").write_bytes(content)
    with pytest.raises(NotEnoughMemory, match=r"with texts of many letters, needs 38\.1 MiB"):
        read_table(tmp_path / f"t.{kind}")


@pytest.mark.parametrize("packing", ["uncompressed", "lz4", "zstd"])
@pytest.mark.parametrize("write", ["write_ipc", "write_ipc_stream"])
def test_batches_are_counted_by_their_headers(packing, write):
    """Law: the bytes that the headers of Arrow promise are those that a frame takes, packed or not."""
    frame = pl.DataFrame({"x": np.arange(3000.0), "n": range(3000), "t": ["a", "bb", None] * 1000})
    stream = io.BytesIO()
    getattr(frame, write)(stream, compression=packing)
    kind = "arrow" if write == "write_ipc" else "arrow stream"
    n_cells, n_bytes = decoded._in_arrow(Source("t", stream.getvalue(), kind))
    assert n_cells == 9000
    assert abs(n_bytes - frame.estimated_size()) < 50_000


def test_damaged_headers_are_left_to_the_reader():
    """Law: whatever byte of an Arrow file or stream is wrong, counting ends, without an error of its own."""
    rng = np.random.default_rng(0)
    table = pa.table({"x": np.arange(20.0), "t": pa.array(["a", "b"] * 10).dictionary_encode()})
    for kind, name in (("arrow", "arrow"), ("arrows", "arrow stream")):
        whole = columnar(kind, table)
        for _ in range(300):
            content = bytearray(whole)
            for place in rng.integers(0, len(content), size=3):
                content[place] = rng.integers(0, 256)
            with contextlib.suppress(NotEnoughMemory):
                decoded.check_decoded_size(Source("t", bytes(content), name))


def workbook(path, n_rows, text):
    """Write a workbook in which every row refers to one text."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/workbook.xml", "<workbook/>")
        archive.writestr("xl/other.xml", f"<sst><si><t>{text}</t></si><si><t>b</t></si></sst>")
        cells = "".join(
            f'<row><c r="A{i}" t="s"><v>0</v></c><c t="s"><v>1</v></c></row>' for i in range(n_rows)
        )
        archive.writestr("xl/worksheets/sheet1.xml", f"<worksheet><sheetData>{cells}</sheetData></worksheet>")
    return path


def test_one_long_text_in_every_row_of_a_workbook(tmp_path):
    """Law: a workbook that refers to one long text very often is refused before its reader copies it."""
    with pytest.raises(NotEnoughMemory, match=r"a sheet with texts of 20,0\d\d,\d\d\d letters needs 57\.2"):
        read_table(workbook(tmp_path / "t.xlsx", 200, LONG))


def test_records_that_share_no_field(tmp_path):
    """Law: JSON whose table would have a column per record is refused by the number of its cells."""
    (tmp_path / "t.json").write_text(json.dumps([{f"k{i}": i} for i in range(2000)]))
    with pytest.raises(NotEnoughMemory, match=r"a table of 2,000 records and 2,000 fields, needs 91\.6 MiB"):
        read_table(tmp_path / "t.json")


def test_json_of_many_small_values(tmp_path):
    """Law: short text that is large as objects of Python is refused by how large they are."""
    (tmp_path / "t.json").write_text(f"[{'[1],' * 200_000}[2]]")
    with pytest.raises(NotEnoughMemory, match=r"t.json, JSON of 781 KiB, needs 28\.\d MiB"):
        read_table(tmp_path / "t.json")


def test_a_view_of_endless_long_texts(tmp_path, monkeypatch):
    """Law: rows of a database are fetched so few at once that the limit of memory is heard in time."""
    monkeypatch.setenv("COTERIE_READ_LIMIT", "4M")
    path = tmp_path / "t.db"
    rows = "with recursive c(x) as (select 1 union all select x + 1 from c) select x"
    for view, message in (
        (f"{rows} as a, hex(zeroblob(100000)) as b from c", "the rows take more than 4.0 MiB"),
        (f"{rows} as a, zeroblob(100000000) as b from c", "a cell or some rows take more memory than there"),
    ):
        connection = sqlite3.connect(path)
        connection.execute("drop view if exists t")
        connection.execute(f"create view t as {view}")
        connection.commit()
        connection.close()
        with pytest.raises(NotEnoughMemory, match=message):
            read_table(path)


def test_a_file_that_gets_shorter(tmp_path):
    """Law: who shortens a file while it is looked at does not end the process."""
    (tmp_path / "t.csv").write_bytes(b"1,2\n" * 100_000)
    program = (
        "import os, sys\nfrom coterie.data.files.source import open_source\n"
        "source = open_source(sys.argv[1])\nos.truncate(sys.argv[1], 4)\nprint(source.content[-4:])\n"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "t.csv")]
    done = subprocess.run(command, capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (0, b"b'1,2\\n'\n")


def test_ordinary_tables_are_read(tmp_path):
    """Law: what fits is read as before."""
    table = pa.table({"x": np.arange(6.0), "t": pa.array(["a", "b"] * 3).dictionary_encode()})
    for kind in ("parquet", "arrow", "arrows"):
        (tmp_path / f"t.{kind}").write_bytes(columnar(kind, table))
        assert read_table(tmp_path / f"t.{kind}").n_rows == 6
    assert open_source(os.fspath(tmp_path / "t.arrow")).kind == "arrow"
