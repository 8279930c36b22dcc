"""The labels of a fit are those that predict gives to its rows, to the last one."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from coterie.cluster import BisectingKMeans, HierarchicalKMeans, KMeans, MiniBatchKMeans

MODELS = {
    **{f"KMeans {name}": (KMeans, {"algorithm": name, "n_init": 1}) for name in ("auto", "lloyd", "hamerly")},
    "KMeans exponion": (KMeans, {"algorithm": "exponion", "n_init": 1}),
    "KMeans filter": (KMeans, {"algorithm": "filter", "n_init": 1}),
    "MiniBatchKMeans": (MiniBatchKMeans, {"n_init": 1}),
    "BisectingKMeans": (BisectingKMeans, {}),
    "HierarchicalKMeans": (HierarchicalKMeans, {}),
}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("is_sparse", [False, True])
@settings(max_examples=30)
@given(
    seed=st.integers(0, 10**6),
    k=st.integers(1, 100),
    n_more=st.integers(0, 150),
    n_columns=st.integers(1, 8),
    power=st.floats(0, 12),
    dtype=st.sampled_from([np.float32, np.float64]),
    is_weighted=st.booleans(),
    max_iter=st.sampled_from([1, 2, 300]),
)
def test_labels_are_those_of_predict(
    name, is_sparse, seed, k, n_more, n_columns, power, dtype, is_weighted, max_iter
):
    """Law: far from the origin, with groups that fall away, with weights: `labels_` equals `predict`."""
    rng = np.random.default_rng(seed)
    X = (rng.normal(size=(k + n_more, n_columns)) + 10.0**power).astype(dtype)
    weights = rng.random(len(X)) + 0.1 if is_weighted else None
    rows = sparse.csr_array(X) if is_sparse else X
    kind, options = MODELS[name]
    options = options if kind is HierarchicalKMeans else {**options, "max_iter": max_iter}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = kind(n_clusters=k, random_state=seed, **options).fit(rows, sample_weight=weights)
    np.testing.assert_array_equal(model.predict(rows), model.labels_)


@pytest.mark.parametrize(("k", "n_rows", "power"), [(83, 285, 7.4), (67, 230, 9.0), (94, 212, 10.7)])
def test_groups_that_fall_away(k, n_rows, power):
    """Law: without its empty groups, a fit to sparse rows measures as it did with them."""
    for seed in range(10):
        rng = np.random.default_rng(seed)
        rows = sparse.csr_array(rng.normal(size=(n_rows, 5)) + 10.0**power)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = KMeans(k, n_init=1, init="random", max_iter=5, random_state=seed).fit(rows)
        np.testing.assert_array_equal(model.predict(rows), model.labels_)
