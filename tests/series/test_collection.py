"""Series of every kind become one collection, and wrong ones are refused in plain words."""

import numpy as np
import pandas
import polars
import pytest

from coterie.errors import CoterieError, InvalidData, InvalidParameter, UnsupportedInput
from coterie.series import (
    SeriesCollection,
    dtw,
    normalise,
    pairwise,
    read_series,
    resample,
    series_from_table,
)

LONG = {
    "who": ["b", "a", "b", "a", "b"],
    "when": [3, 2, 1, 1, 2],
    "kwh": [30.0, 2.0, 10.0, 1.0, 20.0],
    "temp": [3.0, 0.2, 1.0, 0.1, 2.0],
}


def test_kinds_of_input_are_the_same_series():
    """Law: lists, arrays of two and three dimensions, padded ones and frames hold the same series."""
    X = np.random.default_rng(0).normal(size=(5, 7))
    padded = np.concatenate([X, np.full((5, 2), np.nan)], axis=1)
    expected = read_series(X)
    for other in (
        X.tolist(),
        list(X),
        X[:, :, None],
        padded,
        padded[:, :, None],
        pandas.DataFrame(X),
        polars.DataFrame(X),
        [one[:, None] for one in X],
        expected,
    ):
        found = read_series(other)
        np.testing.assert_array_equal(found.values, expected.values)
        np.testing.assert_array_equal(found.starts, expected.starts)
    np.testing.assert_array_equal(expected.to_array()[:, :, 0], X)
    assert expected.has_one_length
    assert expected.shape == (5, 7)


def test_padding_ends_a_series():
    """Law: NaN at the end of a row is not a point; NaN inside is refused with its place."""
    X = np.array([[1.0, 2.0, np.nan, np.nan], [1.0, 2.0, 3.0, 4.0]])
    assert read_series(X).lengths.tolist() == [2, 4]
    assert dtw(X[0], X[1]) == dtw([1.0, 2.0], X[1])
    with pytest.raises(InvalidData, match=r"series 1 of X of pairwise, point 1: Input contains NaN inside"):
        pairwise([[1.0], [1.0, np.nan, 2.0]])
    with pytest.raises(InvalidData, match=r"series 0 .*no points\. Leave it out"):
        read_series([[], [1.0]])
    with pytest.raises(InvalidData, match="no points"):
        read_series(np.array([[np.nan, np.nan], [1.0, 2.0]]))


@pytest.mark.parametrize(
    ("X", "words"),
    [
        ([], "at least one series"),
        ([1.0, 2.0], "list of series"),
        ([[1.0], ["a"]], "must hold numbers"),
        ([[1.0], [1 + 2j]], "must hold numbers"),
        ([[1.0, np.inf]], "infinity"),
        ([[1.0, 1e200]], "too large"),
        ([np.ones((3, 1)), np.ones((3, 2))], "same columns in every series: series 0 has 1, series 1 has 2"),
        ([np.ones((2, 2, 2))], "must have the shape"),
        (np.empty((0, 3)), "minimum of 1"),
        (np.empty((2, 0, 1)), "at least one series of one point"),
        (np.ones(4), "[Rr]eshape"),
        (np.array([["a", "b"]]), "numbers"),
        (None, "None"),
        ("sensors.csv", "table of numbers"),
    ],
    ids=str,
)
def test_wrong_series_are_refused(X, words):
    """Law: what is not series is refused by an error that says what is wrong."""
    with pytest.raises(CoterieError, match=words):
        read_series(X)


def test_a_single_point_is_a_series():
    """Law: series of one point are compared like any other."""
    assert dtw([3.0], [1.0, 1.0]) == np.sqrt(8)
    assert dtw([3.0], [3.0]) == 0.0
    assert pairwise([[1.0], [4.0]], window=0)[0, 1] == 3.0


@pytest.mark.parametrize("kind", [dict, pandas.DataFrame, polars.DataFrame])
def test_long_tables_become_series(kind):
    """Law: points are collected by id and sorted by time, whatever their order."""
    found = series_from_table(kind(LONG), id="who", time="when", value="kwh")
    assert found.ids == ("b", "a")
    assert [one.ravel().tolist() for one in found] == [[10, 20, 30], [1, 2]]
    both = series_from_table(kind(LONG), id="who", time="when", value=["kwh", "temp"])
    assert both[1].tolist() == [[1.0, 0.1], [2.0, 0.2]]
    as_given = series_from_table(kind(LONG), id="who", value="kwh")
    assert as_given[0].ravel().tolist() == [30, 10, 20]


