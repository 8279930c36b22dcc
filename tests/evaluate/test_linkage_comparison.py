"""Which linkage: the curves of several trees."""

import numpy as np
import pytest
from scipy.cluster import hierarchy
from scipy.spatial.distance import pdist, squareform
from sklearn.datasets import load_iris

from coterie.errors import InvalidParameter
from coterie.evaluate import LinkageComparison, compare_linkages, cut_curve
from coterie.tree import Dendrogram

X, Y = load_iris(return_X_y=True)
X = X + np.random.default_rng(0).normal(scale=1e-4, size=X.shape)  # no ties


def test_curves_are_those_of_the_linkages():
    """Law: each curve is the cut curve of SciPy's tree of that linkage."""
    comparison = compare_linkages(X, Y)
    assert isinstance(comparison, LinkageComparison)
    assert list(comparison) == ["single", "complete", "average", "weighted", "ward", "centroid", "median"]
    for method in ("complete", "average", "ward"):
        expected = cut_curve(Dendrogram.from_linkage(hierarchy.linkage(X, method)), Y)
        np.testing.assert_allclose(comparison[method]["ARI"], expected["ARI"])


def test_best_linkage_and_table():
    """Law: the best linkage has the highest peak (lowest, for impurities), and the table names the cuts."""
    comparison = compare_linkages(X, Y, linkages=["single", "average", "ward"])
    name, k = comparison.best("ARI")
    peaks = {one: curve["ARI"].max() for one, curve in comparison.items()}
    assert peaks[name] == max(peaks.values())
    assert comparison[name]["ARI"][k - 1] == peaks[name]
    assert comparison.best("inverse_impurity") == ("single", 1)
    lines = repr(comparison).splitlines()
    assert [line.split()[0] for line in lines] == ["linkage", "single", "average", "ward"]
    assert f"{peaks['average']:.4f} at {comparison['average'].best('ARI')}" in lines[2]
    frame = comparison.to_frame("ARI")
    assert list(frame.columns) == ["single", "average", "ward"]
    assert frame.loc[3, "ward"] == comparison["ward"]["ARI"][2]


def test_distances_and_trees_are_taken():
    """Law: distances told by metric, and trees that are there already, give the same curves."""
    from_rows = compare_linkages(X, Y, linkages=["average"])
    from_distances = compare_linkages(squareform(pdist(X)), Y, linkages=["average"], metric="precomputed")
    given = compare_linkages(X, Y, linkages=from_rows.trees)
    np.testing.assert_allclose(from_rows["average"]["NMI"], from_distances["average"]["NMI"])
    np.testing.assert_array_equal(given["average"]["NMI"], from_rows["average"]["NMI"])


def test_unknown_linkages_are_refused():
    """Law: a name that is not a linkage is refused with those that are."""
    with pytest.raises(InvalidParameter, match=r"must be names among single, .* got \['wards'\]"):
        compare_linkages(X, Y, linkages=["wards"])
    with pytest.raises(InvalidParameter, match="got none"):
        compare_linkages(X, Y, linkages=[])
