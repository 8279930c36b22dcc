"""Trees from the top by k-means: what the tree says, what the labels say, and the way down for new rows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score
from sklearn.utils.estimator_checks import parametrize_with_checks
from threadpoolctl import threadpool_limits

from coterie.cluster import HierarchicalKMeans
from coterie.errors import InvalidData, InvalidParameter

RANDOM = np.random.default_rng(9)
TRUTH = RANDOM.integers(4, size=240)
BLOBS = RANDOM.normal(size=(240, 3)) + 12 * np.array([[0, 0, 0], [1, 0, 0], [9, 0, 0], [9, 2, 0]])[TRUTH]


def sse(X, labels):
    return sum(((X[labels == c] - X[labels == c].mean(axis=0)) ** 2).sum() for c in np.unique(labels))


@given(seed=st.integers(0, 2**32), branching=st.integers(2, 4))
@settings(max_examples=25)
def test_the_tree_goes_down_to_single_rows(seed, branching):
    """Law: leaves are the rows, heights the inertias of the groups, and none is above its parent."""
    X = np.random.default_rng(seed).normal(size=(30, 2))
    tree = HierarchicalKMeans(3, branching=branching, random_state=seed).fit(X).dendrogram_
    assert tree.n_leaves == 30
    assert tree.is_monotone
    for node in range(30, 30 + tree.n_inner):
        assert 2 <= len(tree.children(node)) <= branching
        members = tree.members(node)
        assert tree.heights[node - 30] == pytest.approx(
            sse(X[members], np.zeros(len(members))), rel=1e-6, abs=1e-9
        )
    assert tree.is_binary == all(len(tree.children(node)) == 2 for node in range(30, 30 + tree.n_inner))


def test_groups_come_apart():
    """Law: clear groups are found, labels and inertia belong together, rows find their way back."""
    model = HierarchicalKMeans(4, random_state=0).fit(BLOBS)
    assert adjusted_rand_score(TRUTH, model.labels_) == 1.0
    assert model.inertia_ == pytest.approx(sse(BLOBS, model.labels_))
    np.testing.assert_array_equal(model.predict(BLOBS), model.labels_)
    np.testing.assert_allclose(
        model.cluster_centers_, [BLOBS[model.labels_ == c].mean(axis=0) for c in range(4)]
    )
    assert model.transform(BLOBS).shape == (240, 4)


def test_labels_are_a_cut_of_the_tree():
    """Law: labels are the dendrogram's cut, for every number of groups."""
    for k in (1, 2, 3, 7, 20):
        model = HierarchicalKMeans(k, random_state=0).fit(BLOBS)
        assert adjusted_rand_score(model.dendrogram_.cut(k), model.labels_) == 1.0
    whole = HierarchicalKMeans(240, random_state=0).fit(BLOBS)
    assert len(set(whole.labels_)) == 240


def test_limits_end_the_splits():
    """Law: small groups and deep ones are not split; they hold their rows."""
    tree = HierarchicalKMeans(4, min_size=20, random_state=0).fit(BLOBS).dendrogram_
    sizes = [
        len(tree.members(node)) for node in range(240, 240 + tree.n_inner) if len(tree.children(node)) > 2
    ]
    assert sizes
    assert max(sizes) <= 20
    shallow = HierarchicalKMeans(4, max_depth=1, branching=3, random_state=0).fit(BLOBS)
    assert shallow.dendrogram_.n_inner == 4
    assert len(set(shallow.labels_)) == 3


