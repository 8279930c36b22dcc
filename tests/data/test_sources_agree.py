"""One table, one verdict: from a file, from a frame, from a query that has not been run."""

import gzip
import io
import json
import os

import numpy as np
import pandas as pd
import polars as pl
import pyarrow
import pyarrow.dataset
import pytest
from scipy.sparse import issparse

import coterie
from coterie._support.panics import Panicked, quiet_panics, without_panics
from coterie.cluster import KMeans
from coterie.data import as_table, read_table
from coterie.errors import EmptyFile, InvalidData, InvalidFile, UnsupportedInput
from coterie.pipeline.request import make_request
from coterie.scale import read_blocks
from coterie.scale.columns import open_columns
from coterie.scale.rows import run_in_blocks

HUGE = [10**25 + i for i in range(6)]  # one value in float64
NEAR = [2**60 + i for i in range(6)]
X = [0.0, 1.0, 0.5, 9.0, 8.0, 9.5]


@pytest.mark.parametrize("values", [HUGE, NEAR])
def test_what_is_constant_in_floats_is_left_out(tmp_path, values):
    """Law: whole numbers that are one float64 are constant, wherever they come from."""
    pd.DataFrame({"n": pd.Series(values, dtype=object), "x": X}).to_csv(tmp_path / "t.csv", index=False)
    sources = [
        read_table(tmp_path / "t.csv"),
        as_table(pd.DataFrame({"n": pd.Series(values, dtype=object), "x": X})),
        as_table(pl.DataFrame({"n": pl.Series(values, dtype=pl.Int128), "x": X})),
    ]
    for table in sources:
        choice = table.choose()
        assert choice.used == ("x",)
        assert [str(column) for column in choice.left_out] == ["n (constant)"]


@pytest.mark.parametrize("has_index", [False, True])
def test_columns_without_names_come_back_from_every_file(tmp_path, has_index):
    """Law: a frame of numbered columns has the same rows and columns from text, workbooks and folders."""
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(40, 3)).round(6))
    for name in ("t.csv", "p/a.csv", "p/b.csv"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        frame.to_csv(tmp_path / name, index=has_index)
    frame.to_excel(tmp_path / "t.xlsx", index=has_index)
    for name in ("t.csv", "t.xlsx"):
        table = read_table(tmp_path / name)
        assert table.choose().used == ("0", "1", "2")
        np.testing.assert_array_equal(table.matrix(["0", "1", "2"]), frame)
    blocks = read_blocks(str(tmp_path / "p" / "*.csv"))
    assert blocks.n_rows == 80
    assert set(blocks.columns) >= {"0", "1", "2"}


def test_records_are_columns_wherever_they_come_from(tmp_path):
    """Law: fields of records, lists inside them included, are columns in memory and in blocks."""
    rows = [
        {
            "who": {"age": 30 + i, "town": "ab"[i % 2], "at": [i * 0.5, 1.0 - i], "note": None},
            "x": i * i * 0.1,
        }
        for i in range(40)
    ]
    (tmp_path / "t.json").write_text(json.dumps(rows))
    frame = pl.DataFrame(rows)
    (tmp_path / "p").mkdir()
    frame.head(25).write_parquet(tmp_path / "p" / "a.parquet")
    frame.tail(15).write_parquet(tmp_path / "p" / "b.parquet")
    names = ["who.age", "who.at_1", "who.at_2", "x"]
    expected = [[30 + i, i * 0.5, 1.0 - i, i * i * 0.1] for i in range(40)]
    for table in (read_table(tmp_path / "t.json"), as_table(frame), as_table(frame.to_arrow())):
        assert table.columns == ("who.age", "who.town", "who.at_1", "who.at_2", "who.note", "x")
        np.testing.assert_allclose(table.matrix(names), expected)
    blocks = read_blocks(str(tmp_path / "p" / "*.parquet"), columns=names)
    np.testing.assert_allclose(np.concatenate([block.read() for block in blocks]), expected)
    of_folder = coterie.fit(str(tmp_path / "p" / "*.parquet"), "kmeans", 2, believe=False)
    in_memory = coterie.fit(frame, "kmeans", 2, believe=False)
    assert of_folder.groups.columns == in_memory.groups.columns
    np.testing.assert_array_equal(np.asarray(of_folder.labels), in_memory.labels)


def test_a_field_may_be_called_like_a_column(tmp_path):
    """Law: a nested column whose columns would take the name of another stays as it is."""
    frame = pl.DataFrame({"a": [{"b": 1.0}, {"b": 2.0}], "a.b": [3.0, 4.0]})
    assert as_table(frame).columns == ("a", "a.b")


def test_large_keys_stay_keys(tmp_path):
    """Law: a key whose numbers are one float64 still names the rows, and keeps its digits."""
    (tmp_path / "t.csv").write_text("id,x\n" + "".join(f"{n},{x}\n" for n, x in zip(HUGE, X, strict=True)))
    frame = pd.DataFrame({"id": pd.Series(HUGE, dtype=object), "x": X})
    for table in (read_table(tmp_path / "t.csv"), as_table(frame)):
        assert table.key_columns() == ("id",)
        assert table.content["id"].to_list() == HUGE


def test_queries_are_collected_or_refused(tmp_path):
    """Law: a lazy frame is a table to coterie.fit; elsewhere the message says what to call."""
    frame = pl.DataFrame({"x": X * 5, "y": X * 5})
    assert as_table(frame.lazy().filter(pl.col("x") < 9)).n_rows == 20
    table = frame.to_arrow()
    scanner = pyarrow.dataset.dataset(table).scanner()
    for query, call in ((frame.lazy(), "collect"), (table.to_reader(), "read_all"), (scanner, "to_table")):
        with pytest.raises(
            UnsupportedInput, match=rf"X of KMeans must be a table.*Read them first: X.{call}\(\)"
        ):
            KMeans(2).fit(query)
        with pytest.raises(UnsupportedInput, match=rf"Read them first: X.{call}\(\)"):
            read_blocks(query)
    with pytest.raises(UnsupportedInput, match=r"X of coterie.fit must be.*X.read_all\(\)"):
        coterie.fit(table.to_reader(), "kmeans", "2")


class PanicException(BaseException):
    """As libraries in Rust raise it."""


def test_a_panic_is_an_error_and_is_not_printed(capfd):
    """Law: a panic becomes an error, and its text stays off the screen; other text comes out."""

    def panic():
        with quiet_panics():
            os.write(2, b"a warning\nthread '<unnamed>' panicked at somewhere\nindex out of bounds\n")
            raise PanicException("index out of bounds")

    with pytest.raises(Panicked, match="index out of bounds"):
        panic()
    assert capfd.readouterr().err == "a warning\n"
    with quiet_panics():
        os.write(2, b"a warning\n")
    assert capfd.readouterr().err == "a warning\n"


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, InvalidFile])
def test_what_is_no_panic_passes(error):
    """Law: Ctrl-C and errors of ours are what they were."""
    with pytest.raises(error, match="stop"), quiet_panics():
        raise error("stop")


