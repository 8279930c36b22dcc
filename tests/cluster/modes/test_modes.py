"""Mode clustering: hills of the density, and valleys against those of one cloud."""

from __future__ import annotations

import re

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial.distance import cdist
from sklearn.datasets import make_moons
from sklearn.metrics import adjusted_rand_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from coterie.cluster import ModeClustering
from coterie.cluster.modes.mode_tree import dimension_at, grow_mode_tree, null_depth
from coterie.distance import k_nearest
from coterie.distance.row_distances import RowDistances
from coterie.errors import InvalidParameter


def three_blobs(seed=0, n=50):
    rng = np.random.default_rng(seed)
    return np.concatenate([rng.normal(at, 1, (n, 2)) for at in ([0, 0], [9, 0], [0, 9])]), np.repeat(
        [0, 1, 2], n
    )


@parametrize_with_checks([ModeClustering(), ModeClustering(2, 4)])
def test_scikit_learn_checks(estimator, check):
    """The estimator keeps scikit-learn's contract."""
    check(estimator)


def test_depths_against_the_slow_way():
    """The depth at an edge is the rise of the lower of the two peaks that it joins, in standard errors."""
    X, _ = three_blobs(n=15)
    D = cdist(X, X)
    radii = np.sort(D, axis=1)[:, 5]
    reach = np.maximum(np.maximum.outer(radii, radii), D)
    np.fill_diagonal(reach, 0)
    total = minimum_spanning_tree(csr_array(reach)).sum()
    tree = grow_mode_tree(RowDistances(X), np.asarray(k_nearest(X, None, 5).distance), 5)
    assert tree.lengths.sum() == pytest.approx(total)
    top = int(np.argmax(tree.depths))
    level = tree.lengths[top]
    labels = np.arange(len(X))
    for (one, other), length in zip(tree.edges, tree.lengths, strict=True):
        if length < level:
            labels[labels == labels[other]] = labels[one]
    sides = [labels == labels[row] for row in tree.edges[top]]
    lower = min(-np.log(radii[side].min()) for side in sides)
    depth = (lower + np.log(level)) * tree.dimension * np.sqrt(5 / 2)
    assert tree.depths[top] == pytest.approx(depth)


def test_shapes_that_k_means_cannot_see():
    """Two moons are two hills, whether their number is given or not."""
    X, y = make_moons(500, noise=0.06, random_state=0)
    for estimator in (ModeClustering(2), ModeClustering(n_neighbors=12)):
        assert adjusted_rand_score(y, estimator.fit(X).labels_) > 0.98


@pytest.mark.parametrize("kind", ["uniform", "normal"])
def test_one_cloud_is_one_cluster(kind):
    """Without clusters, one is found in at least nine of ten samples."""
    rng = np.random.default_rng(5)
    found = [
        ModeClustering(n_neighbors=12).fit(getattr(rng, kind)(size=(250, 2))).labels_.max() == 0
        for _ in range(20)
    ]
    assert sum(found) >= 18


def test_rows_in_any_order_and_any_unit():
    """Clusters follow the rows when these are shuffled, shifted or measured in another unit."""
    X, y = three_blobs()
    order = np.random.default_rng(1).permutation(len(X))
    labels = ModeClustering(3).fit(X).labels_
    assert adjusted_rand_score(labels[order], ModeClustering(3).fit(X[order]).labels_) == 1.0
    assert adjusted_rand_score(labels, ModeClustering(3).fit(X * 1000 - 7).labels_) == 1.0
    assert adjusted_rand_score(labels, y) > 0.95


@pytest.mark.parametrize("size", [1e-140, 1e140])
def test_rows_near_the_ends_of_the_range(size):
    """The number of clusters knows no unit: squares of variances may leave the range of numbers."""
    X, _ = three_blobs()
    ours, huge = (ModeClustering().fit(rows) for rows in (X, X * size))
    assert adjusted_rand_score(ours.labels_, huge.labels_) == 1.0


