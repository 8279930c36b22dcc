"""The explorer in a notebook: the same answers as over HTTP, carried by messages."""

from __future__ import annotations

import json

import numpy as np
import pytest

import coterie
from coterie.show.explorer.launch import explore, open_session
from coterie.show.explorer.widget import make_widget, reply_to
from coterie.workbook import Workbook
from workbook_cases import FIT, blobs


def test_messages_are_answered_as_requests_are():
    """Paths, queries, JSON and bytes mean what they mean over HTTP; limits are the same."""
    session = open_session(Workbook.open(blobs()).apply(FIT))
    try:
        state = reply_to(session, {"method": "GET", "path": "/api/state"}, [])
        assert len(json.loads(state.body)["groups"]) == 3
        made = reply_to(
            session, {"method": "POST", "path": "/api/operations", "json": {"op": "noise", "rows": [0]}}, []
        )
        assert made.status == 200
        rows = memoryview(np.arange(5, dtype="<i4").tobytes())
        assert (
            json.loads(reply_to(session, {"method": "POST", "path": "/api/selection"}, [rows]).body)["count"]
            == 5
        )
        found = reply_to(session, {"method": "GET", "path": "/api/map?kind=xy&x=column_1&y=column_2"}, [])
        assert len(found.body) == 60 * 8
        assert reply_to(session, {"method": "GET", "path": "/api/map?kind=nothing"}, []).status == 400
        assert reply_to(session, {}, []).status == 404
        odd = {"method": "GET", "path": "/api/state", "headers": 2**63}
        assert reply_to(session, odd, []).status == 200
        assert reply_to(session, {"method": "POST", "path": "/api/undo"}, [bytes(65 << 20)]).status == 413
    finally:
        session.close()


def test_the_widget_hears_and_tells():
    """A request is answered with its id and the body as bytes; what changes is told as an event."""
    pytest.importorskip("anywidget")
    groups = coterie.fit(blobs(), method="kmeans", k=3, believe=False)
    shown = explore(groups, widget=True)
    sent = []
    shown.send = lambda content, buffers=None: sent.append((content, buffers))
    shown._hear(shown, {"kind": "request", "id": 7, "method": "GET", "path": "/api/labels"}, [])
    content, buffers = sent.pop()
    assert (content["kind"], content["id"], content["status"]) == ("response", 7, 200)
    assert np.frombuffer(buffers[0], "<i4").tolist() == groups.labels.tolist()
    rename = {"op": "rename", "group": "g1", "name": "a"}
    shown._hear(
        shown, {"kind": "request", "id": 8, "method": "POST", "path": "/api/operations", "json": rename}, []
    )
    assert [one["kind"] for one, _ in sent] == ["event", "response"]
    assert shown.workbook.names[0] == "a"
    shown._hear(shown, {"kind": "other"}, [])
    shown.close()


def test_an_answer_is_explored_in_the_background(monkeypatch):
    """`groups.explore()` serves from this process; the workbook has the groups; `close` ends it."""
    groups = coterie.fit(blobs(), method="kmeans", k=3, believe=False)
    opened = []
    monkeypatch.setattr("webbrowser.open", lambda url: opened.append(url) or True)
    with groups.explore(waits=False, widget=False) as shown:
        assert opened == [shown.url]
        assert shown.workbook.k == 3
        assert shown.workbook.labels.tolist() == groups.labels.tolist()
    assert repr(shown).startswith("<Explorer at http://127.0.0.1:")


def test_no_browser_is_said(monkeypatch, capsys):
    """Where no browser can be opened, a sentence says what to do."""
    monkeypatch.setattr("webbrowser.open", lambda url: False)
    with explore(blobs(), waits=False, widget=False) as shown:
        shown._server.session.stop()
    assert "open the address above yourself" in capsys.readouterr().err


def test_make_widget_needs_anywidget(monkeypatch):
    """Without the package, the error names the extra."""
    import sys

    monkeypatch.setitem(sys.modules, "anywidget", None)
    with pytest.raises(coterie.errors.MissingDependency, match=r"coterie\[notebook\]"):
        make_widget(None)
