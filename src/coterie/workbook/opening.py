"""Workbooks that begin with an answer: of `coterie.fit`, or of a file that it was saved to."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from coterie._support.typing import JsonObject
from coterie.errors import InvalidParameter
from coterie.pipeline.answer import Clustering
from coterie.workbook.belief import belief_of_answer
from coterie.workbook.dataset import (
    FILE,
    MEMORY,
    Dataset,
    digest_of_file,
    digest_of_table,
    open_dataset,
    stamp_of,
)
from coterie.workbook.rowsets import pack_labels, unmasked
from coterie.workbook.state import State


def dataset_of_answer(answer: Clustering, data: object = None) -> Dataset:
    """Return the data of an answer: its own rows, those that are given, or the file that it names."""
    if data is not None:
        found = open_dataset(data)
    elif answer.rows is not None and hasattr(answer.rows, "prepared"):
        table = answer.rows.prepared.table
        path = Path(table.source)
        if path.is_file():
            return Dataset(table, FILE, str(path), digest_of_file(path), None, stamp_of(path))
        return Dataset(table, MEMORY, None, digest_of_table(table))
    elif Path(answer.groups.source).is_file():
        found = open_dataset(answer.groups.source)
    else:
        raise InvalidParameter(
            f"a saved answer does not hold its data, and {answer.groups.source} is not here: give the data."
        ).in_shell(
            f"the answer does not hold its data, and {answer.groups.source} is not here. Add --data FILE."
        )
    if found.n_rows != len(answer.labels):
        raise InvalidParameter(
            f"{found.name} has {found.n_rows:,} rows, the answer is about {len(answer.labels):,}. Give the "
            f"data that it was found in."
        )
    return found


def first_operation(answer: Clustering) -> JsonObject:
    """Return the operation that gives the groups of an answer: their labels, as they are."""
    groups = answer.groups
    found: JsonObject = {
        "op": "given",
        "labels": pack_labels(unmasked(answer.labels)),
        "from": f"{groups.recipe.title}",
        "scale": groups.recipe.scale,
        "missing": answer.arguments.get("missing", "auto"),
        "method": answer.method,
    }
    if groups.left_out:
        found["columns"] = list(groups.table_columns)
    return found


def with_evidence(state: State, answer: Clustering) -> State:
    """Return the state that begins with an answer, with its model and what was measured about its groups."""
    if not np.array_equal(state.labels, unmasked(answer.labels)):
        return state  # other rows are left out now: it is about others
    light = replace(answer, rows=None)
    ids = tuple(group.id for group in state.groups)
    belief = belief_of_answer(light, state.rows, state.labels, state.labels_hash, ids)
    return replace(state, answer=light, belief=belief)
