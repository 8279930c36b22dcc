"""From a table to the evidence: what ``coterie select`` finds for a request."""

from __future__ import annotations

from dataclasses import dataclass

from coterie._support.notes import render_notes
from coterie._support.progress import ProgressOption, track
from coterie._support.typing import JsonObject, MatrixLike
from coterie.cluster import find_method
from coterie.data import AUTO, LeftOut, Table, shown_name
from coterie.data.square import refuse_distances
from coterie.evaluate.belief import MixedColumns
from coterie.pipeline import FitRequest, Recipe, make_estimator
from coterie.pipeline.fit import open_rows
from coterie.pipeline.groups import mixed_columns
from coterie.pipeline.recipe import takes_distance
from coterie.pipeline.rows.tables import note_on_categories, prepare_table
from coterie.select import Evidence, choose_k


@dataclass(frozen=True)
class Selection:
    """The evidence, the data that it is about, and the columns used."""

    data: str
    request: FitRequest
    source: str
    n_rows: int
    columns: tuple[str, ...]
    left_out: tuple[LeftOut, ...]
    scale: str
    notes: tuple[str, ...]
    evidence: Evidence
    has_categories: bool = False

    @property
    def method(self) -> str:
        """The method whose numbers of groups are compared."""
        return self.evidence.method

    @property
    def distance(self) -> str | None:
        """The distance as it was given; None where none was."""
        given = self.request.arguments["distance"]
        return None if given == AUTO else given

    def facts(self) -> JsonObject:
        """Return everything that ``--json`` prints."""
        return {
            "source": self.source,
            "rows": self.n_rows,
            "columns": list(self.columns),
            "left_out": [{"column": column.name, "reason": column.reason} for column in self.left_out],
            "distance": self.distance,
            "scale": self.scale,
            "seed": self.request.seed,
            **self.evidence.to_dict(),
            "notes": list(render_notes([*self.notes, *self.evidence.notes], "shell")),
        }


def find(
    data: str, table: Table, request: FitRequest, criteria: list[str], *, progress: ProgressOption = None
) -> Selection:
    """Return the evidence for the rows of a table."""
    refuse_distances(table)
    prepared = prepare_table(
        table, request, categories=request.takes_categories, associated=request.methods is None
    )
    why = ""
    if not request.takes_categories:
        who = f"{request.distance} distance" if request.methods is None else _title(request)
        remedy = "--method kprototypes or latent-classes uses"
        why = note_on_categories(table, request, who, remedy)
    mixed = mixed_columns(prepared.levels) if prepared.levels else None
    return Selection(
        data,
        request,
        table.source,
        table.n_rows,
        prepared.table_columns,
        prepared.choice.left_out,
        prepared.scaling.how,
        (*prepared.notes, why) if why else prepared.notes,
        _evidence(prepared.points, request, criteria, progress, mixed),
        mixed is not None,
    )


def find_as_fit_does(
    data: str, rows: MatrixLike, request: FitRequest, criteria: list[str], *, progress: ProgressOption = None
) -> Selection:
    """Return the evidence from the rows that ``coterie fit`` compares methods on.

    A sample of data in blocks; principal coordinates of distances.
    """
    with track(progress, f"reading {shown_name(data)}", total=None) as tracker:
        opened = open_rows(rows, request, tracker)
        compared = opened.compare_on(request)
    notes = (*opened.notes, *((compared.note,) if compared.note and not compared.is_whole else ()))
    return Selection(
        data,
        request,
        opened.source,
        opened.n_rows,
        opened.table_columns,
        opened.left_out,
        opened.scaling.how,
        notes,
        _evidence(compared.points, request, criteria, progress, compared.mixed),
        compared.mixed is not None,
    )


def _title(request: FitRequest) -> str:
    assert request.methods is not None
    return find_method(request.methods[0]).title


def _method(request: FitRequest, *, is_mixed: bool) -> str:
    """Return the method that was named, or k-means and what stands for it where means are not enough."""
    if request.methods is not None:
        return request.methods[0]
    if request.distance is None:
        return "kprototypes" if is_mixed else "kmeans"
    return "kmeans" if takes_distance("kmeans", request.distance) else "kmedoids"


def _evidence(
    points: MatrixLike,
    request: FitRequest,
    criteria: list[str],
    progress: ProgressOption,
    mixed: MixedColumns | None,
) -> Evidence:
    method = _method(request, is_mixed=mixed is not None)
    recipe = Recipe(method, None, request.scale, request.distance, None, None, request.seed)
    estimator = make_estimator(find_method(method), recipe)
    return choose_k(
        points,
        estimator if mixed is None else mixed.tell(estimator),
        k=request.ks,
        criteria=criteria or None,
        random_state=request.seed,
        progress=progress,
    )
