"""Mixtures, mini-batches, medoids and summaries over blocks."""

import dask.array
import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from coterie.cluster import DBSCAN, HDBSCAN, AgglomerativeClustering
from coterie.cluster import GaussianMixture as LocalMixture
from coterie.cluster import KMeans as LocalKMeans
from coterie.cluster import KMedoids as LocalKMedoids
from coterie.cluster.mixture import FAMILIES
from coterie.errors import InvalidParameter
from coterie.evaluate import adjusted_rand_score
from coterie.scale import (
    GaussianMixture,
    KMedoids,
    MiniBatchKMeans,
    Summaries,
    predict,
    read_blocks,
)


@pytest.fixture(scope="module")
def many():
    """More rows than a sample holds, in groups far apart."""
    rng = np.random.default_rng(1)
    truth = rng.integers(5, size=40_000)
    return (rng.normal(size=(40_000, 2)) + 15 * rng.normal(size=(5, 2))[truth]).astype(np.float32), truth


def cuts(X):
    """Return the same rows, cut in several ways."""
    whole = read_blocks(X, block_rows=8192)
    return whole, read_blocks(dask.array.from_array(X, chunks=(6001, 1)), block_rows=8192)


@pytest.mark.parametrize("family", ["full", "tied", "diag"])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_mixture_is_that_of_the_local_class(rows, family, is_weighted):
    """Law: few rows start as the local class does, and end where it ends, up to rounding."""
    weights = np.random.default_rng(2).random(len(rows)) if is_weighted else None
    local = LocalMixture(4, covariance_type=family, random_state=0).fit(rows, sample_weight=weights)
    for blocks in cuts(rows):
        model = GaussianMixture(4, covariance_type=family, random_state=0).fit(blocks, sample_weight=weights)
        assert model.n_iter_ == local.n_iter_
        np.testing.assert_allclose(model.means_, local.means_, rtol=1e-7)
        np.testing.assert_allclose(model.covariances_, local.covariances_, rtol=1e-6)
        assert model.lower_bound_ == pytest.approx(local.lower_bound_, rel=1e-10)
        assert (model.labels_.compute() == local.labels_).mean() > 0.9999
    np.testing.assert_allclose(model.predict_proba(blocks).compute(), local.predict_proba(rows), atol=1e-6)
    assert model.score(rows) == pytest.approx(local.score(rows), rel=1e-9)
    assert model.cluster_sizes_.sum() == len(rows)


@pytest.mark.parametrize("family", FAMILIES)
def test_mixture_goes_on_from_given_parameters(rows, family):
    """Law: given weights, means and precisions are where every family begins, as in the local class."""
    found = LocalMixture(4, covariance_type=family, max_iter=3, tol=1.0, random_state=0).fit(rows[:2000])
    start = {
        "weights_init": found.weights_,
        "means_init": found.means_,
        "precisions_init": found.precisions_,
    }
    local = LocalMixture(4, covariance_type=family, **start).fit(rows)
    model = GaussianMixture(4, covariance_type=family, **start).fit(rows)
    assert model.start_ == "given parameters"
    assert model.n_iter_ == local.n_iter_
    np.testing.assert_allclose(model.means_, local.means_, rtol=1e-6)


def test_mixture_of_many_rows_depends_on_the_rows_alone(many):
    """Law: with a sampled start, the cut of the rows changes no bit."""
    X, truth = many
    first, second = (GaussianMixture(5, random_state=0).fit(blocks) for blocks in cuts(X))
    assert first.start_.startswith("a sample of 3")
    np.testing.assert_array_equal(first.means_, second.means_)
    assert adjusted_rand_score(truth, first.labels_.compute()) > 0.99


def test_mixture_that_does_not_converge_says_so(rows):
    """Law: an end by max_iter is a warning."""
    with pytest.warns(ConvergenceWarning, match="has not converged after 2 iterations"):
        GaussianMixture(4, max_iter=2, tol=0, random_state=0).fit(rows)


def test_mini_batches_come_near_k_means(many):
    """Law: one look at all rows ends within 2 % of k-means; the cut of the rows changes no bit."""
    X, _ = many
    first, second = (MiniBatchKMeans(5, batch_size=1000, random_state=0).fit(blocks) for blocks in cuts(X))
    np.testing.assert_array_equal(first.cluster_centers_, second.cluster_centers_)
    assert not first.exact_
    assert first.n_steps_ == 44
    local = LocalKMeans(5, n_init=5, random_state=0).fit(X)
    assert local.inertia_ <= first.inertia_ * (1 + 1e-6)
    assert first.inertia_ <= 1.02 * local.inertia_
    np.testing.assert_array_equal(np.bincount(first.labels_.compute()), first.cluster_sizes_)


