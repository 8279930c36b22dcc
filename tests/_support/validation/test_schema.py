"""The vocabulary of schemas: each field takes what it describes, and says which part is wrong and why."""

import numpy as np
import pytest
from scipy import sparse

from coterie._support.validation import Whole
from coterie._support.validation.schema import (
    DictOf,
    Either,
    Estimator,
    FloatType,
    Instance,
    ListOf,
    Maybe,
    Names,
    Plain,
    Real,
    Record,
    Several,
    Size,
    Sometimes,
    Tensor,
    Text,
    Texts,
    check_squares,
    check_state,
)
from coterie.errors import ModelFileError

TABLE = Tensor("rows", "columns")
LABELS = Tensor("rows", kind="i", low=-1, below="clusters")


@pytest.mark.parametrize(
    ("schema", "state", "message"),
    [
        ({"a": TABLE}, {}, "it lacks a"),
        ({"a": Sometimes(TABLE)}, {"b": 1}, "it has no attribute 'b' to restore"),
        ({"a": TABLE}, {"a": 3}, "a of it must be an array of numbers, got an int"),
        ({"a": TABLE}, {"a": np.zeros((2, 3), int)}, "a .* be an array of float32 or float64, got int64"),
        ({"a": TABLE}, {"a": np.zeros(3)}, "a of it must have 2 dimensions, got 1"),
        ({"a": TABLE}, {"a": np.zeros((0, 3))}, "a of it must have at least one of its rows, got 0"),
        ({"a": TABLE, "b": TABLE}, {"a": np.ones((2, 3)), "b": np.ones((2, 4))}, "b .* 3 columns, as a says"),
        ({"n": Size("rows"), "b": Tensor("rows-1")}, {"n": 3, "b": np.ones(3)}, "b .* 2 rows, as n says"),
        ({"a": Tensor("rows", 2)}, {"a": np.zeros((4, 3))}, "a of it must have 2 numbers in each row, got 3"),
        ({"a": TABLE}, {"a": np.full((1, 1), np.nan)}, "a of it must hold finite numbers, got NaN"),
        ({"a": TABLE}, {"a": np.full((1, 1), np.inf)}, "a of it must hold finite numbers, got infinity"),
        ({"a": Tensor("n", allow="inf")}, {"a": np.array([np.nan])}, "must hold finite numbers, got NaN"),
        ({"a": Tensor("n", low=0)}, {"a": np.array([-1.0])}, "must hold numbers of at least 0, got -1.0"),
        ({"a": Tensor("n", above=0)}, {"a": np.zeros(1)}, "a of it must hold numbers above 0, got 0.0"),
        ({"a": Tensor("n", high=1)}, {"a": np.array([2.0])}, "must hold numbers of at most 1, got 2.0"),
        ({"a": LABELS, "k": Size("clusters")}, {"a": np.array([2]), "k": 2}, "below 2, its clusters, got 2"),
        ({"a": Size("rows", 1)}, {"a": 0}, "a of it must be a whole number of at least 1, got 0"),
        ({"a": Size("rows", 1)}, {"a": 10**30}, "a of it must be a whole number of at least 1, got 1000"),
        ({"a": Texts("rows")}, {"a": np.array([1.0])}, "a of it must be a list of names, got an array"),
        ({"a": Names("rows")}, {"a": np.array([[1]])}, "a of it must be a list of names"),
        ({"a": Maybe(TABLE)}, {"a": "x"}, "a of it must be an array of numbers, got a str"),
        ({"a": ListOf(Text())}, {"a": ["x", 3]}, r"a\[1\] of it must be text, got 3"),
        ({"a": ListOf(Text(), kind=tuple)}, {"a": ["x"]}, "a of it must be a tuple, got a list"),
        ({"a": Several(Text(), Text())}, {"a": ["x"]}, "a of it must be a list of 2, got a list"),
        ({"a": Record(b=Text())}, {"a": {"b": 1}}, r"a\.b of it must be text, got 1"),
        ({"a": Record(b=Text())}, {"a": {"b": "x", "c": 1}}, "a of it has no attribute 'c'"),
        ({"a": Record(b=Text())}, {"a": {}}, "a of it lacks b"),
        ({"a": DictOf(Text(), Real())}, {"a": {"x": np.nan}}, r"a\.x of it must be a number, got nan"),
        ({"a": DictOf(Text(), Real())}, {"a": {1: 1.0}}, "a key of a of it must be text, got 1"),
        ({"a": Either(Text(), Whole(3))}, {"a": 2}, "a of it must be a whole number of at least 3, got 2"),
        ({"a": Instance(Exception)}, {"a": 1}, "a of it must be an Exception, got an int"),
        ({"a": Estimator("columns")}, {"a": 1}, "a of it must be an estimator, got an int"),
        ({"a": FloatType()}, {"a": np.dtype("f2")}, "a of it must be float32 or float64"),
        ({"a": Plain()}, {"a": {"x": [object()]}}, "a of it must be plain values, got a dict"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_named(schema, state, message):
    """Law: the message names the part, what it must be, and what it is, on one short line."""
    with pytest.raises(ModelFileError, match=message) as caught:
        check_state(state, schema, who="it")
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 160


def test_sizes_are_known_wherever_they_are_said():
    """Law: an index is checked against its dimension, also when that is named by a later field."""
    schema = {
        "labels": LABELS,
        "centers": Tensor("clusters", "columns"),
        "rows": Tensor("rows", "columns", sparse=True),
    }
    state = {
        "labels": np.array([0, -1, 1]),
        "centers": np.zeros((2, 5)),
        "rows": sparse.csr_array(np.eye(3, 5)),
    }
    assert check_state(state, schema, who="it") == {"rows": 3, "clusters": 2, "columns": 5}
    state["labels"] = np.array([0, -1, 2])
    with pytest.raises(ModelFileError, match="labels of it must hold numbers below 2, its clusters, got 2"):
        check_state(state, schema, who="it")


def test_the_first_field_that_fits_is_taken():
    """Law: a field that did not fit leaves no sizes behind."""
    schema = {"n": Size("rows"), "a": Either(Tensor("columns", "rows"), Tensor("rows", "columns"))}
    assert check_state({"n": 2, "a": np.zeros((2, 3))}, schema, who="it") == {"rows": 2, "columns": 3}


def test_coordinates_whose_squares_overflow_are_refused():
    """Law: finite coordinates are refused where squared distances to them would not be finite."""
    check_squares(np.array([[1e150, -3.0]]), who="KMeans", name="cluster_centers_")
    with pytest.raises(ModelFileError, match=r"cluster_centers_ of KMeans must hold numbers of at most 4"):
        check_squares(np.array([[1e200, 0.0]]), who="KMeans", name="cluster_centers_")
