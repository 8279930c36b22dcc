"""Consensus: tiles against slow obvious counting."""

import numpy as np
import pytest
from scipy import sparse

from coterie.cluster import DBSCAN, KMeans
from coterie.errors import InvalidData, InvalidParameter
from coterie.evaluate import Consensus, consensus_matrix

rng = np.random.default_rng(0)
X = np.concatenate([rng.normal(at, 1.0, (20, 2)) for at in (0, 12)])


def obvious(labels):
    """Count pair by pair."""
    n = labels.shape[1]
    matrix = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            both = (labels[:, i] != -2) & (labels[:, j] != -2)
            same = both & (labels[:, i] == labels[:, j]) & (labels[:, i] >= 0)
            matrix[i, j] = 1.0 if i == j else same.sum() / both.sum() if both.any() else 0.0
    return matrix


def test_tiles_count_pairs():
    """Law: an entry is the share of resamples with both rows in which they are together."""
    labels = rng.integers(-2, 4, size=(30, 25)).astype(np.int32)
    labels[:, 3] = -2
    found = Consensus(labels)
    np.testing.assert_allclose(found.toarray(), obvious(labels))
    np.testing.assert_allclose(found.tile([4, 0], slice(5, 9)), obvious(labels)[[4, 0], 5:9])
    parts = np.concatenate([tile for _, tile in found.tiles(7)])
    np.testing.assert_allclose(parts, obvious(labels))
    expected = obvious(labels)
    assert found.ambiguity == pytest.approx(((expected > 0.1) & (expected < 0.9)).sum() / (25 * 24))


def test_separate_clusters_agree():
    """Law: clusters that are there are always together, and the same seed gives the same labels."""
    found = consensus_matrix(KMeans(2, n_init=3), X, n_resamples=10, random_state=0)
    side = np.repeat([0, 1], 20)
    np.testing.assert_array_equal(found.toarray(), (side[:, None] == side).astype(float))
    assert found.ambiguity == 0.0
    assert (found.labels != -2).sum(axis=1).tolist() == [32] * 10
    again = consensus_matrix(KMeans(2, n_init=3), X, n_resamples=10, random_state=0)
    np.testing.assert_array_equal(found.labels, again.labels)
    assert repr(found) == "<consensus of 40 rows over 10 resamples>"
    with_noise = consensus_matrix(DBSCAN(eps=3.0), X, n_resamples=3, fraction=1.0, random_state=0)
    assert with_noise.labels.min() >= -1


def test_wrong_parameters():
    """Law: a wrong parameter is refused with the allowed values."""
    with pytest.raises(
        InvalidParameter, match=r"fraction of consensus_matrix must be a number in \(0, 1\], got 0"
    ):
        consensus_matrix(KMeans(2), X, fraction=0)
    with pytest.raises(InvalidParameter, match="n_resamples of consensus_matrix must be a whole number"):
        consensus_matrix(KMeans(2), X, n_resamples=0)
    with pytest.raises(InvalidParameter, match="estimator of consensus_matrix must be an estimator"):
        consensus_matrix(None, X)


@pytest.mark.parametrize("kind", [sparse.bsr_array, sparse.coo_array, sparse.dia_array, sparse.csc_matrix])
def test_sparse_matrices_of_any_format_are_drawn_from(kind):
    """Law: rows can be drawn from a sparse matrix of every format."""
    found = consensus_matrix(KMeans(2, random_state=0), kind(X), n_resamples=3, random_state=0)
    expected = consensus_matrix(KMeans(2, random_state=0), sparse.csr_array(X), n_resamples=3, random_state=0)
    np.testing.assert_array_equal(found.labels, expected.labels)


def test_no_rows_are_refused():
    """Law: there is nothing to draw from no rows."""
    with pytest.raises(
        InvalidData, match=r"X of consensus_matrix must have at least one row, got shape \(0, 2\)"
    ):
        consensus_matrix(KMeans(2), np.empty((0, 2)), n_resamples=3)
