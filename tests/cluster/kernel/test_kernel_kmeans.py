"""Kernel k-means: k-means for the linear kernel, slow formulas for the others, rings come apart."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import make_circles
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import pairwise_kernels
from threadpoolctl import threadpool_limits

from coterie.cluster import KernelKMeans, KMeans
from coterie.cluster.kernel import fit as kernel_fit
from coterie.errors import DataNotice, InvalidData, InvalidParameter

RANDOM = np.random.default_rng(4)
BLOBS = RANDOM.normal(size=(300, 3)) + RANDOM.integers(-5, 5, size=(5, 3))[RANDOM.integers(5, size=300)]
RINGS, RING = make_circles(400, factor=0.3, noise=0.05, random_state=0)
NAMES = ["rbf", "linear", "poly", "sigmoid", "cosine"]


def squared_to_means(K, labels, weights, new=None, diagonal=None):
    """Return squared distances to all means, straight from the formula."""
    new = K if new is None else new
    diagonal = np.diagonal(K) if diagonal is None else diagonal
    columns = []
    for group in range(labels.max() + 1):
        w = np.where(labels == group, weights, 0.0)
        columns.append(diagonal - 2 * new @ w / w.sum() + w @ K @ w / w.sum() ** 2)
    return np.stack(columns, axis=1)


@given(seed=st.integers(0, 2**32), k=st.integers(1, 6), weighted=st.booleans())
@settings(max_examples=25)
def test_linear_kernel_is_k_means(seed, k, weighted):
    """Law: from the same start the linear kernel ends at the labels and the inertia of k-means."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(80, 3))
    weights = random.uniform(0.5, 3, size=80) if weighted else None
    first = KMeans(k, init=X[:k], max_iter=1).fit(X, sample_weight=weights)
    means = KMeans(k, init=first.cluster_centers_, tol=0).fit(X, sample_weight=weights)
    model = KernelKMeans(k, kernel="linear", init=first.labels_).fit(X, sample_weight=weights)
    np.testing.assert_array_equal(model.labels_, means.labels_)
    assert model.inertia_ == pytest.approx(means.inertia_)
    np.testing.assert_allclose(model.transform(X), means.transform(X), atol=1e-6)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.filterwarnings("ignore:the kernel is not positive:coterie.errors.DataNotice")
def test_every_kernel_gives_its_formula(name, weighted):
    """Law: rows are with the nearest mean, and inertia and distances are those of the formula."""
    weights = RANDOM.integers(0, 3, size=300).astype(float) if weighted else np.ones(300)
    model = KernelKMeans(4, kernel=name, gamma=0.05, random_state=0).fit(BLOBS, sample_weight=weights)
    told = {"rbf": ["gamma"], "poly": ["gamma", "degree", "coef0"], "sigmoid": ["gamma", "coef0"]}
    options = {key: {"gamma": 0.05, "degree": 3, "coef0": 1}[key] for key in told.get(name, [])}
    K = pairwise_kernels(BLOBS, metric=name, **options)
    squared = squared_to_means(K, model.labels_, weights)
    np.testing.assert_array_equal(model.predict(BLOBS), model.labels_)
    assert model.inertia_ == pytest.approx(float(squared[np.arange(300), model.labels_] @ weights))
    np.testing.assert_allclose(
        model.transform(BLOBS) ** 2, np.maximum(squared, 0), rtol=1e-6, atol=1e-6 * K.max()
    )
    if name != "sigmoid":
        np.testing.assert_array_equal(squared.argmin(axis=1), model.labels_)


def test_rings_come_apart():
    """Law: with defaults the two rings are the two groups, which k-means cannot find; new rows as well."""
    model = KernelKMeans(2, random_state=0).fit(RINGS)
    assert adjusted_rand_score(RING, model.labels_) == 1.0
    assert adjusted_rand_score(RING, KMeans(2, random_state=0).fit(RINGS).labels_) < 0.1
    new, ring = make_circles(200, factor=0.3, noise=0.05, random_state=1)
    assert adjusted_rand_score(ring, model.predict(new)) == 1.0


