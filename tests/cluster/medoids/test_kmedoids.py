"""K-medoids: the answers of R, of slow and obvious searches, and what must hold whatever the data."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from coterie import _core
from coterie.cluster import KMedoids
from coterie.cluster.medoids import kmedoids
from coterie.distance import distances, pairwise_distances
from coterie.errors import InvalidData, InvalidParameter
from coterie.evaluate import silhouette_score
from places import as_places

DISTANCES = {distance.name: distance for distance in distances()}

RANDOM = np.random.default_rng(11)
BLOBS = RANDOM.normal(size=(400, 4)) + RANDOM.integers(-6, 6, size=(7, 4))[RANDOM.integers(7, size=400)]
IRIS = load_iris().data


def total(D, medoids, weights=None):
    near = D[:, list(medoids)].min(axis=1)
    return float(near.sum() if weights is None else near @ weights)


def ratio(D, medoids, weights=None):
    two = np.sort(D[:, list(medoids)], axis=1)[:, :2]
    ratios = np.divide(two[:, 0], two[:, 1], out=np.ones(len(D)), where=two[:, 1] > 0)
    return float(ratios.sum() if weights is None else ratios @ weights)


def swapped(D, start, loss, weights=None):
    """Go round the rows; take the best swap of each row that improves: slow and obvious."""
    medoids, now, in_vain = list(start), loss(D, start, weights), 0
    rows = itertools.cycle(range(len(D)))
    while in_vain <= len(D):
        row = next(rows)
        trials = [[*medoids[:slot], row, *medoids[slot + 1 :]] for slot in range(len(medoids))]
        losses = [loss(D, trial, weights) for trial in trials] if row not in medoids else [np.inf]
        best = int(np.argmin(losses))
        in_vain += 1
        if losses[best] < now - 1e-9:
            medoids, now, in_vain = trials[best], losses[best], 0
    return sorted(medoids)


def test_pam_gives_the_medoids_of_r():
    """Law: PAM from BUILD on iris ends at R's medoids, sizes and silhouettes (deck 003)."""
    model = KMedoids(3, method="pam").fit(IRIS)
    sizes = dict(zip(model.medoid_indices_ + 1, np.bincount(model.labels_), strict=True))
    assert sizes == {8: 50, 79: 62, 113: 38}
    scores = [silhouette_score(IRIS, KMedoids(k, method="pam").fit_predict(IRIS)) for k in range(2, 7)]
    np.testing.assert_allclose(scores, [0.6858, 0.5528, 0.4897, 0.4867, 0.4704], atol=5e-5)


@pytest.mark.parametrize(("method", "loss"), [("fasterpam", total), ("fastermsc", ratio)])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("k", [2, 3, 6])
def test_swaps_are_those_of_the_obvious_search(method, loss, weighted, k):
    """Law: from the same start in the same order the same medoids, from rows and from a matrix."""
    X = BLOBS[:60]
    D = pairwise_distances(X)
    weights = np.random.default_rng(k).integers(1, 5, size=60) if weighted else None
    start = np.random.default_rng(k).permutation(60)[:k]
    expected = swapped(D, start.tolist(), loss, weights)
    by_rows = KMedoids(k, method=method, init=start).fit(X, sample_weight=weights)
    by_matrix = KMedoids(k, method=method, init=start, metric="precomputed").fit(D, sample_weight=weights)
    np.testing.assert_array_equal(by_rows.medoid_indices_, by_matrix.medoid_indices_)
    assert sorted(by_rows.medoid_indices_) == expected
    assert by_rows.n_swaps_ == by_matrix.n_swaps_ > 0
    assert by_rows.inertia_ == pytest.approx(total(D, expected, weights))
    silhouette = 1 - ratio(D, expected, weights) / (60 if weights is None else weights.sum())
    assert by_rows.medoid_silhouette_ == pytest.approx(silhouette)


@pytest.mark.parametrize("method", ["fasterpam", "pam"])
def test_small_problems_are_solved(method):
    """Law: on few well separated rows the best of all choices of medoids is found."""
    X = np.repeat([[0.0, 0.0], [9.0, 1.0], [4.0, 8.0]], 4, axis=0) + BLOBS[:12, :2] / 4
    D = pairwise_distances(X)
    for k in (1, 2, 3):
        best = min(itertools.combinations(range(12), k), key=lambda rows: total(D, rows))
        model = KMedoids(k, method=method).fit(X)
        assert model.inertia_ == pytest.approx(total(D, best))
        assert model.exact_
        assert model.algorithm_used_ == method


