"""Text tables: every way of writing one is found out, every broken one is named with its place."""

import gzip

import numpy as np
import pytest

from coterie.data import read_table
from coterie.errors import InvalidFile, InvalidParameter, NotEnoughMemory


@pytest.fixture
def write(tmp_path):
    def write_file(content, name="t.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write_file


def matrix(path, **options):
    table = read_table(path, **options)
    return table.matrix(table.columns)


@pytest.mark.parametrize(
    "content",
    [
        "x,y\n1,2.5\n3,4\n5,6\n",
        "x;y\n1;2.5\n3;4\n5;6\n",
        "x;y\n1;2,5\n3;4\n5;6\n",
        "x\ty\n1\t2.5\n3\t4\n5\t6\n",
        "x|y\n1|2.5\n3|4\n5|6\n",
        "x y\n1 2.5\n3 4\n5 6\n",
        "  x   y\n  1   2.5\n  3   4\n  5  6  \n",
        "x,y\r\n1,2.5\r\n3,4\r\n5,6\r\n",
        "x,y\r1,2.5\r3,4\r5,6",
        "\ufeffx,y\n1,2.5\n3,4\n5,6\n",
        "# made by hand\n\nx,y\n1,2.5\n# in between\n3,4\n5,6\n",
        "x, y\n 1, +2.5\n 3, 4\n 5, 6\n",
        '"x","y"\n"1","2.5"\n"3","4"\n"5","6"\n',
        "x,y\n1,2.5\n3,4\n5,6\n\n \n",
        "x,y\n1,2.5\n3,4\n5,6\n".encode("utf-16"),
        gzip.compress(b"x,y\n1,2.5\n3,4\n5,6\n", mtime=0),
    ],
)
def test_every_way_of_writing_gives_the_same_table(write, content):
    """Law: delimiter, decimal sign, line end, byte order mark, comments and packing do not matter."""
    table = read_table(write(content))
    assert table.columns == ("x", "y")
    assert table.has_names
    np.testing.assert_array_equal(table.matrix(["x", "y"]), [[1, 2.5], [3, 4], [5, 6]])


@pytest.mark.parametrize(
    ("content", "has_names"),
    [
        ("1,2\n3,4\n", False),
        ("a,b\n3,4\n", True),
        ("Turin,5\nRome,6\n", False),
        ("city,5\nRome,6\n", False),
        ("a,b\nc,d\n", True),
        ("a,2020\n1,2\n3,4\n", True),
    ],
)
def test_header_is_found(write, content, has_names):
    """Law: a first line of numbers is data; one of names above numbers is a header."""
    assert read_table(write(content)).has_names is has_names


LINE = "0,1,2,3\n1,0,1,2\n2,1,0,1\n3,2,1,0\n"


@pytest.mark.parametrize(
    ("content", "has_names"),
    [
        ("0,1\n0.5,2.5\n1,3\n0.5,0.1\n", True),
        ("0,1\n1,0\n1,1\n", False),
        ("0,1,2\n5,5,1\n7,8,8\n", True),
        ("1,2,3\n5,5,1\n7,8,8\n", False),
        ("1,2,3\n0.5,0.5,0.1\n0.7,0.8,8\n", True),
        (",0,1\n0,5,5\n1,7,8\n", True),
        ("0,1,2\n1,2,3\n2,3,4\n", False),
        (LINE, False),
        ("country,1990,1995,2000\nChad,5,9,2\nMali,4,1,7\n", True),
        ("Chad,5,9,2\nMali,4,1,7\n", False),
        ("Chad,1,2,3\nMali,4,1,7\n", False),
        ("00,01,02\n5,5,1\n", False),
    ],
)
def test_numbers_that_count_the_columns_are_a_header(write, content, has_names):
    """Law: 0, 1, 2 ... (as pandas writes) and years behind a name are names; a row like others is data."""
    table = read_table(write(content))
    assert table.has_names is has_names
    assert table.n_rows == content.count("\n") - has_names
    assert any("--no-header" in note for note in table.notes) is has_names


@pytest.mark.parametrize(
    "content",
    [
        '"a" "b"\n"New York" 0.5 NA\n"Rio" 0.1 2.5\n',
        "a,b\nNew York,0.5,\nRio,0.1,2.5\n",
        "a\tb\nNew York\t0.5\tNA\nRio\t0.1\t2.5\n",
    ],
)
def test_row_names_without_a_name(write, content):
    """Law: a header with one cell less than every row, as R writes it, leaves the first column unnamed."""
    table = read_table(write(content))
    assert table.columns == ("column_1", "a", "b")
    assert table.content["column_1"].to_list() == ["New York", "Rio"]
    np.testing.assert_array_equal(table.matrix(["a", "b"]), [[0.5, np.nan], [0.1, 2.5]])


def test_rows_with_a_cell_too_few_below_row_names(write):
    """Law: a line with too few cells is refused, and compared with a line that has all of them."""
    path = write("a,b,c\n" + "".join(f"r{i},{i},2,3\n" for i in range(300)) + "r,1,2\n")
    with pytest.raises(InvalidFile, match=r"line 302 has 3 cells, line 2 has 4"):
        read_table(path)


def test_separator_line(write):
    """Law: the line by which Excel is told the delimiter is not a row."""
    table = read_table(write("sep=;\na;b\n1,5;2\n2,5;3\n"))
    np.testing.assert_array_equal(table.matrix(["a", "b"]), [[1.5, 2], [2.5, 3]])


@pytest.mark.parametrize(
    "above",
    [
        "Sales 2025\n",
        "Sales 2025,,\nas of 31.12.2025,,\n\n",
        ',"first, second",\n',
        '"a title\nof two lines",,\n',
        "# a comment\n\nSales 2025\n",
    ],
)
def test_titles_above_the_table_are_skipped(write, above):
    """Law: rows that fill less than half of the columns above the names are no part of the table."""
    table = read_table(write(above + "name,x,y\nUlm,1,2.5\nBonn,3,\nKiel,5,6\n"))
    assert table.columns == ("name", "x", "y")
    np.testing.assert_array_equal(table.matrix(["x", "y"]), [[1, 2.5], [3, np.nan], [5, 6]])
    n_rows = 2 if "31.12" in above else 1
    assert f"{n_rows} row{'s' if n_rows > 1 else ''} above the table skipped" in table.notes


@pytest.mark.parametrize("content", [",,,5\n1,2,3,4\n1,2,3,4\n", "a,,,\n1,2,3,4\n1,2,3,4\n"])
def test_gaps_in_the_first_row_are_no_title(write, content):
    """Law: a row with gaps above rows of numbers is data, or names some of the columns."""
    table = read_table(write(content))
    assert len(table.columns) == 4
    assert not any("above the table" in note for note in table.notes)


def test_ragged_lines_below_a_title_are_named_with_their_place(write):
    """Law: a line with too few cells is refused with its own number, titles counted."""
    with pytest.raises(InvalidFile, match="line 4 has 2 cells, line 2 has 3"):
        read_table(write("Sales\nname,x,y\nUlm,1,2\nBonn,3\n"))


def test_header_can_be_told(write):
    """Law: what the user says about the header wins."""
    path = write("name,2019\nRome,6\nTurin,7\n")
    assert read_table(path, header=True).columns == ("name", "2019")
    assert read_table(path, header=False).n_rows == 3


def test_names_are_made_unique_and_never_empty(write):
    """Law: repeated names are numbered, with a note; empty ones are numbered by place."""
    table = read_table(write("a,a,,a\n1,2,3,4\n5,6,7,8\n"))
    assert table.columns == ("a", "a_2", "column_3", "a_3")
    assert table.notes == ("the header repeats a: numbered _2 ...",)


def test_missing_marks_become_nan(write):
    """Law: empty cells and the usual marks are missing values, not text."""
    values = matrix(write("x,y\n1,NA\n2,\n3,n/a\n4,NULL\n5,nan\n6,?\n7,1\n"))
    assert np.isnan(values[:6, 1]).all()
    assert values[6, 1] == 1


def test_late_surprises_do_not_break_a_column(write):
    """Law: a number of another kind after many rows is read; late text makes the column text."""
    rows = "1,1\n2,2\n" * 8000
    assert matrix(write(f"x,y\n{rows}1.5,2\n"))[-1, 0] == 1.5
    left_out = read_table(write(f"x,y\n{rows}1,oops\n")).choose().left_out
    assert str(left_out[0]) == 'y (text in 1 of 16,001 rows, such as "oops" in row 16001)'


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "t.csv: the file is empty"),
        ("\n\n \n", "t.csv: has no rows: nothing but blank lines"),
        ("a,b\n", "t.csv: has no rows: there is a header and nothing below it"),
        ("% iris\n@RELATION iris\n@DATA\n1,2\n", "t.csv: is an ARFF file. Save it as CSV"),
        ("a,b", "t.csv: has no rows"),
        ("a,b\n1,2\n3\n4,5\n", r't.csv: line 3 has 1 cell, line 1 has 2 \(delimiter ","\)'),
        ("a,b\n1,2\n3,4,5\n", "t.csv: line 3 has 3 cells, line 1 has 2"),
        ('a,b\n"1,5",2\n"3"\n', "t.csv: line 3 has 1 cell, line 1 has 2"),
        ("a,b\n" + "1,2\n" * 20_000 + "1,2,3\n", "t.csv: line 20002 has 3 cells"),
        ('a,b\n1,"open\n2,3\n', "t.csv: cannot be read as a table.*quote left open"),
        (b"a,caf\xe9\n1,2\n", r"line 1 is not UTF-8 \(byte 0xe9 at position 5\).*encoding='cp1252'"),
        (b"a,b\n" + b"1,x\n" * 30_000 + b"1,\xe9\n", "line 30002 is not UTF-8"),
        (b"\x00\x01\x02", r"is not a text file \(byte 1 is zero\)"),
        (b"\xef\xbb\xbfa\x00b,c\n1,2\n", r"is not a text file \(its utf-8-sig holds a zero\)"),
        ("a\x00b,c\n1,2\n".encode("utf-16"), r"is not a text file \(its utf-16 holds a zero\)"),
        (b"\x9f\x10\x02\x1babc" * 40, r"is not a text file \(line 1 is not UTF-8"),
        ('{"a": ', "is not whole JSON"),
        ("<html></html>", "looks like HTML or XML"),
        (b"\x1f\x8bgarbage", "not a whole gzip file, cut off or damaged"),
        (gzip.compress(b"x,y\n1,2\n" * 100, mtime=0)[:-20], "not a whole gzip file"),
        (b"%PDF-1.7", "is a PDF"),
        (b"\xd0\xcf\x11\xe0abcd", "old Excel.*save the sheet as CSV"),
        (b"\x80\x04\x95", "a Python pickle, which is never loaded"),
    ],
)
def test_broken_files_are_named_with_their_place(write, content, message):
    """Law: a file that is not a table raises InvalidFile with the file's name and the place."""
    with pytest.raises(InvalidFile, match=message):
        read_table(write(content))


