"""The quality of every cut: the curve equals the measures of each cut on its own."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster import hierarchy
from scipy.spatial.distance import pdist
from sklearn.datasets import load_iris, make_blobs

from coterie import evaluate
from coterie.errors import InvalidData, InvalidParameter
from coterie.evaluate import CutCurve, cut_curve
from coterie.tree import Dendrogram
from tree_strategies import random_trees

AGAINST_CLASSES = (
    "impurity",
    "inverse_impurity",
    "purity_score",
    "inverse_purity_score",
    "pair_precision_score",
    "pair_recall_score",
    "pair_f_score",
    "rand_score",
    "adjusted_rand_score",
    "normalized_mutual_info_score",
)


def assert_is_measured_cut_by_cut(tree, classes, curve):
    np.testing.assert_array_equal(curve.n_clusters, tree.cut_sizes())
    for at, k in enumerate(curve.n_clusters):
        labels = tree.cut(int(k))
        for name in AGAINST_CLASSES:
            alone = getattr(evaluate, name)(classes, labels)
            assert curve[name][at] == pytest.approx(alone, abs=1e-12), (name, k)


@given(random_trees(), st.data())
def test_curve_is_every_measure_of_every_cut(tree, data):
    """Law: whatever the tree and the classes, each value is that of the measure on the labels of the cut."""
    n = tree.n_leaves
    classes = data.draw(st.lists(st.integers(0, 4), min_size=n, max_size=n))
    curve = cut_curve(tree, classes)
    assert tuple(curve) == AGAINST_CLASSES
    assert_is_measured_cut_by_cut(tree, classes, curve)


@pytest.mark.parametrize("method", ["single", "ward", "centroid"])
@pytest.mark.parametrize("n_classes", [3, 60])
def test_curve_of_real_trees(method, n_classes):
    """Law: also with many classes (hash tables that grow) and with trees that are not monotone."""
    X, y = make_blobs(120, centers=n_classes, random_state=0)
    tree = Dendrogram.from_linkage(hierarchy.linkage(X, method))
    names = np.array([f"class {i}" for i in range(n_classes)])[y]
    assert_is_measured_cut_by_cut(tree, names, cut_curve(tree, names))


def test_large_families_have_fewer_cuts():
    """Law: a node with three children skips a number of clusters, everything else holds."""
    tree = Dendrogram([[0, 1, 2], [3, 4], [6, 7, 5]], [1.0, 2.0, 3.0])
    classes, X = [0, 0, 0, 1, 1, 2], np.arange(6.0)[:, None]
    curve = cut_curve(tree, classes, X)
    np.testing.assert_array_equal(curve.n_clusters, [1, 3, 4, 6])
    np.testing.assert_array_equal(curve.heights, [3.0, 2.0, 1.0, 0.0])
    assert_is_measured_cut_by_cut(tree, classes, curve)
    np.testing.assert_allclose(curve.wcss, [17.5, 2.5, 2.0, 0.0])
    assert curve.best("ARI") == 3


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("method", ["average", "median"])
def test_sums_of_squares_of_every_cut(method, dtype):
    """Law: wcss is that of each cut; the simplified silhouette is NaN where it is not asked for."""
    X = load_iris().data.astype(dtype)
    tree = Dendrogram.from_linkage(hierarchy.linkage(X, method))
    curve = cut_curve(tree, X=X, silhouette_at=[2, 3, 50])
    for k in (1, 2, 3, 10, 149, 150):
        assert curve.wcss[k - 1] == pytest.approx(evaluate.wcss(X, tree.cut(k)), rel=1e-6, abs=1e-9)
    given = curve["simplified sil"]
    assert np.flatnonzero(np.isfinite(given)).tolist() == [1, 2, 49]
    assert given[2] == pytest.approx(evaluate.simplified_silhouette_score(X, tree.cut(3)))
    assert np.isfinite(cut_curve(tree, X=X)["simplified sil"]).sum() == 19


def test_curve_of_the_lecture():
    """Law: cluster impurity falls and label impurity rises with the number of clusters (deck 000)."""
    X, y = load_iris(return_X_y=True)
    curve = cut_curve(Dendrogram.from_linkage(hierarchy.linkage(X, "average")), y)
    assert (np.diff(curve.cluster_impurity) <= 0).all()
    assert (np.diff(curve.label_impurity) >= 0).all()
    assert (curve.cluster_impurity[0], curve.label_impurity[0]) == (pytest.approx(2 / 3), 0)
    assert (curve.cluster_impurity[-1], curve.label_impurity[-1]) == (0, pytest.approx(147 / 150))
    assert curve.best("impurity") == np.argmax(curve.cluster_impurity == 0) + 1


def test_frames_and_words():
    """Law: the curve is a mapping by name or symbol, and prints where each measure is best."""
    tree = Dendrogram([[0, 1], [2, 3], [4, 5]], [1.0, 2.0, 6.0])
    curve = cut_curve(tree, ["a", "a", "b", "b"], [[0.0], [1.0], [5.0], [6.0]])
    assert isinstance(curve, CutCurve)
    frame = curve.to_frame()
    assert frame.index.tolist() == [1, 2, 3, 4]
    assert frame.loc[2, "adjusted_rand_score"] == 1
    assert frame["height"].tolist() == [6.0, 2.0, 1.0, 0.0]
    assert "adjusted_rand_score" in repr(curve)
    assert "best (higher) 1 at 2 clusters" in repr(curve)
    assert len(curve) == len(list(curve)) == 12
    with pytest.raises(InvalidParameter, match=r"this curve has no silhouette_score\. It has impurity"):
        curve["silhouette_score"]
    falling = Dendrogram([[0, 1]], [0.5], heights_are="similarities")
    np.testing.assert_array_equal(cut_curve(falling, [0, 1]).heights, [0.5, np.inf])


def test_long_chain_and_many_classes():
    """Law: 100,000 leaves in a chain, with 100 classes or one class each, take one pass."""
    n = 100_000
    merges = np.column_stack([np.concatenate([[0], np.arange(n, 2 * n - 2)]), np.arange(1, n)])
    chain = Dendrogram(merges, np.arange(1.0, n))
    for classes in (np.arange(n) % 100, np.arange(n)):
        curve = cut_curve(chain, classes, X=np.arange(n, dtype=float)[:, None], silhouette_at=[2])
        labels = chain.cut(500)
        for name in AGAINST_CLASSES:
            assert curve[name][499] == pytest.approx(getattr(evaluate, name)(classes, labels), abs=1e-9), name
        assert curve.wcss[0] == pytest.approx(n * (n**2 - 1) / 12)


WRONG = [
    ({}, InvalidParameter, r"needs labels_true \(classes\), X \(data\) or both"),
    ({"labels_true": [0, 1]}, InvalidData, "must have a label per leaf, 3 of them, got 2"),
    ({"X": [[1.0], [2.0]]}, InvalidData, "must have a row per leaf, 3 of them, got 2"),
    ({"X": [[1.0], [2.0], [np.nan]]}, InvalidData, "NaN"),
    (
        {"labels_true": [0, 1, 1], "silhouette_at": [2]},
        InvalidParameter,
        "silhouette_at .* needs X",
    ),
    (
        {"X": [[1.0], [2.0], [3.0]], "silhouette_at": [3]},
        InvalidParameter,
        "n_leaves - 1 = 2 clusters, got 3",
    ),
]


@pytest.mark.parametrize(("given", "error", "message"), WRONG)
def test_wrong_input_is_refused(given, error, message):
    """Law: labels and data must fit the tree."""
    with pytest.raises(error, match=message):
        cut_curve(Dendrogram([[0, 1], [3, 2]], [1.0, 2.0]), **given)


def test_a_matrix_is_no_tree():
    """Law: SciPy's matrix is answered with how to make a tree of it."""
    with pytest.raises(InvalidParameter, match=r"must be a Dendrogram, got list\. Dendrogram\.from_linkage"):
        cut_curve([[0, 1, 1.0, 2]], [0, 1])


def test_cophenetic_correlation_takes_a_tree():
    """Law: the measure of a tree is that of its cophenetic heights, and the tree's own."""
    X = load_iris().data
    tree = Dendrogram.from_linkage(hierarchy.linkage(X, "average"))
    value = evaluate.cophenetic_correlation(X, tree)
    assert value == pytest.approx(0.8770, abs=5e-5)
    assert value == pytest.approx(evaluate.cophenetic_correlation(X, tree.cophenetic()))
    assert value == pytest.approx(tree.cophenetic_correlation(pdist(X)))
