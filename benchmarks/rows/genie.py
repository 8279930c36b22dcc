"""Genie against genieclust: the same groups on published sets, and the time on many rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.auto_sets import published
from benchmarks.data import overlapping_mixture
from benchmarks.problem import OURS, Answer, Contestant, Row, Verdict

Matrix = NDArray[Any]
GINI_THRESHOLD = 0.3  # the default of both
SAME = 0.01  # difference of adjusted Rand indices that ties of equal distances make


class Known(NamedTuple):
    """Rows, how many groups they have, and the group of each where it is known; -1 is noise."""

    X: Matrix
    k: int
    y: Matrix | None = None


def published_sets() -> list[Known]:
    return [Known(X, len(np.unique(y[y >= 0])), y) for _, X, y in published()]


def one_set(n: int, d: int, k: int) -> list[Known]:
    """Make one set of clouds that hardly overlap."""
    return [Known(overlapping_mixture(n, d, components=k, seed=19, separation=8.0, dtype=np.float64), k)]


def by_coterie(sets: list[Known]) -> Callable[[], list[Matrix]]:
    from coterie.cluster import Genie

    return lambda: [Genie(each.k, gini_threshold=GINI_THRESHOLD).fit(each.X).labels_ for each in sets]


def by_genieclust(sets: list[Known]) -> Callable[[], list[Matrix]]:
    from genieclust import Genie

    return lambda: [
        Genie(n_clusters=each.k, gini_threshold=GINI_THRESHOLD).fit(each.X).labels_ for each in sets
    ]


def against_truth(sets: list[Known], found: list[Matrix]) -> Answer:
    """Compare with the known groups; noise is a group of its own."""
    from sklearn.metrics import adjusted_rand_score

    return {"ari": np.array([adjusted_rand_score(one.y, own) for one, own in zip(sets, found, strict=True)])}


def labels_alone(sets: list[Known], found: list[Matrix]) -> Answer:
    return {"labels": np.concatenate(found)}


def as_right(ours: Answer, theirs: Answer) -> Verdict:
    """Require every set to be as right as the peer's."""
    behind = theirs["ari"] - ours["ari"]
    means = f"mean ARI {ours['ari'].mean():.3f}, theirs {theirs['ari'].mean():.3f}"
    note = f"{means}, at most {behind.max():.3f} less"
    return Verdict(bool(behind.max() <= SAME), note)


def same_groups(ours: Answer, theirs: Answer) -> Verdict:
    """Require the same partition, up to ties."""
    from sklearn.metrics import adjusted_rand_score

    found = float(adjusted_rand_score(ours["labels"], theirs["labels"]))
    return Verdict(found >= 1.0 - SAME, f"ARI of the two {found:.3f}")


BOTH = (Contestant(OURS, by_coterie), Contestant("genieclust", by_genieclust))
ROWS = (
    Row(
        name="published",
        work="Genie, published sets with their numbers of groups",
        make=published_sets,
        contestants=BOTH,
        digest=against_truth,
        agree=as_right,
        bar=1.0,
        most_rounds=3,
    ),
    *(
        Row(
            name=f"{n}x{d}",
            work=f"Genie, {n:,} x {d}, 20 groups",
            make=lambda n=n, d=d: one_set(n, d, 20),
            contestants=BOTH,
            digest=labels_alone,
            agree=same_groups,
            bar=1.0,
            most_rounds=3,
        )
        for n, d in ((10_000, 16), (100_000, 3))
    ),
)
