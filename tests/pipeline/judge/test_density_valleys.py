"""The judge: valleys between groups, against those of null data."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import make_moons

from coterie.cluster import AgglomerativeClustering, KMeans
from coterie.pipeline.judge import discriminant_valleys
from coterie.pipeline.judge.density_valleys import ENOUGH, Valleys


def test_the_right_partition_beats_finer_and_coarser_ones():
    """Merging two groups loses a valley; dividing one adds one that nothing has dug."""
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(at, 1, (80, 2)) for at in ([0, 0], [8, 0], [0, 8], [8, 8])])
    truth = np.repeat(np.arange(4), 80)
    valleys = Valleys(X)
    right = valleys.judge(truth)
    coarser = valleys.judge(np.minimum(truth, 2))
    finer = valleys.judge(np.where((truth == 3) & (X[:, 0] > 8), 4, truth))
    assert right.score == pytest.approx(3 * ENOUGH)
    assert right.rank > coarser.rank
    assert right.rank > finer.rank
    assert finer.evidence[0] < 0 < coarser.evidence[0]


@pytest.mark.parametrize("seed", range(8))
def test_dividing_a_group_takes_nothing_from_the_border_around_it(seed):
    """Law: a significant border within one of two groups adds its evidence, however few rows it leaves."""
    y = np.repeat([0, 1, 2], [60, 12, 12])
    X = np.array([[0, 0], [9, 0], [9, 7]])[y] + np.random.default_rng(seed).normal(size=(84, 2))
    valleys = Valleys(X)
    finer, coarser = valleys.judge(y), valleys.judge(np.minimum(y, 1))
    assert finer.evidence.min() > 0
    assert finer.score >= coarser.score + min(finer.evidence.min(), ENOUGH) - 1e-9


@pytest.mark.parametrize("n_columns", [2, 8])
def test_what_was_judged_before_changes_nothing(n_columns):
    """Law: partitions of one tree share groups; each is judged as if it were the only one, in any order."""
    rng = np.random.default_rng(n_columns)
    X = np.concatenate([rng.normal(at, 1, (60, n_columns)) for at in (0, 2, 5)])
    cuts = [AgglomerativeClustering(k).fit(X).labels_ for k in range(2, 9)]
    together = Valleys(X)
    for labels in [*cuts, *(labels.max() - labels for labels in reversed(cuts))]:
        alone, known = Valleys(X).judge(labels), together.judge(labels)
        np.testing.assert_array_equal(alone.evidence, known.evidence)
        assert alone.rank == known.rank


def test_sums_that_were_forgotten_are_found_again(monkeypatch):
    """Law: how much is kept of what is known of groups decides the time, not the answer."""
    X = np.random.default_rng(0).normal(size=(200, 9))
    cuts = [AgglomerativeClustering(k).fit(X).labels_ for k in range(2, 9)]
    usual = [Valleys(X).judge(labels).rank for labels in cuts]
    monkeypatch.setattr(discriminant_valleys, "MOST_SUMS", 0)
    little = Valleys(X)
    assert [little.judge(labels).rank for labels in cuts] == usual


def test_shape_is_no_matter():
    """Two moons divided as they are beat the best two round groups, which cut through both."""
    X, y = make_moons(400, noise=0.06, random_state=0)
    valleys = Valleys(X)
    assert valleys.judge(y).score > 1.0 > 0.0 > valleys.judge(KMeans(2, random_state=0).fit(X).labels_).score


@pytest.mark.parametrize("seed", range(5))
def test_one_cloud_has_no_groups(seed):
    """However k-means divides one cloud, its groups are not apart."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(300, 2 + seed))
    valleys = Valleys(X)
    for k in (2, 3, 5):
        assert valleys.judge(KMeans(k, random_state=0).fit(X).labels_).score < 0


def test_noise_counts_with_its_neighbours():
    """Noise is judged as part of the group next to it, and costs its share of the neighbourhoods."""
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(at, 1, (80, 2)) for at in (0, 9)])
    labels = np.repeat([0, 1], 80)
    valleys = Valleys(X)
    noisy = np.where(np.arange(160) % 8 == 0, -1, labels)
    assert (valleys.fill(noisy) == labels).all()
    assert valleys.judge(noisy).score == valleys.judge(labels).score
    assert valleys.judge(noisy).crossing > valleys.judge(labels).crossing


def test_noise_between_groups_moves_no_row():
    """Law: a row that has a group keeps it, however the noise beside it is given away."""
    for seed in range(30):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(60, 2))
        labels = rng.integers(-1, 4, 60)
        filled = Valleys(X).fill(labels)
        kept = labels >= 0
        np.testing.assert_array_equal(filled[kept], np.unique(labels[kept], return_inverse=True)[1])
        assert filled.min() >= 0


def test_one_group_or_only_noise():
    """Nothing is apart in one group, or in none."""
    valleys = Valleys(np.random.default_rng(0).normal(size=(50, 2)))
    assert valleys.judge(np.zeros(50, int)).score == 0.0
    assert valleys.judge(np.full(50, -1)).score == 0.0


def test_half_a_cloud_is_not_apart_in_many_columns():
    """Law: what lies among the neighbours of another group is not apart from it, whatever a line shows."""
    rng = np.random.default_rng(2)
    y = np.repeat([0, 1, 2], 200)
    X = rng.normal(size=(600, 100)) + (rng.normal(size=(3, 100)) * 0.7)[y]
    assert Valleys(X).judge(y).evidence.min() > 0
    halved = np.where((y == 0) & (rng.random(600) < 0.5), 1, y)  # half of the first goes to the second
    assert Valleys(X).judge(halved).evidence.min() <= -1


@pytest.mark.parametrize(("n_columns", "k"), [(2, 4), (3, 9), (40, 3)])
def test_valleys_within_groups_are_those_of_a_loop(n_columns, k):
    """Law: the deepest valley within a group is the deepest of the edges that join two of its rows."""
    rng = np.random.default_rng(k)
    X = rng.normal(size=(150, n_columns))
    labels = rng.integers(k, size=len(X))
    valleys = Valleys(X)
    measured = valleys._measure(labels, k)
    low, high = measured.borders.low, measured.borders.high
    for tree, found in zip(valleys.trees, measured.depths[1], strict=True):
        within = np.zeros(k)
        for (one, other), depth in zip(tree.edges, tree.depths, strict=True):
            if labels[one] == labels[other]:
                within[labels[one]] = max(within[labels[one]], depth)
        np.testing.assert_array_equal(found, np.maximum(within[low], within[high]))
    shortest = valleys._joint_lengths
    np.testing.assert_array_equal(shortest, np.sort(shortest))  # as gaps take for granted
