"""Numbers that no float holds are refused in words, wherever they are given."""

from fractions import Fraction

import numpy as np
import pandas
import pytest

from coterie._support.validation import AnArray, APath, Number, check_data, check_sample_weight
from coterie.cluster import KMeans
from coterie.errors import InvalidData, InvalidParameter, UnsupportedInput

HUGE = 10**400


@pytest.mark.parametrize("kind", [list, lambda rows: np.array(rows, dtype=object), pandas.DataFrame])
def test_whole_numbers_beyond_floats_are_refused_with_their_place(kind):
    """Law: a whole number of more than 308 digits is named by row and column."""
    with pytest.raises(InvalidData, match=r"too large for float64: .* row 1, column 0\. Divide X of KMeans"):
        KMeans(1).fit(kind([[1, 2], [HUGE, 2], [3, 4]]))


@pytest.mark.parametrize("weights", [[HUGE, 1], HUGE])
def test_weights_beyond_floats_are_refused(weights):
    """Law: such a weight is refused as weights are whose total is too large."""
    with pytest.raises(InvalidData, match=r"must add up to at most 1e\+100, got a whole number of more than"):
        check_sample_weight(weights, 2)


def test_weights_in_lists_of_unequal_length_are_refused():
    """Law: weights are one number per row."""
    with pytest.raises(InvalidData, match="one number per row, got lists"):
        check_sample_weight([[1.0], [1.0, 2.0]], 2)


def test_parameters_beyond_floats_are_refused():
    """Law: a number of a parameter is one that a float holds, of whatever kind it is."""
    number = Number(1e-12, 1e12)
    assert not number.accepts(HUGE)
    assert not number.accepts(Fraction(HUGE))
    assert number.accepts(Fraction(1, 2))
    assert number.accepts(np.float16(1))
    with pytest.raises(InvalidParameter, match="tol of KMeans must be a number"):
        KMeans(1, tol=HUGE).fit([[1.0], [2.0]])


def test_a_dictionary_is_no_table():
    """Law: a dictionary is refused with the way out."""
    with pytest.raises(UnsupportedInput, match=r"got a dict\. Make a table of it first: pandas\.Data"):
        check_data({"a": [1, 2]})


def test_a_number_is_no_array_and_no_path():
    """Law: scalars of NumPy have a shape, but are not arrays."""
    assert AnArray().accepts(np.zeros(2))
    assert not AnArray().accepts(np.int8(2))
    assert not AnArray().accepts(np.array("text"))
    assert APath().accepts("folder")
    assert not APath().accepts(np.int8(2))
