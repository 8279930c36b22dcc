"""Mean shift: equality with scikit-learn, order of rows, threads, bad input, files."""

import warnings

import numpy as np
import pytest
import sklearn.cluster
from hypothesis import given, settings
from hypothesis import strategies as st

import coterie
from coterie import _core
from coterie.cluster import MeanShift, estimate_bandwidth, get_bin_seeds, mean_shift
from coterie.cluster.density.mean_shift import peaks
from coterie.errors import DataNotice, InvalidData, InvalidParameter

pytestmark = pytest.mark.filterwarnings("ignore:Binning data failed")
KINDS = ("plain", "whole", "twice", "far", "one column")


def rows_of(kind, seed, n=90, d=2, dtype=np.float64):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) + 4 * rng.integers(0, 3, size=(n, 1))
    X = {
        "plain": X,
        "whole": np.round(X),
        "twice": np.repeat(X[: n // 2], 2, axis=0),
        "far": X + 1e6,
        "one column": X[:, :1],
    }[kind]
    return np.ascontiguousarray(X, dtype=dtype)


def assert_same(ours, theirs):
    np.testing.assert_array_equal(ours.labels_, theirs.labels_)
    np.testing.assert_allclose(ours.cluster_centers_, theirs.cluster_centers_, rtol=1e-12, atol=1e-12)
    assert ours.cluster_centers_.dtype == theirs.cluster_centers_.dtype
    assert ours.n_iter_ == theirs.n_iter_


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"bandwidth": 1.0},
        {"bandwidth": 1.3, "cluster_all": False},
        {"bandwidth": 1.7, "bin_seeding": True, "min_bin_freq": 2},
        {"bandwidth": 1.5, "max_iter": 2},
        {"bandwidth": 2.0, "max_iter": 0},
    ],
)
@pytest.mark.parametrize("kind", KINDS)
def test_labels_are_scikit_learns(kind, parameters):
    """Law: labels, peaks and steps are scikit-learn's."""
    for seed in range(2):
        X = rows_of(kind, seed)
        assert_same(MeanShift(**parameters).fit(X), sklearn.cluster.MeanShift(**parameters).fit(X))


def test_float32_is_rounded_at_every_step():
    """Law: rows in float32 have scikit-learn's labels, and peaks in float32."""
    X = rows_of("plain", 3, dtype=np.float32)
    ours, theirs = MeanShift(bandwidth=1.2).fit(X), sklearn.cluster.MeanShift(bandwidth=1.2).fit(X)
    np.testing.assert_array_equal(ours.labels_, theirs.labels_)
    np.testing.assert_allclose(ours.cluster_centers_, theirs.cluster_centers_, rtol=1e-5)
    assert ours.cluster_centers_.dtype == np.float32


def test_given_seeds():
    """Law: seeds are scikit-learn's, also those that find nobody."""
    X = rows_of("plain", 1)
    seeds = [[0.0, 0.0], [8.0, 8.0], [500.0, 500.0]]
    assert_same(
        MeanShift(bandwidth=1.5, seeds=seeds).fit(X),
        sklearn.cluster.MeanShift(bandwidth=1.5, seeds=seeds).fit(X),
    )


