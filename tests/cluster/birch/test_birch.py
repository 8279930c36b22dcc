"""BIRCH: the subclusters of scikit-learn, weights, batches."""

import subprocess
import sys
from unittest import mock

import numpy as np
import pytest
import sklearn.cluster
import sklearn.cluster._birch as peer
from scipy import sparse
from scipy.spatial.distance import cdist

import coterie
from coterie.cluster import DBSCAN, AgglomerativeClustering, Birch, KMeans

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(400, 3)) + 4 * RANDOM.integers(0, 4, size=(400, 1))


def cases(count):
    """Yield sets of rows with thresholds and branching factors of every size."""
    for seed in range(count):
        random = np.random.default_rng(seed)
        n, d = int(random.integers(20, 500)), int(random.integers(1, 9))
        rows = random.normal(size=(n, d)) + 3 * random.integers(0, 4, size=(n, 1))
        yield (
            rows,
            {
                "threshold": float(random.choice([1e-3, 0.1, 0.3, 0.7, 1.5])),
                "branching_factor": int(random.choice([2, 3, 5, 10, 50, 100])),
            },
        )


def symmetric_distances(X, Y_norm_squared, squared):
    """Take the place of distances by products, whose rounding decides which of two entries is the first."""
    return cdist(X, X, "sqeuclidean")


def in_one_order(centers):
    return centers[np.lexsort(np.round(centers, 8).T)]


@pytest.mark.filterwarnings("ignore:Number of subclusters:sklearn.exceptions.ConvergenceWarning")
def test_the_subclusters_of_scikit_learn_in_its_order():
    """Law: where rounding does not decide, subclusters, their order and all labels are scikit-learn's."""
    with mock.patch.object(peer, "euclidean_distances", symmetric_distances):
        for rows, options in cases(25):
            theirs = sklearn.cluster.Birch(n_clusters=None, **options).fit(rows.copy())
            ours = Birch(n_clusters=None, **options).fit(rows)
            assert ours.subcluster_centers_.shape == theirs.subcluster_centers_.shape
            np.testing.assert_allclose(ours.subcluster_centers_, theirs.subcluster_centers_, atol=1e-10)
            np.testing.assert_array_equal(ours.labels_, theirs.labels_)
            for k in (1 if len(theirs.subcluster_centers_) > 1 else 2, 4):
                theirs.set_params(n_clusters=k).partial_fit()
                ours.set_params(n_clusters=k).partial_fit()
                np.testing.assert_array_equal(ours.subcluster_labels_, theirs.subcluster_labels_)
                np.testing.assert_array_equal(ours.labels_, theirs.predict(rows))


def test_the_subclusters_of_scikit_learn_as_it_is():
    """Law: as sets the subclusters are scikit-learn's; so is their order as long as no node was split."""
    for rows, options in cases(12):
        theirs = sklearn.cluster.Birch(n_clusters=None, **options).fit(rows.copy()).subcluster_centers_
        ours = Birch(n_clusters=None, **options).fit(rows).subcluster_centers_
        np.testing.assert_allclose(in_one_order(ours), in_one_order(theirs), atol=1e-10)
        if len(theirs) <= options["branching_factor"]:
            np.testing.assert_allclose(ours, theirs, atol=1e-10)


def test_summaries_are_those_of_scikit_learn():
    """Law: numbers, linear sums and squared sums of the subclusters are scikit-learn's."""
    with mock.patch.object(peer, "euclidean_distances", symmetric_distances):
        theirs = sklearn.cluster.Birch(branching_factor=7, n_clusters=None).fit(X.copy())
    tree = Birch(branching_factor=7, n_clusters=None).fit(X).tree_
    known = [entry for leaf in theirs._get_leaves() for entry in leaf.subclusters_]
    np.testing.assert_array_equal(tree.subcluster_weights, [entry.n_samples_ for entry in known])
    np.testing.assert_allclose(tree.linear_sums, [entry.linear_sum_ for entry in known])
    np.testing.assert_allclose(tree.squared_sums, [entry.squared_sum_ for entry in known])
    np.testing.assert_allclose(tree.radii, [entry.radius for entry in known], atol=1e-6)


def weighted_by_scikit_learn(rows, weights, threshold, branching_factor):
    """Give scikit-learn's tree a summary of weight w for each row of weight w."""
    made = peer._CFSubcluster

    class Weighted(made):
        def __init__(self, *, linear_sum=None):
            super().__init__(linear_sum=linear_sum)
            if linear_sum is not None:
                self.n_samples_ = next(remaining)
                self.linear_sum_ = self.n_samples_ * linear_sum
                self.squared_sum_ = self.n_samples_ * self.sq_norm_

    remaining = iter(weights.tolist())
    with (
        mock.patch.object(peer, "_CFSubcluster", Weighted),
        mock.patch.object(peer, "euclidean_distances", symmetric_distances),
    ):
        model = sklearn.cluster.Birch(
            threshold=threshold, branching_factor=branching_factor, n_clusters=None, compute_labels=False
        )
        return model.fit(rows.copy()).subcluster_centers_


