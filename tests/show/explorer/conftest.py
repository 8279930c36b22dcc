"""A server on this machine, its client, and a worker that is shared by the tests of a file."""

from __future__ import annotations

import json
import time

import httpx
import numpy as np
import pytest

from coterie.show.explorer.launch import start
from coterie.workbook import Workbook
from workbook_cases import FIT, blobs


class Client:
    """What a page does: requests with the cookie of the session, and waiting for jobs."""

    def __init__(self, server):
        self.server = server
        self.http = httpx.Client(base_url=f"http://127.0.0.1:{server.port}", timeout=60)
        self.http.get("/", params={"token": server.token})

    def get(self, path, **query):
        """Return the answer to a GET."""
        return self.http.get(path, params=query)

    def post(self, path, body=None, **options):
        """Return the answer to a POST of JSON."""
        return self.http.post(path, content=json.dumps(body or {}), **options)

    def state(self):
        """Return the state of the page."""
        return self.get("/api/state").json()

    def do(self, operation):
        """Do an operation, wait for it, and return the state."""
        found = self.post("/api/operations", operation)
        assert found.status_code in (200, 202), found.text
        return self.wait()

    def wait(self):
        """Return the state after whatever is being computed."""
        for _ in range(6_000):
            if self.server.session.worker.job is None:
                return self.state()
            time.sleep(0.01)
        raise AssertionError("a job does not end")


@pytest.fixture(autouse=True)
def _own_state_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("COTERIE_STATE", str(tmp_path / "state"))


@pytest.fixture
def table(tmp_path):
    """Return a CSV file of three clouds, with a column of names."""
    path = tmp_path / "clouds.csv"
    rows = [f"r{at:03},{x},{y}" for at, (x, y) in enumerate(blobs())]
    path.write_text("\n".join(["id,x,y", *rows]) + "\n")
    return path


@pytest.fixture(scope="package")
def shared():
    """Return a client of the one server that tests share: a worker takes seconds to start."""
    server = start().start()
    found = Client(server)
    yield found
    found.http.close()
    server.close()


@pytest.fixture
def client(shared, table):
    """Return the client with the table open and nothing fitted."""
    shared.server.session.open(Workbook.open(table), folder=table.parent)
    return shared


@pytest.fixture
def fitted(client):
    """Return the client after a fit into three groups, which is not what is tested."""
    client.server.session.book.apply(FIT)
    return client


def numbers(answer):
    """Return the body of an answer as whole numbers."""
    return np.frombuffer(answer.content, dtype="<i4")
