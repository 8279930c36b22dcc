"""The groups of a workbook as an answer of `coterie.fit`: it can be saved, reported, and places new rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from coterie._support.typing import Labels, Model
from coterie.cluster import KMeans, find_method
from coterie.errors import InvalidParameter
from coterie.pipeline.answer import Clustering
from coterie.pipeline.groups import Groups, group_name, profile_prepared, spread_labels
from coterie.pipeline.recipe import Recipe
from coterie.pipeline.rows.memory import MemoryRows
from coterie.select import Evidence, Verdict
from coterie.workbook.rowsets import NOISE, unmasked
from coterie.workbook.state import State

EDITED = "groups were edited by hand"


def answer_of(state: State) -> Clustering:
    """Return the answer: that of the fit where nothing was changed since, else one of the edited groups.

    New rows are placed by the mean of a group that is nearest; a note says how often that agrees with the
    groups as they are. Tables with categories place no new rows.
    """
    if not state.k:
        raise InvalidParameter("there are no groups yet. Run a method, or make a group first.")
    answer, rows = state.answer, state.rows
    if answer is not None and np.array_equal(unmasked(answer.labels), state.labels):
        named = replace(answer.groups, names=_names(state))
        return replace(answer, groups=named, rows=rows, notes=(*answer.notes, *_names_note(state)))
    groups = _describe(state, rows)
    belief = state.belief if not state.is_stale else None
    evidence = _evidence(groups.recipe.method, state.k)
    return Clustering(
        groups=groups,
        method=groups.recipe.method,
        evidence=evidence,
        stability=None if belief is None else belief.stability,
        significance=None if belief is None else belief.significance,
        runners_up=(),
        comparison=None,
        notes=groups.notes,
        budget="normal",
        seed=0,
        seconds=0.0,
        rows=rows,
        is_asked=True,
        is_apart=None if belief is None else belief.verdict.is_apart,
    )


def _names_note(state: State) -> tuple[str, ...]:
    named = [(at, group.name) for at, group in enumerate(state.groups) if group.name]
    said = ", ".join(f"group {at + 1} is {name}" for at, name in named[:30])
    return (f"names: {said}",) if said else ()


def _names(state: State) -> tuple[str, ...]:
    """Return what the groups are called; nothing where nobody named one."""
    if not any(group.name for group in state.groups):
        return ()
    return tuple(group.name or group_name(at) for at, group in enumerate(state.groups))


def _evidence(method: str, k: int) -> Evidence:
    verdict = Verdict(k, {}, ("made by hand in the explorer",), (), 1.0)
    return Evidence(method, (k,), (), {}, (), verdict)


def _describe(state: State, rows: MemoryRows) -> Groups:
    """Return the edited groups with what sets them apart, and a model by their means."""
    prepared = rows.prepared
    labels = np.maximum(state.labels[prepared.rows], NOISE)
    profile = profile_prepared(prepared, labels, state.k)
    model, said = _model(rows, labels, state.k)
    method = "kprototypes" if prepared.levels else "kmeans"
    return Groups(
        source=prepared.table.source,
        n_rows=prepared.table.n_rows,
        columns=prepared.choice.used,
        left_out=prepared.choice.left_out,
        notes=(*prepared.notes, f"{EDITED}; {said}", *_names_note(state)),
        recipe=Recipe(method, state.k, prepared.scaling.how, None, None, None, 0, None),
        scaling=prepared.scaling,
        medians=prepared.complete.medians,
        model=model,
        numbers=np.arange(state.k, dtype=np.int32),
        labels=spread_labels(labels.astype(np.int32), prepared.rows, prepared.table.n_rows),
        profile=profile,
        centers=profile.means,
        explained=None,
        seconds=0.0,
        levels=prepared.levels,
        places=prepared.places,
        names=_names(state),
    )


def _model(rows: MemoryRows, labels: Labels, k: int) -> tuple[Model, str]:
    """Return the model that places new rows, and how in words."""
    if rows.prepared.levels:
        return find_method("kprototypes").load()(k), "they place no new rows"
    points = np.asarray(rows.prepared.points, dtype=np.float64)
    inside = labels >= 0
    sizes = np.bincount(labels[inside], minlength=k)
    centers = np.zeros((k, points.shape[1]))
    np.add.at(centers, labels[inside], points[inside])
    centers /= np.maximum(sizes, 1)[:, None]
    fitted = {
        "cluster_centers_": centers,
        "labels_": np.zeros(len(points), dtype=np.int32),
        "inertia_": 0.0,
        "n_iter_": 0,
        "algorithm_used_": "edited by hand",
        "exact_": True,
        "history_": None,
        "_n_init": 1,
        "_n_features_out": k,
        "_origin": np.zeros(points.shape[1]),
        "_prepared_centers": None,
        "_geometry_values": {},
        "_geometry_offset": None,
    }
    how = {"n_columns": points.shape[1], "n_clusters": k, "n_init": 1, "random_state": 0}
    nearest = KMeans.from_fitted(fitted, **how).predict(points)
    inertia = float(np.square(points - centers[nearest]).sum())
    model = KMeans.from_fitted({**fitted, "labels_": nearest, "inertia_": inertia}, **how)
    agreed = float(np.mean(nearest[inside] == labels[inside])) if inside.any() else 1.0
    return model, f"new rows go to the nearest mean, which agrees with {agreed:.0%} of these rows"
