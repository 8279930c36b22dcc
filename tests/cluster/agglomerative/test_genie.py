"""Genie: merges along the spanning tree that keep the sizes even."""

import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris, make_blobs, make_moons
from sklearn.metrics import adjusted_rand_score
from sklearn.utils.estimator_checks import parametrize_with_checks

import coterie
from coterie import _core
from coterie.cluster import AgglomerativeClustering, Genie
from coterie.distance import pairwise_distances, spanning_tree
from coterie.errors import InvalidData, InvalidParameter

SHAPES = Path(__file__).parents[4] / "shared" / "data" / "shapes"


@parametrize_with_checks([Genie(), Genie(n_clusters=2, min_samples=3, noise=True)])
def test_checks(estimator, check):
    """Law: what scikit-learn asks of an estimator holds."""
    check(estimator)


def gini(sizes):
    sizes = np.asarray(sizes)
    return np.abs(sizes[:, None] - sizes).sum() / 2 / ((len(sizes) - 1) * sizes.sum())


def merges_by_definition(edges, n, threshold):
    """Return the children of each merge, the paper's rule word by word: all sizes, all edges, every time."""
    member, node = {i: {i} for i in range(n)}, {i: i for i in range(n)}
    home, left, children = list(range(n)), [tuple(edge) for edge in edges.tolist()], []
    while left:
        sizes = [len(own) for own in member.values()]
        allowed = left
        if gini(sizes) > threshold:
            least = min(sizes)
            allowed = [
                edge for edge in left if least in (len(member[home[edge[0]]]), len(member[home[edge[1]]]))
            ]
        edge = allowed[0]
        left.remove(edge)
        a, b = home[edge[0]], home[edge[1]]
        children.append(sorted((node[a], node[b])))
        member[a] |= member.pop(b)
        node[a] = n + len(children) - 1
        for row in member[a]:
            home[row] = a
    return np.array(children).reshape(-1, 2)


@settings(max_examples=60, deadline=None)
@given(
    st.integers(2, 40), st.integers(1, 3), st.booleans(), st.sampled_from([0.0, 0.1, 0.3, 0.5, 0.9, 1.0]),
    st.integers(0, 2**31 - 1),
)  # fmt: skip
def test_merges_follow_the_definition(n, d, on_grid, threshold, seed):
    """Law: the merges are those of the rule, applied to all sizes and all edges at every step."""
    X = np.random.default_rng(seed).normal(size=(n, d))
    tree = spanning_tree(np.round(X) if on_grid else X)
    children, along = _core.genie_merges(tree.edges, threshold)
    np.testing.assert_array_equal(children, merges_by_definition(tree.edges, n, threshold))
    assert sorted(along.tolist()) == list(range(n - 1))


def test_a_threshold_of_one_is_single_linkage():
    """Law: no sizes are too unequal for 1, and the merges are those of single linkage."""
    X = np.random.default_rng(0).normal(size=(200, 3))
    genie, single = Genie(7, gini_threshold=1.0).fit(X), AgglomerativeClustering(7, linkage="single").fit(X)
    np.testing.assert_array_equal(genie.labels_, single.labels_)
    np.testing.assert_allclose(genie.distances_, single.dendrogram_.heights)


def test_outliers_do_not_become_clusters():
    """Law: where single linkage ends with one giant cluster, Genie finds the groups."""
    X, y = make_blobs(600, centers=4, cluster_std=1.3, random_state=1)
    assert adjusted_rand_score(y, AgglomerativeClustering(4, linkage="single").fit(X).labels_) < 0.6
    assert adjusted_rand_score(y, Genie(4).fit(X).labels_) > 0.8
    X, y = make_moons(400, noise=0.06, random_state=0)
    np.testing.assert_array_equal(adjusted_rand_score(y, Genie(2).fit(X).labels_), 1.0)


def test_distances_given_and_named():
    """Law: a matrix of distances gives the answer of the distance, and any name of the catalogue works."""
    X = load_iris().data
    for metric in ("manhattan", "cosine", "canberra"):
        named = Genie(3, metric=metric).fit(X)
        matrix = pairwise_distances(X, metric=metric)
        given_matrix = Genie(3, metric="precomputed").fit(matrix)
        assert adjusted_rand_score(named.labels_, given_matrix.labels_) == 1.0
        np.testing.assert_array_equal(named.predict(X), named.labels_)
        np.testing.assert_array_equal(given_matrix.predict(matrix), given_matrix.labels_)
    with pytest.raises(InvalidData, match="must be rows or distances"):
        Genie(metric="similarity").fit(np.eye(3))


