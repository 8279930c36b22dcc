"""Empty space between groups as evidence: of thin shapes far apart, not of outliers, nor of one cloud."""

import numpy as np
import pytest

import coterie
from coterie.cluster import Genie
from coterie.cluster.agglomerative import cut_tree, genie_children
from coterie.distance import spanning_tree
from coterie.pipeline.judge.density_valleys import Valleys


def rings(radii, n, seed):
    """Return thin rings about one centre, and the ring of each row."""
    rng = np.random.default_rng(seed)
    angle = rng.uniform(0, 2 * np.pi, (len(radii), n))
    radius = np.asarray(radii)[:, None] + 0.01 * rng.normal(size=angle.shape)
    X = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=2)
    return X.reshape(-1, 2), np.repeat(np.arange(len(radii)), n)


@pytest.mark.parametrize("seed", range(3))
def test_rings_in_rings(seed):
    """Law: four rings, each far from the next, are four groups, and nothing else is."""
    X, y = rings([1.0, 2.0, 3.0, 4.0], 250, seed)
    found = coterie.fit(X, budget="fast", believe=False)
    assert found.k == 4
    assert len(set(zip(found.labels.tolist(), y.tolist(), strict=True))) == 4


def test_every_border_of_far_rings_is_significant():
    """Law: the gap counts for every pair of neighbours, whatever the density along a ring does."""
    X, y = rings([1.0, 2.0, 3.0], 200, 5)
    assert Valleys(X).judge(y).evidence.min() > 1
    half = np.where(y == 0, (X[:, 0] > 0) * 1, y + 1)  # a ring cut in two is no two groups
    assert Valleys(X).judge(half).evidence.min() < 0


def null_sets():
    """Yield clouds of many shapes without groups."""
    for seed in range(12):
        rng = np.random.default_rng(seed)
        n = int(rng.choice([80, 200, 600]))
        yield rng.normal(size=(n, 2))
        yield rng.uniform(size=(n, 2))
        yield rng.normal(size=(n, 2)) / np.sqrt(rng.chisquare(3, (n, 1)) / 3)
        yield np.exp(rng.normal(size=(n, 3)))
        yield np.c_[np.sort(rng.uniform(size=n)), 0.01 * rng.normal(size=n)]


def test_one_cloud_has_no_gap():
    """Law: of clouds without groups, heavy tails and lines among them, few show a gap in any of many cuts."""
    shown = []
    for X in null_sets():
        valleys, tree = Valleys(X), spanning_tree(X)
        found = []
        for threshold in (0.1, 0.3, 1.0):
            for k in (2, 3, 5):
                labels = cut_tree(genie_children(tree, threshold), len(X), k)
                ends = np.sort(labels[tree.edges], axis=1)
                low, high = ends[ends[:, 0] != ends[:, 1]].T
                sizes = np.bincount(labels, minlength=k)
                found.append(valleys._across_gaps(labels, sizes, low, high, k).max())
        shown.append(max(found) > 0)
    assert np.mean(shown) < 0.1


def test_outliers_are_no_groups():
    """Law: a few rows far away are behind a gap, and no group."""
    X = np.r_[np.random.default_rng(0).normal(size=(300, 2)), [[90.0, 90.0], [91.0, 90.0], [92.0, 91.0]]]
    labels, one, other = np.repeat([0, 1], [300, 3]), np.array([0]), np.array([1])
    assert Valleys(X)._across_gaps(labels, np.bincount(labels), one, other, 2).max() < 0
    wide = np.r_[X[:300], X[:12] + 90.0]
    labels = np.repeat([0, 1], [300, 12])
    assert Valleys(wide)._across_gaps(labels, np.bincount(labels), one, other, 2).max() > 0


def test_genie_competes():
    """Law: `coterie.fit` may choose Genie, and its labels are those of the estimator it names."""
    X, _ = rings([1.0, 2.0], 150, 1)
    found = coterie.fit(X, "genie", budget="fast", believe=False)
    assert found.method == "genie"
    assert isinstance(found.model, Genie)
    np.testing.assert_array_equal(found.predict(X), found.labels)
