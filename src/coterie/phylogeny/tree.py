"""A phylogeny: a tree with lengths and support of branches, rooted or not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from coterie import _core
from coterie._printing import count_of, one_line
from coterie._support.typing import AnyArray, Distances, Labels, VectorLike
from coterie._support.validation import Number, Whole, check_parameter, require_memory
from coterie.errors import InvalidData, InvalidParameter
from coterie.phylogeny import rooting
from coterie.tree import Dendrogram
from coterie.tree.arrays import Nodes, TreeArrays, check_tree, plain, read_children, read_names
from coterie.tree.drawing import draw_branches, shortened_name
from coterie.tree.newick import format_newick, parse_newick
from coterie.tree.nodes import TreeNodes

WHO = "Phylogeny"
MOST_DRAWN = 60  # leaves of a tree that `print` still draws
MOST_LENGTH = 1e307  # of all branches together: paths and their sums stay finite
Values = npt.NDArray[np.float64]


class Phylogeny(TreeNodes):
    """A tree of species or sequences, which never changes: what neighbour joining returns.

    Leaves are nodes 0..n-1, inner nodes n, n+1, ... come after their children, and the last one is where the
    tree is drawn from. It is the root if it has two children; with three or more the tree is unrooted: which
    node stands last then means nothing.

    Parameters
    ----------
    children : sequence of sequences of int
        The children of each inner node.
    lengths : array-like of shape (n_nodes,), default=None
        Length of the branch above each node; NaN above the last one. None: the tree has no lengths, and each
        branch counts 1. Neighbour joining can give negative lengths.
    names : sequence of str, default=None
        Of the leaves. None: their numbers.
    support : array-like of shape (n_inner,), default=None
        Of the branch above each inner node, in percent; NaN: not known.

    Attributes
    ----------
    names : tuple of str
        Of the leaves.
    lengths : ndarray of shape (n_nodes,)
        Of the branch above each node.
    support : ndarray of shape (n_inner,)
        In percent; NaN where not known.
    has_lengths, is_rooted : bool
        Whether lengths are known; whether the last node has two children.

    Examples
    --------
    >>> tree = Phylogeny.from_newick("((cat:1,dog:2)95:1,crow:3,trout:6);")
    >>> print(tree.draw(19))
      ┌─╴cat
    ┌─┤
    │ └───╴dog
    │
    ├─────╴crow
    │
    └──────────╴trout
    >>> tree.rooted_at(["trout"]).cut(max_distance=7.0)
    array([0, 0, 0, 1])
    """

    names: tuple[str, ...]
    lengths: Values
    support: Values
    has_lengths: bool
    _inner_names: tuple[str, ...]

    def __init__(
        self, children: Any, lengths: VectorLike | None = None, *, names: Any = None, support: Any = None
    ) -> None:
        self._set(read_children(children, WHO), lengths, names, support)

    def _set(
        self,
        arrays: TreeArrays,
        lengths: VectorLike | None,
        names: Sequence[str] | None,
        support: VectorLike | None,
        inner_names: Iterable[str] = (),
    ) -> None:
        check_tree(arrays, WHO)
        kept = read_names(names, arrays.n_leaves, WHO) or tuple(map(str, range(arrays.n_leaves)))
        if len(set(kept)) < len(kept):
            twice = Counter(kept).most_common(1)[0][0]
            raise InvalidData(f'names of {WHO} must differ, got "{twice}" twice.')
        n_nodes = arrays.n_leaves + arrays.n_inner
        checked = _read_lengths(lengths, n_nodes)
        shares = np.full(arrays.n_inner, np.nan) if support is None else np.array(support, dtype=np.float64)
        if shares.shape != (arrays.n_inner,) or np.isinf(shares).any():
            raise InvalidData(f"support of {WHO} must be {arrays.n_inner} finite numbers or NaN.")
        for array in (arrays.starts, arrays.children, checked, shares):
            array.setflags(write=False)
        vars(self).update(
            _arrays=arrays, lengths=checked, names=kept, support=shares, has_lengths=lengths is not None,
            _inner_names=tuple(inner_names) or ("",) * arrays.n_inner,
        )  # fmt: skip

    @classmethod
    def from_arrays(
        cls,
        arrays: TreeArrays,
        lengths: AnyArray | None,
        names: Sequence[str] | None,
        support: AnyArray | None = None,
        inner_names: Iterable[str] = (),
    ) -> Phylogeny:
        """Make a tree of the engine's arrays."""
        tree = cls.__new__(cls)
        copies = arrays._replace(starts=arrays.starts.copy(), children=arrays.children.copy())
        tree._set(copies, lengths, names, support, inner_names)
        return tree

    @classmethod
    def from_newick(cls, text: str) -> Phylogeny:
        """Make a tree of Newick text; numbers at inner nodes are the support of the branches above them.

        Parameters
        ----------
        text : str
            One tree, ended by a semicolon. Either all branches have lengths or none.

        Examples
        --------
        >>> Phylogeny.from_newick("((a:1,b:1)80:0.5,c:1,d:2);").support
        array([80., nan])
        """
        parsed = parse_newick(text, "Phylogeny.from_newick")
        support = np.array([_number(name) for name in parsed.inner_names], dtype=np.float64)
        others = ["" if np.isfinite(value) else name
                  for name, value in zip(parsed.inner_names, support, strict=True)]  # fmt: skip
        lengths = parsed.lengths if parsed.has_lengths else None
        return cls.from_arrays(parsed.arrays, lengths, parsed.names, support, others)

    @classmethod
    def from_dendrogram(cls, tree: Dendrogram) -> Phylogeny:
        """Make a tree of one with heights: two leaves that join at height h are h apart, so h / 2 deep.

        Examples
        --------
        >>> Phylogeny.from_dendrogram(Dendrogram([[0, 1], [3, 2]], [1.0, 4.0])).to_newick()
        '((0:0.5,1:0.5):1.5,2:2);'
        """
        if not isinstance(tree, Dendrogram):
            raise InvalidParameter(
                f"tree of from_dendrogram must be a Dendrogram, got {type(tree).__name__}."
            )
        distances = tree.as_distances()
        if not np.isfinite(distances.heights).all():
            raise InvalidData("tree of from_dendrogram must have finite heights.")
        lengths = _core.tree_branch_lengths(*tree.arrays, distances.heights / 2)
        return cls.from_arrays(tree.arrays, lengths, tree.names)

    def to_newick(self) -> str:
        """Return the tree as Newick text, with lengths and support where known.

        Examples
        --------
        >>> Phylogeny([[0, 1], [3, 2]], [1, 1, 2, 0.5, float("nan")], support=[97, float("nan")]).to_newick()
        '((0:1,1:1)97:0.5,2:2);'
        """
        inner = [
            own if np.isnan(value) else f"{value:.12g}"
            for own, value in zip(self._inner_names, self.support.tolist(), strict=True)
        ]
        lengths = self.lengths if self.has_lengths else np.full(self.lengths.size, np.nan)
        return format_newick(self._arrays, lengths, [*self.names, *inner])

    @property
    def inner_names(self) -> tuple[str, ...]:
        """Names of the inner nodes that are not numbers; empty where there are none."""
        return self._inner_names

    @property
    def is_rooted(self) -> bool:
        """Whether the last node has two children."""
        return len(self.children(self.root)) == 2

    @property
    def sizes(self) -> Nodes:
        """Number of leaves below every node."""
        return self._node_sizes

    @property
    def parents(self) -> Nodes:
        """Parent of every node, -1 for the last one."""
        return self._parents

    @property
    def places(self) -> tuple[Nodes, Nodes]:
        """Leaves in the order in which they are drawn, and the place of every node's first leaf."""
        return self._order_and_places

    @cached_property
    def depths(self) -> Values:
        """Length of the way from the last node to every node."""
        depths = np.zeros(self.root + 1)
        parents = self.parents
        for node in range(self.root - 1, self.n_leaves - 1, -1):
            depths[node] = depths[parents[node]] + self.lengths[node]
        leaves = slice(0, self.n_leaves if self.n_inner else 0)
        depths[leaves] = depths[parents[leaves]] + self.lengths[leaves]
        return depths

    @cached_property
    def diameters(self) -> Values:
        """Longest way between two leaves below every inner node."""
        return rooting.diameters(self._arrays, self.lengths)[0]

    def distances(self) -> Distances:
        """Return the length of the way between all pairs of leaves, a square matrix.

        Examples
        --------
        >>> Phylogeny.from_newick("((a:1,b:2):1,c:3);").distances()
        array([[0., 3., 5.],
               [3., 0., 6.],
               [5., 6., 0.]])
        """
        from scipy.spatial.distance import squareform

        n = self.n_leaves
        require_memory(16 * n * n, f"the distances between {n:,} leaves", "Use a part of the tree.")
        if n == 1:
            return np.zeros((1, 1))
        joins = squareform(_core.tree_cophenetic(*self._arrays, self.depths[n:].copy()), checks=False)
        own = self.depths[:n]
        square = own[:, None] + own[None, :] - 2 * joins
        np.fill_diagonal(square, 0.0)
        return np.asarray(square)

    def rooted_at_midpoint(self) -> Phylogeny:
        """Return the tree rooted in the middle of the longest way between two leaves.

        This is the root if all lineages changed at the same rate.

        Examples
        --------
        >>> Phylogeny.from_newick("(a:1,b:2,c:5);").rooted_at_midpoint().to_newick()
        '(c:3.5,(a:1,b:2):1.5);'
        """
        node, below = rooting.find_midpoint(self._arrays, self.lengths, self.parents)
        return self if node < 0 else self._of_branches(rooting.reroot(self._branches(), node, below))

    def rooted_at(self, outgroup: str | Iterable[str]) -> Phylogeny:
        """Return the tree rooted between an outgroup and all others, in the middle of that branch.

        Parameters
        ----------
        outgroup : str or sequence of str
            Names of leaves that are known to have branched off first.

        Examples
        --------
        >>> Phylogeny.from_newick("(a:1,b:2,(c:5,d:1):2);").rooted_at("c").to_newick()
        '(c:2.5,(d:1,(a:1,b:2):2):2.5);'
        """
        names = [outgroup] if isinstance(outgroup, str) else list(outgroup)
        node = rooting.find_branch(self._arrays, self.names, names)
        return self._of_branches(rooting.reroot(self._branches(), node))

    def unrooted(self) -> Phylogeny:
        """Return the tree without its root: the two branches below it become one.

        Examples
        --------
        >>> Phylogeny.from_newick("((a:1,b:2):1,c:3);").unrooted().to_newick()
        '(a:1,b:2,c:4);'
        """
        if not self.is_rooted or self.n_leaves < 3:
            return self
        return self._of_branches(rooting.without_root(self._branches()))

    def _branches(self) -> rooting.Branches:
        support = np.concatenate([np.full(self.n_leaves, np.nan), self.support])
        return rooting.Branches(
            self._arrays, self.lengths, support, ("",) * self.n_leaves + self._inner_names
        )

    def _of_branches(self, made: rooting.Branches) -> Phylogeny:
        n = self.n_leaves
        lengths = made.lengths if self.has_lengths else None
        return self.from_arrays(made.arrays, lengths, self.names, made.support[n:], made.names[n:])

    def cut(self, n_clusters: int | None = None, *, max_distance: float | None = None) -> Labels:
        """Return groups of leaves that are clades: 0..k-1, in the order of the lowest leaf of each.

        Parameters
        ----------
        n_clusters : int, default=None
            So many groups: clades are joined in the order of their longest ways between two leaves.
        max_distance : float, default=None
            The largest clades in which no two leaves are further apart along the tree.

        Examples
        --------
        >>> tree = Phylogeny.from_newick("((a:1,b:1):4,(c:2,d:2):3);")
        >>> tree.cut(max_distance=3.0), tree.cut(2)
        (array([0, 0, 1, 2]), array([0, 0, 1, 1]))
        """
        if (n_clusters is None) == (max_distance is None):
            raise InvalidParameter("cut of Phylogeny needs one of n_clusters and max_distance.")
        if not self.is_rooted and self.n_leaves > 2:
            raise InvalidParameter(
                "cut of Phylogeny needs a root: clades depend on it. Use tree.rooted_at_midpoint() or "
                "tree.rooted_at(outgroup) first."
            )
        highest = _core.tree_greatest_below(*self._arrays, np.maximum(self.diameters, 0.0))
        if max_distance is not None:
            check_parameter(max_distance, Number(0.0), name="max_distance", who="Phylogeny.cut")
            joined = highest <= max_distance
        else:
            check_parameter(n_clusters, Whole(1, self.n_leaves), name="n_clusters", who="Phylogeny.cut")
            joined = self._first_joins(int(n_clusters or 0), highest)
        labels, _ = _core.tree_labels(*self._arrays, np.ascontiguousarray(joined, dtype=np.uint8))
        return plain(labels)

    def _first_joins(self, n_clusters: int, highest: Values) -> npt.NDArray[np.bool_]:
        """Return which nodes are joined when those of least diameter leave so many groups."""
        order = np.argsort(highest, kind="stable")
        left = self.n_leaves - np.concatenate([[0], np.cumsum((np.diff(self._arrays.starts) - 1)[order])])
        n_joins = int(np.searchsorted(-left, -n_clusters))
        if left[n_joins] != n_clusters:
            raise InvalidParameter(
                f"n_clusters of Phylogeny.cut: nodes with more than two children allow no cut into "
                f"{n_clusters} groups; the nearest have {left[n_joins]} and {left[n_joins - 1]}."
            )
        joined = np.zeros(self.n_inner, dtype=bool)
        joined[order[:n_joins]] = True
        return joined

    def draw(self, width: int = 78) -> str:
        """Return a picture of the tree as text: as wide as its branches are long, two lines per leaf.

        Examples
        --------
        >>> print(Phylogeny.from_newick("(a:1,b:2,c:3);").draw(16))
        ┌───╴a
        │
        ├───────╴b
        │
        └───────────╴c
        """
        check_parameter(width, Whole(16), name="width", who="draw")
        require_memory(16 * self.n_leaves * width, f"a drawing of {self.n_leaves:,} leaves", "Draw a part.")
        names = [shortened_name(one_line(name)) for name in self.names]
        if self.n_inner == 0:
            return names[0]
        n_columns = max(8, width - max(map(len, names)) - 2)
        deep = np.maximum(self.depths, 0.0)
        columns = np.rint(deep / (deep.max() or 1.0) * (n_columns - 1)).astype(int)
        for node in range(self.root - 1, -1, -1):  # a branch is at least a sign long
            columns[node] = max(columns[node], columns[self.parents[node]] + 1)
        order, first = self.places
        lines = draw_branches(self._arrays, first.tolist(), columns.tolist())
        named = [line + names[order[row // 2]] if row % 2 == 0 else line for row, line in enumerate(lines)]
        return "\n".join(named)

    def __repr__(self) -> str:
        kind = "rooted" if self.is_rooted else "unrooted"
        return f"{WHO} of {count_of(self.n_leaves, 'leaf', 'leaves')}, {kind}"

    def __str__(self) -> str:
        return f"{self!r}\n{self.draw()}" if self.n_leaves <= MOST_DRAWN else repr(self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Phylogeny):
            return NotImplemented
        return (
            self.names == other.names
            and self._inner_names == other._inner_names
            and self.has_lengths == other.has_lengths
            and np.array_equal(self._arrays.starts, other._arrays.starts)
            and np.array_equal(self._arrays.children, other._arrays.children)
            and np.array_equal(self.lengths, other.lengths, equal_nan=True)
            and np.array_equal(self.support, other.support, equal_nan=True)
        )

    def __hash__(self) -> int:
        return hash((self.names, self._arrays.children.tobytes(), self.lengths.tobytes()))

    def __reduce__(self) -> tuple[object, ...]:
        lengths = self.lengths if self.has_lengths else None
        return Phylogeny.from_arrays, (self._arrays, lengths, self.names, self.support, self._inner_names)


def _read_lengths(lengths: VectorLike | None, n_nodes: int) -> Values:
    if lengths is None:
        checked = np.ones(n_nodes)
        checked[-1] = np.nan
        return checked
    try:
        checked = np.array(lengths, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InvalidData(f"lengths of {WHO} must be numbers.") from None
    if checked.shape != (n_nodes,):
        raise InvalidData(
            f"lengths of {WHO} must be one number per node, {n_nodes} of them, got shape {checked.shape}."
        )
    if not np.isfinite(checked[:-1]).all() or np.isinf(checked[-1]):
        raise InvalidData(f"lengths of {WHO} must be finite.")
    with np.errstate(over="ignore"):
        total = float(np.abs(checked[:-1]).sum())
    if total > MOST_LENGTH:
        raise InvalidData(
            f"lengths of {WHO} must add up to at most {MOST_LENGTH:g}, or distances overflow, got "
            f"{total:.3g}. Divide them by a constant."
        )
    return checked


def _number(text: str) -> float:
    try:
        value = float(text) if text.isascii() and "_" not in text else np.nan
    except ValueError:
        return np.nan
    return value if np.isfinite(value) else np.nan
