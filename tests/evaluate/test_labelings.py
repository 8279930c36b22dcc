"""Labels of every kind, and what is refused."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from coterie import _core
from coterie.errors import DataNotice, InvalidData
from coterie.evaluate import contingency_table, rand_score
from coterie.evaluate.internal.partitions import read_partition
from coterie.evaluate.labelings import read_labeling

INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]


def table_classes(labels):
    return contingency_table(labels, np.zeros(len(labels), dtype=int)).classes


def encode(labels, n_threads=0):
    labeling = read_labeling(labels)
    codes, patterns = _core.encode_integers(labeling.integers, n_threads)
    return codes, labeling.restore(patterns)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_extreme_integers_keep_their_order(dtype):
    """Law: the least and the greatest integer of a type are told apart and sorted as by np.unique."""
    ends = np.iinfo(dtype)
    labels = np.array([ends.max, ends.min, 5, ends.max, 0, ends.min], dtype=dtype)
    names, codes = np.unique(labels, return_inverse=True)
    ours, classes = encode(labels)
    assert ours.tolist() == codes.tolist()
    assert classes.dtype == names.dtype
    assert classes.tolist() == names.tolist()


@given(hnp.arrays(st.sampled_from(INTEGERS), st.integers(1, 60)))
def test_integers_are_encoded_as_by_unique(labels):
    """Law: codes and classes are those of np.unique, for every type and any range."""
    names, codes = np.unique(labels, return_inverse=True)
    ours, classes = encode(labels)
    assert ours.tolist() == codes.tolist()
    assert classes.tolist() == names.tolist()


@pytest.mark.parametrize("spread", [1, 7, 2**40])
def test_many_labels_in_every_range(spread):
    """Law: table, presence and hashing agree with np.unique, whatever the number of threads."""
    rng = np.random.default_rng(0)
    labels = rng.integers(-40_000, 40_000, 300_000) * spread
    names, codes = np.unique(labels, return_inverse=True)
    for n_threads in (1, 2, 5):
        ours, classes = encode(labels, n_threads)
        np.testing.assert_array_equal(ours, codes)
        np.testing.assert_array_equal(classes, names)


@given(st.lists(st.text(max_size=9), min_size=1, max_size=50))
def test_text_is_encoded_as_by_unique(labels):
    """Law: text sorts by code points, as np.unique sorts it."""
    array = np.array(labels)
    names, codes = np.unique(array, return_inverse=True)
    labeling = read_labeling(array)
    assert labeling.integers.tolist() == codes.tolist()
    assert labeling.names.tolist() == names.tolist()


@given(hnp.arrays(st.sampled_from(["S1", "S3", "S8", "S11", ">U5", "<U3"]), st.integers(1, 40)))
def test_bytes_and_foreign_byte_orders_are_encoded_as_by_unique(labels):
    """Law: bytes sort as bytes, and the order of bytes in memory does not matter."""
    names, codes = np.unique(labels, return_inverse=True)
    labeling = read_labeling(labels)
    assert labeling.integers.tolist() == codes.tolist()
    assert labeling.names.tolist() == names.tolist()


def test_much_text_in_slices():
    """Law: text is numbered alike in one slice or many, by one thread or several."""
    rng = np.random.default_rng(1)
    words = np.array([f"group {i:05d} of many" for i in rng.permutation(5_000)])
    labels = words[rng.integers(0, words.size, 200_000)]
    names, codes = np.unique(labels, return_inverse=True)
    rows = labels.view(np.uint8).reshape(labels.size, -1)
    for n_threads in (1, 2, 5):
        ours, examples = _core.encode_text(rows, 4, n_threads)
        np.testing.assert_array_equal(ours, codes)
        np.testing.assert_array_equal(labels[examples], names)


@pytest.mark.parametrize(
    "labels",
    [
        [True, False, True],
        np.array(["2024-01-02", "2023-01-01", "2024-01-02"], dtype="datetime64[D]"),
        np.array([3, 1, 3], dtype="timedelta64[s]"),
        [1.0, -1.0, 1.0],
        np.array([1.0, -1.0, 1.0], dtype=np.float32),
        np.array([10, 7, 10], dtype=">i4"),
        np.arange(6)[::2] % 4,
        np.frombuffer(b"\0" + np.array([5, -1, 5]).tobytes(), dtype=np.int64, offset=1),  # not aligned
        np.array(["b", "a", "b"], dtype=object),
        np.array([(1, 2), (0, 5), (1, 2)], dtype="O,O").astype(object),
        pd.Series(["b", "a", "b"]),
        pd.Series(["b", "a", "b"], dtype="category"),
        pd.Series([2, 1, 2], dtype="Int64"),
        pl.Series(["b", "a", "b"]),
        pl.Series([2, 1, 2]),
        range(3),
    ],
    ids=str,
)
def test_kinds_of_labels(labels):
    """Law: whatever can be sorted is a label, and classes come out sorted and of the same kind."""
    array = np.asarray(labels)
    classes = table_classes(labels)
    assert classes.tolist() == sorted(set(array.tolist()))
    assert classes.dtype == array.dtype.newbyteorder("=")
    assert rand_score(labels, labels) == 1.0


@pytest.mark.skipif(not hasattr(np.dtypes, "StringDType"), reason="NumPy 1 has no variable-width text")
def test_variable_width_text():
    """Law: NumPy's own strings are labels."""
    labels = np.array(["b", "a", "b"], dtype=np.dtypes.StringDType())
    assert table_classes(labels).tolist() == ["a", "b"]