@given(
    seed=st.integers(0, 2**32 - 1),
    kind=st.sampled_from(KINDS),
    bandwidth=st.floats(0.3, 4.0),
    cluster_all=st.booleans(),
)
@settings(max_examples=40, deadline=None)
def test_order_of_rows_and_threads_do_not_count(seed, kind, bandwidth, cluster_all):
    """Law: rows in another order, with other threads, get the same labels and peaks, to the bit."""
    X = rows_of(kind, seed)
    order = np.random.default_rng(seed).permutation(len(X))
    first = MeanShift(bandwidth=bandwidth, cluster_all=cluster_all, n_jobs=1).fit(X)
    other = MeanShift(bandwidth=bandwidth, cluster_all=cluster_all, n_jobs=3).fit(X[order])
    np.testing.assert_array_equal(first.cluster_centers_, other.cluster_centers_)
    np.testing.assert_array_equal(first.labels_[order], other.labels_)


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 200), d=st.integers(1, 6), scale=st.integers(-60, 60))
@settings(max_examples=60, deadline=None)
def test_a_step_is_a_mean(seed, n, d, scale):
    """Law: one step brings every seed to the mean of the rows within the radius, all but exactly."""
    from math import fsum

    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * 2.0**scale
    radius = 1.2 * 2.0**scale
    moving = _core.move_seeds(_core.KDTree(X), X, radius, False, 1)
    moving.step(True, 1)
    places, counts, _ = (np.asarray(part) for part in moving.read())
    for i in rng.integers(0, n, size=min(n, 20)):
        near = ((X - X[i]) ** 2).sum(axis=1) <= radius**2
        if abs(np.sort(np.abs(((X - X[i]) ** 2).sum(axis=1) - radius**2))[0]) < 1e-9 * radius**2:
            continue
        assert counts[i] == near.sum()
        exact = [fsum(X[near, j]) / near.sum() for j in range(d)]
        np.testing.assert_allclose(places[i], exact, rtol=1e-15, atol=2e-16 * 2.0**scale)


def test_equal_rows_stay_where_they_are():
    """Law: the mean of equal rows is the row itself, whatever its digits: a radius of 0 ends."""
    X = np.repeat(np.random.default_rng(0).normal(size=(7, 3)), [1, 2, 3, 5, 7, 11, 13], axis=0)
    model = MeanShift(bandwidth=1e-300).fit(X)
    assert len(model.cluster_centers_) == 7
    assert {tuple(center) for center in model.cluster_centers_} == {tuple(row) for row in X}
    assert model.n_iter_ == 0


@given(seed=st.integers(0, 1000), n=st.integers(1, 150), bandwidth=st.floats(0.05, 3.0))
@settings(max_examples=40, deadline=None)
def test_peaks_are_taken_one_by_one(seed, n, bandwidth):
    """Law: the peak of most rows stays, those within the radius go, and so on: as a slow loop says."""
    rng = np.random.default_rng(seed)
    places, counts = rng.normal(size=(n, 2)).round(1), rng.integers(1, 5, size=n)
    last = {tuple(place): count for place, count in zip(places.tolist(), counts.tolist(), strict=True)}
    left = sorted(last, key=lambda place: (last[place], place), reverse=True)
    expected = []
    while left:
        expected.append(left[0])
        gaps = np.sum((np.array(left) - left[0]) ** 2, axis=1)
        left = [place for place, gap in zip(left, gaps, strict=True) if gap > bandwidth * bandwidth]
    np.testing.assert_array_equal(peaks(places, counts, bandwidth, 1), expected)


