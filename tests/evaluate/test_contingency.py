"""The contingency table: counts, margins, noise, weights, forms."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import coo_array
from sklearn.metrics.cluster import contingency_matrix as sklearn_matrix

from coterie import _core
from coterie._support.validation import memory
from coterie.errors import InvalidData, InvalidParameter, NotEnoughMemory
from coterie.evaluate import ContingencyTable, contingency_matrix, contingency_table
from external_oracles import overlaps, two_labelings


@given(two_labelings())
def test_counts_and_margins(labelings):
    """Law: cells count intersections, margins count sets, and only filled cells are kept."""
    table, expected = contingency_table(*labelings), overlaps(*labelings)
    assert table.toarray().tolist() == expected.tolist()
    assert table.class_sizes.tolist() == expected.sum(axis=1).tolist()
    assert table.cluster_sizes.tolist() == expected.sum(axis=0).tolist()
    assert table.n_samples == len(labelings[0])
    assert table.n_cells == np.count_nonzero(expected)


@given(two_labelings(least=1))
def test_transpose_exchanges_the_labelings(labelings):
    """Law: the transposed table is the table of the exchanged labelings."""
    ours, theirs = contingency_table(*labelings).transpose(), contingency_table(*labelings[::-1])
    assert ours.toarray().tolist() == theirs.toarray().tolist()
    assert ours.classes.tolist() == theirs.classes.tolist()
    assert ours.row_starts.tolist() == theirs.row_starts.tolist()


@pytest.mark.parametrize(("n_classes", "n_clusters"), [(50, 50), (3, 200_000), (200_000, 3), (3_000, 5_000)])
@pytest.mark.parametrize("spread", [1, 2**40])
def test_every_way_of_counting(n_classes, n_clusters, spread):
    """Law: small and large tables, dense and gapped labels, any threads: the counts of scikit-learn."""
    rng = np.random.default_rng(2)
    first = rng.integers(0, n_classes, 150_000) * spread
    second = rng.integers(0, n_clusters, 150_000) * spread - 5
    expected = sklearn_matrix(first, second, sparse=True)
    for n_threads in (1, 2, 5):
        classes, clusters, *cells = _core.count_pairs(first, second, n_threads)
        np.testing.assert_array_equal(classes.view(np.int64), np.unique(first))
        np.testing.assert_array_equal(clusters.view(np.int64), np.unique(second))
        for ours, theirs in zip(cells, (expected.indptr, expected.indices, expected.data), strict=True):
            np.testing.assert_array_equal(ours, theirs)


def test_one_crowded_class_among_many():
    """Law: a class that holds nearly all samples is counted as any other."""
    rng = np.random.default_rng(3)
    first = np.where(rng.random(100_000) < 0.97, 7, rng.integers(0, 5_000, 100_000))
    second = rng.integers(0, 5_000, 100_000)
    assert (
        contingency_matrix(first, second, sparse=True) != sklearn_matrix(first, second, sparse=True)
    ).nnz == 0


@pytest.mark.parametrize("n_labels", [20, 2_000])
def test_sums_of_weights(n_labels):
    """Law: cells add weights; the same bits for any number of threads; labels of weight 0 are kept."""
    rng = np.random.default_rng(4)
    first, second = rng.integers(0, n_labels, 200_000), rng.integers(0, n_labels, 200_000)
    weights = rng.random(200_000)
    weights[first == 0] = 0.0
    runs = [_core.sum_pairs(first, second, weights, n_threads) for n_threads in (1, 2, 5)]
    for run in runs[1:]:
        for array, same in zip(run, runs[0], strict=True):
            np.testing.assert_array_equal(array, same)
    table = contingency_table(first, second, sample_weight=weights)
    assert table.is_weighted
    expected = coo_array((weights, (first, second))).toarray()
    np.testing.assert_allclose(table.toarray(), expected, rtol=1e-12)
    assert table.classes.tolist() == list(range(n_labels))


def test_weights_are_checked():
    """Law: a weight per sample, none of them negative."""
    with pytest.raises(InvalidData, match=r"sample_weight.shape == \(2,\), expected \(3,\)"):
        contingency_table([0, 1, 1], [0, 1, 1], sample_weight=[1, 2])
    with pytest.raises(InvalidData, match="Negative values in data passed to `sample_weight`"):
        contingency_table([0, 1, 1], [0, 1, 1], sample_weight=[1, 2, -1])
    with pytest.raises(InvalidParameter, match='noise="singletons" needs counts of samples'):
        contingency_table([0, -1, 1], [0, 1, 1], sample_weight=[1, 2, 1], noise="singletons")


@given(two_labelings(labels=st.integers(-1, 3)))
def test_noise_left_out(labelings):
    """Law: "exclude" is the table of the samples that are noise in neither labeling."""
    kept = [pair for pair in zip(*labelings, strict=True) if -1 not in pair]
    expected = contingency_table([first for first, _ in kept], [second for _, second in kept])
    table = contingency_table(*labelings, noise="exclude")
    assert table.toarray().tolist() == expected.toarray().tolist()
    assert table.classes.tolist() == expected.classes.tolist()
    assert table.clusters.tolist() == expected.clusters.tolist()


@given(two_labelings(labels=st.integers(-1, 3)))
def test_noise_alone(labelings):
    """Law: "singletons" is the table in which every noisy sample has a label of its own."""
    alone = [[label if label != -1 else 100 + at for at, label in enumerate(labels)] for labels in labelings]
    table, expected = contingency_table(*labelings, noise="singletons"), contingency_table(*alone)
    assert sorted(table.class_sizes.tolist()) == sorted(expected.class_sizes.tolist())
    assert sorted(table.cluster_sizes.tolist()) == sorted(expected.cluster_sizes.tolist())
    assert sorted(table.counts.tolist()) == sorted(expected.counts.tolist())
    assert table.n_samples == expected.n_samples
    counts = table.classes.tolist().count(-1), table.clusters.tolist().count(-1)
    assert counts == (labelings[0].count(-1), labelings[1].count(-1))


def test_noise_as_a_cluster_is_the_default():
    """Law: -1 is a label like any other unless asked otherwise, and only -1 is ever noise."""
    assert contingency_table([-1, 0], [-1, -1]).classes.tolist() == [-1, 0]
    assert contingency_table(["-1", "a"], [-2, 5], noise="exclude").n_samples == 2
    assert contingency_table(np.array([255, 1], dtype=np.uint8), [0, 1], noise="exclude").n_samples == 2
    assert contingency_table([-1.0, 1.0], [0, 1], noise="exclude").n_samples == 1
    assert contingency_table(np.array([-1, 1], dtype=object), [0, 1], noise="exclude").n_samples == 1
    with pytest.raises(
        InvalidParameter, match='noise of an external measure must be one of "cluster", "exclude"'
    ):
        contingency_table([0, 1], [0, 1], noise="ignore")


@given(two_labelings(least=1), st.sampled_from([np.int64, np.int32, np.float64]))
def test_matrix_is_that_of_scikit_learn(labelings, dtype):
    """Law: dense, sparse, with eps and with a type, the matrix is scikit-learn's."""
    ours, theirs = contingency_matrix(*labelings, dtype=dtype), sklearn_matrix(*labelings, dtype=dtype)
    assert ours.dtype == theirs.dtype
    assert ours.tolist() == theirs.tolist()
    assert contingency_matrix(*labelings, eps=0.25).tolist() == sklearn_matrix(*labelings, eps=0.25).tolist()
    sparse = contingency_matrix(*labelings, sparse=True, dtype=dtype)
    assert sparse.format == "csr"
    assert sparse.dtype == theirs.dtype
    assert sparse.toarray().tolist() == theirs.tolist()


