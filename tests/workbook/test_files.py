"""Workbook files: saved, loaded, hostile, resumed; and the script that repeats them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zlib
from base64 import b64encode

import numpy as np
import pytest

from coterie.errors import CoterieError, InvalidFile, InvalidParameter, MissingFile
from coterie.workbook import Workbook
from coterie.workbook.autosave import Autosaver, autosave_path, find_autosave
from coterie.workbook.files import as_json, parse_workbook
from workbook_cases import FIT, apply_random, blobs


@pytest.fixture
def table(tmp_path):
    """Return a CSV file of three clouds."""
    path = tmp_path / "clouds.csv"
    np.savetxt(path, blobs(), delimiter=",", header="x,y", comments="")
    return path


@pytest.fixture(autouse=True)
def state(tmp_path, monkeypatch):
    """Keep unsaved changes of tests in a folder of their own."""
    monkeypatch.setenv("COTERIE_STATE", str(tmp_path / "state"))


def test_a_saved_workbook_is_loaded_as_it_was(table):
    """Log, position, names and labels come back; the data are found relative to the file."""
    book = apply_random(Workbook.open(table).apply(FIT), np.random.default_rng(1), 12)
    book.undo()
    path = book.save(table.parent / "clouds.coterie.json")
    assert json.loads(path.read_text())["data"]["path"] == "clouds.csv"
    again = Workbook.load(path)
    assert again.state.digest == book.state.digest
    assert (again.position, len(again.log)) == (12, 13)
    assert again.warning is None
    assert not again.is_dirty
    assert again.redo().state.digest == book.redo().state.digest
    moved = table.parent / "elsewhere"
    moved.mkdir()
    os.rename(path, moved / "b.coterie.json")
    os.rename(table, moved / "clouds.csv")
    assert (
        Workbook.load(moved / "b.coterie.json").state.digest
        == Workbook.load(moved / "b.coterie.json").state.digest
    )


def test_a_file_is_never_replaced_unasked(table):
    """An existing file stays, unless told otherwise; other endings are refused."""
    book = Workbook.open(table)
    path = book.save(table.parent / "a.coterie.json")
    with pytest.raises(CoterieError, match="exists"):
        book.save(path)
    book.save(path, force=True)
    with pytest.raises(InvalidParameter, match=r"must end in \.coterie\.json"):
        book.save(table.parent / "a.csv", force=True)


def test_data_that_changed_are_told(table):
    """Another hash is said in a sentence; the operations were done on the data as they are."""
    path = Workbook.open(table).apply(FIT).save(table.parent / "c.coterie.json")
    np.savetxt(table, blobs(seed=1), delimiter=",", header="x,y", comments="")
    book = Workbook.load(path)
    assert "clouds.csv has changed since this workbook was saved; 1 operation was done again" in book.warning
    assert book.k == 3
    table.unlink()
    with pytest.raises(MissingFile, match="are not there"):
        Workbook.load(path)
    assert Workbook.load(path, data=blobs(seed=2)).k == 3


def test_a_path_outside_of_the_folder_needs_the_hash(table, tmp_path):
    """A workbook of a stranger cannot open files elsewhere: only one whose content it knows."""
    elsewhere = tmp_path / "other"
    elsewhere.mkdir()
    path = Workbook.open(table).apply(FIT).save(elsewhere / "c.coterie.json")
    assert json.loads(path.read_text())["data"]["path"] == str(table.resolve())
    assert Workbook.load(path).k == 3
    np.savetxt(table, blobs(seed=1), delimiter=",", header="x,y", comments="")
    with pytest.raises(InvalidParameter, match="outside of its folder, and has changed"):
        Workbook.load(path)
    (elsewhere / "link.csv").symlink_to(table)
    stored = json.loads(path.read_text())
    stored["data"] |= {"path": "link.csv"}
    path.write_text(json.dumps(stored))
    with pytest.raises(InvalidParameter, match="outside of its folder"):
        Workbook.load(path)


def hostile(**changes):
    """Return the JSON of a workbook with something else in it."""
    book = as_json(Workbook.open("set:iris"), None)
    for key, value in changes.items():
        if key.startswith("data_"):
            book["data"][key.removeprefix("data_")] = value
        else:
            book[key] = value
    return json.dumps(book).encode()


HOSTILE = {
    "not JSON": (b"\x80\x04\x95", "not JSON"),
    "a pickle": (b"cos\nsystem\n(S'id'\ntR.", "not JSON"),
    "endless brackets": (b"[" * 200_000, "not JSON"),
    "NaN": (b'{"format": NaN}', "not JSON"),
    "a list": (b"[]", '"format" must be'),
    "another version": (hostile(version=99), "of version 99"),
    "another field": (hostile(hook="import os"), 'no field "hook"'),
    "a path upward": (
        hostile(data_kind="file", data_path="../../etc/passwd.csv"),
        "must not leave its folder",
    ),
    "an address": (hostile(data_kind="file", data_path="postgresql://a/b"), "must not leave its folder"),
    "a set as file": (hostile(data_kind="file", data_path="set:iris"), "must not leave its folder"),
    "a zero byte": (hostile(data_kind="file", data_path="a\0b"), "must be the path of the data"),
    "a kind": (hostile(data_kind="sql"), "file, set or memory"),
    "more in data": (hostile(data_query="select 1"), "and nothing else"),
    "rows": (hostile(data_rows=-1), "a number of rows"),
    "a position": (hostile(position=5), "position must be from 0 to 0"),
    "a log": (hostile(log={"a": 1}), "log must be a list"),
    "an operation": (hostile(log=[{"op": "system"}]), 'operation 1: no such operation "system"'),
    "code": (hostile(log=[{"op": "fit", "method": "kmeans", "set": {"memory": "/x"}}]), "may not hold"),
    "huge ranges": (
        hostile(log=[{"op": "new", "ranges": [[0, 10**18]]}]),
        "operation 1: new: ranges must be",
    ),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_files_are_refused(case):
    """A file from anywhere is checked by schema: what is wrong is said, nothing is opened or run."""
    content, match = HOSTILE[case]
    with pytest.raises(InvalidFile, match=match):
        parse_workbook(content, "x.coterie.json")


def test_labels_that_unpack_to_too_much_are_refused():
    """A bomb of zeros stops at the number of rows; damaged labels are refused."""
    book = Workbook.open(blobs())
    bomb = b64encode(zlib.compress(bytes(20_000_000), 1)).decode()
    with pytest.raises(InvalidParameter, match="those of 60 rows"):
        book.apply({"op": "given", "labels": bomb})
    bad = b64encode(zlib.compress(np.full(60, -7, dtype="<i4").tobytes())).decode()
    with pytest.raises(InvalidParameter, match="must be 0 or more, or -1 for noise, got -7"):
        book.apply({"op": "given", "labels": bad})
    gap = b64encode(zlib.compress(np.full(60, 3, dtype="<i4").tobytes())).decode()
    with pytest.raises(InvalidParameter, match="without gaps"):
        book.apply({"op": "given", "labels": gap})


def test_the_script_gives_the_same_labels_in_a_fresh_process(table):
    """The exported script uses public names only, and its labels are equal to the bit."""
    book = apply_random(Workbook.open(table).apply(FIT), np.random.default_rng(4), 15)
    book.apply({"op": "rename", "group": book.state.groups[0].id, "name": 'a "b" \\ \n c'})
    script = book.to_script()
    assert [line for line in script.splitlines() if "import" in line] == [
        "from coterie.workbook import Workbook"
    ]
    tail = "import sys\nsys.stdout.write(labels.tobytes().hex() + '|' + repr(names))\n"
    done = subprocess.run(
        [sys.executable, "-c", f"{script}\n{tail}"], capture_output=True, text=True, check=True
    )
    labels, _, names = done.stdout.partition("|")
    assert labels == np.asarray(book.labels).tobytes().hex()
    assert names == repr(book.names)


def test_a_script_of_data_in_memory_asks_for_them():
    """Data that were in no file have a place in the script to be put."""
    script = Workbook.open(blobs()).apply(FIT).to_script()
    assert "X = ...  # put your data here" in script
    compile(script, "script.py", "exec")


def test_unsaved_changes_are_found_again(table):
    """What an autosaver wrote is offered for the same data, not for others; a save takes it away."""
    book = Workbook.open(table).apply(FIT).apply({"op": "noise", "rows": [1]})
    saver = Autosaver(autosave_path(book.data))
    saver.note(book)
    saver.close()
    found = find_autosave(Workbook.open(table).data)
    assert [one["op"] for one in found.log] == ["fit", "noise"]
    assert Workbook.open(table).replay(found.log).state.digest == book.state.digest
    np.savetxt(table, blobs(seed=3), delimiter=",", header="x,y", comments="")
    assert find_autosave(Workbook.open(table).data) is None
    assert autosave_path(Workbook.open(blobs()).data) is None


def test_damaged_autosaves_are_no_problem(table):
    """Half a file, as no crash of ours leaves but a disk may, is not offered."""
    data = Workbook.open(table).data
    path = autosave_path(data)
    path.parent.mkdir(parents=True)
    path.write_text('{"format": "coterie-work')
    assert find_autosave(data) is None
