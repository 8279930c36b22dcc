"""Values that other software prints for iris, k-means with three clusters, against the species."""

import numpy as np
import pytest

from coterie import evaluate

# the table of that run: setosa, versicolor, virginica against the clusters
IRIS = np.array([[50, 0, 0], [0, 48, 2], [0, 14, 36]])
SPECIES = np.repeat(["setosa", "versicolor", "virginica"], 50)
CLUSTERS = np.repeat([0, 1, 2, 0, 1, 2, 0, 1, 2], IRIS.ravel())

FPC = {
    "adjusted_rand_score": 0.7302,
    "variation_of_information": 0.5267,
}  # R, fpc::cluster.stats; natural logs
GENIECLUST = {  # R, help page of genieclust's compare_partitions
    "normalized_clustering_accuracy": 0.84,
    "pair_sets_index": 0.7568238,
    "adjusted_rand_score": 0.7302383,
    "rand_score": 0.8797315,
    "fowlkes_mallows_score": 0.8208081,
    "mutual_info_score": 0.8255911,
    "normalized_mutual_info_score": 0.7581757,
    "adjusted_mutual_info_score": 0.7551192,
}


def test_the_table_is_that_of_k_means_on_iris():
    """Law: the table above is what k-means finds, up to the numbering of the clusters."""
    from sklearn.cluster import KMeans
    from sklearn.datasets import load_iris

    X, species = load_iris(return_X_y=True)
    found = KMeans(3, n_init=10, random_state=0).fit_predict(X)
    columns = evaluate.contingency_matrix(species, found).T.tolist()
    assert sorted(columns) == sorted(IRIS.T.tolist())
    assert evaluate.contingency_matrix(SPECIES, CLUSTERS).tolist() == IRIS.tolist()


@pytest.mark.parametrize(("name", "value"), FPC.items())
def test_fpc(name, value):
    """Law: R's fpc prints the same four digits."""
    assert round(evaluate.find_measure(name)(SPECIES, CLUSTERS), 4) == value


@pytest.mark.parametrize(("name", "value"), GENIECLUST.items())
def test_genieclust(name, value):
    """Law: R's genieclust prints the same seven digits."""
    assert round(evaluate.find_measure(name)(SPECIES, CLUSTERS), 7) == value
