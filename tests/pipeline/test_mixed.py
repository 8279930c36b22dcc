"""`coterie.fit` of tables with numbers and categories."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pandas
import polars
import pytest

import coterie
from coterie.data import as_table, prepare_rows
from coterie.errors import DataNotice, InvalidParameter
from coterie.evaluate import adjusted_rand_score
from coterie.evaluate.belief import MixedColumns, NullMixedRows
from coterie.pipeline.candidates import Candidate, MixedPoints, Task, propose
from coterie.pipeline.choose_method import valleys_of
from coterie.pipeline.request import make_request
from tests.mixed_tables import WITH, WITHOUT, customers, mixed_table


def quick(frame, **options):
    """Return the answer without resamples and draws, which cost most of the time."""
    return coterie.fit(frame, budget="fast", believe=False, **options)


@pytest.fixture(scope="module")
def found():
    frame, group = customers()
    return coterie.fit(frame, budget="fast"), group


def test_tables_without_groups_are_given_none():
    """Law: of twenty tables whose columns are independent, correlated or skewed, at most one is split."""
    loud = [(kind, seed) for kind in WITHOUT for seed in range(5) if quick(mixed_table(kind, seed)[0]).k > 1]
    assert len(loud) <= 1, loud


@pytest.mark.parametrize("kind", WITH)
def test_planted_groups_are_found(kind):
    """Law: three planted groups are found in at least two of three tables, nearly all rows in theirs."""
    right = 0
    for seed in range(3):
        frame, group = mixed_table(kind, seed)
        answer = quick(frame)
        right += answer.k == 3 and adjusted_rand_score(group, answer.labels) > 0.75
    assert right >= 2


def test_candidates_are_what_their_estimators_find():
    """Law: distances that are found once for all methods give the groups of a method that finds its own."""
    rng = np.random.default_rng(4)
    group = rng.integers(0, 3, 150)
    rows = np.column_stack(
        [rng.normal(2.0 * group), (group + rng.integers(0, 2, 150)) % 4, rng.integers(0, 2, 150)]
    )
    rows[rng.random(rows.shape) < 0.05] = np.nan
    columns, request = MixedColumns((0, 4, 2)), make_request("auto", "2..4", budget="fast")
    task = Task(valleys_of(rows, request, columns), (2, 3, 4), request, MixedPoints(rows, columns))
    for method in ("kmedoids", "agglomerative", "hdbscan"):
        for parameters, labels in propose(method, task):
            alone = Candidate(method, 2, labels, {}, "", parameters, columns.n_levels).make().fit(rows)
            assert adjusted_rand_score(alone.labels_, labels) == 1.0, (method, parameters)


def test_null_rows_keep_margins_association_and_gaps():
    """Law: null rows have the shares, the correlations and the missing cells of the rows."""
    rng = np.random.default_rng(0)
    trait = rng.normal(size=600)
    x = trait + 0.5 * rng.normal(size=600)
    c = np.digitize(trait + 0.5 * rng.normal(size=600), [-0.5, 0.5]).astype(float)
    rows = np.column_stack([(x - x.mean()) / x.std(), c])
    rows[rng.random(rows.shape) < 0.1] = np.nan
    drawn = NullMixedRows(rows, MixedColumns((0, 3))).draw(np.random.default_rng(1))
    assert (np.isnan(drawn) == np.isnan(rows)).all()
    both = ~np.isnan(rows).any(axis=1)
    wanted, got = (np.corrcoef(each[both].T)[0, 1] for each in (rows, drawn))
    assert abs(wanted - got) < 0.08
    shares = [np.bincount(each[both, 1].astype(int)) / both.sum() for each in (rows, drawn)]
    assert np.abs(shares[0] - shares[1]).max() < 0.04


def test_independent_columns_become_one_cloud():
    """Law: points of independent columns are uncorrelated, with mean 0 and standard deviation 1."""
    rng = np.random.default_rng(0)
    rows = np.column_stack([rng.normal(size=900), rng.integers(0, 4, 900), rng.random(900) < 0.1])
    points = MixedColumns((0, 4, 2)).points(rows.astype(float))
    correlations = np.corrcoef(points.T)
    assert np.abs(correlations - np.eye(3)).max() < 0.12
    assert np.allclose(points.std(axis=0), 1.0)
    assert len(np.unique(points[:, 2])) == 900


def test_tables_of_numbers_take_the_same_way_as_before():
    """Law: without text, nothing is a category: yes and no stay numbers, and points are the same."""
    frame = customers()[0].select("age", "spend", "member")
    plain, asked = (prepare_rows(as_table(frame), categories=wanted) for wanted in (False, True))
    assert asked.levels == ()
    assert np.array_equal(plain.points, asked.points)
    assert plain.scaling.how == asked.scaling.how


def test_answer_of_customers(found):
    """Law: groups, words, rules and JSON speak of categories by name; the null and stability are tested."""
    answer, group = found
    assert answer.k == 3
    assert answer.convincing is True
    assert adjusted_rand_score(group, answer.labels) > 0.8
    assert answer.groups.columns == ("age", "spend", "plan", "channel", "member")
    text = str(answer)
    way_out = 'drop=["plan", "channel", "member"] leaves them out'
    assert f"plan, channel, member used as categories; {way_out}" in text
    assert "remark (text with 150 different values)" in text
    assert "and categories" in text
    words = [answer.profile.words(at) for at in range(3)]
    assert any("plan = " in each and "points)" in each for each in words)
    facts = json.loads(json.dumps(answer.profile.to_dict()))
    shares = [one for each in facts for one in each["apart"] if "share" in one]
    assert shares
    assert all(0 <= one["share"] <= 1 for one in shares)
    assert "plan = free" in answer.to_frame().columns


def test_shares_are_those_of_the_rows(found):
    """Law: a share of the profile is the share of the rows of the group that have the category."""
    answer, _ = found
    frame = customers()[0]
    at = answer.profile.columns.index("plan = pro")
    for group in range(3):
        inside = frame.filter(polars.Series(answer.labels == group))
        assert answer.profile.means[group, at] == pytest.approx((inside["plan"] == "pro").mean())


def test_models_are_saved_and_predict_unseen_categories(found, tmp_path):
    """Law: a saved answer places rows as the fit did; a category that is new is named in a notice."""
    answer, _ = found
    answer.save(tmp_path / "model.coterie")
    loaded = coterie.load(tmp_path / "model.coterie")
    frame = customers()[0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.array_equal(loaded.predict(frame), answer.predict(frame.to_pandas()))
    assert np.mean(loaded.predict(frame) == answer.labels) == 1.0
    new = frame.head(2).with_columns(plan=polars.Series(["gold", "gold"]))
    with pytest.warns(DataNotice, match=r'plan \("gold"\)'):
        assert loaded.predict(new).tolist() == answer.labels[:2].tolist()


def test_report_shows_shares_and_a_map(found, tmp_path):
    """Law: the page has the shares of categories, the columns of the table, and the map of factors."""
    answer, _ = found
    page = answer.report(tmp_path / "page.html").read_text()
    assert "factor analysis of mixed data" in page
    assert "points</span>" in page
    assert "5 columns" in page


@pytest.mark.parametrize(
    ("options", "method"),
    [
        ({"method": "kprototypes", "k": 3}, "kprototypes"),
        ({"method": "latent-classes", "k": 3}, "latent-classes"),
        ({"method": "kmedoids", "k": 3, "distance": "gower"}, "kmedoids"),
        (
            {"method": "agglomerative", "k": 3, "distance": "gower", "set": {"linkage": "average"}},
            "agglomerative",
        ),
        ({"method": "kmodes", "k": 3}, "kmodes"),
    ],
)
def test_methods_that_are_named_use_categories(options, method, tmp_path):
    """Law: a named method runs on numbers and categories, is saved, and places the rows as it did."""
    frame, group = customers()
    answer = quick(frame, **options)
    assert answer.method == method
    assert answer.k == 3
    assert "plan" in answer.groups.columns
    assert adjusted_rand_score(group, answer.labels) > (0.4 if method == "kmodes" else 0.7)
    answer.save(tmp_path / "model.coterie")
    placed = coterie.load(tmp_path / "model.coterie").predict(frame)
    assert np.array_equal(placed, answer.predict(frame))
    assert np.mean(placed == answer.labels) > (0.9 if method == "agglomerative" else 0.98)


def test_kmodes_leaves_numbers_out():
    """Law: k-modes takes the categories and says so of the numbers."""
    answer = quick(customers()[0], method="kmodes", k=3)
    reasons = {one.name: one.reason for one in answer.groups.left_out}
    assert answer.groups.columns == ("plan", "channel", "member")
    assert reasons["age"] == "a number, which k-modes does not take"


def test_methods_for_numbers_say_that_categories_are_left_out():
    """Law: k-means takes the numbers, with a note; a category that is named is refused."""
    frame = customers()[0]
    answer = quick(frame, method="kmeans", k=3)
    assert answer.groups.columns == ("age", "spend", "member")
    assert any(
        note.startswith("plan, channel: categories, which are not used by k-means") for note in answer.notes
    )
    with pytest.raises(InvalidParameter, match="plan: a category, which is not used by k-means"):
        quick(frame, method="kmeans", k=3, keep="plan")


def test_columns_in_any_order_and_rows_in_any_order_give_the_same_groups():
    """Law: neither the order of the columns nor that of the rows changes the groups."""
    frame, _ = customers(90)
    answer = quick(frame)
    turned = quick(frame.select(frame.columns[::-1]).reverse())
    assert turned.k == answer.k
    assert adjusted_rand_score(np.asarray(turned.labels)[::-1], answer.labels) == 1.0


def test_missing_cells_are_left_as_they_are_or_as_asked():
    """Law: "auto" groups every row by the cells it has; "drop" leaves rows out, "refuse" names the places."""
    frame = customers()[0].with_columns(
        polars.when(polars.int_range(polars.len()) % 10 == 0)
        .then(None)
        .otherwise(polars.col("plan"))
        .alias("plan")
    )
    options = {"method": "kprototypes", "k": 3}
    assert quick(frame, **options).groups.n_grouped == 150
    assert quick(frame, missing="drop", **options).groups.n_grouped == 135
    with pytest.raises(coterie.errors.InvalidData, match='column "plan" has 15 missing values'):
        quick(frame, missing="refuse", **options)


def test_classes_and_constants_of_text_stay_out():
    """Law: text called like classes is for --truth, unless it is kept; one value says nothing."""
    frame = customers()[0].with_columns(species=polars.col("plan"), note=polars.lit("text"))
    roles = {one.column: (one.role, one.why) for one in coterie.inspect(frame).columns}
    answer = quick(frame, method="kprototypes", k=3)
    reasons = {one.name: one.reason for one in answer.groups.left_out}
    assert reasons["species"] == "classes"
    assert reasons["note"] == "constant"
    assert {name for name, (role, _) in roles.items() if role == "used"} == set(answer.groups.columns)
    assert all(roles[name][1] == reason for name, reason in reasons.items())
    kept = quick(frame, method="kprototypes", k=3, keep="species")
    assert "species" in kept.groups.columns


def test_frames_of_pandas_with_categories_give_the_same_answer():
    """Law: text, pandas categories and booleans are categories alike."""
    frame = customers()[0]
    other = frame.to_pandas().astype({"plan": "category"})
    other["member"] = other["member"] == "yes"
    assert isinstance(other, pandas.DataFrame)
    options = {"method": "kprototypes", "k": 3}
    assert np.array_equal(quick(other, **options).labels, quick(frame, **options).labels)


def test_blocks_say_which_categories_a_method_does_not_take(tmp_path):
    """Law: a method for numbers groups data in blocks by their numbers, and a note names the categories."""
    from coterie.scale import fit

    frame = customers()[0]
    for at in range(2):
        frame.slice(75 * at, 75).write_csv(tmp_path / f"part{at}.csv")
    answer = fit(str(tmp_path / "*.csv"), budget="fast", believe=False, k=3, method="kmeans")
    assert any("plan, channel: categories, which are not used by k-means" in note for note in answer.notes)
