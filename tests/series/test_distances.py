"""Distances of time series: slow definitions, peers, and what must hold whatever the series."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics import adjusted_rand_score

import series_oracles as slow
from coterie import _core
from coterie.cluster import HDBSCAN, AgglomerativeClustering, KMedoids
from coterie.errors import CoterieError, InvalidData, InvalidParameter
from coterie.series import (
    ddtw,
    dtw,
    dtw_path,
    erp,
    find_series_distance,
    msm,
    nearest,
    pairwise,
    sbd,
    series_distances,
    soft_dtw,
    soft_dtw_divergence,
)

NUMBERS = st.floats(-50, 50, allow_nan=False, width=32)
ONE = arrays(np.float64, st.integers(1, 9), elements=NUMBERS)


@pytest.mark.parametrize("n_columns", [1, 3])
@pytest.mark.parametrize(
    ("metric", "params", "oracle"),
    [
        ("dtw", {}, slow.dtw),
        ("dtw", {"window": 0}, lambda x, y: slow.dtw(x, y, 0)),
        ("dtw", {"window": 2}, lambda x, y: slow.dtw(x, y, 2)),
        ("dtw", {"open_begin": 2, "open_end": 1}, lambda x, y: slow.dtw(x, y, None, (2, 2), (1, 1))),
        (
            "dtw",
            {"open_begin": (3, 0), "open_end": (0, 2), "window": 3},
            lambda x, y: slow.dtw(x, y, 3, (3, 0), (0, 2)),
        ),
        ("dtw", {"open_end": (2, 5), "window": 0}, lambda x, y: slow.dtw(x, y, 0, (0, 0), (2, 5))),
        ("ddtw", {"window": 4}, lambda x, y: slow.dtw(slow.slopes(x), slow.slopes(y), 4)),
        ("soft_dtw", {"gamma": 0.5}, lambda x, y: slow.soft_dtw(x, y, 0.5)),
        ("soft_dtw", {"gamma": 1e-3}, lambda x, y: slow.soft_dtw(x, y, 1e-3)),
        ("erp", {"gap": 0.5}, lambda x, y: slow.erp(x, y, 0.5)),
        ("erp", {"window": 2}, lambda x, y: slow.erp(x, y, 0.0, 2)),
        ("msm", {"cost": 0.7}, lambda x, y: slow.msm(x, y, 0.7)),
        ("sbd", {}, slow.sbd),
    ],
    ids=lambda value: str(value) if not callable(value) else "",
)
def test_pairs_are_those_of_the_definition(metric, params, oracle, n_columns):
    """Law: every pair of series of any lengths has the distance that its definition gives."""
    series = slow.some_series(18, n_columns, seed=n_columns, longest=9, least=3)
    others = slow.some_series(3, n_columns, seed=9, longest=12, least=3)
    for X, Y in ((series, None), (series, others)):
        expected = [[oracle(x, y) for y in (X if Y is None else Y)] for x in X]
        np.testing.assert_allclose(pairwise(X, Y, metric=metric, **params), expected, rtol=1e-9, atol=1e-9)


@given(ONE, ONE, st.sampled_from([None, 0, 1, 4, 10**30]), *[st.integers(0, 9)] * 2)
def test_a_warping_path_has_the_distance_of_its_series(x, y, window, begin, end):
    """Law: `dtw` and `dtw_path` agree with the definition to rounding, whatever ends and window are."""
    told = {"window": window, "open_begin": begin, "open_end": end}
    oracle = slow.dtw(x, y, window, (begin, begin), (end, end))
    assert dtw(x, y, **told) == pytest.approx(oracle, rel=1e-12)
    assert dtw_path(x, y, **told).distance == pytest.approx(oracle, rel=1e-12)


def test_functions_of_two_are_entries_of_the_matrix():
    """Law: the functions give what the matrix gives, to the bit."""
    x, y = slow.some_series(2, seed=3, least=5)
    for function, params in (
        (dtw, {"window": 3}),
        (ddtw, {"window": 3}),
        (soft_dtw, {"gamma": 0.3}),
        (soft_dtw_divergence, {"gamma": 0.3}),
        (erp, {"gap": 1.0}),
        (msm, {"cost": 0.1}),
        (sbd, {}),
    ):
        assert function(x, y, **params) == pairwise([x], [y], metric=function.__name__, **params)[0, 0]


def test_dtw_is_that_of_dtaidistance():
    """Law: DTW with a window and with open ends equals dtaidistance's."""
    peer = pytest.importorskip("dtaidistance", reason="a peer of the benchmarks").dtw
    series = [one[:, 0] for one in slow.some_series(12, seed=1, least=6)]
    for x in series[:6]:
        for y in series[6:]:
            np.testing.assert_allclose(dtw(x, y), peer.distance(x, y), rtol=1e-9)
            np.testing.assert_allclose(dtw(x, y, window=3), peer.distance(x, y, window=4), rtol=1e-9)
            ours = dtw(x, y, open_begin=(1, 2), open_end=(2, 0))
            np.testing.assert_allclose(ours, peer.distance(x, y, psi=(1, 2, 2, 0)), rtol=1e-9)


