"""An option that would change nothing is refused."""

import pandas
import polars
import pytest

from coterie.cli.app import run
from coterie.data import read_table
from coterie.errors import InvalidParameter


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = {"a": [1.0, 1.2, 1.1, 9.0, 9.2, 9.1], "b": [2.0, 2.1, 2.3, 7.0, 7.2, 7.4]}
    frame = polars.DataFrame(rows)
    frame.write_parquet("t.parquet")
    frame.write_ipc("t.arrow")
    frame.write_ndjson("t.ndjson")
    pandas.DataFrame(rows).to_excel("t.xlsx", index=False)
    pandas.DataFrame({"group": ["\xe4"] * 3 + ["b"] * 3}).to_csv("labels.csv", index=False, encoding="cp1252")


@pytest.mark.parametrize("name", ["t.parquet", "t.arrow", "t.ndjson", "t.xlsx"])
@pytest.mark.parametrize("command", ["inspect", "fit", "tree", "select", "compare"])
def test_encoding_is_for_text(name, command, capsys):
    """Law: a file that is not text refuses how text is read, in every command that reads tables."""
    assert run([command, name, "--encoding", "cp1252"]) == 2
    assert "--encoding is for text" in capsys.readouterr().err
    with pytest.raises(InvalidParameter, match="encoding is for text"):
        read_table(name, encoding="cp1252")
    if name != "t.xlsx":
        with pytest.raises(InvalidParameter, match="header is for text and workbooks"):
            read_table(name, header=False)


def test_encoding_beside_files_that_are_not_text(capsys):
    """Law: of several files the text ones are read so, and the others as they are."""
    how = ["--encoding", "cp1252"]
    assert run(["evaluate", "labels.csv", "--data", "t.parquet", *how]) == 0
    assert run(["evaluate", "t.parquet", "--truth", "a", "--column", "b", *how]) == 2
    assert "--encoding is for text" in capsys.readouterr().err


def test_rows_of_a_model(capsys):
    """Law: what says how rows are read needs rows."""
    assert run(["fit", "t.parquet", "--method", "kmeans", "-k", "2", "--save", "m.safetensors"]) == 0
    assert run(["plot", "regions", "m.safetensors", "--encoding", "cp1252"]) == 2
    assert "--encoding is for rows, and MODEL has none" in capsys.readouterr().err
