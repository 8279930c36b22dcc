"""Whatever holds the rows, blocks give them back in order; what is broken is named."""

import os

import dask.array
import dask.dataframe
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.dataset
import pytest

from coterie.errors import InvalidData, InvalidParameter, MissingFile, UnsupportedInput
from coterie.scale import Blocks, read_blocks
from coterie.scale.sources import csv as _csv
from source_files import (
    frame_of,
    parts_of,
    rows_in,
    write_csv,
    write_feather,
    write_npy,
    write_parquet,
    write_zarr,
)


def mapped(rows, folder):
    np.save(folder / "rows.npy", rows)
    return np.load(folder / "rows.npy", mmap_mode="r")


def chunks_of(rows, _folder=None):
    return dask.array.concatenate([dask.array.from_array(part, chunks=-1) for part in parts_of(rows)])


def unknown_chunks(rows, _folder):
    array = dask.array.from_array(rows, chunks=(4000, 2))
    return array[array[:, 0] > -np.inf]


SOURCES = {
    "matrix": lambda rows, folder: rows,
    "list": lambda rows, folder: rows.tolist(),
    "pandas": lambda rows, folder: frame_of(rows),
    "parquet": write_parquet,
    "csv": write_csv,
    "npy": write_npy,
    "zarr": write_zarr,
    "feather": write_feather,
    "memory map": mapped,
    "dask array": chunks_of,
    "dask array of unknown lengths": unknown_chunks,
    "dask frame": lambda rows, folder: dask.dataframe.from_pandas(frame_of(rows), npartitions=5),
    "arrow table": lambda rows, folder: pa.Table.from_pandas(frame_of(rows)),
    "arrow dataset": lambda rows, folder: (write_parquet(rows, folder), pa.dataset.dataset(folder))[1],
}


@pytest.mark.parametrize("kind", SOURCES)
def test_blocks_give_the_rows_back(kind, rows, tmp_path):
    """Law: blocks of any source are its rows, in order, in blocks of the size asked for."""
    blocks = read_blocks(SOURCES[kind](rows, tmp_path), block_rows=8192)
    assert blocks.sizes() == (8192, 8192, 20_000 - 2 * 8192)
    np.testing.assert_array_equal(rows_in(blocks), rows)
    assert blocks.dtype == np.float64


def test_size_of_blocks_depends_on_the_columns_alone(rows):
    """Law: however rows are cut, their blocks are the same."""
    assert read_blocks(chunks_of(rows)).block_rows == read_blocks(rows).block_rows
    assert "20,000 rows x 3 columns of float64" in repr(read_blocks(rows))


def test_blocks_are_taken_as_they_are(rows):
    """Law: blocks of blocks are the same rows, recut if asked."""
    blocks = read_blocks(rows)
    assert isinstance(blocks, Blocks)
    assert read_blocks(blocks, block_rows=8192).n_blocks == 3


def test_columns_are_taken_in_the_order_asked_for(rows, tmp_path):
    """Law: columns chooses and orders, in files, frames and collections."""
    pattern = write_parquet(rows, tmp_path)
    frame = frame_of(rows)
    for source in (pattern, frame, dask.dataframe.from_pandas(frame, npartitions=2)):
        blocks = read_blocks(source, columns=["z", "x"])
        assert blocks.columns == ("z", "x")
        np.testing.assert_array_equal(rows_in(blocks), rows[:, [2, 0]])


def test_types_of_all_files_decide(tmp_path):
    """Law: float32 stays when every file has it; one file of whole numbers makes all float64."""
    frame = pd.DataFrame({"x": [1.5, 2.5], "y": [0.0, 1.0]})
    frame.astype("float32").to_parquet(tmp_path / "a.parquet")
    assert read_blocks(tmp_path).dtype == np.float32
    frame.astype("int64").to_parquet(tmp_path / "b.parquet")
    blocks = read_blocks(tmp_path)
    assert blocks.dtype == np.float64
    np.testing.assert_array_equal(rows_in(blocks), [[1.5, 0], [2.5, 1], [1, 0], [2, 1]])


