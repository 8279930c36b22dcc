"""Barycentres: derivatives against differences, costs that fall, and what a middle must be."""

import numpy as np
import pytest

import series_oracles as slow
from coterie import _core
from coterie.errors import InvalidData, InvalidParameter
from coterie.series import dtw_barycentre, pairwise, read_series, soft_dtw_barycentre


@pytest.mark.parametrize("n_columns", [1, 2])
@pytest.mark.parametrize("gamma", [0.1, 3.0])
def test_the_derivative_of_soft_dtw_is_that_of_differences(n_columns, gamma):
    """Law: the backward pass gives the derivative of the weighted sum, for series of any lengths."""
    series = slow.some_series(18, n_columns, seed=1, longest=12)
    members, centre = read_series(series), np.ascontiguousarray(series[2])
    weights = np.random.default_rng(0).random(18)
    value, gradient = _core.soft_dtw_gradient(centre, members.values, members.starts, weights, gamma, 2)

    def total(at):
        return sum(w * slow.soft_dtw(at, one, gamma) for w, one in zip(weights, series, strict=True))

    np.testing.assert_allclose(value, total(centre), rtol=1e-10)
    expected = np.zeros_like(centre)
    for place in np.ndindex(centre.shape):
        step = np.zeros_like(centre)
        step[place] = 1e-5
        expected[place] = (total(centre + step) - total(centre - step)) / 2e-5
    np.testing.assert_allclose(gradient, expected, rtol=1e-5, atol=1e-5)


def test_averaging_lowers_the_cost():
    """Law: every iteration of DBA lowers the sum of squared distances, which is what the cost says."""
    X = slow.some_series(20, 2, seed=3, least=8)
    costs = [dtw_barycentre(X, max_iter=n, tol=0).cost for n in range(1, 8)]
    assert (np.diff(costs) <= 1e-9).all()
    found = dtw_barycentre(X, tol=0)
    np.testing.assert_allclose(found.cost, (pairwise([found.values], X) ** 2).sum(), rtol=1e-10)
    again = dtw_barycentre(X, tol=0, n_jobs=1)
    assert np.array_equal(found.values, again.values)


def test_one_averaging_step_is_that_of_the_paths():
    """Law: a step moves every point to the weighted mean of the points that its best path matches."""
    X = slow.some_series(19, 1, seed=5, least=4)
    members, centre = read_series(X), np.ascontiguousarray(X[0])
    weights = np.random.default_rng(1).random(19)
    sums, totals, cost = _core.matched_points(centre, members.values, members.starts, weights, -1, 2)
    expected, counted, closed = np.zeros_like(sums), np.zeros_like(totals), np.zeros(4, dtype=np.int64)
    for weight, one in zip(weights, X, strict=True):
        _, at, matched = _core.warping_path(centre, np.ascontiguousarray(one), -1, closed)
        np.add.at(expected, at, weight * one[matched])
        np.add.at(counted, at, weight)
    np.testing.assert_allclose(sums, expected, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(totals, counted, rtol=1e-12)
    np.testing.assert_allclose(cost, (weights * pairwise([centre], X)[0] ** 2).sum(), rtol=1e-10)


@pytest.mark.filterwarnings("ignore")
def test_averages_are_as_good_as_tslearns():
    """Law: from the same start, DBA ends at tslearn's barycentre, and soft-DTW at a value as low."""
    peer = slow.tslearn("barycenters")
    X, _ = slow.waves(12, n_points=30, seed=4)
    X = X[::3]
    ours = dtw_barycentre(X, init=X[0], max_iter=30, tol=0).values
    theirs = peer.dtw_barycenter_averaging(X, init_barycenter=X[0][:, None], max_iter=30, tol=0)
    np.testing.assert_allclose(ours, theirs, rtol=1e-8, atol=1e-8)
    found = soft_dtw_barycentre(X, gamma=1.0, init=X[0], max_iter=100, tol=1e-6)
    other = peer.softdtw_barycenter(X, gamma=1.0, init=X[0][:, None], max_iter=100, tol=1e-6)
    assert found.cost <= sum(slow.soft_dtw(other, one, 1.0) for one in X) + 1e-3 * abs(found.cost)


def test_copies_are_their_own_middle():
    """Law: the barycentre of equal series is that series, and weights count as copies."""
    x = slow.some_series(1, 2, seed=7, least=5)[0]
    found = dtw_barycentre([x, x, x])
    np.testing.assert_allclose(found.values, x)
    assert found.cost == 0
    X = slow.some_series(3, 1, seed=8, least=6)
    heavy = dtw_barycentre(X, weights=[2, 1, 1], init=X[0], tol=0)
    copied = dtw_barycentre([X[0], *X], init=X[0], tol=0)
    np.testing.assert_allclose(heavy.values, copied.values)


def test_wrong_starts_and_weights_are_refused():
    """Law: a start of other columns, weights of 0 and impossible stops are refused."""
    X = slow.some_series(3, 1, seed=8)
    with pytest.raises(InvalidData, match="init of dtw_barycentre must have 1 columns, got 2"):
        dtw_barycentre(X, init=np.ones((3, 2)))
    with pytest.raises(InvalidData, match="weights of dtw_barycentre are zero"):
        dtw_barycentre(X, weights=[0, 0, 0])
    with pytest.raises(InvalidParameter, match="max_iter of soft_dtw_barycentre"):
        soft_dtw_barycentre(X, max_iter=0)
    with pytest.raises(InvalidParameter, match="gamma"):
        soft_dtw_barycentre(X, gamma=-1)
