"""Measures of clusterings: two labelings of five million samples."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.agreement import close
from benchmarks.problem import OURS, Answer, Contestant, Row

N_SAMPLES, N_LABELS = 5_000_000, 50


class Labelings(NamedTuple):
    """Two labelings that agree on about half of the samples."""

    true: NDArray[Any]
    pred: NDArray[Any]


def make_integers(n_labels: int = N_LABELS) -> Labelings:
    """Make labelings of integers."""
    rng = np.random.default_rng(60)
    true = rng.integers(0, n_labels, N_SAMPLES)
    return Labelings(true, np.where(rng.random(N_SAMPLES) < 0.5, true, rng.integers(0, n_labels, N_SAMPLES)))


def make_text() -> Labelings:
    """Make labelings of words of eight characters at most."""
    words = np.array([f"class-{i}" for i in range(N_LABELS)])
    integers = make_integers()
    return Labelings(words[integers.true], words[integers.pred])


def enter_coterie(p: Labelings, *, function: str, **how: Any) -> Callable[[], Any]:
    from coterie import evaluate

    return partial(getattr(evaluate, function), p.true, p.pred, **how)


def enter_sklearn(p: Labelings, *, function: str, **how: Any) -> Callable[[], Any]:
    from sklearn.metrics import cluster

    return partial(getattr(cluster, function), p.true, p.pred, **how)


def digest_score(problem: Labelings, score: float) -> Answer:
    """Keep the score."""
    return {"value": np.array([score])}


def digest_table(problem: Labelings, table: Any) -> Answer:
    """Keep the filled cells of a matrix, dense or sparse, in the order of rows."""
    return {"value": np.asarray(table.data if hasattr(table, "indptr") else table).ravel()}


def row(
    name: str,
    work: str,
    function: str,
    make: Callable[[], Labelings],
    digest: Callable[[Labelings, Any], Answer],
    *,
    bar: float,
    aim: float,
    most_rounds: int = 9,
    **how: Any,
) -> Row:
    """Make a row for one function; scikit-learn's has the same name."""
    return Row(
        name=name,
        work=work,
        make=make,
        contestants=(
            Contestant(OURS, partial(enter_coterie, function=function, **how)),
            Contestant("scikit-learn", partial(enter_sklearn, function=function, **how)),
        ),
        digest=digest,
        agree=close("value", tolerance=1e-10),
        bar=bar,
        aim=aim,
        most_rounds=most_rounds,
    )


def score_row(name: str, function: str, *, most_rounds: int = 9) -> Row:
    """Make a row for a score of 5e6 integers, 50 x 50."""
    work = f"{name.upper()} of 5e6 labels, 50 x 50"
    return row(name, work, function, make_integers, digest_score, bar=10, aim=30, most_rounds=most_rounds)


def table_row(
    name: str, work: str, make: Callable[[], Labelings], *, bar: float, aim: float, **how: Any
) -> Row:
    """Make a row for a contingency matrix."""
    return row(name, work, "contingency_matrix", make, digest_table, bar=bar, aim=aim, **how)


ROWS = (
    score_row("ari", "adjusted_rand_score"),
    score_row("nmi", "normalized_mutual_info_score"),
    score_row("ami", "adjusted_mutual_info_score", most_rounds=3),
    table_row("contingency-text", "contingency of 5e6 strings, 50 x 50", make_text, bar=10, aim=30),
    table_row(
        "contingency-sparse",
        "sparse contingency of 5e6 labels, 20,000 x 20,000",
        partial(make_integers, 20_000),
        bar=2,
        aim=5,
        sparse=True,
    ),
)
