"""Tables of categories under every method that takes a distance: fit and `predict` mean the same rows."""

import inspect

import numpy as np
import pandas as pd
import pytest

from coterie import cluster

OWN = {
    "DBSCAN": {"eps": 0.45},
    "AgglomerativeClustering": {"linkage": "average"},
    "Leiden": {"n_neighbors": 8},
    "EmbeddingClustering": {"n_neighbors": 8},
}
NOT_OF_ROWS = {"FeatureAgglomeration"}  # columns of numbers
LEVELS = {"plan": "abcde", "device": "uvwxyz", "town": "klmn", "news": ("no", "yes")}


def classes_with_metric():
    found = [getattr(cluster, name) for name in sorted(cluster.__all__)]
    return [
        each
        for each in found
        if inspect.isclass(each)
        and "metric" in inspect.signature(each).parameters
        and each.__name__ not in NOT_OF_ROWS
    ]


def made(kind, metric):
    parameters = {"metric": metric, **OWN.get(kind.__name__, {})}
    known = inspect.signature(kind).parameters
    told = {"n_clusters": 4, "random_state": 0}
    return kind(**parameters, **{name: value for name, value in told.items() if name in known})


def people(seed, n_rows, share=0.75):
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 4, n_rows)
    columns = {}
    for place, (name, levels) in enumerate(LEVELS.items()):
        own = np.array(list(levels))[(group + place) % len(levels)]
        columns[name] = np.where(rng.random(n_rows) < share, own, rng.choice(list(levels), n_rows))
    return pd.DataFrame(columns)


def as_sets(table):
    """Return a column of 0 and 1 for each value; yes and no are one."""
    parts = [
        table[name].to_numpy()[:, None] == np.array(list(levels))[None, :]
        for name, levels in LEVELS.items()
        if name != "news"
    ]
    return np.hstack([*parts, table[["news"]].to_numpy() == "yes"]).astype(np.float64)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("metric", ["jaccard", "dice"])
@pytest.mark.parametrize("kind", classes_with_metric(), ids=lambda kind: kind.__name__)
def test_a_table_is_the_sets_of_its_values(kind, metric):
    """Law: under distances of sets a table and its 0/1 columns have the same groups, and so do new rows."""
    table, new = people(0, 160), people(1, 60, share=0.4)
    ours, sets = made(kind, metric).fit(table), made(kind, metric).fit(as_sets(table))
    np.testing.assert_array_equal(ours.labels_, sets.labels_)
    if hasattr(ours, "predict"):
        np.testing.assert_array_equal(ours.predict(new), sets.predict(as_sets(new)))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", classes_with_metric(), ids=lambda kind: kind.__name__)
def test_gower_of_categories_is_hamming(kind):
    """Law: without numbers Gower's distance is the share of columns that differ, in fit and for new rows."""
    table, new = people(0, 160), people(1, 60, share=0.4)
    gower, hamming = made(kind, "gower").fit(table), made(kind, "hamming").fit(table)
    np.testing.assert_array_equal(gower.labels_, hamming.labels_)
    if hasattr(gower, "predict"):
        np.testing.assert_array_equal(gower.predict(new), hamming.predict(new))


@pytest.mark.parametrize("metric", ["jaccard", "dice"])
def test_the_first_value_of_each_column_is_not_an_empty_set(metric):
    """Law: a row whose values all have the code 0 has neighbours under distances of sets."""
    table = pd.DataFrame({"plan": ["a"] * 6 + ["b"] * 6 + ["c"] * 6, "news": ["no"] * 18})
    model = cluster.DBSCAN(eps=0.3, min_samples=3, metric=metric).fit(table)
    assert model.labels_.tolist() == [0] * 6 + [1] * 6 + [2] * 6
