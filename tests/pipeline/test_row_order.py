"""Answers that hold still: the same groups for any order of rows and columns, any shift, any common unit."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.datasets import load_iris, load_wine, make_moons
from sklearn.metrics import adjusted_rand_score

import coterie
from coterie.cluster import find_method
from coterie.pipeline import row_order as row_order_module
from coterie.pipeline.row_order import fit_in_order, order_of, row_order

SETS = os.environ.get("COTERIE_SETS", "")  # a folder of published sets: *.data.gz, or *.npz with rows X
FEW = 900  # rows of the sets that are tried


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    arrays(np.float64, st.tuples(st.integers(1, 12), st.integers(1, 15)), elements=st.integers(0, 3)),
    st.randoms(use_true_random=False),
)
def test_the_order_is_of_values_alone(X, random):
    """Law: rows in canonical order are the same matrix, however rows are permuted; values go back."""
    rows = random.sample(range(len(X)), len(X))
    order, other = order_of(X), order_of(X[rows])
    np.testing.assert_array_equal(order.take(X), other.take(X[rows]))
    np.testing.assert_array_equal(order.put_back(X[order.rows]), X)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(0, 10_000), st.randoms(use_true_random=False))
def test_columns_too(seed, random):
    """Law: where columns differ in their values, their order does not count either, nor shift and unit."""
    X = np.random.default_rng(seed).normal(size=(20, 5)).round(2)
    columns = random.sample(range(5), 5)
    np.testing.assert_array_equal(order_of(X).take(X), order_of(X[:, columns]).take(X[:, columns]))
    moved = 4.0 * X + 7.0
    np.testing.assert_array_equal(order_of(moved).rows, order_of(X).rows)
    np.testing.assert_array_equal(order_of(moved).columns, order_of(X).columns)


METHODS = [
    ("kmeans", {"n_clusters": 3, "random_state": 0}),
    ("mixture", {"n_components": 3, "random_state": 0}),
    ("modes", {"n_clusters": 3}),
    ("agglomerative", {"n_clusters": 3}),
    ("agglomerative", {"n_clusters": 3, "linkage": "average"}),
    ("genie", {"n_clusters": 3}),
    ("spectral", {"n_clusters": 3, "affinity": "nearest_neighbors", "random_state": 0}),
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("name", "parameters"), METHODS)
def test_models_are_put_back(name, parameters):
    """Law: a model fitted in order has the labels, merges and predictions of rows as they stand."""
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(centre, 1, (20, 2)) for centre in ([0, 0], [5, 0], [0, 5])]).round(1)
    X = X[rng.permutation(len(X))]
    kind = find_method(name).load()
    model, places = fit_in_order(kind(**parameters), X), row_order(X)
    ordered = kind(**parameters).fit(X[places])
    np.testing.assert_array_equal(model.labels_[places], ordered.labels_)
    np.testing.assert_array_equal(model.predict(X), ordered.predict(X))
    if hasattr(model, "dendrogram_"):
        cut = model.dendrogram_.cut(n_clusters=4)
        assert adjusted_rand_score(cut[places], ordered.dendrogram_.cut(n_clusters=4)) == 1.0
    if hasattr(model, "mode_indices_"):
        np.testing.assert_array_equal(X[model.mode_indices_], X[places][ordered.mode_indices_])


def shuffled(X, seed):
    rng = np.random.default_rng(seed)
    return rng.permutation(len(X)), rng.permutation(X.shape[1])


@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_real_sets_hold_still(load):
    """Law: iris and wine have one answer, whatever the order of rows and columns, the shift and the unit."""
    X = load().data
    expected = coterie.fit(X, budget="fast", believe=False).labels
    rows, columns = shuffled(X, 1)
    for changed in (X[rows], X[rows][:, columns], 8.0 * X[rows] + 3.0):
        found = coterie.fit(changed, budget="fast", believe=False).labels
        assert adjusted_rand_score(expected[rows], found) == 1.0


def test_the_evidence_holds_still():
    """Law: stability and p-value do not depend on the order of rows and columns."""
    X = load_iris().data
    rows, columns = shuffled(X, 2)
    one = coterie.fit(X, "kmeans,modes", "2..4", budget="fast")
    other = coterie.fit(X[rows][:, columns], "kmeans,modes", "2..4", budget="fast")
    assert one.headline == other.headline
    assert one.significance.p_value == other.significance.p_value


def test_samples_hold_still():
    """Law: of more rows than are compared, the sample is drawn by value."""
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(centre, 1, (900, 2)) for centre in ([0, 0], [4, 0], [0, 4])])
    rows, columns = shuffled(X, 3)
    one = coterie.fit(X, "kmeans,modes", "2..4", budget="fast", believe=False).labels
    other = coterie.fit(X[rows][:, columns], "kmeans,modes", "2..4", budget="fast", believe=False).labels
    assert adjusted_rand_score(one[rows], other) == 1.0


def published():
    """Yield the names and rows of small published sets."""
    for path in sorted(Path(SETS).rglob("*.data.gz")) if SETS else ():
        yield path.name, np.loadtxt(path)
    for path in sorted(Path(SETS).rglob("*.npz")) if SETS else ():
        with np.load(path) as found:
            yield path.name, found["X"].astype(np.float64)


@pytest.mark.skipif(not SETS, reason="no published sets: COTERIE_SETS names the folder")
def test_published_sets_hold_still():
    """Law: published sets have one answer, whatever the order of rows and columns, the shift and the unit."""
    for name, X in published():
        if len(X) <= FEW:
            rows, columns = shuffled(X, 4)
            one = coterie.fit(X, budget="fast", believe=False).labels
            other = coterie.fit(4.0 * X[rows][:, columns] + 1.0, budget="fast", believe=False).labels
            assert adjusted_rand_score(one[rows], other) == 1.0, name


def test_pairs_that_belong_together_stay_together():
    """Law: settings that name rows mean the rows of the table, also where the number of groups is chosen."""
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(0, 1, (30, 2)), rng.normal(8, 1, (30, 2))])
    place = rng.permutation(60)
    one, other = int(np.flatnonzero(place < 30)[3]), int(np.flatnonzero(place >= 30)[4])
    for method in ("agglomerative", "constrained-kmeans"):
        found = coterie.fit(X[place], method, "2..4", set={"must_link": [[one, other]]}, believe=False)
        assert found.labels[one] == found.labels[other]


@pytest.mark.parametrize("column", [0, 1])
def test_another_unit_for_one_of_few_columns_changes_nothing(column):
    """Law: few columns whose spreads differ are standardised, so that one of them may be in another unit."""
    X, _ = make_moons(300, noise=0.08, random_state=0)
    other = X.copy()
    other[:, column] *= 3.0
    answers = [coterie.fit(data, budget="fast", believe=False) for data in (X, other)]
    assert answers[0].k == 2
    assert (answers[0].labels == answers[1].labels).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_order_is_the_same_in_threads(dtype, monkeypatch):
    """Law: parts of rows and columns that threads sort and copy give the order of the whole."""
    random = np.random.default_rng(0)
    X = random.integers(0, 3, (700, 37)).astype(dtype)
    X[:, ::3] = 0  # the first keys tell no row apart
    monkeypatch.setattr(row_order_module, "LEAST_IN_THREADS", X.size + 1)
    whole = order_of(X)
    monkeypatch.setattr(row_order_module, "LEAST_IN_THREADS", 0)
    parts = order_of(X)
    np.testing.assert_array_equal(whole.rows, parts.rows)
    np.testing.assert_array_equal(whole.columns, parts.columns)
    np.testing.assert_array_equal(row_order_module._sorted_columns(X), np.sort(X, axis=0).T)
