"""Spectral clustering under any distance of rows: tables with categories and gaps, directions, functions."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from sklearn.metrics import adjusted_rand_score

import coterie
from coterie.cluster import SpectralClustering
from coterie.distance import k_nearest, neighbours_within, pairwise_distances
from coterie.errors import InvalidParameter

AFFINITIES = {
    "rbf": {"gamma": 10.0},
    "self_tuning": {},
    "nearest_neighbors": {},
    "mutual_neighbors": {"n_neighbors": 15},
    "epsilon": {"epsilon": 0.2},
}
pytestmark = pytest.mark.filterwarnings("ignore:Graph is not fully connected")


def customers(n: int = 240, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """Return a table with categories and gaps, and the group of each row."""
    draws = np.random.default_rng(seed)
    groups = np.arange(n) % 3
    table = pd.DataFrame(
        {
            "age": draws.normal(3 * groups, 0.5),
            "plan": np.array(["free", "pro", "team"])[
                np.where(draws.random(n) < 0.8, groups, draws.integers(0, 3, n))
            ],
            "region": pd.Categorical(np.array(list("xyz"))[groups]),
        }
    )
    table.loc[draws.random(n) < 0.1, "age"] = np.nan
    table.loc[draws.random(n) < 0.1, "plan"] = None
    return table, groups


@pytest.mark.parametrize("affinity", AFFINITIES)
def test_tables_with_categories_and_gaps(affinity, tmp_path):
    table, groups = customers()
    model = SpectralClustering(
        3, affinity=affinity, metric="gower", random_state=0, **AFFINITIES[affinity]
    ).fit(table)
    assert adjusted_rand_score(groups, model.labels_) > 0.95
    assert_array_equal(model.predict(table), model.labels_)
    new, truth = customers(60, seed=1)
    assert adjusted_rand_score(truth, model.predict(new)) > 0.9
    coterie.save(model, tmp_path / "model.safetensors")
    assert_array_equal(coterie.load(tmp_path / "model.safetensors").predict(new), model.predict(new))
    assert model.metric == "gower"


def affinities_by_hand(affinity: str, table: pd.DataFrame) -> np.ndarray:
    distances = pairwise_distances(table, metric="gower")
    options = {"gamma": 1.0, "n_neighbors": 10} | AFFINITIES[affinity]
    near = k_nearest(table, n_neighbors=options["n_neighbors"], metric="gower")
    if affinity in ("rbf", "self_tuning"):
        last = near.distance[:, -1] if affinity == "self_tuning" else np.ones(len(table))
        last = np.where(last > 0, last, last[last > 0].min())
        return np.exp(-options["gamma"] * distances**2 / np.outer(last, last))
    expected = np.zeros_like(distances)
    if affinity == "epsilon":
        found = neighbours_within(table, radius=0.2, metric="gower")
        expected[np.repeat(np.arange(len(table)), np.diff(found.starts)), found.index] = 1.0
    else:
        near = k_nearest(table, n_neighbors=options["n_neighbors"] - 1, metric="gower")
        np.put_along_axis(expected, near.index, 1.0, axis=1)
        expected = (
            np.minimum(expected, expected.T)
            if affinity == "mutual_neighbors"
            else (expected + expected.T) / 2
        )
    np.fill_diagonal(expected, 1.0)
    return expected


@pytest.mark.parametrize("affinity", AFFINITIES)
def test_affinities_are_those_of_the_distance(affinity):
    table, _ = customers(60)
    model = SpectralClustering(
        3, affinity=affinity, metric="gower", random_state=0, **AFFINITIES[affinity]
    ).fit(table)
    found = model.affinity_matrix_
    dense = found if isinstance(found, np.ndarray) else found.toarray()
    np.testing.assert_allclose(dense, affinities_by_hand(affinity, table), rtol=1e-12, atol=1e-15)


def test_the_same_as_with_the_matrix_of_affinities():
    table, _ = customers()
    distances = pairwise_distances(table, metric="gower")
    given_matrix = SpectralClustering(3, affinity="precomputed", random_state=0).fit(
        np.exp(-10 * distances**2)
    )
    model = SpectralClustering(3, gamma=10.0, metric="gower", random_state=0).fit(table)
    assert adjusted_rand_score(given_matrix.labels_, model.labels_) == 1.0
    np.testing.assert_allclose(model.eigenvalues_, given_matrix.eigenvalues_, atol=1e-8)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 1000), affinity=st.sampled_from(("rbf", "self_tuning", "nearest_neighbors")))
def test_the_euclidean_distance_by_another_name_is_the_same(seed, affinity):
    X = np.random.default_rng(seed).normal(size=(60, 3))
    X[::2] += 4.0
    usual = SpectralClustering(2, affinity=affinity, random_state=0).fit(X)
    stored = SpectralClustering(
        2, affinity=affinity, metric="minkowski", metric_params={"p": 2.0}, random_state=0
    ).fit(X)
    assert adjusted_rand_score(usual.labels_, stored.labels_) == 1.0
    np.testing.assert_allclose(usual.eigenvalues_, stored.eigenvalues_, atol=1e-5)
    new = X + 0.01
    assert adjusted_rand_score(usual.predict(new), stored.predict(new)) == 1.0


@pytest.mark.parametrize(
    "metric", ["cosine", "correlation", "manhattan", "seuclidean", lambda a, b: float(abs(a - b).sum())]
)
def test_new_rows_under_other_distances(metric):
    n, draws = 200, np.random.default_rng(0)
    directions = np.repeat([[5.0, 1.0, 0.0], [0.0, 1.0, 5.0]], n // 2, axis=0)
    X = directions + draws.normal(scale=0.4, size=(n, 3))
    model = SpectralClustering(2, affinity="self_tuning", metric=metric, random_state=0).fit(X)
    assert adjusted_rand_score(np.arange(n) < n // 2, model.labels_) == 1.0
    assert_array_equal(model.predict(X), model.labels_)
    assert_array_equal(model.predict(X[:5] + 0.01), model.labels_[:5])


def test_weights_count_like_copies():
    table, _ = customers(90)
    counts = np.random.default_rng(3).integers(0, 3, 90)
    options = {"affinity": "rbf", "gamma": 10.0, "metric": "gower", "random_state": 0}
    weighted = SpectralClustering(3, **options).fit(table, sample_weight=counts.astype(float))
    copied = SpectralClustering(3, **options).fit(table.loc[np.repeat(np.arange(90), counts)])
    assert adjusted_rand_score(np.repeat(weighted.labels_, counts), copied.labels_) == 1.0


def test_a_row_with_gaps_keeps_its_label_beside_rows_that_it_equals_where_both_have_values():
    table = pd.DataFrame({"a": [0.0, 0.1, np.nan, 9.0, 9.1, 9.2], "plan": ["x", "x", "y", "y", "y", "y"]})
    model = SpectralClustering(2, affinity="self_tuning", n_neighbors=2, metric="gower", random_state=0)
    labels = model.fit_predict(table)
    assert_array_equal(model.predict(table), labels)


def test_a_refit_forgets_the_distance_before():
    table, _ = customers(60)
    model = SpectralClustering(2, affinity="self_tuning", metric="gower", random_state=0).fit(table)
    X = np.random.default_rng(0).normal(size=(50, 2))
    model.set_params(metric="euclidean").fit(X)
    fresh = SpectralClustering(2, affinity="self_tuning", random_state=0).fit(X)
    assert_array_equal(model.labels_, fresh.labels_)
    assert_array_equal(model.predict(X + 0.1), fresh.predict(X + 0.1))


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"metric": "precomputed"}, "affinity='precomputed'"),
        ({"metric": "gower", "affinity": "precomputed"}, "must be 'euclidean' with affinity='precomputed'"),
        ({"metric": "cosine", "affinity": "laplacian"}, "must be 'euclidean' with affinity='laplacian'"),
        ({"metric": "cosine", "landmarks": 10}, "must be 'euclidean' with landmarks"),
        ({"metric": "gowr"}, 'Did you mean "gower"'),
        ({"metric_params": {"q": 3}}, "q"),
    ],
)
def test_what_does_not_go_together_is_refused(parameters, words):
    with pytest.raises(InvalidParameter, match=words):
        SpectralClustering(2, **parameters).fit(np.eye(20))
