"""What the page asks for, through HTTP: states, labels, maps, rows, exports, comparisons, lessons."""

from __future__ import annotations

import contextlib
import io
import json
import os
import signal
import subprocess
import sys
import threading

import httpx
import numpy as np
import polars
import pytest

import coterie
from coterie.show.explorer.launch import open_session
from coterie.show.explorer.methods import methods_form
from coterie.workbook import LEFT_OUT, Workbook
from show.explorer.conftest import numbers
from workbook_cases import FIT, blobs


def test_the_state_of_a_page(fitted):
    """Groups, columns, evidence and log are there, as the contract of the page says."""
    state = fitted.state()
    assert [group["size"] for group in state["groups"]] == [20, 20, 20]
    assert [one["role"] for one in state["data"]["columns"]] == ["left out", "used", "used"]
    assert state["log"][0]["text"] == "Found 3 groups by k-means"
    noted = fitted.do({"op": "note", "group": "g1", "text": "a note"})
    assert noted["groups"][0]["note"] == "a note"
    assert noted["log"][1]["text"] == "Wrote a note about group 1"
    fitted.post("/api/undo")
    state = fitted.state()
    assert (state["position"], state["can_undo"], state["can_redo"]) == (1, True, True)
    assert not state["stale"]
    assert state["evidence"]["silhouette"] > 0.5
    assert {"id", "mean", "values"} == set(state["evidence"]["silhouettes"][0])
    assert len(state["evidence"]["tree"]["leaves"]) == 3
    assert all(group["features"] and group["rule"] for group in state["groups"])
    assert numbers(fitted.get("/api/labels")).tolist() == fitted.server.session.book.state.labels.tolist()


def test_two_pages_see_the_same_state(fitted):
    """What one tab does, the other hears of by an event and reads."""
    other = httpx.Client(base_url=fitted.http.base_url, cookies=dict(fitted.http.cookies), timeout=30)
    heard = []
    ready = threading.Event()

    def listen():
        with other.stream("GET", "/api/events") as stream:
            for line in stream.iter_lines():
                if line.startswith("data: "):
                    heard.append(json.loads(line.removeprefix("data: ")))
                    ready.set()
                if len(heard) == 2:
                    return

    thread = threading.Thread(target=listen)
    thread.start()
    assert ready.wait(20)
    revision = fitted.do({"op": "rename", "group": "g1", "name": "seen"})["revision"]
    thread.join(20)
    assert heard[1] == {"revision": revision}
    assert other.get("/api/state").json()["groups"][0]["name"] == "seen"
    other.close()


def test_undo_redo_and_jump(fitted):
    """The position moves; what cannot be done is said in a sentence."""
    fitted.do({"op": "merge", "groups": ["g1", "g2"]})
    assert len(fitted.post("/api/undo").json()["groups"]) == 3
    assert len(fitted.post("/api/redo").json()["groups"]) == 2
    assert fitted.post("/api/redo").json()["error"] == "there is nothing to redo."
    assert fitted.post("/api/jump", {"position": 0}).json()["groups"] == []
    assert fitted.post("/api/jump", {"position": 9}).status_code == 400
    assert fitted.post("/api/jump", {"position": "1"}).status_code == 400


