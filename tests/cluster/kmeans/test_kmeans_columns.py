"""K-means of rows with few columns, whose kernel is another one than that of many."""

import numpy as np
import pytest

from coterie.cluster import KMeans


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_columns", [1, 3, 8, 15, 16])
@pytest.mark.parametrize("n_clusters", [1, 4, 33])
def test_columns_of_zeros_change_nothing(n_columns, n_clusters, dtype):
    """Zeros add nothing to any distance: with them, in the kernel of many columns, every bit is the same."""
    rng = np.random.default_rng([n_columns, n_clusters])
    X = rng.normal(size=(1003, n_columns)).astype(dtype)  # neither a multiple of lanes nor of tasks
    X[::5] = np.round(X[::5])  # ties go to the lowest index
    wide = np.zeros((len(X), 20), dtype=dtype)
    wide[:, :n_columns] = X
    weights = rng.random(len(X))
    few = KMeans(n_clusters, init=X[:n_clusters], algorithm="lloyd", max_iter=5, tol=0.0)
    many = KMeans(n_clusters, init=wide[:n_clusters], algorithm="lloyd", max_iter=5, tol=0.0)
    few.fit(X, sample_weight=weights)
    many.fit(wide, sample_weight=weights)
    np.testing.assert_array_equal(few.labels_, many.labels_)
    np.testing.assert_array_equal(few.cluster_centers_, many.cluster_centers_[:, :n_columns])
