"""One contestant in a process of its own: ``python -m benchmarks.worker MODULE ROW CONTESTANT``.

Obeys lines of JSON on standard input and answers each with one on standard output; while another
contestant plays, it sleeps in ``readline``.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from typing import Any, TextIO

import numpy as np

from benchmarks.data import DataMissingError
from benchmarks.problem import Row


def main(module: str, row_name: str, contestant_name: str) -> None:
    """Set the contestant up, then play until standard input ends."""
    channel = _private_channel()
    try:
        row: Row = next(r for r in importlib.import_module(module).ROWS if r.name == row_name)
        contestant = next(c for c in row.contestants if c.name == contestant_name)
        problem = row.make()
        call = contestant.enter(problem)
    except (ModuleNotFoundError, DataMissingError) as reason:
        state = "skipped" if isinstance(reason, DataMissingError) else "not installed"
        _say(channel, {"state": state, "note": str(reason)})
        return
    _say(channel, {"state": "ready"})
    result: Any = None
    for line in sys.stdin:
        order = json.loads(line)
        if order["do"] == "play":
            result = None
            measured = row.measure(call)
            result = measured.result
            _say(channel, {"value": measured.value})
        else:
            np.savez(order["path"], allow_pickle=False, **row.digest(problem, result))
            _say(channel, {"saved": order["path"]})


def _private_channel() -> TextIO:
    # what a library prints goes to standard error; the answers keep the pipe to themselves
    channel = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    return channel


def _say(channel: TextIO, message: dict[str, Any]) -> None:
    channel.write(json.dumps(message) + "\n")
    channel.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
