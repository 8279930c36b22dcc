"""Spanning trees, DBSCAN, HDBSCAN and OPTICS."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.agreement import close
from benchmarks.measure import PeakMemory
from benchmarks.problem import OURS, Answer, Contestant, Row, Verdict

Matrix = NDArray[Any]
MOST_MEMORY = 200.0  # MiB
N_ASKED = 2000  # rows that are compared with the definition


class Problem(NamedTuple):
    """Rows, and the parameters of the method."""

    X: Matrix
    eps: float
    min_samples: int


def make(n: int, d: int, *, spread: float, eps: float = 1.0, min_samples: int = 10) -> Problem:
    """Make twenty round groups with centres in a cube."""
    random = np.random.default_rng(80)
    centres = random.uniform(-10, 10, size=(20, d))
    X = centres[random.integers(0, 20, n)] + spread * random.normal(size=(n, d))
    return Problem(X, eps, min_samples)


def tree_digest(problem: Problem, total: float) -> Answer:
    """Compare the total length of the tree."""
    return {"length": np.array(total)}


def tree_by_coterie(p: Problem) -> Callable[[], float]:
    from coterie.distance import spanning_tree

    return lambda: float(spanning_tree(p.X).distance.sum())


def tree_by_quitefastmst(p: Problem) -> Callable[[], float]:
    import quitefastmst

    return lambda: float(np.sum(quitefastmst.mst_euclid(p.X, 1)[0]))


def label_digest(problem: Problem, labels: Matrix) -> Answer:
    """Compare the number of clusters and the share of noise: border points may go either way in peers."""
    clusters = len(set(labels.tolist()) - {-1})
    return {"clusters": np.array(clusters), "labelled": np.array(float((labels >= 0).mean()))}


def defined_digest(problem: Problem, labels: Matrix) -> Answer:
    """Add how many of some rows are called noise or not against the definition; SciPy counts neighbours."""
    from scipy.spatial import cKDTree

    X, eps, min_samples = problem
    tree = cKDTree(X)
    asked = np.linspace(0, len(X) - 1, N_ASKED).astype(int)
    near = tree.query_ball_point(X[asked], eps)
    others = np.unique(np.concatenate([rows for rows in near if len(rows) < min_samples] + [asked]))
    is_core = np.zeros(len(X), dtype=bool)
    is_core[others] = tree.query_ball_point(X[others], eps, return_length=True) >= min_samples
    is_labelled = np.array([len(rows) >= min_samples or is_core[rows].any() for rows in near])
    wrong = ((labels[asked] >= 0) != is_labelled).sum()
    return dict(label_digest(problem, labels)) | {"wrong": np.array(wrong)}


def as_defined(ours: Answer, theirs: Answer) -> Verdict:
    """Require that none of ours is wrong; a peer that is wrong itself cannot disagree."""
    if ours["wrong"]:
        return Verdict(False, f"of {N_ASKED} rows {ours['wrong']} are wrongly called noise or not by us")
    if theirs["wrong"]:
        return Verdict(
            True, f"of {N_ASKED} rows {theirs['wrong']} are wrongly called noise or not, ours none"
        )
    return close("labelled", tolerance=1e-3)(ours, theirs)


def dbscan_by(library: str) -> Callable[[Problem], Callable[[], Matrix]]:
    """Return the entry of a library with scikit-learn's contract."""

    def enter(p: Problem) -> Callable[[], Matrix]:
        from importlib import import_module

        DBSCAN = import_module(library).DBSCAN
        return lambda: np.asarray(DBSCAN(eps=p.eps, min_samples=p.min_samples, n_jobs=-1).fit(p.X).labels_)

    return enter


def dbscan_by_dbscan(p: Problem) -> Callable[[], Matrix]:
    from dbscan import DBSCAN

    return lambda: np.asarray(DBSCAN(p.X, p.eps, p.min_samples)[0])


def hdbscan_by_coterie(p: Problem) -> Callable[[], Matrix]:
    from coterie.cluster import HDBSCAN

    return lambda: (
        HDBSCAN(min_cluster_size=p.min_samples, min_samples=p.min_samples, n_jobs=-1).fit(p.X).labels_
    )


