"""What must hold for k-means whatever the data."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from threadpoolctl import threadpool_limits

from coterie._support.threads import resolve_threads
from coterie.cluster import KMeans, MiniBatchKMeans, k_means

RANDOM = np.random.default_rng(7)
BLOBS = RANDOM.normal(size=(3000, 3)) + RANDOM.integers(-8, 8, size=(12, 3))[RANDOM.integers(12, size=3000)]
FLAT = RANDOM.uniform(size=(2500, 2))
ALGORITHMS = ["auto", "lloyd", "elkan", "hamerly", "exponion", "filter"]


def result_of(model):
    return model.labels_.tobytes(), model.cluster_centers_.tobytes(), model.inertia_


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("improve", [None, "breathing"])
@pytest.mark.parametrize("data", [BLOBS, FLAT, sparse.csr_array(BLOBS)], ids=["blobs", "flat", "sparse"])
def test_same_bits_for_any_number_of_threads(data, improve, dtype):
    """Law: 1, 2 and 7 threads give the same labels, centres and inertia, bit for bit."""
    results = set()
    for n_threads in (1, 2, 7):
        with threadpool_limits(n_threads, user_api="openmp"):
            assert resolve_threads() == n_threads
            model = KMeans(12, random_state=3, improve=improve).fit(data.astype(dtype))
            results.add(result_of(model))
    assert len(results) == 1


def test_same_minibatches_for_any_number_of_threads():
    """Law: the mini-batch version does not depend on the threads either."""
    results = set()
    for n_threads in (1, 2, 7):
        with threadpool_limits(n_threads, user_api="openmp"):
            results.add(result_of(MiniBatchKMeans(12, random_state=3, batch_size=700).fit(BLOBS)))
    assert len(results) == 1


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("data", [BLOBS, FLAT, BLOBS[:, :1]], ids=["blobs", "flat", "line"])
def test_same_bits_for_every_algorithm(data, weighted, dtype):
    """Law: the algorithms differ in speed only."""
    weights = np.random.default_rng(0).uniform(size=len(data)) if weighted else None
    models = [
        KMeans(12, random_state=0, algorithm=name).fit(data.astype(dtype), sample_weight=weights)
        for name in ALGORITHMS
    ]
    assert len({result_of(model) for model in models}) == 1
    assert [model.algorithm_used_ for model in models[1:4]] == ["lloyd", "exponion", "hamerly"]
    assert all(model.exact_ for model in models)


@pytest.mark.parametrize(
    ("n_columns", "n_clusters", "used"),
    [
        (3, 8, "filter"),
        (11, 40, "lloyd"),
        (12, 15, "lloyd"),
        (16, 15, "lloyd"),
        (16, 16, "exponion"),
        (17, 7, "lloyd"),
        (17, 8, "exponion"),
    ],
)
def test_the_automatic_choice_is_that_of_the_page(n_columns, n_clusters, used):
    """Law: "auto" takes the algorithm that docs/kmeans.md names, with the bits of plain Lloyd."""
    X = np.random.default_rng(5).normal(size=(2_000, n_columns))
    plain, chosen = (
        KMeans(n_clusters, init=X[:n_clusters], n_init=1, max_iter=20, algorithm=algorithm).fit(X)
        for algorithm in ("lloyd", "auto")
    )
    assert chosen.algorithm_used_ == used
    assert chosen.n_iter_ == plain.n_iter_
    assert np.array_equal(chosen.labels_, plain.labels_)
    assert np.array_equal(chosen.cluster_centers_, plain.cluster_centers_)


@pytest.mark.parametrize("kind", [KMeans, MiniBatchKMeans])
def test_same_seed_same_result(kind):
    """Law: a seed fixes the result, as a number or as a fresh generator; other seeds differ."""
    fits = [kind(20, random_state=5).fit(FLAT) for _ in range(2)]
    assert result_of(fits[0]) == result_of(fits[1])
    generators = [kind(20, random_state=np.random.default_rng(1)).fit(FLAT) for _ in range(2)]
    assert result_of(generators[0]) == result_of(generators[1])
    assert result_of(kind(20, random_state=6).fit(FLAT)) != result_of(fits[0])


def test_a_generator_moves_on():
    """Law: two fits that share a generator start differently."""
    state = np.random.RandomState(0)
    first, second = (KMeans(20, random_state=state).fit(FLAT) for _ in range(2))
    assert result_of(first) != result_of(second)


@given(seed=st.integers(0, 2**32), k=st.integers(1, 6))
@settings(max_examples=25)
def test_weights_are_repetitions(seed, k):
    """Law: weight w is w equal rows, weight 0 is not a row; the start being given."""
    random = np.random.default_rng(seed)
    X, counts = random.normal(size=(60, 2)), random.integers(0, 4, size=60)
    start = X[np.flatnonzero(counts)[:k]]
    weighted = KMeans(k, init=start).fit(X, sample_weight=counts)
    repeated = KMeans(k, init=start).fit(X.repeat(counts, axis=0))
    np.testing.assert_array_equal(weighted.labels_.repeat(counts), repeated.labels_)
    np.testing.assert_allclose(weighted.cluster_centers_, repeated.cluster_centers_, rtol=1e-12)
    assert weighted.inertia_ == pytest.approx(repeated.inertia_)
    assert weighted.n_iter_ == repeated.n_iter_


@given(seed=st.integers(0, 2**32))
@settings(max_examples=25)
def test_order_of_rows_does_not_matter(seed):
    """Law: permuted rows get the permuted labels and the same centres to the bit, the start being given."""
    order = np.random.default_rng(seed).permutation(len(BLOBS))
    start = BLOBS[:12]
    plain, permuted = KMeans(12, init=start).fit(BLOBS), KMeans(12, init=start).fit(BLOBS[order])
    np.testing.assert_array_equal(plain.labels_[order], permuted.labels_)
    np.testing.assert_allclose(plain.cluster_centers_, permuted.cluster_centers_, rtol=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kind", [KMeans, MiniBatchKMeans])
@pytest.mark.parametrize("data", [BLOBS + 1e4, FLAT, sparse.csr_array(FLAT)], ids=["far", "flat", "sparse"])
def test_predict_gives_the_labels_of_fit(data, kind, dtype):
    """Law: the rows of fit get their own labels back, the objective its own value."""
    data = data.astype(dtype)
    model = kind(50, random_state=0, max_iter=3).fit(data)
    np.testing.assert_array_equal(model.predict(data), model.labels_)
    assert model.score(data) == pytest.approx(-model.inertia_, rel=1e-6)
    nearest = model.transform(data)
    assert nearest.dtype == dtype
    assert float((nearest.min(axis=1) ** 2).sum()) == pytest.approx(model.inertia_, rel=1e-3)


@given(seed=st.integers(0, 2**32), k=st.integers(1, 30), max_iter=st.integers(1, 4))
@settings(max_examples=60)
def test_never_an_empty_cluster(seed, k, max_iter):
    """Law: all k labels occur, however bad the start and however few the iterations."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(60, 2))
    start = random.normal(size=(k, 2)) * 10 ** random.integers(0, 4)
    model = KMeans(k, init=start, max_iter=max_iter).fit(X)
    np.testing.assert_array_equal(np.unique(model.labels_), np.arange(k))
    assert model.cluster_centers_.shape == (k, 2)