@pytest.mark.parametrize("weighted", [False, True])
def test_build_is_the_greedy_choice(weighted):
    """Law: BUILD adds the row that lowers the sum of distances most, one at a time."""
    D = pairwise_distances(BLOBS)
    weights = RANDOM.uniform(0.5, 2, size=400) if weighted else np.ones(400)
    picked = []
    for _ in range(8):
        picked.append(min(range(400), key=lambda row: total(D, [*picked, row], weights)))
    model = KMedoids(8, max_iter=1, method="pam").fit(BLOBS, sample_weight=weights)  # one swap after BUILD
    assert len(set(model.medoid_indices_) & set(picked)) >= 7
    assert model.inertia_ <= total(D, picked, weights) + 1e-9


@given(seed=st.integers(0, 2**32), k=st.integers(1, 6), init=st.sampled_from(["build", "lab", "random"]))
@settings(max_examples=25)
def test_laws_of_the_result(seed, k, init):
    """Law: medoids are members, rows are with the nearest one, inertia is recomputed, no swap is left."""
    random = np.random.default_rng(seed)
    X = random.integers(0, 9, size=(40, 2)).astype(float)
    model = KMedoids(k, init=init, random_state=seed).fit(X)
    D = pairwise_distances(X)
    medoids = model.medoid_indices_
    np.testing.assert_array_equal(model.labels_[medoids], np.arange(k))
    np.testing.assert_array_equal(model.labels_, D[:, medoids].argmin(axis=1))
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    np.testing.assert_array_equal(model.cluster_centers_, X[medoids])
    assert model.inertia_ == pytest.approx(total(D, medoids))
    for slot, row in itertools.product(range(k), range(40)):
        trial = [*medoids[:slot], row, *medoids[slot + 1 :]]
        assert total(D, trial) >= model.inertia_ - 1e-9


@given(seed=st.integers(0, 2**32), max_iter=st.integers(1, 5))
@settings(max_examples=25)
def test_the_objective_never_rises(seed, max_iter):
    """Law: more passes never end at a larger sum of distances, and none above the start's."""
    start = np.random.default_rng(seed).permutation(len(BLOBS))[:7]
    losses = [
        KMedoids(7, init=start, method="pam", max_iter=m).fit(BLOBS).inertia_
        for m in (max_iter, max_iter + 1)
    ]
    assert total(pairwise_distances(BLOBS), start) >= losses[0] - 1e-9 >= losses[1] - 2e-9


@given(seed=st.integers(0, 2**32))
@settings(max_examples=25)
def test_weights_are_repetitions(seed):
    """Law: weight w is w equal rows and weight 0 is not a row; BUILD and PAM do not depend on the order."""
    random = np.random.default_rng(seed)
    X, counts = random.normal(size=(40, 2)), random.integers(0, 4, size=40)
    weighted = KMedoids(3, method="pam").fit(X, sample_weight=counts)
    repeated = KMedoids(3, method="pam").fit(X.repeat(counts, axis=0))
    np.testing.assert_allclose(
        np.sort(weighted.cluster_centers_, axis=0), np.sort(repeated.cluster_centers_, axis=0)
    )
    assert weighted.inertia_ == pytest.approx(repeated.inertia_)
    assert counts[weighted.medoid_indices_].all()


@pytest.mark.parametrize("method", ["fasterpam", "pam", "fastermsc", "clara", "onebatch"])
def test_same_bits_for_any_number_of_threads(method):
    """Law: 1, 2 and 5 threads give the same medoids, labels and inertia."""
    X = np.random.default_rng(3).normal(size=(1500, 5)).astype(np.float32)
    results = set()
    for n_threads in (1, 2, 5):
        with threadpool_limits(n_threads, user_api="openmp"):
            model = KMedoids(9, method=method, random_state=0, init="k-medoids++", sample_size=300).fit(X)
        results.add((model.medoid_indices_.tobytes(), model.labels_.tobytes(), model.inertia_))
    assert len(results) == 1


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", sorted(DISTANCES))
def test_every_distance(name, dtype):
    """Law: every distance of the catalogue has medoids; its rows get their labels back."""
    X = np.abs(BLOBS[:120]).astype(dtype)
    X = X > 3 if DISTANCES[name].domain == "boolean" else X
    X = as_places(X).astype(dtype) if DISTANCES[name].domain == "places" else X
    model = KMedoids(4, metric=name).fit(X)
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    D = pairwise_distances(X, metric=name)
    assert model.inertia_ == pytest.approx(total(D, model.medoid_indices_), rel=1e-4)
    np.testing.assert_allclose(model.transform(X).min(axis=1).sum(), model.inertia_, rtol=1e-4)


