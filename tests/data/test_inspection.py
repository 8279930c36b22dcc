"""What `coterie inspect` shows of the columns of a table."""

import json
import sqlite3

import numpy as np
import pandas
import polars as pl
import pytest

import coterie
from coterie.cli.app import run
from coterie.data import prepare_rows, read_table
from coterie.data.frames import as_table
from coterie.errors import InvalidData, InvalidParameter


@pytest.fixture
def path(tmp_path):
    rng = np.random.default_rng(0)
    n = 200
    frame = pl.DataFrame(
        {
            "customer_id": rng.permutation(9000)[:n],
            "spend": [f"${value:,.2f}" for value in rng.normal(2000, 300, n)],
            "age": ["unknown" if at % 10 == 0 else str(20 + at % 60) for at in range(n)],
            "score": [-999 if at % 50 == 0 else at % 11 for at in range(n)],
            "height": ["170 cm" if at % 2 else "1.7 m" for at in range(n)],
            "joined": ["2020-01-02", "2021-03-04"] * (n // 2),
            "town": ["Ulm", "Bonn", "Rom", "Paris"] * (n // 4),
            "plan": ["basic"] * n,
            "zip": rng.choice([89073, 10115], n),
            "void": [None] * n,
        }
    )
    frame.write_csv(tmp_path / "t.csv")
    return tmp_path / "t.csv"


def test_every_column_has_its_line(path):
    """Law: kind, role, missing share and remedy of each column agree with what `coterie.fit` does."""
    found = coterie.inspect(path)
    facts = {one.column: one for one in found.columns}
    assert {name: one.kind for name, one in facts.items()} == {
        "customer_id": "whole number",
        "spend": "money in $",
        "age": "whole number",
        "score": "whole number",
        "height": "text",
        "joined": "date",
        "town": "category",
        "plan": "text",
        "zip": "whole number",
        "void": "empty",
    }
    choice = prepare_rows(read_table(path), categories=True, associated=True).choice
    assert [one.column for one in found.columns if one.role == "used"] == list(choice.used)
    assert {one.name: one.reason for one in choice.left_out} == {
        one.column: one.why for one in found.columns if one.role == "left out"
    }
    assert facts["age"].missing == pytest.approx(0.1)
    assert facts["age"].why == '20 cells "unknown" taken as missing'
    assert facts["score"].missing == pytest.approx(0.02)
    assert facts["score"].why.startswith("4 cells -999 taken as missing")
    assert facts["height"].why == "mixed units: cm (100), m (100)"
    assert facts["height"].remedy == "Convert it to one unit first."
    assert facts["zip"].remedy == 'To use it: keep=["zip"].'
    assert facts["town"].histogram == (50, 50, 50, 50)
    assert sum(facts["spend"].histogram) == 200
    assert facts["void"].bars == ""


def test_options_change_the_roles(path):
    """Law: drop, keep and dates do here what they do in `coterie.fit`."""
    roles = {one.column: one for one in coterie.inspect(path, drop="age", keep=["zip"], dates="year").columns}
    assert (roles["age"].role, roles["age"].why) == ("left out", "dropped")
    assert roles["zip"].role == "used"
    assert (roles["joined"].role, roles["joined"].kind) == ("used", "date, year")
    with pytest.raises(InvalidParameter, match=r'no column "zipp". Did you mean "zip"'):
        coterie.inspect(path, keep="zipp")


@pytest.mark.parametrize("keep", [(), ("rare",)])
@pytest.mark.parametrize("names", [["x", "rare"], ["rare"]])
def test_mostly_empty_columns(keep, names):
    """Law: a column that lacks more than half of its values has the role that `coterie.fit` gives it."""
    frame = pl.DataFrame({"x": [1.0, 2, 3, 9, 8], "rare": [None, None, None, 1.5, 2.5]}).select(names)
    found = coterie.inspect(frame, keep=keep)
    choice = prepare_rows(as_table(frame), keep=keep).choice
    assert [one.column for one in found.columns if one.role == "used"] == list(choice.used)
    left_out = [(one.column, one.why, one.remedy) for one in found.columns if one.role == "left out"]
    assert left_out == [(one.name, one.reason, 'To use it: keep=["rare"].') for one in choice.left_out]


def test_one_row_and_one_column_are_singular():
    """Law: the title counts in English."""
    assert coterie.inspect({"x": [1.0]}).title.endswith("   1 row, 1 column, 0 used")


def test_arrays_are_looked_at_too():
    """Law: a matrix has columns of numbers, all of them used."""
    X = np.array([[1.0, np.nan], [2.0, 5.0], [3.0, 9.0]])
    found = coterie.inspect(X)
    assert [(one.column, one.role) for one in found.columns] == [("column_1", "used"), ("column_2", "used")]
    assert found.columns[1].missing == pytest.approx(1 / 3)


def test_shell_and_json(path, capsys):
    """Law: the shell prints a table with a line per column; --json has the facts of Python."""
    assert run(["inspect", str(path)]) == 0
    out = capsys.readouterr().out
    assert "200 rows, 10 columns, 3 used" in out
    assert "money in $" in out
    assert "█" in out
    assert run(["inspect", str(path), "--json", "--drop", "age"]) == 0
    assert json.loads(capsys.readouterr().out) == coterie.inspect(path, drop="age").in_shell().to_dict()
    assert "money in $" in str(coterie.inspect(path))
    assert "rows, 10 columns" in repr(coterie.inspect(path))


def test_very_many_categories_and_odd_types(tmp_path):
    """Law: 100,000 categories, one category, lists and names with control characters are looked at."""
    n = 100_000
    frame = pl.DataFrame(
        {
            "word": [f"w{at}" for at in range(n)],
            "one": ["a"] * n,
            "list": [[1, 2], [1]] * (n // 2),
            "evil\x1b[2J": np.arange(n) % 7 * 1.5,
        }
    )
    found = coterie.inspect(frame)
    assert [one.role for one in found.columns] == ["left out", "left out", "left out", "used"]
    assert found.columns[0].n_different == n
    assert "\x1b" not in str(found)


def test_infinite_numbers_are_refused_as_fit_does():
    """Law: a column with an infinite number, which fit refuses, is not called used."""
    frame = pandas.DataFrame({"a": [1.0, np.inf, 3.0, 2.0], "b": [1.0, 2.0, 4.0, 3.5]})
    facts = {one.column: one for one in coterie.inspect(frame).columns}
    assert (facts["a"].role, facts["b"].role) == ("refused", "used")
    assert facts["a"].why == "1 infinite value"
    with pytest.raises(InvalidData, match="infinite"):
        coterie.fit(frame)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("numbers", "histogram"),
    [
        ([1e25, np.nextafter(1e25, 1e26)] * 3, (3, 0, 0, 0, 0, 0, 0, 3)),  # too near for bins between them
        ([-1.7e308, 0.0, 1.7e308], (1, 0, 0, 0, 1, 0, 0, 1)),  # a range that overflows
        ([0.0, 5e-324], (1, 0, 0, 0, 0, 0, 0, 1)),
        ([4.0, 4.0], (0, 0, 0, 0, 2, 0, 0, 0)),
        ([0.0, 0.0], (0, 0, 0, 0, 2, 0, 0, 0)),
    ],
)
def test_histograms_of_numbers_at_the_limits(numbers, histogram):
    """Law: whatever finite numbers a column has, they are counted in eight bins of equal width."""
    (facts,) = coterie.inspect(pandas.DataFrame({"a": numbers})).columns
    assert facts.histogram == histogram


def test_what_cannot_be_kept():
    """Law: what fit refuses to keep, inspect refuses in the same words."""
    days = pandas.to_datetime(["2024-01-01", "2024-01-03", "2024-02-01", "2024-01-09"])
    frame = pandas.DataFrame({"day": days, "b": [1.0, 2.0, 4.0, 3.5]})
    said = []
    for look in (coterie.inspect, coterie.fit):
        with pytest.raises(InvalidParameter, match='column "day" cannot be kept: it is a date') as caught:
            look(frame, keep=["day"])
        said.append(str(caught.value))
    assert said[0] == said[1]


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("kind", ["M8", "m8"])
def test_times_of_every_unit(kind, unit):
    """Law: dates and durations in seconds, which polars has not, are read as those in finer units."""
    times = np.array([5, 86_400, 7, 99], "m8[s]") + np.zeros(4, f"{kind}[{unit}]")
    times[2] = "NaT"
    frame = pandas.DataFrame({"t": times, "b": [1.0, 2.0, 4.0, 3.5]})
    expected = frame.astype({"t": f"{kind}[us]"})
    assert frame["t"].dtype == np.dtype(f"{kind}[{unit}]")
    assert coterie.inspect(frame).columns == coterie.inspect(expected).columns


def test_times_beyond_every_calendar():
    """Law: seconds too many for milliseconds are texts of NumPy, not other dates."""
    frame = pandas.DataFrame({"t": np.array([0, 2**62], "M8[s]"), "b": [1.0, 2.0]})
    read = coterie.read.as_table(frame).content["t"].to_list()
    assert read == ["1970-01-01T00:00:00", str(np.int64(2**62).view("M8[s]"))]


def test_whole_numbers_with_gaps_are_whole_from_everywhere(tmp_path):
    """Law: gaps do not make whole numbers floats, whether they come from a file, a database or a frame."""
    cells = [7, 3, None, 12, 5, 900]
    lines = [f"{'' if cell is None else cell},{i / 7}" for i, cell in enumerate(cells)]
    (tmp_path / "t.csv").write_text("\n".join(["a,b", *lines]) + "\n")
    with sqlite3.connect(tmp_path / "t.db") as database:
        database.execute("create table t (a, b)")
        database.executemany("insert into t values (?, ?)", [(c, i / 7) for i, c in enumerate(cells)])
    database.close()
    frame = pandas.DataFrame({"a": cells, "b": [i / 7 for i in range(6)]})
    for data in (tmp_path / "t.csv", tmp_path / "t.db", frame, frame.convert_dtypes()):
        kinds = {one.column: one.kind for one in coterie.inspect(data).columns}
        assert kinds == {"a": "whole number", "b": "number"}


def test_rows_that_are_copies_are_counted():
    """Law: where a column tells rows apart, rows that are equal in all columns are said to be copies."""
    frame = pl.DataFrame({"who": [f"p{at}" for at in range(20)], "x": [0.5, 1.5] * 10})
    assert coterie.inspect(frame).notes == ()
    assert coterie.inspect(pl.concat([frame, frame[:3]])).notes == ("3 rows are copies of others",)
    answers = pl.DataFrame({"q1": [1, 2] * 20, "q2": [1, 1, 2, 3] * 10})
    assert coterie.inspect(answers).notes == ()


LINKS = {"source": list("abcd"), "target": list("bcda"), "weight": [1.0, 2.0, 3.0, 4.0]}
STEPS = {"sensor": [*"aaaabbbb"], "time": [0, 1, 2, 3] * 2, "value": [0.5, 0.1, 0.7, 0.2, 3.0, 3.5, 3.1, 3.2]}


@pytest.mark.parametrize(
    ("table", "hint"),
    [
        (LINKS, "source and target look like links of a network; coterie.fit(graph=...)"),
        ({**LINKS, "target": list("wxyz")}, None),
        (STEPS, 'look like time series, one per sensor; series=["sensor", "time", "value"] groups these'),
        ({**STEPS, "time": [0, 0, 1, 1] * 2}, None),
        ({**STEPS, "time": list(range(8))}, None),
    ],
)
def test_links_and_series_are_recognised(table, hint):
    """Law: a table of links, or of values over time, is answered with a hint; other tables are not."""
    notes = coterie.inspect(pl.DataFrame(table)).notes
    assert (notes == ()) if hint is None else any(hint in note for note in notes)
    fitted = coterie.fit(
        pl.DataFrame({name: cells * 3 for name, cells in LINKS.items()}), "kmeans", 2, believe=False
    )
    assert any("links of a network" in note for note in fitted.notes)


def test_links_alone_are_refused_with_the_way_to_their_communities():
    """Law: the error about links between names, which leave no column to cluster by, says what takes them."""
    people = [f"person {at}" for at in range(60)]
    links = pl.DataFrame({"source": people, "target": people[1:] + people[:1]})
    with pytest.raises(InvalidData, match=r"look like links of a network; coterie\.fit\(graph=") as caught:
        coterie.fit(links)
    assert "--graph finds its communities" in caught.value.shell_text
