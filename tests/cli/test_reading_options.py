"""--dates, --sheet, --table and --query wherever a command reads DATA."""

import inspect
import sqlite3

import numpy as np
import pytest

import coterie
from coterie.cli.app import run
from coterie.cli.commands.compare import compare
from coterie.cli.commands.fit import fit as fit_command
from coterie.errors import InvalidParameter
from coterie.pipeline import compare_methods
from coterie.show.report.clusterings import python_lines, shell_line


@pytest.fixture
def shop(tmp_path, monkeypatch, small_budget):
    """Work in a folder with a database of two tables, and groups of the rows of one."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(60, 2)) + 9.0 * (np.arange(60) % 3)[:, None]
    with sqlite3.connect("shop.db") as database:
        database.execute("create table other (z)")
        database.execute("create table customers (x, y, day)")
        cells = [(*map(float, row), f"2024-{at % 12 + 1:02}-03") for at, row in enumerate(rows)]
        database.executemany("insert into customers values (?, ?, ?)", cells)
    database.close()
    (tmp_path / "groups.csv").write_text("group\n" + "".join(f"{at % 3}\n" for at in range(60)))
    return tmp_path


@pytest.mark.parametrize(
    "arguments",
    [
        ["compare", "shop.db", "-k", "3", "--methods", "kmeans", "--budget", "fast"],
        ["plot", "scatter", "shop.db", "-k", "3", "--force"],
        ["evaluate", "groups.csv", "--data", "shop.db"],
        ["select", "shop.db", "-k", "2..4", "--criterion", "silhouette"],
        ["tree", "shop.db", "-k", "3"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_commands_that_read_data(arguments, shop, capfd):
    """Law: a table, a query and dates can be named for every command that reads a database."""
    assert run([*arguments, "--table", "customers"]) == 0
    assert run([*arguments, "--query", "select x, y from customers"]) == 0
    assert run([*arguments, "--table", "customers", "--dates", "month"]) == 0
    assert run([*arguments, "--table", "custmers"]) != 0
    assert 'Did you mean "customers"' in capfd.readouterr().err
    assert run([*arguments, "--table", "customers", "--dates", "monthly"]) != 0


def test_the_next_command_reads_the_same_rows(shop, capfd):
    """Law: the command that is offered next names the table, and what is made of dates."""
    for told in (["--table", "customers"], ["--table", "customers", "--dates", "month"]):
        assert run(["select", "shop.db", "-k", "2..4", "--criterion", "silhouette", *told]) == 0
        offered = capfd.readouterr().out.splitlines()[-1].removeprefix("groups   coterie ").split()
        assert set(told) <= set(offered)
        assert run([*offered, "--no-believe"]) == 0


@pytest.fixture
def letters(tmp_path, monkeypatch, small_budget):
    """Work beside a file of text without a header, in an encoding of its own, and two parts of it."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(60, 2)).round(3) + 9 * (np.arange(60) % 3)[:, None]
    lines = [f"{a:.3f};{b:.3f};caf\u00e9" for a, b in rows]
    (tmp_path / "all.csv").write_text("\n".join(lines) + "\n", encoding="cp1252")
    for at in range(2):
        text = "\n".join(lines[30 * at : 30 * at + 30]) + "\n"
        (tmp_path / f"part{at}.csv").write_text(text, encoding="cp1252")
    return tmp_path


# what is written and printed, where the work is done, and other kinds of data, which have their own functions
OF_THE_SHELL = {
    *("output", "with_data", "carry", "with_file", "keep_layout", "escape_formulas", "save", "report"),
    *("opens", "as_json", "force", "strict", "scheduler", "verbose", "help_all"),
    *("text", "language", "directed"),
}
PYTHON = {"data": "X", "seed": "random_state", "settings": "set", "sizes": "set"}  # other names in Python


@pytest.mark.parametrize(("command", "function"), [(fit_command, coterie.fit), (compare, compare_methods)])
def test_python_takes_what_the_shell_takes(command, function):
    """Law: what a command can be told about data and methods, the function can be told too."""
    asked = set(inspect.signature(command).parameters) - OF_THE_SHELL
    assert {PYTHON.get(name, name) for name in asked} <= set(inspect.signature(function).parameters)


def test_text_is_read_alike_through_every_door(letters, capfd):
    """Law: header and encoding mean the same to Python, to the shell, of a file, a pattern, and in blocks."""
    how = ["--no-header", "--encoding", "cp1252"]
    assert run(["fit", "all.csv", *how, "-k", "3", "--method", "kmeans", "-o", "groups.csv"]) == 0
    assert "60 rows; 2 columns used" in capfd.readouterr().out
    expected = [int(line.split(",")[1]) for line in (letters / "groups.csv").read_text().splitlines()[1:]]
    asked = {"header": False, "encoding": "cp1252", "method": "kmeans", "k": 3}
    for source in ("all.csv", "part*.csv", ["part0.csv", "part1.csv"]):
        assert coterie.fit(source, **asked).labels.tolist() == expected
    blocks = coterie.fit("part*.csv", **asked, checkpoint=letters / "state")
    assert blocks.labels.compute().tolist() == expected
    with pytest.raises(InvalidParameter, match="header is for files and databases, not for a ndarray"):
        coterie.fit(np.eye(3), header=True)


def test_what_is_offered_reads_the_same_text(letters, capfd):
    """Law: the next command, and the lines of a report, name header and encoding."""
    how = ["--no-header", "--encoding", "cp1252"]
    assert run(["select", "all.csv", *how, "-k", "2..4", "--criterion", "silhouette"]) == 0
    assert capfd.readouterr().out.splitlines()[-1].endswith(" ".join(how))
    found = coterie.fit("all.csv", k=3, method="kmeans", header=False, encoding="cp1252")
    assert shell_line("all.csv", found.arguments).endswith("--no-header --encoding cp1252 --report all.html")
    assert 'header=False, encoding="cp1252"' in python_lines("all.csv", found.arguments)


def test_evaluate_without_rows(shop, capfd):
    """Law: evaluate reads a table only with --data."""
    assert run(["evaluate", "groups.csv", "--truth", "groups.csv", "--table", "customers"]) != 0
    assert "--table of evaluate needs --data" in capfd.readouterr().err