def test_times_may_be_dates():
    """Law: times are sorted as what they are: dates, not text."""
    table = {
        "id": ["a", "a", "a"],
        "day": ["2026-10-02", "2026-09-30", "2026-10-01"],
        "v": [3.0, 1.0, 2.0],
    }
    frame = pandas.DataFrame(table).assign(day=lambda f: pandas.to_datetime(f["day"]))
    for one in (table, frame):
        assert series_from_table(one, id="id", time="day", value="v")[0].ravel().tolist() == [1, 2, 3]


def test_wrong_long_tables_are_refused():
    """Law: duplicate times, missing ids, times or values, and unknown columns are refused."""
    twice = LONG | {"when": [3, 1, 1, 1, 2]}
    with pytest.raises(InvalidData, match='series "a" has two points at the same "when"'):
        series_from_table(twice, id="who", time="when", value="kwh")
    with pytest.raises(InvalidData, match='column "who" has no id in row 2'):
        series_from_table(LONG | {"who": ["b", None, "b", "a", "b"]}, id="who", time="when", value="kwh")
    with pytest.raises(InvalidData, match='column "when" has no time in row 1'):
        series_from_table(LONG | {"when": [None, 2, 1, 1, 2]}, id="who", time="when", value="kwh")
    with pytest.raises(InvalidData, match='series "a" has no "kwh" in row 2'):
        series_from_table(LONG | {"kwh": [1.0, None, 1.0, 1.0, 1.0]}, id="who", time="when", value="kwh")
    with pytest.raises(InvalidParameter, match="whom"):
        series_from_table(LONG, id="whom", time="when", value="kwh")
    with pytest.raises(InvalidData, match="must hold numbers"):
        series_from_table(LONG, id="when", time="kwh", value="who")


def test_normalised_series_have_no_level():
    """Law: z-normalised series have mean 0 and deviation 1 per column; constant ones become 0."""
    rng = np.random.default_rng(0)
    X = [rng.normal(5, 3, (n, 2)) for n in (4, 9)] + [np.full((3, 2), 7.7)]
    found = normalise(X)
    for one in list(found)[:2]:
        np.testing.assert_allclose(one.mean(axis=0), 0, atol=1e-12)
        np.testing.assert_allclose(one.std(axis=0), 1)
    assert not found[2].any()
    ends = normalise(X, how="range")
    assert ends[0].min() == 0
    assert ends[0].max() == 1
    np.testing.assert_array_equal(normalise(X, how="none").values, read_series(X).values)
    with pytest.raises(InvalidParameter, match="how of normalise must be"):
        normalise(X, how="standard")


def test_resampled_series_keep_their_ends():
    """Law: resampling keeps first and last points, and a straight line a straight line."""
    found = resample([np.arange(5.0), np.arange(11.0)], 7)
    assert found.lengths.tolist() == [7, 7]
    for one, end in zip(found, (4, 10), strict=True):
        np.testing.assert_allclose(one.ravel(), np.linspace(0, end, 7))
    with pytest.raises(InvalidParameter, match="n_points"):
        resample([[1.0]], 0)


def test_collections_are_read_by_number():
    """Law: a collection gives its series by number, from either end, and refuses others."""
    found = read_series([[1.0, 2.0], [3.0]])
    assert isinstance(found, SeriesCollection)
    assert found[-1].tolist() == [[3.0]]
    assert found.take(np.array([True, False])).lengths.tolist() == [2]
    with pytest.raises(IndexError, match="there are 2"):
        found[2]
    with pytest.raises(UnsupportedInput):
        read_series([["x", "y"]])


@pytest.mark.parametrize("column", ["id", "time"])
def test_cells_that_are_lists_or_objects(column):
    """A list or an object is neither the name of a series nor a time."""
    table = {"id": ["a", "a"], "time": [1, 2], "value": [0.5, 1.5]} | {column: [{"p": 3}, {"p": 4}]}
    with pytest.raises((InvalidData, InvalidParameter), match=f'column "{column}"'):
        series_from_table(table, id="id", time="time", value="value")
