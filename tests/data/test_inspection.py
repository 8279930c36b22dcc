"""What `coterie inspect` shows of the columns of a table."""

import json

import numpy as np
import polars as pl
import pytest

import coterie
from coterie.cli.app import run
from coterie.data import prepare_rows, read_table
from coterie.data.frames import as_table
from coterie.errors import InvalidParameter


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
        "age": "number",
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
    assert facts["zip"].remedy == "To use it: --keep zip."
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
    assert left_out == [(one.name, one.reason, "To use it: --keep rare.") for one in choice.left_out]


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
    assert json.loads(capsys.readouterr().out) == coterie.inspect(path, drop="age").to_dict()
    assert "money in $" in str(coterie.inspect(path))
    assert "rows, 10 columns" in repr(coterie.inspect(path))


def test_very_many_categories_and_odd_types(tmp_path):
    """Law: 100,000 categories, one category, lists and names with control characters are looked at."""
    n = 100_000
    frame = pl.DataFrame(
        {
            "word": [f"w{at}" for at in range(n)],
            "one": ["a"] * n,
            "list": [[1, 2]] * n,
            "evil\x1b[2J": np.arange(n) % 7 * 1.5,
        }
    )
    found = coterie.inspect(frame)
    assert [one.role for one in found.columns] == ["left out", "left out", "left out", "used"]
    assert found.columns[0].n_different == n
    assert "\x1b" not in str(found)
