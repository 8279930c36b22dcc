"""``coterie fit`` without a number of groups, and ``coterie compare``."""

import json

import numpy as np
import pytest

from coterie.cli.app import run
from coterie.pipeline import make_request


@pytest.fixture
def rows(tmp_path, monkeypatch):
    """Write a table of three groups, with classes and a key."""
    rng = np.random.default_rng(0)
    monkeypatch.chdir(tmp_path)
    lines = ["id,kind,x,y"]
    for kind, centre in enumerate(([0, 0], [9, 0], [0, 9])):
        lines += [
            f"{1000 + 60 * kind + at},k{kind},{x},{y}"
            for at, (x, y) in enumerate(rng.normal(centre, 1, (60, 2)))
        ]
    (tmp_path / "rows.csv").write_text("\n".join(lines) + "\n")
    return tmp_path


def test_the_answer_comes_first(rows, capsys):
    """Law: how many groups, how stable, whether the null is rejected, then what sets them apart."""
    assert run(["fit", "rows.csv", "--budget", "fast"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "rows.csv   180 rows; 3 columns used; left out: id (a key)"
    assert [line.split()[:2] for line in lines[2:5]] == [
        ["3", "groups"],
        ["stable", "mean"],
        ["Gaussian", "null"],
    ]
    assert lines[-3].endswith(" -o groups.csv")
    assert lines[-1].endswith(" --report groups.html")


def test_files_and_facts(rows, capsys):
    """Law: labels, model and JSON tell of the same groups; the model places new rows."""
    code = run(
        ["fit", "rows.csv", "--budget", "fast", "--truth", "kind", "--json", "-o", "g.csv", "--save", "m"]
    )
    assert code == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["k"] == 3
    assert facts["truth"]["adjusted_rand_score"] == 1.0
    assert facts["stability"]["overall"] > 0.9
    assert facts["significance"]["p_value"] < 0.05
    assert sum(group["size"] for group in facts["groups"]) == 180
    assert run(["predict", "m", "rows.csv", "-o", "again.csv"]) == 0
    assert (rows / "again.csv").read_text() == (rows / "g.csv").read_text()


def test_comparison(rows, capsys):
    """Law: a line per method, best first; the same as JSON."""
    assert run(["compare", "rows.csv", "--methods", "hdbscan,kmeans", "--budget", "fast"]) == 0
    out = capsys.readouterr().out
    assert "3 groups; best method: k-means" in out
    assert "HDBSCAN" in out
    assert run(["compare", "rows.csv", "--methods", "kmeans", "--truth", "kind", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["adjusted_rand"] == [1.0]


@pytest.mark.parametrize(
    ("k", "method", "settled"),
    [
        ("auto", "auto", False),
        ("5", "auto", False),
        ("5", "kmeans", True),
        ("2..5", "kmeans", False),
        ("auto", "kmeans", False),
        ("auto", "hdbscan", True),
        ("3", "kmeans,mixture", False),
    ],
)
def test_what_leaves_nothing_to_choose(k, method, settled):
    """Law: a method with its number, or one that takes none, is run as it is; all else is compared."""
    assert make_request(method, k).is_settled is settled
