"""Notes name options as their reader writes them: those of the shell, or those of Python."""

import html
import re

import numpy as np
import pytest

import coterie

OF_PYTHON = re.compile(r"""\b(?:keep|drop|dates|missing|scale|k|method)=[\["'\d]""")
OF_SHELL = re.compile(r"--(?:keep|drop|dates|missing|scale|method)\b")


@pytest.fixture
def shop(tmp_path, monkeypatch):
    """Return a folder with a table of sentinels, years, postal codes, dates and gaps, and work in it."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    lines = ["zip,joined,year,size,age,plan,groups"]
    for at in range(90):
        size = -999 if at in (5, 50) else f"{rng.normal(at % 3 * 8, 1):.3f}"
        age = "" if at == 7 else f"{rng.normal(at % 3 * 5, 1):.3f}"
        made = f"2024-0{1 + at % 9}-11"
        lines.append(f"0{7000 + at % 40},{made},{1990 + at % 25},{size},{age},{'abc'[at % 3]},{at % 3}")
    (tmp_path / "shop.csv").write_text("\n".join(lines) + "\n")
    return tmp_path


def notes_of(page):
    """Return the notes of a page."""
    found = re.search(r"<dt>Notes</dt><dd>(.*?)</dd>", page.read_text(), flags=re.DOTALL)
    return html.unescape(found[1])


@pytest.mark.parametrize(
    "line",
    [
        "fit shop.csv -k 3 --method kmeans --no-believe --drop groups",
        "fit shop.csv -k 3 --method kmeans --no-believe --drop groups --json",
        "select shop.csv -k 2..4 --drop groups",
        "select shop.csv -k 2..4 --drop groups --json",
        "tree shop.csv --cut 3 --drop groups",
        "tree shop.csv --cut 3 --drop groups --json",
        "inspect shop.csv",
        "inspect shop.csv --json",
        "evaluate shop.csv --column groups --data shop.csv --missing drop",
        "evaluate shop.csv --column groups --data shop.csv --missing drop --json",
    ],
)
def test_the_shell_is_told_of_options_of_the_shell(shop, cli, line):
    """Law: what a command prints names no option as Python writes it."""
    code, out, err = cli(*line.split())
    assert (code, err) == (0, "")
    assert OF_PYTHON.findall(out) == []
    if not line.startswith("evaluate"):  # it has no option to name
        assert OF_SHELL.search(out)


def test_a_report_speaks_as_its_maker(shop, cli):
    """Law: the notes of a report from the shell name options of the shell, from Python those of Python."""
    options = ("-k", 3, "--method", "kmeans", "--no-believe", "--drop", "groups")
    assert cli("fit", "shop.csv", *options, "--report", "shell.html")[0] == 0
    said = notes_of(shop / "shell.html")
    assert "--keep size uses them" in said
    assert OF_PYTHON.findall(said) == []
    found = coterie.fit("shop.csv", k=3, method="kmeans", believe=False, drop=["groups"])
    said = notes_of(found.report("python.html"))
    assert 'keep=["size"] uses them' in said
    assert OF_SHELL.findall(said) == []
