"""Trees as Newick text, read and written: the one place for dendrograms and phylogenies."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from coterie import _core
from coterie.errors import InvalidData, InvalidParameter
from coterie.tree.arrays import Heights, TreeArrays

_NEEDS_QUOTES = re.compile(r"[\s()\[\]':;,]|^$")


class ParsedNewick(NamedTuple):
    """A tree as it was written: nodes in the order in which they end in the text, children before parents."""

    arrays: TreeArrays
    lengths: Heights  # of the branch above each node, 1 where the text has none; NaN above a root without
    has_lengths: bool
    names: list[str]  # of the leaves
    inner_names: list[str]  # empty where a node has none; often the support of the branch above it


def parse_newick(text: str, who: str) -> ParsedNewick:
    """Return the tree that a text holds, or say where the text is none.

    Examples
    --------
    >>> parsed = parse_newick("((a:1,b:2)0.9:3,c:4);", "from_newick")
    >>> parsed.names, parsed.inner_names, parsed.lengths
    (['a', 'b', 'c'], ['0.9', ''], array([ 1.,  2.,  4.,  3., nan]))
    """
    if not isinstance(text, str):
        raise InvalidParameter(f"text of {who} must be a string, got {type(text).__name__}.")
    try:
        raw = text.encode()
    except UnicodeEncodeError as error:
        raise _not_newick(f"half a character (a lone surrogate) at position {error.start}.", who) from None
    problem, at, starts, coded, leaf_lengths, inner_lengths, found, inner_found, has_lengths, bare = (
        _core.tree_read_newick(raw)
    )
    if problem:
        raise _problem(problem, raw, at, who)
    if has_lengths and bare >= 0:
        raise _problem("expected ':' and a length, as the other branches have", raw, bare, who)
    n_leaves = len(found)
    lengths = np.concatenate([leaf_lengths, inner_lengths])
    if not has_lengths:
        lengths[:-1] = 1.0
    arrays = TreeArrays(starts, np.where(coded >= 0, coded, n_leaves - 1 - coded), n_leaves)
    return ParsedNewick(arrays, lengths, has_lengths, found, inner_found)


def format_newick(arrays: TreeArrays, lengths: Heights, names: Sequence[str] | None) -> str:
    """Return a tree as text; `names` are those of the leaves, or of all nodes with empty ones for none.

    Examples
    --------
    >>> tree = TreeArrays(np.array([0, 2]), np.array([0, 1]), 2)
    >>> format_newick(tree, np.array([1.0, 0.5, np.nan]), ["a", "b c"])
    "(a:1,'b c':0.5);"
    """
    if names is None:
        return str(_core.tree_write_newick(*arrays, lengths, b"", np.empty(0, dtype=np.int64)))
    quoted = [
        (_quoted(name) if name or i < arrays.n_leaves else "").encode(errors="replace")
        for i, name in enumerate(names)
    ]
    ends = np.cumsum([len(name) for name in quoted], dtype=np.int64)
    return str(_core.tree_write_newick(*arrays, lengths, b"".join(quoted), ends))


def _quoted(name: str) -> str:
    return "'" + name.replace("'", "''") + "'" if _NEEDS_QUOTES.search(name) else name


def _problem(what: str, raw: bytes, at: int, who: str) -> InvalidData:
    before = raw[:at].decode(errors="replace")
    around = raw[max(0, at - 12) : at + 12].decode(errors="replace")
    where = f"at position {len(before)}, near {around!r}"
    return _not_newick(f"{what} {where}.", who)


def _not_newick(problem: str, who: str) -> InvalidData:
    found = InvalidData(f"text of {who} is not a Newick tree: {problem}")
    return found.in_shell(f"not a Newick tree: {problem}")
