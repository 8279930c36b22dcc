"""The rows of a table, an array, a frame or a matrix of distances."""

from __future__ import annotations

from dataclasses import replace

from coterie.data import as_table
from coterie.data.square import refuse_distances
from coterie.errors import InvalidParameter
from coterie.pipeline.request import FitRequest
from coterie.pipeline.rows.matrix import matrix_rows
from coterie.pipeline.rows.memory import MemoryRows
from coterie.pipeline.rows.tables import (
    check_rows,
    classes_of,
    columns_not_taken,
    dense,
    is_plain_number,
    prepare_table,
)

TRUTH = "the truth"
NOT_TAKEN = "a number, which k-modes does not take"


def memory_rows(data: object, request: FitRequest) -> MemoryRows:
    """Return the rows of a table, a frame, an array or a file, prepared as asked for."""
    if not request.silhouette:
        need = "is for data in blocks, more than 1 GiB or lazy: in memory no silhouette is measured."
        raise InvalidParameter(f"silhouette=False {need}").in_shell(f"--no-silhouette {need}")
    if request.is_precomputed:
        return matrix_rows(data, request)
    table = dense(as_table(data, may_be_distances=True, **request.reading))
    refuse_distances(table)
    classes, dropped = classes_of(table, request.truth)
    not_taken, why = columns_not_taken(table, request)
    not_taken = [name for name in not_taken if is_plain_number(table, name)]  # keys are keys
    prepared = prepare_table(
        table,
        request,
        drop=[*dropped, *not_taken],
        categories=request.takes_categories,
        associated=request.methods is None,
    )
    if why:
        prepared = replace(prepared, said=(*prepared.said, why))
    for name in not_taken:
        prepared = replace(prepared, choice=prepared.choice.renamed_reason(name, NOT_TAKEN))
    if dropped:
        prepared = replace(prepared, choice=prepared.choice.renamed_reason(dropped[0], TRUTH))
    check_rows(request, len(prepared.rows), table.source, n_dropped=prepared.complete.n_dropped)
    return MemoryRows(prepared, classes)
