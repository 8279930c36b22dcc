"""Trees as Newick text: ``(a:1,(b:0.5,c:0.5):0.5);``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from coterie import _core
from coterie.errors import InvalidData, InvalidParameter
from coterie.tree._arrays import Heights, Nodes, TreeArrays, sort_by_height

if TYPE_CHECKING:
    from coterie.tree._structure import TreeStructure

_NEEDS_QUOTES = re.compile(r"[\s()\[\]':;,]|^$")
WHO = "from_newick"


def write_newick(tree: TreeStructure) -> str:
    """Return the tree as text; the length of a branch is the difference of the heights at its ends."""
    if tree.heights_are == "similarities":
        raise InvalidParameter(
            "to_newick writes lengths of branches, this tree has similarities. "
            "Use tree.as_distances(largest)."
        )
    if not np.isfinite(tree.heights).all():
        raise InvalidParameter("to_newick writes lengths of branches, this tree has infinite heights.")
    if tree.names is None:
        return str(_core.tree_write_newick(*tree._arrays, tree.heights, b"", np.empty(0, dtype=np.int64)))
    names = [_quoted(name).encode() for name in tree.names]
    ends = np.cumsum([len(name) for name in names], dtype=np.int64)
    return str(_core.tree_write_newick(*tree._arrays, tree.heights, b"".join(names), ends))


def read_newick(text: str, names: Any) -> tuple[TreeArrays, Heights, Any]:
    """Return the arrays, the heights and the names of a tree written as text."""
    if not isinstance(text, str):
        raise InvalidParameter(f"text of {WHO} must be a string, got {type(text).__name__}.")
    raw = text.encode()
    problem, at, starts, coded, leaf_lengths, inner_lengths, found, has_lengths, bare = (
        _core.tree_read_newick(raw)
    )
    if problem:
        raise _problem(problem, raw, at)
    if has_lengths and bare >= 0:
        raise _problem("expected ':' and a length, as the other branches have", raw, bare)
    n_leaves = len(found)
    numbers = np.where(coded >= 0, coded, n_leaves - 1 - coded)
    lengths = np.concatenate([leaf_lengths, inner_lengths])
    heights = _core.tree_ways_down(
        starts, numbers, n_leaves, lengths if has_lengths else np.ones(lengths.size)
    )
    if heights.size and heights.min() < 0:
        raise InvalidData(
            f"text of {WHO} must not put a node below its leaves, got the height {heights.min():g}."
        )
    ids, kept = _leaf_ids(found, names)
    numbers = np.concatenate([ids, np.arange(n_leaves, n_leaves + heights.size)])[numbers]
    arrays, heights = sort_by_height(TreeArrays(starts, numbers, n_leaves), heights, WHO, are_distances=True)
    return arrays, heights, kept


def _leaf_ids(found: list[str], names: Any) -> tuple[Nodes, Any]:
    """Return the number of each leaf: as `names` says, by names that are 0..n-1, or as they come."""
    n_leaves = len(found)
    if names is None:
        numbers = [str(i) for i in range(n_leaves)]
        if set(found) == set(numbers):
            return np.array(found, dtype=np.int64), None
        return np.arange(n_leaves), found
    number = {str(name): i for i, name in enumerate(names)}
    if len(number) != n_leaves or set(found) != set(number):
        odd = sorted(set(found) ^ set(number))[:3]
        raise InvalidData(f"names of {WHO} must be the names of the leaves, each once; they differ in {odd}.")
    return np.array([number[name] for name in found], dtype=np.int64), names


def _quoted(name: str) -> str:
    return "'" + name.replace("'", "''") + "'" if _NEEDS_QUOTES.search(name) else name


def _problem(what: str, raw: bytes, at: int) -> InvalidData:
    before = raw[:at].decode(errors="replace")
    around = raw[max(0, at - 12) : at + 12].decode(errors="replace")
    where = f"at position {len(before)}, near {around!r}"
    return InvalidData(f"text of {WHO} is not a Newick tree: {what} {where}.")
