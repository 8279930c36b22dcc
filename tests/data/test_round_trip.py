"""A property over tables: whatever way they are written, the numbers come back."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from coterie.data import read_table
from coterie.data.files.dialect import MISSING_MARKS, is_number

numbers = st.floats(-1e12, 1e12, allow_subnormal=False).map(lambda value: float(f"{value:.6g}"))
name = st.text("abcdefghijklmnop_ ", min_size=1).map(str.strip)
names = st.lists(
    name.filter(lambda text: text and text not in MISSING_MARKS and not is_number(text)),
    min_size=2,
    unique=True,
)


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_numbers_come_back(tmp_path_factory, data):
    """Law: numbers under any header or none, with any delimiter and decimal sign, are read as they were."""
    columns = data.draw(names)
    rows = data.draw(st.lists(st.lists(numbers, min_size=len(columns), max_size=len(columns)), min_size=2))
    delimiter = data.draw(st.sampled_from([",", ";", "\t", "|"]))
    decimal = data.draw(st.sampled_from([".", ","] if delimiter != "," else ["."]))
    has_header = data.draw(st.booleans())
    end = data.draw(st.sampled_from(["\n", "\r\n"]))
    lines = [delimiter.join(repr(value).replace(".", decimal) for value in row) for row in rows]
    text = end.join([delimiter.join(columns)] * has_header + lines) + end
    path = tmp_path_factory.mktemp("t") / "t.csv"
    path.write_bytes(text.encode())
    table = read_table(path)
    assert table.has_names is has_header
    if has_header:
        assert list(table.columns) == columns
    np.testing.assert_allclose(table.matrix(table.columns), rows, rtol=1e-15)
