"""Gaps: by default a table with missing values is answered, and a note says what was done."""

import numpy as np
import pandas as pd
import pytest

import coterie
from coterie.data import as_table, prepare_rows
from coterie.errors import InvalidData


def groups(n=300, k=3, d=4, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(k, size=n)
    return rng.normal(size=(n, d)) + 9 * rng.normal(size=(k, d))[truth], truth


def with_gaps(X, share, seed=1):
    return np.where(np.random.default_rng(seed).random(X.shape) < share, np.nan, X)


def frame(X):
    return pd.DataFrame(X, columns=[f"x{at}" for at in range(X.shape[1])])


def test_few_gaps_leave_rows_out():
    """Law: where most rows are complete the others are left out, and the note says how many and why."""
    X = groups()[0]
    X[[3, 5], 0] = np.nan
    X[5, 2] = np.nan
    prepared = prepare_rows(as_table(frame(X)))
    assert len(prepared.rows) == 298
    done = "2 of 300 rows left out (--missing median fills the gaps instead)"
    assert prepared.notes == (f"missing values: x0 0.67 %, x2 0.33 %; {done}",)
    assert prepare_rows(as_table(X)).complete.n_dropped == 2


def test_many_gaps_are_filled():
    """Law: where few rows are complete gaps are filled, every row gets a group, and the note warns."""
    X = groups(600)[0]
    found = coterie.fit(frame(with_gaps(X, 0.25)), budget="fast")
    assert not np.ma.is_masked(found.labels)
    warned = "cells filled with the column's median, which can look like a group"
    assert any(warned in note for note in found.notes)
    assert found.k == 3


@pytest.mark.parametrize("seed", range(3))
def test_gaps_are_no_groups(seed):
    """Law: one Gaussian with 30 % of its cells missing has none: methods see complete rows."""
    X = np.random.default_rng(seed).normal(size=(600, 5))
    assert coterie.fit(frame(with_gaps(X, 0.3, seed + 10)), budget="fast").k == 1


def test_columns_with_hardly_any_values_are_left_out():
    """Law: a column in which most values are missing costs no rows; naming it uses it."""
    X = groups()[0]
    table = frame(X)
    table.loc[: int(0.8 * len(table)), "x3"] = np.nan
    prepared = prepare_rows(as_table(table))
    assert [str(one) for one in prepared.choice.left_out] == ["x3 (80% missing)"]
    assert len(prepared.rows) == len(X)
    assert "left out: x3 (80% missing); --keep x3 uses it" in prepared.notes
    assert "x3" in prepare_rows(as_table(table), keep=["x3"]).choice.used
    assert "x3" in prepare_rows(as_table(table), missing="median").choice.used


def test_refuse_and_its_older_name():
    """Law: "refuse" names the places; "error" still means the same."""
    X = groups()[0]
    X[7, 1] = np.nan
    for word in ("refuse", "error"):
        with pytest.raises(InvalidData, match=r'column "x1" has 1 missing value \(row 8\)'):
            coterie.fit(frame(X), missing=word)


def test_all_values_missing():
    """Law: a column without values is left out; a row without values has no group."""
    X = groups()[0]
    X[4] = np.nan
    table = frame(X)
    table["void"] = np.nan
    found = coterie.fit(table, "kmeans", 3, believe=False)
    assert found.labels[4] is np.ma.masked
    assert "void (empty)" in [str(one) for one in found.groups.left_out]
