"""Labels of data in blocks: beside keys and chosen columns, in the input's layout, resumed after a kill."""

import hashlib
import json
import os
import pickle
import resource
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import polars as pl
import pytest

import coterie
from coterie.cli import app
from coterie.errors import ExistingFile, FileProblem, InvalidParameter
from coterie.scale import fit as fit_blocks
from coterie.scale import label_files, read_blocks
from coterie.scale.labelling import FoundLabels

HOW = {"method": "kmeans", "k": 3, "believe": False}


def table(n, seed=0):
    rng = np.random.default_rng(seed)
    group = rng.integers(3, size=n)
    frame = pd.DataFrame(9.0 * np.eye(3)[group][:, :2] + rng.normal(size=(n, 2)), columns=["x", "y"])
    names = np.array(["Ulm", "Rom", "Bonn"])[rng.integers(3, size=n)]
    return frame.assign(customer_id=rng.permutation(100_000)[:n], town=names)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder of three partitions by year."""
    root = tmp_path_factory.mktemp("data")
    for at, year in enumerate((2019, 2020, 2021)):
        (root / f"year={year}").mkdir()
        table(300 + at, seed=at).to_parquet(root / f"year={year}" / "rows.parquet")
    return root


@pytest.fixture(scope="module")
def found(folder):
    return fit_blocks(str(folder), **HOW)


def parts_of(folder):
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*.parquet"))
        if "_progress" not in path.parts
    }


def test_keys_chosen_columns_and_places(folder, found, tmp_path):
    """Law: a row of labels can be joined by its key, its chosen columns, and its file and row."""
    out = found.write_labels(tmp_path / "labels", carry=["town"], with_file=True)
    written = pl.read_parquet(out / "part-*.parquet")
    assert written.columns == ["file", "file_row", "customer_id", "town", "label", "group"]
    whole = pl.concat([pl.read_parquet(path) for path in sorted(folder.rglob("*.parquet"))])
    assert written["customer_id"].to_list() == whole["customer_id"].to_list()
    assert written["town"].to_list() == whole["town"].to_list()
    assert written["label"].to_list() == found.labels.compute().tolist()
    for file, rows in written.group_by("file"):
        stored = pl.read_parquet(file[0])
        picked = stored[(rows["file_row"] - 1).to_list()]
        assert picked["customer_id"].to_list() == rows["customer_id"].to_list()


def test_labels_are_found_once(folder, tmp_path, monkeypatch):
    """Law: files hold the labels that the last pass found, and the same ones if none of them were kept."""
    once = fit_blocks(str(folder), "kmeans", 3, believe=False, checkpoint=str(tmp_path / "a"))
    once.write_labels(tmp_path / "once")
    monkeypatch.setattr("coterie.scale.labelling.LABEL_BYTES", 0)
    again = fit_blocks(str(folder), "kmeans", 3, believe=False, checkpoint=str(tmp_path / "b"))
    again.write_labels(tmp_path / "again")
    assert parts_of(tmp_path / "once") == parts_of(tmp_path / "again")
    assert (once.labels.compute() == again.labels.compute()).all()


def test_found_labels_stay_in_their_process_and_take_little_room():
    """Law: labels take a byte each where that suffices, are not sent along, and give way to no one."""
    kept, block = FoundLabels(), next(iter(read_blocks(np.zeros((9000, 1)))))
    labels = np.arange(9000, dtype=np.int32) % 200 - 1
    kept.keep(block, labels, 199)
    assert (kept.get(block) == labels).all()
    assert kept.get(block).dtype == np.int32
    assert pickle.loads(pickle.dumps(kept)).get(block) is None
    assert pickle.dumps(kept) == pickle.dumps(FoundLabels())


def test_layout_of_the_input(folder, found, tmp_path):
    """Law: with keep_layout there is one part per file, in the same folders, row by row."""
    out = found.write_labels(tmp_path / "labels", keep_layout=True)
    parts = sorted(str(path.relative_to(out)) for path in out.rglob("*.parquet"))
    assert parts == [f"year={year}/rows.parquet" for year in (2019, 2020, 2021)]
    labels = found.labels.compute()
    first = 0
    for part in parts:
        stored, written = pl.read_parquet(folder / part), pl.read_parquet(out / part, hive_partitioning=False)
        assert written["customer_id"].to_list() == stored["customer_id"].to_list()
        assert written["label"].to_list() == labels[first : first + stored.height].tolist()
        first += stored.height


def test_memory_and_blocks_write_the_same_columns(folder, tmp_path):
    """Law: the shell writes the same rows beside labels of small data, in the same layout."""
    how = ["--method", "kmeans", "-k", "3", "--no-believe", "--carry", "town", "--with-file", "--keep-layout"]
    for name, more in (("memory", []), ("blocks", ["--checkpoint", str(tmp_path / "state")])):
        assert app.run(["fit", str(folder), *how, *more, "-o", str(tmp_path / name)]) == 0
    for year in (2019, 2020, 2021):
        part = f"year={year}/rows.parquet"
        ours, theirs = (
            pl.read_parquet(tmp_path / name / part, hive_partitioning=False) for name in ("memory", "blocks")
        )
        assert ours.columns == theirs.columns
        for column in ("customer_id", "file_row", "label", "town"):
            assert ours[column].to_list() == theirs[column].to_list()
        assert ours["file"].cast(pl.String).to_list() == theirs["file"].cast(pl.String).to_list()


def test_left_out_rows_have_no_label(tmp_path):
    """Law: rows with missing values keep their place; their label and group are empty."""
    frame = table(400)
    frame.loc[::50, "x"] = np.nan
    frame.to_csv(tmp_path / "rows.csv", index=False)
    found = fit_blocks(str(tmp_path / "rows.csv"), missing="drop", **HOW)
    written = pl.read_parquet(found.write_labels(tmp_path / "labels") / "part-*.parquet")
    assert written.height == 400
    is_empty = written["label"].is_null().to_numpy()
    np.testing.assert_array_equal(is_empty, frame["x"].isna())
    assert written["group"].is_null().to_list() == is_empty.tolist()
    assert written["customer_id"].to_list() == frame["customer_id"].tolist()


def test_manifest_tells_parts_and_checksums(found, tmp_path):
    """Law: the manifest names every part with its rows and the checksum of its bytes."""
    out = found.write_labels(tmp_path / "labels")
    manifest = json.loads((out / label_files.MANIFEST).read_text())
    assert manifest["rows"] == 903
    for part in manifest["parts"]:
        assert hashlib.sha256((out / part["name"]).read_bytes()).hexdigest() == part["sha256"]
    with pytest.raises(ExistingFile, match="holds files already"):
        found.write_labels(out)


def test_finished_parts_are_kept_and_damaged_ones_made_again(folder, found, tmp_path, monkeypatch):
    """Law: a run that goes on keeps whole parts, writes others again, and ends with the same bytes."""
    whole = parts_of(found.write_labels(tmp_path / "whole", keep_layout=True))
    out, written = tmp_path / "labels", []
    real = label_files.Target.write

    def dies_at_the_third(self, name, tables):
        if len(written) == 2:
            raise KeyboardInterrupt
        written.append(name)
        return real(self, name, tables)

    monkeypatch.setattr(label_files.Target, "write", dies_at_the_third)
    with pytest.raises(KeyboardInterrupt), coterie_on_one_thread():
        found.write_labels(out, keep_layout=True)
    damaged = out / written[0]
    damaged.write_bytes(damaged.read_bytes()[:-9] + b"damaged!!")
    again = []

    def noted(self, name, tables):
        again.append(name)
        return real(self, name, tables)

    monkeypatch.setattr(label_files.Target, "write", noted)
    fit_blocks(str(folder), **HOW).write_labels(out, keep_layout=True)
    assert parts_of(out) == whole
    assert written[1] not in again
    assert sorted(again) == sorted(set(whole) - {written[1]})


def coterie_on_one_thread():
    import dask

    return dask.config.set(scheduler="synchronous")


SCRIPT = """
import sys, time
from coterie.scale import fit, label_files
real = label_files.Target.write
def slow(self, name, tables):
    time.sleep(0.4)
    return real(self, name, tables)
