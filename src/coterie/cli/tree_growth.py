"""From a table to a tree: what ``coterie tree`` is told, and what it finds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np

from coterie._support.typing import Indices, Labels, MatrixLike, ValuesByName
from coterie.data import AUTO, LeftOut, PreparedRows, Table
from coterie.data.square import names_of_square, refuse_distances, square_columns, square_of
from coterie.distance import Distance, find_distance, pairwise_distances
from coterie.distance.mixed import distance_of_levels, takes_categories, takes_gaps
from coterie.errors import InvalidData, InvalidParameter
from coterie.pipeline.groups import spread_labels
from coterie.pipeline.request import FitRequest
from coterie.pipeline.rows.tables import note_on_categories, prepare_table
from coterie.tree import Dendrogram, linkage

BEST = "best"


@dataclass(frozen=True)
class TreeRequest:
    """How the rows are prepared, and how the tree is made."""

    fit: FitRequest
    linkage: str
    similarity: bool

    @property
    def precomputed(self) -> bool:
        """Whether the table is a square of distances."""
        return self.fit.is_precomputed

    @property
    def metric(self) -> str:
        """The metric of `coterie.tree.linkage`."""
        if self.is_matrix:
            return "precomputed" if self.precomputed else "similarity"
        return self.fit.distance or "euclidean"

    @property
    def kind(self) -> Literal["distances", "similarities"]:
        """What the heights of the tree are, and the cells of a square."""
        return "similarities" if self.similarity else "distances"

    @property
    def is_matrix(self) -> bool:
        """Whether the table is a square of distances or similarities."""
        return self.precomputed or self.similarity


@dataclass(frozen=True)
class GrownTree:
    """A tree, the rows of the table that are its leaves, and the labels of its cut."""

    table: Table
    how: TreeRequest
    tree: Dendrogram
    rows: Indices
    columns: tuple[str, ...]
    left_out: tuple[LeftOut, ...]
    scale: str
    notes: tuple[str, ...]
    labels: Labels | None

    def labels_of_rows(self) -> Labels:
        """Return the group of each row of the table; rows left out are masked."""
        assert self.labels is not None
        return spread_labels(self.labels, self.rows, self.table.n_rows)

    def newick(self) -> str:
        """Return the tree as text; similarities as what is missing to the largest."""
        return self.tree.as_distances().to_newick() + "\n"


def check(how: TreeRequest, cut: str | None, output: Path | None) -> None:
    """Refuse options that cannot go together, before any data are read."""
    if how.is_matrix and how.fit.scale != AUTO:
        raise InvalidParameter(f"--scale is for rows of numbers, not for --{how.metric}.")
    if output is not None and cut is None:
        raise InvalidParameter(
            "--output needs --cut: the groups of a tree are those of a cut. Use --cut 5, say."
        )
    read_cut(cut)


def read_cut(cut: str | None) -> ValuesByName:
    """Return a cut as the parameters of `Dendrogram.cut`."""
    if cut is None or cut == BEST:
        return {} if cut is None else {"best": "silhouette"}
    try:
        return {"n_clusters": int(cut)} if cut.lstrip("+-").isdecimal() else {"height": float(cut)}
    except ValueError:
        raise InvalidParameter(
            f'--cut must be a number of groups, a height such as 2.5, or best, got "{cut}".'
        ) from None


def grow(table: Table, how: TreeRequest, cut: str | None) -> GrownTree:
    """Return the tree of a table."""
    if table.n_rows < 2:
        raise InvalidData(f"{table.source}: has one row; a tree needs at least two.")
    prepared = None
    metric: str | Distance = how.metric
    if how.is_matrix:
        X, rows = square_of(table, drop=how.fit.drop, what=how.kind), np.arange(table.n_rows)
        columns = square_columns(table, drop=how.fit.drop)
    else:
        refuse_distances(table)
        prepared = _prepared(table, how)
        X, rows, columns = prepared.points, prepared.rows, prepared.table_columns
        if prepared.levels:
            metric = distance_of_levels(find_distance(metric), prepared.levels)
    names = _names(table, rows, columns, how)
    tree = Dendrogram.from_linkage(linkage(X, how.linkage, metric), names=names, heights_are=how.kind)
    return GrownTree(
        table,
        how,
        tree,
        rows,
        columns,
        () if prepared is None else prepared.choice.left_out,
        "none" if prepared is None else prepared.scaling.how,
        table.notes if prepared is None else prepared.notes,
        _cut(tree, cut, X, how, metric),
    )


def _prepared(table: Table, how: TreeRequest) -> PreparedRows:
    """Return the rows of the tree, with categories or with a note that the distance does not take them."""
    request = how.fit
    if not takes_categories(how.metric):
        prepared = prepare_table(table, request)
        why = note_on_categories(table, request, f"{how.metric} distance", "--distance gower uses")
        return replace(prepared, said=(*prepared.said, why)) if why else prepared
    if request.missing == AUTO and not takes_gaps(how.metric):
        request = replace(request, missing="drop")
    return prepare_table(table, request, categories=True)


def _cut(
    tree: Dendrogram, cut: str | None, X: MatrixLike, how: TreeRequest, metric: str | Distance
) -> Labels | None:
    where = read_cut(cut)
    if not where:
        return None
    if "best" not in where:
        return _cut_there(tree, where, cut)
    if how.similarity:
        raise InvalidParameter(
            "--cut best needs distances, not similarities. Use --cut with a number of groups."
        )
    if how.precomputed:
        return tree.cut(**where, distances=X)
    if how.fit.distance is None:
        return tree.cut(**where, X=X)
    return tree.cut(**where, distances=pairwise_distances(X, metric=metric))


def _cut_there(tree: Dendrogram, where: ValuesByName, cut: str | None) -> Labels:
    k, height = where.get("n_clusters"), where.get("height", 0.0)
    if k is not None and not 1 <= k <= tree.n_leaves:
        raise InvalidParameter(f"--cut must be 1 to {tree.n_leaves} groups, the rows, got {k}.")
    if not (height >= 0 or (tree.heights_are == "similarities" and height < 0)):
        raise InvalidParameter(f"--cut must be a height of at least 0, got {cut}.")
    return tree.cut(**where)


def _names(table: Table, rows: Indices, columns: tuple[str, ...], how: TreeRequest) -> list[str]:
    """Name the leaves by a column that does (any beside a square), by the header of a square, by number."""
    if how.is_matrix:
        return names_of_square(table, columns)
    keys = table.key_columns()
    if keys:
        return [str(value) for value in table.content[keys[0]].gather(rows).to_list()]
    return [str(row + 1) for row in rows]
