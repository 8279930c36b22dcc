"""Readers: any bytes become a table or an error of ours; known tables become what they are."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from coterie.data import inspect, read_labels_table, read_table, settle_missing
from tests.fuzz.case import Case, expect
from tests.fuzz.tables import draw_file


def run(case: Case) -> None:
    """Read a file, choose its columns, make them a matrix, settle what is missing."""
    draw = case.draw
    file = draw_file(draw)
    path = case.folder / f"table{file.suffix}"
    path.write_bytes(file.content)
    options = {}
    if draw.chance(0.15):
        options["header"] = draw.choice([True, False])
    if draw.chance(0.1):
        options["encoding"] = draw.choice(
            ["utf-8", "cp1252", "utf-16", "ascii", "nothing", "base64", "idna", ""]
        )
    if draw.chance(0.1):
        options["delimiter"] = draw.choice([",", ";", "\t", "", ",,", "\n", '"', "é", "\x00", " "])
    if draw.chance(0.2):
        options["dates"] = draw.choice(["as-number", "year", "month", "weekday", "century"])
    if draw.chance(0.05):
        options[draw.choice(["sheet", "table", "query"])] = draw.choice(
            ["s", "t0", "select c from t0", "", '"']
        )
    head = file.content[:200]
    words = f"read_table({file.words}: {head!r}, {options})"
    if draw.chance(0.1):
        case.attempt(words, lambda: read_labels_table(path, None, None))
        return
    table = case.attempt(words, lambda: read_table(path, **options))
    expect(
        len(table.columns) == len(set(table.columns)),
        "read_table: two columns of one name",
        str(table.columns),
    )
    if file.n_rows is not None and not options:
        expect(table.n_rows == file.n_rows, "read_table: rows were lost or made", f"{table.n_rows} {words}")
    case.optional(f"key_columns of {words}", table.key_columns)
    case.attempt(f"repr of {words}", lambda: repr(table))
    choice = case.attempt(f"choose of {words}", table.choose)
    matrix = case.attempt(f"matrix of {words}", lambda: table.matrix(choice.used))
    expect(
        matrix.shape == (table.n_rows, len(choice.used)),
        "Table.matrix: a wrong shape",
        f"{matrix.shape} {words}",
    )
    if sparse.issparse(matrix):
        in_range = matrix.indices.size == 0 or (
            matrix.indices.min() >= 0 and matrix.indices.max() < matrix.shape[1]
        )
        expect(in_range, "Table.matrix: a sparse matrix with columns that are not there", words)
        expect(
            bool((np.diff(matrix.indptr) >= 0).all()),
            "Table.matrix: a sparse matrix whose rows overlap",
            words,
        )
    policy = draw.choice(["auto", "observed", "error", "drop", "median", "refuse"])
    settled = case.attempt(
        f"settle_missing {policy} of {words}", lambda: settle_missing(matrix, choice.used, policy=policy)
    )
    expect(settled is not None, "settle_missing: nothing")
    if draw.chance(0.3):
        found = case.optional(f"inspect of {words}", lambda: inspect(path, **options))
        if found is not None:
            case.attempt(f"what inspect says of {words}", lambda: str(found))
            names = [facts.column for facts in found.columns]
            expect(names == list(table.columns), "inspect: other columns than the table's", str(names))
