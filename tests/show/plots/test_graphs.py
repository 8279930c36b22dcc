"""Eigenvalues with the eigengap, and affinities in the order of the clusters."""

import warnings

import numpy as np
import pytest
from matplotlib.figure import Figure

from coterie.cluster import LaplacianEigenmap, SpectralClustering
from coterie.errors import DataNotice
from coterie.show.palette import cluster_colors
from coterie.show.plots import affinity, eigenvalues
from coterie.show.plots.graphs import MOST_CELLS, MOST_STORED

RNG = np.random.default_rng(0)
TRUTH = RNG.permutation(np.repeat([0, 1, 2], 40))
X = RNG.normal(0, 0.4, (120, 2)) + np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]])[TRUTH]
MODEL = SpectralClustering(3, n_components=6, gamma=0.5, random_state=0).fit(X)


def texts(ax):
    return [text.get_text() for text in ax.texts]


def test_eigenvalues_are_points_and_the_largest_gap_is_marked():
    """Law: every eigenvalue is a point; the band goes from the last before the largest gap to the next."""
    ax = eigenvalues(MODEL)
    (points,) = [c for c in ax.collections if c.get_gid() == "eigenvalues"]
    np.testing.assert_allclose(points.get_offsets()[:, 1], MODEL.eigenvalues_)
    np.testing.assert_array_equal(points.get_offsets()[:, 0], np.arange(1, 8))
    (band,) = [patch for patch in ax.patches if patch.get_gid() == "gap"]
    assert band.get_y() == pytest.approx(MODEL.eigenvalues_[2])
    assert band.get_height() == pytest.approx(MODEL.eigengaps_[2])
    assert ax.get_title(loc="left") == "The largest gap is after eigenvalue 3: 3 groups"
    assert f"gap {MODEL.eigengaps_[2]:.3g}" in texts(ax)


def test_parts_of_the_graph_are_told():
    """Law: a graph that falls apart is mentioned, for its zeros are no accident."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataNotice)
        model = SpectralClustering(3, affinity="nearest_neighbors", n_neighbors=5, random_state=0).fit(X)
    ax = eigenvalues(model)
    assert f"The graph falls into {model.n_parts_} parts: so many eigenvalues are 0." in texts(ax)


def test_an_eigenmap_has_eigenvalues_too():
    """Law: a Laplacian eigenmap is drawn like a clustering."""
    model = LaplacianEigenmap(4, affinity="rbf", gamma=0.5, random_state=0).fit(X)
    (points,) = [c for c in eigenvalues(model).collections if c.get_gid() == "eigenvalues"]
    assert len(points.get_offsets()) == model.eigenvalues_.size


def test_affinities_stand_in_blocks():
    """Law: with rows in the order of the clusters, the mean within blocks is far above that between them."""
    ax = affinity(MODEL)
    cells = np.asarray(ax.images[0].get_array())
    sorted_labels = np.sort(MODEL.labels_)
    is_within = sorted_labels[:, None] == sorted_labels
    np.fill_diagonal(is_within, False)
    is_between = sorted_labels[:, None] != sorted_labels
    assert cells[is_within].mean() > 50 * cells[is_between].mean()
    matrix = MODEL.affinity_matrix_
    np.fill_diagonal(matrix, 0.0)
    np.testing.assert_allclose(np.sort(cells.ravel()), np.sort(matrix.ravel()), rtol=1e-4, atol=1e-7)
    assert ax.get_title(loc="left") == "Affinities of 120 rows in the order of 3 clusters"


def test_a_strip_names_the_clusters_in_their_colours():
    """Law: beside the matrix stands a strip, as high as each cluster has rows, in its colour."""
    from matplotlib.colors import to_hex

    ax = affinity(MODEL)
    strip = [patch for patch in ax.patches if patch.get_gid() == "strip"]
    assert [patch.get_height() for patch in strip] == np.bincount(MODEL.labels_).tolist()
    assert [to_hex(patch.get_facecolor()) for patch in strip] == cluster_colors(3)
    assert [text.get_text() for text in ax.get_yticklabels()] == ["group 1", "group 2", "group 3"]


def test_sparse_graphs_of_many_rows_are_joined_without_loss():
    """Law: cells of a sparse graph are means over blocks; weighted by their pairs they give the whole."""
    rows = np.concatenate([RNG.normal(m, 0.3, (1000, 2)) for m in (0.0, 1.5)])
    model = SpectralClustering(2, affinity="nearest_neighbors", random_state=0).fit(rows)
    ax = affinity(model)
    cells = np.asarray(ax.images[0].get_array())
    assert cells.shape == (MOST_CELLS, MOST_CELLS)
    heights = np.diff(np.linspace(0, 2000, MOST_CELLS + 1).astype(int))
    pairs = np.outer(heights, heights).astype(float)
    pairs[np.diag_indices(MOST_CELLS)] -= heights
    assert (cells * pairs).sum() == pytest.approx(model.graph().weights.sum())


def test_dense_graphs_of_many_rows_are_drawn_by_rows_of_every_cluster():
    """Law: nothing of n x n is made: rows spread over all clusters stand for all, and the note says so."""
    rows = np.concatenate([RNG.normal(m, 0.3, (size, 2)) for m, size in ((0.0, 4000), (3.0, 100))])
    model = SpectralClustering(2, random_state=0, n_init=1, landmarks=50).fit(rows)
    ax = affinity(model)
    assert f"{MOST_STORED:,} rows, spread evenly over all clusters." in texts(ax)
    heights = sorted(patch.get_height() for patch in ax.patches if patch.get_gid() == "strip")
    assert heights[0] == pytest.approx(100 / 4100 * MOST_STORED, abs=1)


def test_sixty_clusters_have_sixty_strips():
    """Law: names that do not fit are left out, strips are not."""
    rows = RNG.normal(0, 0.01, (300, 2)) + np.repeat(RNG.uniform(0, 100, (60, 2)), 5, axis=0)
    model = SpectralClustering(60, gamma=1.0, random_state=0, n_init=1).fit(rows)
    n_found = np.unique(model.labels_).size
    ax = affinity(model)
    assert len([patch for patch in ax.patches if patch.get_gid() == "strip"]) == n_found
    assert 10 < len(ax.get_yticklabels()) <= n_found


def test_the_graph_needs_a_fit():
    """Law: before the fit there is no graph."""
    with pytest.raises(AttributeError, match="SpectralClustering has no graph before fit"):
        affinity(SpectralClustering(2))


@pytest.mark.parametrize("draw", [eigenvalues, affinity])
def test_draws_on_given_axes(draw):
    """Law: given axes are drawn on and returned."""
    ax = Figure().add_subplot()
    assert draw(MODEL, ax) is ax
