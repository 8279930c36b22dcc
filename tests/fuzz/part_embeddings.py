"""What embeddings, networks and texts are grouped by: approximate neighbours, edge lists, documents."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas
import polars
from scipy import sparse
from threadpoolctl import threadpool_limits

import coterie
from coterie import cluster, distance
from coterie.data.graphs import read_graph
from coterie.distance import approximate
from coterie.text import encode_texts, fit_texts, languages
from tests.fuzz.case import Case, Draw, Refused, expect
from tests.fuzz.checks import LOWEST_LABEL, check_finite, check_labels, check_same
from tests.fuzz.part_functions import wild_seed
from tests.fuzz.values import draw_wild

METRICS = ("euclidean", "sqeuclidean", "cosine", "hamming", "inner_product", "manhattan", "correlation")
TOPICS = (
    ["rocket", "orbit", "satellite", "moon", "launch", "telescope"],
    ["oven", "butter", "flour", "sugar", "onion", "garlic"],
    ["goal", "striker", "league", "referee", "penalty", "coach"],
)
ODD_TEXTS = (
    "",
    " ",
    "\x00",
    "a",
    "1 2 3",
    "é\x1b[31m\u202e",
    "\ud800",
    "\ufeff",
    "the the the",
    "x" * 50_000,
    "漢字 仮名",
    "ß" * 99,
    "_ __",
    "word'word’s",
    "\n\n",
    "=cmd",
    "<b>bold</b>",
    "مرحبا بالعالم",
    "-" * 30,
    "a_b_c d_e",
)


def run(case: Case) -> None:
    """Draw one of the three, and hold its answer to what such an answer must be."""
    case.draw.choice([_neighbours, _neighbours, _neighbours, _graph, _graph, _graph, _texts, _texts])(case)


# --- approximate neighbours ---------------------------------------------------------------------------------


def draw_vectors(draw: Draw) -> tuple[Any, str]:
    """Return rows such as embeddings come in: half numbers, bytes, zero rows, copies, sparse."""
    n, d = draw.choice([1, 2, 3, 30, 120, 300, 700]), draw.choice([1, 2, 16, 40, 100])
    rows = (
        draw.random.normal(size=(n, d)) + 3 * draw.random.normal(size=(5, d))[draw.random.integers(0, 5, n)]
    )
    words = f"{n}x{d}"
    if draw.chance(0.3):
        rows[draw.random.random(n) < draw.choice([0.02, 0.3, 1.0])] = 0
        words += " with zero rows"
    if draw.chance(0.3):
        rows = rows[draw.random.integers(0, draw.choice([1, min(2, n), max(1, n // 4)]), n)]
        words += " with copies"
    if draw.chance(0.15):
        rows *= draw.choice([1e-300, 1e-30, 1e30, 1e150, 1e300])
        words += " scaled"
    if draw.chance(0.1):
        rows[0] = draw.choice([np.nan, np.inf, 1e300, 1e-310])
        words += f" with {rows[0, 0]}"
    if draw.chance(0.1):
        rows[:, 0] += draw.choice([1e6, 1e12, 1e16])
        words += " far away"
    kind = draw.choice(["f8", "f8", "f4", "f4", "f2", "i1", "u1", "?", "csr", "csr f4", "lists"])
    with np.errstate(all="ignore"):
        if kind.startswith("csr"):
            kept = np.where(draw.random.random(rows.shape) < 0.3, rows, 0).astype(
                np.float32 if "f4" in kind else np.float64
            )
            return sparse.csr_array(kept), f"{words} as {kind}"
        if kind == "lists":
            return rows.tolist(), f"{words} as {kind}"
        if np.dtype(kind).kind in "iub":
            rows = np.nan_to_num(rows, posinf=9, neginf=-9).clip(-100, 100)
        return rows.astype(kind), f"{words} as {kind}"


def _neighbours(case: Case) -> None:
    draw = case.draw
    rows, words = draw_vectors(draw)
    n = rows.shape[0] if hasattr(rows, "shape") else len(rows)
    metric = draw.choice([*METRICS, draw_wild(draw)] if draw.chance(0.2) else METRICS[:5])
    k = draw.choice([1, 2, 5, 15, max(1, n - 1), n, draw_wild(draw)] if draw.chance(0.3) else [1, 2, 5, 10])
    recall = draw.choice([0.5, 0.9, 0.99, 1.0, draw.choice([0.0, -1.0, np.nan, 2.0])])
    usual = approximate.EXACT_SECONDS, approximate.LEAF, approximate.SPARSE_EXACT_ROWS
    try:
        if draw.chance(0.7):  # so few rows would be compared exactly, each with all others
            approximate.EXACT_SECONDS, approximate.LEAF, approximate.SPARSE_EXACT_ROWS = (
                1.0,
                draw.choice([8, 40, 1000]),
                10,
            )
        name = draw.choice(
            ["k_nearest", "k_nearest", "neighbour_graph", "index", "HDBSCAN", "EmbeddingClustering", "Leiden"]
        )
        words = f"{name}({words}, k={k!r}, {metric!r}, recall={recall})"
        answers = [
            case.attempt(words, lambda threads=threads: _near(name, rows, k, metric, recall, threads))
            for threads in (2, 1)
        ]
    finally:
        approximate.EXACT_SECONDS, approximate.LEAF, approximate.SPARSE_EXACT_ROWS = usual
    check_same(*answers, f"{name}: another answer with one thread")
    found = answers[0]
    if "labels" in found:
        check_labels(found["labels"], n, n, name, LOWEST_LABEL if name == "HDBSCAN" else -1)
        return
    index, far = found["index"], found["distance"]
    expect(
        index.shape == far.shape and len(index) == n, f"{name}: of a wrong shape", f"{index.shape} {words}"
    )
    expect(
        index.size == 0 or (index.min() >= 0 and index.max() < n), f"{name}: a row that is not there", words
    )
    expect(not np.isnan(far).any(), f"{name}: NaN among distances", words)
    expect(bool((np.diff(far, axis=1) >= 0).all()), f"{name}: distances that fall", words)
    own = (index == np.arange(n)[:, None]).any() and name != "index"
    expect(not own, f"{name}: a row is its own neighbour", words)
    ordered = np.sort(index, axis=1)
    expect(bool((np.diff(ordered, axis=1) > 0).all()), f"{name}: a neighbour twice", words)


def _near(name: str, rows: Any, k: Any, metric: Any, recall: float, threads: int) -> dict[str, Any]:
    with threadpool_limits(threads, user_api="openmp"):
        if name == "k_nearest":
            found = distance.k_nearest(rows, n_neighbors=k, metric=metric, recall=recall)
        elif name == "neighbour_graph":
            graph = distance.neighbour_graph(rows, k, metric, recall=recall)
            check_finite("weights", graph.weights, name)
            found = graph.neighbours
        elif name == "index":
            found = distance.NeighbourIndex.fit(rows, metric=metric, recall=recall).query(rows, k)
        else:
            options: dict[str, Any] = {"metric": metric}
            if name == "HDBSCAN":
                options |= {"neighbors": "approximate", "min_samples": k}
            else:
                options |= {"n_neighbors": k, "random_state": 0}
            return {"labels": getattr(cluster, name)(**options).fit(rows).labels_}
    return {"index": found.index, "distance": found.distance, "recall": found.recall}


# --- edge lists ---------------------------------------------------------------------------------------------

ENDS: dict[str, tuple[Any, ...]] = {
    "numbers": (0, 1, 2, 3, 4, 5, 6),
    "names": ("a", "b", "c", "d", "é\u202e", "=x", ""),
    "mixed": (1, "1", 2.0, "b", 3, (1, 2)),
    "floats": (0.0, 1.5, 2.0, -0.0, 1e300),
    "missing": ("a", None, "b", float("nan"), "c"),
    "huge": (2**63, 2**64, -(2**63), 10**30, 5),
    "dates": (np.datetime64("2020-01-01"), np.datetime64("2021-01-01"), np.datetime64("NaT")),
    "odd": ([1], {}, "x", None, b"y"),
}
WEIGHTS = (1.0, 1.0, 2.5, 0.0, 1e-300, 1e300, 1.7e308)
BAD_WEIGHTS = (-1.0, np.nan, np.inf, "x", None, "2", 1j, True, 10**400)


def draw_edges(draw: Draw) -> tuple[Any, str]:
    """Return edges in one of the shapes that people keep them in."""
    kind = draw.choice(["numbers", "numbers", "names", *ENDS])
    n_edges = draw.choice([0, 1, 2, 8, 40])
    known = WEIGHTS if draw.chance(0.8) else WEIGHTS + BAD_WEIGHTS
    has_weights = draw.chance(0.7)
    edges = [
        (draw.choice(ENDS[kind]), draw.choice(ENDS[kind]), *([draw.choice(known)] if has_weights else []))
        for _ in range(n_edges)
    ]
    if n_edges and draw.chance(0.1):
        edges[0] = draw.choice([(), (1,), (1, 2, 3, 4), None, "ab", 7])
    names = draw.choice(
        [
            ["source", "target", "weight"],
            ["from", "to", "weight"],
            ["a", "b", "c"],
            ["weight", "target", "source"],
        ]
    )[: 3 if has_weights else 2]
    shape = draw.choice(
        ["tuples", "tuples", "lists", "array", "pandas", "polars", "dict", "columns", "networkx"]
    )
    words = f"{n_edges} edges of {kind} as {shape}: {edges!r}"[:500]
    is_even = all(isinstance(edge, tuple) and len(edge) == len(names) for edge in edges)
    if not is_even or shape == "tuples":
        return edges, words
    columns = [list(column) for column in zip(*edges, strict=True)] or [[] for _ in names]
    try:
        made = {
            "lists": lambda: [list(edge) for edge in edges],
            "array": lambda: np.array(edges),
            "pandas": lambda: pandas.DataFrame(dict(zip(names, columns, strict=True))),
            "polars": lambda: polars.DataFrame(dict(zip(names, columns, strict=True)), strict=False),
            "dict": lambda: dict(zip(names, columns, strict=True)),
            "columns": lambda: tuple(np.array(column) for column in columns),
            "networkx": lambda: _networkx(draw, edges),
        }[shape]()
    except Exception:  # pandas, polars or networkx do not take it: nobody can hand it over
        return edges, words
    return made, words


def _networkx(draw: Draw, edges: list[Any]) -> Any:
    import networkx

    graph = draw.choice([networkx.Graph, networkx.DiGraph, networkx.MultiGraph])()
    for edge in edges:
        graph.add_edge(edge[0], edge[1], **({"weight": edge[2]} if len(edge) > 2 else {}))
    return graph


def _graph(case: Case) -> None:
    draw = case.draw
    edges, words = draw_edges(draw)
    options: dict[str, Any] = {}
    if draw.chance(0.3):
        options["directed"] = draw.choice([True, False, None, draw_wild(draw)])
    if draw.chance(0.2):
        options["nodes"] = draw.choice([[0, 1, 2, 3, 4, 5, 6, 7], ["a", "b"], [], [1, 1], None, range(9)])
    name = draw.choice(["read_graph", "leiden", "leiden", "fit"])
    if name == "fit":
        found = case.attempt(
            f"fit(graph={words})", lambda: coterie.fit(graph=edges, budget="fast", random_state=0)
        )
        case.attempt(f"summary of fit(graph={words})", lambda: (repr(found), found.to_dict()))
        return
    if name == "leiden":
        options.pop("nodes", None)
        found = case.attempt(
            f"leiden({words}, {options})", lambda: cluster.leiden(edges, random_state=0, **options)
        )
        check_labels(found.labels, len(found.labels), max(1, len(found.labels)), "leiden")
        expect(np.isfinite(found.quality), "leiden: a quality that is not finite", f"{found.quality} {words}")
        return
    graph = case.attempt(f"read_graph({words}, {options})", lambda: read_graph(edges, **options))
    weights = graph.weights
    expect(weights.shape == (len(graph.nodes),) * 2, "read_graph: of a wrong shape", words)
    expect(
        np.isfinite(weights.data).all() and (weights.data >= 0).all(),
        "read_graph: a weight that is none",
        words,
    )
    is_even = graph.is_directed or abs(weights - weights.T).max() == 0
    expect(is_even, "read_graph: one direction of an edge", words)


# --- texts --------------------------------------------------------------------------------------------------


def _texts(case: Case) -> None:
    draw = case.draw
    n = draw.choice([0, 1, 2, 5, 12, 40, 60])
    texts: Any = [
        " ".join(draw.some(draw.choice(TOPICS), 5) + draw.some(["the", "of", "and"], 2)) for _ in range(n)
    ]
    if draw.chance(0.5):
        texts = [draw.choice(ODD_TEXTS) if draw.chance(0.3) else text for text in texts]
    words = f"{n} texts {[text[:30] for text in texts[:4]]!r}"
    if draw.chance(0.15):
        texts = draw.choice(
            [
                None,
                "one text",
                7,
                [1, 2],
                [*texts, None],
                pandas.Series(texts, dtype=object),
                polars.Series([text for text in texts if text.isprintable()] or [""]),
                np.array(texts),
                {1: "a"},
                [texts],
            ]
        )
        words = f"{type(texts).__name__} {words}"
    options: dict[str, Any] = {"believe": draw.chance(0.15), "random_state": 0}
    if draw.chance(0.05):
        options["random_state"] = wild_seed(draw)
    if draw.chance(0.3):
        options["k"] = draw.choice([1, 2, 3, n, 10**9, draw_wild(draw)])
    if draw.chance(0.4):
        options["language"] = draw.choice(
            [*languages(), "none", "klingon", ["the", "rocket"], [], "", draw_wild(draw)]
        )
    if draw.chance(0.25):
        options["vectors"] = draw.choice(
            [
                draw.random.normal(size=(n, 4)),
                np.zeros((n, 4)),
                np.ones((n + 1, 2)),
                np.full((n, 2), np.nan),
                draw_vectors(draw)[0],
            ]
        )
    call = f"fit_texts({words}, { {key: repr(value)[:80] for key, value in options.items()} })"
    if draw.chance(0.2):
        encoder, counts = case.attempt(
            f"encode_texts({words})", lambda: encode_texts(texts, language=options.get("language", "auto"))
        )
        expect(counts.shape[1] == len(encoder.terms), "encode_texts: of a wrong shape", words)
        check_finite("axes", encoder.axes, "encode_texts")
        return
    found = case.attempt(call, lambda: fit_texts(texts, **options))
    again = case.attempt(call, lambda: fit_texts(texts, **options))
    check_same(found.labels, again.labels, "fit_texts: another answer the second time")
    check_labels(found.labels, len(texts), max(1, found.k), "fit_texts")
    case.attempt(f"summary of {call}", lambda: (repr(found), found.summary(), found.to_dict()))
    _use_texts(case, found, call)


def _use_texts(case: Case, found: Any, call: str) -> None:
    draw = case.draw
    new: Any = draw.choice([list(ODD_TEXTS), ["rocket orbit", "garlic"], [], "text", [3], None])
    answer = case.optional(f"predict {new!r} of {call}"[:900], lambda: found.predict(new))
    if answer is not None:
        check_labels(answer, len(new), max(1, found.k), "TextClustering.predict")
    case.optional(
        f"merge of {call}", lambda: found.merge(draw.choice([[0, 1], [0], [0, 99], [], [-1, 0], "x", None]))
    )
    case.optional(
        f"rename of {call}",
        lambda: found.rename({draw.choice([0, 1, 99, -1, "x"]): draw.choice(["name", "", "\x1b", 3])}),
    )
    path = case.folder / "texts.safetensors"
    if case.optional(f"save {call}", lambda: coterie.save(found, path) or True) is None:
        return
    try:
        loaded = case.attempt(f"load {call}", lambda: coterie.load(path))
    except Refused as refusal:
        expect(False, "TextClustering: saved, it is refused", str(refusal))
    check_same(found.labels, loaded.labels, "TextClustering: loaded, it differs")
