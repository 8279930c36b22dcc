"""Weights in blocks have the limits of weights in memory."""

import numpy as np
import pytest

from coterie.cluster import KMeans as LocalKMeans
from coterie.errors import InvalidData
from coterie.scale import KMeans, read_blocks

X = np.random.default_rng(0).normal(size=(20_000, 2))


def weights(value, n_heavy=1):
    return np.concatenate([np.full(n_heavy, value), np.zeros(len(X) - n_heavy)])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (weights(1e101), r"must add up to at most 1e\+100, got 1e\+101, the largest 1e\+101 at row 0"),
        (weights(1e308, 900), r"must add up to at most 1e\+100, got inf"),
        (np.full(20_000, 6e95), r"must add up to at most 1e\+100, got 1.2e\+100"),
        (weights(1e-101, 900), "must have a weight of at least 1e-100, got 1e-101 as the largest"),
    ],
)
def test_weights_that_overflow_or_vanish_are_refused(given, message):
    """Law: the words are those of weights in memory, whichever block the weights are in."""
    for model, rows in ((LocalKMeans(2), X), (KMeans(2), read_blocks(X, block_rows=8192))):
        with pytest.raises(InvalidData, match=message):
            model.fit(rows, sample_weight=given)


def test_heavy_rows_that_are_large_are_refused():
    """Law: weighted sums of squares must not overflow."""
    for model in (LocalKMeans(2), KMeans(2)):
        with pytest.raises(InvalidData, match="weighted sums of squares overflow above"):
            model.fit(X * 1e120, sample_weight=np.full(20_000, 1e90))


def test_next_to_nothing_is_nothing():
    """Law: a weight that is lost beside every weight that may be the largest counts as 0."""
    some = np.where(np.arange(len(X)) % 2, 1.0, 1e-250)
    start = X[:2]
    found = KMeans(2, init=start).fit(X, sample_weight=some)
    expected = KMeans(2, init=start).fit(X, sample_weight=np.where(some == 1, 1.0, 0.0))
    np.testing.assert_array_equal(found.cluster_centers_, expected.cluster_centers_)


def test_rows_of_different_lengths_are_no_matrix():
    """Law: a list of rows is refused in the words of `coterie.cluster`."""
    with pytest.raises(InvalidData, match="X must be a table, got rows of different lengths"):
        KMeans(2).fit([[1.0, 2.0], [1.0]])
