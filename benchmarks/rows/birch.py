"""BIRCH: growing the tree, Ward's method on its subclusters, and the labels of all rows."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.agreement import close, every
from benchmarks.problem import OURS, Answer, Contestant, Row


class Problem(NamedTuple):
    """Rows, the threshold, and what becomes of the subclusters."""

    X: NDArray[np.float64]
    threshold: float
    n_clusters: int


def make(n: int, d: int, *, groups: int, threshold: float) -> Problem:
    """Make round groups with centres in a cube."""
    random = np.random.default_rng(80)
    centres = random.uniform(-10, 10, size=(groups, d))
    X = centres[random.integers(0, groups, n)] + 0.3 * random.normal(size=(n, d))
    return Problem(X, threshold, 20)


def birch_by(library: str) -> Callable[[Problem], Callable[[], Any]]:
    """Return the entry of a library with scikit-learn's contract."""

    def enter(p: Problem) -> Callable[[], Any]:
        Birch = import_module(library).Birch
        return lambda: Birch(threshold=p.threshold, n_clusters=p.n_clusters).fit(p.X)

    return enter


def digest(problem: Problem, model: Any) -> Answer:
    """Compare the subclusters, sorted since rounding decides their order in peers, and the labels of rows."""
    centers = model.subcluster_centers_
    order = np.lexsort(np.round(centers, 8).T)
    return {"centres": centers[order], "labels": model.labels_}


def birch_row(name: str, work: str, problem: partial[Problem]) -> Row:
    """Make a row: the same subclusters, and the same label for every row."""
    return Row(
        name=name,
        work=f"BIRCH {work}",
        make=problem,
        contestants=(
            Contestant(OURS, birch_by("coterie.cluster")),
            Contestant("scikit-learn", birch_by("sklearn.cluster")),
        ),
        digest=digest,
        agree=every(close("centres", tolerance=1e-9), close("labels", tolerance=0.0)),
        bar=10,
        aim=50,
    )


ROWS = (
    birch_row("middle", "1e5 x 8, 1,800 subclusters", partial(make, 100_000, 8, groups=1000, threshold=1.2)),
    birch_row("plane", "1e5 x 2, 5,900 subclusters", partial(make, 100_000, 2, groups=100, threshold=0.1)),
    birch_row("wide", "1e5 x 64, 120 subclusters", partial(make, 100_000, 64, groups=100, threshold=3.0)),
)