def test_weights_are_repetitions():
    """Law: weight w is w equal rows, weight 0 is not a row; the start being given."""
    counts = RANDOM.integers(0, 4, size=300)
    start = np.arange(300) % 5
    weighted = KernelKMeans(5, init=start).fit(BLOBS, sample_weight=counts)
    repeated = KernelKMeans(5, init=start.repeat(counts)).fit(BLOBS.repeat(counts, axis=0))
    np.testing.assert_array_equal(weighted.labels_.repeat(counts), repeated.labels_)
    assert weighted.inertia_ == pytest.approx(repeated.inertia_)


def test_blocks_give_the_matrix_answer(monkeypatch):
    """Law: where the matrix does not fit, its rows are computed again and the result is the same."""
    whole = KernelKMeans(5, random_state=1).fit(BLOBS)
    monkeypatch.setattr(kernel_fit, "available_memory", lambda: 300 * 300 * 8)
    parts = KernelKMeans(5, random_state=1).fit(BLOBS)
    assert (whole.algorithm_used_, parts.algorithm_used_) == ("matrix", "blocks")
    assert whole.exact_
    assert parts.exact_
    np.testing.assert_array_equal(parts.labels_, whole.labels_)
    assert parts.inertia_ == pytest.approx(whole.inertia_)


def test_a_function_and_its_matrix():
    """Law: a callable, the same kernel by name and its matrix give the same groups, for new rows too."""
    by_name = KernelKMeans(3, gamma=0.1, random_state=0).fit(BLOBS[:60])
    own = KernelKMeans(
        3, kernel=lambda x, y, g: np.exp(-g * ((x - y) ** 2).sum()), kernel_params={"g": 0.1}, random_state=0
    ).fit(BLOBS[:60])
    given = KernelKMeans(3, kernel="precomputed", random_state=0).fit(
        pairwise_kernels(BLOBS[:60], metric="rbf", gamma=0.1)
    )
    new = pairwise_kernels(BLOBS[60:], BLOBS[:60], metric="rbf", gamma=0.1)
    np.testing.assert_array_equal(own.labels_, by_name.labels_)
    np.testing.assert_array_equal(given.labels_, by_name.labels_)
    np.testing.assert_array_equal(given.predict(new), by_name.predict(BLOBS[60:]))
    np.testing.assert_array_equal(own.predict(BLOBS[60:]), by_name.predict(BLOBS[60:]))
    with pytest.raises(InvalidParameter, match="kernel of each new row with itself"):
        given.transform(new)


def test_nystroem_comes_close_and_says_so():
    """Law: features of landmarks find the rings, in any number type, and make no claim to be exact."""
    for dtype in (np.float32, np.float64):
        X = RINGS.astype(dtype)
        model = KernelKMeans(2, method="nystroem", n_components=60, random_state=0).fit(X)
        assert adjusted_rand_score(RING, model.labels_) == 1.0
        assert (model.exact_, model.algorithm_used_) == (False, "nystroem")
        np.testing.assert_array_equal(model.predict(X), model.labels_)
        assert model.transform(X).shape == (400, 2)
    exact = KernelKMeans(2, random_state=0).fit(RINGS)
    all_rows = KernelKMeans(2, method="nystroem", n_components=400, random_state=0).fit(RINGS)
    assert all_rows.inertia_ == pytest.approx(exact.inertia_, rel=1e-3)
    start = RING.astype(int)
    assert KernelKMeans(2, method="nystroem", init=start).fit(RINGS).n_iter_ <= 3