label_files.Target.write = slow
import dask
with dask.config.set(scheduler="synchronous"):
    fit(sys.argv[1], method="kmeans", k=3, believe=False).write_labels(sys.argv[2], keep_layout=True)
"""


def test_killed_and_run_again(folder, found, tmp_path):
    """Law: after kill -9 in the middle, no file of a final name is half written, and the next run ends it."""
    whole = parts_of(found.write_labels(tmp_path / "whole", keep_layout=True))
    out = tmp_path / "labels"
    process = subprocess.Popen([sys.executable, "-c", SCRIPT, str(folder), str(out)])
    deadline = time.monotonic() + 120
    while not (out / "_progress").is_dir() or not list((out / "_progress").iterdir()):
        assert time.monotonic() < deadline
        assert process.poll() is None
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    begun = parts_of(out)
    assert 1 <= len(begun) < 3
    assert all(whole[name] == content for name, content in begun.items())
    found.write_labels(out, keep_layout=True)
    assert parts_of(out) == whole
    assert not (out / "_progress").exists()
    assert not [path for path in out.rglob("*") if path.name.endswith(".part")]


def test_a_full_disk_is_said_and_leaves_no_half_file(tmp_path):
    """Law: where a file may not grow, the message says so and nothing stands under a final name."""
    rows = read_blocks(np.random.default_rng(0).normal(size=(60_000, 2)), block_rows=8192)
    found = fit_blocks(rows, **HOW)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2_000, before[1]))
    try:
        with pytest.raises(FileProblem, match="no space is left on the disk"):
            found.write_labels(tmp_path / "labels")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert not list((tmp_path / "labels").glob("*.parquet"))
    assert pl.read_parquet(found.write_labels(tmp_path / "labels") / "part-*.parquet").height == 60_000


def test_what_is_refused(found, tmp_path, capsys):
    """Law: a column that is not there, and options without a folder, are refused before any work."""
    with pytest.raises(InvalidParameter, match=r'no column "twon".*Did you mean "town"'):
        found.write_labels(tmp_path / "labels", carry="twon")
    lazy = fit_blocks(np.random.default_rng(0).normal(size=(90, 2)), **HOW)
    with pytest.raises(InvalidParameter, match="carry, with_file and keep_layout are for files"):
        lazy.write_labels(tmp_path / "other", with_file=True)
    path = tmp_path / "rows.csv"
    table(50).to_csv(path, index=False)
    assert app.run(["fit", str(path), "-k", "3", "--carry", "town"]) == 2
    assert "--carry needs -o FILE" in capsys.readouterr().err
    assert app.run(["fit", str(path), "-k", "3", "--keep-layout", "-o", str(tmp_path / "l.csv")]) == 2
    assert "--keep-layout needs -o FOLDER" in capsys.readouterr().err


def test_a_large_result_of_a_database_needs_a_folder_before_the_fit(tmp_path, monkeypatch, capsys):
    """Law: a single file for labels of a large result is refused when its size is known."""
    import sqlite3

    with sqlite3.connect(tmp_path / "shop.db") as database:
        table(200).to_sql("rows", database, index=False)
    database.close()
    monkeypatch.setattr("coterie.data.paths.LARGE_BYTES", 1)
    monkeypatch.setattr("coterie.scale.rows.run_in_blocks", lambda *_: pytest.fail("the fit began"))
    assert app.run(["fit", str(tmp_path / "shop.db"), "-k", "3", "-o", str(tmp_path / "labels.csv")]) == 2
    assert "labels of data in blocks are written to a folder" in capsys.readouterr().err


def test_predict_writes_what_fit_writes(folder, found, tmp_path):
    """Law: the shell's predict carries columns and files along as fit does."""
    model = tmp_path / "m.safetensors"
    coterie.save(found, model)
    loaded = coterie.load(model)
    from coterie.scale.placing import write_groups

    out = write_groups(loaded, str(folder), tmp_path / "new", carry=("town",), with_file=True)
    written = pl.read_parquet(out / "part-*.parquet")
    assert written.columns == ["file", "file_row", "customer_id", "town", "label", "group"]
    assert written["label"].to_list() == found.labels.compute().tolist()
