"""K-means in other spaces: the same turns with another distance and its centres."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.spatial.distance import cdist
from scipy.stats import rankdata
from threadpoolctl import threadpool_limits

import coterie
from coterie import _core
from coterie.cluster import KMeans
from coterie.distance import Barycentre, Geometry, find_distance, find_geometry, geometries
from coterie.errors import InvalidParameter, UnsupportedInput

RANDOM = np.random.default_rng(5)
REAL = RANDOM.normal(size=(300, 4)) + RANDOM.integers(-4, 5, size=(6, 4))[RANDOM.integers(6, size=300)]
CODES = RANDOM.integers(0, 4, size=(300, 6)).astype(float)
NAMES = sorted(geometries())
MEANS = {"euclidean", "sqeuclidean", "seuclidean", "mahalanobis", "cosine", "correlation", "spearman"}


def data_for(name):
    return CODES if name == "hamming" else REAL


def unit(rows):
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def weighted_median(values, weights):
    order = np.argsort(values, kind="stable")
    total = np.cumsum(weights[order])
    return values[order][np.searchsorted(total, total[-1] / 2)]


def mode(values, weights):
    kinds = np.unique(values)
    return kinds[np.argmax([weights[values == kind].sum() for kind in kinds])]


def by_column(function):
    return lambda rows, weights: np.array([function(column, weights) for column in rows.T])


def mean(rows, weights):
    return np.average(rows, axis=0, weights=weights)


def direction(rows, weights):
    return unit(mean(rows, weights)[None])[0]


def whitened(rows):
    vectors = np.linalg.cholesky(np.linalg.inv(np.cov(REAL.T)))
    return rows @ vectors


# prepared rows, distance, power, centre: slow and obvious
ORACLES = {
    "euclidean": (lambda rows: rows, "euclidean", 2, mean),
    "sqeuclidean": (lambda rows: rows, "sqeuclidean", 1, mean),
    "seuclidean": (lambda rows: rows / REAL.std(axis=0, ddof=1), "euclidean", 2, mean),
    "mahalanobis": (whitened, "euclidean", 2, mean),
    "manhattan": (lambda rows: rows, "cityblock", 1, by_column(weighted_median)),
    "cosine": (unit, "cosine", 1, direction),
    "correlation": (lambda rows: unit(rows - rows.mean(axis=1, keepdims=True)), "cosine", 1, direction),
    "spearman": (lambda rows: unit(rankdata(rows, axis=1) - 2.5), "cosine", 1, direction),
    "hamming": (lambda rows: rows, "hamming", 1, by_column(mode)),
    "minkowski": (lambda rows: rows, "euclidean", 2, mean),
}


def slow_kmeans(name, rows, start, weights, max_iter):
    prepare, metric, power, centre = ORACLES[name]
    rows, centers = prepare(rows), prepare(start)
    for _ in range(max_iter):
        labels = cdist(rows, centers, metric).argmin(axis=1)
        centers = np.array(
            [
                centre(rows[labels == label], weights[labels == label]) if (labels == label).any() else center
                for label, center in enumerate(centers)
            ]
        )
    distances = cdist(rows, centers, metric)
    return distances.argmin(axis=1), float(weights @ distances.min(axis=1) ** power)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_same_as_the_slow_way(name, weighted):
    """Law: labels and objective are those of an obvious implementation with SciPy's distances."""
    rows = data_for(name)
    weights = np.random.default_rng(1).uniform(0.5, 2, size=300) if weighted else np.ones(300)
    start = rows[[0, 40, 80, 120]]
    model = KMeans(4, init=start, geometry=name, max_iter=3, tol=0).fit(
        rows, sample_weight=weights if weighted else None
    )
    labels, objective = slow_kmeans(name, rows, start, weights, 3)
    assert model.inertia_ == pytest.approx(objective, rel=1e-6)
    if name != "hamming":  # where rows are often equally far from two centres
        np.testing.assert_array_equal(model.labels_, labels)


