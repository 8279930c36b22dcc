"""Laws of the picture of a self-organizing map."""

import numpy as np
import pytest
from matplotlib import pyplot as plt

from coterie.cluster import KMeans, SelfOrganizingMap
from coterie.errors import InvalidParameter
from coterie.show.plots import u_matrix

X = np.random.default_rng(0).normal(size=(90, 3)) + np.repeat([[0.0], [9.0], [18.0]], 30, axis=0)


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def drawn(ax, gid):
    return next(part for part in ax.collections if part.get_gid() == gid)


@pytest.mark.parametrize(("layout", "corners"), [("rectangular", 4), ("hexagonal", 6)])
def test_every_node_is_a_cell_of_its_height(layout, corners):
    """Law: a cell per node, as high as the U-matrix; neighbours touch; a dot per node with rows."""
    som = SelfOrganizingMap(4, 5, layout=layout).fit(X)
    ax = u_matrix(som)
    cells = drawn(ax, "nodes")
    np.testing.assert_array_equal(cells.get_array(), som.u_matrix_.ravel())
    outlines = [path.vertices for path in cells.get_paths()]
    assert {len(np.unique(outline.round(6), axis=0)) for outline in outlines} == {corners}
    assert outlines[0][:, 0].max() == pytest.approx(outlines[1][:, 0].min())
    assert len(drawn(ax, "rows").get_paths()) == np.count_nonzero(som.hits_)
    assert ax.get_legend() is None


def test_groups_have_colours_and_names():
    """Law: with groups, dots have as many colours, and the legend their names."""
    som = SelfOrganizingMap(5, 5, n_clusters=3).fit(X)
    ax = u_matrix(som, names=["low", "middle", "high"])
    assert len(np.unique(drawn(ax, "rows").get_facecolor(), axis=0)) == 3
    assert {text.get_text() for text in ax.get_legend().get_texts()} == {"low", "middle", "high"}


def test_draws_on_given_axes_and_refuses_other_models():
    """Law: given axes are used; a model without a grid is refused by name."""
    _, ax = plt.subplots()
    assert u_matrix(SelfOrganizingMap(1, 1).fit(X), ax) is ax
    with pytest.raises(InvalidParameter, match="must be a SelfOrganizingMap, got a KMeans"):
        u_matrix(KMeans(2).fit(X))