def test_only_the_text_of_panics_is_left_out():
    """Law: backtraces and later panics without a note go, lines of others between them stay."""
    first = b"\nthread '<unnamed>' (7) panicked at a.rs:1:2:\nno such\ndate\nstack backtrace:\n  0: f\n"
    note = b"note: Some details are omitted, run with `RUST_BACKTRACE=full` for a verbose backtrace.\n"
    later = b"\nthread 'rayon' panicked at c.rs:3:4:\nanother\n"
    text = b"one\n" + first + note + b"note: two\n" + later + b"three\n"
    assert without_panics(text, "no such\ndate") == b"one\nnote: two\nthree\n"


def test_a_text_that_makes_polars_panic_prints_nothing(tmp_path, monkeypatch, capfd):
    """Law: of a CSV file that polars panics on, people read one sentence."""

    def panic(*_, **__):
        os.write(2, b"\nthread '<unnamed>' panicked at csv.rs:1:2:\nindex out of bounds\n")
        raise PanicException("index out of bounds")

    path = tmp_path / "table.csv"
    path.write_text("a,b\n1,2\n3,4\n")
    monkeypatch.setattr("polars.read_csv", panic)
    with pytest.raises(InvalidFile, match=r"cannot be read as a table \(index out of bounds\)"):
        read_table(path)
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(
    ("numbers", "kind"),
    [
        (pl.Series([0, 2**31 - 1], dtype=pl.Int32), pl.Date),
        (pl.Series([0, -(2**62)], dtype=pl.Int64), pl.Datetime("ms")),
    ],
)
def test_dates_that_do_not_exist(tmp_path, numbers, kind):
    """Law: a date that polars cannot write is refused with its column; a table prints no values."""
    path = tmp_path / "table.parquet"
    pl.DataFrame({"x": [1.0, 2.0], "when": numbers.cast(kind)}).write_parquet(path)
    with pytest.raises(InvalidFile, match=r'column "when" has a date or time that does not exist'):
        read_table(path)
    pl.DataFrame({"x": [1.0, 2.0], "when": numbers.clip(0, 5).cast(kind)}).write_parquet(path)
    assert repr(read_table(path)).endswith("table.parquet: 2 rows, 2 columns>")


def test_packed_text_in_several_parts(tmp_path):
    """Law: gzip files one after the other in one file are one text."""
    (tmp_path / "t.csv.gz").write_bytes(
        gzip.compress(b"a,b\n1,2\n", mtime=0) + gzip.compress(b"3,4\n", mtime=0)
    )
    np.testing.assert_array_equal(read_table(tmp_path / "t.csv.gz").matrix(["a", "b"]), [[1, 2], [3, 4]])


def test_standard_input_in_pieces(monkeypatch):
    """Law: what comes through a pipe is read piece by piece, all of it."""
    text = b"a,b\n" + b"1,2\n3,5\n" * 300_000
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text)))
    assert read_table("-").n_rows == 600_000


