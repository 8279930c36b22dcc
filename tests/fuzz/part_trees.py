"""Trees: linkage, the dendrogram's methods, Newick text."""

from __future__ import annotations

from math import isqrt
from typing import Any

import numpy as np

from coterie.evaluate import compare_linkages, cut_curve
from coterie.tree import (
    METHODS,
    Dendrogram,
    bakers_gamma,
    cophenetic_agreement,
    entanglement,
    fowlkes_mallows_curve,
    linkage,
    robinson_foulds,
    untangled,
    untangled_pair,
)
from tests.fuzz.case import Case, Draw, expect
from tests.fuzz.checks import check_labels, check_same
from tests.fuzz.mutate import mutated_text
from tests.fuzz.parameters import draw_parameter
from tests.fuzz.values import draw_labels, draw_rows, draw_square, draw_wild

COMPARISONS = (bakers_gamma, cophenetic_agreement, entanglement, robinson_foulds, untangled, untangled_pair)


def run(case: Case) -> None:
    """One of: a linkage, a dendrogram from numbers, a Newick text, a comparison of trees."""
    case.draw.choice([_linkage, _linkage, _numbers, _newick, _newick, _pair, _linkages])(case)


def _linkage(case: Case) -> None:
    draw = case.draw
    rows = draw_square(draw) if draw.chance(0.3) else draw_rows(draw)
    metric = draw_parameter(draw, "metric", None, *rows.shape)
    if "x" in rows.words and rows.words.startswith(("distances", "similarities")):
        metric = draw.choice(["precomputed", "similarity", metric])
    options = {"optimal_ordering": True} if draw.chance(0.2) else {}
    options |= {"symmetrize": draw.choice(["mean", "min", "max"])} if draw.chance(0.2) else {}
    method = draw.choice(METHODS) if draw.chance(0.95) else draw_wild(draw)
    words = f"linkage({rows.words}, {method!r}, {metric!r}, {options})"
    Z = case.attempt(words, lambda: linkage(rows.value, method, metric, n_jobs=2, **options))
    is_condensed = np.ndim(rows.value) == 1 and not isinstance(rows.value, str)  # pairs
    n = (1 + isqrt(1 + 8 * len(rows.value))) // 2 if is_condensed else rows.shape[0]
    expect(Z.shape == (n - 1, 4), "linkage: a wrong shape", f"{Z.shape} {words}")
    expect(not np.isnan(Z).any(), "linkage: NaN in the matrix", repr(Z)[:400])
    expect(np.isfinite(Z[:, [0, 1, 3]]).all(), "linkage: infinite numbers of nodes")
    again = case.attempt(words, lambda: linkage(rows.value, method, metric, n_jobs=1, **options))
    check_same(Z, again, "linkage: another answer with one thread")
    how = "similarities" if metric == "similarity" else "distances"
    tree = case.attempt(f"from_linkage of {words}", lambda: Dendrogram.from_linkage(Z, heights_are=how))
    use_tree(case, tree, words)


def _numbers(case: Case) -> None:
    draw = case.draw
    n = draw.whole(1, 12)
    merges: Any = _random_merges(draw, n)
    heights: Any = np.sort(draw.random.random(n - 1)) * draw.choice([1.0, 0.0, 1e300, 1e-310])
    if draw.chance(0.4) and n > 1:
        merges = merges.astype(draw.choice([np.int64, np.float64, np.uint8, object]))
        merges.flat[draw.whole(0, merges.size - 1)] = draw.choice([0, 1, n, 2 * n, 255, 100])
    if draw.chance(0.2) and n > 1:
        heights[draw.whole(0, n - 2)] = draw.choice([np.nan, np.inf, -1.0, -np.inf, 5e-324])
    if draw.chance(0.05):
        merges = draw_wild(draw)
    names = draw.choice(
        [None, [f"n{i}" for i in range(n)], ["a"] * n, ["é\x1b['"] * n, list(range(n)), draw_wild(draw)]
    )
    words = f"Dendrogram({_flat(merges)}, {_flat(heights)}, names={_flat(names)})"
    tree = case.attempt(words, lambda: Dendrogram(merges, heights, names=names))
    use_tree(case, tree, words)


def _flat(value: Any) -> str:
    return repr(np.asarray(value).tolist() if isinstance(value, np.ndarray) else value)[:300]


def _random_merges(draw: Draw, n: int) -> Any:
    free = list(range(n))
    merges = []
    for made in range(n - 1):
        a = free.pop(draw.whole(0, len(free) - 1))
        b = free.pop(draw.whole(0, len(free) - 1))
        merges.append((a, b))
        free.append(n + made)
    return np.array(merges, dtype=np.int64).reshape(-1, 2)


def _newick(case: Case) -> None:
    draw = case.draw
    text = draw_newick(draw)
    if draw.chance(0.5):
        text = mutated_text(draw, text)
    words = f"from_newick({text[:800]!r})"
    tree = case.attempt(words, lambda: Dendrogram.from_newick(text))
    use_tree(case, tree, words)
    written = case.optional(f"to_newick of {words}", tree.to_newick)
    if written is not None:
        again = case.attempt(f"{words} written as {written[:300]!r}", lambda: Dendrogram.from_newick(written))
        expect(
            again.n_leaves == tree.n_leaves,
            "newick: another number of leaves after writing and reading",
            written,
        )
        expect(
            again.names == tree.names or tree.names is None,
            "newick: other names after writing",
            written[:400],
        )


