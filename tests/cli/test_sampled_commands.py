"""Commands that need a table whole take patterns and folders; of large ones a sample, and they say so."""

import json

import fsspec
import numpy as np
import pandas as pd
import pytest

from coterie.cli import plot_files, sampled
from coterie.cli.app import run
from coterie.data import paths
from coterie.scale.sample_tables import sample_table

CENTRES = np.array([[0.0, 0, 0], [9, 0, 3], [0, 9, 6]])


@pytest.fixture
def place(tmp_path, monkeypatch):
    """Three files of 400 rows, their groups in another three."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    for folder in ("data", "labels"):
        (tmp_path / folder).mkdir()
    for part in range(3):
        truth = rng.integers(3, size=400)
        frame = pd.DataFrame(CENTRES[truth] + rng.normal(size=(400, 3)), columns=list("abc"))
        frame.assign(kind=np.array(["x", "y", "z"])[truth]).to_parquet(f"data/{part}.parquet")
        pd.DataFrame({"label": truth}).to_parquet(f"labels/{part}.parquet")
    return tmp_path


@pytest.fixture
def large(place, monkeypatch):
    """Files so large that they are read in blocks, and samples of 150 rows."""
    monkeypatch.setattr(paths, "LARGE_BYTES", 100)
    for name in ("TREE_ROWS", "PLOT_ROWS", "EVALUATE_ROWS"):
        monkeypatch.setattr(sampled, name, 150)
    monkeypatch.setattr(plot_files, "PLOT_ROWS", 150)
    return place


COMMANDS = {
    "tree": ["tree", "data", "--drop", "kind"],
    "plot": ["plot", "scatter", "data/*.parquet", "--drop", "kind", "-k", "3", "-o", "p.png"],
    "evaluate": ["evaluate", "labels", "--data", "data", "--truth", "kind"],
    "select": ["select", "data/*.parquet", "--drop", "kind", "-k", "2..3"],
    "compare": ["compare", "data", "-k", "3", "--drop", "kind", "--budget", "fast"],
}


@pytest.mark.parametrize("command", ["tree", "plot", "evaluate"])
def test_large_folders_are_sampled_and_it_is_said(command, large, capsys):
    """Law: of data in blocks these commands take a sample, and a note says of how many rows."""
    assert run(COMMANDS[command]) == 0
    said = capsys.readouterr()
    assert "has 1,200 rows; this is from 150 of them, drawn at random" in said.err
    if command == "evaluate":
        assert "adjusted Rand           1 " in said.out  # labels and rows were drawn alike


@pytest.mark.parametrize("command", COMMANDS)
def test_small_folders_are_read_whole(command, place, capsys):
    """Law: patterns and folders of small files are taken whole by every command, without a note."""
    assert run(COMMANDS[command]) == 0
    said = capsys.readouterr()
    assert "drawn at random" not in said.err
    if command != "plot":
        assert "1,200 rows" in said.out


def test_what_a_sample_cannot_do(large, capsys):
    """Law: labels of a sample are not written for all rows; files of other lengths are refused."""
    assert run(["tree", "data", "--cut", "3", "-o", "x.csv"]) == 2
    assert "the tree is of a sample" in capsys.readouterr().err
    (large / "labels" / "0.parquet").unlink()
    assert run(COMMANDS["evaluate"]) == 2
    assert "labels has 800 rows, data has 1,200" in capsys.readouterr().err


def test_draws_depend_on_number_and_seed_alone(place):
    """Law: tables of as many rows give the same rows, in their order; all of them where they are few."""
    rows, n_rows = sample_table("data", 100, seed=3)
    labels, n_labels = sample_table("labels", 100, seed=3)
    assert n_rows == n_labels == 1200
    names = dict(enumerate("xyz"))
    kinds = [names[label] for label in labels.content["label"].to_list()]
    assert kinds == rows.content["kind"].to_list()
    assert sample_table("data", 5000)[0].n_rows == 1200


@pytest.mark.parametrize("where", ["truth/*.csv", "truth", "memory://truths/all.csv"])
@pytest.mark.parametrize("size", ["place", "large"])
def test_the_truth_of_evaluate_is_a_pattern_a_folder_or_an_address(where, size, request, capsys):
    """Law: classes may lie in several files or in a store; they are drawn as the rows of large data are."""
    folder = request.getfixturevalue(size)
    (folder / "truth").mkdir()
    parts = [pd.read_parquet(folder / "data" / f"{part}.parquet")[["kind"]] for part in range(3)]
    for part, kinds in enumerate(parts):
        kinds.to_csv(folder / "truth" / f"{part}.csv", index=False)
    with fsspec.open("memory://truths/all.csv", "w") as file:
        pd.concat(parts).to_csv(file, index=False)
    assert run(["evaluate", "labels", "--data", "data", "--truth", where, "--truth-column", "kind"]) == 0
    assert "adjusted Rand           1 " in capsys.readouterr().out


DIALECTS = {
    "tree": ["tree", "german/*.csv", "--drop", "Größe"],
    "plot": ["plot", "scatter", "german/*.csv", "--drop", "Größe", "-k", "3", "-o", "p.png"],
    "evaluate": ["evaluate", "german/*.csv", "--data", "german/*.csv", "--column", "Größe"],
    "select": ["select", "german/*.csv", "--drop", "Größe", "-k", "2..3"],
    "compare": ["compare", "german/*.csv", "-k", "3", "--drop", "Größe", "--budget", "fast"],
}


@pytest.mark.parametrize("command", DIALECTS)
def test_large_text_of_another_encoding(command, large, capsys):
    """Law: `--encoding` holds for data in blocks in every command, as it does in `fit`."""
    (large / "german").mkdir()
    for part in range(2):
        frame = pd.read_parquet(large / "data" / f"{part}.parquet").rename(columns={"kind": "Größe"})
        frame.to_csv(f"german/{part}.csv", index=False, sep=";", decimal=",", encoding="cp1252")
    assert run([*DIALECTS[command], "--encoding", "cp1252"]) == 0, capsys.readouterr().err


@pytest.mark.parametrize("command", ["tree", "select", "compare"])
def test_large_text_without_a_header(command, large, capsys):
    """Law: `--no-header` holds for data in blocks; options of workbooks are refused."""
    (large / "bare").mkdir()
    for part in range(2):
        frame = pd.read_parquet(large / "data" / f"{part}.parquet").drop(columns="kind").round(0).astype(int)
        frame.to_csv(f"bare/{part}.csv", index=False, header=False)
    asked = {"select": ["-k", "2..3"], "compare": ["-k", "3", "--budget", "fast"]}.get(command, [])
    assert run([command, "bare", "--no-header", "--json", *asked]) == 0
    assert json.loads(capsys.readouterr().out).get("rows", 800) in (150, 800)  # none is taken for names
    assert run([command, "bare", "--sheet", "x", *asked]) == 2
    assert "--sheet" in capsys.readouterr().err
