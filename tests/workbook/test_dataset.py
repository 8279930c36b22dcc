"""The data of a workbook: files, sets, frames, arrays, data in blocks; and how they are prepared."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars
import pytest

from coterie.errors import InvalidParameter
from coterie.workbook import SETS, Workbook, open_dataset
from coterie.workbook.comparing import compare_states
from mixed_tables import mixed_table
from workbook_cases import FIT, blobs


def test_embedded_sets_open_and_cluster():
    """Every set has rows and columns to cluster by; names that are not there are refused."""
    for one in SETS:
        data = open_dataset(f"set:{one.name}")
        assert data.n_rows >= 100
        assert len(data.rows_for({}).columns) >= 2
    with pytest.raises(InvalidParameter, match="no such set"):
        open_dataset("set:../iris")


def test_frames_of_either_kind_are_the_same_data():
    """pandas, polars and arrays of the same numbers give the same groups."""
    X = blobs()
    books = [
        Workbook.open(pd.DataFrame(X, columns=["a", "b"])),
        Workbook.open(polars.DataFrame(X, ["a", "b"])),
    ]
    hashes = {book.apply(FIT).labels_hash for book in [*books, Workbook.open(X)]}
    assert len(hashes) == 1


def test_data_in_blocks_are_a_sample_that_says_so():
    """A Dask array is represented by rows drawn at random; the workbook says of how many."""
    array = pytest.importorskip("dask.array")
    X = blobs(10_000)
    book = Workbook.open(array.from_array(X, chunks=(5_000, 2)))
    sample = book.data.sample
    assert sample.n_of == 30_000
    assert sample.n_rows == book.data.n_rows < 30_000
    assert f"{sample.n_rows:,} of 30,000 rows" in sample.text
    assert book.apply(FIT).k == 3


def test_the_same_data_have_the_same_digest():
    """A digest depends on values and names, not on the time or the kind of container."""
    X = blobs()
    assert open_dataset(X).digest == open_dataset(X.copy()).digest
    assert open_dataset(X).digest != open_dataset(blobs(seed=1)).digest
    frame, _ = mixed_table("in both", 0)
    assert open_dataset(frame).digest == open_dataset(frame.clone()).digest
    assert open_dataset(frame).digest != open_dataset(frame.reverse()).digest


def test_categories_take_no_weight():
    """A weight of a column of text is refused in words; weights are of columns that there are."""
    frame, _ = mixed_table("in both", 0)
    book = Workbook.open(frame).apply({"op": "roles", "weights": {"c0": 2.0}})
    with pytest.raises(InvalidParameter, match='"c0" holds categories, which take no weight'):
        book.apply({"op": "fit", "method": "kprototypes", "k": 3, "believe": False})


def test_comparing_two_states():
    """Equal groups under other numbers are the same groups; the rows that differ are the ones moved."""
    one = Workbook.open(blobs())
    other = Workbook.open(blobs())
    for book, order in ((one, (0, 1, 2)), (other, (2, 0, 1))):
        for at in order:
            book.apply({"op": "new", "ranges": [[20 * at, 20 * at + 20]], "name": f"cloud {at}"})
    found = compare_states(one.state, other.state)
    assert (len(found.moved), found.ari, found.text) == (0, 1.0, "The same groups.")
    assert found.matched == [(0, 1), (1, 2), (2, 0)]
    assert np.array_equal(found.labels_b, one.state.labels)
    other.apply({"op": "noise", "rows": [7]}).apply({"op": "move", "rows": [30], "group": "g1"})
    found = compare_states(one.state, other.state)
    assert found.moved.tolist() == [7, 30]
    assert found.text.startswith("2 rows moved to another group (adjusted Rand index 0.9")
    assert int(found.counts.sum()) == 60
    assert compare_states(one.state_at(0), one.state).moved.tolist() == list(range(60))
