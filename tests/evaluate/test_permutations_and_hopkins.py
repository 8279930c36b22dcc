"""Chance without a method: labelings against shuffled ones, and rows against uniform rows in a box."""

import json

import numpy as np
import pytest
from scipy.stats import kstest
from sklearn.metrics import adjusted_rand_score as their_rand

from coterie.errors import InvalidData, InvalidParameter
from coterie.evaluate import hopkins, permutation_significance

rng = np.random.default_rng(0)
BLOBS = np.concatenate([rng.normal(at, 1.0, (40, 2)) for at in (0, 10, 20)])


def test_permutations_are_uniform_and_exact():
    """Law: p-values of unrelated labels are uniform; those of equal labels are the least possible."""
    p_values = []
    for at in range(100):
        random = np.random.default_rng(at)
        first, second = random.integers(4, size=80), random.integers(5, size=80)
        p_values.append(permutation_significance(first, second, n_draws=49, random_state=at).p_value)
    assert kstest(np.array(p_values) - 0.01, "uniform").pvalue > 0.001
    same = permutation_significance(first, first, n_draws=99, measure="NMI", random_state=0)
    assert same.p_value == 0.01
    assert same.observed == pytest.approx(1.0)


def test_tables_and_shuffles_give_the_same_distribution(monkeypatch):
    """Law: tables drawn directly are those of shuffled labels."""
    first, second = rng.integers(3, size=60), rng.integers(4, size=60)
    by_table = permutation_significance(first, second, n_draws=400, random_state=0)
    by_function = permutation_significance(first, second, measure=their_rand, n_draws=400, random_state=0)
    assert by_table.observed == pytest.approx(by_function.observed)
    assert kstest(by_table.draws, by_function.draws).pvalue > 0.001
    monkeypatch.setattr("coterie.evaluate.belief.permutation.MOST_CELLS", 1)
    by_shuffle = permutation_significance(first, second, n_draws=400, random_state=0)
    assert kstest(by_table.draws, by_shuffle.draws).pvalue > 0.001


def test_permutation_input():
    """Law: measures that do not compare two labelings are refused, and so are labelings of unequal length."""
    with pytest.raises(InvalidParameter, match=r"silhouette_score needs data\. For data and a labeling use"):
        permutation_significance([0, 1], [0, 1], measure="silhouette_score")
    with pytest.raises(InvalidParameter, match='no such measure "arri"'):
        permutation_significance([0, 1], [0, 1], measure="arri")
    with pytest.raises(
        InvalidParameter, match="measure of permutation_significance must be a name or a callable"
    ):
        permutation_significance([0, 1], [0, 1], measure=3)
    with pytest.raises(InvalidData, match="inconsistent numbers of samples"):
        permutation_significance([0, 1], [0, 1, 1])
    with pytest.raises(InvalidParameter, match="belongs to a measure that is a function"):
        permutation_significance([0, 1], [0, 1], greater_is_better=True)
    with pytest.raises(InvalidParameter, match="noise of permutation_significance is for measures"):
        permutation_significance([0, 1], [0, 1], measure=their_rand, noise="exclude")
    with pytest.raises(InvalidData, match="at least one sample that is not left out as noise"):
        permutation_significance([-1, -1], [0, 1], noise="exclude")


def test_hopkins():
    """Law: clusters give values near 1, uniform rows about 0.5, a grid less."""
    assert hopkins(BLOBS, random_state=0).value > 0.8
    grid = np.stack(np.meshgrid(np.arange(20.0), np.arange(20.0)), axis=-1).reshape(-1, 2)
    assert hopkins(grid, random_state=0).value < 0.3
    assert hopkins(grid, random_state=0).verdict == "more even than uniform rows"
    values = [hopkins(np.random.default_rng(at).random((300, 2)), random_state=at) for at in range(80)]
    assert kstest([each.p_value for each in values], "uniform").pvalue > 0.001
    assert abs(np.mean([each.value for each in values]) - 0.5) < 0.05
    many = [hopkins(np.random.default_rng(at).random((300, 8)), random_state=at).p_value for at in range(80)]
    assert np.mean(np.less_equal(many, 0.05)) <= 0.125
    assert kstest(many, "uniform").pvalue > 0.001
    assert hopkins(BLOBS, random_state=1) == hopkins(BLOBS, random_state=1)
    assert json.loads(json.dumps(hopkins(BLOBS, random_state=0).to_dict()))["n_probes"] == 12


@pytest.mark.parametrize(
    ("dtype", "power"),
    [(np.float64, -960), (np.float64, -600), (np.float64, 400), (np.float32, -90), (np.float32, 30)],
)
def test_hopkins_has_no_unit(dtype, power):
    """Law: rows a power of two as large have the same value and the same p, to the bit."""
    rows = np.random.default_rng(0).random((21, 17)).astype(dtype)
    other = np.ldexp(rows, power)
    np.testing.assert_array_equal(np.ldexp(other, -power), rows)
    assert hopkins(other, n_probes=5, random_state=0) == hopkins(rows, n_probes=5, random_state=0)


def test_hopkins_of_odd_data():
    """Law: constant columns do not count, equal rows are one cluster, many columns do not overflow."""
    constant = np.column_stack([BLOBS, np.full(len(BLOBS), 3.0)])
    assert hopkins(constant, random_state=0).value == hopkins(BLOBS, random_state=0).value
    assert hopkins(np.ones((20, 2))).value == 1.0
    assert 0.0 <= hopkins(np.random.default_rng(0).normal(size=(50, 500)), random_state=0).value <= 1.0
    with pytest.raises(
        InvalidParameter, match="n_probes of hopkins must be at most the 120 rows of X, got 121"
    ):
        hopkins(BLOBS, n_probes=121)
    with pytest.raises(ValueError, match=r"minimum of 2 is required|at least 2"):
        hopkins([[1.0, 2.0]])
