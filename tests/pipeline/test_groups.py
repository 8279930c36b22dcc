"""From a table to groups: numbering, units, description, prediction, saving."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.datasets import make_blobs

import coterie
from coterie.cluster import KMeans
from coterie.data import Scaling, Table
from coterie.errors import InvalidData, InvalidParameter, ModelFileError
from coterie.pipeline import Recipe, check_recipe, fit_groups, predict_table, profile_groups

CENTERS = np.array([[30.0, 20_000.0], [70.0, 30_000.0], [45.0, 90_000.0]])
POINTS, KINDS = make_blobs([30, 60, 10], centers=CENTERS, cluster_std=[[2.0, 900.0]] * 3, random_state=0)
RECIPE = Recipe(n_clusters=3, n_init=5)


def table_of(points, columns=("age", "income"), **more):
    frame = pl.DataFrame(points, schema=list(columns)).with_columns(**more)
    return Table("t.csv", tuple(frame.columns), True, frame.height, frame)


def test_groups_are_numbered_by_size_and_described_in_original_units():
    """Law: the largest group has label 0; centres are in the table's units; sizes and shares add up."""
    groups = fit_groups(table_of(POINTS, city=pl.lit("x")), RECIPE)
    assert groups.k == 3
    assert groups.profile.sizes.tolist() == [60, 30, 10]
    np.testing.assert_allclose(groups.shares, [0.6, 0.3, 0.1])
    np.testing.assert_allclose(groups.centers, CENTERS[[1, 0, 2]], rtol=0.05)
    np.testing.assert_allclose(groups.centers, groups.profile.means)
    np.testing.assert_array_equal(groups.labels, np.array([1, 0, 2])[KINDS])
    assert [str(column) for column in groups.left_out] == ["city (text)"]
    total = ((groups.scaling.apply(POINTS) - groups.scaling.apply(POINTS).mean(axis=0)) ** 2).sum()
    np.testing.assert_allclose(groups.explained, 1 - groups.model.inertia_ / total)
    assert groups.objective == ("SSE", groups.model.inertia_)
    assert repr(groups) == "<3 groups in t.csv: 60, 30, 10 of 100 rows>"


def test_words_name_what_sets_a_group_apart():
    """Law: columns more than half a standard deviation off are named, the largest first, with direction."""
    groups = fit_groups(table_of(POINTS), RECIPE)
    assert groups.profile.words(2).startswith("income high (+2.")
    assert "age low" in groups.profile.words(1)
    flat = profile_groups(np.array([[1.0], [1.0]]), np.array([0, 0]), ["x"], 1)
    assert flat.words(0) == "close to the average in every column"
    units = profile_groups(np.array([[1.0], [3.0]]), np.array([0, 1]), ["length (cm)"], 2)
    assert units.words(1) == "length (cm) high (+1.0 sd)"


def test_profile_equals_the_obvious_computation():
    """Law: means and standardised differences are those of NumPy, also for sparse data and with noise."""
    labels = np.where(KINDS == 2, -1, KINDS)
    for data in (POINTS, sparse.csr_array(POINTS)):
        profile = profile_groups(data, labels, ["age", "income"], 2)
        for kind in (0, 1):
            mean = POINTS[labels == kind].mean(axis=0)
            np.testing.assert_allclose(profile.means[kind], mean)
            np.testing.assert_allclose(
                profile.differences[kind], (mean - POINTS.mean(axis=0)) / POINTS.std(axis=0)
            )
        assert profile.sizes.tolist() == [30, 60]


@pytest.mark.parametrize("scale", ["standard", "minmax", "robust", "none"])
def test_prediction_repeats_the_fit_and_finds_columns_by_name(scale):
    """Law: new rows are placed by column name, whatever the order; arrays by position."""
    groups = fit_groups(table_of(POINTS), Recipe(n_clusters=3, scale=scale))
    np.testing.assert_array_equal(groups.predict(table_of(POINTS)), groups.labels)
    np.testing.assert_array_equal(groups.predict(table_of(POINTS[:, ::-1], ("income", "age"))), groups.labels)
    np.testing.assert_array_equal(
        groups.predict(pd.DataFrame(POINTS, columns=["age", "income"])), groups.labels
    )
    np.testing.assert_array_equal(
        groups.predict(pl.DataFrame(POINTS[:, ::-1], schema=["income", "age"])), groups.labels
    )
    np.testing.assert_array_equal(groups.predict(POINTS.tolist()), groups.labels)


