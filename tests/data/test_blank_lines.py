"""The rows of a text table are those of its file: nothing that stands after a gap is shifted."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coterie.data import read_table
from coterie.scale import read_blocks
from source_files import rows_in

cell = st.one_of(st.none(), st.integers(-99, 99))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a,b\n1,2\n,\n3,4\n", [[1, 2], [np.nan, np.nan], [3, 4]]),
        ("a,b\n1,2\n\n3,4\n\n\n", [[1, 2], [np.nan, np.nan], [3, 4]]),
        ("a,b\n\n1,2\n3,4\n", [[np.nan, np.nan], [1, 2], [3, 4]]),
        ("a\tb\n1\t2\n\t\n3\t4\n\t\n", [[1, 2], [np.nan, np.nan], [3, 4], [np.nan, np.nan]]),
        ("a,b\r\n1,2\r\n\r\n3,4\r\n\r\n \r\n", [[1, 2], [np.nan, np.nan], [3, 4]]),
        ("a\n1\n\n3\n\n", [[1], [np.nan], [3]]),
        ('a\n1\n""\n3\n', [[1], [np.nan], [3]]),
    ],
)
def test_a_row_without_values_is_a_row(tmp_path, text, expected):
    """Law: rows of missing cells and blank lines inside are rows, blank lines at the end are not."""
    path = tmp_path / "t.csv"
    path.write_bytes(text.encode())
    table = read_table(path)
    np.testing.assert_array_equal(table.matrix(table.columns), expected)
    np.testing.assert_array_equal(rows_in(read_blocks(path)), expected)


def test_blank_lines_in_quotes_are_text(tmp_path):
    """Law: a blank line within quotes is part of its cell, in memory and in blocks."""
    path = tmp_path / "t.csv"
    path.write_text('note,x\n"a\n\nb",1\n\n"c",2\n')
    table = read_table(path)
    assert table.content["note"].to_list() == ["a\n\nb", None, "c"]
    blocks = read_blocks(path, columns=["x"])
    np.testing.assert_array_equal(rows_in(blocks)[:, 0], [1, np.nan, 2])


def test_blank_lines_at_the_end_are_told(tmp_path):
    """Law: a note says how many lines were skipped, and nothing is said where none were."""
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,2\n3,4\n\n\n")
    assert read_table(path).notes == ("2 blank lines at the end skipped",)
    path.write_text("a,b\n1,2\n,\n")
    assert read_table(path).notes == ()


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_tables_with_gaps_keep_their_rows(tmp_path_factory, data):
    """Law: a table written by another package comes back row by row, whatever is missing."""
    width = data.draw(st.integers(1, 4))
    rows = data.draw(st.lists(st.lists(cell, min_size=width, max_size=width), min_size=1, max_size=20))
    frame = pl.DataFrame(rows, schema={f"x{i}": pl.Int64 for i in range(width)}, orient="row")
    path = tmp_path_factory.mktemp("gaps") / "t.csv"
    if data.draw(st.booleans()):
        frame.to_pandas().to_csv(path, index=False)
    else:
        frame.write_csv(path, null_value=data.draw(st.sampled_from(["NA", '""'])))
    table = read_table(path)
    expected = frame.cast(pl.Float64).fill_null(float("nan")).to_numpy()
    assert table.n_rows == frame.height
    if all(column.null_count() < frame.height for column in frame):
        np.testing.assert_array_equal(table.matrix(table.columns), expected)