def test_maps(fitted):
    """PCA at once, t-SNE and the graph by the worker, two columns as they are; NaN for rows left out."""
    found = fitted.get("/api/map", kind="pca")
    assert found.headers["x-map-text"] == "PCA: 100%25 of the variance"
    assert np.frombuffer(found.content, "<f4").reshape(-1, 2).shape == (60, 2)
    for kind in ("tsne", "graph"):
        assert fitted.get("/api/map", kind=kind).status_code == 202
        fitted.wait()
        assert np.isfinite(np.frombuffer(fitted.get("/api/map", kind=kind).content, "<f4")).all()
    plane = np.frombuffer(fitted.get("/api/map", kind="xy", x="x", y="y").content, "<f4").reshape(-1, 2)
    np.testing.assert_allclose(plane, blobs().astype("<f4"))
    assert (
        fitted.get("/api/map", kind="xy", x="x", y="id")
        .json()["error"]
        .startswith('column "id" holds no numbers')
    )
    assert fitted.get("/api/map", kind="circle").status_code == 400


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_a_map_survives_edits_and_undo(fitted):
    """Law: an edit, undo and redo neither wait for a map that is being computed nor end it."""
    fitted.get("/api/map", kind="graph")
    fitted.wait()
    with frozen(fitted.server.session.worker):
        job = fitted.get("/api/map", kind="tsne").json()["job"]
        renaming = {"op": "rename", "group": "g1", "name": "one"}
        for where, body in (("operations", renaming), ("undo", {}), ("redo", {})):
            assert fitted.post(f"/api/{where}", body).status_code == 200
        assert fitted.state()["job"]["id"] == job["id"]
    fitted.wait()
    assert fitted.get("/api/map", kind="tsne").status_code == 200


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_whoever_waits_for_a_map_or_a_comparison_hears_that_it_does_not_come(fitted):
    """Law: stopping or failing work is told, so that no page waits for it, nor begins it again."""
    heard = []
    end = fitted.server.session.listen(lambda name, facts: heard.append((name, facts.get("is_there"))))
    with frozen(fitted.server.session.worker):
        assert fitted.get("/api/map", kind="tsne").status_code == 202
        assert fitted.post("/api/stop").json() == {"stopped": True}
    assert ("map", False) in heard
    heard.clear()
    fitted.get("/api/compare", a="1", b="dbscan")
    fitted.server.session.worker.job.on_failed("no")
    fitted.post("/api/stop")
    assert heard.count(("compared", False)) == 2
    end()


@contextlib.contextmanager
def frozen(worker):
    """Stop the process of a worker for a while: what it does cannot end meanwhile."""
    worker.warm_up()
    pid = worker.pid
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)


def test_a_map_of_two_columns_offers_numbers(fitted):
    """Every column that is told to be numeric can be an axis, a key of texts cannot; roles say why."""
    columns = {one["name"]: one for one in fitted.state()["data"]["columns"]}
    assert {name: one["numeric"] for name, one in columns.items()} == {"id": False, "x": True, "y": True}
    assert fitted.get("/api/map", kind="xy", x="x", y="y").status_code == 200
    assert "holds no numbers" in fitted.get("/api/map", kind="xy", x="id", y="y").json()["error"]
    state = fitted.do({"op": "roles", "columns": {"y": "leave"}})
    state = fitted.do({"op": "fit", "method": "kmeans", "k": 3, "believe": False})
    assert {one["name"]: one["why"] for one in state["data"]["columns"]}["y"] == "left out as you asked"


def test_columns_and_rows(fitted):
    """A column as numbers or codes; a page of the table, sorted, of a group or of given rows."""
    column = fitted.get("/api/column", name="id")
    assert json.loads(column.headers["x-column"])["kind"] == "category"
    assert fitted.get("/api/column", name="z").status_code == 400
    page = fitted.post("/api/rows", {"rows": [5, 3, 4], "sort": {"column": "x", "descending": True}}).json()
    values = [float(cells[1]) for cells in page["cells"]]
    assert values == sorted(values, reverse=True)
    assert page["total"] == 3
    assert fitted.post("/api/rows", {"group": "g1", "limit": 7, "offset": 15}).json()["total"] == 20
    assert fitted.post("/api/rows", {"limit": 5_000}).status_code == 400
    assert fitted.post("/api/rows", {"rows": [60]}).status_code == 400


