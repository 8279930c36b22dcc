"""Cuts of a tree: by number, height, size and score."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster import hierarchy
from scipy.spatial.distance import pdist, squareform
from sklearn.datasets import load_iris
from sklearn.metrics import silhouette_score

from coterie.errors import InvalidData, InvalidParameter
from coterie.tree import Dendrogram
from tree_strategies import random_trees

METHODS = ("single", "complete", "average", "weighted", "ward", "centroid", "median")
X = np.random.default_rng(1).normal(size=(60, 2))


def first_seen(labels):
    """Renumber labels in the order in which they come."""
    _, first, codes = np.unique(labels, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[codes]


@given(random_trees(), st.data())
def test_number_of_clusters_is_kept(tree, data):
    """Law: a cut into k has k clusters, numbered by their lowest leaf, and each is a node of the tree."""
    k = data.draw(st.integers(1, tree.n_leaves))
    labels = tree.cut(k)
    assert len(set(labels.tolist())) == k
    np.testing.assert_array_equal(labels, first_seen(labels))
    nodes = {tuple(tree.members(node)) for node in range(tree.root + 1)}
    assert all(tuple(np.flatnonzero(labels == c)) in nodes for c in range(k))


@given(random_trees(monotone=False), st.floats(0, 12))
def test_height_means_what_fcluster_means(tree, height):
    """Law: cut(height) is SciPy's fcluster by distance, also for trees that are not monotone."""
    expected = hierarchy.fcluster(tree.to_linkage(), height, "distance") if tree.n_inner else [1]
    np.testing.assert_array_equal(tree.cut(height=height), first_seen(expected))


@pytest.mark.parametrize("method", METHODS)
def test_cuts_of_real_linkages(method):
    """Law: a cut by number makes the first merges; cuts at any height are SciPy's fcluster."""
    Z = hierarchy.linkage(X, method)
    tree = Dendrogram.from_linkage(Z)
    clusters = {i: [i] for i in range(60)}
    for k in range(60, 0, -1):
        labels = np.empty(60, dtype=int)
        for number, members in clusters.items():
            labels[members] = number
        np.testing.assert_array_equal(tree.cut(k), first_seen(labels))
        if k > 1:
            first, second = Z[60 - k, :2].astype(int)
            clusters[120 - k] = clusters.pop(first) + clusters.pop(second)
    for height in np.quantile(Z[:, 2], [0, 0.3, 0.5, 0.9, 1]):
        np.testing.assert_array_equal(
            tree.cut(height=height), first_seen(hierarchy.fcluster(Z, height, "distance"))
        )
    assert tree.cut(height=np.inf).max() == 0
    assert tree.cut(height=0).max() == 59


@given(random_trees(), st.data())
def test_least_size_holds_and_is_the_finest(tree, data):
    """Law: no cluster is smaller; and no cluster could be split into children that are all large enough."""
    least = data.draw(st.integers(1, tree.n_leaves))
    labels = tree.cut(min_size=least)
    assert np.bincount(labels).min() >= least
    by_members = {tuple(tree.members(node)): node for node in range(tree.root + 1)}
    for c in range(labels.max() + 1):
        parts = tree.children(by_members[tuple(np.flatnonzero(labels == c))])
        assert not parts.size or min(tree.members(part).size for part in parts) < least


@pytest.mark.parametrize("method", ["average", "centroid", "single"])
def test_best_silhouette_is_the_best(method):
    """Law: the cut chosen is the one that scikit-learn's silhouette is highest for."""
    data = load_iris().data
    tree = Dendrogram.from_linkage(hierarchy.linkage(data, method))
    scores = {k: silhouette_score(data, tree.cut(k)) for k in range(2, 31)}
    labels = tree.cut(best="silhouette", X=data, max_clusters=30)
    assert labels.max() + 1 == max(scores, key=lambda k: (round(scores[k], 12), -k))
    for distances in (pdist(data), squareform(pdist(data))):
        np.testing.assert_array_equal(
            tree.cut(best="silhouette", distances=distances, max_clusters=30), labels
        )
    by_function = tree.cut(best=lambda labels: silhouette_score(data, labels), max_clusters=30)
    np.testing.assert_array_equal(by_function, labels)