@pytest.mark.parametrize(
    ("name", "improve"), [(name, None) for name in NAMES] + [(name, "breathing") for name in sorted(MEANS)]
)
def test_what_holds_in_every_geometry(name, improve):
    """Law: the objective never rises, predict and score repeat fit, distances are the geometry's."""
    rows = data_for(name)
    model = KMeans(5, geometry=name, random_state=0, history=True, improve=improve).fit(rows)
    np.testing.assert_array_equal(model.predict(rows), model.labels_)
    assert model.score(rows) == pytest.approx(-model.inertia_, rel=1e-9)
    np.testing.assert_array_equal(model.history_[-1].labels, model.labels_)
    np.testing.assert_array_equal(model.history_[-1].centers, model.cluster_centers_)
    if improve is None:
        inertias = model.history_.inertias
        assert (np.diff(inertias) <= 1e-9 * inertias[:-1]).all()
    prepare, metric, _, _ = ORACLES[name]
    centers = model.cluster_centers_ if metric == "cosine" else prepare(model.cluster_centers_)
    expected = cdist(prepare(rows), centers, metric)
    np.testing.assert_allclose(model.transform(rows), expected, atol=1e-6)


@pytest.mark.parametrize("name", NAMES)
def test_threads_copies_and_files(name, tmp_path):
    """Law: in every geometry threads do not matter, and copies and files predict the same."""
    rows = data_for(name)
    fits = []
    for n_threads in (1, 3):
        with threadpool_limits(n_threads, user_api="openmp"):
            fits.append(KMeans(5, geometry=name, random_state=0).fit(rows))
    np.testing.assert_array_equal(fits[0].cluster_centers_, fits[1].cluster_centers_)
    coterie.save(fits[0], tmp_path / "model.safetensors")
    for other in (pickle.loads(pickle.dumps(fits[0])), coterie.load(tmp_path / "model.safetensors")):
        np.testing.assert_array_equal(other.predict(rows), fits[0].labels_)
        np.testing.assert_array_equal(other.transform(rows), fits[0].transform(rows))


@given(seed=st.integers(0, 2**32), name=st.sampled_from(["manhattan", "hamming", "cosine", "mahalanobis"]))
@settings(max_examples=30)
def test_weights_are_repetitions(seed, name):
    """Law: in every geometry weight w is w equal rows."""
    random = np.random.default_rng(seed)
    rows = random.integers(1, 6, size=(50, 3)) if name == "hamming" else random.normal(size=(50, 3))
    counts = random.integers(1, 4, size=50)
    params = {"VI": np.eye(3)} if name == "mahalanobis" else {}
    geometry = find_geometry(name, **params)
    how = {"n_clusters": 3, "init": rows[:3], "geometry": geometry}
    weighted = KMeans(**how).fit(rows, sample_weight=counts)
    repeated = KMeans(**how).fit(rows.repeat(counts, axis=0))
    assert weighted.inertia_ == pytest.approx(repeated.inertia_)
    np.testing.assert_array_equal(weighted.labels_.repeat(counts), repeated.labels_)


def test_centres_are_in_the_units_of_the_data():
    """Law: centres of scaled or whitened rows come back in the units of the data: they are means of rows."""
    for name in ("seuclidean", "mahalanobis"):
        model = KMeans(4, geometry=name, random_state=0, tol=0).fit(REAL)
        means = [REAL[model.labels_ == label].mean(axis=0) for label in range(4)]
        np.testing.assert_allclose(model.cluster_centers_, means, rtol=1e-8, atol=1e-8)
    directions = KMeans(4, geometry="cosine", random_state=0).fit(REAL).cluster_centers_
    np.testing.assert_allclose(np.linalg.norm(directions, axis=1), 1)


def test_float32_stays_float32():
    """Law: the type of the data is the type of centres and distances, in every geometry."""
    for name in NAMES:
        model = KMeans(3, geometry=name, random_state=0).fit(data_for(name).astype(np.float32))
        assert model.cluster_centers_.dtype == np.float32
        assert model.transform(data_for(name).astype(np.float32)).dtype == np.float32


def test_medians_resist_outliers():
    """Law: one far row moves means, not medians."""
    rows = np.vstack([RANDOM.normal(size=(100, 2)), [[1e6, 1e6]]])
    assert np.abs(KMeans(1, geometry="manhattan").fit(rows).cluster_centers_).max() < 1
    assert np.abs(KMeans(1).fit(rows).cluster_centers_).max() > 1e3


def test_other_exponents():
    """Law: Minkowski's p-centres lower the sum of p-th powers below that of means and of medians."""
    for p in (1.5, 3.0, 6.0):
        model = KMeans(3, geometry=find_geometry("minkowski", p=p), random_state=0, tol=0).fit(REAL)
        assert model.inertia_ == pytest.approx((model.transform(REAL).min(axis=1) ** p).sum())
        for center in (np.mean, np.median):
            centers = [center(REAL[model.labels_ == label], axis=0) for label in range(3)]
            away = np.abs(REAL - np.array(centers)[model.labels_])
            assert (away**p).sum() >= model.inertia_ * (1 - 1e-6)


