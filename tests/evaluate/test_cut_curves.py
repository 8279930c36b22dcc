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
    """Law: wcss is that of each cut."""
    X = load_iris().data.astype(dtype)
    tree = Dendrogram.from_linkage(hierarchy.linkage(X, method))
    curve = cut_curve(tree, X=X)
    for k in (1, 2, 3, 10, 149, 150):
        assert curve.wcss[k - 1] == pytest.approx(evaluate.wcss(X, tree.cut(k)), rel=1e-6, abs=1e-9)


def silhouettes_cut_by_cut(tree, X, step=1):
    found = np.full(len(tree.cut_sizes()), np.nan)
    for at, k in list(enumerate(tree.cut_sizes()))[::step]:
        if 1 < k < tree.n_leaves:
            found[at] = evaluate.simplified_silhouette_score(X, tree.cut(int(k)))
    return found


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("method", ["single", "ward", "median"])
@pytest.mark.parametrize(("n", "d"), [(3, 1), (300, 2), (600, 7)])
def test_silhouettes_of_every_cut(method, n, d, dtype):
    """Law: the simplified silhouette is that of each cut, with several blocks of leaves and of centroids."""
    X = make_blobs(n, d, centers=5, cluster_std=3.0, random_state=n)[0].astype(dtype)
    tree = Dendrogram.from_linkage(hierarchy.linkage(X, method))
    curve = cut_curve(tree, X=X)["simplified sil"]
    tolerance, step = 1e-11 if dtype == np.float64 else 1e-5, 1 + n // 20
    expected = silhouettes_cut_by_cut(tree, X, step)
    np.testing.assert_allclose(curve[::step], expected[::step], rtol=0, atol=tolerance)
    assert np.isnan(curve).sum() == 2
    np.testing.assert_array_equal(cut_curve(tree, X=X, silhouette_at="all")["simplified sil"], curve)


@given(random_trees(most=20), st.integers(0, 3), st.integers(0, 10**6))
def test_silhouettes_of_any_tree_of_any_rows(tree, span, seed):
    """Law: it holds for trees that have nothing to do with the rows, and for rows that are equal."""
    X = np.random.default_rng(seed).integers(0, span + 1, size=(tree.n_leaves, 2)).astype(float)
    curve = cut_curve(tree, X=X).curves.get("simplified_silhouette_score", np.full(tree.n_leaves, np.nan))
    np.testing.assert_allclose(curve, silhouettes_cut_by_cut(tree, X), rtol=0, atol=1e-7)


def test_silhouettes_of_large_families():
    """Law: nodes of many children, leaves among them, are split at once."""
    rng = np.random.default_rng(0)
    families = [list(range(start, start + 30)) for start in range(0, 600, 30)]
    tree = Dendrogram([*families, list(range(620, 640)), [640, *range(600, 620)]], np.arange(1.0, 23.0))
    X = rng.normal(size=(tree.n_leaves, 3)) + np.repeat(rng.normal(0, 5, (62, 3)), 10, axis=0)[:620]
    curve = cut_curve(tree, X=X)["simplified sil"]
    np.testing.assert_allclose(curve, silhouettes_cut_by_cut(tree, X), rtol=0, atol=1e-12)


def test_silhouettes_where_they_are_asked_for(monkeypatch):
    """Law: NaN where no cut is asked for, and for fine cuts when there is too much to compare."""
    X = load_iris().data
    tree = Dendrogram.from_linkage(hierarchy.linkage(X, "average"))
    some = cut_curve(tree, X=X, silhouette_at=[2, 3, 50])["simplified sil"]
    assert np.flatnonzero(np.isfinite(some)).tolist() == [1, 2, 49]
    everywhere = cut_curve(tree, X=X)["simplified sil"]
    assert np.flatnonzero(np.isnan(everywhere)).tolist() == [0, 149]
    np.testing.assert_allclose(some[[1, 2, 49]], everywhere[[1, 2, 49]], atol=1e-12)
    monkeypatch.setattr("coterie.evaluate.internal.cut_curves.MOST_STEPS", 20_000)
    coarse = cut_curve(tree, X=X)["simplified sil"]
    n_found = np.isfinite(coarse).sum()
    assert 5 < n_found < 100
    np.testing.assert_array_equal(coarse[1 : n_found + 1], everywhere[1 : n_found + 1])
    with pytest.raises(InvalidParameter, match="silhouette_at of cut_curve must be"):
        cut_curve(tree, X=X, silhouette_at="some")


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
