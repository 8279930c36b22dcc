"""Image segmentation, and the grid of methods and toy sets."""

import numpy as np
import pytest
from matplotlib.colors import to_rgb

from coterie.cluster import KMeans
from coterie.errors import InvalidData, InvalidParameter
from coterie.show.palette import EMPHASIS, color_of
from coterie.show.plots import method_grid, segmentation
from coterie.show.toys import GridCell, MethodGrid, run_grid, toy_methods, toy_sets

IMAGE = np.zeros((6, 8, 3), dtype=np.uint8)
IMAGE[:, 4:] = (200, 100, 0)
IMAGE[:, 7] = (210, 110, 10)
LABELS = np.repeat([[0, 0, 0, 0, 1, 1, 1, 1]], 6, axis=0)


def pictures(figure):
    return [np.asarray(ax.images[0].get_array(), dtype=float) for ax in figure.axes]


def test_segments_in_mean_and_cluster_colours():
    """Law: the image as it is; each segment in the mean of its pixels; in its colour; its border marked."""
    original, means, colors, borders = pictures(segmentation(IMAGE, LABELS))
    np.testing.assert_allclose(original, IMAGE / 255)
    np.testing.assert_allclose(means[0, 5], IMAGE[0, 4:].mean(axis=0) / 255)
    np.testing.assert_allclose(colors[0, 0], to_rgb(color_of(0)))
    np.testing.assert_allclose(colors[0, 7], to_rgb(color_of(1)))
    is_border = (borders == to_rgb(EMPHASIS)).all(axis=2)
    assert is_border[:, 4].all()
    assert is_border.sum() == 6


def test_specks_have_no_borders():
    """Law: borders are drawn between connected parts of 0.1 % of the image; the title says how many."""
    labels = np.zeros((80, 80), dtype=int)
    labels[:, 40:] = 1
    labels[10, 2::4] = 2  # single pixels
    figure = segmentation(np.zeros((80, 80)), labels)
    is_border = (pictures(figure)[3] == to_rgb(EMPHASIS)).all(axis=2)
    assert is_border[:, 40].all()
    assert is_border.sum() == 80
    assert figure.axes[3].get_title(loc="left") == "borders of 2 parts"


def test_a_model_of_pixels_and_a_grey_image():
    """Law: a model fitted to the pixels gives the segments; grey images are drawn grey."""
    grey = IMAGE[:, :, 0] / 255.0
    model = KMeans(2, random_state=0).fit(grey.reshape(-1, 1))
    figure = segmentation(grey, model)
    assert [ax.get_title(loc="left") for ax in figure.axes][:2] == [
        "image, 8 x 6",
        "2 segments, mean colours",
    ]
    np.testing.assert_allclose(pictures(figure)[0][:, :, 2], grey)


def test_wrong_images_are_refused():
    """Law: shapes and values that are no image, labels that do not cover it: one line with the way out."""
    with pytest.raises(
        InvalidData, match=r"image of segmentation must have the shape .* got float64 of shape \(3,\)"
    ):
        segmentation(np.zeros(3), [0])
    with pytest.raises(InvalidData, match="numbers up to 1"):
        segmentation(np.full((2, 2), 7.0), np.zeros((2, 2), dtype=int))
    with pytest.raises(InvalidData, match="segmentation needs a label per row, 48 of them, got 3"):
        segmentation(IMAGE, [0, 1, 1])


def test_a_cell_per_method_and_set():
    """Law: rows are sets, columns methods; a cell shows every row of it, the groups found and the time."""
    grid = run_grid(toy_sets(60)[:2], methods=("single", "kmeans", "dbscan"))
    figure = method_grid(grid)
    assert len(figure.axes) == 6
    assert [ax.get_title() for ax in figure.axes[:3]] == ["single", "kmeans", "dbscan"]
    assert [figure.axes[i].get_ylabel() for i in (0, 3)] == ["rings", "moons"]
    for ax, cell in zip(figure.axes, grid.cells.values(), strict=True):
        assert sum(len(c.get_offsets()) for c in ax.collections) == 60
        k = len(set(cell.labels.tolist()) - {-1})
        assert ax.get_xlabel().startswith(f"k = {k}, ")
        assert ax.get_xlabel().endswith("s")


def test_the_lectures_methods_solve_the_lectures_shapes():
    """Law: single linkage parts the rings, k-means does not; both part blobs; the grid knows its seconds."""
    grid = run_grid(toy_sets(200), methods=("single", "kmeans"))
    rings = np.linalg.norm(grid.sets[0].X, axis=1) > np.sqrt(1.25)
    assert len(np.unique(grid.cells["rings", "single"].labels[rings])) == 1
    assert len(np.unique(grid.cells["rings", "kmeans"].labels[rings])) == 2
    assert grid.to_dict()["blobs"]["kmeans"] > 0


def test_every_toy_method_runs():
    """Law: each method of the grid gives a label per row of every set."""
    grid = run_grid(toy_sets(40))
    assert grid.methods == tuple(toy_methods())
    assert all(cell.labels.shape == (40,) for cell in grid.cells.values())


def test_wrong_grids_are_refused():
    """Law: unknown methods and values that are no grid are refused."""
    with pytest.raises(InvalidParameter, match=r'no such toy method "kmean". Did you mean "kmeans"'):
        run_grid(toy_sets(20), methods=("kmean",))
    with pytest.raises(InvalidParameter, match=r"grid of method_grid must be a MethodGrid.*got dict"):
        method_grid({})


def test_the_same_groups_have_the_same_colours_in_every_column():
    """Law: clusters are coloured in the order of their first rows, whatever a method calls them."""
    one = toy_sets(30)[4]
    cells = {("blobs", "a"): GridCell(np.repeat([2, 0, 1], 10), 0.1)}
    cells |= {("blobs", "b"): GridCell(np.repeat([0, -1, 1], 10), 0.1)}
    first, second = method_grid(MethodGrid((one,), ("a", "b"), cells)).axes
    drawn = {c.get_label(): c.get_offsets() for c in first.collections}
    np.testing.assert_allclose(drawn["group 1"], one.X[:10])
    np.testing.assert_allclose(drawn["group 3"], one.X[20:])
    assert sorted(c.get_label() for c in second.collections) == ["group 1", "group 2", "noise"]
