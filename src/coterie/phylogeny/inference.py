"""Trees from sequences, and how well the sequences support them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from coterie._support.threads import resolve_threads
from coterie._support.typing import RandomState
from coterie._support.validation import Choice, Seed, Whole, check_parameter, check_seed
from coterie.errors import InvalidData
from coterie.phylogeny.alignment import Alignment
from coterie.phylogeny.comparing import consensus_tree, with_support
from coterie.phylogeny.distances import (
    Gaps,
    SaturatedSequences,
    SequenceModel,
    check_sequences,
    checked_distances,
    code_distances,
    compared_codes,
    sequence_distances,
)
from coterie.phylogeny.joining import neighbour_joining, upgma
from coterie.phylogeny.tree import Phylogeny

Method: TypeAlias = Literal["nj", "upgma"]
METHOD = Choice("nj", "upgma")
FEWEST = 3  # leaves of a tree whose shape says anything


@dataclass(frozen=True, eq=False)
class Bootstrap:
    """Trees of resampled sites.

    Parameters
    ----------
    trees : tuple of Phylogeny
        One per replicate.
    n_saturated : int
        Replicates that were left out because two sequences were too different for the model.

    Examples
    --------
    >>> found = bootstrap(Alignment.from_sequences({"a": "AACC", "b": "AACT", "c": "GGCT"}), n_replicates=5)
    >>> len(found.trees) + found.n_saturated
    5
    """

    trees: tuple[Phylogeny, ...]
    n_saturated: int

    def support(self, tree: Phylogeny) -> Phylogeny:
        """Return a tree with the percentage of replicates that have each of its branches.

        Examples
        --------
        >>> cats = Alignment.from_sequences({"a": "AACC", "b": "AACT", "c": "GGCT", "d": "GGCC"})
        >>> tree = bootstrap(cats, model="p", n_replicates=9).support(infer_tree(cats, model="p"))
        >>> np.nanmax(tree.support) <= 100
        np.True_
        """
        return with_support(tree, self.trees)

    def consensus(self, min_support: float = 50.0) -> Phylogeny:
        """Return the tree of the branches that most replicates have, see `consensus_tree`.

        Examples
        --------
        >>> cats = Alignment.from_sequences({"a": "AACC", "b": "AACT", "c": "GGCT"})
        >>> bootstrap(cats, model="p", n_replicates=9).consensus().n_inner
        1
        """
        return consensus_tree(self.trees, min_support=min_support)


def infer_tree(
    alignment: Alignment,
    *,
    model: str = "jc",
    method: Method = "nj",
    gaps: Gaps = "pairwise",
    n_jobs: int | None = None,
) -> Phylogeny:
    """Build the tree of aligned sequences from the distances between them.

    Parameters
    ----------
    alignment : Alignment
        The sequences.
    model : {"jc", "k2p", "p", "count"}, default="jc"
        The distance, as in `sequence_distances`.
    method : {"nj", "upgma"}, default="nj"
        Neighbour joining, or average linkage, which assumes equal rates.
    gaps : {"pairwise", "complete"}, default="pairwise"
        Which sites are compared, as in `sequence_distances`.
    n_jobs : int, default=None
        Threads; None: all.

    Examples
    --------
    >>> infer_tree(Alignment.from_sequences({"a": "AACC", "b": "AACT", "c": "GGCT"}), model="p").to_newick()
    '(a:0.25,b:0,c:0.5);'
    """
    check_parameter(method, METHOD, name="method", who="infer_tree")
    distances = sequence_distances(alignment, model=model, gaps=gaps, n_jobs=n_jobs)
    return _join(distances, alignment.names, method, n_jobs)


def bootstrap(
    alignment: Alignment,
    *,
    model: str = "jc",
    method: Method = "nj",
    gaps: Gaps = "pairwise",
    n_replicates: int = 100,
    random_state: RandomState = 0,
    n_jobs: int | None = None,
) -> Bootstrap:
    """Build trees of resampled sites: as many columns as there are, drawn with replacement (Felsenstein).

    Parameters
    ----------
    alignment : Alignment
        The sequences.
    model, method, gaps
        As in `infer_tree`.
    n_replicates : int, default=100
        How many trees.
    random_state : int, RandomState, Generator or None, default=0
        Seed. The trees are the same for any number of threads.
    n_jobs : int, default=None
        Threads; None: all.

    Examples
    --------
    >>> cats = Alignment.from_sequences({"a": "AACC", "b": "AACT", "c": "GGCT", "d": "GGCC"})
    >>> len(bootstrap(cats, model="p", n_replicates=20).trees)
    20
    """
    who = "bootstrap"
    chosen = check_sequences(alignment, model, gaps, who=who)
    check_parameter(method, METHOD, name="method", who=who)
    check_parameter(n_replicates, Whole(1), name="n_replicates", who=who)
    check_parameter(random_state, Seed(), name="random_state", who=who)
    if len(alignment) < FEWEST:
        raise InvalidData(f"bootstrap needs at least {FEWEST} sequences, got {len(alignment)}.")
    codes, seed = compared_codes(alignment, gaps), check_seed(random_state)

    def one(replicate: int) -> Phylogeny | None:
        rng = np.random.default_rng([seed, replicate])
        sites = rng.integers(codes.shape[1], size=codes.shape[1])
        return _replicate(codes[:, sites], alignment, chosen, method)

    threads = min(resolve_threads(n_jobs), int(n_replicates))
    with ThreadPoolExecutor(threads) as pool:
        trees = list(pool.map(one, range(int(n_replicates))))
    kept = tuple(tree for tree in trees if tree is not None)
    if not kept:
        raise SaturatedSequences(
            f"bootstrap: in all {n_replicates} replicates two sequences are too different for the model "
            f'{chosen.title}. Use model="p", or leave such sequences out.'
        )
    return Bootstrap(kept, len(trees) - len(kept))


def _replicate(
    codes: npt.NDArray[np.uint8], alignment: Alignment, model: SequenceModel, method: Method
) -> Phylogeny | None:
    """Return the tree of drawn columns; None where a pair has no finite distance."""
    found = code_distances(np.ascontiguousarray(codes), alignment.kind, model, 1)
    try:
        return _join(checked_distances(found, alignment.names, model), alignment.names, method, 1)
    except SaturatedSequences:
        return None


def _join(
    distances: npt.NDArray[np.float64], names: tuple[str, ...], method: Method, n_jobs: int | None
) -> Phylogeny:
    join = upgma if method == "upgma" else neighbour_joining
    return join(distances, names, n_jobs=n_jobs)