def test_saved_groups_predict_the_same(tmp_path):
    """Law: what was saved carries scaling, columns, medians and numbering."""
    points = POINTS.copy()
    points[0, 1] = np.nan
    groups = fit_groups(table_of(points), RECIPE, missing="median")
    coterie.save(groups, tmp_path / "g.safetensors")
    loaded = coterie.load(tmp_path / "g.safetensors")
    np.testing.assert_array_equal(loaded.predict(table_of(points), missing="median"), groups.labels)
    assert loaded.recipe == groups.recipe
    assert loaded.left_out == groups.left_out
    assert loaded.profile.words(0) == groups.profile.words(0)


def test_rows_with_holes():
    """Law: dropped rows are masked in fit and predict; filled ones get a group; a note says which."""
    points = POINTS.copy()
    points[[3, 5], 0] = np.nan
    dropped = fit_groups(table_of(points), RECIPE, missing="drop")
    assert np.flatnonzero(np.ma.getmaskarray(dropped.labels)).tolist() == [3, 5]
    assert any("; 2 of " in note and "rows left out" in note for note in dropped.notes)
    assert np.flatnonzero(dropped.predict(points, missing="drop").mask).tolist() == [3, 5]
    filled = fit_groups(table_of(points), RECIPE, missing="median")
    assert (filled.labels >= 0).all()
    assert any("2 cells filled with the column's median" in note for note in filled.notes)
    np.testing.assert_array_equal(filled.predict(points), filled.labels)  # as in the fit
    with pytest.raises(InvalidData, match='column "age" has 2 missing values'):
        filled.predict(points, missing="refuse")


def test_warnings_become_notes():
    """Law: what an estimator warns about is part of the result, once."""
    twins = np.repeat([[1.0, 2.0], [3.0, 4.0]], 5, axis=0)
    groups = fit_groups(table_of(twins), Recipe(n_clusters=3))
    assert len([note for note in groups.notes if "distinct" in note]) == 1


@pytest.mark.parametrize(
    ("recipe", "message"),
    [
        (Recipe(method="kmean", n_clusters=2), r'no such method "kmean". Did you mean "kmeans"\?'),
        (Recipe(n_clusters=2, scale="standart"), r'no such scale "standart". Did you mean "standard"\?'),
        (Recipe(), "k-means needs to know the number of groups"),
        (Recipe(n_clusters=0), "n_clusters must be at least 1, got 0"),
        (Recipe(n_clusters=2, n_init=0), "n_init must be at least 1, got 0"),
        (Recipe(n_clusters=2, seed=-1), "seed must be at least 0, got -1"),
        (Recipe(n_clusters=2, improve="breth"), r'improve of KMeans must be .*Did you mean "breathing"\?'),
        (
            Recipe(n_clusters=2, distance="manhatan"),
            r'no such distance "manhatan". Did you mean "manhattan"\?',
        ),
        (Recipe(n_clusters=2, distance="canberra"), "canberra has no barycentre"),
        (
            Recipe("minibatch-kmeans", 2, distance="manhattan"),
            "mini-batch k-means has no distance, got 'manhattan'",
        ),
    ],
)
def test_wrong_recipes_are_refused_before_any_data(recipe, message):
    """Law: names and numbers that cannot be right fail without data, with the nearest name."""
    with pytest.raises(InvalidParameter, match=message):
        check_recipe(recipe)


def test_other_distances_describe_what_they_minimise():
    """Law: medians are centres in the table's units; directions are not, so means are shown instead."""
    medians = fit_groups(table_of(POINTS), Recipe(n_clusters=3, distance="manhattan", n_init=5))
    for group in range(3):
        inside = POINTS[medians.labels == group]
        for q, side in (("lower", np.greater_equal), ("higher", np.less_equal)):
            median = np.quantile(inside, 0.5, axis=0, method=q)
            assert side(medians.centers[group], median * (1 - 1e-9 if q == "lower" else 1 + 1e-9)).all()
    assert medians.objective[0] == "sum of Manhattan distances to the centres"
    directions = fit_groups(table_of(POINTS), Recipe(n_clusters=3, distance="cosine", scale="none"))
    assert directions.centers is directions.profile.means


