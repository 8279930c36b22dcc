"""What a tree is made of, as arrays: checked once, when it is made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from coterie import _core
from coterie._support.typing import AnyArray, VectorLike
from coterie.errors import InvalidData

Nodes: TypeAlias = npt.NDArray[np.int64]  # leaves 0..n-1, inner nodes n.., the last one is the root
Heights: TypeAlias = npt.NDArray[np.float64]  # one per inner node

_OUT_OF_RANGE, _NOT_MADE_YET, _USED_TWICE, _TOO_FEW = 1, 2, 3, 4


class TreeArrays(NamedTuple):
    """The children of inner node i are ``children[starts[i]:starts[i + 1]]``."""

    starts: Nodes
    children: Nodes
    n_leaves: int

    @property
    def n_inner(self) -> int:
        """Inner nodes."""
        return self.starts.size - 1

    @property
    def is_binary(self) -> bool:
        """Whether every inner node has two children."""
        return self.children.size == 2 * self.n_inner

    def sizes(self) -> Nodes:
        """Return the number of leaves below every node."""
        return plain(_core.tree_sizes(*self))

    def parents(self) -> Nodes:
        """Return the parent of every node, -1 for the root."""
        return plain(_core.tree_parents(*self))

    def leaf_order(self, sizes: Nodes) -> tuple[Nodes, Nodes]:
        """Return the leaves as they are drawn, and the place of every node's first leaf."""
        order, first = _core.tree_leaf_order(*self, sizes)
        return plain(order), plain(first)


def plain(nodes: AnyArray) -> npt.NDArray[np.intp]:
    """Return integers of 64 bits under the name that NumPy itself gives them."""
    return nodes.view(np.int64).astype(np.intp, copy=False)


ChildrenLike: TypeAlias = AnyArray | Sequence[Sequence[int]]  # pairs, or lists of children
LeafNames: TypeAlias = AnyArray | Sequence[object] | None  # one per leaf, made text


def read_children(children: ChildrenLike, who: str) -> TreeArrays:
    """Return the arrays of a tree that is given as pairs or as lists of children, not checked yet."""
    if isinstance(children, np.ndarray) or not _is_ragged(children):
        pairs = _whole(children, who)
        if pairs.size == 0:
            pairs = pairs.reshape(0, 2)
        if pairs.ndim != 2:
            raise InvalidData(
                f"merges of {who} must be pairs of nodes, shape (n_merges, 2), or lists of children, "
                f"got shape {pairs.shape}."
            )
        lengths = np.full(pairs.shape[0], pairs.shape[1], dtype=np.int64)
        flat = pairs.ravel()
    else:
        lengths = np.array([len(one) for one in children], dtype=np.int64)
        flat = _whole([node for one in children for node in one], who)
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    return TreeArrays(starts, np.ascontiguousarray(flat), flat.size - lengths.size + 1)


def check_tree(arrays: TreeArrays, who: str) -> None:
    """Refuse arrays that are not a tree, naming the merge and the node."""
    fault, inner, position = _core.tree_problem(*arrays)
    if fault == 0:
        return
    made = arrays.n_leaves + inner
    what = f"merges of {who} must be a tree"
    if fault == _TOO_FEW:
        raise InvalidData(f"{what}: each merge joins at least two nodes, merge {inner} does not.")
    node = int(arrays.children[position])
    if fault == _USED_TWICE:
        raise InvalidData(f"{what}: node {node} is joined a second time in merge {inner}.")
    if fault == _OUT_OF_RANGE:
        raise InvalidData(
            f"{what}: {arrays.n_inner} merges have nodes 0 to {arrays.n_leaves + arrays.n_inner - 1}, "
            f"got {node} in merge {inner}. A tree that stops early is none (scikit-learn: "
            f"compute_full_tree=True)."
        )
    raise InvalidData(
        f"{what}: merge {inner} makes node {made} of nodes with lower numbers, got {node}: a cycle, or a "
        f"merge before its parts are made."
    )


def read_heights(heights: VectorLike, n_inner: int, who: str, *, are_distances: bool) -> Heights:
    """Return one height per inner node, or say what is wrong with them."""
    try:
        checked = np.array(heights, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InvalidData(f"heights of {who} must be numbers.") from None
    if checked.shape != (n_inner,):
        raise InvalidData(
            f"heights of {who} must be one number per merge, {n_inner} of them, got shape {checked.shape}."
        )
    if np.isnan(checked).any():
        raise InvalidData(
            f"heights of {who} must not be NaN, got one at merge {int(np.isnan(checked).argmax())}."
        )
    if are_distances and n_inner and checked.min() < 0:
        at = int(checked.argmin())
        raise InvalidData(
            f"heights of {who} must be at least 0, got {checked[at]:g} at merge {at}. If they are "
            f'similarities, say heights_are="similarities".'
        )
    return checked


def read_names(names: LeafNames, n_leaves: int, who: str) -> tuple[str, ...] | None:
    """Return one name per leaf as text, or None."""
    if names is None:
        return None
    is_list = np.ndim(names) == 1 if isinstance(names, np.ndarray) else hasattr(names, "__len__")
    is_list = is_list and not isinstance(names, str)
    if not is_list or len(names) != n_leaves:
        got = f"{len(names)}" if is_list else repr(names)[:40]
        raise InvalidData(f"names of {who} must be {n_leaves} names, one per leaf, got {got}.")
    return tuple(map(str, names))


def sort_by_height(
    arrays: TreeArrays, heights: Heights, who: str, *, are_distances: bool
) -> tuple[TreeArrays, Heights]:
    """Return the same tree with its inner nodes in the order of their heights, children before parents."""
    order = _core.tree_by_height(*arrays, heights if are_distances else -heights)
    if order.size != arrays.n_inner:
        raise InvalidData(f"children of {who} must be a tree, got a cycle.")
    number = np.arange(arrays.n_leaves + arrays.n_inner)
    number[arrays.n_leaves + order] = np.arange(arrays.n_leaves, number.size)
    starts, places = take_spans(arrays.starts, order)
    return TreeArrays(starts, number[arrays.children[places]], arrays.n_leaves), heights[order]


def take_spans(starts: Nodes, chosen: AnyArray) -> tuple[Nodes, Nodes]:
    """Return the starts of the chosen spans laid end to end, and where each of their entries was."""
    lengths = np.diff(starts)[chosen]
    new_starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    places = np.arange(new_starts[-1]) + np.repeat(starts[:-1][chosen] - new_starts[:-1], lengths)
    return new_starts, places


def _is_ragged(children: Sequence[Sequence[int]]) -> bool:
    try:
        return len({len(one) for one in children}) > 1
    except TypeError:
        return False


def _whole(values: VectorLike, who: str) -> Nodes:
    try:
        array = np.asarray(values)
        with np.errstate(invalid="ignore"):
            whole = array.astype(np.int64)
    except (TypeError, ValueError, OverflowError):
        raise InvalidData(f"merges of {who} must be numbers of nodes.") from None
    if array.dtype.kind not in "iuf" and array.size:
        raise InvalidData(f"merges of {who} must be numbers of nodes, got {array.dtype}.")
    if array.dtype.kind == "f" and not np.array_equal(whole, array):
        raise InvalidData(f"merges of {who} must be whole numbers of nodes.")
    return whole
