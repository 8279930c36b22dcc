"""`coterie fit --series`: long and wide tables of time series, by every door, and what is refused."""

import json

import numpy as np
import polars
import pytest

import coterie
import series_oracles as slow
from coterie.cli.app import run
from coterie.errors import CoterieError
from coterie.evaluate import adjusted_rand_score
from coterie.pipeline.series import SeriesRows
from coterie.series import normalise, pairwise

WAVES, KINDS = slow.waves(30, n_points=24)
SENSORS = "sensor,hour,kwh"
ASKED = {"method": "kmedoids", "k": 3, "believe": False}


def long_table(series=WAVES, **columns):
    """Return a long table of series, its points in another order."""
    points = [(f"s{at:02d}", hour, value) for at, one in enumerate(series) for hour, value in enumerate(one)]
    rows = polars.DataFrame(points, schema=["sensor", "hour", "kwh"], orient="row")
    return rows.with_columns(**columns).sample(fraction=1.0, shuffle=True, seed=1)


@pytest.fixture
def sensors(tmp_path):
    """Write the long table and return its path."""
    long_table().write_csv(tmp_path / "sensors.csv")
    return tmp_path / "sensors.csv"


def groups_of(found):
    """Return the group of each series by its id."""
    table = found.rows.prepared.table
    return dict(zip(table.content[table.keys[0]].to_list(), found.labels.tolist(), strict=True))


