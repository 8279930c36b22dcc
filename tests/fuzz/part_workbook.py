"""Workbooks: operations right and wrong, one after the other, and files of them that somebody changed."""

from __future__ import annotations

import ast
import json
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas

from coterie.workbook import KINDS, LEFT_OUT, NOISE, Dataset, State, Workbook, open_dataset, pack_rows
from coterie.workbook.rowsets import pack_labels
from tests.fuzz.case import Case, Draw, Refused, expect
from tests.fuzz.mutate import mutated_bytes, mutated_text
from tests.fuzz.part_models import ODD_JSON, mutate_json

METHODS = ("kmeans", "kmeans", "agglomerative", "dbscan", "hdbscan", "mixture", "kprototypes", "leiden")
NAMES = (
    "left",
    "",
    "é\x1b[31m\u202e",
    "=cmd|'/C'!A0",
    "</script><b>",
    '"',
    "x" * 200,
    "x" * 201,
    "\ud800",
    "\x00",
)
DISTANCES = ("auto", "euclidean", "cosine", "gower", "hamming", "nothing", "precomputed")
SETTINGS: tuple[Any, ...] = (
    {},
    {"max_iter": 2},
    {"tol": -1},
    {"eps": 0.5},
    {"n_clusters": 2},
    {"x": 1},
    {"memory": "/tmp"},
    {"random_state": 3},
    {"max_iter": 10**400},
    {"eps": 1e308},
    {"linkage": "single"},
    {"size_min": 4},
    {"init": "random"},
)


def run(case: Case) -> None:
    """Edit a workbook, or read a file of one; whatever state it comes to follows from its log."""
    if case.draw.chance(0.35):
        _read(case)
    else:
        _edit(case)


@cache
def datasets() -> dict[str, Dataset]:
    """Return tables that workbooks are about."""
    rng = np.random.default_rng(3)
    clouds = np.concatenate([rng.normal(at, 1, (14, 2)) for at in ((0, 0), (9, 0), (0, 9))])
    gaps = np.where(rng.random(clouds.shape) < 0.1, np.nan, clouds)
    mixed = pandas.DataFrame(
        {"x": clouds[:, 0], "kind": ["red", "blue", "green"] * 14, "name": [f"n{i}" for i in range(42)]}
    )
    tables: dict[str, Any] = {
        "clouds": clouds,
        "clouds with gaps": gaps,
        "mixed": mixed,
        "equal rows": np.ones((9, 2)),
        "three rows": clouds[:3],
        "huge": clouds * 1e150,
        "one column": clouds[:, :1],
    }
    return {name: open_dataset(table) for name, table in tables.items()}


# --- operations ---------------------------------------------------------------------------------------------


def draw_operation(draw: Draw, state: State, *, odd: float) -> Any:
    """Return an operation, with a probability one that is wrong in some way."""
    name = draw.choice([*KINDS, "new", "new", "move", "merge", "split", "fit"])
    operation = {"op": name} | _fields(draw, name, state)
    if name == "fit" or (name == "split" and draw.chance(0.5)):
        operation |= {"method": draw.choice(METHODS), "k": draw.choice([2, 3, "2..3"]), "budget": "fast"}
    if name == "fit":
        operation["believe"] = draw.chance(0.1)
    if draw.chance(odd):
        how = draw.choice(["value", "value", "value", "drop", "more", "other"])
        field = draw.choice(list(operation))
        if how == "value":
            operation[field] = draw.choice(ODD_JSON) if draw.chance(0.5) else draw.choice(NAMES)
        elif how == "drop":
            del operation[field]
        elif how == "more":
            operation[draw.choice(["x", "rows", "ranges", "at", "said", "op", "group", ""])] = draw.choice(
                ODD_JSON
            )
        else:
            return draw.choice(ODD_JSON)
    return operation


def _fields(draw: Draw, name: str, state: State) -> dict[str, Any]:
    """Return values for the needed fields of an operation, and for some others."""
    kind = KINDS[name]
    found = {
        field: _value(draw, field, state)
        for field in kind.fields
        if field not in ("rows", "ranges") and (field in kind.needed or draw.chance(0.25))
    }
    return found | (_rows(draw, state) if kind.has_rows else {})


