"""SciPy's own tests of linkage, run on ours."""

import importlib
from unittest import mock

import numpy as np
import pytest

from coterie.tree import linkage

LEFT_OUT = {
    "test_unsupported_uncondensed_distance_matrix_linkage_warning": "ours refuses such a matrix: "
    "test_linkage_input.py",
}
MARKS = (
    "skip_xp_backends",
    "xfail_xp_backends",
    "array_api_backends",
    "uses_xp_capabilities",
    "thread_unsafe",
)


def unmarked(*args, **named):
    return args[0] if args and callable(args[0]) else lambda test: test


def load_scipys_tests():
    with mock.patch.dict(vars(pytest.mark), dict.fromkeys(MARKS, unmarked)):
        return importlib.import_module("scipy.cluster.tests.test_hierarchy")


THEIRS = load_scipys_tests()
THEIRS.linkage = linkage


class TestLinkage(THEIRS.TestLinkage):
    """The tests as they are."""


for name in LEFT_OUT:
    setattr(TestLinkage, name, None)


@pytest.fixture
def xp():
    return np


def test_nothing_is_left_out_by_a_name_that_no_longer_exists():
    """Law: every test left out exists."""
    assert all(hasattr(THEIRS.TestLinkage, name) for name in LEFT_OUT)