@given(seed=st.integers(0, 2**32), max_iter=st.integers(1, 6))
@settings(max_examples=25)
def test_the_objective_never_rises(seed, max_iter):
    """Law: more iterations never end at a larger inertia; all groups keep rows."""
    start = np.random.default_rng(seed).integers(5, size=300)
    fits = [KernelKMeans(5, init=start, max_iter=m).fit(BLOBS) for m in (max_iter, max_iter + 1)]
    assert fits[0].inertia_ >= fits[1].inertia_ - 1e-9
    assert set(fits[1].labels_) == set(range(5))


def test_kernels_that_are_none_end_with_a_warning():
    """Law: a matrix with negative eigenvalues is warned of, and the iterations end."""
    K = np.random.default_rng(0).normal(size=(100, 100))
    with pytest.warns(DataNotice, match="not positive semi-definite"):
        model = KernelKMeans(4, kernel="precomputed", random_state=0).fit(K + K.T)
    assert set(model.labels_) <= set(range(4))
    with pytest.warns(DataNotice, match="not positive semi-definite"):
        KernelKMeans(4, kernel="sigmoid", random_state=0).fit(BLOBS)


def test_same_bits_for_any_number_of_threads():
    """Law: 1, 2 and 5 threads give the same labels and inertia."""
    X = np.random.default_rng(3).normal(size=(1500, 5)).astype(np.float32)
    results = set()
    for n_threads in (1, 2, 5):
        with threadpool_limits(n_threads, user_api="openmp"):
            model = KernelKMeans(6, random_state=0, n_init=2).fit(X)
        results.add((model.labels_.tobytes(), model.inertia_))
    assert len(results) == 1


def test_fewer_rows_than_groups():
    """Law: equal rows make one group, with a warning; one row is a group."""
    X = np.repeat([[0.0, 1.0], [5.0, 5.0]], 6, axis=0)
    with pytest.warns(ConvergenceWarning, match="distinct clusters \\(2\\) found smaller"):
        model = KernelKMeans(3).fit(X)
    assert len(np.unique(model.labels_)) == 2
    assert KernelKMeans(1).fit([[3.0, 4.0]]).labels_.tolist() == [0]


@pytest.mark.parametrize(
    ("parameters", "X", "error", "message"),
    [
        ({"kernel": "rfb"}, BLOBS, InvalidParameter, 'kernel of KernelKMeans must be .* Did you mean "rbf"'),
        ({"gamma": 0}, BLOBS, InvalidParameter, "gamma of KernelKMeans must be .* greater than 0, got 0"),
        ({"n_clusters": 301}, BLOBS, InvalidParameter, "at most n_samples=300, got 301"),
        ({"init": np.arange(5)}, BLOBS, InvalidData, "the first label of each of the 300 rows"),
        ({"init": np.full(300, 2)}, BLOBS, InvalidData, "labels from 0 to 1, got 2 in row 0"),
        ({"kernel": "precomputed"}, BLOBS, InvalidData, "must be a square matrix of kernel values"),
        (
            {"kernel": "precomputed"},
            [[1.0, 2.0], [3.0, 1.0]],
            InvalidData,
            "X\\[0, 1\\] = 2 and X\\[1, 0\\] = 3",
        ),
        ({"kernel": "precomputed", "method": "nystroem"}, np.eye(4), InvalidParameter, "needs rows"),
        ({"kernel": lambda x, y: "far"}, BLOBS[:9], InvalidData, "finite number, got 'far'"),
        ({}, [[1.0], [np.nan], [2.0]], InvalidData, "contains NaN"),
    ],
)
def test_wrong_input(parameters, X, error, message):
    """Law: wrong parameters and data are refused with what is allowed."""
    with pytest.raises(error, match=message):
        KernelKMeans(**{"n_clusters": 2} | parameters).fit(X)


def test_progress_tells_every_iteration():
    """Law: a callable hears of every iteration."""
    heard = []
    KernelKMeans(5, n_init=1, random_state=0, progress=heard.append).fit(BLOBS)
    assert [step.done for step in heard] == list(range(1, len(heard) + 1))
    assert heard[0].stage == "kernel k-means: iteration"
