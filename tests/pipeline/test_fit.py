"""Clustering without questions."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.datasets import make_blobs, make_moons
from sklearn.metrics import adjusted_rand_score

import coterie
from coterie.errors import InvalidData, InvalidParameter
from coterie.pipeline import compare_methods
from coterie.pipeline.request import check_k


def blobs(k=3, n=60, d=2, seed=0):
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(k, d))
    centres *= 9 / np.min([np.linalg.norm(a - b) for i, a in enumerate(centres) for b in centres[:i]])
    return np.concatenate([rng.normal(centre, 1, (n, d)) for centre in centres]), np.repeat(np.arange(k), n)


@pytest.fixture(scope="module")
def three():
    X, y = blobs()
    return X, y, coterie.fit(X, truth=y, budget="fast")


def test_round_groups(three):
    """Separate blobs are found, numbered by size, said to be stable, and the null is rejected."""
    X, y, found = three
    assert found.k == 3
    assert adjusted_rand_score(y, found.labels) == 1.0
    assert set(found.labels) == {0, 1, 2}
    assert found.stability.overall > 0.95
    assert found.significance.p_value <= 0.05
    assert found.comparison["adjusted_rand_score"] == 1.0
    assert found.evidence.k == 3
    assert found.evidence.curve("separation").choice == 3
    assert (found.predict(X) == found.labels).all()


@pytest.mark.parametrize("noise", [0.05, 0.08])
def test_curved_groups(noise):
    """Two moons are two groups, by a method that sees shapes; none is cut across."""
    X, y = make_moons(300, noise=noise, random_state=0)
    found = coterie.fit(X, budget="fast")
    assert found.k == 2
    assert adjusted_rand_score(y, found.labels) > 0.98


@pytest.mark.parametrize("kind", ["normal", "uniform"])
def test_no_groups(kind):
    """Null data get that answer, in words too, and all rows one label."""
    X = getattr(np.random.default_rng(3), kind)(size=(200, 3))
    found = coterie.fit(X, budget="fast")
    assert found.k == 1
    assert (found.labels == 0).all()
    assert "no groups" in found.headline
    assert "no groups" in str(found)
    assert found.stability is None
    assert found.runners_up[0].scores["separation"] <= 0
    assert (found.predict(X) == 0).all()


def test_words(three):
    """The summary has the answer first; every word of it is also in a value."""
    *_, found = three
    lines = found.summary().splitlines()
    assert lines[0].startswith("the data   180 rows; 2 columns used")
    assert lines[2].split()[:2] == ["3", "groups"]
    assert found.headline.startswith("3 groups; stable (1.00); Gaussian null rejected (p")
    assert found.summary() == str(found) == repr(found)
    assert "<pre>" in found._repr_html_()
    assert json.loads(json.dumps(found.to_dict()))["k"] == 3
    frame = found.to_frame()
    assert frame["size"].tolist() == [60, 60, 60]
    assert {"share", "stability", "column_1"} <= set(frame)


def test_saved_and_loaded(three, tmp_path):
    """A saved answer gives the same labels and words, and places rows alike."""
    X, _, found = three
    found.save(tmp_path / "groups.safetensors")
    loaded = coterie.load(tmp_path / "groups.safetensors")
    assert (loaded.labels == found.labels).all()
    assert (loaded.predict(X) == found.labels).all()
    assert loaded.headline == found.headline
    assert loaded.rows is None
    assert loaded.runners_up[0].title == found.runners_up[0].title


def test_same_seed_same_answer(three):
    """Nothing is left to luck."""
    X, y, found = three
    again = coterie.fit(X, truth=y, budget="fast")
    assert (again.labels == found.labels).all()
    assert again.headline == found.headline


def test_number_and_method_given():
    """With a number of groups that number is found, with methods only those are tried."""
    X, _ = blobs()
    assert coterie.fit(X, k=4, budget="fast").k == 4
    found = coterie.fit(X, "kmeans", "2..5", budget="fast")
    assert found.method == "kmeans"
    assert found.k == 3
    assert {candidate.method for candidate in found.runners_up} == {"kmeans"}
    assert coterie.fit(X, "kmedoids", k=range(2, 5), budget="fast").k == 3
    assert coterie.fit(X, "dbscan", budget="fast").method == "dbscan"
    assert coterie.fit(np.random.default_rng(0).normal(size=(99, 2)), k="2..4", budget="fast").k > 1


def test_many_clear_groups_are_significant():
    """Law: the null test has rows enough for every group: forty clear ones are not "not rejected"."""
    X, y = make_blobs(1200, 4, centers=40, cluster_std=0.5, center_box=(-30, 30), random_state=0)
    found = coterie.fit(X, k=40, method="kmeans", budget="fast")
    assert adjusted_rand_score(y, found.labels) > 0.95
    assert found.significance.p_value < 0.05


def test_another_distance():
    """With another distance, only methods that can use it are compared, and by it."""
    X, _y = blobs(seed=2)
    found = coterie.fit(X, distance="manhattan", budget="fast")
    assert found.k == 3
    assert found.groups.recipe.distance == "manhattan"
    assert {"mixture"}.isdisjoint(candidate.method for candidate in found.runners_up)


def test_scale_by_the_data():
    """Columns in different units are standardised; columns of one unit are left alone."""
    X, y = blobs()
    even = X * [1.0, X[:, 0].std() / X[:, 1].std()]
    assert coterie.fit(even, budget="fast").groups.recipe.scale == "none"
    found = coterie.fit(X * [1.0, 1000.0], budget="fast")
    assert found.groups.recipe.scale == "standard"
    assert adjusted_rand_score(y, found.labels) == 1.0


def table(n=60):
    X, y = blobs(n=n)
    return {
        "id": np.arange(1000, 1000 + len(X)),
        "joined": pd.date_range("2020-01-01", periods=len(X)),
        "x": X[:, 0],
        "kind": [f"kind {label}" for label in y],
        "y": X[:, 1],
        "same": np.ones(len(X)),
    }


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_frames(make):
    """Keys, dates, text and constants of a frame are left out, and said to be; a column may be the truth."""
    found = coterie.fit(make(table()), truth="kind", budget="fast")
    assert found.groups.columns == ("x", "y")
    assert {column.name: column.reason for column in found.groups.left_out} == {
        "id": "a key",
        "joined": "a date",
        "kind": "the truth",
        "same": "constant",
    }
    assert found.k == 3
    assert found.comparison["adjusted_rand_score"] == 1.0
    assert "left out: id (a key)" in found.summary()
    assert (found.predict(make(table())) == found.labels).all()


def test_a_path(tmp_path):
    """A path is read."""
    frame = pl.DataFrame(table())
    frame.write_csv(tmp_path / "rows.csv")
    assert coterie.fit(tmp_path / "rows.csv", budget="fast").k == 3


def test_missing_values():
    """Rows with missing values are refused, left out (masked), or filled."""
    X, _ = blobs()
    X[5, 1] = np.nan
    with pytest.raises(InvalidData, match="missing"):
        coterie.fit(X, missing="refuse")
    assert coterie.fit(X, budget="fast").labels[5] is np.ma.masked
    found = coterie.fit(X, missing="drop", budget="fast")
    assert found.k == 3
    assert found.labels[5] is np.ma.masked
    assert found.groups.n_grouped == len(X) - 1
    assert coterie.fit(X, missing="median", budget="fast").labels.min() >= 0


def test_more_rows_than_are_compared():
    """Above the budget's rows methods are compared on a sample, which is said, and all rows get a label."""
    X, y = blobs(n=1200)
    found = coterie.fit(X, budget="fast")
    assert found.k == 3
    assert adjusted_rand_score(y, found.labels) > 0.99
    assert any("methods were compared on 2,500 of 3,600 rows" in note for note in found.notes)
    X, y = make_moons(3000, noise=0.05, random_state=0)
    assert adjusted_rand_score(y, coterie.fit(X, budget="fast").labels) > 0.98


