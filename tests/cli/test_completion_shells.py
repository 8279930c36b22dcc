"""Tab completion in the shells themselves: a terminal, a shell, the Tab key."""

import os
import re
import select
import shlex
import shutil
import signal
import subprocess
import sys
import time

import pytest

pty = pytest.importorskip("pty", reason="no terminals of this kind on Windows")

# How each is started without the user's own settings, and what loads the script that Coterie prints.
SHELLS = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], "source {script}"),
    "zsh": (["zsh", "-f", "-i"], "autoload -U compinit; compinit -u -d {folder}/dump; source {script}"),
    "fish": (["fish", "--no-config", "-i"], "source {script}"),
}
PATIENCE = 120  # seconds until a shell that does not answer is given up; none is expected to take one
ESCAPES = re.compile(r"\x1b(\[[0-9;?<>=]*[A-Za-z]|\][^\x07]*\x07|[=>()][A-Z0-9]?)")


class Terminal:
    """A shell in a terminal of its own, to type into."""

    def __init__(self, command, folder):
        environment = {"PATH": f"{folder}/bin:{os.environ['PATH']}", "HOME": str(folder), "TERM": "xterm"}
        kept = ("PYTHONPATH", "LANG", "LD_LIBRARY_PATH")
        environment |= {name: os.environ[name] for name in kept if name in os.environ}
        self.pid, self.screen = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            os.execvpe(command[0], command, environment)
        self.seen = ""

    def type(self, text):
        """Send keys; what was seen before is forgotten."""
        self.seen = ""
        os.write(self.screen, text.encode())

    def wait_for(self, text):
        """Read until a text is on the screen."""
        end = time.monotonic() + PATIENCE
        while text not in (shown := ESCAPES.sub("", self.seen)):
            assert time.monotonic() < end, f"{text!r} never came, but {shown!r}"
            if select.select([self.screen], [], [], 1)[0]:
                self.seen += os.read(self.screen, 1 << 16).decode(errors="replace")

    def close(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.screen)


@pytest.fixture
def home(tmp_path):
    """Return a folder with ``coterie`` in its bin and a table in it."""
    program = tmp_path / "bin" / "coterie"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m coterie "$@"\n')
    program.chmod(0o755)
    (tmp_path / "table.csv").write_text("height,weight,kind\n1.5,2.5,a\n2.5,3.5,b\n")
    return tmp_path


@pytest.mark.parametrize("shell", SHELLS)
def test_the_tab_key_completes(shell, home):
    """Law: Tab completes a command, an option, a name of a catalogue and a column of the table."""
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed; .github/workflows/test.yml installs it")
    command, load = SHELLS[shell]
    script = subprocess.run(
        [sys.executable, "-m", "coterie", "--show-completion", shell], capture_output=True, check=True
    ).stdout
    (home / "script").write_bytes(script)
    terminal = Terminal(command, home)
    try:
        terminal.type(load.format(script=home / "script", folder=home) + "; echo read''y\n")
        terminal.wait_for("ready")
        for typed, completed in [
            ("coterie sel", "coterie select "),
            ("coterie fit table.csv --with-d", "--with-data "),
            ("coterie fit table.csv --method kmed", "kmedoids "),
            ("coterie fit table.csv --drop wei", "weight "),
        ]:
            terminal.type(typed + "\t")
            terminal.wait_for(completed)
            terminal.type("\x15")  # Ctrl-U: an empty line again
    finally:
        terminal.close()