@pytest.mark.parametrize("split", ["largest", "worst"])
def test_some_splits_make_just_the_groups(split):
    """Law: only n_clusters groups are made, whatever the branching; the largest or worst goes first."""
    for branching in (2, 3):
        model = HierarchicalKMeans(6, branching=branching, split=split, random_state=0).fit(BLOBS)
        assert set(model.labels_) == set(range(6))
        np.testing.assert_array_equal(model.predict(BLOBS), model.labels_)
    halves = HierarchicalKMeans(2, split=split, random_state=0).fit(BLOBS)
    worst = HierarchicalKMeans(3, split=split, random_state=0).fit(BLOBS)
    sizes = np.bincount(halves.labels_)
    inertias = [sse(BLOBS[halves.labels_ == c], np.zeros(sizes[c])) for c in (0, 1)]
    chosen = int(np.argmax(sizes if split == "largest" else inertias))
    assert len(set(worst.labels_[halves.labels_ == chosen])) == 2


def test_weights_and_sparse_rows():
    """Law: weight 0 is not a row for the centres; sparse rows give the groups of dense ones."""
    weights = np.where(TRUTH == 0, 0.0, 2.0)
    model = HierarchicalKMeans(3, random_state=1, n_init=4).fit(BLOBS, sample_weight=weights)
    heavy = weights > 0
    assert adjusted_rand_score(TRUTH[heavy], model.labels_[heavy]) == 1.0
    assert model.inertia_ == pytest.approx(2 * sse(BLOBS[heavy], model.labels_[heavy]))
    plain, thin = (
        HierarchicalKMeans(4, random_state=1).fit(BLOBS),
        HierarchicalKMeans(4, random_state=1).fit(sparse.csr_array(BLOBS)),
    )
    assert adjusted_rand_score(plain.labels_, thin.labels_) == 1.0
    np.testing.assert_array_equal(thin.predict(sparse.csr_array(BLOBS)), thin.labels_)


def test_same_bits_for_any_number_of_threads():
    """Law: 1, 2 and 5 threads give the same labels, inertia and heights."""
    results = set()
    for n_threads in (1, 2, 5):
        with threadpool_limits(n_threads, user_api="openmp"):
            model = HierarchicalKMeans(7, random_state=0).fit(BLOBS)
        results.add((model.labels_.tobytes(), model.inertia_, model.dendrogram_.heights.tobytes()))
    assert len(results) == 1


def test_a_long_chain_and_equal_rows():
    """Law: a tree as deep as it has rows is not a problem; equal rows stay together, with a warning."""
    chain = HierarchicalKMeans(3, random_state=0).fit(2.0 ** np.arange(60)[:, None])
    assert chain.dendrogram_.n_leaves == 60
    X = np.repeat([[0.0], [5.0]], 10, axis=0)
    with pytest.warns(ConvergenceWarning, match="distinct clusters \\(2\\)"):
        model = HierarchicalKMeans(3).fit(X)
    assert model.inertia_ == 0
    assert HierarchicalKMeans(1).fit([[1.0, 2.0]]).dendrogram_.n_leaves == 1


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (HierarchicalKMeans(241), "n_clusters of HierarchicalKMeans must be at most n_samples=240"),
        (
            HierarchicalKMeans(branching=1),
            "branching of HierarchicalKMeans must be a whole number of at least 2",
        ),
        (HierarchicalKMeans(split="al"), 'Did you mean "all"'),
        (HierarchicalKMeans(init=np.eye(2)), "init of HierarchicalKMeans must be"),
    ],
)
def test_wrong_parameters(model, message):
    """Law: a wrong parameter is refused with what is allowed."""
    with pytest.raises(InvalidParameter, match=message):
        model.fit(BLOBS)
    with pytest.raises(InvalidData, match="contains NaN"):
        type(model)(2).fit([[1.0], [np.nan], [2.0]])


RANDOM_START = dict.fromkeys(
    (
        "check_sample_weight_equivalence_on_dense_data",
        "check_sample_weight_equivalence_on_sparse_data",
    ),
    "the check shuffles the rows: the same random number then draws another row for the start",
)


@pytest.mark.filterwarnings("ignore:.*distinct clusters:sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(
    [HierarchicalKMeans(n_clusters=2)], expected_failed_checks=lambda model: RANDOM_START
)
def test_checks(estimator, check):
    """Law: what scikit-learn asks of an estimator holds."""
    check(estimator)
