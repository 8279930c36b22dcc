"""Phylogeny: neighbour joining, and distances between sequences."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.agreement import anything, close
from benchmarks.problem import OURS, Answer, Contestant, Row

Matrix = NDArray[Any]
NOISE = 0.05  # of the distances: they belong to no tree
SITES = 1_000
APE = """
library(ape)
n <- {n}
d <- matrix(readBin("{path}", "double", n * n), n)
writeBin(sort(nj(as.dist(d))$edge.length), "{path}.out")
"""


class Sequences(NamedTuple):
    """Sequences as letters, a row each."""

    letters: NDArray[np.uint8]


def make_distances(n: int) -> Matrix:
    """Make distances along a random tree, a little off."""
    from coterie.phylogeny import random_tree

    square = random_tree(n, random_state=27).distances()
    noise = np.triu(np.random.default_rng(28).normal(1, NOISE, square.shape), 1)
    return square * (noise + noise.T)


def make_sequences(n: int) -> Sequences:
    """Make sequences that evolved along a random tree."""
    from coterie.phylogeny import evolve, random_tree

    return Sequences(evolve(random_tree(n, mean_length=0.01, random_state=29), SITES).letters)


def join_coterie(p: Matrix) -> Callable[[], Any]:
    from coterie.phylogeny import neighbour_joining

    return lambda: neighbour_joining(p).lengths[:-1]


def join_skbio(p: Matrix) -> Callable[[], Any]:
    from skbio import DistanceMatrix
    from skbio.tree import nj

    distances = DistanceMatrix(p, [f"t{i}" for i in range(len(p))])
    return lambda: [node.length for node in nj(distances, neg_as_zero=False).traverse(include_self=False)]


def join_biopython(p: Matrix) -> Callable[[], Any]:
    from Bio.Phylo.TreeConstruction import DistanceMatrix, DistanceTreeConstructor

    names = [f"t{i}" for i in range(len(p))]
    rows = [row[: at + 1].tolist() for at, row in enumerate(p)]

    def join() -> Any:
        tree = DistanceTreeConstructor().nj(DistanceMatrix(names, [list(row) for row in rows]))
        return [clade.branch_length for clade in tree.find_clades() if clade is not tree.root]

    return join


def join_ape(p: Matrix) -> Callable[[], Any]:
    """Join with R's ape; the time has the start of R in it, about a second."""
    path = Path(tempfile.mkdtemp(prefix="coterie-ape-")) / "square"
    path.write_bytes(p.tobytes())

    def join() -> Any:
        subprocess.run(["Rscript", "-e", APE.format(n=len(p), path=path)], check=True, capture_output=True)
        return np.fromfile(f"{path}.out")

    return join


def digest_lengths(p: Matrix, lengths: Any) -> Answer:
    """Keep the lengths of all branches, sorted."""
    return {"lengths": np.sort(np.asarray(lengths, dtype=np.float64))}


def compare_coterie(p: Sequences, model: str) -> Callable[[], Matrix]:
    from coterie.phylogeny import Alignment, sequence_distances

    rows = Alignment(tuple(map(str, range(len(p.letters)))), p.letters, "dna")
    return lambda: sequence_distances(rows, model=model)


def compare_biopython(p: Sequences) -> Callable[[], Matrix]:
    from Bio.Align import MultipleSeqAlignment
    from Bio.Phylo.TreeConstruction import DistanceCalculator
    from Bio.Seq import Seq
    from Bio.SeqRecord import SeqRecord

    texts = [row.tobytes().decode() for row in p.letters]
    rows = MultipleSeqAlignment([SeqRecord(Seq(text), id=f"t{at}") for at, text in enumerate(texts)])
    return lambda: np.array(DistanceCalculator("identity").get_distance(rows))


def digest_matrix(p: Sequences, distances: Matrix) -> Answer:
    """Keep the distances."""
    return {"distances": np.asarray(distances)}


ROWS = (
    Row(
        name="join",
        work="neighbour joining of 1,000 leaves",
        make=partial(make_distances, 1_000),
        contestants=(
            Contestant(OURS, join_coterie),
            Contestant("scikit-bio", join_skbio),
            Contestant("ape (R)", join_ape),
        ),
        digest=digest_lengths,
        agree=close("lengths", tolerance=1e-6),
        bar=5,
        most_rounds=5,
    ),
    Row(
        name="join-biopython",
        work="the same of 150 leaves beside Biopython",
        make=partial(make_distances, 150),
        contestants=(Contestant(OURS, join_coterie), Contestant("Biopython", join_biopython)),
        digest=digest_lengths,
        agree=close("lengths", tolerance=1e-6),
        bar=100,
        most_rounds=3,
    ),
    Row(
        name="join-5000",
        work="neighbour joining of 5,000 leaves",
        make=partial(make_distances, 5_000),
        contestants=(Contestant(OURS, join_coterie),),
        digest=digest_lengths,
        agree=anything,
        limit=10,
        most_rounds=3,
    ),
    Row(
        name="sequences",
        work="Jukes-Cantor distances of 1,000 sequences of 1,000 letters",
        make=partial(make_sequences, 1_000),
        contestants=(Contestant(OURS, partial(compare_coterie, model="jc")),),
        digest=digest_matrix,
        agree=anything,
        limit=0.5,
    ),
    Row(
        name="sequences-biopython",
        work="shares of differing sites, 60 sequences of 1,000 letters",
        make=partial(make_sequences, 60),
        contestants=(
            Contestant(OURS, partial(compare_coterie, model="p")),
            Contestant("Biopython", compare_biopython),
        ),
        digest=digest_matrix,
        agree=close("distances", tolerance=1e-9),
        bar=100,
        most_rounds=5,
    ),
)
