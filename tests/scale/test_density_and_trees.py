"""DBSCAN by boxes and single linkage by pairs of blocks are the local ones, exactly."""

import dask.array
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coterie.cluster import DBSCAN as LocalDBSCAN  # noqa: N811  # a class in capitals
from coterie.errors import InvalidParameter
from coterie.scale import DBSCAN, SingleLinkage, read_blocks
from coterie.scale.methods.dbscan import cut_space
from coterie.tree import linkage

quiet = pytest.mark.filterwarnings("ignore::coterie.errors.DataNotice")


@pytest.fixture(scope="module")
def moons():
    """Crowded and thin places, equal rows, and rows between groups."""
    rng = np.random.default_rng(5)
    angles = rng.uniform(0, 2 * np.pi, 9000)
    ring = np.stack([np.cos(angles), np.sin(angles)], 1) * rng.choice([1.0, 3.0], 9000)[:, None]
    rows = np.concatenate([ring + 0.08 * rng.normal(size=ring.shape), rng.uniform(-4, 4, (1000, 2))])
    rows[50:100] = rows[0]
    return rng.permutation(rows)


def chunked(X, rows=1501):
    return read_blocks(dask.array.from_array(X, chunks=(rows, 2)), block_rows=8192)


@quiet
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev"])
@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_dbscan_is_the_local_one(moons, metric, is_weighted, dtype):
    """Law: labels and core points are those of the local class, numbering and borders included."""
    X = moons.astype(dtype)
    weights = np.random.default_rng(0).integers(0, 3, len(X)).astype(float) if is_weighted else None
    local = LocalDBSCAN(eps=0.07, min_samples=6, metric=metric).fit(X, sample_weight=weights)
    model = DBSCAN(eps=0.07, min_samples=6, metric=metric, box_rows=700).fit(
        chunked(X), sample_weight=weights
    )
    assert model.n_boxes_ >= 12
    np.testing.assert_array_equal(model.labels_.compute(), local.labels_)
    np.testing.assert_array_equal(model.core_sample_indices_, local.core_sample_indices_)
    assert model.cluster_sizes_.sum() == (local.labels_ >= 0).sum()


@quiet
@given(st.integers(0, 10_000), st.sampled_from([0.03, 0.2, 1.0, 30.0]), st.integers(1, 5))
def test_dbscan_of_points_on_a_grid(seed, eps, min_samples):
    """Law: with many equal distances, rows on the borders of boxes and noise, labels are the local ones."""
    X = np.random.default_rng(seed).integers(0, 40, size=(300, 2)) / 10.0
    local = LocalDBSCAN(eps=eps, min_samples=min_samples).fit(X)
    model = DBSCAN(eps=eps, min_samples=min_samples, box_rows=20).fit(X)
    np.testing.assert_array_equal(model.labels_.compute(), local.labels_)


def test_dbscan_without_clusters():
    """Law: noise alone is not an error."""
    model = DBSCAN(eps=0.1, min_samples=3).fit(np.arange(10.0)[:, None])
    assert (model.labels_.compute() == -1).all()
    assert model.cluster_sizes_.size == 0
    assert model.notes_ == ("10 rows are noise, label -1",)


def test_boxes_share_no_row():
    """Law: every row is in exactly one box, also on a border."""
    X = np.random.default_rng(0).integers(0, 30, size=(500, 2)).astype(float)
    boxes = cut_space(X, 9, reach=0.1)
    assert len(boxes) == 9
    np.testing.assert_array_equal(sum(box.owns(X).astype(int) for box in boxes), 1)


@pytest.mark.parametrize("metric", ["cosine", "seuclidean"])
def test_dbscan_refuses_distances_that_boxes_do_not_bound(moons, metric):
    """Law: a distance that may be less than a difference in a column is refused by name."""
    with pytest.raises(InvalidParameter, match=f"metric of DBSCAN must be euclidean.*got '{metric}'"):
        DBSCAN(metric=metric).fit(moons)


@pytest.mark.parametrize(("n_columns", "metric"), [(2, "euclidean"), (3, "manhattan")])
def test_single_linkage_is_the_local_one(n_columns, metric):
    """Law: the tree of pairs of blocks is that of all rows, ties included, for any cut of the rows."""
    rng = np.random.default_rng(3)
    X = np.round(rng.normal(size=(20_000, n_columns)), 2)
    expected = linkage(X, "single", metric=metric)
    for source in (read_blocks(X, block_rows=8192), read_blocks(X)):
        tree = SingleLinkage(metric=metric).fit(source).dendrogram_
        np.testing.assert_array_equal(tree.to_linkage(), expected)


def test_single_linkage_in_many_columns():
    """Law: where all pairs are compared, heights are those of the local tree up to rounding."""
    X = np.random.default_rng(3).normal(size=(9000, 20))
    tree = SingleLinkage().fit(read_blocks(X, block_rows=8192)).dendrogram_
    np.testing.assert_allclose(tree.heights, linkage(X, "single")[:, 2], rtol=1e-9)


def test_single_linkage_is_cut(moons):
    """Law: labels are those of the cut tree; no cut, no labels."""
    model = SingleLinkage(distance_threshold=0.2).fit(moons)
    np.testing.assert_array_equal(model.labels_.compute(), model.dendrogram_.cut(height=0.2))
    assert model.cluster_sizes_.sum() == len(moons)
    assert not hasattr(SingleLinkage().fit(moons), "labels_")


@pytest.mark.parametrize(
    ("model", "weights", "message"),
    [
        (SingleLinkage(2, distance_threshold=1.0), None, "n_clusters or distance_threshold, got both"),
        (SingleLinkage(2), np.ones(10_000), "takes no sample_weight"),
        (SingleLinkage(2, metric="seuclidean"), None, "learns from all rows"),
        (SingleLinkage(20_000), None, "must be at most n_samples=10000"),
    ],
)
def test_single_linkage_refuses(moons, model, weights, message):
    """Law: what has no meaning is refused."""
    with pytest.raises(InvalidParameter, match=message):
        model.fit(moons, sample_weight=weights)