def test_more_groups_than_rows():
    """Law: k above the number of complete rows is refused with that number."""
    with pytest.raises(InvalidParameter, match=r"k of coterie.fit must be at most 100, the rows, got 101"):
        fit_groups(table_of(POINTS), Recipe(n_clusters=101))


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (pd.DataFrame({"age": [1.0]}), "the rows lack the columns income"),
        (POINTS[:, :1], r"the rows must have 2 columns \(age, income\), got shape \(100, 1\)"),
        (POINTS[0], r"Expected 2D array, got 1D array of shape \(2,\)"),
        (
            pd.DataFrame({"age": [1.0], "income": ["much"]}),
            'column "income" must hold numbers, but is text',
        ),
    ],
)
def test_wrong_rows_are_refused(rows, message):
    """Law: rows that lack columns are refused by name or by number."""
    with pytest.raises(InvalidData, match=message):
        fit_groups(table_of(POINTS), RECIPE).predict(rows)


def test_wrong_tables_are_refused():
    """Law: a table that lacks a column, or holds text in it, is refused by the column's name."""
    groups = fit_groups(table_of(POINTS), RECIPE)
    with pytest.raises(InvalidParameter, match=r't.csv: no column "income". Did you mean "Income"\?'):
        groups.predict(table_of(POINTS, ("age", "Income")))
    text = table_of(POINTS[:, :1], ("age",), income=pl.lit("much"))
    with pytest.raises(InvalidData, match='column "income" must hold numbers, but is text'):
        groups.predict(text)


def test_plain_estimators_place_tables_too():
    """Law: an estimator takes its columns by name if it knows them, else all numeric ones."""
    frame = pd.DataFrame(POINTS, columns=["age", "income"])
    table = table_of(POINTS[:, ::-1], ("income", "age"))
    named = KMeans(3, random_state=0).fit(frame)
    np.testing.assert_array_equal(predict_table(named, table), named.labels_)
    plain = KMeans(3, random_state=0).fit(POINTS)
    np.testing.assert_array_equal(predict_table(plain, table_of(POINTS)), plain.labels_)
    with pytest.raises(InvalidData, match="the model needs 2 columns of numbers, got 1: age"):
        predict_table(plain, table_of(POINTS[:, :1], ("age",)))
    with pytest.raises(ModelFileError, match="a Scaling cannot predict new rows: it has no predict"):
        predict_table(Scaling("none", np.zeros(2), np.ones(2)), table)


def test_only_ways_out_that_work_are_named():
    """Law: where the fit had no gaps, a new row with one may be left out; its median is nobody's."""
    X = np.r_[np.zeros((20, 2)), np.ones((20, 2)) * 9] + np.arange(80).reshape(40, 2) % 7 / 10
    found = coterie.fit(X, "kmeans", 2, believe=False)
    new = np.array([[0.1, np.nan], [9.0, 9.2]])
    with pytest.raises(InvalidData, match="Use missing='drop', or fill them first"):
        found.predict(new)
    with pytest.raises(
        InvalidParameter, match=r'needs the medians of the fit, which had no gaps to fill\. Use "drop"'
    ):
        found.predict(new, missing="median")
    with pytest.raises(InvalidParameter, match=r'found by observed cells, got others\. Use "drop"'):
        found.predict(new, missing="observed")
    assert found.predict(new, missing="drop").mask.tolist() == [True, False]
    gaps = np.vstack([X, [[0.2, np.nan]]])
    filled = coterie.fit(gaps, "kmeans", 2, believe=False, missing="median")
    assert filled.predict(new)[1] == filled.labels[39]
    with pytest.raises(InvalidData, match="Use missing='drop' or 'median', or fill them first"):
        filled.predict(new, missing="refuse")