def test_the_tree():
    """Law: heights rise, and the cuts of the tree are the labels."""
    X, _ = make_blobs(150, centers=5, random_state=3)
    for options in ({}, {"min_samples": 5}, {"min_samples": 5, "noise": True}):
        model = Genie(5, **options).fit(X)
        tree = model.dendrogram_
        assert tree.n_leaves == 150
        assert (np.diff(tree.heights) >= 0).all()
        inside = model.labels_ >= 0
        assert len(set(zip(model.labels_[inside].tolist(), tree.cut(5)[inside].tolist(), strict=True))) == 5


def test_noise_is_what_no_dense_row_reaches():
    """Law: rows strewn between dense groups get -1, and count for no size."""
    rng = np.random.default_rng(0)
    X, y = make_blobs(400, centers=[[0, 0], [10, 0], [0, 10]], random_state=0)
    strewn = rng.uniform(-8, 18, (40, 2))
    rows = np.concatenate([X, strewn])
    model = Genie(3, min_samples=8, noise=True).fit(rows)
    inside = model.labels_[:400] >= 0
    assert adjusted_rand_score(y[inside], model.labels_[:400][inside]) == 1.0
    far = np.min(pairwise_distances(strewn, X), axis=1) > 2.5
    assert (model.labels_[400:][far] == -1).mean() > 0.4
    assert (model.labels_[:400] == -1).mean() < 0.1
    assert (model.predict(rows) >= 0).all()


def test_bad_parameters_in_words():
    """Law: what cannot be is refused with the reason."""
    X = np.arange(6.0)[:, None]
    with pytest.raises(InvalidParameter, match="needs min_samples of at least 2"):
        Genie(noise=True).fit(X)
    with pytest.raises(InvalidParameter, match="at most the 6 rows"):
        Genie(min_samples=7).fit(X)
    with pytest.raises(InvalidParameter, match="gini_threshold"):
        Genie(gini_threshold=1.5).fit(X)
    with pytest.raises(InvalidParameter, match="must be at most 4 with noise=True"):
        Genie(5, min_samples=2, noise=True).fit(X)
    with pytest.raises(ValueError, match="must be a tree"):
        _core.genie_merges(np.array([[0, 1], [0, 1]]), 0.3)
    with pytest.raises(
        ValueError, match="edges must be at least 0 and below 3, got 1000000000 at position 3"
    ):
        _core.genie_merges(np.array([[0, 1], [0, 10**9]]), 0.3)


@pytest.mark.parametrize("rows", [np.ones((5, 2)), [[0.0], [1e150]], [[1e-140], [0.0], [-1e-140]]])
def test_equal_rows_and_extreme_numbers(rows):
    """Law: copies and numbers of any size are merged without a warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = Genie(2).fit(rows)
    assert sorted(set(model.labels_)) == [0, 1]


def test_saved_and_loaded(tmp_path):
    """Law: a saved model predicts as before."""
    X, _ = make_blobs(80, centers=3, random_state=0)
    model = Genie(3, min_samples=4, noise=True).fit(X)
    coterie.save(model, tmp_path / "genie.coterie")
    again = coterie.load(tmp_path / "genie.coterie")
    np.testing.assert_array_equal(again.predict(X + 0.1), model.predict(X + 0.1))
    np.testing.assert_array_equal(again.labels_, model.labels_)


def test_public_sets():
    """Law: on public sets of many shapes, told the number of groups, it is nearly always right."""
    if not SHAPES.is_dir():
        pytest.skip("the public sets are not here")
    found = []
    for path in sorted(SHAPES.glob("*.npz")):
        data = np.load(path)
        X, y = data["X"].astype(float), data["y"]
        k = len(np.unique(y[y >= 0]))
        found.append(adjusted_rand_score(y[y >= 0], Genie(k).fit(X).labels_[y >= 0]))
    assert np.mean(found) > 0.8