def test_own_distances_and_matrices():
    """Law: a function, its matrix and its similarities give the same groups, for new rows too."""
    by_name = KMedoids(4, metric="minkowski", metric_params={"p": 3}).fit(BLOBS[:80])
    own = KMedoids(4, metric=lambda x, y: float((np.abs(x - y) ** 3).sum() ** (1 / 3))).fit(BLOBS[:80])
    D = pairwise_distances(BLOBS[:80], metric="minkowski", p=3)
    given = KMedoids(4, metric="precomputed").fit(D)
    alike = KMedoids(4, metric="similarity").fit(50.0 - D)
    new = pairwise_distances(BLOBS[80:], BLOBS[:80], metric="minkowski", p=3)
    for model, rows in ((own, BLOBS[80:]), (given, new), (alike, 50.0 - new)):
        assert model.medoid_indices_.tolist() == by_name.medoid_indices_.tolist()
        np.testing.assert_array_equal(model.predict(rows), by_name.predict(BLOBS[80:]))
        np.testing.assert_allclose(model.transform(rows), by_name.transform(BLOBS[80:]), rtol=1e-9, atol=1e-9)
    assert given.cluster_centers_ is None


def test_the_order_of_a_matrix_in_memory_does_not_matter():
    """Law: Fortran order gives the medoids of C order, whether the mirror is exact or rounded."""
    D = pairwise_distances(BLOBS[:120])
    for matrix in (D, D * (1 + np.triu(np.ones_like(D)) * 1e-15)):
        fits = [KMedoids(6, metric="precomputed").fit(np.asarray(matrix, order=order)) for order in "CF"]
        np.testing.assert_array_equal(fits[0].medoid_indices_, fits[1].medoid_indices_)
        assert fits[0].inertia_ == fits[1].inertia_


def test_many_columns_are_kept_as_a_matrix():
    """Law: whether distances are kept or computed again does not change the medoids."""
    X = np.random.default_rng(1).normal(size=(200, 80))
    wide = KMedoids(5).fit(X)
    given = KMedoids(5, metric="precomputed").fit(pairwise_distances(X))
    assert wide.medoid_indices_.tolist() == given.medoid_indices_.tolist()


@pytest.mark.parametrize("method", ["clara", "onebatch"])
@pytest.mark.parametrize("init", ["build", "lab", "k-medoids++", "random"])
def test_samples_come_close_and_say_so(method, init):
    """Law: samples are at most a few percent worse than all rows, and make no claim to be exact."""
    X = np.random.default_rng(5).normal(size=(2000, 3)) + 8 * np.eye(3)[np.arange(2000) % 3]
    exact = KMedoids(3).fit(X)
    for model in (
        KMedoids(3, method=method, init=init, sample_size=400, random_state=0).fit(X),
        KMedoids(3, method=method, init=init, sample_size=400, random_state=0, metric="precomputed").fit(
            pairwise_distances(X)
        ),
    ):
        assert exact.inertia_ - 1e-9 <= model.inertia_ <= 1.05 * exact.inertia_
        assert not model.exact_
        assert model.algorithm_used_ == method


def test_many_rows_go_by_samples(monkeypatch):
    """Law: above a number of rows the default is a sample, and says so; matrices are taken as they are."""
    monkeypatch.setattr(kmedoids, "AUTO_MOST_ROWS", 399)
    by_rows = KMedoids(7, sample_size=200, random_state=0).fit(BLOBS)
    by_matrix = KMedoids(7, metric="precomputed").fit(pairwise_distances(BLOBS))
    assert (by_rows.algorithm_used_, by_rows.exact_) == ("onebatch", False)
    assert (by_matrix.algorithm_used_, by_matrix.exact_) == ("fasterpam", True)
    assert by_rows.inertia_ <= 1.1 * by_matrix.inertia_


def test_restarts_keep_the_best():
    """Law: more starts never end at a larger sum of distances."""
    losses = [KMedoids(12, init="random", n_init=n, random_state=2).fit(BLOBS).inertia_ for n in (1, 4, 12)]
    assert losses[0] >= losses[1] >= losses[2]