def test_matrix_refuses_what_cannot_be():
    """Law: a sparse matrix has no room for eps, and eps is a number of at least 0."""
    with pytest.raises(InvalidParameter, match="Cannot set 'eps' when sparse=True"):
        contingency_matrix([0], [0], eps=0.1, sparse=True)
    with pytest.raises(InvalidParameter, match="eps of contingency_matrix must be a number of at least 0"):
        contingency_matrix([0], [0], eps=-1.0)


def test_a_dense_matrix_that_does_not_fit_is_refused(monkeypatch):
    """Law: before memory runs out, the way out is named."""
    monkeypatch.setattr(memory, "available_memory", lambda: 1_000_000)
    labels = np.arange(1_000)
    with pytest.raises(
        NotEnoughMemory, match=r"dense table of 1,000 x 1,000 cells needs .* Use to_sparse\(\)"
    ):
        contingency_matrix(labels, labels)


@pytest.mark.parametrize("form", [list, np.array, coo_array, ContingencyTable.from_matrix])
def test_table_from_a_matrix(form):
    """Law: a matrix of counts, dense or sparse, is a table; a table is itself."""
    table = ContingencyTable.from_matrix(form([[2, 0, 1], [0, 0, 3]]))
    assert table.toarray().tolist() == [[2, 0, 1], [0, 0, 3]]
    assert table.cluster_sizes.tolist() == [2, 0, 4]
    assert ContingencyTable.from_matrix(table) is table


@pytest.mark.parametrize("matrix", [[[1, -1]], [[float("nan"), 1.0]], [["a", "b"]], [1, 2]])
def test_what_is_no_table(matrix):
    """Law: counts are finite, at least 0, and in a matrix."""
    with pytest.raises(InvalidData, match="contingency must"):
        ContingencyTable.from_matrix(matrix)


def test_frame_has_margins():
    """Law: the DataFrame is labelled and ends with the sums."""
    frame = contingency_table(["x", "x", "y"], ["a", "b", "b"]).to_frame()
    assert frame.loc["x", "b"] == 1
    assert frame.loc["sum"].tolist() == [1, 2, 3]
    assert frame["sum"].tolist() == [2, 1, 3]


def test_drawing():
    """Law: text and HTML show labels and margins; large tables are cut with dots, and labels are escaped."""
    small = contingency_table(["<b>", "y"], [0, 1])
    assert repr(small).splitlines()[0] == "2 samples, 2 classes (rows) x 2 clusters (columns)"
    assert "&lt;b&gt;" in small._repr_html_()
    large = repr(contingency_table(np.arange(100), np.arange(100))).splitlines()
    assert len(large) == 16
    assert all("..." in line for line in large[1:])
    assert repr(contingency_table([], [])).splitlines()[-1] == "sum    0"
    weighted = contingency_table([0, 1], [0, 1], sample_weight=[0.5, 0.25])
    assert "0.75" in repr(weighted)
