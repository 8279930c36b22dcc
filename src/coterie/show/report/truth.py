"""The groups against the classes that the rows are known to have."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from coterie._support.typing import Indices, Labels
from coterie.evaluate import compare
from coterie.show.report.belief_facts import TruthFacts, TruthTable
from coterie.show.report.subject import shorten

MOST_CLASSES = 30
MOST_GROUPS = 60
MEASURES = (
    ("adjusted_rand_score", "adjusted Rand", "pairs of rows; 0 is chance, 1 is equal"),
    ("normalized_mutual_info_score", "normalised mutual information", "0 is nothing in common, 1 is equal"),
    ("purity_score", "purity", "rows in the largest class of their group"),
    ("matched_accuracy", "matched accuracy", "rows in the group that is matched with their class"),
)


def truth_facts(classes: Sequence[str], places: Indices) -> TruthFacts:
    """Return the classes of the held rows."""
    names, codes = _codes(classes)
    held = np.where(codes < MOST_CLASSES, codes, -1)[places]
    shown = tuple(shorten(name) for name in names[:MOST_CLASSES])
    return TruthFacts(shown, tuple(held.tolist()), max(0, len(names) - MOST_CLASSES))


def truth_table(classes: Sequence[str], labels: Labels, k: int) -> TruthTable:
    """Return classes by groups, purities and measures, over all rows that have a class."""
    names, codes = _codes(classes)
    known = codes >= 0
    columns = np.where(labels >= 0, labels, k)[known]
    counts = np.bincount(codes[known] * (k + 1) + columns, minlength=len(names) * (k + 1))
    table = counts.reshape(len(names), k + 1)[:, :k]
    sizes = np.maximum(table.sum(axis=0), 1)
    shown = table[:MOST_CLASSES, :MOST_GROUPS]
    comparison = compare(codes[known], labels[known], measures=[name for name, _, _ in MEASURES])
    return TruthTable(
        counts=tuple(tuple(row) for row in shown.tolist()),
        purity=tuple((table.max(axis=0) / sizes)[:MOST_GROUPS].tolist()),
        measures=tuple((title, float(comparison[name]), meaning) for name, title, meaning in MEASURES),
        finding=_finding(names, table),
    )


def _codes(classes: Sequence[str]) -> tuple[list[str], Labels]:
    """Return the names of the classes, the largest first, and each row's; -1 for rows without one."""
    names, codes, counts = np.unique(np.asarray(classes, dtype=str), return_inverse=True, return_counts=True)
    order = np.argsort(-np.where(names == "", -1, counts), kind="stable")
    places = np.empty(len(names), dtype=np.int64)
    places[order] = np.arange(len(names))
    known = [str(name) for name in names[order] if name != ""]
    found = places[codes]
    return known, np.where(found < len(known), found, -1)


def _finding(names: list[str], table: Labels) -> str:
    """Say which group mixes classes most, or that none does."""
    if not table.size or not table.sum():
        return "No row has both a class and a group"
    strays = table.sum(axis=0) - table.max(axis=0)
    if not strays.any():
        split = (table > 0).sum(axis=1).max()
        return "Every group holds one class" + ("" if split > 1 else ", and every class is one group")
    mixed = int(strays.argmax())
    largest = np.argsort(-table[:, mixed], kind="stable")[:2]
    first, second = (f"{table[one, mixed]:,} of {shorten(names[one])}" for one in largest)
    return f"Group {mixed + 1} mixes {first} with {second}"
