"""The runner's hold on one contestant's process: start it, let it play, notice when it dies."""

from __future__ import annotations

import contextlib
import json
import selectors
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.problem import Answer

PATIENCE = 900.0  # seconds that one order may take
GRACE = 5.0  # seconds that a process may take to leave


class Player:
    """A contestant's process.

    ``state`` is ``"ready"`` while it can play, otherwise ``"not installed"``, ``"skipped"``, ``"crashed"``
    or ``"too slow"``, with the reason in ``note``.
    """

    def __init__(self, module: str, row: str, contestant: str) -> None:
        self.name = contestant
        self.values: list[float] = []
        self.note = ""
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115  closed in dismiss
        self._process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.worker", module, row, contestant],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            bufsize=1,
        )
        self.state = "ready"
        greeting = self._listen()
        if greeting is not None:
            self.state, self.note = greeting["state"], greeting.get("note", "")

    def play(self) -> None:
        """Take one turn and keep its figure."""
        message = self._order({"do": "play"})
        if message is not None:
            self.values.append(float(message["value"]))

    def answer(self, folder: Path) -> Answer | None:
        """Return what the last turn found, or None if the process died over it."""
        path = folder / f"{self.name.replace(' ', '_')}.npz"
        if self._order({"do": "answer", "path": str(path)}) is None:
            return None
        with np.load(path) as arrays:
            return dict(arrays)

    def dismiss(self) -> None:
        """End the process; safe to call at any time."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        try:
            self._process.wait(GRACE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._errors.close()

    def _order(self, order: dict[str, Any]) -> dict[str, Any] | None:
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # _listen finds out why
            self._process.stdin.write(json.dumps(order) + "\n")
        return self._listen()

    def _listen(self) -> dict[str, Any] | None:
        assert self._process.stdout is not None
        with selectors.DefaultSelector() as selector:
            selector.register(self._process.stdout, selectors.EVENT_READ)
            if not selector.select(PATIENCE):
                self._process.kill()
                self.state, self.note = "too slow", f"no answer in {PATIENCE:.0f} s"
                return None
        line = self._process.stdout.readline()
        if line:
            message: dict[str, Any] = json.loads(line)
            return message
        self.state, self.note = "crashed", self._last_words()
        return None

    def _last_words(self) -> str:
        code = self._process.wait()
        if code < 0:
            return f"ended by {signal.Signals(-code).name}"
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else f"exit code {code}"