@pytest.mark.filterwarnings("ignore")
def test_distances_are_those_of_tslearn():
    """Law: DTW, its path, soft-DTW and shapes equal tslearn's, also for several columns."""
    metrics = slow.tslearn("metrics")
    for n_columns in (1, 2):
        series = slow.some_series(8, n_columns, seed=2, least=6)
        for x, y in zip(series[:4], series[4:], strict=True):
            np.testing.assert_allclose(dtw(x, y), metrics.dtw(x, y), rtol=1e-9)
            peer = metrics.dtw(x, y, global_constraint="sakoe_chiba", sakoe_chiba_radius=2)
            np.testing.assert_allclose(dtw(x, y, window=2), peer, rtol=1e-9)
            path, distance = metrics.dtw_path(x, y)
            found = dtw_path(x, y)
            assert found.pairs.tolist() == [list(pair) for pair in path]
            np.testing.assert_allclose(found.distance, distance, rtol=1e-9)
            np.testing.assert_allclose(
                soft_dtw(x, y, gamma=0.4), metrics.soft_dtw(x, y, gamma=0.4), rtol=1e-9
            )


def test_a_path_adds_up_to_its_distance():
    """Law: matched points run through both series in order, and their squares add up to the distance."""
    for seed in range(6):
        x, y = slow.some_series(2, 2, seed=seed, least=4)
        for params in ({}, {"window": 1}, {"open_begin": 2, "open_end": (1, 3)}):
            found = dtw_path(x, y, **params)
            gaps = x[found.pairs[:, 0]] - y[found.pairs[:, 1]]
            np.testing.assert_allclose(found.distance, np.sqrt((gaps**2).sum()), rtol=1e-12, atol=1e-12)
            assert found.distance == dtw(x, y, **params)
            steps = np.diff(found.pairs, axis=0)
            assert ((steps >= 0) & (steps <= 1)).all()
            assert (steps.sum(axis=1) >= 1).all()
            if not params:
                assert found.pairs[0].tolist() == [0, 0]
                assert found.pairs[-1].tolist() == [len(x) - 1, len(y) - 1]


@settings(max_examples=60, deadline=None)
@given(ONE, ONE, ONE)
def test_metrics_obey_the_triangle_inequality(x, y, z):
    """Law: what the catalogue calls a metric is symmetric, 0 for equal series, and obeys the triangle."""
    for distance in series_distances():
        if not distance.is_metric:
            continue
        matrix = pairwise([x, y, z], metric=distance)
        assert np.array_equal(matrix, matrix.T)
        assert not np.diagonal(matrix).any()
        assert matrix[0, 2] <= matrix[0, 1] + matrix[1, 2] + 1e-9


