"""Phylogeny: FASTA files, distances, neighbour joining, Newick text of trees with lengths and support."""

from __future__ import annotations

from typing import Any

import numpy as np

from coterie.phylogeny import (
    Alignment,
    Phylogeny,
    bootstrap,
    infer_tree,
    neighbour_joining,
    read_fasta,
    robinson_foulds,
    sequence_distances,
    upgma,
    with_support,
)
from tests.fuzz.case import Case, Draw, expect
from tests.fuzz.checks import check_labels, check_same
from tests.fuzz.mutate import mutated_bytes, mutated_text
from tests.fuzz.part_trees import draw_newick
from tests.fuzz.values import draw_square, draw_wild

ODD = ["", "n-", "RYK", "1", "*", "é", "\x00", " ", "acgt", "MKLVWQ", ">", ";", "\t"]


def run(case: Case) -> None:
    """One of: a FASTA file, distances that may be none, a Newick text."""
    case.draw.choice([_fasta, _fasta, _square, _newick])(case)


def draw_fasta(draw: Draw) -> bytes:
    """Return FASTA text by its grammar, with odd letters, names, blanks and line ends."""
    letters = draw.choice(["ACGT", "ACGT", "ACGTN-", "ACDEFGHIKLMNPQRSTVWY", "AC"])
    n_sites, end = draw.choice([1, 7, 40, 70, 130]), draw.choice(["\n", "\n", "\r\n", "\r"])
    base = draw.random.choice(list(letters), n_sites)
    lines = [draw.choice(["", "", "; a comment", "\ufeff"])] if draw.chance(0.2) else []
    for i in range(draw.choice([1, 2, 3, 5, 9])):
        row = np.where(draw.random.random(n_sites) < 0.2, draw.random.choice(list(letters), n_sites), base)
        text = "".join(row) + (draw.choice(ODD) if draw.chance(0.03) else "")
        name = draw.choice(["", "x", "a b", "'", "x" * 400, "é"]) if draw.chance(0.05) else f"s{i} sample"
        lines.append(f">{name}")
        step = draw.choice([10, 60, 1000])
        lines += [text[at : at + step] for at in range(0, len(text), step)]
    return end.join(lines).encode()


def _fasta(case: Case) -> None:
    draw = case.draw
    content = draw_fasta(draw)
    if draw.chance(0.4):
        content = mutated_bytes(draw, content)
    path = case.folder / "rows.fasta"
    path.write_bytes(content)
    kind = draw.choice(["auto", "auto", "dna", "protein"]) if draw.chance(0.95) else draw_wild(draw)
    words = f"read_fasta({content[:300]!r}, kind={kind!r})"
    use_alignment(case, case.attempt(words, lambda: read_fasta(path, kind=kind)), words)


def use_alignment(case: Case, rows: Alignment, words: str) -> None:
    """Do with an alignment what can be done, and look at every answer."""
    draw = case.draw
    again = case.attempt(f"to_fasta of {words}", lambda: Alignment.from_sequences(
        [(name, rows.sequence(name)) for name in rows.names], kind=rows.kind))  # fmt: skip
    check_same(rows.letters, again.letters, "alignment: other letters after writing")
    model, gaps = draw.choice(["p", "jc", "k2p", "count"]), draw.choice(["pairwise", "complete"])
    found = [case.attempt(f"sequence_distances of {words}, {model}, {gaps}",
                          lambda jobs=jobs: sequence_distances(rows, model=model, gaps=gaps, n_jobs=jobs))
             for jobs in (1, 2)]  # fmt: skip
    check_same(*found, "sequence_distances: another answer with one thread")
    expect(np.isfinite(found[0]).all() and (found[0] >= 0).all(), "sequence_distances: no distances", words)
    method = draw.choice(["nj", "upgma"])
    how: Any = {"model": model, "gaps": gaps, "method": method}
    tree = case.attempt(f"infer_tree of {words}", lambda: infer_tree(rows, **how))
    drawn = case.attempt(f"bootstrap of {words}", lambda: bootstrap(rows, **how, n_replicates=3, n_jobs=2))
    use_tree(case, case.attempt(f"support of {words}", lambda: drawn.support(tree)), words)


def _square(case: Case) -> None:
    rows = draw_square(case.draw)
    policy = case.draw.choice(["keep", "zero"])
    words = f"neighbour_joining({rows.words}, {policy})"
    trees = [case.attempt(words, lambda jobs=jobs: neighbour_joining(
        rows.value, negative_lengths=policy, n_jobs=jobs)) for jobs in (1, 2)]  # fmt: skip
    check_same(trees[0].lengths, trees[1].lengths, "neighbour_joining: another answer with one thread")
    expect(trees[0] == trees[1], "neighbour_joining: another tree with one thread", words)
    expect(policy == "keep" or (trees[0].lengths[:-1] >= 0).all(), "neighbour_joining: negative", words)
    use_tree(case, trees[0], words)
    use_tree(case, case.attempt(f"upgma of {words}", lambda: upgma(rows.value)), words)


def _newick(case: Case) -> None:
    text = draw_newick(case.draw)
    text = mutated_text(case.draw, text) if case.draw.chance(0.5) else text
    words = f"Phylogeny.from_newick({text[:800]!r})"
    use_tree(case, case.attempt(words, lambda: Phylogeny.from_newick(text)), words)


def use_tree(case: Case, tree: Phylogeny, words: str) -> None:
    """Do with a tree what can be done: write, root, cut, compare, draw."""
    again = case.attempt(f"to_newick of {words}", lambda: Phylogeny.from_newick(tree.to_newick()))
    expect(sorted(again.names) == sorted(tree.names), "phylogeny: other names after writing", words)
    expect(robinson_foulds(tree, again) == 0, "phylogeny: another shape after writing", words)
    rooted = case.attempt(f"rooted_at_midpoint of {words}", tree.rooted_at_midpoint)
    expect(robinson_foulds(tree, rooted) == 0, "phylogeny: another shape after rooting", words)
    if tree.n_leaves > 1:
        name = tree.names[case.draw.whole(0, tree.n_leaves - 1)]
        beside = case.attempt(f"rooted_at({name!r}) of {words}", lambda: tree.rooted_at(name))
        check_labels(beside.cut(max_distance=1.0), tree.n_leaves, tree.n_leaves, "cut", lowest=0)
        case.attempt(f"with_support of {words}", lambda: with_support(tree, [rooted, beside]))
    expect(np.isfinite(tree.distances()).all(), "phylogeny: infinite distances", words)
    expect(len(tree.draw(30).splitlines()) >= tree.n_leaves, "phylogeny: a leaf is not drawn", words)
