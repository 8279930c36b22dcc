"""Values as JSON and tensors: what is written comes back as it was."""

import json

import numpy as np
import pytest
import safetensors.numpy
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import sparse

from coterie.persist.state import Reader, Writer

X = np.random.default_rng(0).normal(size=(80, 3))

WHOLE = st.integers(-(2**63), 2**64)  # larger ones are refused

plain = st.recursive(
    st.none() | st.booleans() | WHOLE | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | WHOLE, inner) | st.tuples(inner, inner),
    max_leaves=10,
)
tensors = arrays.arrays(
    st.sampled_from([np.float32, np.float64, np.int8, np.uint64, np.bool_, np.int32]),
    arrays.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4),
)


@settings(max_examples=200, deadline=None)
@given(st.lists(plain | tensors))
def test_values_come_back_as_they_were(values):
    """Law: reading what was written gives equal values of equal types."""
    writer = Writer()
    text = json.dumps(writer.write(values, "x"), allow_nan=False)
    packed = safetensors.numpy.load(safetensors.numpy.save(writer.tensors))
    assert same(Reader(packed).read(json.loads(text)), values)


def same(a, b):
    if isinstance(b, np.ndarray):
        return (
            a.dtype == b.dtype and a.shape == b.shape and np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
        )
    if isinstance(b, list | tuple):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    if isinstance(b, dict):
        return list(a) == list(b) and all(same(a[key], b[key]) for key in b)
    return type(a) is type(b) and (a == b or (a != a and b != b))


@pytest.mark.parametrize(
    "value",
    [
        np.float32(0.1),
        np.int64(-3),
        np.bool_(True),
        np.float64("nan"),
        np.array(["a", "bc"]),
        np.array([["a"], ["b"]], dtype=object),
        np.dtype("float32"),
        np.asfortranarray(X),
        X[::2, ::-1],
    ],
)
def test_numpy_values_keep_their_type(value):
    """Law: scalars, text, types and oddly ordered arrays come back equal and of the same type."""
    writer = Writer()
    read = Reader(writer.tensors).read(json.loads(json.dumps(writer.write(value, "x"))))
    assert type(read) is type(value)
    np.testing.assert_array_equal(read, value)


@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csr_matrix])
def test_sparse_values(kind):
    """Law: a sparse matrix comes back sparse."""
    writer = Writer()
    read = Reader(writer.tensors).read(writer.write(kind(np.eye(3)), "x"))
    assert type(read) is kind
    np.testing.assert_array_equal(read.toarray(), np.eye(3))
