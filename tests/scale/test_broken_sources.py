"""Files that are broken, incomplete or not what they seem: named, with the way out."""

import dask.array
import dask.dataframe
import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from coterie.errors import InvalidData, InvalidFile
from coterie.scale import read_blocks
from source_files import (
    NAMES,
    frame_of,
    rows_in,
    write_parquet,
    write_zarr,
)


def test_truncated_parquet_is_named(rows, tmp_path):
    """Law: of many files, the one that lost its end is named."""
    write_parquet(rows, tmp_path)
    broken = tmp_path / "3.parquet"
    broken.write_bytes(broken.read_bytes()[:-100])
    with pytest.raises(InvalidFile, match=r"3\.parquet: cannot be read as Parquet"):
        read_blocks(tmp_path)


def test_corrupt_row_group_is_named(rows, tmp_path):
    """Law: a file whose rows are broken is named when they are read, with the row group."""
    frame_of(rows).to_parquet(tmp_path / "a.parquet", row_group_size=9000, compression="gzip")
    content = bytearray((tmp_path / "a.parquet").read_bytes())
    footer = pq.read_metadata(tmp_path / "a.parquet").row_group(1).column(0)
    begin = footer.data_page_offset
    content[begin : begin + footer.total_compressed_size // 2] = b"\xff" * (footer.total_compressed_size // 2)
    (tmp_path / "a.parquet").write_bytes(content)
    with pytest.raises(InvalidFile, match=r"a\.parquet \(row group 1\): cannot be read as Parquet"):
        rows_in(read_blocks(tmp_path))


def test_corrupt_zarr_chunk_is_named(rows, tmp_path):
    """Law: a zarr array with a broken chunk is named, with the rows that were asked for."""
    source = write_zarr(rows, tmp_path)
    chunk = next(path for path in sorted(source.rglob("*")) if path.is_file() and path.name == "0")
    chunk.write_bytes(b"no chunk")
    with pytest.raises(InvalidFile, match=r"zarr array .*\(rows \d+ to \d+\): cannot be read as zarr"):
        rows_in(read_blocks(source, block_rows=8192))


def test_file_cut_off_after_it_was_opened_is_named(rows, tmp_path):
    """Law: a memory map whose file lost its end is named."""
    np.save(tmp_path / "a.npy", rows)
    blocks = read_blocks(tmp_path / "a.npy")
    (tmp_path / "a.npy").write_bytes((tmp_path / "a.npy").read_bytes()[:1000])
    with pytest.raises(InvalidFile, match=r"a\.npy: has changed since it was opened: it had 480,128 bytes"):
        rows_in(blocks)
    with pytest.raises(InvalidFile, match=r"a\.npy: cannot be read as npy"):
        read_blocks(tmp_path / "a.npy")


def test_text_among_numbers_is_named(tmp_path):
    """Law: a range of a CSV file that holds text where numbers were is named."""
    lines = ["x"] + ["1"] * 200_000 + ["many"]
    (tmp_path / "rows.csv").write_text("\n".join(lines) + "\n")
    place = r'rows\.csv \(bytes 2 to 400007\): column "x" is read as number, but row 200001 holds "many"'
    with pytest.raises(InvalidData, match=place):
        rows_in(read_blocks(tmp_path))


def test_missing_column_is_named(rows, tmp_path):
    """Law: the file that lacks a column is named, and the column."""
    write_parquet(rows, tmp_path)
    frame_of(rows[:10]).drop(columns="y").to_parquet(tmp_path / "2.parquet")
    with pytest.raises(InvalidData, match=r'2\.parquet: has no column "y", which .*0\.parquet has'):
        read_blocks(tmp_path)


def test_column_of_one_file_alone_is_named(rows, tmp_path):
    """Law: a column that only some files have is never left out silently."""
    write_parquet(rows, tmp_path)
    frame_of(rows[:10]).assign(w=1.0).to_parquet(tmp_path / "2.parquet")
    with pytest.raises(InvalidData, match=r'2\.parquet: has a column "w", which .* has not.*columns='):
        read_blocks(tmp_path)
    assert read_blocks(tmp_path, columns=NAMES).n_columns == 3


def test_text_columns_are_refused_with_the_way_out(tmp_path):
    """Law: text is not a number; the message says how to leave it out."""
    frame = pd.DataFrame({"name": ["a", "b"], "x": [1.0, 2.0]})
    frame.to_parquet(tmp_path / "a.parquet")
    with pytest.raises(
        InvalidData, match=r'a\.parquet: column "name" is .*string, numbers are needed.*columns='
    ):
        read_blocks(tmp_path)
    with pytest.raises(InvalidData, match=r'column "name" is .*, numbers are needed'):
        read_blocks(dask.dataframe.from_pandas(frame, npartitions=1))


def test_files_of_two_kinds_are_refused(rows, tmp_path):
    """Law: a folder is one table."""
    write_parquet(rows, tmp_path)
    np.save(tmp_path / "rows.npy", rows)
    with pytest.raises(InvalidFile, match=r"files must all be of one kind.*got \.npy, \.parquet"):
        read_blocks(tmp_path)
