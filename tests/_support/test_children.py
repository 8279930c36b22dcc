"""A process that another one started does not outlive it, whichever way the system offers."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

PATIENCE = 120  # seconds after which something is taken to hang; no law about speed

BUSY = """
import sys, threading
from queue import SimpleQueue
from coterie._support.children import end_with_parent
from coterie.show.explorer.worker import read_messages
end_with_parent()
threading.Thread(target=read_messages, args=(sys.stdin.buffer, SimpleQueue()), daemon=True).start()
print("ready", flush=True)
while True:
    sum(range(100_000))
"""
PARENT = """
import os, sys, time
from coterie._support import children
children._IS_WINDOWS = sys.argv[1] == "windows"
child = children.Child("busy", dict(os.environ))
assert child.process.stdout.readline() == b"ready\\n"
print(child.process.pid, child._lifeline is None, flush=True)
time.sleep(600)
"""


def is_running(pid: int) -> bool:
    """Return whether a process is alive: not gone, not a zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are looked up in /proc")
@pytest.mark.parametrize("system", ["posix", "windows"])
def test_a_busy_child_ends_when_its_parent_is_killed(system, tmp_path):
    """Law: a busy child ends with its parent, with the second pipe and without, as on Windows."""
    import coterie

    (tmp_path / "busy.py").write_text(BUSY)
    path = os.pathsep.join([str(tmp_path), str(Path(coterie.__file__).parents[1])])
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, system],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    )
    pid, has_no_lifeline = parent.stdout.readline().split()
    try:
        assert has_no_lifeline == str(system == "windows")
        assert is_running(int(pid))
        parent.send_signal(signal.SIGKILL)
        parent.wait(PATIENCE)
        end = time.monotonic() + PATIENCE
        while is_running(int(pid)) and time.monotonic() < end:
            time.sleep(0.02)
        assert not is_running(int(pid))
    finally:
        parent.kill()
        parent.communicate()
        if is_running(int(pid)):
            os.kill(int(pid), signal.SIGKILL)