def _rows(draw: Draw, state: State) -> dict[str, Any]:
    n = state.data.n_rows
    rows = np.unique(draw.random.integers(0, n, draw.whole(1, 12)))
    if draw.chance(0.1):
        wrong = [[n], [-1], [2**31], [True], [1.5], [], "0", [[0]], [10**400], [0, "1"]]
        return {"rows": draw.choice(wrong)}
    if draw.chance(0.1):
        return {
            "ranges": draw.choice(
                [[[0, n]], [[0, n + 1]], [[3, 3]], [[5, 2]], [[0]], [], [[0, 2**40]], [[-1, 2]]]
            )
        }
    return pack_rows(rows) if draw.chance(0.5) else {"rows": draw.random.permutation(rows).tolist()}


def _value(draw: Draw, field: str, state: State) -> Any:
    ids = [group.id for group in state.groups] or ["g1"]
    labels = draw.random.integers(-1, 3, state.data.n_rows).astype(np.int32)
    columns = list(state.data.table.columns)
    values: Mapping[str, Any] = {
        "group": [*ids, *ids, "g0", "g999", "G1", 1],
        "groups": [draw.some(ids, 3), ids, [*ids, ids[0]], ["g1", "g999"]],
        "name": NAMES,
        "text": [*NAMES, "y" * 10_001],
        "from": NAMES,
        "colour": [None, "#00ff00", "#00FF0", "red"],
        "locked": [True, False, 1],
        "min": [None, 1, 2, 5, 10**9, 2**64],
        "max": [None, 1, 5, 20, 0],
        "method": [None, "auto", *METHODS, "nothing", "é\x1b[31m"],
        "k": [None, "auto", 1, 2, 3, "2..3", "3..2", 0, 10**6, "2.."],
        "distance": DISTANCES,
        "set": SETTINGS,
        "seed": [0, 1, 2**64 - 1, 2**64, -1],
        "n_init": [None, 1, 2, 10_001],
        "improve": [None, "breathing", "nothing"],
        "budget": ["fast", "fast", "slow"],
        "scale": ["auto", "standard", "none", "x"],
        "missing": ["auto", "drop", "median", "refuse", "observed", "x"],
        "columns": [
            draw.some(columns, 2),
            columns,
            ["nothing"],
            {columns[0]: "leave"},
            {"nothing": "use"},
            {columns[0]: "x"},
        ],
        "drop": [draw.some(columns, 1), columns],
        "keep": [draw.some(columns, 2)],
        "names": [["a"], ["a", "b", "c"], list(NAMES)],
        "truth": [None, columns[-1], "nothing"],
        "believe": [False, False, "x"],
        "weights": [
            {columns[0]: 2.0},
            {columns[-1]: 3},
            {"nothing": 1.0},
            {columns[0]: 0},
            {columns[0]: 1001},
        ],
        "labels": [
            pack_labels(labels),
            pack_labels(labels),
            pack_labels(labels[:-1]),
            pack_labels(labels + 7),
            pack_labels(np.full_like(labels, LEFT_OUT)),
            pack_labels(labels * 1000),
            mutated_text(draw, pack_labels(labels)),
        ],
    }
    return draw.choice(values[field])


# --- what is done -------------------------------------------------------------------------------------------


def _edit(case: Case) -> None:
    draw = case.draw
    name = draw.choice([*datasets(), "clouds", "mixed"])
    book = Workbook(datasets()[name])
    n_refused, odd = 0, draw.choice([0.0, 0.1, 0.6])
    if draw.chance(0.6):
        first = {"op": "fit", "method": "kmeans", "k": draw.choice([2, 3]), "believe": False}
        case.optional(f"{name}: {first!r}", lambda: book.apply(first))
    for _ in range(draw.choice([1, 2, 4, 8])):
        operation = draw_operation(draw, book.state, odd=odd)
        before = (book.position, book.state.digest, book.k)
        words = f"{name} after {book.position} operations: {operation!r}"[:1500]
        try:
            case.attempt(words, lambda operation=operation: book.apply(operation))
        except Refused:
            n_refused += 1
            after = (book.position, book.state.digest, book.k)
            expect(before == after, "Workbook.apply: a refused operation changes the workbook", words)
        check_state(book.state)
        if draw.chance(0.15) and book.can_undo:
            case.attempt(f"undo, redo: {words}", lambda: book.undo().redo())
    use(case, book)
    if n_refused and not book.position:
        raise Refused("no operation was right")


