"""How long an import takes in a fresh interpreter, beyond the interpreter's own start."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

from benchmarks.agreement import anything
from benchmarks.measure import Returned
from benchmarks.problem import OURS, Answer, Contestant, Row

REPETITIONS = 7
# Users have compiled files: pip makes them, or the first run does.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def nothing() -> None:
    """Make no data."""


def digest(problem: None, seconds: float) -> Answer:
    """Keep nothing: an import has no answer."""
    return {}


def _seconds(code: str) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True, env=ENVIRONMENT)
    return time.perf_counter() - start


def importing(statement: str) -> Callable[[None], Callable[[], float]]:
    """Return ``enter`` for a statement: best of several runs of it, less the best of an empty program."""

    def enter(problem: None) -> Callable[[], float]:
        exec(statement, {})  # a missing library is noticed before anything is measured
        _seconds(statement)  # compiles what is not yet

        def measure() -> float:
            pairs = [(_seconds("pass"), _seconds(statement)) for _ in range(REPETITIONS)]
            return min(full for _, full in pairs) - min(bare for bare, _ in pairs)

        return measure

    return enter


def row(
    name: str,
    work: str,
    ours: str,
    peers: dict[str, str],
    *,
    bar: float | None = 0.5,
    limit: float | None = None,
) -> Row:
    """Make a row of statements; unless said otherwise, up to twice the peer's time is allowed."""
    shared: dict[str, Any] = {"make": nothing, "digest": digest, "agree": anything, "measure": Returned()}
    others = (Contestant(peer, importing(statement)) for peer, statement in peers.items())
    return Row(
        name=name,
        work=work,
        contestants=(Contestant(OURS, importing(ours)), *others),
        bar=bar,
        limit=limit,
        most_rounds=1,
        **shared,
    )


def shell(arguments: str) -> str:
    """Return a program that does what ``python -m coterie`` does, without its output."""
    return f"""
import contextlib, io, runpy, sys
sys.argv = ["coterie", *{arguments.split()!r}]
with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
    runpy.run_module("coterie", run_name="__main__")
"""


ROWS = (
    row("package", "import coterie, import sklearn", "import coterie", {"scikit-learn": "import sklearn"}),
    row("numpy", "import coterie, import numpy", "import coterie", {"numpy": "import numpy"}),
    row(
        "kmeans",
        "from ... import KMeans",
        "from coterie.cluster import KMeans",
        {"scikit-learn": "from sklearn.cluster import KMeans"},
    ),
    row(
        "base",
        "from coterie.cluster import KMeans, against what it computes with",
        "from coterie.cluster import KMeans",
        {"sklearn.base": "import sklearn.base", "numpy and scipy.sparse": "import numpy, scipy.sparse"},
        bar=1 / 1.1,
    ),
    row("help", "coterie --help", shell("--help"), {}, bar=None, limit=0.3),
    row("fit-help", "coterie fit --help", shell("fit --help"), {}, bar=None, limit=0.3),
)