def test_a_weighted_row_is_a_summary():
    """Law: a row of weight w enters scikit-learn's tree as a summary of w equal rows."""
    for rows, options in cases(8):
        weights = np.random.default_rng(1).integers(1, 6, size=len(rows)).astype(float)
        ours = Birch(n_clusters=None, **options).fit(rows, sample_weight=weights).subcluster_centers_
        theirs = weighted_by_scikit_learn(rows, weights, **options)
        np.testing.assert_allclose(ours, theirs, atol=1e-10)


def test_laws_of_weights():
    """Law: weights 1 are none, a common factor changes nothing, weight 0 leaves no trace."""
    plain = Birch(threshold=0.6, branching_factor=6).fit(X)
    for weights in (np.ones(400), 1.0, np.full(400, 8.0)):
        model = Birch(threshold=0.6, branching_factor=6).fit(X, sample_weight=weights)
        np.testing.assert_array_equal(model.subcluster_centers_, plain.subcluster_centers_)
        np.testing.assert_array_equal(model.labels_, plain.labels_)
    third = Birch(threshold=0.6, branching_factor=6).fit(X, sample_weight=np.full(400, 1 / 3))
    np.testing.assert_allclose(third.subcluster_centers_, plain.subcluster_centers_, atol=1e-12)
    mixed = np.vstack([X, X + 1000])[np.argsort(np.tile(np.arange(400), 2), kind="stable")]
    without = Birch(threshold=0.6, branching_factor=6).fit(mixed, sample_weight=np.tile([1.0, 0.0], 400))
    np.testing.assert_array_equal(without.subcluster_centers_, plain.subcluster_centers_)


def test_weights_count_like_neighbouring_copies():
    """Law: weight w is w copies in a row where none goes elsewhere: one leaf, and nobody joins, or all."""
    copies = RANDOM.integers(1, 5, size=400)
    for threshold in (1e-9, 1e9):
        options = {"threshold": threshold, "branching_factor": 400, "n_clusters": None}
        weighted = Birch(**options).fit(X, sample_weight=copies)
        repeated = Birch(**options).fit(np.repeat(X, copies, axis=0))
        np.testing.assert_allclose(weighted.subcluster_centers_, repeated.subcluster_centers_, atol=1e-10)
        np.testing.assert_allclose(
            weighted.tree_.subcluster_weights, repeated.tree_.subcluster_weights, rtol=1e-12
        )


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array, sparse.csr_matrix, sparse.csc_array])
def test_batches_and_containers(container, dtype):
    """Law: batches give the tree of one fit; sparse and dense rows the same one, in the rows' type."""
    rows = np.where(X > 1, X, 0).astype(dtype)
    whole = Birch(threshold=0.8, branching_factor=9).fit(rows)
    parts = Birch(threshold=0.8, branching_factor=9)
    for some in np.array_split(np.arange(400), 7):
        parts.partial_fit(container(rows[some]))
    np.testing.assert_array_equal(parts.subcluster_centers_, whole.subcluster_centers_)
    np.testing.assert_array_equal(parts.subcluster_labels_, whole.subcluster_labels_)
    np.testing.assert_array_equal(parts.labels_, whole.labels_[-len(some) :])
    np.testing.assert_array_equal(parts.predict(container(rows)), whole.labels_)
    assert whole.subcluster_centers_.dtype == whole.transform(container(rows)).dtype == dtype
    expected = np.sqrt(((rows[:, None].astype(float) - whole.subcluster_centers_) ** 2).sum(axis=2))
    np.testing.assert_allclose(whole.transform(container(rows)), expected, atol=1e-5)


def test_batches_of_another_type():
    """Law: the first batch decides the type of the centres; the tree itself is float64."""
    model = Birch().partial_fit(X[:200].astype(np.float32)).partial_fit(X[200:])
    assert model.subcluster_centers_.dtype == np.float32
    assert model.tree_.centers.dtype == np.float64
    assert model.transform(X).dtype == np.float64
    assert model.predict(X.astype(np.float32)).shape == (400,)


