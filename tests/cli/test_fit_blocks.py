"""``coterie fit`` on folders and patterns: small ones in memory, others block by block."""

import json
import re

import numpy as np
import pandas as pd
import pytest

from coterie.cli import app
from coterie.cluster import KMeans
from coterie.evaluate import adjusted_rand_score
from coterie.scale.runtime import passes


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(900, 2)) + 9 * np.repeat(np.arange(3), 300)[:, None]
    for number, part in enumerate(np.split(rows, [100, 450])):
        frame = pd.DataFrame(part, columns=["x", "y"])
        frame.assign(customer_id=10_000 * number + 3 * np.arange(len(part)), note="text").to_parquet(
            folder / f"{number}.parquet"
        )
    return folder


def rows_of(folder):
    return pd.concat([pd.read_parquet(path) for path in sorted(folder.glob("*.parquet"))])


def test_folder_to_labels(folder, tmp_path, capsys):
    """Law: labels are those of the local class on the columns of numbers; the answer comes first."""
    how = ["--method", "kmeans", "-k", "3", "--checkpoint", str(tmp_path / "state")]
    code = app.run(["fit", f"{folder}/*.parquet", *how, "-o", str(tmp_path / "labels")])
    assert code == 0
    printed = capsys.readouterr().out
    assert "900 rows; 2 columns used; left out: customer_id (a key), note" in printed
    assert "3 groups                k-means on columns as they are, Euclidean" in printed
    assert "exact: sizes and means of the groups; sum of squares within groups" in printed
    assert f"labels   written to {tmp_path}/labels/part-*.parquet" in printed
    written = rows_of(tmp_path / "labels")
    assert written["customer_id"].tolist() == rows_of(folder)["customer_id"].tolist()
    expected = KMeans(3, random_state=0).fit(rows_of(folder)[["x", "y"]].to_numpy())
    assert adjusted_rand_score(expected.labels_, written["label"]) == 1
    assert set(written["label"]) == {0, 1, 2}
    assert set(written["group"]) == {"group 1", "group 2", "group 3"}


def test_a_small_folder_is_one_table(folder, tmp_path, capsys):
    """Law: files that fit into memory are read as one table; a folder gets its labels in one part."""
    how = ["--method", "kmeans", "-k", "3", "--missing", "drop", "--no-believe"]
    assert app.run(["fit", f"{folder}/*.parquet", *how, "-o", str(tmp_path / "labels")]) == 0
    assert f"labels   written to {tmp_path}/labels/part-*.parquet" in capsys.readouterr().out
    assert [path.name for path in (tmp_path / "labels").iterdir()] == ["part-000000.parquet"]
    written = rows_of(tmp_path / "labels")
    assert len(written) == 900
    assert set(written["label"]) == {0, 1, 2}


def test_without_questions(folder, tmp_path, capsys):
    """Law: without -k the number is found; report and model are written; the model places new rows."""
    model, report = tmp_path / "m.safetensors", tmp_path / "r.html"
    outputs = ["--save", str(model), "--report", str(report), "--checkpoint", str(tmp_path / "state")]
    assert app.run(["fit", f"{folder}/*.parquet", "--budget", "fast", *outputs]) == 0
    printed = capsys.readouterr().out
    assert "3 groups" in printed
    assert "stable" in printed
    assert "number of groups 3" in printed
    assert f"report   written to {report}" in printed
    assert report.stat().st_size < 8_000_000
    assert app.run(["predict", str(model), str(folder / "0.parquet")]) == 0
    groups = capsys.readouterr().out.splitlines()
    labels = [int(line.split(",")[1]) for line in groups[1:]]
    assert set(labels) <= {0, 1, 2}
    assert app.run(["predict", str(model), f"{folder}/*.parquet", "-o", str(tmp_path / "new")]) == 0
    assert rows_of(tmp_path / "new")["label"].tolist()[: len(labels)] == labels