def check_state(state: State) -> None:
    """Expect labels 0..k-1 without gaps, ids that differ, one label per row."""
    labels = state.labels
    expect(
        labels.shape == (state.data.n_rows,) and labels.dtype == np.int32, "State: labels of a wrong shape"
    )
    found = np.unique(labels[labels >= 0])
    expect(found.tolist() == list(range(state.k)), "State: labels with gaps", f"{found} of {state.k}")
    others = set(np.unique(labels[labels < 0]).tolist())
    expect(others <= {NOISE, LEFT_OUT}, "State: a label that is none", f"{others}")
    ids = [group.id for group in state.groups]
    expect(len(set(ids)) == len(ids), "State: two groups of one id", f"{ids}")
    expect(all(int(one[1:]) < state.next_id for one in ids), "State: an id that will come again", f"{ids}")


def use(case: Case, book: Workbook) -> None:
    """Save, load, replay, print, export: every way leads to the same labels."""
    words = f"{book.data.name}: {[entry['op'] for entry in book.log]}"
    case.attempt(f"repr of {words}", lambda: (repr(book), book.labels, book.names))
    script = case.attempt(f"script of {words}", book.to_script)
    ast.parse(script)
    path = case.folder / "book.coterie.json"
    case.attempt(f"save {words}", lambda: book.save(path, force=True))
    try:
        again = case.attempt(f"load {words}", lambda: Workbook.load(path, data=book.data))
    except Refused as refusal:
        expect(False, "Workbook.load: a saved workbook is refused", f"{refusal} {words}")
    expect(again.state.digest == book.state.digest, "Workbook: replayed, it differs", words)
    expect(again.warning is None, "Workbook: warned of its own file", f"{again.warning} {words}")
    if book.k:
        case.optional(f"answer of {words}", lambda: book.to_answer().summary())


# --- files --------------------------------------------------------------------------------------------------


@cache
def saved(name: str) -> bytes:
    """Return the file of a workbook about a table, edited a little."""
    book = Workbook(datasets()[name])
    book.apply({"op": "fit", "method": "kmeans", "k": 3, "believe": False})
    book.apply({"op": "rename", "group": "g1", "name": "first"})
    book.apply({"op": "merge", "groups": ["g1", "g2"]})
    book.apply({"op": "move", "rows": [0, 15, 30], "group": "g3"})
    book.apply({"op": "split", "group": "g1", "method": "kmeans", "k": 2})
    book.undo()
    with tempfile.TemporaryDirectory() as folder:
        found = json.loads(book.save(Path(folder) / "book.coterie.json").read_text())
    for entry in found["log"]:
        entry["at"] = "2026-01-01T00:00:00+00:00"
    return json.dumps(found).encode()


def damaged(draw: Draw, content: bytes) -> tuple[bytes, str]:
    """Return the file of a workbook with wounds, and what was done."""
    how = draw.choice(["bytes", "json", "json", "json", "log", "log"])
    if how == "bytes":
        return mutated_bytes(draw, content), "damaged bytes"
    found = json.loads(content)
    if how == "json":
        words = "; ".join(mutate_json(draw, found) for _ in range(draw.choice([1, 1, 2])))
    else:
        state = Workbook(datasets()["clouds"]).state
        operation = draw_operation(draw, state, odd=0.3)
        found["log"].insert(draw.whole(0, len(found["log"])), operation)
        words = f"an operation more: {operation!r}"[:600]
    return json.dumps(found).encode(), words


def _read(case: Case) -> None:
    draw = case.draw
    name = draw.choice(["clouds", "mixed"])
    content, words = damaged(draw, saved(name))
    path = case.folder / "book.coterie.json"
    path.write_bytes(content)
    data = datasets()[name] if draw.chance(0.8) else None
    book = case.attempt(f"load a workbook about {name}: {words}", lambda: Workbook.load(path, data=data))
    check_state(book.state)
    use(case, book)
