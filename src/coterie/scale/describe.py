"""Groups of rows in blocks, described: sizes, means and measures of all rows, examples from the sample."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from coterie._support.typing import AnyArray, FloatArray, Indices, Labels
from coterie.data.geography.positions import Positions, group_positions, note_turns
from coterie.evaluate.internal import Estimate
from coterie.pipeline import Fact, Groups, Profile, Recipe, profile_groups
from coterie.pipeline.groups import centers_of, effect_sizes, share_explained
from coterie.scale import evaluate
from coterie.scale.blocks import Blocks
from coterie.scale.labelling import BlocksFitted, Labelling, grouped_blocks, sampled_labels
from coterie.scale.methods.group_totals import (
    GroupTotals,
    estimate_silhouette,
    place_vectors,
    total_cells,
    total_groups,
    total_positions,
)
from coterie.scale.methods.kmeans import KMeans

if TYPE_CHECKING:
    from coterie.scale.rows import BlockRows

SILHOUETTE_ROWS = 2000  # whose distances to all drawn rows are summed up
EXACT = {
    "sse": "sum of squares within groups",
    "bss": "sum of squares between groups",
    "calinski_harabasz_score": "Calinski-Harabasz",
    "davies_bouldin_score": "Davies-Bouldin",
    "simplified_silhouette_score": "simplified silhouette",
}


def describe_blocks(
    rows: BlockRows, fitted: BlocksFitted, recipe: Recipe, seconds: float, notes: tuple[str, ...], seed: int
) -> tuple[Groups, tuple[Fact, ...]]:
    """Return the groups of all rows, and what is known about them."""
    labelling, n_groups = fitted.labels, len(fitted.labels.numbers)
    by_size = np.argsort(labelling.numbers)
    sampled, opened, filling = sampled_labels(rows, labelling), rows.opened, rows.filling
    totals = None if rows.whole is None else _total(rows, fitted, sampled, by_size, seed)
    if totals is None or opened.places:
        profile = _profile_of_cells(rows, sampled, _labels(rows, labelling), n_groups)
        explained, centers = None, profile.means
    else:
        assert rows.whole is not None
        columns = rows.whole.columns
        means, spread = rows.scaling.invert(totals.means), np.sqrt(np.asarray(columns.variance))
        profile = _profile(rows, sampled, totals.sizes, means, np.asarray(columns.mean), spread)
        explained = share_explained(profile, rows.scaling, rows.n_rows)
        centers = centers_of(labelling.model, rows.scaling, by_size, profile.means)
    if opened.angles is not None:
        positions = _positions(rows, sampled, _labels(rows, labelling), n_groups)
        profile = replace(profile, positions=positions)
    about = (*filter(None, [profile.rule_note]), *note_turns(profile))
    groups = Groups(
        source=rows.source,
        n_rows=filling.n_rows,
        columns=rows.columns,
        left_out=rows.left_out,
        notes=(*rows.notes, *notes, *fitted.notes, *about),
        recipe=recipe,
        scaling=rows.scaling,
        medians=filling.preparation.medians,
        model=labelling.model,
        numbers=labelling.numbers,
        labels=sampled,
        profile=profile,
        centers=centers,
        explained=explained,
        seconds=seconds,
        levels=opened.levels,
        readings=opened.column_readings(),
        n_dropped=filling.n_dropped,
        places=opened.places,
    )
    return groups, () if totals is None else _facts(rows, totals, groups)


def _total(
    rows: BlockRows, fitted: BlocksFitted, sampled: Labels, by_size: Indices, seed: int
) -> GroupTotals:
    """Sum up the rows of every group, in one pass; the silhouette is estimated from the sampled rows."""
    assert rows.whole is not None
    labelling, names = fitted.labels, np.arange(len(by_size))
    origin = rows.scaling.apply(rows.whole.origin[None, :])[0].astype(rows.blocks.dtype)
    groups_of = _labels(rows, labelling) if labelling.takes_gaps else labelling.task()
    known = _known_sums(fitted, by_size)
    totals = total_groups(rows.blocks, groups_of, names, origin, 0, seed, known)
    if not rows.has_silhouette:
        return totals
    points = np.asarray(rows.points)
    n_drawn, labels = min(SILHOUETTE_ROWS, len(points)), sampled.astype(np.int32)
    return totals.with_silhouette(estimate_silhouette(points, labels, len(names), n_drawn, rows.n_rows, seed))


def _known_sums(fitted: BlocksFitted, by_size: Indices) -> tuple[AnyArray, AnyArray] | None:
    """Return sizes and means of the groups where the fit has found them exactly: k-means of all rows."""
    model = fitted.model
    if not isinstance(model, KMeans) or fitted.labels.known is not None:
        return None
    return model.cluster_sizes_[by_size], model.cluster_means_[by_size]


def _labels(rows: BlockRows, labelling: Labelling) -> Blocks:
    """Return the groups of all rows, as blocks."""
    return evaluate.label_blocks(labelling.lazy(grouped_blocks(rows, labelling)), rows.blocks, "labels")


def _profile_of_cells(rows: BlockRows, labels: Labels, blocks: Blocks, n_groups: int) -> Profile:
    """Return the profile of mixed rows, and of positions: the cells that are there count."""
    found = total_cells(rows.values, blocks, n_groups, rows.units)
    profile = _profile(rows, labels, found.sizes, found.means, found.center, found.spread)
    return replace(profile, positions=_positions(rows, labels, blocks, n_groups))


def _positions(rows: BlockRows, labels: Labels, blocks: Blocks, n_groups: int) -> tuple[Positions, ...]:
    """Return where the groups are: centres and outermost rows of all rows."""
    opened, sample = rows.opened, rows.sample
    found = []
    for place in (*opened.places, *filter(None, [opened.angles])):
        is_angles = place is opened.angles
        at = [opened.columns.index(name) for name in (place.columns if is_angles else place.axes)]
        whole, some = (rows.blocks, rows.scaled) if is_angles else (rows.values, sample.X)
        centers, radii = group_positions(place_vectors(np.asarray(some), at), labels, n_groups)
        if not sample.is_whole:
            centers, radii = total_positions(whole, blocks, n_groups, at, radii)
        found.append(Positions(*place.columns, centers, radii))
    return tuple(found)


def _profile(
    rows: BlockRows,
    labels: Labels,
    sizes: FloatArray,
    means: FloatArray,
    center: FloatArray,
    spread: FloatArray,
) -> Profile:
    """Return the profile of the sample with sizes, means and differences of all rows."""
    sample, seen = rows.sample, rows.units.describe(rows.sample.X)
    few = profile_groups(
        seen.X, labels, seen.columns, len(sizes), rows=rows.sampled_rows, category_of=seen.category_of
    )
    differences = (means - center) / np.where(spread > 0, spread, 1.0)
    note = few.rule_note or ("" if sample.is_whole else f"rules and typical rows are from {sample}")
    counts = sizes.astype(np.int64)
    return replace(
        few,
        sizes=counts,
        means=means,
        differences=differences,
        spread=spread,
        effects=effect_sizes(counts, differences, rows.n_rows),
        rule_note=note,
    )


def _facts(rows: BlockRows, totals: GroupTotals, groups: Groups) -> tuple[Fact, ...]:
    """Return what is known about the groups of all rows, exact or with its error."""
    values, sample = totals.values, rows.sample
    facts = [Fact(title, float(values[name])) for name, title in EXACT.items() if name in values]
    if groups.explained is not None and groups.k > 1:
        facts.append(Fact("share of the variance between groups", groups.explained))
    value = values.get("silhouette_score")
    if isinstance(value, Estimate):
        against = "all rows" if sample.is_whole else f"{len(sample.rows):,} drawn rows"
        how, is_exact = f"{value.n_drawn:,} rows against {against}", value.n_drawn == rows.n_rows
        facts.append(Fact("silhouette", float(value), is_exact, value.standard_error, how))
    return tuple(facts)
