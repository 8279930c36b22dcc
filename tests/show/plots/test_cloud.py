"""What all plots share: lazy matplotlib, axes, and clouds of many rows."""

import subprocess
import sys

import numpy as np
import pytest
from matplotlib.figure import Figure

from coterie.cluster import KMeans
from coterie.errors import MissingDependency
from coterie.show import plots
from coterie.show.plots.drawing.canvas import drawing, labels_of_rows, note, panels, tidy
from coterie.show.plots.drawing.cloud import (
    CELLS,
    MOST_MARKERS,
    MOST_VECTORS,
    draw_cloud,
    draw_mixed,
    draw_values,
)

RNG = np.random.default_rng(0)
MANY = RNG.uniform(size=(MOST_MARKERS + 1, 2))


def new_axes():
    return Figure().subplots()


def test_matplotlib_is_loaded_when_something_is_drawn():
    """Law: importing the plots, even every function, does not load matplotlib."""
    code = (
        "import sys; from coterie.show import plots; [getattr(plots, name) for name in plots.__all__];"
        "print('matplotlib' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_without_matplotlib_the_extra_is_named(monkeypatch):
    """Law: where matplotlib is missing, the message says what to install."""
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(MissingDependency, match=r'Drawing needs .* install "coterie\[plot\]"'):
        plots.scatter([[0.0, 1.0], [1.0, 0.0]], [0, 1])


def test_unknown_pictures_offer_the_nearest():
    """Law: a slip in a name is answered with the name that was meant; every listed name is a function."""
    with pytest.raises(AttributeError, match=r"no attribute 'dendogram'. Did you mean \"dendrogram\"\?"):
        _ = plots.dendogram
    assert all(callable(getattr(plots, name)) for name in dir(plots))


def test_many_markers_are_pixels_in_vector_files():
    """Law: above 2,000 rows markers are rasterised, so that SVG and PDF files stay small."""
    few, several = new_axes(), new_axes()
    draw_cloud(few, MANY[:10], np.zeros(10, dtype=int))
    draw_cloud(several, MANY[: MOST_VECTORS + 1], np.zeros(MOST_VECTORS + 1, dtype=int))
    assert not few.collections[0].get_rasterized()
    assert several.collections[0].get_rasterized()


def test_values_of_many_rows_are_means_of_cells():
    """Law: above 20,000 rows a cell shows the mean of the values in it; empty cells are blank."""
    ax = new_axes()
    values = MANY[:, 0]
    drawn = draw_values(ax, MANY, values, cmap="viridis", low=0.0, high=1.0)
    image = np.ma.filled(drawn.get_array().astype(float), np.nan)
    assert image.shape == (CELLS[1], CELLS[0])
    left, right, _, _ = drawn.get_extent()
    middles = left + (np.arange(CELLS[0]) + 0.5) * (right - left) / CELLS[0]
    filled = ~np.isnan(image)
    assert np.abs(image - middles)[filled].max() <= (right - left) / CELLS[0]
    assert filled.sum() < len(MANY)


def test_colours_of_many_rows_are_mixed():
    """Law: above 20,000 rows a cell has the mean colour of its rows."""
    ax = new_axes()
    draw_mixed(ax, MANY, np.tile([[0.2, 0.4, 0.6]], (len(MANY), 1)))
    image = np.asarray(ax.images[0].get_array())
    np.testing.assert_allclose(
        image[image[:, :, 3] > 0][:, :3], np.tile([0.2, 0.4, 0.6], (int((image[:, :, 3] > 0).sum()), 1))
    )


def test_rows_without_a_place_or_a_group_are_left_out():
    """Law: rows labelled -2, and rows that are not finite, are not drawn."""
    ax = new_axes()
    places = np.array([[0.0, 0.0], [1.0, np.nan], [2.0, 2.0], [3.0, 3.0]])
    draw_cloud(ax, places, np.array([0, 0, -2, 0]))
    np.testing.assert_allclose(ax.collections[0].get_offsets(), places[[0, 3]])


def test_panels_are_as_many_as_asked():
    """Law: n panels of the size asked for, unused places are empty."""
    figure, axes = panels(5, columns=3, size=(2.0, 1.0))
    assert len(figure.axes) == len(axes) == 5
    np.testing.assert_allclose(figure.get_size_inches(), (6.0, 2.0))


def test_a_note_stands_below_the_axes():
    """Law: a note is drawn under the label of the x axis, and the title on the left."""
    ax = plots.scatter([[0.0, 1.0], [1.0, 0.0]], [0, 1])
    tidy(ax, title="two rows", x="across")
    note(ax, "below")
    ax.figure.draw_without_rendering()
    renderer = drawing("backends.backend_agg").FigureCanvasAgg(ax.figure).get_renderer()
    assert ax.texts[-1].get_window_extent(renderer).y1 < ax.xaxis.label.get_window_extent(renderer).y0 + 1
    assert ax.get_title(loc="left") == "two rows"


def test_other_rows_are_predicted():
    """Law: rows that the model was not fitted to get the clusters that it predicts."""
    model = KMeans(2, init=[[0.0, 0.0], [9.0, 9.0]]).fit([[0.0, 0.0], [9.0, 9.0], [8.0, 9.0]])
    np.testing.assert_array_equal(labels_of_rows(model, [[8.0, 8.0], [1.0, 0.0]], 2, "regions"), [1, 0])
    np.testing.assert_array_equal(labels_of_rows(model, [[8.0, 8.0]] * 3, 3, "regions"), [0, 1, 1])