def test_other_encodings_are_read_when_named(write):
    """Law: the way out that the message names works; an unknown encoding is refused."""
    path = write("caf\xe9,b\n1,2\n3,4\n".encode("cp1252"))
    assert read_table(path, encoding="cp1252").columns == ("caf\xe9", "b")
    with pytest.raises(InvalidFile, match=r'no such encoding "latin-99". Common ones: utf-8'):
        read_table(path, encoding="latin-99")
    with pytest.raises(InvalidFile, match="is not utf-16"):
        read_table(path, encoding="utf-16")


def test_wrong_delimiter_is_answered_with_the_right_one(write):
    """Law: a given delimiter that leaves one column is refused when another splits the lines."""
    path = write("x,y\n1,2\n3,4\n")
    with pytest.raises(InvalidFile, match=r'the delimiter ";" gives one column; "," gives more'):
        read_table(path, delimiter=";")
    with pytest.raises(InvalidParameter, match="delimiter must be one ASCII character, got '::'"):
        read_table(path, delimiter="::")
    assert matrix(write("1  2\n3 4\n"), delimiter=" ").shape == (2, 2)


def test_the_way_out_is_told_in_the_words_of_the_place(write):
    """Law: in Python the message names the argument, in the shell the option."""
    with pytest.raises(InvalidFile, match="encoding='cp1252'") as caught:
        read_table(write(b"a,\xe9\n1,2\n"))
    assert "--encoding cp1252" in caught.value.shell_text


def test_short_cells_need_more_memory_than_their_text(write, monkeypatch):
    """Law: a table that does not fit is refused before the reader ends the process, also if its text fits."""
    path = write("a,b\n" + "1,2\n" * 50_000)
    monkeypatch.setattr("coterie._support.validation.memory.available_memory", lambda: 3_000_000)
    with pytest.raises(NotEnoughMemory, match=r"of 50,000 rows and 2 columns, needs 3\.4 MiB, 2\.9 MiB are"):
        read_table(path)
