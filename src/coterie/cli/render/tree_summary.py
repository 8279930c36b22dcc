"""What ``coterie tree`` prints: the tree (or its last merges), and the groups of the cut."""

from __future__ import annotations

from pathlib import Path
from shlex import join

import numpy as np

from coterie._printing import count_of
from coterie._support.config import version
from coterie._support.notes import render_notes
from coterie._support.typing import JsonObject, Labels
from coterie.cli import options
from coterie.cli.render.machines import print_json
from coterie.cli.render.terminal import console
from coterie.cli.tree_growth import GrownTree
from coterie.data import SCALINGS
from coterie.pipeline.many_columns import text_of_left_out
from coterie.tree.dendrogram import MOST_DRAWN

SHOWN_GROUPS = 20


def show(grown: GrownTree, *, as_json: bool, labels: Path | None, newick: Path | None) -> None:
    """Print the tree for a person, or for a machine."""
    if as_json:
        print_json(facts(grown, labels=labels, newick=newick))
        return
    tree, out = grown.tree, console()
    left_out = text_of_left_out(grown.left_out)
    print(f"{grown.table.source}   {grown.table.n_rows:,} rows; {_columns(grown)}{left_out}")
    for note in render_notes(grown.notes, "shell"):
        print(f"  note: {note}")
    print(f"\n  {_about(grown)}\n")
    if grown.labels is not None:
        print(f"  {_groups(grown.labels)}\n")
    lines = (
        str(tree).splitlines()[1:]
        if tree.n_leaves > MOST_DRAWN
        else tree.draw(min(out.width, 100)).splitlines()
    )
    print("\n".join(lines))
    if labels is None:
        print(f"\ngroups     add {'' if grown.labels is not None else '--cut 3 '}-o groups.csv")
        if tree.n_leaves > MOST_DRAWN and not grown.how.is_matrix:
            cut = [] if grown.labels is None else ["-k", str(len(np.unique(grown.labels)))]
            told = options.typed(grown.how.fit.arguments, *options.OF_ROWS)
            drawn = ["dendrogram", grown.table.source, "--linkage", grown.how.linkage, *cut, *told]
            print(f"picture    {join(['coterie', 'plot', *drawn])}")
    for what, path in (("groups", labels), ("tree", newick)):
        if path is not None:
            print(f"\n{what:<10} {path}")


def facts(grown: GrownTree, *, labels: Path | None, newick: Path | None) -> JsonObject:
    """Return everything that ``--json`` prints."""
    tree = grown.tree
    cut = None
    if grown.labels is not None:
        sizes = np.bincount(grown.labels)
        cut = {"groups": int(sizes.size), "sizes": sizes.tolist(), "labels": grown.labels.tolist()}
    return {
        "source": grown.table.source,
        "rows": grown.table.n_rows,
        "rows_left_out": grown.table.n_rows - tree.n_leaves,
        "columns": list(grown.columns),
        "left_out": {column.name: column.reason for column in grown.left_out},
        "notes": list(render_notes(grown.notes, "shell")),
        "linkage": grown.how.linkage,
        "distance": grown.how.metric,
        "scale": None if grown.how.is_matrix else grown.scale,
        "heights_are": tree.heights_are,
        "is_monotone": tree.is_monotone,
        "agglomerative_coefficient": _coefficient(grown),
        "leaves": list(tree.names or ()),
        "merges": [
            [*pair, height] for pair, height in zip(tree.merges.tolist(), tree.heights.tolist(), strict=True)
        ],
        "cut": cut,
        "files": {
            "labels": None if labels is None else str(labels),
            "newick": None if newick is None else str(newick),
        },
        "coterie": version(),
    }


def _coefficient(grown: GrownTree) -> float | None:
    return None if grown.how.similarity else grown.tree.agglomerative_coefficient


def _columns(grown: GrownTree) -> str:
    n = len(grown.columns)
    if grown.how.is_matrix:
        return f"a square of {'distances' if grown.how.precomputed else 'similarities'}"
    return f"{count_of(n, 'column')} used"


def _about(grown: GrownTree) -> str:
    tree, how = grown.tree, grown.how
    on = "" if how.is_matrix else f" on {SCALINGS[grown.scale]}, {how.metric}"
    coefficient = _coefficient(grown)
    shown = "" if coefficient is None else f"; agglomerative coefficient {coefficient:.2f}"
    monotone = "" if tree.is_monotone else "; not monotone: some merges lie below their parts"
    return (
        f"{how.linkage} linkage{on}; heights {tree.heights[0]:.4g} to {tree.heights[-1]:.4g}{shown}{monotone}"
    )


def _groups(labels: Labels) -> str:
    sizes = np.bincount(labels)
    shown = ", ".join(f"{size:,}" for size in sizes[:SHOWN_GROUPS])
    more = f", and {sizes.size - SHOWN_GROUPS:,} more groups" if sizes.size > SHOWN_GROUPS else ""
    return f"{count_of(sizes.size, 'group')} of {shown} rows{more}"