def test_fitted_attributes():
    """Each cluster has the peak of its density; rows of the fit keep their cluster; valleys are sorted."""
    X, _ = three_blobs()
    model = ModeClustering(3).fit(X)
    assert (model.labels_[model.mode_indices_] == [0, 1, 2]).all()
    assert (model.predict(X) == model.labels_).all()
    assert (np.diff(model.depths_) <= 0).all()
    assert len(model.depths_) == len(X) - 1
    assert 1.2 < model.dimension_ <= 2.0


def test_equal_rows():
    """Rows that occur many times, or only one row, are no trouble."""
    X = np.repeat([[0.0, 0.0], [1.0, 1.0]], 30, axis=0)
    assert ModeClustering(2).fit(X).labels_.tolist() == [0] * 30 + [1] * 30
    assert ModeClustering().fit([[1.0, 2.0]]).labels_.tolist() == [0]
    assert ModeClustering().fit(np.zeros((20, 2))).labels_.max() == 0


def test_other_distances():
    """The distance is one of the catalogue."""
    X, y = three_blobs()
    assert adjusted_rand_score(y, ModeClustering(3, metric="manhattan").fit(X).labels_) > 0.95


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_clusters": 200}, "n_clusters of ModeClustering must be at most n_samples=150, got 200."),
        ({"n_neighbors": 0}, "n_neighbors of ModeClustering must be a whole number"),
        ({"min_depth": -1}, "min_depth of ModeClustering must be a number"),
        ({"metric": "euclidaen"}, "metric of ModeClustering must be one of"),
    ],
)
def test_wrong_parameters(parameters, message):
    """Wrong parameters are refused by name."""
    with pytest.raises(InvalidParameter, match=re.escape(message)):
        ModeClustering(**parameters).fit(three_blobs()[0])


def test_null_depth_falls_with_dimension_and_rises_with_cells():
    """One cloud has deeper valleys the more neighbourhoods it has, and the fewer ways round them."""
    assert null_depth(1000, 8, 2.0, 2.0) > null_depth(200, 8, 2.0, 2.0)
    assert null_depth(1000, 8, 2.0, 2.0) > null_depth(1000, 8, 6.0, 6.0)
    assert null_depth(300, 12, 3.0, 1.0) > null_depth(300, 12, 1.0, 1.0)


def test_dimension_of_rows_that_occur_often():
    """Where all neighbours are at distance zero there is no dimension to be told."""
    assert dimension_at(np.zeros((5, 8)), 8) == np.inf


@pytest.mark.parametrize("n_rows", [1, 2])
def test_too_few_rows_to_tell_a_dimension(n_rows):
    """Law: where distances say nothing of it, the dimension is the number of columns, never NaN."""
    assert ModeClustering(1).fit(np.eye(n_rows, 3)).dimension_ == 3.0


def test_a_background_is_a_cluster_of_its_own():
    """Law: with a background the sparse rows are one cluster, which the number of clusters counts."""
    rng = np.random.default_rng(0)
    spots = np.concatenate([rng.normal(at, 0.2, (150, 2)) for at in ([-3, 0], [3, 0])])
    X = np.r_[spots, rng.uniform(-6, 6, (150, 2))]
    y = np.repeat([0, 1, 2], 150)
    two, three = (ModeClustering(k, 18, background=True).fit(X).labels_ for k in (2, 3))
    assert adjusted_rand_score(y == 2, two) > 0.9
    assert adjusted_rand_score(y, three) > 0.9
    assert len(set(ModeClustering(1, background=True).fit(X).labels_)) == 1


def test_the_background_divides_densities_best():
    """Law: dense and sparse are the two parts of the log-densities whose variance within is least."""
    X, _ = three_blobs(n=12)
    reach = np.asarray(k_nearest(X, None, 6).distance)
    tree = grow_mode_tree(RowDistances(X), reach, 6)
    heights = tree.log_density
    within = {
        level: heights[heights >= level].var() * (heights >= level).sum()
        + heights[heights < level].var() * (heights < level).sum()
        for level in np.sort(heights)[1:]
    }
    np.testing.assert_array_equal(tree.is_dense, heights >= min(within, key=within.get))


def test_equal_rows_have_no_background():
    """Law: where all densities are equal every row is dense, and there is one cluster."""
    assert set(ModeClustering(2, 3, background=True).fit(np.ones((9, 2))).labels_) == {0}