def test_order_of_columns_may_differ_between_files(tmp_path):
    """Law: columns are found by name."""
    pd.DataFrame({"x": [1.0], "y": [2.0]}).to_parquet(tmp_path / "a.parquet")
    pd.DataFrame({"y": [4.0], "x": [3.0]}).to_parquet(tmp_path / "b.parquet")
    np.testing.assert_array_equal(rows_in(read_blocks(tmp_path)), [[1, 2], [3, 4]])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x,y\n1,2\n3,4\n\n \n", [[1, 2], [3, 4]]),
        ("x;y\r\n1;2\r\n3;4\r\n\r\n", [[1, 2], [3, 4]]),
        ("1\t2\n3\t4\n", [[1, 2], [3, 4]]),
        ('x,"y"\n"1",2\n3,"4"\n', [[1, 2], [3, 4]]),
    ],
)
def test_csv_of_many_hands(text, expected, tmp_path):
    """Law: blank lines at the end, quotes, both line ends, no header or last line end change nothing."""
    (tmp_path / "rows.csv").write_bytes(text.encode())
    np.testing.assert_array_equal(rows_in(read_blocks(tmp_path / "rows.csv")), expected)


def test_csv_with_line_ends_in_quotes(tmp_path, monkeypatch):
    """Law: a line end within quotes ends no row, wherever ranges end."""
    lines = ["note,x"] + [f'"a\nb {i}",{i}' for i in range(200)]
    (tmp_path / "rows.csv").write_text("\n".join(lines) + "\n")
    monkeypatch.setattr(_csv, "RANGE_BYTES", 97)
    blocks = read_blocks(tmp_path / "rows.csv", columns=["x"])
    assert len(blocks.pieces) > 10
    np.testing.assert_array_equal(rows_in(blocks)[:, 0], np.arange(200))


@pytest.mark.parametrize(
    ("source", "error", "message"),
    [
        ("nowhere.parquet", MissingFile, "nowhere.parquet: there is no such file or folder"),
        ("none-*.parquet", MissingFile, "no file matches this pattern"),
        (np.ones(3), UnsupportedInput, "X must be a matrix of numbers.*1 dimensions"),
        (np.array([["a"]]), UnsupportedInput, "X must be a matrix of numbers"),
        (np.empty((0, 3)), InvalidData, "has no rows or no columns"),
    ],
)
def test_what_cannot_be_opened(source, error, message, tmp_path, monkeypatch):
    """Law: what is no data is refused in one sentence."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(error, match=message):
        read_blocks(source)


def test_parameters_are_checked(rows, tmp_path):
    """Law: a block size that would change results, and columns that are not there, are refused."""
    with pytest.raises(InvalidParameter, match="block_rows must be a multiple of 8192, got 1000"):
        read_blocks(rows, block_rows=1000)
    with pytest.raises(InvalidParameter, match="columns names columns of tables; this source has none"):
        read_blocks(rows, columns=["x"])
    write_parquet(rows, tmp_path)
    with pytest.raises(InvalidParameter, match=r'has no column "X". Did you mean "x"\?'):
        read_blocks(tmp_path, columns=["X"])


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_rewritten_file_is_read_anew(kind, tmp_path):
    """Law: what is kept of a file does not outlive it."""
    for number in (1.0, 2.0):
        frame, path = pd.DataFrame({"x": [number] * 3}), tmp_path / f"a.{kind}"
        frame.to_parquet(path) if kind == "parquet" else frame.to_csv(path, index=False)
        os.utime(path, ns=(0, int(number)))
        np.testing.assert_array_equal(rows_in(read_blocks(path)), [[number]] * 3)


def test_a_filtered_dataset(tmp_path):
    """Law: a dataset whose parts cannot be told is refused with the way out."""
    pd.DataFrame({"x": [1.0, 2.0]}).to_parquet(tmp_path / "a.parquet")
    some = pyarrow.dataset.dataset(tmp_path).filter(pyarrow.dataset.field("x") > 1)
    with pytest.raises(UnsupportedInput, match=r"filtered or projected .* Give the dataset itself"):
        read_blocks(some)
