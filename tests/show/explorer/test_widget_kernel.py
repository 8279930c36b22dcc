"""The explorer as a widget of a real Jupyter kernel: messages go over its wires, not by calls of ours."""

from __future__ import annotations

import os
import time
from pathlib import Path

import numpy as np
import pytest

import coterie

reason = "ipykernel is in the dev extra"
pytest.importorskip("anywidget", reason="anywidget is in the notebook extra")
pytest.importorskip("ipykernel", reason=reason)
manager = pytest.importorskip("jupyter_client.manager", reason=reason)

PATIENCE = 120  # seconds after which something is taken to hang; no law about speed
CELL = """
import numpy as np
import coterie
rng = np.random.default_rng(0)
X = np.concatenate([rng.normal(size=(20, 2)) + 12 * at for at in range(3)])
groups = coterie.fit(X, method="kmeans", k=3, believe=False)
shown = groups.explore()
shown
"""


class Notebook:
    """What a notebook does: it runs cells, and hears what widgets say."""

    def __init__(self, client):
        self.client, self.session = client, client.session

    def run(self, code):
        """Run a cell and return the messages that it sends, by kind."""
        asked = self.client.execute(code)
        heard = []
        while True:
            message = self.client.get_iopub_msg(timeout=PATIENCE)
            if message["parent_header"].get("msg_id") != asked:
                continue
            heard.append(message)
            kind, content = message["msg_type"], message["content"]
            assert kind != "error", "\n".join(content.get("traceback", []))
            if kind == "status" and content["execution_state"] == "idle":
                return heard

    def say(self, comm, content, buffers=()):
        """Send what the page of a widget sends."""
        data = {"method": "custom", "content": content}
        message = self.session.msg("comm_msg", {"comm_id": comm, "data": data})
        self.session.send(self.client.shell_channel.socket, message, buffers=list(buffers))

    def hear(self, comm, wanted):
        """Return what the widget says that fits, with its buffers."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            message = self.client.get_iopub_msg(timeout=PATIENCE)
            if message["msg_type"] != "comm_msg" or message["content"]["comm_id"] != comm:
                continue
            content = message["content"]["data"].get("content") or {}
            if wanted(content):
                return content, [bytes(one) for one in message["buffers"]]
        raise AssertionError("the widget said nothing of the kind")


@pytest.fixture
def notebook(tmp_path):
    """Yield a notebook whose kernel has this very package."""
    path = str(Path(coterie.__file__).parents[1])
    environment = {
        **os.environ,
        "PYTHONPATH": path,
        "COTERIE_STATE": str(tmp_path / "state"),
        "IPYTHONDIR": str(tmp_path / "ipython"),
        "JUPYTER_RUNTIME_DIR": str(tmp_path / "runtime"),
    }
    kernel, client = manager.start_new_kernel(
        startup_timeout=PATIENCE, kernel_name="python3", env=environment
    )
    yield Notebook(client)
    client.stop_channels()
    kernel.shutdown_kernel(now=True)


def test_a_widget_of_a_real_kernel_answers(notebook):
    """Law: a cell shows a widget with the page's code; its requests are answered, edits are told."""
    heard = notebook.run(CELL)
    comms = [one["content"] for one in heard if one["msg_type"] == "comm_open"]
    (opened,) = (one for one in comms if "_esm" in one["data"]["state"])
    assert "export" in opened["data"]["state"]["_esm"]
    shown = [one for one in heard if one["msg_type"] in ("display_data", "execute_result")]
    assert any("application/vnd.jupyter.widget-view+json" in one["content"]["data"] for one in shown)
    comm = opened["comm_id"]

    notebook.say(comm, {"kind": "request", "id": 1, "method": "GET", "path": "/api/labels"})
    content, buffers = notebook.hear(comm, lambda one: one.get("id") == 1)
    assert content["status"] == 200
    assert np.bincount(np.frombuffer(buffers[0], "<i4")).tolist() == [20, 20, 20]

    rows = np.arange(5, dtype="<i4").tobytes()
    notebook.say(comm, {"kind": "request", "id": 2, "method": "POST", "path": "/api/selection"}, [rows])
    content, buffers = notebook.hear(comm, lambda one: one.get("id") == 2)
    assert content["status"] == 200
    assert b'"count":5' in buffers[0].replace(b" ", b"")

    rename = {"op": "rename", "group": "g1", "name": "left"}
    asked = {"kind": "request", "id": 3, "method": "POST", "path": "/api/operations", "json": rename}
    notebook.say(comm, asked)
    notebook.hear(comm, lambda one: one.get("kind") == "event" and one.get("name") == "state")
    said = notebook.run("print(shown.workbook.names[0])")
    assert [one["content"]["text"] for one in said if one["msg_type"] == "stream"] == ["left\n"]
    notebook.run("shown.close()")
