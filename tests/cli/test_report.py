"""Reports from the command line: written, announced, opened, refused in one line."""

import html
import re
import sys
import webbrowser

import pytest

from coterie.cli.app import run


@pytest.fixture
def shop(tmp_path, monkeypatch):
    """Return a folder with the demo's table, and work in it; t-SNE places few rows."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("coterie.show.layout.planes.MOST_TSNE_ROWS", 40)
    assert run(["demo", "--copy", "customers.csv"]) == 0
    return tmp_path


def test_suggestions_can_be_typed(shop, cli, monkeypatch):
    """Law: what the answer suggests leaves out the files that exist by now, and names those that could be."""
    said = ["customers.csv", "-k", "5", "-o", "g.csv", "--force"]
    monkeypatch.setattr(sys, "argv", ["coterie", "fit", *said])
    out = cli("fit", *said)[1]
    assert out.endswith(
        "labels   written to g.csv\n"
        "model    coterie fit customers.csv -k 5 --save groups.safetensors\n"
        "report   coterie fit customers.csv -k 5 --report groups.html\n"
    )


def test_commands_that_are_offered_can_be_typed(tmp_path, monkeypatch, cli):
    """Law: options of a file that was written are left out of the commands for the other files."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("a,b\n" + "".join(f"{i % 3 * 9},{i % 7 / 9}\n" for i in range(30)))
    words = ["fit", "t.csv", "-k", "3", "--method", "kmeans", "--no-believe"]
    typed = [*words, "-o", "g.csv", "--with-data", "--escape-formulas"]
    monkeypatch.setattr("sys.argv", ["coterie", *typed])
    out = cli(*typed)[1]
    assert f"model    coterie {' '.join(words)} --save groups.safetensors\n" in out


def test_fit_writes_and_opens_a_report(shop, cli, monkeypatch):
    """Law: --report writes a page with the command that made it; --open shows it in the browser."""
    opened = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    code, out, _ = cli("fit", "customers.csv", "-k", 5, "--report", "groups.html", "--open")
    assert code == 0
    assert "report   written to groups.html" in out
    page = (shop / "groups.html").read_text()
    assert "<h1>5 groups</h1>" in page
    assert "Gaussian null rejected" in page
    assert "Back to 5" in page  # other numbers of groups are on the slider
    assert "customer_id" in page
    assert opened == [(shop / "groups.html").as_uri()]


def test_reports_are_refused_before_any_work(shop, cli):
    """Law: a name without .html, an existing file and --open without --report are answered in one line."""
    assert cli("fit", "customers.csv", "-k", 5, "--report", "groups.pdf")[::2] == (
        2,
        "coterie: groups.pdf: the name of a report must end in .html, got .pdf.\n",
    )
    (shop / "mine.html").write_text("mine")
    assert cli("fit", "customers.csv", "-k", 5, "--report", "mine.html")[::2] == (
        2,
        "coterie: mine.html exists. Use --force to replace it.\n",
    )
    assert cli("fit", "customers.csv", "-k", 5, "--open")[::2] == (
        2,
        "coterie: --open needs --report FILE: there is nothing else to open.\n",
    )
    assert (shop / "mine.html").read_text() == "mine"


def test_evaluate_reports_given_labels_against_the_truth(shop, cli):
    """Law: labels of a file are shown in the rows of the data, with the truth."""
    assert cli("fit", "customers.csv", "-k", 4, "-o", "four.csv")[0] == 0
    code, out, _ = cli(
        "evaluate", "four.csv", "--data", "customers.csv", "--truth", "city", "--report", "out.html"
    )
    assert code == 0
    assert "report   written to out.html" in out
    page = (shop / "out.html").read_text()
    assert "<h1>4 groups</h1>" in page
    assert "given by the column label of four.csv" in page
    assert "Against the truth" in page


def test_names_of_given_groups_are_in_the_head(shop, cli):
    """Law: where groups have names, the head of the page says which number is which."""
    (shop / "named.csv").write_text(
        "x,kind\n" + "".join(f"{at * 7 % 11}.5,{'ab'[at % 3 > 0]}\n" for at in range(30))
    )
    assert (
        cli("evaluate", "named.csv", "--column", "kind", "--data", "named.csv", "--report", "o.html")[0] == 0
    )
    assert "given by the column kind of named.csv: 1 is b, 2 is a<" in (shop / "o.html").read_text()


def test_lines_of_given_labels_make_the_same_page(shop, cli):
    """Law: the Python lines on the page, run as they stand, write the same page but for the command."""
    assert cli("fit", "customers.csv", "-k", 4, "-o", "four.csv")[0] == 0
    typed = ("evaluate", "four.csv", "--data", "customers.csv", "--truth", "city", "--missing", "drop")
    assert cli(*typed, "--report", "out.html")[0] == 0
    page = (shop / "out.html").read_text()
    lines = html.unescape(re.search(r'<pre id="python">(.*?)</pre>', page, re.DOTALL)[1])
    assert lines.splitlines()[-1] == (
        'report_labels("four.csv", "customers.csv", "customers.html", truth="city", missing="drop")'
    )
    exec(lines, {})
    again = (shop / "customers.html").read_text()
    without_command = re.compile(r'<div class="code"><p>In the shell.*?</div>', re.DOTALL)
    assert without_command.sub("", again).split() == without_command.sub("", page).split()


def test_report_of_evaluate_needs_the_data(shop, cli):
    """Law: without rows there is nothing to show."""
    assert cli("evaluate", "customers.csv", "--truth", "city", "--column", "age", "--report", "out.html")[
        ::2
    ] == (
        2,
        "coterie: --report of evaluate needs --data: the rows that it shows.\n",
    )