def test_starts_and_empty_clusters():
    """Law: every kind of start works in every geometry, and no cluster stays empty."""
    for name in NAMES:
        rows = data_for(name)
        starts = [
            "k-means++",
            "random",
            "random partition",
            rows[[0, 0, 0, 0]] + 0.0,
            lambda X, k, random_state: X[:k],
        ]
        for init in starts:
            model = KMeans(4, geometry=name, init=init, n_init=1, random_state=0).fit(rows)
            assert set(model.labels_) == {0, 1, 2, 3}


def test_seeds_follow_the_terms_of_the_objective():
    """Law: the chances of k-means++ in a geometry are the terms of its objective."""
    model = KMeans(3, geometry="manhattan", random_state=0, history=True).fit(REAL)
    picks = model.history_.picks
    terms = cdist(REAL, REAL[[picks[0].row, picks[1].row]], "cityblock").min(axis=1)
    np.testing.assert_allclose(picks[2].probabilities, terms / terms.sum())


@pytest.mark.parametrize("name", ["chebyshev", "canberra", "braycurtis", "jaccard", "dice", "matching"])
def test_distances_without_centres_are_refused(name):
    """Law: a distance without a barycentre is refused by name, with a way out."""
    with pytest.raises(InvalidParameter, match=f"{name} has no barycentre.*Use KMedoids"):
        KMeans(2, geometry=name).fit(REAL)


def test_what_else_is_refused():
    """Law: functions, matrices, unknown names, sparse rows, breathing without means: refused with reasons."""
    for geometry, message in [
        (lambda x, y: 0.0, "is a function of two rows: its barycentre is not known.*Use KMedoids"),
        ("precomputed", "has no barycentre"),
        ("manhatten", 'no such distance "manhatten". Did you mean "manhattan"'),
        (find_distance("minkowski", p=0.5), "minkowski with p=0.5 has no barycentre"),
    ]:
        with pytest.raises(InvalidParameter, match=message):
            KMeans(2, geometry=geometry).fit(REAL)
    for name in ("manhattan", "cosine", "seuclidean"):
        with pytest.raises(UnsupportedInput, match=f"dense data is required for geometry {name}"):
            KMeans(2, geometry=name).fit(sparse.csr_array(REAL))
    with pytest.raises(InvalidParameter, match='improve="breathing" of KMeans needs centres that are means'):
        KMeans(2, geometry="manhattan", improve="breathing").fit(REAL)


def test_a_geometry_that_does_not_descend_is_caught():
    """Law: a barycentre that is not an optimum for its distance raises the objective and is reported."""

    def farthest(clusters, distance, n_threads):
        return np.array(
            [
                clusters.rows[clusters.labels == label].max(axis=0) * 1.5
                for label in range(clusters.n_clusters)
            ]
        )

    wrong = Barycentre("farthest", 1.0, "", "", farthest)
    with pytest.raises(InvalidParameter, match="geometry manhattan does not descend: iteration 1 raised"):
        KMeans(2, geometry=Geometry(find_distance("manhattan"), wrong), random_state=0).fit(REAL)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_columns", [1, 8, 19])
@pytest.mark.parametrize("weighted", [False, True])
def test_means_are_sums_of_rows_in_their_order(dtype, n_columns, weighted):
    """Law: to the last bit the mean of rows added one by one; labels of -1 and weights of 0 do not count."""
    random = np.random.default_rng(0)
    X = (random.normal(size=(500, n_columns)) + 1e3).astype(dtype)
    labels = random.integers(-1, 4, 500).astype(np.int32)
    weights = random.random(500) * (random.random(500) < 0.8) if weighted else None
    slow, total = np.zeros((5, n_columns)), np.zeros(5)
    for i in np.flatnonzero(labels >= 0):
        weight = 1.0 if weights is None else weights[i]
        slow[labels[i]] += X[i].astype(np.float64) * weight
        total[labels[i]] += weight
    expected = np.full((5, n_columns), np.nan)  # nobody is in the last one
    expected[:4] = slow[:4] / total[:4, None]
    for threads in (1, 2):
        means = _core.barycentres(X, labels, 5, weights, _core.Barycentre.mean, n_threads=threads)
        np.testing.assert_array_equal(means, expected.astype(dtype))
