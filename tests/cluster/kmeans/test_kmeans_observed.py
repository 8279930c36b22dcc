"""K-means on observed cells: descent, its own objective, weights, starts, new rows, files."""

import numpy as np
import pandas
import pytest
from threadpoolctl import threadpool_limits

import coterie
from coterie.cluster import KMeans
from coterie.cluster.kmeans.observed import ObservedPoints
from coterie.cluster.kmeans.points import Stopping
from coterie.errors import InvalidData, InvalidParameter
from coterie.evaluate import adjusted_rand_score


def blobs(n=240, d=5, k=3, share=0.3, seed=0, apart=6.0):
    """Return groups with gaps; no row and no column is without any value."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, k, n)
    X = rng.normal(size=(n, d)) + rng.normal(size=(k, d))[group] * apart
    X[rng.random(X.shape) < share] = np.nan
    X[np.isnan(X).all(axis=1), 0] = 0.0
    return X, group


def k_pod(X, centers, n_iter=1000):
    """Return what the published algorithm ends at, in plain NumPy: fill with the own centre, average."""
    is_there = ~np.isnan(X)
    filled = np.where(is_there, X, np.nanmean(X, axis=0))
    labels = None
    for _ in range(n_iter):
        found = ((filled[:, None] - centers) ** 2).sum(axis=2).argmin(axis=1)
        filled = np.where(is_there, X, centers[found])
        for c in np.unique(found):
            centers[c] = filled[found == c].mean(axis=0)
        before, labels = labels, found
        filled = np.where(is_there, X, centers[labels])
        if before is not None and np.array_equal(before, labels):
            moved = ((filled - centers[labels])[is_there] ** 2).sum()
            if abs(moved - objective(X, centers, labels)) < 1e-12 * moved:
                break
    return objective(X, centers, labels)


def objective(X, centers, labels, weights=None):
    own = np.nansum((X - centers[labels]) ** 2, axis=1)
    return float(own.sum() if weights is None else own @ weights)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("seed", range(4))
def test_it_never_increases(dtype, seed):
    """Law: no iteration raises the objective, and the inertia is that of observed cells."""
    X, _ = blobs(seed=seed, apart=2.0)
    X = X.astype(dtype)
    seen = []
    model = KMeans(4, missing="observed", random_state=seed, tol=0.0)
    points = ObservedPoints(X, None, 1)
    start = points.rows(points.seed(4, 3, seed, record=False).indices)
    points.run(start, Stopping(100), "lloyd", lambda _, inertia: seen.append(inertia))
    slack = 1e-12 if dtype == np.float64 else 1e-6
    assert (np.diff(seen) <= slack * np.array(seen[:-1])).all()
    model.fit(X)
    expected = objective(X.astype(float), model.cluster_centers_.astype(float), model.labels_)
    assert model.inertia_ == pytest.approx(expected, rel=1e-12 if dtype == np.float64 else 1e-5)
    apart = np.nansum((X[:, None].astype(float) - model.cluster_centers_) ** 2, axis=2)
    np.testing.assert_allclose(apart[np.arange(len(X)), model.labels_], apart.min(axis=1), rtol=1e-5)


@pytest.mark.parametrize("seed", range(8))
def test_as_good_as_k_pod_from_the_same_start(seed):
    """Law: from equal centres the objective is that of k-POD, or better."""
    X, _ = blobs(seed=seed)
    rng = np.random.default_rng(seed)
    start = np.where(np.isnan(X), np.nanmean(X, axis=0), X)[rng.choice(len(X), 3, replace=False)]
    ours = KMeans(3, init=start, missing="observed", tol=0.0, max_iter=1000).fit(X)
    assert ours.inertia_ <= k_pod(X, start.copy()) * (1 + 1e-6)


def test_groups_are_found_through_gaps():
    """Law: with 30 % of the cells missing, clear groups are found, better than after medians."""
    scores, filled = [], []
    for seed in range(5):
        X, group = blobs(400, 6, seed=seed, apart=4.0)
        scores.append(
            adjusted_rand_score(group, KMeans(3, missing="observed", n_init=5, random_state=0).fit(X).labels_)
        )
        medians = np.where(np.isnan(X), np.nanmedian(X, axis=0), X)
        filled.append(adjusted_rand_score(group, KMeans(3, n_init=5, random_state=0).fit(medians).labels_))
    assert np.mean(scores) > 0.9
    assert np.mean(scores) > np.mean(filled)


def test_weights_are_copies():
    """Law: a row of weight 2 counts as two rows, and a row of weight 0 moves nothing."""
    X, _ = blobs(90)
    rng = np.random.default_rng(0)
    weights = rng.integers(0, 4, len(X)).astype(float)
    start = np.nan_to_num(X[:3])
    weighted = KMeans(3, init=start, missing="observed", tol=0.0).fit(X, sample_weight=weights)
    copied = KMeans(3, init=start, missing="observed", tol=0.0).fit(np.repeat(X, weights.astype(int), axis=0))
    np.testing.assert_allclose(weighted.cluster_centers_, copied.cluster_centers_)
    assert weighted.inertia_ == pytest.approx(copied.inertia_)
    assert -weighted.score(X, sample_weight=weights) == pytest.approx(weighted.inertia_)


@pytest.mark.parametrize("init", ["k-means++", "random", "random partition"])
def test_more_starts_are_no_worse(init):
    """Law: of several starts the best is kept, the same for any number of threads."""
    X, _ = blobs(200, k=6, seed=3, apart=2.0)
    one = KMeans(6, init=init, n_init=1, missing="observed", random_state=5).fit(X)
    many = KMeans(6, init=init, n_init=8, missing="observed", random_state=5).fit(X)
    assert many.inertia_ <= one.inertia_
    with threadpool_limits(1, user_api="openmp"):
        again = KMeans(6, init=init, n_init=8, missing="observed", random_state=5).fit(X)
    np.testing.assert_array_equal(again.cluster_centers_, many.cluster_centers_)


def test_without_gaps_it_is_k_means():
    """Law: complete rows get what KMeans without the option gives, to the bit."""
    X = np.random.default_rng(0).normal(size=(150, 4))
    plain = KMeans(4, random_state=1).fit(X)
    model = KMeans(4, random_state=1, missing="observed").fit(X)
    np.testing.assert_array_equal(model.labels_, plain.labels_)
    np.testing.assert_array_equal(model.cluster_centers_, plain.cluster_centers_)
    assert model.inertia_ == plain.inertia_
    np.testing.assert_array_equal(model.transform(X), plain.transform(X))


def test_new_rows_and_files(tmp_path):
    """Law: predict gives labels_ back, whatever rows stand together, also from a file; transform agrees."""
    X, _ = blobs(200, seed=4)
    model = KMeans(3, missing="observed", random_state=0).fit(X)
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    np.testing.assert_array_equal([model.predict(X[i : i + 1])[0] for i in range(40)], model.labels_[:40])
    apart = np.sqrt(np.nansum((X[:, None] - model.cluster_centers_) ** 2, axis=2))
    np.testing.assert_allclose(model.transform(X), apart)
    coterie.save(model, tmp_path / "model.safetensors")
    loaded = coterie.load(tmp_path / "model.safetensors")
    np.testing.assert_array_equal(loaded.predict(X), model.labels_)
    complete = KMeans(3, missing="observed", random_state=0).fit(np.nan_to_num(X))
    assert complete.predict(X).shape == (200,)
    frame = pandas.DataFrame(X, columns=list("abcde"))
    np.testing.assert_array_equal(
        KMeans(3, missing="observed", random_state=0).fit(frame).labels_, model.labels_
    )


def test_a_column_that_a_group_lacks_keeps_its_value():
    """Law: where a group has no cell in a column, its centre stays finite and its rows do not care."""
    X = np.array([[0.0, np.nan], [0.2, np.nan], [9.0, 1.0], [9.1, 2.0]])
    model = KMeans(2, init=[[0.0, 5.0], [9.0, 1.0]], missing="observed").fit(X)
    np.testing.assert_array_equal(model.labels_, [0, 0, 1, 1])
    np.testing.assert_allclose(model.cluster_centers_, [[0.1, 5.0], [9.05, 1.5]])


@pytest.mark.parametrize(
    ("rows", "options", "error", "message"),
    [
        ([[1, 2], [np.nan, np.nan], [3, 4]], {}, InvalidData, "row 1 of X of KMeans has no values"),
        ([[1, np.nan], [2, np.nan]], {}, InvalidData, "column 1 of X of KMeans has no values at all"),
        ([[1, np.inf], [2, np.nan]], {}, InvalidData, "contains infinity"),
        ([[1, np.nan], [2, 3]], {"missing": "refuse"}, InvalidData, r"contains NaN.*row 0"),
        ([[1, np.nan], [2, 3]], {"improve": "breathing"}, InvalidParameter, 'improve .* missing="observed"'),
        (
            [[1, np.nan], [2, 3]],
            {"geometry": "manhattan"},
            InvalidParameter,
            'geometry .* missing="observed"',
        ),
        ([[1, np.nan], [2, 3]], {"history": True}, InvalidParameter, 'history .* missing="observed"'),
        ([[1, 2], [2, 3]], {"missing": "median"}, InvalidParameter, "missing of KMeans must be"),
    ],
)
def test_what_is_refused(rows, options, error, message):
    """Law: what cannot be done is said, with the row, the column or the parameter."""
    with pytest.raises(error, match=message):
        KMeans(2, **({"missing": "observed"} | options)).fit(rows)


def test_an_empty_new_row_is_refused():
    """Law: predict refuses a row without any value, by its number: no centre is nearer."""
    X, _ = blobs(60)
    model = KMeans(2, missing="observed", random_state=0).fit(X)
    with pytest.raises(InvalidData, match="row 2 of X of KMeans has no values"):
        model.predict(np.vstack([X[:2], np.full((1, 5), np.nan)]))
