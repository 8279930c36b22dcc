"""How long an import takes in a fresh interpreter, beyond the interpreter's own start."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

from benchmarks.agreement import anything
from benchmarks.measure import Returned
from benchmarks.problem import OURS, Answer, Contestant, Row

REPETITIONS = 7


def nothing() -> None:
    """Make no data."""


def digest(problem: None, seconds: float) -> Answer:
    """Keep nothing: an import has no answer."""
    return {}


def _seconds(code: str) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True)
    return time.perf_counter() - start


def importing(statement: str) -> Callable[[None], Callable[[], float]]:
    """Return ``enter`` for a statement: best of several runs of it, less the best of an empty program."""

    def enter(problem: None) -> Callable[[], float]:
        exec(statement, {})  # a missing library is noticed before anything is measured

        def measure() -> float:
            pairs = [(_seconds("pass"), _seconds(statement)) for _ in range(REPETITIONS)]
            return min(full for _, full in pairs) - min(bare for bare, _ in pairs)

        return measure

    return enter


def row(name: str, work: str, ours: str, theirs: str) -> Row:
    """Make a row for two statements; up to twice the peer's time is allowed."""
    shared: dict[str, Any] = {"make": nothing, "digest": digest, "agree": anything, "measure": Returned()}
    return Row(
        name=name,
        work=work,
        contestants=(Contestant(OURS, importing(ours)), Contestant("scikit-learn", importing(theirs))),
        bar=0.5,
        most_rounds=1,
        **shared,
    )


ROWS = (
    row("package", "import coterie, import sklearn", "import coterie", "import sklearn"),
    row(
        "kmeans",
        "from ... import KMeans",
        "from coterie.cluster import KMeans",
        "from sklearn.cluster import KMeans",
    ),
)
