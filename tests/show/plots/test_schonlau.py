"""Schonlau's clustergram: means of clusters on the first component, as k grows."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA

from coterie.cluster import KMeans
from coterie.errors import InvalidData, InvalidParameter
from coterie.show.plots import clustergram

IRIS = load_iris().data
MODELS = {k: KMeans(k, random_state=0).fit(IRIS) for k in (1, 2, 3, 4)}
LABELINGS = {k: model.labels_ for k, model in MODELS.items()}


def dots(ax):
    """Return the dots of each column."""
    return [c for c in ax.collections if c.get_gid() == "means"]


def flows(ax):
    return [c for c in ax.collections if c.get_gid() == "flows"]


def test_dots_are_the_projected_centres():
    """Law: a dot stands at its cluster's centre on the first principal component, as PCA gives it."""
    ax = clustergram(LABELINGS, X=IRIS)
    first = PCA(1).fit(IRIS)
    for column, model in zip(dots(ax), MODELS.values(), strict=True):
        expected = np.sort(first.transform(model.cluster_centers_).ravel())
        drawn = np.sort(column.get_offsets()[:, 1])
        either = (drawn, -drawn[::-1])  # a component has no sign of its own
        assert min(np.abs(one - expected).max() for one in either) < 1e-9
    share = 100 * first.explained_variance_ratio_[0]
    assert ax.get_ylabel() == f"mean on component 1 ({share:.3g} % of the variance)"
    assert [text.get_text() for text in ax.get_xticklabels()] == ["1", "2", "3", "4"]


def test_lines_are_as_wide_as_the_rows_they_carry():
    """Law: a line per pair of clusters that share rows; more rows, wider line."""
    ax = clustergram({1: np.zeros(12, int), 2: np.repeat([0, 1], [9, 3])}, X=np.arange(12.0)[:, None])
    few, many = sorted(flows(ax)[0].get_linewidths())
    assert (many - 0.4) / (few - 0.4) == pytest.approx(3)
    assert len(flows(clustergram(LABELINGS, X=IRIS))) == 3


def test_rows_must_fit_the_labels():
    """Law: a row per label."""
    with pytest.raises(InvalidData, match=r"X of clustergram must have a row per label, 150, got 149"):
        clustergram(LABELINGS, X=IRIS[1:])
    with pytest.raises(InvalidParameter, match="clustergram needs labels of the same rows for at least two"):
        clustergram({2: LABELINGS[2]}, X=IRIS)


def test_without_rows_it_is_the_alluvial_plot_that_had_its_name():
    """Law: calls of before still draw what they drew, and say what to call."""
    with pytest.warns(FutureWarning, match="call alluvial for that, or give the rows as X"):
        ax = clustergram(LABELINGS)
    assert any(one.get_gid() == "ribbons" for one in ax.collections)
