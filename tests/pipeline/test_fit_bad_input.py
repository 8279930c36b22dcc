"""What coterie.fit says to data and wishes that are no good, one by one."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

import coterie
from coterie.errors import InvalidData, InvalidParameter, UnsupportedInput
from coterie.pipeline.rows import tables as row_tables

RNG = np.random.default_rng(0)
TWO = np.concatenate([RNG.normal(0, 1, (40, 3)), RNG.normal(9, 1, (40, 3))])
FRAME = pd.DataFrame(TWO, columns=["height", "width", "depth"])


def fit(X, **options):
    return coterie.fit(X, **{"budget": "fast", **options})


@pytest.mark.parametrize("n_rows", [4, 9])
def test_few_rows(n_rows):
    """Law: below ten rows nothing can be told from chance, which is said; a wish is still fulfilled."""
    rows = TWO[40 - n_rows // 2 :][:n_rows]
    found = fit(rows)
    assert found.k == 1
    assert f"{n_rows} rows are too few to test against null data" in found.notes
    assert fit(rows, k=2).k == 2


@pytest.mark.parametrize("n_rows", [0, 1, 3])
def test_hardly_any_rows(n_rows):
    """Law: fewer than four rows are refused with their number."""
    with pytest.raises(InvalidData, match=r"needs at least 4 rows, got 3|one row|0 sample"):
        fit(TWO[:n_rows])


def test_a_method_with_a_number_takes_few_rows():
    """Law: where nothing is to be compared, two rows are enough."""
    assert fit(TWO[38:41], method="kmeans", k=2).k == 2
    assert fit(TWO[39:41], method="kmeans", k=2).k == 2


def test_one_column():
    """Law: one column is enough to have groups, or to have none."""
    assert fit(TWO[:, :1]).k == 2
    assert fit(RNG.normal(size=(80, 1))).k == 1
    with pytest.raises(InvalidData, match=r"Reshape your data: X.reshape\(-1, 1\)"):
        fit(TWO[:, 0])


@pytest.mark.parametrize("rows", [np.ones((50, 3)), np.repeat([[1.0, 2.0]], 25, axis=0)])
def test_equal_rows_have_no_groups(rows):
    """Law: constant data and copies of one row are one group, without a warning, whatever is wished for."""
    assert fit(rows).k == 1
    assert fit(rows, k="1..3").k == 1


@pytest.mark.parametrize("unit", [1e-6, 1e6])
@pytest.mark.parametrize("values", [(0, 1), (0, 1, 2)])
def test_copies_of_few_rows_are_as_many_groups(values, unit):
    """Law: rows that occur often are groups, in any unit."""
    rows = np.repeat(np.array(values, dtype=float)[:, None] * [unit, unit], 25, axis=0)
    assert fit(rows).k == len(values)


@pytest.mark.parametrize("n_columns", [2, 4])
def test_answers_on_a_scale_have_no_groups_because_of_it(n_columns):
    """Law: rounding makes no groups: answers from 1 to 5, given at random, have none."""
    assert fit(RNG.integers(1, 6, (250, n_columns))).k == 1


def test_columns_of_text_alone():
    """Law: categories alone are answered; text that hardly repeats is refused with the way out."""
    table = pd.DataFrame({"city": ["Bonn", "Kiel"] * 20, "food": list("abcd") * 10})
    assert fit(table).groups.columns == ("city", "food")
    assert fit(table[["city"]]).k == 1
    names = pd.DataFrame({"who": [f"person {at}" for at in range(40)]})
    with pytest.raises(InvalidData, match=r"who \(text with 40 different values\). Join its values"):
        fit(names)


def test_text_that_repeats_too_little_can_be_kept():
    """Law: where few rows alone speak against categories, the way out is to keep them, not to join values."""
    few = pd.DataFrame({"city": ["Bonn", "Kiel", "Ulm"] * 3, "food": list("abc") * 3})
    with pytest.raises(InvalidData, match=r"too little: 3 values in 9 rows.* To use it: keep="):
        fit(few)
    assert fit(few, keep=["city", "food"]).groups.columns == ("city", "food")
    beside = fit(few.assign(x=[2.5, 7, 1, 9, 4.5, 3, 8, 6, 5.5]), believe=False)
    assert any(
        'too little: 3 values in 9 rows); keep=["city", "food"] uses them' in note for note in beside.notes
    )


def test_more_columns_than_rows():
    """Law: few rows of many columns are clustered like others: groups are found, and none without."""
    wide = np.concatenate([RNG.normal(0, 1, (20, 400)), RNG.normal(1.5, 1, (20, 400))])
    assert fit(wide).k == 2
    assert fit(RNG.normal(size=(30, 400))).k == 1


def test_a_hundred_thousand_columns():
    """Law: so many columns take memory and time that grow with them, no more."""
    wide = np.concatenate([RNG.normal(0, 1, (10, 100_000)), RNG.normal(0.5, 1, (10, 100_000))])
    assert fit(wide).k in (1, 2)
    assert fit(wide, k=2).k == 2


def test_keys_and_dates_are_noticed():
    """Law: ids, dates and names among the columns are left out with a note, and change nothing."""
    n_rows = len(FRAME)
    found = fit(
        FRAME.assign(
            customer_id=np.arange(n_rows) + 1000,
            joined=pd.date_range("2020-01-01", periods=n_rows),
            written=[str(day) for day in pd.date_range("2020-01-01", periods=n_rows).date],
            name=[f"customer {at}" for at in range(n_rows)],
        )
    )
    assert found.groups.columns == tuple(FRAME.columns)
    reasons = {column.name: column.reason for column in found.groups.left_out}
    assert reasons == {"customer_id": "a key", "joined": "a date", "written": "a date", "name": "a key"}
    assert (found.labels == fit(FRAME).labels).all()
    assert "left out: customer_id (a key)" in found.summary()


@pytest.mark.parametrize("wish", [0, -1, [0, 1, 2], [], "5..2", "x", 2.5, True, "..", None, "2-4"])
def test_wishes_that_are_no_numbers_of_groups(wish):
    """Law: a number of groups is a whole number from 1, a range of them, or "auto"."""
    if wish is None:
        assert fit(TWO, k=wish).k == 2
        return
    with pytest.raises(InvalidParameter, match=re.escape(f"got {wish!r}.")):
        fit(TWO, k=wish)


@pytest.mark.parametrize("wish", [81, "2..90", range(60, 100)])
def test_more_groups_than_rows(wish):
    """Law: there are at most as many groups as rows."""
    with pytest.raises(
        InvalidParameter, match=r"k of coterie.fit must be at most 80, the rows, got (81|90|99)"
    ):
        fit(TWO, k=wish)


@pytest.mark.parametrize("k", [1, 2, 7, 60, 80])
def test_a_number_that_is_wished_for_is_what_one_gets(k):
    """Law: every number of groups from 1 to the number of rows is fulfilled."""
    assert fit(TWO, k=k, method="agglomerative").k == k


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"budget": "quick"}, r"budget of coterie.fit must be one of .*, got 'quick'"),
        ({"budget": "Normal"}, r'got \'Normal\'. Did you mean "normal"\?'),
        ({"budget": 3}, r"got 3"),
        ({"budget": None}, r"got None"),
        ({"method": 3}, r"method of coterie.fit must be a name of coterie.cluster.methods\(\), .* got 3"),
        ({"method": ""}, r"got ''"),
        ({"method": []}, r"got \[\]"),
        ({"method": "kmeans,"}, r"got 'kmeans,'"),
        ({"method": ["kmeans", 3]}, r"got \['kmeans', 3\]"),
        ({"scale": None}, r'no such scale "None". Did you mean "none"\?'),
        ({"drop": "heigth"}, r'no column "heigth". Did you mean "height"\?'),
        ({"keep": ["heigth"]}, r'no column "heigth"'),
        ({"random_state": -1}, r"random_state of coterie.fit must be"),
        ({"progress": 3}, r"progress must be None, True, False or a callable, got 3"),
    ],
)
def test_other_wrong_wishes(options, message):
    """Law: what, where, allowed, got, and the nearest name."""
    with pytest.raises(InvalidParameter, match=message):
        fit(FRAME, **options)


def test_one_column_may_be_named_by_itself():
    """Law: a name of a column is one column, not its letters."""
    assert fit(FRAME, drop="depth").groups.columns == ("height", "width")


def test_sparse_matrices():
    """Law: a sparse matrix gives the groups of the dense one."""
    found = fit(csr_array(TWO))
    assert (found.labels == fit(TWO).labels).all()
    assert (found.predict(csr_array(TWO)) == found.labels).all()


def test_large_sparse_matrices(monkeypatch):
    """Law: one that takes too much memory when dense is refused, with the way out."""
    monkeypatch.setattr(row_tables, "MOST_DENSE", 1000)
    with pytest.raises(
        UnsupportedInput, match=r"would take 0. Use coterie.cluster.KMeans, which takes sparse"
    ):
        fit(csr_array(TWO))


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (np.where(np.arange(240).reshape(80, 3) == 7, np.nan, TWO), r'column "column_2" has 1 missing value'),
        (
            np.where(np.arange(240).reshape(80, 3) == 7, np.inf, TWO),
            r'column "column_2" has 1 infinite value',
        ),
        (np.array([["a", "b"], ["c", "d"]] * 9), r"must be numbers, got text"),
        ([["a", "b"], ["c", "d"]] * 9, r"must be numbers, got text: 'a' in row 0, column 0"),
        (TWO + 1j, r"Complex data not supported"),
        (TWO.reshape(8, 10, 3), r"Found array with dim 3"),
        (TWO * 1e200, r"whose squares overflow float64. Divide the column by a constant first"),
        (None, r"needs data: X, or graph"),
    ],
)
def test_values_that_are_no_numbers(X, message):
    """Law: what cannot be measured is refused, with the place."""
    with pytest.raises(InvalidData, match=message):
        fit(X, missing="refuse")


def test_precomputed_distances_are_a_square():
    """Law: rows that are no square of distances are refused as such, with their shape."""
    with pytest.raises(InvalidData, match=r"as many columns of numbers as rows, got 3 columns and 80 rows"):
        fit(TWO, distance="precomputed")


@pytest.mark.parametrize("k", [np.array(3), [[]], [2.5], [True], ["2"], [], "2..99999999", "9" * 5000])
def test_what_is_no_number_of_groups(k):
    """Law: whatever is given for k, it is the numbers that it stands for or refused in words."""
    with pytest.raises(InvalidParameter, match=r"k of coterie.fit must be a number from 1, a range such as"):
        coterie.fit(np.eye(4), "kmeans", k)