@pytest.mark.parametrize(
    "X",
    [
        pytest.param(np.arange(12.0).reshape(6, 2), id="few rows"),
        pytest.param(np.random.default_rng(0).normal(size=(80, 1)), id="one column"),
        pytest.param(np.ones((50, 3)), id="constant"),
        pytest.param(np.repeat([[1.0, 2.0]], 40, axis=0), id="all equal"),
        pytest.param(np.random.default_rng(0).normal(size=(30, 500)), id="more columns than rows"),
        pytest.param(np.random.default_rng(1).normal(size=(12, 100_000)), id="100,000 columns"),
    ],
)
def test_poor_data(X):
    """Data that can show no groups get that answer rather than an error."""
    found = coterie.fit(X, budget="fast")
    assert found.k == 1
    assert len(found.labels) == len(X)


def test_two_values():
    """Rows of two values, many times each, are two groups."""
    X = np.repeat([[0.0, 0.0], [5.0, 5.0]], 40, axis=0)
    assert coterie.fit(X, budget="fast").k == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"budget": "quick"},
            'budget of coterie.fit must be one of "fast", "normal", "thorough", got \'quick\'.',
        ),
        ({"budget": 3}, "budget of coterie.fit must be one of"),
        ({"method": "kmean"}, 'no such method "kmean". Did you mean "kmeans"?'),
        ({"scale": "robst"}, 'no such scale "robst". Did you mean "robust"?'),
        ({"distance": "euclidian"}, 'Did you mean "euclidean"?'),
        ({"method": "mixture", "distance": "manhattan"}, "Gaussian mixture has no distance manhattan."),
        ({"k": 0}, 'k of coterie.fit must be a number from 1, a range such as "2..8", or "auto", got 0.'),
        ({"k": "some"}, "k of coterie.fit must be a number from 1"),
        ({"k": 2.5}, "k of coterie.fit must be a number from 1"),
        ({"k": 99}, "k of coterie.fit must be at most 20, the rows, got 99."),
        ({"truth": "kind"}, 'no column "kind" to compare with.'),
        ({"missing": "dorp"}, "dorp"),
    ],
)
def test_wrong_requests(options, message):
    """A wrong request fails before work starts, with the allowed values and the nearest name."""
    with pytest.raises(InvalidParameter, match=re.escape(message)):
        coterie.fit(np.random.default_rng(0).normal(size=(20, 2)), **options)