def hdbscan_by_fast_hdbscan(p: Problem) -> Callable[[], Matrix]:
    """Enter fast_hdbscan, compiled beforehand; it does not count a row as its own neighbour."""
    from fast_hdbscan import HDBSCAN

    HDBSCAN(min_cluster_size=5).fit(p.X[:2000])
    return lambda: HDBSCAN(min_cluster_size=p.min_samples, min_samples=p.min_samples - 1).fit(p.X).labels_


def optics_by(library: str) -> Callable[[Problem], Callable[[], Matrix]]:
    """Return the entry of a library with scikit-learn's contract; one thread, for the walk is sequential."""

    def enter(p: Problem) -> Callable[[], Matrix]:
        from importlib import import_module

        OPTICS = import_module(library).OPTICS
        return lambda: np.asarray(OPTICS(min_samples=p.min_samples, n_jobs=1).fit(p.X).labels_)

    return enter


COTERIE = Contestant(OURS, dbscan_by("coterie.cluster"))
SKLEARN = Contestant("scikit-learn", dbscan_by("sklearn.cluster"))
SKLEARNEX = Contestant("sklearnex", dbscan_by("sklearnex.cluster"))
GRID = Contestant("dbscan", dbscan_by_dbscan)


def dbscan_row(
    name: str, work: str, problem: partial[Problem], peers: tuple[Contestant, ...], **more: Any
) -> Row:
    """Make a row of DBSCAN; the package dbscan misses neighbours, so that its rows go by the definition."""
    by_definition = GRID in peers
    return Row(
        name=name,
        work=f"DBSCAN {work}",
        make=problem,
        contestants=(COTERIE, *peers),
        digest=defined_digest if by_definition else label_digest,
        agree=as_defined if by_definition else close("labelled", tolerance=1e-3),
        **more,
    )


ROWS = (
    Row(
        name="tree",
        work="minimum spanning tree 2e5 x 3",
        make=partial(make, 200_000, 3, spread=0.5),
        contestants=(Contestant(OURS, tree_by_coterie), Contestant("quitefastmst", tree_by_quitefastmst)),
        digest=tree_digest,
        agree=close("length", tolerance=1e-6),
        bar=2,
        aim=3,
    ),
    dbscan_row(
        "plane", "1e6 x 2", partial(make, 1_000_000, 2, spread=0.5, eps=0.02), (GRID,), bar=2.5, aim=3
    ),
    dbscan_row(
        "middle", "1e5 x 8", partial(make, 100_000, 8, spread=0.5, eps=0.9), (GRID, SKLEARN), bar=2, aim=5
    ),
    dbscan_row(
        "wide", "1e5 x 20", partial(make, 100_000, 20, spread=0.5, eps=2.5), (SKLEARN, SKLEARNEX), bar=1
    ),
    dbscan_row(
        "memory",
        "1e5 x 2, a tenth of all within eps, memory beyond the input",
        partial(make, 100_000, 2, spread=2.0, eps=3.0),
        (),
        measure=PeakMemory(),
        limit=MOST_MEMORY,
        most_rounds=1,
    ),
    Row(
        name="hdbscan",
        work="HDBSCAN 2e5 x 3",
        make=partial(make, 200_000, 3, spread=0.5),
        contestants=(
            Contestant(OURS, hdbscan_by_coterie),
            Contestant("fast_hdbscan", hdbscan_by_fast_hdbscan),
        ),
        digest=label_digest,
        agree=close("labelled", tolerance=0.05),
        bar=6,
        aim=10,
    ),
    Row(
        name="optics",
        work="OPTICS 5e3 x 2, no radius",
        make=partial(make, 5_000, 2, spread=0.5),
        contestants=(
            Contestant(OURS, optics_by("coterie.cluster")),
            Contestant("scikit-learn", optics_by("sklearn.cluster")),
        ),
        digest=label_digest,
        agree=close("labelled", tolerance=1e-9),
        bar=10,
        aim=50,
    ),
)
