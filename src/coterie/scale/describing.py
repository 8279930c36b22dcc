"""What groups of rows in blocks look like: sums over all rows, and examples from a sample."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from coterie._support.typing import FloatArray, Labels
from coterie.pipeline import Groups, Profile, Recipe, profile_groups
from coterie.pipeline.describe import centers_of, share_explained
from coterie.pipeline.profile import effect_sizes
from coterie.scale import evaluate
from coterie.scale.methods.group_totals import GroupTotals, total_groups
from coterie.scale.preparing import Prepared
from coterie.scale.settling import Settled

SILHOUETTE_ROWS = 1000  # whose distances to all rows are summed up


@dataclass(frozen=True, eq=False)
class Description:
    """Groups with what sets them apart.

    Parameters
    ----------
    prepared : Prepared
        Columns and rows.
    settled : Settled
        The groups.
    totals : GroupTotals
        Sums over all rows, in scaled units.
    profile : Profile
        Sizes and means of all rows in the table's units; rules and typical rows of the sample.
    sampled_labels : array
        Groups of the sampled rows, counted from 0.
    explained : float or None
        Share of the variance between the groups.
    """

    prepared: Prepared
    settled: Settled
    totals: GroupTotals
    profile: Profile
    sampled_labels: Labels
    explained: float | None

    @property
    def k(self) -> int:
        """Number of groups."""
        return len(self.totals.sizes)

    def groups(self, recipe: Recipe, notes: tuple[str, ...], seconds: float) -> Groups:
        """Return the groups; their labels are those of the sample."""
        labels, model = self.sampled_labels, self.settled.labelling.model
        opened, scaling = self.prepared.opened, self.prepared.scaling
        return Groups(
            source=opened.title,
            n_rows=opened.blocks.n_rows,
            columns=opened.columns,
            left_out=opened.left_out,
            notes=notes,
            recipe=recipe,
            scaling=scaling,
            medians=None,
            model=model,
            numbers=self.settled.labelling.numbers,
            labels=np.where(labels >= 0, labels + 1, -1).astype(np.int32),
            profile=self.profile,
            centers=centers_of(model, scaling, self.settled.by_size, self.profile.means),
            explained=self.explained,
            seconds=seconds,
        )


def describe(prepared: Prepared, settled: Settled, seed: int) -> Description:
    """Sum up the rows of every group, and find examples in the sample."""
    blocks, scaling, labelling = prepared.blocks, prepared.scaling, settled.labelling
    origin = scaling.apply(prepared.whole.origin[None, :])[0].astype(blocks.dtype)
    labels = evaluate.label_blocks(labelling.lazy(blocks), blocks, "labels")
    names = np.arange(len(labelling.numbers))
    totals = total_groups(blocks, labels, names, origin, SILHOUETTE_ROWS, seed)
    sampled = labelling.of_rows(prepared.sample.rows, prepared.points)
    profile = _profile(prepared, sampled, totals.sizes, scaling.invert(totals.means))
    explained = share_explained(profile, scaling, blocks.n_rows)
    return Description(prepared, settled, totals, profile, sampled, explained)


def _profile(prepared: Prepared, labels: Labels, sizes: FloatArray, means: FloatArray) -> Profile:
    """Return the profile of the sample with sizes, means and differences of all rows."""
    sample, columns = prepared.sample, prepared.whole.columns
    few = profile_groups(sample.X, labels, prepared.opened.columns, len(sizes), rows=sample.rows)
    spread = np.sqrt(np.asarray(columns.variance))
    differences = (means - np.asarray(columns.mean)) / np.where(spread > 0, spread, 1.0)
    note = few.rule_note or ("" if sample.is_whole else f"rules and typical rows are from {sample}")
    counts = sizes.astype(np.int64)
    return replace(
        few,
        sizes=counts,
        means=means,
        differences=differences,
        spread=spread,
        effects=effect_sizes(counts, differences, sample.n_rows),
        rule_note=note,
    )
