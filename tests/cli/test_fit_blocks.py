"""``coterie fit`` on folders and patterns."""

import json
import re

import numpy as np
import pandas as pd
import pytest

from coterie.cli import app
from coterie.cluster import KMeans
from coterie.scale import passes


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(900, 2)) + 9 * np.repeat(np.arange(3), 300)[:, None]
    for number, part in enumerate(np.split(rows, [100, 450])):
        frame = pd.DataFrame(part, columns=["x", "y"])
        frame.assign(customer_id=np.arange(len(part)), note="text").to_parquet(folder / f"{number}.parquet")
    return folder


def rows_of(folder):
    return pd.concat([pd.read_parquet(path) for path in sorted(folder.glob("*.parquet"))])


def test_folder_to_labels(folder, tmp_path, capsys):
    """Law: labels are those of the local class on the scaled columns of numbers; the answer comes first."""
    code = app.run(["fit", f"{folder}/*.parquet", "-k", "3", "-o", str(tmp_path / "labels")])
    assert code == 0
    printed = capsys.readouterr().out
    assert "900 rows in 1 block; 2 columns used; left out: note" in printed
    assert "3 groups   k-means, columns scaled: standard" in printed
    assert "share of the variance explained" in printed
    written = rows_of(tmp_path / "labels")
    np.testing.assert_array_equal(written["row"], np.arange(1, 901))
    X = rows_of(folder)[["x", "y"]].to_numpy()
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    expected = KMeans(3, random_state=0).fit(X)
    np.testing.assert_array_equal(written["group"], expected.labels_)


def test_json_says_what_is_exact(folder, capsys):
    """Law: machines are told which numbers are exact, and centres are in the units of the columns."""
    assert app.run(["fit", str(folder), "-k", "3", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["columns"] == ["x", "y"]
    assert facts["left_out"] == {"note": "large_string, not numbers", "customer_id": "a key"} or facts[
        "left_out"
    ] == {"note": "string, not numbers", "customer_id": "a key"}
    assert all(fact["is_exact"] for fact in facts["facts"])
    np.testing.assert_allclose(sorted(center[0] for center in facts["centers"]), [0, 9, 18], atol=0.2)


def test_checkpoint_is_kept(folder, tmp_path, capsys):
    """Law: a repeated fit goes on from its checkpoint."""
    for _ in range(2):
        assert app.run(["fit", str(folder), "-k", "3", "--checkpoint", str(tmp_path / "c")]) == 0
    assert (tmp_path / "c" / "kmeans.safetensors").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-k", "3", "--scale", "robust"], "scale must be one of standard, minmax, none"),
        ([], "-k must be given for kmeans"),
        (["-k", "3", "--method", "kmean"], 'method must be one of kmeans.*Did you mean "kmeans"'),
        (["-k", "3", "--save", "m"], "--save is not taken for a folder"),
        (["-k", "3", "--drop", "z"], 'no column "z"'),
        (["-k", "3", "--missing", "drop"], "--missing is not taken"),
    ],
)
def test_what_is_refused(folder, arguments, message, capsys):
    """Law: what does not work on blocks is refused in one line."""
    assert app.run(["fit", str(folder), *arguments]) == 2
    printed = capsys.readouterr().err
    assert len(printed.splitlines()) == 1
    assert re.search(message, printed)


def test_no_scheduler_answers(folder, capsys, monkeypatch):
    """Law: an address where nobody answers is named."""
    monkeypatch.setattr(passes, "CONNECT_SECONDS", 1)
    assert app.run(["fit", str(folder), "-k", "3", "--scheduler", "tcp://127.0.0.1:9"]) == 2
    assert "no Dask scheduler answers at tcp://127.0.0.1:9" in capsys.readouterr().err


def test_labels_never_join_the_input(folder, capsys):
    """Law: labels are not written where the next fit would read them."""
    assert app.run(["fit", str(folder), "-k", "3", "-o", str(folder / "labels")]) == 2
    assert "is within" in capsys.readouterr().err


def test_labels_never_replace_files(folder, tmp_path, capsys):
    """Law: a folder that holds files is left alone unless forced."""
    (tmp_path / "kept").write_text("kept")
    assert app.run(["fit", str(folder), "-k", "3", "-o", str(tmp_path)]) == 2
    assert "holds files already. Use --force" in capsys.readouterr().err
    assert app.run(["fit", str(folder), "-k", "3", "-o", str(tmp_path), "--force"]) == 0
    assert (tmp_path / "part-000000.parquet").exists()