def test_every_door_gives_the_same_groups(sensors, tmp_path, capsys):
    """Law: shell and Python, long and wide tables, lists and arrays give the same groups."""
    found = coterie.fit(sensors, series="sensor,hour,kwh", **ASKED)
    by_id = groups_of(found)
    labels = [by_id[f"s{at:02d}"] for at in range(30)]
    assert adjusted_rand_score(KINDS, labels) > 0.9
    wide = polars.DataFrame(WAVES).with_columns(name=polars.Series([f"s{at:02d}" for at in range(30)]))
    for other in (
        coterie.fit(long_table(), series=["sensor", "hour", "kwh"], **ASKED),
        coterie.fit(wide, series="rows", **ASKED),
    ):
        assert adjusted_rand_score(labels, [groups_of(other)[f"s{at:02d}"] for at in range(30)]) == 1.0
    for other in (list(WAVES), WAVES[:, :, None]):
        assert adjusted_rand_score(labels, coterie.fit(other, series="rows", **ASKED).labels) == 1.0
    out = tmp_path / "groups.csv"
    words = ["fit", str(sensors), "--series", "sensor,hour,kwh", "--method", "kmedoids", "-k", "3"]
    assert run([*words, "--no-believe", "--json", "-o", str(out)]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["k"] == 3
    written = polars.read_csv(out)
    assert written.columns == ["sensor", "label", "group"]
    assert dict(zip(written["sensor"], written["label"], strict=True)) == by_id


def test_the_distances_are_those_of_normalised_series():
    """Law: the matrix is that of `pairwise` of normalised series, with a tenth of the length as window."""
    found = coterie.fit(list(WAVES), series="rows", **ASKED)
    assert isinstance(found.rows, SeriesRows)
    np.testing.assert_array_equal(found.rows.distances, pairwise(normalise(WAVES), window=2))
    assert any("z-normalised" in str(note) for note in found.notes)
    raw = coterie.fit(list(WAVES), series="rows", distance="msm", scale="none", window="none", **ASKED)
    np.testing.assert_array_equal(raw.rows.distances, pairwise(WAVES, metric="msm"))
    assert "30 series; msm distances" in str(raw)
    wider = coterie.fit(list(WAVES), series="rows", window=7, scale="minmax", **ASKED)
    expected = pairwise(normalise(WAVES, how="range"), window=7)
    np.testing.assert_array_equal(wider.rows.distances, expected)


def test_groups_are_chosen_and_tested(small_budget):
    """Law: without k, the number of shapes is found; a truth per series is compared with, not used."""
    table = long_table(kind=polars.lit("x"))
    truth = polars.DataFrame({"sensor": [f"s{at:02d}" for at in range(30)], "kind": [str(k) for k in KINDS]})
    table = table.drop("kind").join(truth, on="sensor")
    found = coterie.fit(table, series="sensor,hour,kwh", truth="kind", budget="fast")
    assert found.k == 3
    assert found.comparison["adjusted_rand_score"] > 0.9
    assert found.stability is not None
    assert coterie.fit(table, series="sensor,hour,kwh", truth="kind", budget="fast").labels.tolist() == (
        found.labels.tolist()
    )


def test_lengths_and_columns_may_differ():
    """Law: series of different lengths and several columns are grouped, with a note on the lengths."""
    series = [one[: 24 - at % 4] for at, one in enumerate(WAVES)]
    table = long_table(series).with_columns(twice=2 * polars.col("kwh"))
    found = coterie.fit(table, series="sensor,hour,kwh,twice", **ASKED)
    assert found.rows.series.n_columns == 2
    assert any("21 to 24 points" in str(note) for note in found.notes)
    padded = np.full((30, 24), np.nan)
    for at, one in enumerate(series):
        padded[at, : len(one)] = one
    other = coterie.fit(
        polars.DataFrame(padded, schema=[f"t{at}" for at in range(24)]), series="rows", **ASKED
    )
    assert any("21 to 24 points" in str(note) for note in other.notes)


def test_the_report_draws_the_series(sensors, tmp_path):
    """Law: every card of the report holds the lines of its group and names its medoid."""
    page = tmp_path / "groups.html"
    found = coterie.fit(str(sensors), series="sensor,hour,kwh", **ASKED)
    text = found.report(page).read_text()
    assert text.count('<svg class="series"') >= 3
    members = np.flatnonzero(np.asarray(found.labels) == 0)
    apart = found.rows.distances[np.ix_(members, members)].sum(axis=1)
    middle = found.rows.prepared.table.content["sensor"][int(members[apart.argmin()])]
    assert f"thick: {middle}, the medoid" in text
    assert '<span class="word">sensor,hour,kwh</span>' in text
    assert "axis 1" not in text.split('class="cards"')[1].split("</section>")[0]


def test_answers_are_saved_and_place_no_series(tmp_path):
    """Law: a saved answer is loaded with its labels; new rows are refused, as for any matrix of distances."""
    found = coterie.fit(list(WAVES), series="rows", **ASKED)
    found.save(tmp_path / "m")
    assert coterie.load(tmp_path / "m").labels.tolist() == found.labels.tolist()
    with pytest.raises(CoterieError, match="these groups cannot predict new rows"):
        found.predict(WAVES)


@pytest.mark.parametrize(
    ("data", "asked", "words"),
    [
        (long_table(), {"series": "sensor,hour"}, "must name the columns of a long table"),
        (long_table(), {"series": "sensor,when,kwh"}, "when"),
        (long_table(), {"series": "sensor,hour,kwh", "scale": "robust"}, "scale of coterie.fit must be"),
        (
            long_table(),
            {"series": SENSORS, "distance": "euclid"},
            "no such distance of time series",
        ),
        (long_table(), {"series": "sensor,hour,kwh", "window": -1}, "window of coterie.fit must be"),
        (long_table(), {"series": "sensor,hour,kwh", "distance": "sbd", "window": 3}, "has no window"),
        (long_table(), {"series": "sensor,hour,kwh", "drop": "kwh"}, "drop of coterie.fit is not for series"),
        (long_table(), {"series": "sensor,hour,kwh", "missing": "drop"}, "missing of coterie.fit"),
        (long_table(), {"series": "sensor,hour,kwh", "k": 31}, "must be at most 30"),
        (long_table(), {"window": 3}, "window of coterie.fit is for time series"),
        (long_table().vstack(long_table()[:1]), {"series": "sensor,hour,kwh"}, "two points at the same"),
        (long_table(kwh=polars.lit(None)), {"series": "sensor,hour,kwh"}, 'has no "kwh" in row 1'),
        (long_table(sensor=polars.lit(None)), {"series": "sensor,hour,kwh"}, "has no id in row 1"),
        (long_table(WAVES[:2]), {"series": "sensor,hour,kwh"}, "needs at least 4 rows, got 2"),
        (
            long_table(kind=polars.col("hour")),
            {"series": SENSORS, "truth": "kind"},
            "several values",
        ),
        (polars.DataFrame({"a": ["x", "y"]}), {"series": "rows"}, "no column holds numbers"),
        ([[1.0, np.nan, 2.0]] * 5, {"series": "rows"}, "NaN inside a series"),
    ],
    ids=lambda value: str(value)[:60] if isinstance(value, dict) else "",
)
def test_wrong_tables_and_options_are_refused(data, asked, words):
    """Law: what is wrong is refused in plain words, before any groups are looked for."""
    with pytest.raises(CoterieError, match=words):
        coterie.fit(data, **asked)


def test_options_of_the_shell_that_exclude_each_other(sensors, capsys):
    """Law: --series goes neither with --graph nor with --text nor with --with-data."""
    for words in (["--graph"], ["--text", "kwh"], ["--with-data", "-o", "-"]):
        assert run(["fit", str(sensors), "--series", "sensor,hour,kwh", *words]) == 2
        assert "exclude each other" in capsys.readouterr().err
    assert run(["fit", str(sensors), "--series", "rows,of", "--window", "x"]) == 2
    assert "--series must be ID,TIME,VALUE" in capsys.readouterr().err