@given(
    seed=st.integers(0, 1000),
    n=st.integers(1, 300),
    d=st.integers(1, 20),
    quantile=st.sampled_from([0.0, 0.02, 0.1, 0.3, 1.0]),
)
@settings(max_examples=40, deadline=None)
def test_the_radius_is_scikit_learns(seed, n, d, quantile):
    """Law: estimate_bandwidth is scikit-learn's number, by tree and by all pairs, and of drawn rows."""
    X = np.random.default_rng(seed).normal(size=(n, d))
    assert estimate_bandwidth(X, quantile=quantile) == pytest.approx(
        sklearn.cluster.estimate_bandwidth(X, quantile=quantile), rel=1e-7, abs=1e-7
    )
    some = {"n_samples": max(1, n // 2), "random_state": seed, "quantile": quantile}
    assert estimate_bandwidth(X, **some) == pytest.approx(
        sklearn.cluster.estimate_bandwidth(X, **some), rel=1e-7, abs=1e-7
    )


@given(seed=st.integers(0, 1000), n=st.integers(2, 200), size=st.floats(0.05, 5.0), least=st.integers(1, 3))
@settings(max_examples=40, deadline=None)
def test_bins_are_scikit_learns(seed, n, size, least):
    """Law: the seeds of the grid are scikit-learn's, in its order and type."""
    X = np.random.default_rng(seed).normal(size=(n, 2))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = sklearn.cluster.get_bin_seeds(X, size, least)
        if not len(theirs):
            with pytest.raises(InvalidParameter, match="min_bin_freq must be at most"):
                get_bin_seeds(X, size, least)
            return
        ours = get_bin_seeds(X, size, least)
    np.testing.assert_array_equal(ours, theirs)
    assert ours.dtype == theirs.dtype


def test_bins_that_fail_say_so():
    """Law: where every row has a bin of its own, or bins overflow, the rows are the seeds, with a notice."""
    X = np.array([[0.0], [1.0], [2.0]])
    with pytest.warns(DataNotice, match="Binning data failed"):
        assert get_bin_seeds(X, 0.1) is X
    with pytest.warns(DataNotice, match="Binning data failed"):
        np.testing.assert_array_equal(get_bin_seeds(X * 1e100, 1e-300), X * 1e100)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("size", [1e-300, 1e-40, 1e150])
def test_bins_of_any_size(size, dtype):
    """Law: sizes beyond float32 make seeds that are finite, or the rows, and no warning of NumPy's."""
    X = np.array([[0.5, 3.0], [0.25, 1.0], [7.0, -3.0]], dtype=dtype)
    assert np.isfinite(get_bin_seeds(X, size)).all()
    assert MeanShift(bandwidth=size, bin_seeding=True).fit(X).labels_.min() == 0


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"bandwidth": 0.0}, "bandwidth of MeanShift must be"),
        ({"bandwidth": np.nan}, "bandwidth of MeanShift must be"),
        ({"max_iter": -1}, "max_iter of MeanShift must be"),
        ({"min_bin_freq": 0}, "min_bin_freq of MeanShift must be"),
        ({"bin_seeding": True, "min_bin_freq": 1000, "bandwidth": 1.0}, "min_bin_freq must be at most"),
        ({"seeds": [[1.0]]}, "seeds of MeanShift must have as many columns as X, 2, got 1"),
        ({"seeds": [[99.0, 99.0]], "bandwidth": 1.0}, "No point was within bandwidth=1.0"),
    ],
)
def test_bad_parameters(parameters, message):
    """Law: what a parameter may be is said, with what it was."""
    with pytest.raises(InvalidParameter, match=message):
        MeanShift(**parameters).fit(rows_of("plain", 0))


def test_bad_seeds_and_rows():
    """Law: seeds and rows that are not finite, empty or text are refused in words."""
    with pytest.raises(InvalidData, match=r"seeds.*NaN"):
        MeanShift(bandwidth=1.0, seeds=[[np.nan, 0.0]]).fit(rows_of("plain", 0))
    with pytest.raises(InvalidData, match=r"infinity|infinite"):
        MeanShift().fit([[np.inf], [1.0]])
    with pytest.raises(InvalidData, match="0 sample"):
        mean_shift(np.zeros((0, 2)))
    with pytest.raises(InvalidParameter, match="quantile of estimate_bandwidth"):
        estimate_bandwidth([[1.0]], quantile=1.5)
    with pytest.raises(InvalidParameter, match="n_samples of estimate_bandwidth"):
        estimate_bandwidth([[1.0]], n_samples=0)


def test_one_row():
    """Law: one row is its own peak."""
    model = MeanShift().fit([[3.0, 4.0]])
    assert model.labels_.tolist() == [0]
    assert model.cluster_centers_.tolist() == [[3.0, 4.0]]


def test_huge_iterations_and_files(tmp_path):
    """Law: max_iter may have any number of digits, and a saved model predicts as before."""
    X = rows_of("plain", 5)
    assert MeanShift(bandwidth=1.4, max_iter=10**30).fit(X).n_iter_ < 300
    model = MeanShift(bandwidth=1.4, seeds=X[::3]).fit(X)
    coterie.save(model, tmp_path / "m.model")
    other = coterie.load(tmp_path / "m.model")
    np.testing.assert_array_equal(other.predict(X), model.labels_)
    assert other.bandwidth_ == 1.4
