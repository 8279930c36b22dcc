"""Estimators of blocks that take in new files without reading the old ones, against fits to all files."""

import numpy as np
import pandas as pd
import pytest

from coterie.cluster import Birch
from coterie.errors import InvalidData, InvalidParameter
from coterie.scale import DBSCAN, GaussianMixture, KMeans, KMedoids, MiniBatchKMeans, Summaries, read_blocks
from coterie.scale.methods.growing import grow

NEARLY_A_REFIT = 1.02  # measured: 1.0005 to 1.0009


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Five files whose groups wander; half of the last one is a group that was never seen."""
    folder, rng = tmp_path_factory.mktemp("growing"), np.random.default_rng(0)
    centres = rng.normal(size=(6, 3)) * 3
    paths = []
    for month in range(5):
        X = centres[rng.integers(6, size=20_000)] + 0.1 * month + rng.normal(size=(20_000, 3))
        if month == 4:
            X[:8000] = rng.normal(size=(8000, 3)) + 12
        paths.append(str(folder / f"{month}.parquet"))
        pd.DataFrame(X, columns=list("abc")).to_parquet(paths[-1])
    return paths


def test_kmeans_update_is_nearly_a_refit(files):
    """Law: new files alone bring the inertia of all rows within 2 % of a fit to all; sizes sum up."""
    refit = KMeans(6, random_state=0).fit(files)
    model = KMeans(6, random_state=0).fit(files[:2])
    for path in files[2:]:
        model.update(path)
    reached = -model.score(files)
    assert reached <= NEARLY_A_REFIT * refit.inertia_
    assert abs(model.inertia_ - reached) <= 0.03 * reached
    assert abs(model.cluster_sizes_.sum() - 100_000) <= 6  # rounded per group
    assert not model.exact_
    np.testing.assert_array_equal(model.labels_, model.local_.predict(pd.read_parquet(files[-1])))


def test_update_of_a_given_start_draws_its_sample(files):
    """Law: a fit from given centres, which drew no sample, is updated as well as others."""
    start = KMeans(6, random_state=0).fit(files[:2]).cluster_centers_
    model = KMeans(6, init=start).fit(files[:2]).update(files[2:])
    assert -model.score(files) <= NEARLY_A_REFIT * KMeans(6, random_state=0).fit(files).inertia_


def test_answer_depends_on_rows_alone(files, tmp_path):
    """Law: an update gives the same centres however the new rows are cut into files, and by threads."""
    first = KMeans(6, random_state=0).fit(files[:2])
    rows = pd.concat([pd.read_parquet(path) for path in files[2:]])
    rows.to_parquet(tmp_path / "all.parquet", row_group_size=7001)
    other = KMeans(6, random_state=0).fit(files[:2]).update(tmp_path / "all.parquet")
    np.testing.assert_array_equal(first.update(files[2:]).cluster_centers_, other.cluster_centers_)


def test_mixture_update(files):
    """Law: the mean log-likelihood comes within 0.02 of a fit to all; `lower_bound_` is a bound."""
    old, every = files[:2], files[:4]
    model = GaussianMixture(6, random_state=0).fit(old).update(files[2:4])
    refit = GaussianMixture(6, random_state=0, means_init=model.means_).fit(every)
    assert model.score(every) > refit.score(every) - 0.02
    assert model.lower_bound_ <= model.score(every) + 1e-9
    assert model.cluster_sizes_.sum() == 80_000


def test_minibatch_update_goes_on_with_the_stream(files):
    """Law: centres are means of all that they have seen, so that an update weighs old and new rows."""
    model = MiniBatchKMeans(6, random_state=0).fit(files[:2])
    before = model.local_._counts.sum()
    steps = model.n_steps_
    model.update(files[2])
    assert model.local_._counts.sum() == before + 20_000
    assert model.n_steps_ > steps
    assert model.cluster_sizes_.sum() == 60_000
    np.testing.assert_allclose(model.inertia_, -model.score(files[2]))


def test_summaries_update(files):
    """Law: weights sum up to all rows, and what is lost is about what a fit to all loses."""
    model = Summaries(100, random_state=0).fit(files[:2]).update(files[2:])
    refit = Summaries(100, random_state=0).fit(files)
    assert model.weights_.sum() == 100_000
    assert model.lost_share_ < 1.3 * refit.lost_share_
    X = np.concatenate([pd.read_parquet(path).to_numpy() for path in files])
    np.testing.assert_allclose(model.weights_ @ model.means_ / 1e5, X.mean(axis=0), rtol=1e-6)


def test_birch_takes_blocks_as_batches(files):
    """Law: rows enter the tree in their order, so that blocks give what partial_fit gives."""
    old = pd.read_parquet(files[0]).to_numpy()[:500]
    new = pd.read_parquet(files[1]).to_numpy()[:10_000]
    grown = grow(Birch(threshold=2.0, n_clusters=3).fit(old), read_blocks(new, block_rows=8192))
    local = Birch(threshold=2.0, n_clusters=3).fit(old)
    local.partial_fit(new[:8192]).partial_fit(new[8192:])
    np.testing.assert_array_equal(grown.subcluster_centers_, local.subcluster_centers_)


def test_partial_fit_begins_and_weights_count(files):
    """Law: the first partial_fit is fit; a row of weight 0 does not count, and weights scale sizes."""
    X = pd.read_parquet(files[0]).to_numpy()
    begun = KMeans(4, random_state=0).partial_fit(X)
    np.testing.assert_array_equal(begun.cluster_centers_, KMeans(4, random_state=0).fit(X).cluster_centers_)
    before = begun.cluster_centers_.copy()
    begun.partial_fit(X + 50, sample_weight=np.zeros(len(X)))
    np.testing.assert_array_equal(begun.cluster_centers_, before)


def test_what_cannot_be_updated(files):
    """Law: other methods have no update; wrong columns, NaN and no rows are refused, and nothing changes."""
    assert not hasattr(DBSCAN, "update")
    assert not hasattr(KMedoids, "update")
    with pytest.raises(InvalidParameter, match="a DBSCAN cannot be updated with new rows; KMeans, "):
        grow(DBSCAN(), read_blocks(np.ones((3, 2))))
    model = KMeans(3, random_state=0).fit(files[0])
    before = model.cluster_centers_.copy()
    for wrong, words in [
        (np.ones((5, 2)), "X has 2 features, but KMeans is expecting 3"),
        (np.full((5, 3), np.nan), "contains NaN"),
        (np.ones((0, 3)), "has no rows"),
    ]:
        with pytest.raises(InvalidData, match=words):
            model.update(wrong)
        np.testing.assert_array_equal(model.cluster_centers_, before)
