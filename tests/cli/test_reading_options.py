"""--dates, --sheet, --table and --query wherever a command reads DATA."""

import sqlite3

import numpy as np
import pytest

from coterie.cli.app import run


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


def test_evaluate_without_rows(shop, capfd):
    """Law: evaluate reads a table only with --data."""
    assert run(["evaluate", "groups.csv", "--truth", "groups.csv", "--table", "customers"]) != 0
    assert "--table of evaluate needs --data" in capfd.readouterr().err
