"""Sequences and trees made up: evolution along a known tree, to see whether a method finds it."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from coterie._support.typing import RandomState
from coterie._support.validation import Choice, Number, Seed, Whole, check_parameter, check_seed
from coterie.errors import InvalidParameter
from coterie.phylogeny.alignment import Alignment
from coterie.phylogeny.tree import Phylogeny

MODEL = Choice("jc", "k2p")
LETTERS = np.frombuffer(b"AGCT", dtype=np.uint8)  # by code: the lower bit changes in transitions


def evolve(
    tree: Phylogeny,
    n_sites: int,
    *,
    model: str = "jc",
    kappa: float = 2.0,
    random_state: RandomState = 0,
) -> Alignment:
    """Let a random DNA sequence evolve along a tree, without gaps.

    Parameters
    ----------
    tree : Phylogeny
        Lengths of branches are expected changes per site.
    n_sites : int
        Letters per sequence.
    model : {"jc", "k2p"}, default="jc"
        All changes alike, or transitions (A-G, C-T) more often.
    kappa : float, default=2.0
        With "k2p": how many times the rate of a transversion that of a transition is.
    random_state : int, RandomState, Generator or None, default=0
        Seed.

    Examples
    --------
    >>> evolve(Phylogeny.from_newick("((a:0.1,b:0.1):0.2,c:0.3);"), 500)
    Alignment of 3 sequences of 500 nucleotides
    """
    who = "evolve"
    if not isinstance(tree, Phylogeny) or not tree.has_lengths:
        raise InvalidParameter(f"tree of {who} must be a Phylogeny with lengths of branches.")
    if (tree.lengths[:-1] < 0).any():
        raise InvalidParameter(f"tree of {who} must have lengths of at least 0.")
    check_parameter(n_sites, Whole(1), name="n_sites", who=who)
    check_parameter(model, MODEL, name="model", who=who)
    check_parameter(kappa, Number(0.0, open_below=True), name="kappa", who=who)
    check_parameter(random_state, Seed(), name="random_state", who=who)
    rng = np.random.default_rng(check_seed(random_state))
    ratio = 1.0 if model == "jc" else float(kappa)
    codes = np.empty((tree.root + 1, int(n_sites)), dtype=np.uint8)
    codes[tree.root] = rng.integers(4, size=int(n_sites))
    for node in [*range(tree.root - 1, tree.n_leaves - 1, -1), *range(tree.n_leaves if tree.n_inner else 0)]:
        codes[node] = _changed(codes[tree.parents[node]], float(tree.lengths[node]), ratio, rng)
    return Alignment(tree.names, LETTERS[codes[: tree.n_leaves]], "dna")


def _changed(
    codes: npt.NDArray[np.uint8], length: float, kappa: float, rng: np.random.Generator
) -> npt.NDArray[np.uint8]:
    """Return the letters at the end of a branch (Kimura's probabilities)."""
    slow = math.exp(-4 * length / (kappa + 2))
    fast = math.exp(-2 * length * (kappa + 1) / (kappa + 2))
    transition, transversion = 0.25 + 0.25 * slow - 0.5 * fast, 0.5 - 0.5 * slow
    drawn = rng.random(codes.size)
    flips = np.where(drawn < transition, 1, np.where(drawn < transition + transversion / 2, 2, 3))
    return np.where(drawn < transition + transversion, codes ^ flips, codes).astype(np.uint8)


def random_tree(n_leaves: int, *, mean_length: float = 0.1, random_state: RandomState = 0) -> Phylogeny:
    """Return a random unrooted tree: pairs are joined at random, lengths are exponential.

    Parameters
    ----------
    n_leaves : int
        At least 3.
    mean_length : float, default=0.1
        Of the branches.
    random_state : int, RandomState, Generator or None, default=0
        Seed.

    Examples
    --------
    >>> random_tree(5)
    Phylogeny of 5 leaves, unrooted
    """
    who = "random_tree"
    check_parameter(n_leaves, Whole(3), name="n_leaves", who=who)
    check_parameter(mean_length, Number(0.0, open_below=True), name="mean_length", who=who)
    check_parameter(random_state, Seed(), name="random_state", who=who)
    rng = np.random.default_rng(check_seed(random_state))
    apart = list(range(int(n_leaves)))
    children: list[list[int]] = []
    while len(apart) > 3:
        pair = [apart.pop(int(rng.integers(len(apart)))) for _ in range(2)]
        children.append(pair)
        apart.append(int(n_leaves) + len(children) - 1)
    lengths = rng.exponential(float(mean_length), size=2 * int(n_leaves) - 2)
    lengths[-1] = np.nan
    return Phylogeny([*children, apart], lengths)