def folder_of(tmp_path, frames):
    """Write frames as Parquet and as CSV, and give the two folders."""
    for kind in ("parquet", "csv"):
        (tmp_path / kind).mkdir()
        for number, frame in enumerate(frames):
            path = tmp_path / kind / f"{number}.{kind}"
            frame.to_parquet(path) if kind == "parquet" else frame.to_csv(path, index=False)
    return [tmp_path / "parquet", tmp_path / "csv"]


def two_clouds(n_rows, *more):
    """Rows of two clouds far apart, with some other columns."""
    rng = np.random.default_rng(n_rows)
    frame = pd.DataFrame(
        rng.normal(size=(n_rows, 2)) + 20 * (np.arange(n_rows) % 2)[:, None], columns=["x", "y"]
    )
    return frame.assign(**{name: rng.normal(size=n_rows) for name in more})


def test_columns_that_only_some_files_have_are_left_out_and_named(tmp_path):
    """Law: the columns are those of all files, not of the first; what some lack is left out and said."""
    frames = [two_clouds(40), two_clouds(50, "late"), two_clouds(60, "late", "once")]
    for folder in folder_of(tmp_path, frames):
        reasons = {"late": "not in 1 of 3 files", "once": "not in 2 of 3 files"}
        table = read_table(folder)
        assert table.n_rows == 150
        choice = table.choose()
        assert choice.used == ("x", "y")
        assert {one.name: one.reason for one in choice.left_out} == reasons
        assert table.choose(keep=["late"]).used == ("x", "y", "late")
        in_blocks = open_columns(str(folder))
        assert in_blocks.columns == ("x", "y")
        assert {one.name: one.reason for one in in_blocks.left_out} == reasons
        assert any("late" in note and "keep=" in note for note in in_blocks.reading_notes({}))
        kept = open_columns(str(folder), keep=["late"])
        assert kept.columns == ("x", "y", "late")
        assert np.isnan(kept.blocks.pieces[0].value(0, 50).column("late").to_numpy()).all()


def test_files_without_rows_are_skipped_and_named(tmp_path):
    """Law: a first file without rows decides nothing; the answer says which files are empty."""
    frames = [two_clouds(40).iloc[:0], two_clouds(40)]
    for folder in folder_of(tmp_path, frames):
        table, in_blocks = read_table(folder), open_columns(str(folder))
        assert table.n_rows == in_blocks.blocks.n_rows == 40
        assert table.choose().used == in_blocks.columns == ("x", "y")
        for notes in (table.notes, in_blocks.notes):
            assert any(note.startswith("1 of 2 files has no rows: ") for note in notes)


def test_a_column_that_is_empty_in_the_first_file_is_used(tmp_path):
    """Law: a column is empty only if no file has a value; where gaps are refused, the file is named."""
    frames = [two_clouds(40).assign(z=None), two_clouds(400, "z")]
    for folder in folder_of(tmp_path, frames):
        assert read_table(folder).choose().used == ("x", "y", "z")
        assert open_columns(str(folder)).columns == ("x", "y", "z")
        with pytest.raises(InvalidData, match=r'0.(parquet|csv).*column "z"'):
            run_in_blocks(str(folder), make_request("kmeans", 2, missing="refuse"))


def test_files_of_which_none_has_rows(tmp_path):
    """Law: without any rows the number of files is said, by every door."""
    for folder in folder_of(tmp_path, [two_clouds(40).iloc[:0]] * 3):
        for read in (read_table, open_columns):
            with pytest.raises(EmptyFile, match="none of its 3 files has rows"):
                read(str(folder))


def test_other_kinds_of_tables_in_memory():
    """Law: records, structured arrays, one column and sparse frames are tables; an open file is refused."""
    frame = pd.DataFrame({"x": X, "y": [1.0, 0.0, 0.0, 5.0, 0.0, 7.0]})
    records = frame.to_dict("records")
    structured = frame.to_records(index=False).view(np.ndarray)
    sparse = frame.astype(pd.SparseDtype(float, 0.0))
    for rows in (records, structured, sparse, frame.astype({"y": sparse["y"].dtype}), pl.from_pandas(frame)):
        table = as_table(rows)
        assert table.columns == ("x", "y")
        np.testing.assert_array_equal(_dense(table), frame)
    assert issparse(as_table(sparse).content)
    for column in (frame["x"], pl.Series("x", X)):
        assert as_table(column).columns == ("x",)
    assert as_table(pd.Series(X)).columns == ("column_1",)
    ours, theirs = (coterie.fit(rows, "kmeans", 2, believe=False).labels for rows in (records, frame))
    np.testing.assert_array_equal(ours, theirs)
    with pytest.raises(UnsupportedInput, match="the data are an open file"):
        as_table(io.BytesIO(b"x,y"))


def _dense(table):
    return table.content.toarray() if issparse(table.content) else table.matrix(table.columns)
