"""One rule for clusters without rows."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from coterie.cluster import BisectingKMeans, HierarchicalKMeans, KernelKMeans, KMeans, KMedoids
from coterie.cluster.kmeans.empty_clusters import light_clusters, refill, rows_for_empty

FEW = np.repeat([[0.0, 0.0], [4.0, 0.0], [0.0, 7.0]], 5, axis=0)


@pytest.mark.filterwarnings("ignore:the kernel:UserWarning")
@pytest.mark.parametrize(
    "model",
    [
        KMeans(5, random_state=0),
        KMeans(5, geometry="manhattan", random_state=0),
        BisectingKMeans(5, random_state=0),
        HierarchicalKMeans(5, random_state=0),
        KernelKMeans(5, random_state=0),
        KMedoids(5, random_state=0),
    ],
    ids=lambda model: f"{type(model).__name__}-{getattr(model, 'geometry', '')}",
)
def test_fewer_different_rows_than_clusters(model):
    """Law: every method finds as many clusters as there are different rows, counted from 0, and warns."""
    with pytest.warns(
        ConvergenceWarning, match=r"distinct clusters \(3\) found smaller than n_clusters \(5\)"
    ):
        labels = model.fit(FEW).labels_
    assert sorted(set(labels.tolist())) == [0, 1, 2]
    assert all(len(set(labels[first : first + 5].tolist())) == 1 for first in (0, 5, 10))


def test_the_farthest_row_that_can_be_spared_goes():
    """Law: rows alone in their cluster, of no weight or at their centre stay; the farthest goes first."""
    labels, apart = np.array([0, 0, 0, 1, 0]), np.array([0.0, 2.0, 3.0, 9.0, 5.0])
    weights = np.array([1.0, 1.0, 1.0, 1.0, 0.0])
    assert refill(labels, apart, 4, weights).tolist() == [0, 3, 2, 1, 0]
    assert refill(labels, apart, 4, weights, least=2.5).tolist() == [0, 0, 2, 1, 0]
    assert refill(labels, np.zeros(5), 4, weights) is not labels
    assert refill(labels, apart, 2, weights) is labels


def test_a_cluster_keeps_its_last_row():
    """Law: as many rows go as their clusters can spare, and no more."""
    labels, apart = np.array([0, 0, 0]), np.array([3.0, 2.0, 1.0])
    found = rows_for_empty(np.array([1, 2, 3]), np.array([3, 0, 0, 0]), labels, apart, apart > 0)
    assert list(found) == [(1, 0), (2, 1)]


def test_light_clusters_are_few():
    """Law: the heaviest is never light, whatever the share, and no more are light than asked for."""
    counts = np.array([4.0, 1.0, 0.0, 9.0])
    assert light_clusters(counts, 5.0, most=9).tolist() == [True, True, True, False]
    assert light_clusters(counts, 5.0, most=2).tolist() == [False, True, True, False]
    assert light_clusters(counts, 0.0, most=2).tolist() == [False] * 4