def test_mini_batches_tell_distances_and_scores(rows):
    """Law: distances and scores of new rows are those of the local model; weights count."""
    model = MiniBatchKMeans(3, random_state=0).fit(rows)
    weights = np.random.default_rng(1).random(len(rows))
    np.testing.assert_allclose(model.transform(rows).compute(), model.local_.transform(rows))
    assert model.score(rows) == pytest.approx(model.local_.score(rows))
    assert model.score(rows, sample_weight=weights) == pytest.approx(model.local_.score(rows, None, weights))


def test_mini_batches_know_weights(rows):
    """Law: rows of weight zero might as well not be there."""
    weights = (rows[:, 0] > 0).astype(float)
    model = MiniBatchKMeans(3, random_state=0).fit(rows, sample_weight=weights)
    kept = rows[weights > 0]
    assert model.inertia_ == pytest.approx(-model.local_.score(kept), rel=1e-6)


def test_medoids_of_few_rows_are_the_local_ones(rows):
    """Law: a sample that holds all rows gives the medoids of the local class."""
    X = rows[:1500]
    local = LocalKMedoids(4, random_state=0).fit(X)
    model = KMedoids(4, random_state=0).fit(X)
    assert model.exact_
    np.testing.assert_array_equal(model.medoid_indices_, local.medoid_indices_)
    np.testing.assert_array_equal(model.labels_.compute(), local.labels_)
    assert model.inertia_ == pytest.approx(local.inertia_)


@pytest.mark.parametrize("metric", ["precomputed", "similarity"])
def test_medoids_of_a_matrix_are_for_memory(metric):
    """Law: a sample of the rows of a matrix is not a matrix: it is refused, with the class that takes one."""
    with pytest.raises(InvalidParameter, match=rf"metric='{metric}' of KMedoids needs .* coterie.cluster"):
        KMedoids(2, metric=metric).fit(np.eye(4))


@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
def test_medoids_of_samples(many, metric):
    """Law: medoids are rows; their cost is that of all rows; the cut of the rows changes no bit."""
    X, truth = many
    first, second = (KMedoids(5, metric=metric, sample_size=500, random_state=0).fit(b) for b in cuts(X))
    assert not first.exact_
    np.testing.assert_array_equal(first.medoid_indices_, second.medoid_indices_)
    np.testing.assert_array_equal(X[first.medoid_indices_], first.cluster_centers_)
    distances = first.transform(X).compute()
    assert first.inertia_ == pytest.approx(distances.min(axis=1).sum(dtype=float), rel=1e-6)
    np.testing.assert_array_equal(np.bincount(first.labels_.compute()), first.cluster_sizes_)
    assert adjusted_rand_score(truth, first.predict(X).compute()) > 0.99


def test_summaries_lose_what_they_say(many):
    """Law: weights add up to the rows, means to the mean, squares to the variance within."""
    X, _ = many
    first, second = (Summaries(300, random_state=0).fit(blocks) for blocks in cuts(X))
    np.testing.assert_array_equal(first.means_, second.means_)
    assert len(first.means_) <= 300
    assert first.weights_.sum() == len(X)
    exact = X.astype(float)
    np.testing.assert_allclose(first.weights_ @ first.means_ / len(X), exact.mean(axis=0), rtol=1e-4)
    between = first.weights_ @ ((first.means_ - exact.mean(axis=0)) ** 2).sum(axis=1)
    total = ((exact - exact.mean(axis=0)) ** 2).sum()
    assert first.squares_.sum() + between == pytest.approx(total, rel=1e-5)
    assert first.lost_share_ == pytest.approx(first.squares_.sum() / total, rel=1e-6)
    assert first.lost_share_ < 0.01


@pytest.mark.parametrize(
    "method",
    [
        AgglomerativeClustering(5, linkage="ward"),
        LocalKMeans(5, random_state=0),
        DBSCAN(eps=3, min_samples=1),
    ],
    ids=lambda method: type(method).__name__,
)
def test_summaries_feed_local_methods(many, method):
    """Law: any local method speaks for all rows, and says that it is approximate."""
    X, truth = many
    found = Summaries(300, random_state=0).fit(X).cluster(method)
    assert adjusted_rand_score(truth, found.labels.compute()) > 0.99
    assert "approximate, 0." in str(found)


def test_a_summary_is_no_dense_spot(many):
    """Law: methods to which weight at one place is density without limit count every summary once."""
    summaries = Summaries(300, random_state=0).fit(many[0])
    assert "each counted once" in str(summaries.cluster(HDBSCAN()))
    assert "each counted once" not in str(summaries.cluster(DBSCAN(eps=3, min_samples=1)))


def test_local_models_place_lazy_rows(many):
    """Law: predict of any local model runs over blocks of any source."""
    X, _ = many
    for local in (LocalKMeans(5, random_state=0), LocalMixture(5, random_state=0), DBSCAN(eps=1.0)):
        local.fit(X[:2000])
        lazy = predict(local, dask.array.from_array(X, chunks=(7001, 2)))
        np.testing.assert_array_equal(lazy.compute(), local.predict(X))
    with pytest.raises(TypeError, match="model must have a predict method, object has none"):
        predict(object(), X)