def test_global_clustering_again():
    """Law: partial_fit without rows applies n_clusters anew, to the labels of the last rows too."""
    model = Birch(n_clusters=None).fit(X)
    centers = model.subcluster_centers_
    np.testing.assert_array_equal(model.subcluster_labels_, np.arange(len(centers)))
    for n_clusters in (
        4,
        AgglomerativeClustering(4, linkage="average"),
        KMeans(5, random_state=0),
        DBSCAN(eps=2),
    ):
        model.set_params(n_clusters=n_clusters).partial_fit()
        fresh = Birch(n_clusters=n_clusters).fit(X)
        np.testing.assert_array_equal(model.labels_, fresh.labels_)
        np.testing.assert_array_equal(model.labels_, model.predict(X))
    ward = sklearn.cluster.AgglomerativeClustering(4).fit_predict(centers)
    np.testing.assert_array_equal(Birch(n_clusters=4).fit(X).subcluster_labels_, ward)


def test_the_given_estimator_is_not_fitted():
    """Law: parameters stay as they are."""
    given = AgglomerativeClustering(3)
    model = Birch(n_clusters=given).fit(X)
    assert model.n_clusters is given
    assert not hasattr(given, "labels_")


def test_labels_are_optional():
    """Law: without compute_labels there are no labels, also not old ones; fit_predict gives them anyway."""
    model = Birch().fit(X)
    labels = model.labels_
    assert not hasattr(model.set_params(compute_labels=False).fit(X), "labels_")
    np.testing.assert_array_equal(model.fit_predict(X), labels)
    assert not hasattr(model.partial_fit(X).partial_fit(), "labels_")


def test_rows_get_the_same_label_in_any_company():
    """Law: labels are the nearest centres, for few and many subclusters, columns and rows at a time."""
    for threshold, d in ((0.05, 2), (0.5, 2), (0.5, 20)):
        rows = np.random.default_rng(1).normal(size=(3000, d))
        model = Birch(threshold=threshold, n_clusters=None).fit(rows)
        np.testing.assert_array_equal(model.labels_, cdist(rows, model.subcluster_centers_).argmin(axis=1))
        np.testing.assert_array_equal(model.predict(rows[:3]), model.labels_[:3])


def test_threads_make_no_difference():
    """Law: n_jobs changes nothing."""
    rows = np.random.default_rng(1).normal(size=(5000, 4))
    one, two = (Birch(threshold=0.4, n_jobs=n_jobs).fit(rows) for n_jobs in (1, 3))
    np.testing.assert_array_equal(one.subcluster_centers_, two.subcluster_centers_)
    np.testing.assert_array_equal(one.labels_, two.labels_)
    np.testing.assert_array_equal(one.transform(rows[:50]), two.transform(rows[:50]))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_far_from_zero(dtype):
    """Law: an offset of all rows moves the centres by it and changes nothing else."""
    rows = (np.round(X * 64) / 64).astype(dtype)
    offset = 2.0**26 if dtype == np.float64 else 2.0**10
    near = Birch(threshold=0.5, branching_factor=10).fit(rows)
    far = Birch(threshold=0.5, branching_factor=10).fit(rows + dtype(offset))
    np.testing.assert_array_equal(far.labels_, near.labels_)
    np.testing.assert_allclose(
        far.tree_.subcluster_centers - offset, near.tree_.subcluster_centers, atol=1e-6
    )
    np.testing.assert_allclose(far.tree_.radii, near.tree_.radii, atol=1e-6)


def test_saved_trees_go_on(tmp_path):
    """Law: a model that was saved takes in more rows as the one in memory does."""
    model = Birch(threshold=0.6, branching_factor=5).fit(X[:300])
    coterie.save(model, tmp_path / "m")
    loaded = coterie.load(tmp_path / "m")
    for each in (model, loaded):
        each.partial_fit(X[300:])
    np.testing.assert_array_equal(loaded.subcluster_centers_, model.subcluster_centers_)
    np.testing.assert_array_equal(loaded.labels_, model.labels_)
    np.testing.assert_array_equal(loaded.tree_.children, model.tree_.children)


def test_progress_is_told():
    """Law: reports count rows up to all of them."""
    heard = []
    Birch(n_clusters=None, threshold=2, progress=heard.append).fit(np.resize(X, (20_000, 3)))
    assert [report.done for report in heard] == [8192, 16384, 20_000]
    assert {report.total for report in heard} == {20_000}


INTERRUPTED = """
import os, signal, threading
import numpy as np
from coterie.cluster import Birch

X = np.random.default_rng(0).normal(size=(300_000, 20))
model = Birch(threshold=0.01, branching_factor=1000, n_clusters=None, compute_labels=False)
threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    model.fit(X)
except KeyboardInterrupt:
    print(hasattr(model, "tree_"))
"""


def test_ctrl_c():
    """Law: Ctrl-C ends the growth of a tree and leaves the model unfitted."""
    answer = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, check=True)
    assert answer.stdout == "False\n"
