"""Saved groups take in new rows, and say what these are like."""

import dask.array
import numpy as np
import pytest
from scipy.sparse import csr_array

import coterie
from coterie.cluster import KMeans
from coterie.errors import InvalidData, InvalidParameter
from coterie.pipeline import examine

CENTRES = np.array([[0.0, 0, 0], [9, 0, 3], [0, 9, 6]])


def draw(n, seed, *, shift=0.0, chances=None):
    rng = np.random.default_rng(seed)
    return CENTRES[rng.choice(3, size=n, p=chances)] + rng.normal(size=(n, 3)) + shift


@pytest.fixture(scope="module")
def rows():
    return draw(900, 0)


@pytest.mark.parametrize("method", ["kmeans", "minibatch-kmeans", "mixture", "birch"])
def test_saved_groups_take_in_rows(method, rows, tmp_path):
    """Law: from a file, without the old rows, groups get the sizes, means and spread of all rows."""
    coterie.save(coterie.fit(rows, method, 3, believe=False), tmp_path / "m")
    saved, new = coterie.load(tmp_path / "m"), draw(300, 1, shift=0.2)
    found = coterie.update(saved, new)
    every = np.concatenate([rows, new])
    labels = np.concatenate([saved.predict(rows), found.clustering.predict(new)])
    now = found.clustering.groups
    np.testing.assert_array_equal(now.profile.sizes, np.bincount(labels))
    np.testing.assert_allclose(now.profile.spread, every.std(axis=0), rtol=1e-9)
    means = np.stack([every[labels == group].mean(axis=0) for group in range(3)])
    np.testing.assert_allclose(now.profile.means, means, rtol=1e-6)
    assert now.n_rows == 1200
    coterie.save(found.clustering, tmp_path / "n")
    again = coterie.load(tmp_path / "n")
    np.testing.assert_array_equal(again.predict(new), found.clustering.predict(new))
    assert "300 rows of the rows were taken in later" in again.notes[-1]
    assert [each.cluster for each in found.drift.drift] == [0, 1, 2]


def test_sparse_rows_are_taken_in_as_dense_ones(rows):
    """Law: new rows may be sparse; the answer is that of the same rows, dense."""
    found = coterie.fit(rows, "kmeans", 3, believe=False)
    new = np.where(draw(200, 4) > 0, draw(200, 4), 0)
    here, there = coterie.update(found, new), coterie.update(found, csr_array(new))
    assert str(here) == str(there)
    np.testing.assert_array_equal(here.clustering.groups.centers, there.clustering.groups.centers)


def test_blocks_and_memory_agree(rows):
    """Law: what new rows are like does not depend on how they are read; nor do mini-batches of one block."""
    found = coterie.fit(rows, "mixture", 3, believe=False)
    new = draw(400, 2)
    here = coterie.update(found, new)
    there = coterie.update(found, dask.array.from_array(new, chunks=(150, 3)))
    np.testing.assert_array_equal(here.arrival.shares, there.arrival.shares)
    np.testing.assert_allclose(here.arrival.distance, there.arrival.distance, rtol=1e-9)
    np.testing.assert_allclose(here.clustering.groups.centers, there.clustering.groups.centers, rtol=1e-6)


def test_drift_is_said_where_it_is(rows):
    """Law: rows like those of the fit are no drift, whatever their number; other shares and places are."""
    found = coterie.fit(rows, "kmeans", 3, believe=False)
    for n in (5, 40, 3000):
        assert examine(found, draw(n, 3)).drift == ()
    far = examine(found, draw(300, 4, shift=3.0))
    assert "times as far from the centres as in the fit" in far.drift[0]
    assert "drift: rows lie" in str(far)
    other = examine(found, draw(2000, 5, chances=[0.8, 0.1, 0.1]))
    assert "% of the rows" in other.drift[0]
    np.testing.assert_allclose(other.shares.sum(), 1)


def test_update_is_nearly_a_refit(rows):
    """Law: of drifting rows in four batches, the share of variance between groups is that of a refit."""
    found = coterie.fit(rows, "kmeans", 3, believe=False)
    batches = [draw(300, seed, shift=0.3 * seed) for seed in range(1, 5)]
    for batch in batches:
        found = coterie.update(found, batch).clustering
    every = np.concatenate([rows, *batches])
    refit = KMeans(3, random_state=0, n_init=3).fit(found.groups.scaling.apply(every))
    assert -found.model.score(found.groups.scaling.apply(every)) <= 1.01 * refit.inertia_


def test_what_cannot_be_updated(rows):
    """Law: other methods, other objects and wrong rows are refused with the way out."""
    with pytest.raises(
        InvalidParameter, match="groups of agglomerative cannot be updated with new rows; those of km"
    ):
        coterie.update(coterie.fit(rows, "agglomerative", 3, believe=False), rows)
    with pytest.raises(InvalidParameter, match=r"needs the answer of coterie.fit, got a KMeans.*partial_fit"):
        coterie.update(KMeans(2).fit(rows), rows)
    found = coterie.fit(rows, "kmeans", 3, believe=False)
    with pytest.raises(InvalidData, match="3 columns"):
        coterie.update(found, rows[:, :2])
    with pytest.raises(InvalidData, match="missing"):
        coterie.update(found, np.where(rows > 5, np.nan, rows))
    assert coterie.update(found, np.where(rows > 9, np.nan, rows), missing="drop").arrival.n_rows < 900


@pytest.mark.parametrize("method", ["hdbscan", "dbscan"])
def test_rows_that_are_noise_count_in_no_group(rows, method):
    """Law: methods with noise compare new rows too: shares are those of the groups, noise is said."""
    found = coterie.fit(rows, method, believe=False)
    far = np.concatenate([draw(60, 3), np.full((40, 3), 500.0) + np.arange(40)[:, None] ** 2])
    arrival = examine(found, far)
    labels = found.predict(far)
    assert arrival.noise == (labels == -1).mean() >= 0.4
    assert arrival.noise_before == (found.labels == -1).mean()
    grouped = labels[labels >= 0]
    np.testing.assert_allclose(arrival.shares, np.bincount(grouped, minlength=found.k) / len(grouped))
    assert arrival.distance == pytest.approx(examine(found, far[labels >= 0]).distance)
    assert "% of the rows are noise" in str(arrival)
    blocks = examine(found, dask.array.from_array(far, chunks=(30, 3)))
    assert (blocks.noise, blocks.shares.tolist()) == (arrival.noise, arrival.shares.tolist())
    only = examine(found, far[60:])
    assert (only.noise, only.shares.sum()) == (1.0, 0.0)
    assert str(only).count("noise") == 2
