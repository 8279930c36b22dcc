"""Affinity propagation and mean shift, and the radius of the latter."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.agreement import close, every
from benchmarks.measure import MEBIBYTE, PeakMemory
from benchmarks.problem import OURS, Answer, Contestant, Row, Verdict

LIBRARIES = {OURS: "coterie.cluster", "scikit-learn": "sklearn.cluster"}
N_MESSAGES = 3000
# half of what scikit-learn holds: the similarities and three matrices of messages, in float64
HALF_OF_THEIRS = 2 * 8 * N_MESSAGES**2 / MEBIBYTE


class Problem(NamedTuple):
    """Rows, and the parameters of the method."""

    X: NDArray[np.float64]
    parameters: dict[str, Any]


def make(n: int, d: int, **parameters: Any) -> Problem:
    """Make nine round groups on a grid in the first two columns."""
    random = np.random.default_rng(80)
    X = random.normal(size=(n, d))
    X[:, :2] += 6 * random.integers(0, 3, size=(n, 2))
    return Problem(X, parameters)


def fit_by(library: str, kind: str) -> Callable[[Problem], Callable[[], Any]]:
    """Return the entry of a class with scikit-learn's contract."""

    def enter(p: Problem) -> Callable[[], Any]:
        model = getattr(import_module(library), kind)
        model(**p.parameters).fit(p.X[:40])  # what is loaded with the first fit
        return lambda: model(**p.parameters).fit(p.X)

    return enter


def bandwidth_by(library: str) -> Callable[[Problem], Callable[[], Any]]:
    """Return the entry of a function with scikit-learn's contract."""

    def enter(p: Problem) -> Callable[[], Any]:
        estimate = import_module(library).estimate_bandwidth
        estimate(p.X[:40])
        return lambda: estimate(p.X, **p.parameters)

    return enter


def labels_of(problem: Problem, model: Any) -> Answer:
    """Compare the labels and the steps."""
    return {"labels": model.labels_, "steps": np.array(model.n_iter_)}


def same_groups(ours: Answer, theirs: Answer) -> Verdict:
    """Require the same groups: rounding decides which of two rows stands for a pair."""
    from sklearn.metrics import adjusted_rand_score

    agreement = float(adjusted_rand_score(ours["labels"], theirs["labels"]))
    return Verdict(agreement >= 1.0, f"ARI of the labels {agreement:.4f}")


def contestants(entry: Callable[[str], Callable[[Problem], Callable[[], Any]]]) -> tuple[Contestant, ...]:
    """Return both libraries by their entries."""
    return tuple(Contestant(name, entry(library)) for name, library in LIBRARIES.items())


def messages_row(name: str, work: str, **more: Any) -> Row:
    """Make a row of affinity propagation: the same groups."""
    return Row(
        name=name,
        work=f"affinity propagation {N_MESSAGES:,} x 10, damping 0.7{work}",
        make=partial(make, N_MESSAGES, 10, damping=0.7, random_state=0),
        contestants=contestants(partial(fit_by, kind="AffinityPropagation")),
        digest=labels_of,
        agree=same_groups,
        **more,
    )


def shift_row(name: str, work: str, n: int, d: int, **parameters: Any) -> Row:
    """Make a row of mean shift: the same labels after the same number of steps."""
    return Row(
        name=name,
        work=f"mean shift {work}",
        make=partial(make, n, d, **parameters),
        contestants=contestants(partial(fit_by, kind="MeanShift")),
        digest=labels_of,
        agree=every(close("labels", tolerance=0.0), close("steps", tolerance=0.0)),
        bar=10,
        aim=100,
        most_rounds=3,
    )


def bandwidth_row(name: str, quantile: float) -> Row:
    """Make a row of the radius: the same number but for rounding."""
    return Row(
        name=name,
        work=f"estimate_bandwidth 1e4 x 2, quantile {quantile}",
        make=partial(make, 10_000, 2, quantile=quantile),
        contestants=contestants(bandwidth_by),
        digest=lambda problem, radius: {"radius": np.array(radius)},
        agree=close("radius", tolerance=1e-12),
        bar=1,
    )


ROWS = (
    messages_row("messages", "", bar=3, aim=6),
    messages_row(
        "messages-memory",
        ", memory beyond the input",
        measure=PeakMemory(),
        limit=HALF_OF_THEIRS,
        most_rounds=1,
    ),
    shift_row("shift", "1e4 x 2, a seed per row", 10_000, 2, bandwidth=1.6),
    shift_row("shift-bins", "1e5 x 3, seeds on a grid", 100_000, 3, bandwidth=1.2, bin_seeding=True),
    bandwidth_row("bandwidth", 0.3),
    bandwidth_row("bandwidth-small", 0.05),
)