@pytest.mark.parametrize("rule", [_core.SwapRule.first, _core.SwapRule.best])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_starts_side_by_side_end_as_each_alone(rule, dtype):
    """Law: of many starts at once each ends where it ends alone, though most of them meet on the way."""
    D = pairwise_distances(BLOBS).astype(dtype)
    rows, options = np.arange(len(D)), _core.SwapOptions(_core.MedoidObjective.distance, rule, 300)
    starts = np.stack([np.random.default_rng(seed).choice(len(D), 7, replace=False) for seed in range(24)])
    together = _core.swap_medoids(D, rows, None, starts, options)
    alone = [_core.swap_medoids(D, rows, None, start[None], options)[0] for start in starts]
    assert all(one.is_settled for one in together)
    assert [sorted(one.medoids) for one in together] == [sorted(one.medoids) for one in alone]
    assert [one.loss for one in together] == [one.loss for one in alone]
    assert len({one.loss for one in together}) < len(starts)


def test_fewer_rows_than_groups():
    """Law: equal rows make one group, with a warning; one row is its own medoid."""
    X = np.repeat([[0.0, 1.0], [5.0, 5.0]], 6, axis=0)
    for method in ("fasterpam", "fastermsc", "clara"):
        with pytest.warns(ConvergenceWarning, match="distinct clusters \\(2\\) found smaller"):
            model = KMedoids(3, method=method).fit(X)
        assert len(model.medoid_indices_) == 2
        assert model.inertia_ == 0
    one = KMedoids(1).fit([[3.0, 4.0]])
    assert (one.medoid_indices_.tolist(), one.labels_.tolist(), one.inertia_) == ([0], [0], 0.0)
    with pytest.warns(ConvergenceWarning, match="distinct clusters"):
        light = KMedoids(3).fit(X, sample_weight=[1] + [0] * 11)
    assert light.medoid_indices_.tolist() == [0]


@pytest.mark.parametrize(
    ("D", "message"),
    [
        (np.ones((3, 2)), "must be a square matrix of distances, got the shape \\(3, 2\\)"),
        ([[0, 1, 2], [1, 0, 3], [2, 4, 0]], "X\\[1, 2\\] = 3 and X\\[2, 1\\] = 4"),
        ([[0, -1], [-1, 0]], "at least 0, got X\\[0, 1\\] = -1"),
        ([[0, 1], [1, 5]], "zeros on the diagonal, got X\\[1, 1\\] = 5"),
        ([[0, np.nan], [np.nan, 0]], "NaN"),
    ],
)
def test_wrong_matrices_name_the_cell(D, message):
    """Law: what is not a matrix of distances is refused, with the cell."""
    with pytest.raises(InvalidData, match=message):
        KMedoids(1, metric="precomputed").fit(D)


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"n_clusters": 41}, InvalidParameter, "n_clusters of KMedoids must be at most n_samples=40, got 41"),
        ({"method": "pamm"}, InvalidParameter, 'method of KMedoids must be .* Did you mean "pam"'),
        ({"metric": "euclidian"}, InvalidParameter, 'no such distance "euclidian". Did you mean "euclidean"'),
        ({"metric_params": {"p": 3}}, InvalidParameter, "euclidean takes w, got p"),
        ({"n_clusters": 1, "method": "fastermsc"}, InvalidParameter, "must be at least 2"),
        ({"init": [0.5, 1.5]}, InvalidData, "must be 2 row numbers"),
        ({"init": [0, 40]}, InvalidData, "row numbers from 0 to 39, got 40"),
        ({"init": [7, 7]}, InvalidData, "must be different rows"),
        ({"init": [1, 2], "method": "clara"}, InvalidParameter, 'must be a name for method="clara"'),
    ],
)
def test_wrong_parameters(parameters, error, message):
    """Law: a wrong parameter is refused with what is allowed."""
    with pytest.raises(error, match=message):
        KMedoids(**{"n_clusters": 2} | parameters).fit(BLOBS[:40])


def test_wrong_rows():
    """Law: missing values and a matrix passed for data are refused."""
    with pytest.raises(InvalidData, match="contains NaN"):
        KMedoids(2).fit([[1.0], [np.nan], [3.0]])
    with pytest.raises(InvalidData, match="looks like distances"):
        KMedoids(2).fit(pairwise_distances(BLOBS[:5]))


def test_progress_tells_every_pass():
    """Law: a callable hears of every pass."""
    heard = []
    model = KMedoids(5, init="random", n_init=1, random_state=0, progress=heard.append).fit(BLOBS)
    assert [step.done for step in heard] == list(range(1, model.n_iter_ + 1))
    assert heard[0].stage == "k-medoids (fasterpam): pass"
