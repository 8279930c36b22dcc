"""SciPy's own tests of linkage, run on ours."""

import numpy as np
import pytest

from coterie.tree import linkage

test_hierarchy = pytest.importorskip(
    "scipy.cluster.tests.test_hierarchy",
    reason="SciPy 1.18 and later leave their tests out of the wheel; Python 3.11 has an earlier one",
)

LEFT_OUT = {
    "test_unsupported_uncondensed_distance_matrix_linkage_warning": "ours refuses such a matrix: "
    "test_linkage_input.py",
}


class TestLinkage(test_hierarchy.TestLinkage):
    """The tests as they are."""


for name in LEFT_OUT:
    setattr(TestLinkage, name, None)


@pytest.fixture(autouse=True)
def ours_in_place_of_scipys(monkeypatch):
    monkeypatch.setattr(test_hierarchy, "linkage", linkage)


@pytest.fixture
def xp():
    return np


def test_nothing_is_left_out_by_a_name_that_no_longer_exists():
    """Law: every test left out exists."""
    assert all(hasattr(test_hierarchy.TestLinkage, name) for name in LEFT_OUT)