def test_continuous_labels_are_taken_with_a_notice():
    """Law: fractions are labels too, but nobody means them to be."""
    with pytest.warns(DataNotice, match=r"labels_pred holds continuous values such as 0\.5: .* discrete"):
        assert rand_score([0, 0, 1], [0.5, 0.5, 2.25]) == 1.0
    with pytest.warns(DataNotice, match="labels_true holds continuous values"):
        assert rand_score([1e300, -1e300], [0, 1]) == 1.0


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (
            [0.0, float("nan"), 1.0],
            r"labels_true contains NaN or infinity: 1 of 3 labels, the first at row 1\.",
        ),
        (
            [0.0, 1.0, float("inf")],
            r"labels_true contains NaN or infinity: 1 of 3 labels, the first at row 2\.",
        ),
        (np.array(["a", None, "b"], dtype=object), r"missing values \(None or NaN\): 1 of 3 .* at row 1\."),
        (np.array(["a", "b", np.nan], dtype=object), r"missing values \(None or NaN\): 1 of 3 .* at row 2\."),
        (pd.Series([1, None, 3], dtype="Int64"), r"labels_true contains .*NaN.*: 1 of 3 .* at row 1\."),
        (np.array(["2024-01-01", "NaT", "NaT"], dtype="datetime64[D]"), r"labels_true contains NaT: 2 of 3"),
        (
            np.array(["a", 1, "b"], dtype=object),
            "mixes labels of types int and str, which have no order. Use one",
        ),
        (np.array([[], [], []], dtype=object), r"labels_true must be 1D: shape is \(3, 0\)"),
        (
            np.fromiter([[1], [2], [3]], dtype=object),
            "must be 1D: one hashable label per sample, got nested objects",
        ),
        ([1j, 2j, 3j], "labels_true must be integers, text or sortable objects, got complex128"),
        ([[0, 1], [1, 0], [1, 1]], r"labels_true must be 1D: shape is \(3, 2\)\. Give one label per sample"),
        ([[0, 1], [1], [0]], "labels_true must be 1D: one label per sample, got rows of unequal length"),
        (3, r"labels_true must be 1D: shape is \(\)"),
        (None, r"labels_true must be 1D: shape is \(\)"),
        (
            [0, 1],
            r"inconsistent numbers of samples: \[2, 3\]\. labels_true and labels_pred must label the same",
        ),
    ],
    ids=str,
)
def test_what_is_no_labeling(labels, message):
    """Law: each way of being wrong has its own sentence."""
    with pytest.raises(InvalidData, match=message):
        rand_score(labels, [0, 0, 1])


@pytest.mark.parametrize(
    "labels", [[2**63 + 1, 2**63 + 1, 2**63], [2**64 - 1, 2**64 - 2], [2**63 - 1, 2**63]]
)
def test_the_largest_labels_are_labels(labels):
    """Law: groups of an internal measure keep their labels, of 64 bits without a sign too."""
    partition = read_partition(np.array(labels, dtype=np.uint64))
    assert partition.names[partition.codes].tolist() == labels
