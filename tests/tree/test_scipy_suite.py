"""SciPy's own tests of cuts, cophenetic heights, orders and monotony, run on ours."""

import numpy as np
import pytest
from scipy.cluster import hierarchy
from scipy.spatial.distance import pdist, squareform

from coterie.tree import Dendrogram

WITHOUT = "SciPy 1.18 and later leave their tests out of the wheel; Python 3.11 has an earlier one"
test_hierarchy = pytest.importorskip("scipy.cluster.tests.test_hierarchy", reason=WITHOUT)
known = pytest.importorskip("scipy.cluster.tests.hierarchy_test_data", reason=WITHOUT)


def cophenet(Z, Y=None):
    tree = Dendrogram.from_linkage(Z)
    return tree.cophenetic() if Y is None else (tree.cophenetic_correlation(Y), tree.cophenetic())


def fcluster(Z, t, criterion):
    tree = Dendrogram.from_linkage(Z)
    labels = tree.cut(height=t) if criterion == "distance" else tree.cut(min(int(t), tree.n_leaves))
    return labels.astype(np.int32) + 1


def cut_tree(Z, n_clusters=None, height=None):
    tree = Dendrogram.from_linkage(Z)
    if height is not None:
        return np.column_stack([tree.cut(height=float(h)) for h in np.atleast_1d(height)])
    numbers = range(tree.n_leaves, 0, -1) if n_clusters is None else np.atleast_1d(n_clusters).tolist()
    return np.column_stack([tree.cut(k) for k in numbers])


def leaves_list(Z):
    return Dendrogram.from_linkage(Z).leaf_order()


def is_monotonic(Z):
    if len(Z) == 0:
        raise ValueError("no merges")
    return Dendrogram.from_linkage(Z).is_monotone


ORDERED = [
    (hierarchy.linkage(known.ytdist), known.linkage_ytdist_single_olo, known.ytdist),
    (hierarchy.linkage(known.X, "ward"), known.linkage_X_ward_olo, known.X),
]
OURS = {
    "cophenet": cophenet,
    "fcluster": fcluster,
    "cut_tree": cut_tree,
    "leaves_list": leaves_list,
    "is_monotonic": is_monotonic,
}


@pytest.fixture(autouse=True)
def ours_in_place_of_scipys(monkeypatch):
    for name, adapter in OURS.items():
        monkeypatch.setattr(test_hierarchy, name, adapter)


@pytest.mark.parametrize("name", ["test_linkage_cophenet_tdist_Z", "test_linkage_cophenet_tdist_Z_Y"])
def test_cophenet(name):
    """Law: SciPy's tests of cophenet hold."""
    getattr(test_hierarchy.TestCopheneticDistance(), name)(np)


@pytest.mark.parametrize(
    ("criterion", "t"),
    [("distance", t) for t in known.fcluster_distance] + [("maxclust", t) for t in known.fcluster_maxclust],
)
def test_fcluster(criterion, t):
    """Law: SciPy's tests of fcluster by distance and by number hold."""
    test_hierarchy.TestFcluster().test_fcluster(t, criterion, np)


def test_cut_tree():
    """Law: SciPy's test of cut_tree holds, by number and by height."""
    test_hierarchy.test_cut_tree(np)


@pytest.mark.parametrize("name", ["test_leaves_list_1x4", "test_leaves_list_2x4"])
def test_leaves_list(name):
    """Law: SciPy's tests of leaves_list hold."""
    getattr(test_hierarchy.TestLeavesList(), name)(np)


@pytest.mark.parametrize(
    "method", ["single", "complete", "average", "weighted", "centroid", "median", "ward"]
)
def test_leaves_list_of_linkages(method):
    """Law: the order of SciPy's own tree nodes is ours."""
    test_hierarchy.TestLeavesList().test_leaves_list_Q(method, np)


# SciPy calls merges out of the order of heights not monotone; for us a parent must be below a child
OTHER_MEANING = {"test_is_monotonic_3x4_F1"}
MONOTONY = {name for name in dir(test_hierarchy.TestIsMonotonic) if name.startswith("test_")} - OTHER_MEANING


@pytest.mark.parametrize("name", sorted(MONOTONY))
def test_is_monotonic(name):
    """Law: SciPy's tests of is_monotonic hold."""
    getattr(test_hierarchy.TestIsMonotonic(), name)(np)


@pytest.mark.parametrize(("Z", "expected", "data"), ORDERED)
def test_optimal_leaf_ordering(Z, expected, data):
    """Law: on the data of SciPy's test ours is no longer than the order it expects."""
    condensed = data if data.ndim == 1 else pdist(data)
    ours = Dendrogram.from_linkage(Z).leaf_order(optimal=True, distances=condensed)
    D = squareform(condensed)
    lengths = [D[order[:-1], order[1:]].sum() for order in (ours, hierarchy.leaves_list(expected))]
    assert lengths[0] <= lengths[1] * (1 + 1e-12)


def test_wrong_matrix_is_refused():
    """Law: the matrix that once crashed SciPy (gh-22183) is refused."""
    arr = [[0, 1, 1, 2], [2, 12, 1, 3], [3, 4, 1, 2], [5, 14, 1, 3], [6, 7, 1, 2], [8, 16, 1, 3]]
    with pytest.raises(ValueError, match="merges of Dendrogram must be a tree"):
        cophenet(arr)
