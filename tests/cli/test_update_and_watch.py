"""``coterie update`` and ``coterie watch``: models kept up to date, files reported once and whole."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest

import coterie
from coterie.cli import watching
from coterie.cli.app import run

CENTRES = np.array([[0.0, 0, 0], [9, 0, 3], [0, 9, 6]])


def write(path, n, seed, *, shift=0.0):
    rng = np.random.default_rng(seed)
    X = CENTRES[rng.integers(3, size=n)] + rng.normal(size=(n, 3)) + shift
    pd.DataFrame(X, columns=list("abc")).to_csv(path, index=False)
    os.utime(path, (1e9, 1e9))  # it was written long ago


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write("base.csv", 600, 0)
    (tmp_path / "new").mkdir()
    coterie.fit("base.csv", "kmeans", 3, believe=False).save("g.st")
    return tmp_path


def test_update_replaces_the_model(place, capsys):
    """Law: the model file then holds all rows; --save writes another file, --dry-run none."""
    write("may.csv", 200, 1)
    write("june.csv", 100, 2)
    assert run(["update", "g.st", "may.csv", "--dry-run", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["rows"] == 200
    assert coterie.load("g.st").groups.n_rows == 600
    assert run(["update", "g.st", "may.csv", "june.csv", "--save", "h.st"]) == 0
    out = capsys.readouterr().out
    assert "300 rows" in out
    assert "no drift" in out
    assert "model written to h.st" in out
    assert (coterie.load("g.st").groups.n_rows, coterie.load("h.st").groups.n_rows) == (600, 900)
    assert run(["update", "g.st", "may.csv", "--save", "h.st"]) == 2
    assert "h.st exists. Use --force" in capsys.readouterr().err
    assert run(["update", "g.st", "*y.csv"]) == 0
    assert coterie.load("g.st").groups.n_rows == 800


def test_update_says_what_is_wrong(place, capsys):
    """Law: a missing file, a foreign model and wrong columns end with code 2, and the model is as it was."""
    before = (place / "g.st").read_bytes()
    pd.DataFrame({"a": [1.0]}).to_csv("odd.csv", index=False)
    for arguments, words in [
        (["g.st", "nosuch.csv"], "no such file"),
        (["nosuch.st", "base.csv"], "no such model file"),
        (["base.csv", "base.csv"], "is not a model"),
        (["g.st", "odd.csv"], 'no column "b"'),
    ]:
        assert run(["update", *arguments]) == 2
        assert words in capsys.readouterr().err
    assert (place / "g.st").read_bytes() == before


def test_watch_reports_each_file_once(place, capsys):
    """Law: one line per new file, in words; a second look reports nothing; a changed file is new again."""
    write("new/jan.csv", 200, 1)
    write("new/feb.csv", 200, 2, shift=4.0)
    pd.DataFrame({"a": [1.0]}).to_csv("new/odd.csv", index=False)
    os.utime("new/odd.csv", (1e9, 1e9))
    (place / "new" / "_temporary").mkdir()
    write("new/_temporary/x.csv", 5, 3)
    assert run(["watch", "new", "--model", "g.st", "--once"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["feb.csv", "jan.csv", "odd.csv"]
    assert "drift: rows lie" in lines[0]
    assert lines[1].endswith("no drift")
    assert 'not read: new/odd.csv: no column "b"' in lines[2]
    assert run(["watch", "new", "--model", "g.st", "--once"]) == 0
    assert capsys.readouterr().out == ""
    write("new/jan.csv", 150, 4)
    assert run(["watch", "new", "--model", "g.st", "--once", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["rows"] == 150


def test_watch_takes_rows_in(place, capsys):
    """Law: with --update the model file holds the rows of every file that was reported."""
    for month in range(3):
        write(f"new/{month}.csv", 100, month)
    assert run(["watch", "new", "--model", "g.st", "--once", "--update"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 3
    assert coterie.load("g.st").groups.n_rows == 900


def test_half_written_files_wait(place, monkeypatch):
    """Law: a file that still grows is not read; once it rests, or is renamed, it is."""
    folder, seen = place / "new", watching.Seen(None)
    write("new/whole.csv", 5, 0)
    (folder / "growing.csv").write_text("a,b,c\n1,2")
    (folder / "sent.csv.part").write_text("a,b,c\n1,2,3\n")
    (folder / "empty.csv").touch()

    def grows(_seconds):
        with (folder / "growing.csv").open("a") as file:
            file.write(",3\n")

    monkeypatch.setattr(watching.time, "sleep", grows)
    assert [path.name for path, _ in watching.whole_files(folder, seen)] == ["whole.csv"]
    monkeypatch.setattr(watching.time, "sleep", lambda _seconds: None)
    (folder / "sent.csv.part").rename(folder / "sent.csv")
    names = [path.name for path, _ in watching.whole_files(folder, seen)]
    assert names == ["growing.csv", "sent.csv", "whole.csv"]


def test_ctrl_c_ends_a_watch(place):
    """Law: a watch without a model fits what is there, reports what comes, and Ctrl-C ends it with code 0."""
    write("new/jan.csv", 300, 1)
    with subprocess.Popen(
        [sys.executable, "-m", "coterie", "watch", "new", "--every", "0.1"], stdout=subprocess.PIPE, text=True
    ) as process:
        assert "1 file fitted." in process.stdout.readline()
        write("feb.csv", 100, 2)
        os.rename("feb.csv", "new/feb.csv")
        assert process.stdout.readline().startswith("feb.csv  100 rows")
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 0


def test_watch_refuses(place, capsys):
    """Law: what cannot be watched is said before anything is read."""
    for arguments, words in [
        (["nosuch"], "nosuch: is not a folder"),
        (["new"], "holds no file to fit"),
        (["new", "--once"], "--once needs --model FILE"),
        (["new", "--update"], "--update needs --model FILE"),
        (["new", "--model", "g.st", "--every", "0"], "--every must be a number of seconds above 0, got 0"),
    ]:
        assert run(["watch", *arguments]) == 2
        assert words in capsys.readouterr().err
    (place / "g.st.seen").write_text("[1]")
    assert run(["watch", "new", "--model", "g.st", "--once"]) == 2
    assert "is not a list of files that were seen. Delete it." in capsys.readouterr().err


def test_a_file_that_changed_is_not_added_twice(place, capsys):
    """Law: with --update the rows of a file are added once, a file that failed is tried again."""
    before = coterie.load("g.st").groups.n_rows
    write("new/jan.csv", 100, 1)
    (place / "new" / "feb.csv").write_text("a,b,c\n1,,2\n3,4,5\n")
    watch = ["watch", "new", "--model", "g.st", "--once", "--update"]
    assert run(watch) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(
        'feb.csv  not read: new/feb.csv: column "b" has 1 missing value (row 1). Use --missing '
    )
    assert coterie.load("g.st").groups.n_rows == before + 100
    write("new/jan.csv", 150, 1)
    write("new/feb.csv", 30, 2)
    assert run(watch) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("feb.csv  30 rows")
    assert lines[1].startswith("jan.csv  150 rows")
    assert "jan.csv  has changed since its rows were added: they are not added again" in lines[2]
    assert coterie.load("g.st").groups.n_rows == before + 130
    assert run(watch) == 0
    assert capsys.readouterr().out == ""
