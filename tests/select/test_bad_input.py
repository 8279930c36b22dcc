"""What choose_k says to data and wishes that are no good."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.decomposition import PCA

from coterie.cluster import DBSCAN
from coterie.errors import InvalidData, InvalidParameter
from coterie.select import choose_k, criteria

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 2))


@pytest.mark.parametrize(
    ("wish", "message"),
    [
        ({"k": range(0, 3)}, r"k of choose_k must lie between 1 and n_samples=40, got 0 to 2"),
        ({"k": range(2, 50)}, r"k of choose_k must lie between 1 and n_samples=40, got 2 to 49"),
        ({"k": []}, r"k of choose_k must be whole numbers, such as range\(1, 16\), got \[\]"),
        ({"k": "3"}, r"k of choose_k must be whole numbers"),
        ({"k": 2.5}, r"k of choose_k must be whole numbers"),
        ({"k": np.array(2.5)}, r"k of choose_k must be whole numbers.*got 2.5"),
        ({"method": "kmean"}, r'no such method "kmean". Did you mean "kmeans"\?'),
        ({"method": "dbscan"}, r"must take a number of clusters, got 'dbscan': DBSCAN finds it by itself"),
        ({"method": DBSCAN()}, r"must take a number of clusters, got DBSCAN"),
        ({"method": 3}, r"must be a name of coterie.cluster.methods\(\) or an estimator, got 3"),
        ({"method": PCA}, r"must be a name of coterie.cluster.methods\(\) or an estimator"),
        ({"criteria": ["silhouete"]}, r'no such criterion "silhouete". Did you mean "silhouette"\?'),
        ({"criteria": "bic"}, r"bic needs a likelihood, which k-means does not give here"),
        ({"random_state": -1}, r"random_state of choose_k must be"),
        ({"sample_size": 3}, r"sample_size of choose_k must be a whole number of at least 10"),
        ({"n_draws": 1}, r"n_draws of choose_k must be"),
        ({"progress": 3}, r"progress must be None, True, False or a callable"),
    ],
)
def test_wrong_wishes_are_named(wish, message):
    """Law: what, where, allowed, got."""
    with pytest.raises(InvalidParameter, match=message):
        choose_k(X, **wish)


def test_too_few_rows():
    """Law: fewer than three rows are refused; fewer than ten are judged, with a word of warning."""
    with pytest.raises(InvalidData, match=r"minimum of 3 is required"):
        choose_k(X[:2])
    found = choose_k(X[:8], random_state=0)
    assert found.ks == tuple(range(1, 9))
    assert "8 rows are too few for any criterion to mean much" in found.notes


@pytest.mark.parametrize("method", ["kmeans", "agglomerative", "kmedoids", "mixture"])
@pytest.mark.parametrize("rows", [np.ones((30, 3)), np.repeat([[1.0, 2.0]], 25, axis=0)])
def test_rows_that_are_all_the_same_have_no_clusters(method, rows):
    """Law: constant data and copies of one row are one cluster, without a warning."""
    assert choose_k(rows, method, k=range(1, 5), n_draws=2, random_state=0).k == 1


def test_copies_of_two_rows_are_two_clusters():
    """Law: numbers of clusters that do not exist are flagged, those that do are found."""
    found = choose_k(np.repeat([[0.0, 0.0], [1.0, 1.0]], 20, axis=0), k=range(1, 5), random_state=0)
    assert found.k == 2
    assert found.labelings[3] is None
    assert "k = 3: no such clustering was found" in found.flags
    assert np.isnan(found.curve("silhouette").at(3))


@pytest.mark.parametrize("shape", [(60, 1), (12, 50)])
def test_one_column_and_more_columns_than_rows(shape):
    """Law: such shapes are judged like others."""
    found = choose_k(np.random.default_rng(1).normal(size=shape), k=range(1, 5), n_draws=5, random_state=0)
    assert found.k in found.ks
    assert np.isfinite(found.curve("gap_pca").values).all()


def test_catalogue_has_its_facts():
    """Law: every criterion has a title, a summary, a rule and a source, and echoes only what exists."""
    names = [found.name for found in criteria()]
    for found in criteria():
        assert all((found.title, found.symbol, found.summary, found.rule, found.reference))
        assert found.echoes is None or found.echoes in names
        assert found.votes in (1, 2)


def test_one_number_of_clusters_may_be_an_array():
    X = np.random.default_rng(0).normal(size=(30, 2))
    found = choose_k(X, k=np.array(2), criteria=["silhouette"], random_state=0)
    assert tuple(found.ks) == (2,)