def draw_newick(draw: Draw, depth: int = 0) -> str:
    """Return Newick text by its grammar, with odd names, lengths, comments and blanks."""
    has_lengths = draw.chance(0.6)
    return _newick_node(draw, 0, has_lengths) + draw.choice([";", ";", ";", "", ";\n", "; "])


def _newick_node(draw: Draw, depth: int, has_lengths: bool) -> str:
    is_odd = draw.chance(0.03)
    lengths = [
        "0",
        "1",
        "0.5",
        "1e-5",
        "2.5e3",
        "1e400",
        "-1",
        "nan",
        "inf",
        "+3",
        ".5",
        "1.",
        "0x1p3",
        "1_0",
        "",
    ]
    length = ":" + draw.choice(lengths if is_odd else lengths[:5]) if has_lengths else ""
    names = [
        "a",
        "b",
        "0",
        "1",
        "2",
        "'it''s'",
        "'(x,y)'",
        "é",
        "",
        "a_b",
        "[c]a",
        "a[c]",
        "x y",
        "\x00",
        "\u202e",
    ]
    name = draw.choice(names) if is_odd else draw.choice(["a", "b", "it", "x_y"])
    if depth > 5 or draw.chance(0.15 + 0.2 * depth):
        return f"{name}{draw.whole(0, 9999) if not is_odd else ''}{length}"
    inner = [
        _newick_node(draw, depth + 1, has_lengths)
        for _ in range(draw.choice([2, 2, 2, 2, 2, 3, 5] if draw.chance(0.98) else [1, 0]))
    ]
    blank = draw.choice(["", "", "", " ", "\n", "\t", "[comment]"])
    return f"({(',' + blank).join(inner)}){name if draw.chance(0.2) else ''}{length}"


def _pair(case: Case) -> None:
    draw = case.draw
    trees = []
    for _ in range(2):
        n = draw.choice([1, 2, 5, 5, 5, 5])
        heights = np.sort(draw.random.integers(0, 4, n - 1)).astype(float)
        trees.append(Dendrogram(_random_merges(draw, n), heights))
    function = draw.choice(COMPARISONS)
    words = f"{function.__name__}({trees[0].to_newick()}, {trees[1].to_newick()})"
    answer = case.attempt(words, lambda: function(*trees))
    if isinstance(answer, float):
        expect(not np.isinf(answer), f"{function.__name__}: infinite", words)
    case.attempt(f"fowlkes_mallows_curve {words}", lambda: fowlkes_mallows_curve(*trees))


def _linkages(case: Case) -> None:
    draw = case.draw
    rows = draw_rows(draw)
    labels, labels_words = draw_labels(draw, rows.shape[0])
    metric = draw_parameter(draw, "metric", None, *rows.shape)
    linkages = draw.choice([["single"], ["complete", "average"], ["ward", "centroid", "median"]])
    words = f"compare_linkages({rows.words}, {labels_words}, linkages={linkages}, metric={metric!r})"
    case.attempt(words, lambda: str(compare_linkages(rows.value, labels, linkages=linkages, metric=metric)))


def use_tree(case: Case, tree: Any, words: str) -> None:
    """Call what a dendrogram offers; labels of cuts are labels."""
    draw = case.draw
    n = tree.n_leaves
    k = draw.choice([1, 2, 3, n, n + 1, 0, -1, draw_wild(draw)])
    height = draw.choice([0.0, 0.5, 1.0, 1e300, np.inf, -1.0, np.nan, draw_wild(draw)])
    node = draw.choice([0, n - 1, n, tree.root, -1, tree.root + 1, 2**62, draw_wild(draw)])
    width = draw.choice([78, 10, 1, 0, -5, 20])
    for doing, cut in (
        (f"cut({k!r})", lambda: tree.cut(k)),
        (f"cut(height={height!r})", lambda: tree.cut(height=height)),
        (f"cut(min_size={k!r})", lambda: tree.cut(min_size=k)),
    ):
        labels = case.optional(f"{words}.{doing}", cut)
        if labels is not None:
            check_labels(labels, n, n, "Dendrogram.cut")
    for doing, action in (
        ("str, repr, hash, ==", lambda: (str(tree), repr(tree), hash(tree), tree == tree)),
        (f"draw({width})", lambda: tree.draw(width)),
        ("cophenetic", tree.cophenetic),
        ("agglomerative_coefficient", lambda: tree.agglomerative_coefficient),
        ("leaf_order", tree.leaf_order),
        ("to_linkage", tree.to_linkage),
        ("binary", tree.binary),
        ("as_distances", tree.as_distances),
        (f"subtree({node!r})", lambda: tree.subtree(node)),
        (f"members({node!r})", lambda: tree.members(node)),
        (f"children({node!r})", lambda: tree.children(node)),
        ("reordered", lambda: tree.reordered(draw.random.permutation(n + draw.choice([0, 0, 1])))),
        ("cut_curve", lambda: str(cut_curve(tree, draw_labels(draw, n)[0]))),
    ):
        case.optional(f"{words}.{doing}", action)