def test_best_of_a_tree_with_large_families():
    """Law: only numbers of clusters that the tree has are tried."""
    tree = Dendrogram([[0, 1, 2], [3, 4], [6, 7, 5]], [1.0, 2.0, 3.0])
    tried = []
    tree.cut(best=lambda labels: tried.append(labels.max() + 1) or 0.0)
    assert tried == [3, 4]
    rows = [[0.0], [0.1], [0.2], [5.0], [5.1], [9.0]]
    np.testing.assert_array_equal(tree.cut(best="silhouette", X=rows), [0, 0, 0, 1, 1, 2])


def test_similarities_are_cut_from_above():
    """Law: in a tree of similarities a cluster is joined where no merge is below the height."""
    tree = Dendrogram([[0, 1], [2, 3], [4, 5]], [0.9, 0.8, 0.1], heights_are="similarities")
    np.testing.assert_array_equal(tree.cut(height=0.85), [0, 0, 1, 2])
    np.testing.assert_array_equal(tree.cut(height=0.8), [0, 0, 1, 1])
    np.testing.assert_array_equal(tree.cut(height=-3.0), [0, 0, 0, 0])
    np.testing.assert_array_equal(tree.cut(2), tree.as_distances(1.0).cut(2))


WRONG = [
    ({"n_clusters": 5}, "n_clusters of Dendrogram.cut must be at most n_leaves=3, got 5"),
    ({"n_clusters": 0}, "n_clusters of Dendrogram.cut must be a whole number of at least 1, got 0"),
    ({"n_clusters": 2.0}, "must be a whole number of at least 1, got 2.0"),
    ({"height": -1.0}, "height of Dendrogram.cut must be a number of at least 0.0, got -1.0"),
    ({"height": np.nan}, "height of Dendrogram.cut must be a number of at least 0.0, got nan"),
    ({"min_size": 4}, r"min_size of Dendrogram.cut must be a whole number in \[1, 3\], got 4"),
    (
        {"best": "silhouete"},
        'best of Dendrogram.cut must be "silhouette" or a callable.* Did you mean "silhouette"',
    ),
    ({"best": "silhouette"}, r"needs X= \(rows of data, Euclidean\) or distances=, one of them"),
    ({}, "one of n_clusters, height, min_size and best, got none"),
    ({"n_clusters": 2, "X": [[1.0]]}, "belong to best=, not given here"),
    ({"best": len, "X": [[1.0]]}, "is a function of labels: X and distances are not used with it"),
]


@pytest.mark.parametrize(("how", "message"), WRONG)
def test_wrong_cuts_are_refused(how, message):
    """Law: a cut that cannot be made is refused with what is allowed."""
    with pytest.raises(InvalidParameter, match=message):
        Dendrogram([[0, 1], [3, 2]], [1.0, 2.0]).cut(**how)


def test_numbers_between_large_families_are_refused():
    """Law: where a node has more than two children the missing numbers of clusters are named."""
    tree = Dendrogram([[0, 1, 2], [3, 4], [6, 7, 5]], [1.0, 2.0, 3.0])
    assert [tree.cut(k).max() + 1 for k in (1, 3, 4, 6)] == [1, 3, 4, 6]
    with pytest.raises(InvalidParameter, match="no cut of it gives 2 clusters; the nearest have 1 and 3"):
        tree.cut(2)


def test_silhouette_data_must_fit():
    """Law: data of another number of rows, and distances that are none, are refused."""
    tree = Dendrogram([[0, 1], [3, 2]], [1.0, 2.0])
    with pytest.raises(InvalidData, match="must have a row per leaf, 3 of them, got 2"):
        tree.cut(best="silhouette", X=[[1.0], [2.0]])
    with pytest.raises(InvalidData, match=r"condensed \(3,\) or square \(3, 3\), got shape \(2,\)"):
        tree.cut(best="silhouette", distances=[1.0, 2.0])
    with pytest.raises(InvalidData, match=r"must not be NaN, got distances\[1\]"):
        tree.cut(best="silhouette", distances=[1.0, np.nan, 2.0])
    with pytest.raises(
        InvalidData, match=r"must be symmetric, got distances\[0, 1\] = 1 and distances\[1, 0\] = 2"
    ):
        tree.cut(best="silhouette", distances=[[0, 1, 3], [2, 0, 3], [3, 3, 0]])
