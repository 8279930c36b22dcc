"""Trees from distances: neighbour joining and UPGMA."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from scipy.sparse import issparse

from coterie import _core
from coterie._support.threads import resolve_threads
from coterie._support.typing import MatrixLike
from coterie._support.validation import Choice, check_parameter, require_memory
from coterie.distance.input import MatrixInput
from coterie.distance.matrices import check_distance_matrix
from coterie.errors import InvalidData
from coterie.phylogeny.tree import Phylogeny, Values
from coterie.tree import Dendrogram, linkage
from coterie.tree.arrays import TreeArrays
from coterie.tree.linkage_input import read_input

NEGATIVE = Choice("keep", "zero")
LARGEST, LEAST = 2.0**500, 2.0**-500  # sums of distances times their number must stay numbers
WHO = "neighbour_joining"


def neighbour_joining(
    distances: MatrixLike,
    names: Sequence[str] | None = None,
    *,
    negative_lengths: Literal["keep", "zero"] = "keep",
    n_jobs: int | None = None,
) -> Phylogeny:
    """Build an unrooted tree from distances by neighbour joining.

    Of m nodes with distances d and their sums r, the pair of least (m - 2) d_ij - r_i - r_j is joined, until
    three are left (Saitou and Nei; Studier and Keppler). If the distances are those along some tree, this is
    the tree. Of equal pairs the one whose first node stands first wins, then whose second does; a joined node
    stands in the place of its first. The answer is exact, and the same for any number of threads.

    Parameters
    ----------
    distances : array-like, square or condensed
        Distances between all pairs.
    names : sequence of str, default=None
        Of the leaves; None: the columns of a data frame, or numbers.
    negative_lengths : {"keep", "zero"}, default="keep"
        Distances that are not those of a tree can give negative branch lengths. keep: as the formula gives
        them, like R's ape and Biopython. zero: such a branch gets the length 0, and what was missing is taken
        from the branches beside it, so that the distance between the nodes that were joined stays. The shape
        of the tree is the same.
    n_jobs : int, default=None
        Threads; None: all.

    Examples
    --------
    >>> tree = neighbour_joining([[0, 3, 7, 8], [3, 0, 8, 9], [7, 8, 0, 9], [8, 9, 9, 0]], list("abcd"))
    >>> tree.to_newick()
    '((a:1,b:2):2,c:4,d:5);'
    """
    check_parameter(negative_lengths, NEGATIVE, name="negative_lengths", who=WHO)
    threads = resolve_threads(n_jobs)
    square, found = _read_distances(distances, names, threads, WHO)
    n = len(square)
    require_memory(4 * n * n, f"neighbour joining of {n:,} leaves", "Use fewer leaves.")
    shift = _shift(square)
    shifted = np.ldexp(square, -shift) if shift else square
    starts, children, lengths, _ = _core.neighbour_joining(shifted, threads)
    arrays = TreeArrays(starts, children, n)
    lengths = np.ldexp(lengths, shift) if shift else np.asarray(lengths)
    if negative_lengths == "zero":
        lengths = without_negative(arrays, lengths)
    return Phylogeny.from_arrays(arrays, lengths, found)


def upgma(
    distances: MatrixLike, names: Sequence[str] | None = None, *, n_jobs: int | None = None
) -> Phylogeny:
    """Build a rooted tree from distances by average linkage, all leaves equally deep (UPGMA).

    This is right if all lineages changed at the same rate (a molecular clock), and misleads if not.

    Parameters
    ----------
    distances : array-like, square or condensed
        Distances between all pairs.
    names : sequence of str, default=None
        Of the leaves; None: the columns of a data frame, or numbers.
    n_jobs : int, default=None
        Threads; None: all.

    Examples
    --------
    >>> upgma([[0, 2, 6], [2, 0, 8], [6, 8, 0]], ["a", "b", "c"]).to_newick()
    '(c:3.5,(a:1,b:1):2.5);'
    """
    threads = resolve_threads(n_jobs)
    square, found = _read_distances(distances, names, threads, "upgma")
    if len(square) == 1:
        return neighbour_joining(square, found)
    Z = linkage(square, "average", "precomputed", n_jobs=threads)
    return Phylogeny.from_dendrogram(Dendrogram.from_linkage(Z, names=found))


def _read_distances(
    distances: MatrixLike, names: Sequence[str] | None, threads: int, who: str
) -> tuple[Values, Sequence[str] | None]:
    if names is None and hasattr(distances, "columns"):
        names = [str(name) for name in distances.columns]
    if np.shape(distances) == (1, 1) and not issparse(distances):
        one = check_distance_matrix(distances, who=who, n_jobs=threads)
        if one[0, 0] != 0:
            raise InvalidData(f"X of {who} must have zeros on the diagonal, got X[0, 0] = {one[0, 0]:g}.")
        return np.asarray(one, dtype=np.float64), names
    read = read_input(distances, "precomputed", {}, None, threads, who=who)
    if not isinstance(read, MatrixInput):
        raise InvalidData(f"X of {who} must hold the distances of all pairs, got a sparse matrix of some.")
    values = np.ascontiguousarray(read.values, dtype=np.float64)
    if values.ndim == 1:
        from scipy.spatial.distance import squareform

        return squareform(values, checks=False), names
    if not np.array_equal(values, values.T):  # mirrored cells may differ by rounding
        values = values / 2 + values.T / 2
    return values, names


def _shift(square: Values) -> int:
    """Return the power of two by which distances are too large or too small to be summed."""
    largest = float(square.max(initial=0.0))
    return 0 if largest == 0 or LEAST < largest < LARGEST else int(np.frexp(largest)[1])


def without_negative(arrays: TreeArrays, lengths: Values) -> Values:
    """Return lengths of at least 0: what a branch lacks is taken from those beside it.

    Examples
    --------
    >>> without_negative(TreeArrays(np.array([0, 2]), np.array([0, 1]), 2), np.array([-1.0, 5.0, np.nan]))
    array([ 0.,  4., nan])
    """
    changed = lengths.copy()
    for inner in range(arrays.n_inner):
        children = arrays.children[arrays.starts[inner] : arrays.starts[inner + 1]]
        lacking = np.minimum(changed[children], 0.0)
        if lacking.any():
            changed[children] = np.maximum(changed[children] + lacking.sum(), 0.0)
            changed[children[lacking < 0]] = 0.0
    return changed