def test_numbers_beyond_float32(client):
    """Law: the page gets float32; larger numbers stand at the end of its range, on every kind of map."""
    client.server.session.open(Workbook.open(blobs() * 1e150), folder=None)
    most = np.finfo(np.float32).max
    column = np.frombuffer(client.get("/api/column", name="column_1").content, "<f4")
    np.testing.assert_array_equal(column, np.where(blobs()[:, 0] > 0, most, -most))
    for query in ({"kind": "pca"}, {"kind": "xy", "x": "column_1", "y": "column_2"}):
        found = client.get("/api/map", **query)
        assert found.status_code == 200
        assert np.isfinite(np.frombuffer(found.content, "<f4")).all()


def test_selections(fitted):
    """A selection is counted by group, and what sets it apart is named."""
    rows = np.arange(25, dtype="<i4")
    found = fitted.http.post("/api/selection", content=rows.tobytes()).json()
    assert found["count"] == 25
    assert sum(one["count"] for one in found["by_group"]) == 25
    assert found["features"][0]["column"] in ("x", "y")
    assert fitted.http.post("/api/selection", content=b"abc").status_code == 400
    assert fitted.http.post("/api/selection", content=np.array([99], "<i4").tobytes()).status_code == 400


def test_exports(fitted, tmp_path):
    """Labels with names, a model that loads, the report, a script that runs, a workbook."""
    fitted.do({"op": "rename", "group": "g1", "name": "first"})
    fitted.do({"op": "noise", "rows": [0]})
    labels = np.asarray(fitted.server.session.book.labels)
    names = ["first", "group 2", "group 3", "noise"]
    for what, read in (("labels.csv", polars.read_csv), ("labels.parquet", polars.read_parquet)):
        frame = read(io.BytesIO(fitted.get(f"/api/export/{what}").content))
        assert frame.columns == ["id", "label", "group"]
        assert frame["label"].to_list() == labels.tolist()
        assert frame["group"].to_list() == [names[label] for label in labels]
    path = tmp_path / "groups.safetensors"
    path.write_bytes(fitted.get("/api/export/model").content)
    assert np.asarray(coterie.load(path).labels).tolist() == labels.tolist()
    report = fitted.get("/api/export/report")
    assert "<!doctype html>" in report.text
    assert report.headers["content-disposition"] == 'attachment; filename="clouds-report.html"'
    script = fitted.get("/api/export/script").text
    done = subprocess.run(
        [sys.executable, "-c", f"{script}\nprint(labels.tolist())"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout) == labels.tolist()
    assert fitted.get("/api/export/workbook").json()["log"][0]["op"] == "fit"


def test_compare(fitted):
    """Two positions, or a position and another method: counts, matched groups, rows that moved."""
    fitted.do(
        {
            "op": "move",
            "rows": [int(np.flatnonzero(numbers(fitted.get("/api/labels")) == 1)[0])],
            "group": "g1",
        }
    )
    found = fitted.get("/api/compare", a="1", b="2").json()
    assert found["moved"] == 1
    assert sum(map(sum, found["contingency"])) == 60
    assert len(numbers(fitted.get("/api/compare/rows", a="1", b="2"))) == 1
    assert fitted.get("/api/compare", a="1", b="1").json()["text"] == "The same groups."
    assert fitted.get("/api/compare", a="1", b="kmeans:4").status_code == 202
    fitted.wait()
    assert len(fitted.get("/api/compare", a="1", b="kmeans:4").json()["groups_b"]) == 4
    assert len(np.unique(numbers(fitted.get("/api/labels", method="kmeans:4")))) == 4
    assert fitted.get("/api/compare", a="1", b="kmean").json()["error"].startswith('no such method "kmean"')
    sides = fitted.get("/api/compare", a="1", b="2").json()
    assert [one["colour"] for one in sides["groups_a"]] == [one["colour"] for one in fitted.state()["groups"]]
    assert [one["id"] for one in sides["groups_b"]] == ["g1", "g2", "g3"]
    assert len(fitted.state()["log"]) == 2  # comparing is not an operation


def test_save_and_reload(fitted, table):
    """Saved beside the data, never over a stranger's file; data that change on disk are read again."""
    assert fitted.state()["dirty"]
    assert fitted.post("/api/save").json()["saved_as"] == "clouds.coterie.json"
    assert not fitted.state()["dirty"]
    (table.parent / "other.coterie.json").write_text("mine")
    assert fitted.post("/api/save", {"path": "other"}).status_code == 409
    for name in ("\ud800", "a\nb", "\x1b[31m"):  # half of a character, and what steers a terminal
        assert "plain file name" in fitted.post("/api/save", {"path": name}).json()["error"]
    assert (table.parent / "other.coterie.json").read_text() == "mine"
    table.write_text(table.read_text().replace("r000,", "r999,"))
    assert "has changed on disk" in fitted.state()["warning"]
    fitted.post("/api/reload")
    state = fitted.wait()
    assert state["warning"] is None
    assert len(state["groups"]) == 3


def test_unsaved_changes_of_an_answer_are_its_own(table, tmp_path):
    """A saved answer that is opened again has the changes that were not saved; its data alone have none."""
    path = tmp_path / "clouds.model"
    coterie.fit(table, k=3, method="kmeans", believe=False).save(path)
    for resumed, name in ((None, ""), ({"changes": 1, "text": "Resumed 1 unsaved change."}, "north")):
        session = open_session(path)
        try:
            assert session.state()["groups"][0]["name"] == name
            found = session.state()["resumed"]
            assert (found and {one: found[one] for one in ("changes", "text")}) == resumed
            session.operate({"op": "rename", "group": "g1", "name": "north"})
        finally:
            session.close()
    data = open_session(table, fit=False)
    assert (data.need().log, data.resumed) == ([], None)
    data.close()


def test_reading_the_data_again_keeps_what_was_undone(fitted, table):
    """Law: undo, data read again, redo: the same groups, and the log with its times, as without reading."""
    wanted = fitted.do({"op": "merge", "groups": ["g1", "g2"]})
    fitted.post("/api/undo")
    table.write_text(table.read_text().replace("r000,", "r999,"))
    fitted.post("/api/reload")
    state = fitted.wait()
    assert (state["position"], len(state["log"]), state["can_redo"]) == (1, 2, True)
    assert [entry["at"] for entry in state["log"]] == [entry["at"] for entry in wanted["log"]]
    assert fitted.post("/api/redo").json()["labels_hash"] == wanted["labels_hash"]


def test_a_request_that_ctrl_c_interrupts_is_refused(fitted, monkeypatch):
    """Law: Polars raises KeyboardInterrupt in the thread of a request; the page is told."""

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("coterie.show.explorer.server.answer", interrupted)
    found = fitted.get("/api/state")
    assert (found.status_code, found.json()) == (503, {"error": "The explorer is ending."})


def test_open_and_upload(client):
    """An embedded set or a dropped file replaces the data; a broken file leaves them as they are."""
    assert client.post("/api/open", {"set": "moons"}).status_code == 202
    assert client.state()["data"]["name"] == "moons"
    assert client.post("/api/open", {"set": "../x"}).status_code == 400
    assert (
        client.http.post("/api/upload", content=b"PAR1 no", headers={"X-File-Name": "a.parquet"}).status_code
        == 400
    )
    assert client.state()["data"]["name"] == "moons"
    client.post("/api/stop")
    body = "x,y\n" + "\n".join(f"{x},{y}" for x, y in blobs())
    assert (
        client.http.post("/api/upload", content=body, headers={"X-File-Name": "a%20b.csv"}).status_code == 202
    )
    client.post("/api/stop")
    state = client.do(FIT)
    assert (state["data"]["name"], state["can_save"], len(state["groups"])) == ("a b.csv", False, 3)
    assert "Download the workbook" in client.post("/api/save").json()["error"]
    stored = client.get("/api/export/workbook").content
    client.do({"op": "merge", "groups": ["g1", "g2"]})
    client.http.post("/api/upload", content=stored, headers={"X-File-Name": "w.coterie.json"})
    assert len(client.wait()["groups"]) == 3


def test_missing_values_are_left_out(client):
    """Rows with gaps have no place on the map and no label."""
    body = "x,y\n" + "\n".join(f"{x},{'' if at == 4 else y}" for at, (x, y) in enumerate(blobs()))
    client.http.post("/api/upload", content=body, headers={"X-File-Name": "gaps.csv"})
    client.post("/api/stop")
    state = client.do(FIT)
    assert (state["data"]["rows"], state["data"]["rows_used"]) == (60, 59)
    assert numbers(client.get("/api/labels"))[4] == LEFT_OUT
    assert np.isnan(np.frombuffer(client.get("/api/map").content, "<f4").reshape(-1, 2)[4]).all()


def test_the_form_of_methods():
    """Every method of the catalogue is in the form, auto first; no parameter names a file or a thread."""
    form = methods_form()
    assert [one["name"] for one in form] == ["auto", *(method.name for method in coterie.cluster.methods())]
    names = {parameter["name"] for one in form for parameter in one["parameters"]}
    assert not names & {"memory", "n_jobs", "progress", "verbose", "random_state"}
    kinds = {parameter["kind"] for one in form for parameter in one["parameters"]}
    assert kinds == {"choice", "integer", "number", "boolean", "text"}
    dbscan = next(one for one in form if one["name"] == "dbscan")
    assert any(one["name"] == "eps" and one["in_set"] and one["text"] for one in dbscan["parameters"])


def test_unknown_addresses(client):
    """Other addresses are not there; the wrong verb says which is right."""
    assert client.get("/api/nothing").status_code == 404
    assert client.get("/api/undo").status_code == 405
    assert client.post("/api/state").json()["error"] == "use GET."
    assert client.get("/api/state%0A%0A0").json()["error"] == "there is no such address."


@pytest.mark.parametrize("preparation", [{"op": "roles", "weights": {"x": 5.0}}, {"op": "sizes", "max": 25}])
def test_what_is_said_before_a_fit_is_shown(client, preparation):
    """Roles and sizes are in the state before and after the fit that follows them."""
    state = client.do(preparation)
    assert state["data"]["columns"][1]["weight"] == preparation.get("weights", {}).get("x", 1.0)
    assert state["sizes"]["max"] == preparation.get("max")
    assert len(client.do({"op": "fit", "k": 3, "believe": False})["log"]) == 2


def test_notes_name_the_switches_of_the_page(client):
    """What is said about columns and gaps names what the page has, not options of Python or the shell."""
    rows = [f"{x},{'' if at == 4 else y},{10_000 + at % 20:05}" for at, (x, y) in enumerate(blobs())]
    client.http.post("/api/upload", content="\n".join(["x,y,zip", *rows]), headers={"X-File-Name": "z.csv"})
    client.post("/api/stop")
    state = client.do({**FIT, "believe": False})
    said = "\n".join([*state["data"]["notes"], *state["answer"]["notes"]])
    assert 'zip (a postal code); "use" in Data uses it' in said
    assert "keep=" not in said
    assert "--" not in said
    texts = "\n".join(["zip,day", *(f"{10_000 + at % 20:05},2024-01-{at % 28 + 1:02}" for at in range(60))])
    found = client.http.post("/api/upload", content=texts, headers={"X-File-Name": "texts.csv"})
    assert found.status_code == 202
    data = client.wait()["data"]
    assert (data["rows_used"], [one["role"] for one in data["columns"]]) == (0, ["left out", "left out"])
    assert data["problem"].endswith(
        'To use it: "use" in Data. Use coterie fit --dates year, month, weekday or as-number.'
    )
    by_hand = client.do({"op": "new", "rows": [0, 1]})
    assert [(group["size"], group["features"], group["rule"]) for group in by_hand["groups"]] == [
        (2, [], None)
    ]