def test_restarts_keep_the_least_inertia():
    """Law: n_init runs end at the best of its single runs."""
    starts = itertools.count()
    rows = np.random.default_rng(0).permutation(len(FLAT))

    def start(X, k, random_state):
        return X[np.roll(rows, 40 * next(starts))[:k]]

    together = KMeans(30, init=start, n_init=6).fit(FLAT)
    starts = itertools.count()
    alone = [KMeans(30, init=start, n_init=1).fit(FLAT).inertia_ for _ in range(6)]
    assert together.inertia_ == min(alone)


def test_tolerances_end_the_run_earlier():
    """Law: a larger tol, tol_inertia or a smaller max_iter never makes more iterations."""
    runs = [
        KMeans(40, random_state=0, tol=tol, tol_inertia=tol_inertia).fit(FLAT).n_iter_
        for tol, tol_inertia in [(0, None), (1e-3, None), (1e-1, None), (0, 1e-3), (0, 1e-1)]
    ]
    assert runs[0] > runs[1] > runs[2]
    assert runs[0] > runs[3] > runs[4]
    assert KMeans(40, random_state=0, max_iter=2).fit(FLAT).n_iter_ == 2


def test_a_run_can_be_cut_in_two():
    """Law: going on from the centres of a stopped run ends where the whole run ends, bit for bit."""
    whole = KMeans(40, random_state=0, tol=0).fit(FLAT)
    first = KMeans(40, random_state=0, tol=0, max_iter=4).fit(FLAT)
    second = KMeans(40, init=first.cluster_centers_, tol=0).fit(FLAT)
    assert result_of(second) == result_of(whole)
    assert first.n_iter_ + second.n_iter_ == whole.n_iter_


def test_function_and_class_agree():
    """Law: k_means is KMeans as a function."""
    model = KMeans(5, random_state=2).fit(BLOBS)
    centers, labels, inertia, n_iter = k_means(BLOBS, 5, random_state=2, return_n_iter=True)
    assert (labels.tobytes(), centers.tobytes(), inertia) == result_of(model)
    assert n_iter == model.n_iter_
    assert len(k_means(BLOBS, 5)) == 3