def test_wrong_data():
    """Data that cannot be clustered are refused with the way out."""
    with pytest.raises(
        InvalidData, match="no column of numbers or categories to cluster by: a \\(constant\\)"
    ):
        coterie.fit(pd.DataFrame({"a": ["x"] * 20}))
    with pytest.raises(InvalidData, match="needs at least 4 rows, got 3"):
        coterie.fit(np.ones((3, 2)))
    with pytest.raises(InvalidData, match="truth must have one class per row, 20, got shape \\(3,\\)"):
        coterie.fit(np.random.default_rng(0).normal(size=(20, 2)), truth=[1, 2, 3])


def test_numbers_of_groups():
    """Ranges may be given in several ways."""
    assert check_k("3") == (3,)
    assert check_k("2..4") == (2, 3, 4)
    assert check_k(range(2, 4)) == (2, 3)
    assert check_k(None) is None
    assert check_k("auto") is None
    assert check_k([5, 2]) == (2, 5)


def test_comparison_of_methods():
    """Each method is there with its best number; with classes, their agreement."""
    X, y = blobs()
    found = compare_methods(X, ["kmeans", "hdbscan"], budget="fast", truth=y)
    assert [candidate.method for candidate in found.candidates] == ["kmeans", "hdbscan"]
    assert found.k == 3
    assert found.agreement[0] == 1.0
    assert "best method: k-means" in found.headline
    assert json.loads(json.dumps(found.to_dict()))["rows_compared"] == 180
    nothing = compare_methods(np.random.default_rng(0).normal(size=(120, 2)), budget="fast")
    assert nothing.k == 1
    assert "no groups" in nothing.headline


def test_weak_groups_are_listed_as_people_do(three):
    """Law: the headline names a doubtful group, gives up where most are; the weakest where it differs."""
    found = three[2]
    doubtful = replace(found, stability=replace(found.stability, scores=np.array([[0.99, 0.99, 0.41]])))
    assert doubtful.headline.endswith("; group 3 is doubtful (0.41)")
    weak = replace(found, stability=replace(found.stability, scores=np.array([[0.5, 0.9, 0.4]])))
    assert weak.headline == "No convincing groups. Best guess: 3 (unstable, p = 0.025)"
    assert (weak.k, weak.convincing) == (3, False)
    assert weak.to_dict()["convincing"] is False
    assert "weakest is group 3 (0.40)" in str(weak)
    even = replace(found, stability=replace(found.stability, scores=np.array([[1.0, 0.999, 1.0]])))
    assert "weakest" not in str(even)


def test_two_plain_groups_of_three_rows():
    """Law: of six rows the two threes that anybody sees are found, however little can be tested."""
    X = np.array([[1, 2], [1.1, 2.1], [0.9, 2], [5, 6], [5.1, 6.2], [5, 5.9]])
    labels = coterie.fit(X, k=2).labels
    assert labels.tolist() in ([0, 0, 0, 1, 1, 1], [1, 1, 1, 0, 0, 0])


def test_means_of_years_have_no_comma():
    """Law: a year is written as people write it, other numbers of thousands with a comma."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"year": [1990, 1991, 2015, 2016] * 20, "price": [1500, 1600, 9500, 9600] * 20})
    frame["price"] += rng.integers(0, 50, len(frame))
    text = str(coterie.fit(frame, "kmeans", 2, believe=False))
    assert all(number in text for number in ("1990.5", "2015.5", "9,5"))


@pytest.mark.parametrize(
    ("name", "meant"),
    [("gmm", "mixture"), ("GaussianMixture", "mixture"), ("k-means", "kmeans"), ("Ward", "agglomerative")],
)
def test_methods_by_other_names(name, meant):
    """Law: what others call a method, or its class, leads to its name."""
    with pytest.raises(InvalidParameter, match=rf'no such method "{name}". Did you mean "{meant}"\?'):
        coterie.fit(np.zeros((9, 2)), name)


def test_a_distance_that_a_method_lacks_leads_to_those_that_have_it():
    """Law: the error names the methods that take the distance."""
    with pytest.raises(InvalidParameter, match=r"no distance gower. Methods that have it: .*kmedoids"):
        coterie.fit(np.zeros((9, 2)), "birch", 2, distance="gower")