@settings(max_examples=40, deadline=None)
@given(ONE, ONE, st.integers(0, 4))
def test_windows_only_raise_dtw(x, y, window):
    """Law: a narrower window never lowers DTW, and for equal lengths window 0 is Euclidean."""
    free, banded, wider = dtw(x, y), dtw(x, y, window=window), dtw(x, y, window=window + 1)
    assert free <= wider <= banded
    if len(x) == len(y):
        np.testing.assert_allclose(dtw(x, y, window=0), np.linalg.norm(x - y), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("n_columns", [1, 2])
@pytest.mark.parametrize("window", [None, 0, 3])
@pytest.mark.parametrize("equal", [True, False])
def test_nearest_is_brute_force_to_the_bit(n_columns, window, equal):
    """Law: lower bounds, pruning and early abandoning change nothing, ties included."""
    rng = np.random.default_rng(5)
    if equal:
        X = rng.normal(size=(70, 20, n_columns)).cumsum(axis=1)
        X[40:50] = X[:10]  # copies: equal distances
        X = list(X)
    else:
        X = slow.some_series(70, n_columns, seed=6)
    queries = [one + rng.normal(0, 0.1, one.shape) for one in X[::6]] + X[1::9]
    matrix = pairwise(queries, X, metric="dtw", window=window)
    order = np.argsort(matrix, axis=1, kind="stable")[:, :4]
    for n_jobs in (1, 2):
        found = nearest(queries, X, k=4, window=window, n_jobs=n_jobs)
        np.testing.assert_array_equal(found.indices, order)
        np.testing.assert_array_equal(found.distances, np.take_along_axis(matrix, order, axis=1))
    slopes = (
        nearest(
            [one[:, 0] for one in X[:5] if len(one) > 2],
            [one for one in X if len(one) > 2][:1] * 3,
            k=1,
            metric="ddtw",
        )
        if n_columns == 1
        else None
    )
    assert slopes is None or not slopes.indices.any()


def test_lower_bounds_rule_out_most_pairs():
    """Law: of smooth series with a narrow window few pairs are compared."""
    X, _ = slow.waves(300)
    assert nearest(X[:30], X, k=1, window=3).n_compared < 0.5 * 30 * 300


def test_other_distances_have_neighbours_too():
    """Law: distances without bounds are compared in full."""
    X = slow.some_series(12, seed=4, least=4)
    found = nearest(X[:3], X, k=2, metric="msm")
    assert found.indices[:, 0].tolist() == [0, 1, 2]
    assert found.n_compared == 36


def test_threads_and_company_change_no_bit():
    """Law: a pair has the same distance alone, in any matrix, and with any number of threads."""
    X = slow.some_series(40, 2, seed=8, least=3)
    for distance in series_distances():
        matrix = pairwise(X, metric=distance, n_jobs=1)
        assert np.array_equal(matrix, pairwise(X, metric=distance, n_jobs=2))
        if distance.name != "sbd":  # transforms of another length round otherwise
            assert matrix[3, 30] == pairwise([X[3]], [X[30]], metric=distance)[0, 0]
            assert np.array_equal(pairwise(X[::-1], metric=distance), matrix[::-1, ::-1])


def test_every_instruction_set_gives_the_same_bits():
    """Law: distances that only add, multiply and compare are equal to the bit on every instruction set."""
    before = _core.instruction_set()
    X = slow.some_series(30, 2, seed=2, least=3)
    names = ("dtw", "ddtw", "erp", "msm")
    expected = {name: pairwise(X, metric=name) for name in names}
    soft = pairwise(X, metric="soft_dtw")
    try:
        for level in _core.instruction_sets().split():
            _core.use_instruction_set(level)
            for name in names:
                assert np.array_equal(pairwise(X, metric=name), expected[name]), (level, name)
            np.testing.assert_allclose(pairwise(X, metric="soft_dtw"), soft, rtol=1e-12, atol=1e-9)
    finally:
        _core.use_instruction_set(before)


def test_the_divergence_is_zero_for_equal_series():
    """Law: soft-DTW's divergence is 0 for equal series, positive for others, and tends to DTW squared."""
    X = slow.some_series(6, seed=1, least=4)
    matrix = pairwise(X, metric="soft_dtw_divergence", gamma=1.0)
    assert not np.diagonal(matrix).any()
    assert (matrix[~np.eye(6, dtype=bool)] > 0).all()
    near = pairwise(X, metric="soft_dtw_divergence", gamma=1e-4)
    np.testing.assert_allclose(near, pairwise(X) ** 2, atol=0.01)


def test_matrices_serve_other_methods():
    """Law: groups of shapes are found from the matrix by k-medoids, linkage and HDBSCAN."""
    X, kinds = slow.waves(45)
    D = pairwise(X, window=4)
    for labels in (
        KMedoids(3, metric="precomputed", random_state=0).fit(D).labels_,
        AgglomerativeClustering(3, linkage="average", metric="precomputed").fit(D).labels_,
        HDBSCAN(min_cluster_size=5, metric="precomputed").fit(D).labels_,
    ):
        placed = labels >= 0
        assert placed.mean() > 0.7
        assert adjusted_rand_score(kinds[placed], labels[placed]) > 0.95


def test_unknown_names_are_refused():
    """Law: a wrong name, parameter or value says what is allowed."""
    with pytest.raises(InvalidParameter, match=r'no such distance of time series "dwt".*Did you mean "dtw"'):
        find_series_distance("dwt")
    with pytest.raises(InvalidParameter, match="the distance sbd takes no parameters, got window"):
        pairwise([[1.0, 2.0]], metric="sbd", window=1)
    for params in ({"window": -1}, {"window": 1.5}, {"open_begin": (1, -1)}, {"open_end": (1, 2, 3)}):
        with pytest.raises(InvalidParameter, match="must be"):
            pairwise([[1.0, 2.0]], **params)
    with pytest.raises(InvalidParameter, match="gamma of soft_dtw must be"):
        soft_dtw([1.0], [2.0], gamma=0.0)
    with pytest.raises(InvalidParameter, match="k of nearest must be at most the 1 series of X, got 2"):
        nearest([[1.0]], [[1.0]], k=2)
    with pytest.raises(InvalidData, match="ddtw needs at least 3 points in every series, series 1 has 2"):
        pairwise([[1, 2, 3], [1, 2]], metric="ddtw")


@settings(max_examples=60, deadline=None)
@given(st.binary(min_size=8, max_size=240))
def test_any_bits_are_answered_or_refused(noise):
    """Law: whatever bits a series holds, the answer is a number, or an error in our own words."""
    values = np.frombuffer(noise[: len(noise) // 8 * 8], dtype=np.float64)
    for distance in series_distances():
        try:
            matrix = pairwise([values, values[: max(1, len(values) // 2)]], metric=distance)
        except CoterieError:
            continue
        assert np.isfinite(matrix).all()
