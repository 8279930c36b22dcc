"""Laws over all methods, measures and distances: finite rows give finite numbers, or an error in words."""

import subprocess
import sys
from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from coterie._support.validation import largest_safe as largest_to_square
from coterie.cluster import HDBSCAN, KMedoids
from coterie.distance import find_distance, pairwise_distances
from coterie.distance._range import largest_safe
from coterie.errors import InvalidData

PROGRAM = Path(__file__).with_name("extreme_values.py")
MOST_SECONDS = 600  # ten or so on an idle machine
LARGEST = float(np.finfo(np.float64).max)
CORNERS = LARGEST * np.array([[1.0, 1.0], [-1.0, 1.0], [1.0, -1.0], [-1.0, -1.0]] * 5)


@pytest.mark.parametrize("part", ["functions", "fits", "scores"])
def test_extreme_values_give_finite_numbers_or_an_error(part):
    """Law: numbers near the ends of their type never crash, never last, and never give NaN without a word."""
    try:
        run = subprocess.run(
            [sys.executable, str(PROGRAM), part], capture_output=True, text=True, timeout=MOST_SECONDS
        )
    except subprocess.TimeoutExpired as late:
        pytest.fail(f"does not end: {late.stdout.decode().splitlines()[-1]}")
    lines = run.stdout.splitlines()
    assert run.returncode == 0, f"{lines[-1:]}\n{run.stderr[-3000:]}"
    wrong = [f"{before} -> {line}" for before, line in pairwise(lines) if "WRONG" in line]
    assert not wrong
    assert len(lines) > 1000


@pytest.mark.parametrize("metric", ["manhattan", "chebyshev", "canberra", "braycurtis"])
@pytest.mark.parametrize("model", [KMedoids(2, random_state=0), HDBSCAN(min_cluster_size=2)])
def test_the_message_names_the_column_and_the_way_out(model, metric):
    """Law: values whose distances overflow are refused with their column, the limit and the way out."""
    match = rf"too large for float64: 1\.8e\+308 in X\[:, 0\]; {metric} distances overflow .*divide X by"
    with pytest.raises(InvalidData, match=match):
        model.set_params(metric=metric).fit(CORNERS)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("p", [0.1, 1.5, 3.0, 50.0])
def test_powers_have_a_range_of_their_own(p, dtype):
    """Law: a Minkowski distance is finite for numbers up to its limit, and refuses larger ones."""
    distance, shape = find_distance("minkowski", p=p), (4, 3)
    limits = [limit(np.dtype(dtype), shape) for limit in (partial(largest_safe, distance), largest_to_square)]
    most = min(limits) * (1 - 1e-6)
    X = np.array([[1, 1, 1], [-1, -1, -1], [1, -1, 0.5], [-1, 1, 0]]) * most
    assert np.isfinite(pairwise_distances(X.astype(dtype), metric=distance)).all()
    with pytest.raises(InvalidData, match="overflow above"):
        pairwise_distances((0.9 * np.finfo(dtype).max / most * X).astype(dtype), metric=distance)


def test_opposite_rows_have_no_bray_curtis_distance():
    """Law: where the Bray-Curtis distance divides by zero, the two rows are named; SciPy says infinite."""
    X = np.random.default_rng(0).normal(size=(20, 3))
    assert np.isfinite(pairwise_distances(X, metric="braycurtis")).all()
    X[17] = -X[4]
    with pytest.raises(InvalidData, match=r"row 4 of X and row 17 of X are opposite \(x = -y\)"):
        pairwise_distances(X, metric="braycurtis")
    with pytest.raises(InvalidData, match=r"row 3 of X and row 2 of Y are opposite"):
        pairwise_distances(X[1:9], X[15:], metric="braycurtis")
    X[17] = 0.0
    X[4] = [0.0, 5e-324, 0.0]
    assert np.isfinite(pairwise_distances(X, metric="braycurtis")).all()
    X[17, 1] = -5e-324
    with pytest.raises(InvalidData, match="row 4 of X and row 17 of X are opposite"):
        pairwise_distances(X, metric="braycurtis")


def test_rows_whose_sum_overflows_are_finite():
    """Law: HDBSCAN takes a row for infinite when a value is, not when its sum is."""
    X = np.random.default_rng(0).normal(size=(30, 4))
    X[3] = LARGEST / 3
    assert HDBSCAN(metric="hamming", min_cluster_size=3).fit(X).labels_[3] >= -1


def test_the_smallest_numbers_have_distances():
    """Law: numbers below the normal ones have finite distances: no grid to centre on is too fine."""
    X = np.array([[5e-324, 0.0], [-5e-324, 5e-324], [0.0, 0.0]])
    assert np.array_equal(pairwise_distances(X), np.zeros((3, 3)))
