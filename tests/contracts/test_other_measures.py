"""Laws of the measures of memberships, of centres and of trees, read from their facts."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.cluster.hierarchy import cophenet, linkage
from scipy.spatial.distance import pdist, squareform

from coterie.errors import InvalidData
from coterie.evaluate import measures

few = settings(max_examples=25)
SEEDS = st.integers(0, 2**32 - 1)
OTHER = [measure for measure in measures() if measure.needs not in ("labelings", "data", "graph")]
every_measure = pytest.mark.parametrize("measure", OTHER, ids=lambda measure: measure.name)


@dataclass
class Inputs:
    """Two inputs of a measure, the same in another order, the same twice, and an empty one."""

    first: Any
    second: Any
    reordered: tuple[Any, Any]
    equal: tuple[Any, Any]
    empty: tuple[Any, Any]


def memberships(rng):
    first, second = (rng.dirichlet(np.full(rng.integers(1, 5), 0.4), 20) for _ in range(2))
    rows = rng.permutation(20)
    columns = rng.permutation(second.shape[1])
    sharp = np.eye(3)[rng.permutation(np.arange(20) % 3)]
    reordered = first[rows], second[np.ix_(rows, columns)]
    return Inputs(first, second, reordered, (sharp, sharp), (np.empty((0, 2)), np.empty((0, 2))))


def centers(rng):
    first, second = (rng.normal(size=(rng.integers(1, 9), 3)) for _ in range(2))
    reordered = rng.permutation(first), rng.permutation(second)
    return Inputs(first, second, reordered, (first, first), (np.empty((0, 3)), np.empty((0, 3))))


def tree(rng):
    X = rng.normal(size=(12, 2))
    heights = cophenet(linkage(X, "average"))
    rows = rng.permutation(12)
    heights_again = squareform(squareform(heights)[np.ix_(rows, rows)])
    return Inputs(X, heights, (X[rows], heights_again), (X, pdist(X)), (np.empty((0, 2)), []))


MAKERS = {"memberships": memberships, "centers": centers, "tree": tree}


@every_measure
def test_range_order_and_symmetry(measure):
    """Law: floats in range; samples and clusters in another order change nothing; symmetric as claimed."""

    @few
    @given(SEEDS)
    def check(seed):
        inputs = MAKERS[measure.needs](np.random.default_rng(seed))
        value = measure(inputs.first, inputs.second)
        assert type(value) is float
        assert measure.low <= value <= measure.high
        assert measure(*inputs.reordered) == pytest.approx(value, abs=1e-9)
        if measure.is_symmetric:
            assert measure(inputs.second, inputs.first) == pytest.approx(value, abs=1e-9)

    check()


@every_measure
def test_direction(measure):
    """Law: what is compared with itself has the best value, and nothing is better."""

    @few
    @given(SEEDS)
    def check(seed):
        inputs = MAKERS[measure.needs](np.random.default_rng(seed))
        assert measure(*inputs.equal) == pytest.approx(measure.best, abs=1e-9)

    check()


@every_measure
def test_adjustment_is_as_claimed(measure):
    """Law: of memberships at random, adjusted measures are 0 on average."""
    if not measure.is_adjusted:
        return
    rng = np.random.default_rng(1)
    values = [measure(*(rng.dirichlet(np.full(4, 0.3), 200) for _ in range(2))) for _ in range(60)]
    assert abs(np.mean(values)) < 0.01


@every_measure
def test_empty_input(measure):
    """Law: no memberships are the best of themselves; no centres and no data are refused in words."""
    inputs = MAKERS[measure.needs](np.random.default_rng(0))
    if measure.needs == "memberships":
        assert measure(*inputs.empty) == measure.best
        return
    with pytest.raises(InvalidData, match="0 sample"):
        measure(*inputs.empty)


@every_measure
def test_not_a_number_is_refused(measure):
    """Law: NaN has no place among memberships, centres or data."""
    inputs = MAKERS[measure.needs](np.random.default_rng(0))
    broken = inputs.first.copy()
    broken[0, 0] = np.nan
    with pytest.raises(InvalidData):
        measure(broken, inputs.second)