@pytest.mark.parametrize(
    "options",
    [["--method", "dbscan"], ["--scale", "robust", "-k", "3"], ["--method", "mixture,kmeans", "-k", "2..4"]],
    ids=["dbscan", "robust", "mixture"],
)
def test_other_ways(folder, tmp_path, options, capsys):
    """Law: methods and scalings of tables are those of blocks."""
    how = ["--budget", "fast", "--no-believe", "--json", *options]
    in_blocks = [] if "dbscan" in options else ["--checkpoint", str(tmp_path / "state")]
    assert app.run(["fit", str(folder), *how, *in_blocks]) == 0
    k = json.loads(capsys.readouterr().out)["k"]
    assert k >= 3 if "dbscan" in options else k == 3


def test_json_says_what_is_exact(folder, tmp_path, capsys):
    """Law: machines are told which numbers are exact, and centres are in the units of the columns."""
    how = ["--method", "kmeans", "-k", "3", "--no-believe", "--checkpoint", str(tmp_path / "state")]
    assert app.run(["fit", str(folder), *how, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["columns"] == ["x", "y"]
    assert [column["column"] for column in found["left_out"]] == ["customer_id", "note"]
    assert found["n_blocks"] == 1
    assert all(fact["is_exact"] for fact in found["facts"])
    np.testing.assert_allclose(
        sorted(group["center"]["x"] for group in found["groups"]), [0, 9, 18], atol=0.2
    )


def test_checkpoint_is_kept(folder, tmp_path, capsys):
    """Law: a repeated fit goes on from its checkpoint; one file per method."""
    for method in ("kmeans", "kmeans", "mixture", "minibatch-kmeans"):
        state = ["--checkpoint", str(tmp_path / "c"), "--method", method]
        assert app.run(["fit", str(folder), "-k", "3", "--no-believe", *state]) == 0
    assert sorted(path.name for path in (tmp_path / "c").iterdir()) == [
        "kmeans.safetensors",
        "minibatch-kmeans.safetensors",
        "mixture.safetensors",
    ]


def test_a_checkpoint_makes_blocks_of_one_file(folder, tmp_path, capsys):
    """Law: a single file is read in blocks when an option asks for what only blocks have."""
    state = ["--checkpoint", str(tmp_path / "c")]
    how = ["--method", "kmeans", "-k", "3", "--no-believe", "--json"]
    assert app.run(["fit", str(folder / "2.parquet"), *how, *state]) == 0
    assert json.loads(capsys.readouterr().out)["n_blocks"] == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-k", "3", "--scale", "robus"], 'no such scale "robus".*Did you mean "robust"'),
        (["-k", "3", "--method", "kmean"], 'no such method "kmean".*Did you mean "kmeans"'),
        (["-k", "1000"], "-k must be at most 900, its rows, got 1000"),
        (["-k", "3", "--encoding", "latin1"], "--encoding is for text: .*0.parquet has none"),
        (["-k", "3", "--drop", "z"], 'no column "z"'),
        (["-k", "3", "--missing", "dropp"], "--missing must be one of auto, observed, drop.*Did you mean"),
        (["--method", "dbscan"], "--checkpoint is not taken by dbscan"),
        (
            ["--method", "kmeans", "-k", "3", "--improve", "breathing"],
            "--improve does not work for data in blocks",
        ),
    ],
)
def test_what_is_refused(folder, tmp_path, arguments, message, capsys):
    """Law: what does not work on blocks is refused in one line."""
    assert app.run(["fit", str(folder), "--checkpoint", str(tmp_path / "c"), *arguments]) == 2
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
    """Law: a folder that holds files is left alone unless forced; then older labels go, other files stay."""
    (tmp_path / "kept").write_text("kept")
    (tmp_path / "part-000007.parquet").write_text("labels of more rows")
    assert app.run(["fit", str(folder), "-k", "3", "-o", str(tmp_path)]) == 2
    assert "holds files already. Use --force" in capsys.readouterr().err
    how = ["--method", "kmeans", "-k", "3", "--no-believe"]
    assert app.run(["fit", str(folder), *how, "-o", str(tmp_path), "--force"]) == 0
    written = sorted(path.name for path in tmp_path.iterdir() if path.is_file())
    assert written == ["kept", "part-000000.parquet"]  # no labels of another fit among these
