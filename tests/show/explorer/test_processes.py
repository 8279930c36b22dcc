"""The server as a process: one line on stdout, stopped jobs, Ctrl-C, kill -9, no orphans, resumed work."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest

from coterie.cli.app import run
from workbook_cases import FIT, blobs

PATIENCE = 180  # seconds after which something is taken to hang; no law about speed

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")


class Page:
    """A server of the command line, and a client of it."""

    def __init__(self, *arguments, folder):
        self.process = subprocess.Popen(
            [sys.executable, "-m", "coterie", "explore", *map(str, arguments), "--port", "0", "--no-open"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "COTERIE_STATE": str(folder)},
        )
        self.line = self.process.stdout.readline()
        address, _, self.token = self.line.strip().partition("/?token=")
        self.http = httpx.Client(
            base_url=address or "http://none",
            headers={"authorization": f"Bearer {self.token}"},
            timeout=PATIENCE,
        )

    def state(self):
        """Return the state."""
        return self.http.get("/api/state").json()

    def do(self, operation):
        """Do an operation and wait for it."""
        found = self.http.post("/api/operations", json=operation)
        assert found.status_code in (200, 202), found.text
        return self.settled()

    def settled(self):
        """Return the state once nothing is being computed."""
        return wait_for(lambda: (state := self.state())["job"] is None and state)

    def children(self):
        """Return the ids of the processes that the server started."""
        tasks = Path(f"/proc/{self.process.pid}/task").iterdir()
        return [int(one) for task in tasks for one in (task / "children").read_text().split()]

    def end(self):
        """End the process, whatever state it is in."""
        self.http.close()
        self.process.kill()
        self.process.communicate()


def wait_for(holds):
    """Return what a function returns once it is true."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        found = holds()
        if found:
            return found
        time.sleep(0.02)
    raise AssertionError("this never came to be")


def is_running(pid):
    """Return whether a process is alive: not gone, not a zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.fixture
def table(tmp_path):
    """Return a CSV file of three clouds."""
    path = tmp_path / "clouds.csv"
    path.write_text("x,y\n" + "".join(f"{x},{y}\n" for x, y in blobs()))
    return path


@pytest.fixture
def page(table, tmp_path):
    """Return the page of the table, while an automatic fit is under way."""
    found = Page(table, folder=tmp_path / "state")
    yield found
    found.end()


needs_proc = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="children are listed in /proc")


@needs_proc
def test_the_life_of_a_session(page, table, tmp_path):
    """One line, a job that is stopped, edits, kill -9 without orphans, resumed, Ctrl-C without orphans."""
    assert page.line.startswith("http://127.0.0.1:")
    assert len(page.token) >= 32
    state = page.state()
    if state["job"] is not None:  # the fit that begins by itself: stopped, the state stays
        worker = page.children()
        if page.http.post("/api/stop").json()["stopped"]:  # else it ended in that moment
            assert page.state()["job"] is None
            assert page.state()["log"] == []
            wait_for(lambda: not any(map(is_running, worker)))
    page.do(FIT)
    wanted = page.do({"op": "merge", "groups": ["g1", "g2"]})
    page.http.post("/api/operations", json={"op": "test"})
    workers = wait_for(page.children)
    wait_for(lambda: any((tmp_path / "state").glob("*.coterie.json")))
    time.sleep(0.2)  # the last change is written in the background
    page.process.send_signal(signal.SIGKILL)
    page.process.wait(PATIENCE)
    wait_for(lambda: not any(map(is_running, workers)))

    again = Page(table, folder=tmp_path / "state")
    try:
        state = again.settled()
        assert state["labels_hash"] == wanted["labels_hash"]
        assert state["resumed"]["changes"] == len(wanted["log"])
        assert state["dirty"]
        again.http.post("/api/operations", json={"op": "test"})
        workers = wait_for(again.children)
        again.process.send_signal(signal.SIGINT)
        assert again.process.wait(PATIENCE) == 0
        assert again.process.stdout.read() == ""
        assert again.process.stderr.read() == ""
        wait_for(lambda: not any(map(is_running, workers)))
    finally:
        again.end()


def test_a_port_that_is_taken_and_files_that_are_not_there(tmp_path, capsys):
    """One line on stderr that says what to do, exit code 2, nothing on stdout."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        for arguments, match in (
            (["--port", str(port)], f"coterie: port {port} cannot be used (Address already in use)"),
            (["--port", "99999"], "coterie: --port must be a whole number from 0 to 65535, got 99999."),
            ([str(tmp_path / "no.csv")], "no such file"),
            ([str(tmp_path / "no.coterie.json")], "there is no such file"),
            ([str(tmp_path / "no.model")], "no such model file"),
            (["set:irs"], 'no such set "irs". Did you mean "iris"?'),
        ):
            assert run(["explore", "--no-open", *arguments]) == 2
            said = capsys.readouterr()
            assert said.out == ""
            assert match in said.err
            assert said.err.count("\n") == 1
