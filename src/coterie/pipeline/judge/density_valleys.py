"""Whether groups are apart: the valleys of the density between them, against those of null data.

The judge of `coterie.fit`. It asks the same of a partition whatever method made it: does the density fall
between each two neighbouring groups, more than it would within one cloud of as many rows?
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from typing import Any

import numpy as np
import numpy.typing as npt

from coterie._support.typing import Data, Distances, FloatArray, Indices, Labels
from coterie.cluster.modes import ModeTree, dimension_at, grow_mode_tree, null_depth
from coterie.distance.row_distances import RowDistances
from coterie.pipeline.judge.density_steps import LEAST_NEIGHBOURS, evidence_of_step
from coterie.pipeline.judge.discriminant_valleys import Lines, LinesOfGroups
from coterie.pipeline.judge.rounding import spread_rounded
from coterie.pipeline.judge.sparse_cuts import evidence_of_cuts, may_be_sparse, shares_of_cuts
from coterie.pipeline.judge.tube_dimension import CONTACTS, Extents, KnownExtents, is_curve_cut_across

SCALES = (4, 5, 6, 8, 12, 18, 27, 40, 60, 90)  # neighbours of the density: from thin shapes to broad hills
LEAST_CELLS = 6  # a cloud of fewer neighbourhoods than that has no shape
LEAST_CELLS_OF_FEW = 4  # at the scale of the fewest neighbours: else groups of ten rows could not be told
GRAPH_NEIGHBOURS = 10  # groups whose rows are among each other's so many nearest are neighbours
ROWS_PER_NEIGHBOUR = 6  # of few rows, fewer neighbours tell whether a border divides what is near
MOST_CROSSED = 1 / 3  # share of a group's nearest neighbours that may be in one other, at most
MIXED = -1.0  # evidence where more are
DIVIDED = 2.0  # times that a border counts which nothing shows: no clear border elsewhere makes up for it
ENOUGH = 3.0  # evidence above that is beyond doubt and counts no more
ERROR = 0.5  # of the evidence of one border, from one sample of the same data to the next
LEAST = -3.0
FEW_NEIGHBOURS = 8  # fewer are noisy: they are for thin shapes, which have few dimensions
THIN_DIMENSION = 2.5
# what the best of several scales adds to the null depth of one
SCALES_TRIED = 0.3
SCALES_TRIED_ON_TUBES = 1.4  # a tube changes its dimension with the scale
TAIL = 0.3  # scale of the exponential tail of the null depth
PLACES = 0.6  # asked of a group along a line, as it may have been sought in many places of a larger one
ROUGHNESS = 1.6  # the deepest valley of one cloud is less than that deeper than its second, in 99 % of clouds
ROUGHNESS_OF_TUBES = 2.6
# directions that a group extends in: a tube up to the first, no more from the second
TUBE, ROUND = 1.1, 1.4
HALVED = 0.26  # directions that a flat cloud loses when it is cut in two; one of three or more loses none
# neighbourhoods show valleys up to the first, lines from the second; a curved shape is no matter of lines
FEW_DIMENSIONS, MANY_DIMENSIONS = 3.0, 6.0
# a gap counts where each side has so many rows: tails have outliers that are far from everything
LEAST_ROWS_OF_A_GAP = 12
EULER = 0.5772  # the largest of m exponential spacings is log(m) + that many times their mean
CERTAIN = 3.0  # -log p that a gap needs before it is evidence: one set in twenty
END_TO_END = 1.2  # directions at the border, up to which two groups like clouds may be a bend cut in two
UNEVEN = 1.4  # logarithm of how many times denser a curve is in one place than in another: speeds vary
# of two groups: along lines even a slight bend of so many rows is significant, and neighbourhoods see enough
MANY_ROWS, VERY_MANY_ROWS = 500, 1_500
DEEP = 6.0  # evidence that no bar takes away
MAX_COLUMNS = 64  # with more, the extent of a group is not worth its covariance


@dataclass(frozen=True, eq=False)
class Separation:
    """How well the groups of one partition are apart."""

    # sum of the evidence of the k - 1 valleys that divide the groups, each at most `ENOUGH`, and twice what
    # is below 0; 0 for one group, negative when groups are divided that nothing divides
    score: float
    # (k - 1,): of each valley, in standard errors beyond what one cloud would show; shallowest first
    evidence: FloatArray
    crossing: float  # share of the nearest neighbours of the rows that are in another group, or in none
    # logarithm of the likelihood of the groups as normal clouds; NaN: not asked for
    likelihood: float = np.nan

    @property
    def rank(self) -> float:
        """Score less a small price for borders through dense regions: what partitions are compared by."""
        return self.score - ENOUGH * self.crossing

    @property
    def error(self) -> float:
        """How much of the rank may be chance."""
        return float(ERROR * np.sqrt(len(self.evidence)))


NOTHING_APART = Separation(0.0, np.zeros(0), 0.0)


@dataclass(frozen=True, eq=False)
class Borders:
    """The pairs of neighbouring groups of one partition, and what is asked about them."""

    low: Indices
    high: Indices
    sizes: Indices  # of all groups
    extents: Extents
    lines: LinesOfGroups | None

    @property
    def n_rows(self) -> Indices:
        """Rows of each pair."""
        return np.asarray(self.sizes[self.low] + self.sizes[self.high])

    def straightness(self, at: int) -> float:
        """Return 1 if both groups of a pair are like clouds, 0 if one is bent or hollow."""
        assert self.lines is not None
        return min(self.lines.straightness(self.low[at]), self.lines.straightness(self.high[at]))

    def directions(self, at: Indices) -> FloatArray:
        """Return in how many directions pairs extend at their borders: 1 where tubes meet end to end."""
        return self.extents.at_border(self.low[at], self.high[at])


@dataclass(frozen=True, eq=False)
class MeasuredBorders:
    """What is measured about the borders of one partition."""

    borders: Borders
    depths: tuple[FloatArray, FloatArray]  # of each pair's valley, and of the deepest within, for each scale
    gaps: FloatArray  # evidence of the empty space between the groups of each pair
    extents: FloatArray  # in how many directions the groups of each pair extend together
    mixed: npt.NDArray[np.bool_]  # pairs with a group whose nearest neighbours are in the other
    passages: Indices  # (pairs, 2): the rows of the densest edge that joins the groups of each pair


@dataclass(frozen=True, eq=False)
class Hills:
    """The mode trees of all scales side by side: arrays have a line per scale."""

    scales: Indices
    dimensions: FloatArray
    units: FloatArray  # standard errors per unit of log-density
    least_rows: Indices  # of two groups that have a shape at the scale
    log_density: FloatArray  # (scales, rows)
    passes: FloatArray  # (scales, edges): log-density of each edge that may join two groups
    ends: Indices  # (scales, rows - 1, 2): rows of each edge of a tree, that of the deepest valley last
    depths: FloatArray  # (scales, rows - 1): depth of the valley that it crosses

    @classmethod
    def of(cls, trees: Sequence[ModeTree], edges: Indices, lengths: Distances) -> Hills:
        """Put trees side by side, with the edges over which groups may be neighbours, and their lengths."""
        with np.errstate(divide="ignore"):
            log_lengths = np.log(np.asarray(lengths, dtype=np.float64))
        cells = [LEAST_CELLS_OF_FEW if tree is trees[0] else LEAST_CELLS for tree in trees]
        passes, ascending = [], [np.argsort(tree.depths, kind="stable") for tree in trees]
        for tree in trees:
            radii = np.log(tree.radii)
            reach = np.maximum(np.maximum(radii[edges[:, 0]], radii[edges[:, 1]]), log_lengths)
            passes.append(-tree.dimension * reach)
        return cls(
            np.array([tree.n_neighbors for tree in trees]),
            np.array([tree.dimension for tree in trees]),
            np.array([tree.unit for tree in trees]),
            np.array([least * tree.n_neighbors for least, tree in zip(cells, trees, strict=True)]),
            np.array([tree.log_density for tree in trees]),
            np.array(passes),
            np.array([tree.edges[order] for tree, order in zip(trees, ascending, strict=True)]),
            np.array([tree.depths[order] for tree, order in zip(trees, ascending, strict=True)]),
        )

    def depths_between(
        self, labels: Labels, borders: Borders, crossing: Indices, pair: Indices
    ) -> tuple[FloatArray, FloatArray]:
        """Return the depth of the valley of each pair, and of the deepest valley within one of its groups.

        Parameters
        ----------
        labels : array
            Groups of the rows.
        borders : Borders
            The pairs.
        crossing, pair : arrays
            Edges that join two groups, and which pair these are.
        """
        low, high, n_groups = borders.low, borders.high, len(borders.sizes)
        by_group, by_pair = np.argsort(labels, kind="stable"), np.argsort(pair, kind="stable")
        starts = np.cumsum(borders.sizes) - borders.sizes
        peaks = np.maximum.reduceat(self.log_density[:, by_group], starts, axis=1)
        firsts = np.searchsorted(pair[by_pair], np.arange(len(low)))
        passes = np.maximum.reduceat(self.passes[:, crossing[by_pair]], firsts, axis=1)
        ends = labels[self.ends]
        scale, edge = np.nonzero(ends[..., 0] == ends[..., 1])
        rough = np.zeros((len(self.scales), n_groups))
        rough[scale, ends[scale, edge, 0]] = self.depths[scale, edge]  # the last of a group is the deepest
        depth = (np.minimum(peaks[:, low], peaks[:, high]) - passes) * self.units[:, None]
        return depth, np.maximum(rough[:, low], rough[:, high])


class Valleys:
    """The density of a data set at several scales, to judge partitions by.

    Parameters
    ----------
    X : array of shape (n, d)
        Rows, prepared; a few thousand at most.
    metric : str
        Their distance.
    blurred : bool, default=False
        Whether rows stand for categories too, which blur valleys: a border that nothing shows counts once.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> valleys = Valleys(np.r_[rng.normal(0, 1, (60, 2)), rng.normal(9, 1, (60, 2))])
    >>> valleys.judge(np.repeat([0, 1], 60)).score
    3.0
    >>> bool(valleys.judge(np.tile([0, 1], 60)).score < 0)
    True
    """

    def __init__(self, X: Data, metric: str = "euclidean", *, blurred: bool = False) -> None:
        self.X = X
        self._divided = 1.0 if blurred else DIVIDED
        self._judged: dict[bytes, Separation] = {}  # methods often find the same partition
        self._elongations: dict[bytes, float] = {}  # and the same groups
        self._curves: dict[bytes, bool] = {}  # pairs of groups that are one curve cut across
        self._known_extents = KnownExtents(X)
        self._order = np.random.default_rng(0).permutation(len(X))
        X = spread_rounded(X) if metric == "euclidean" else X
        n_rows = len(X)
        # a few more than the largest scale: then spanning trees need hardly a search
        most = max(k for k in SCALES if k <= max(SCALES[0], n_rows // LEAST_CELLS)) + GRAPH_NEIGHBOURS
        rows = RowDistances(X, metric)
        # the distances of the rows as they are, which methods that take them ask for again
        self.distances = rows if X is self.X else RowDistances(self.X, metric)
        found = rows.k_nearest(min(most, n_rows - 1))
        reach = np.asarray(found.distance)
        self.scales = _scales(reach, X.shape[1])
        self.neighbours: Indices = np.asarray(found.index)[:, :GRAPH_NEIGHBOURS]
        self.trees = tuple(grow_mode_tree(rows, reach, k) for k in self.scales)
        n_near = self.neighbours.shape[1]
        pairs = np.c_[np.repeat(np.arange(n_rows), n_near), self.neighbours.ravel()]
        # the tree of the fewest neighbours joins groups that no neighbourhood joins
        edges = np.concatenate([pairs, self.trees[0].edges])
        self._ends = np.ascontiguousarray(edges.T)
        lengths = np.concatenate([reach[:, :n_near].ravel(), self.trees[0].lengths])
        shortest = rows.spanning_tree()
        self._joints, self._joint_lengths = shortest.edges, np.asarray(shortest.distance, dtype=np.float64)
        self._lines = Lines(X) if metric == "euclidean" else None
        self._hills = Hills.of(self.trees, edges, lengths)
        dimension = float(np.median([tree.dimension for tree in self.trees]))
        self._dimension = min(max(dimension, 2.0), float(self.X.shape[1]))
        self._weight_of_lines = float(
            np.clip((dimension - FEW_DIMENSIONS) / (MANY_DIMENSIONS - FEW_DIMENSIONS), 0.0, 1.0)
        )

    def judge(self, labels: Labels) -> Separation:
        """Return how well the groups are apart; rows of noise count with the group next to them."""
        key = _partition_key(labels)
        if key not in self._judged:
            self._judged[key] = self._judge(labels)
        return self._judged[key]

    def _judge(self, labels: Labels) -> Separation:
        filled = self.fill(labels)
        if filled.max(initial=-1) < 1:
            return NOTHING_APART
        evidence = self._nested_evidence(filled)
        near = self.neighbours[:, : max(1, len(labels) // ROWS_PER_NEIGHBOUR)]
        crossing = (labels[near] != labels[:, None]) | (labels < 0)[:, None]
        return Separation(self._score(evidence), evidence, float(crossing.mean()))

    def _score(self, evidence: FloatArray) -> float:
        return float(np.where(evidence < 0, self._divided * evidence, np.minimum(evidence, ENOUGH)).sum())

    def _nested_evidence(self, labels: Labels) -> FloatArray:
        """Return the evidence of the k - 1 borders of a partition, or of a tree of groups that it ends.

        Dividing a group further takes no evidence from the border around it, which fewer rows would show.
        """
        divided: list[float] = []
        coarser, joined = self._evidence(labels)
        evidence = coarser
        while len(coarser) > 1 and coarser.min() > 0 and self._score(evidence) < ENOUGH * len(evidence):
            divided.append(float(coarser.min()))
            coarser, joined = self._evidence(joined)
            nested = np.sort(np.concatenate([divided, coarser]))
            if self._score(nested) <= self._score(evidence):
                break
            evidence = nested
        return evidence

    def _evidence(self, labels: Labels) -> tuple[FloatArray, Labels]:
        """Return the evidence of the k - 1 borders, and labels with the two least divided joined."""
        k = int(labels.max()) + 1
        evidence, (one, other) = self._weakest_borders(labels, k)
        # in few dimensions, where densities are told; around several dense groups the sparse rows are noise
        if k == 2 and self._lines is not None and not self._weight_of_lines:
            densities = (tree.log_density for tree in self.trees if tree.n_neighbors >= LEAST_NEIGHBOURS)
            evidence = np.maximum(evidence, evidence_of_step(self._known_extents.points, densities, labels))
        joined = np.where(labels == other, one, labels)
        return evidence, np.asarray(joined - (joined > other))

    def are_clouds(self, labels: Labels) -> bool:
        """Return whether every group is like a cloud: not bent, not hollow; noise is in none."""
        k = int(labels.max(initial=-1)) + 1
        if self._lines is None or k < 1 or labels.min() < 0:
            return False
        lines = self._lines.of(labels, k)
        return all(lines.straightness(group) == 1.0 for group in range(k))

    def fill(self, labels: Labels) -> Labels:
        """Return the labels 0..k-1 with noise given to the group that it hangs on, nearest first."""
        filled = compact(labels)
        if filled.min() >= 0 or filled.max() < 0:
            return np.maximum(filled, 0)
        edges = self.trees[0].edges
        while (filled < 0).any():
            given = filled[edges]
            for at in np.flatnonzero((given < 0).sum(axis=1) == 1):
                one, other = edges[at]
                if min(filled[one], filled[other]) < 0:  # an earlier edge may have given it a group
                    filled[one if filled[one] < 0 else other] = max(filled[one], filled[other])
        return np.asarray(filled)

    def _weakest_borders(self, labels: Labels, k: int) -> tuple[FloatArray, tuple[int, int]]:
        """Return the evidence of the k - 1 borders that hold groups together, and the weakest pair."""
        found = self._measure(labels, k)
        borders, depths, extents = found.borders, found.depths, found.extents
        across = np.maximum(found.gaps, self._of_cuts(labels, borders, extents))
        near = np.maximum(self._near(depths, borders.n_rows, extents), across)
        ends = self._end_to_end(borders, near, across, extents)
        if ends.size:
            of_ends = depths[0][:, ends], depths[1][:, ends]
            as_tubes = self._near(of_ends, borders.n_rows[ends], np.full(len(ends), TUBE))
            near[ends] = np.maximum(as_tubes, across[ends])
        curves = self._along_curves(labels, found, near, across)
        if curves.size:
            even = depths[0][:, curves] - UNEVEN * self._hills.units[:, None], depths[1][:, curves]
            near[curves] = np.maximum(
                self._near(even, borders.n_rows[curves], extents[curves]), across[curves]
            )
        return self._weakest(borders, near, found.mixed)

    def _measure(self, labels: Labels, k: int) -> MeasuredBorders:
        """Return what is measured about the borders of a partition, whatever is made of it."""
        one, other = labels[self._ends]
        crosses = np.flatnonzero(one != other)
        one, other = one[crosses], other[crosses]
        of_edge = np.minimum(one, other) * k + np.maximum(one, other)
        is_met = np.bincount(of_edge, minlength=k * k) > 0
        keys, pair = np.flatnonzero(is_met), (np.cumsum(is_met) - 1)[of_edge]
        borders = Borders(
            keys // k,
            keys % k,
            np.bincount(labels, minlength=k),
            Extents(self.X, labels, self._order, self._known_extents),
            None if self._lines is None else self._lines.of(labels, k),
        )
        depths = self._hills.depths_between(labels, borders, crosses, pair)
        gaps = self._across_gaps(labels, borders.sizes, borders.low, borders.high, k)
        by_density = np.argsort(self._hills.passes[0, crosses], kind="stable")
        densest = np.zeros(len(keys), dtype=np.intp)
        densest[pair[by_density]] = crosses[by_density]  # the last of a pair is the densest
        mixed, passages = self._are_mixed(labels, borders), self._ends.T[densest]
        return MeasuredBorders(borders, depths, gaps, self._extents(borders), mixed, passages)

    def _are_mixed(self, labels: Labels, borders: Borders) -> npt.NDArray[np.bool_]:
        """Return which pairs have a group whose nearest neighbours are in the other: no border divides them.

        Along a line, a half of one cloud is apart from the other half with a second cloud in it.
        """
        sizes, k = borders.sizes, len(borders.sizes)
        near = self.neighbours[:, : max(1, int(sizes.min()) // 2)]
        met = np.bincount((labels[:, None] * k + labels[near]).ravel(), minlength=k * k).reshape(k, k)
        shares = met / (sizes[:, None] * near.shape[1])
        low, high = borders.low, borders.high
        return np.asarray(np.maximum(shares[low, high], shares[high, low]) > MOST_CROSSED)

    def _near(
        self, depths: tuple[FloatArray, FloatArray], n_rows: Indices, extents: FloatArray
    ) -> FloatArray:
        """Return the evidence of neighbourhoods: the most that one of the scales has."""
        (depth, rough), hills = depths, self._hills
        surplus = np.maximum(depth - self._bars(n_rows, extents), depth - rough - self._gaps(n_rows, extents))
        best = np.where(n_rows >= hills.least_rows[:, None], surplus, LEAST).max(axis=0)
        return np.asarray(np.maximum(best, LEAST))

    def _end_to_end(
        self, borders: Borders, near: FloatArray, across: FloatArray, extents: FloatArray
    ) -> Indices:
        """Return the pairs that look like one bent tube cut across, whose thin spots are no borders."""
        if borders.lines is None or self._weight_of_lines:
            return np.zeros(0, dtype=np.intp)
        bent = self._bent(borders, near, across)
        found = bent[extents[bent] > TUBE]
        return found[borders.directions(found) < ROUND] if found.size else found

    def _bent(self, borders: Borders, near: FloatArray, across: FloatArray) -> Indices:
        """Return the pairs that a valley divides, not beyond doubt, of which a group is bent or hollow."""
        doubtful = np.flatnonzero((near > np.maximum(across, 0.0)) & (near < DEEP))
        bent = [at for at in doubtful.tolist() if borders.straightness(at) < 1.0]
        return np.array(bent, dtype=np.intp)

    def _along_curves(
        self, labels: Labels, found: MeasuredBorders, near: FloatArray, across: FloatArray
    ) -> Indices:
        """Return the pairs that look like one thin curve cut across, which may be denser in some places."""
        if found.borders.lines is None or self._weight_of_lines:
            return np.zeros(0, dtype=np.intp)
        bent = self._bent(found.borders, near, across)
        low, high = found.borders.low[bent].tolist(), found.borders.high[bent].tolist()
        pairs = zip(low, high, found.passages[bent], strict=True)
        is_cut = np.array([self._is_curve(labels, *pair) for pair in pairs], dtype=bool)
        return np.asarray(bent[is_cut])

    def _is_curve(self, labels: Labels, low: int, high: int, passage: Indices) -> bool:
        """Return whether two groups meet along a thin line, at a passage from one to the other."""
        first, second = labels == low, labels == high
        key = np.packbits([first, second]).tobytes()
        if key not in self._curves:
            own, points = np.flatnonzero(first | second), self._known_extents.points
            squares = ((points[own] - points[passage].mean(axis=0)) ** 2).sum(axis=1)
            own = own[np.argsort(squares, kind="stable")[: 2 * CONTACTS[-1]]]
            self._curves[key] = is_curve_cut_across(points[own], first[own])
        return self._curves[key]

    def _across_gaps(self, labels: Labels, sizes: Indices, low: Indices, high: Indices, k: int) -> FloatArray:
        """Return the evidence of the empty space between two groups, each of which hangs together.

        The one edge of the spanning tree that joins them is so much longer than any edge within. In one cloud
        it would be the largest of many spacings, the next largest within: on a line these differ by an
        exponential variable, in more dimensions by less.
        """
        ends = np.sort(labels[self._joints], axis=1)
        lengths, is_inside = self._joint_lengths, ends[:, 0] == ends[:, 1]
        longest, n_inside = np.zeros(k), np.bincount(ends[is_inside, 0], minlength=k)
        longest[ends[is_inside, 0]] = lengths[is_inside]  # edges grow: the last of a group is its longest
        longest[n_inside < sizes - 1] = np.inf  # only other groups hold it together
        between = np.full(k * k, np.nan)
        keys = ends[~is_inside, 0] * k + ends[~is_inside, 1]
        between[keys[::-1]] = lengths[~is_inside][::-1]  # and the last of a pair, from behind, its shortest
        gap, within = between[low * k + high], np.maximum(longest[low], longest[high])
        with np.errstate(invalid="ignore", divide="ignore"):
            excess = (gap / within - 1.0) * (np.log(n_inside[low] + n_inside[high]) + EULER)
        n_rows, smaller = sizes[low] + sizes[high], np.minimum(sizes[low], sizes[high])
        found = TAIL * (excess - CERTAIN - np.log(len(self.X) / n_rows))
        counts = (smaller >= LEAST_ROWS_OF_A_GAP) & (within > 0) & np.isfinite(within)
        return np.asarray(np.where(counts & ~np.isnan(found), np.maximum(found, LEAST), LEAST))

    def _of_cuts(self, labels: Labels, borders: Borders, extents: FloatArray) -> FloatArray:
        """Return the evidence of hardly any neighbours being divided: of clouds, in few dimensions.

        A bent tube, such as a ring cut into arcs, divides few neighbours wherever it is cut.
        """
        found = np.full(len(extents), LEAST)
        trust = (1.0 - self._weight_of_lines) * (1.0 - _likeness_to_tubes(extents))
        if self._lines is None or not trust.any():
            return found
        # the cheap questions first: shapes take long in many columns
        shares = shares_of_cuts(labels, self.neighbours, borders.low, borders.high, self._dimension)
        few = may_be_sparse(labels, borders.low, borders.high, shares)
        asked = np.flatnonzero(few & (trust > 0))
        weights = np.array([trust[at] * borders.straightness(at) for at in asked.tolist()])
        asked, weights = asked[weights > 0], weights[weights > 0]
        if not asked.size:
            return found
        low, high = borders.low[asked], borders.high[asked]
        evidence = evidence_of_cuts(
            self._known_extents.points, labels, low, high, shares[asked], self._dimension, self._elongations
        )
        evidence -= TAIL * np.log(len(self.X) / borders.n_rows[asked])
        asked, weights, evidence = asked[evidence > 0], weights[evidence > 0], evidence[evidence > 0]
        is_round = borders.directions(asked) >= ROUND if asked.size else np.zeros(0, dtype=bool)
        found[asked[is_round]] += weights[is_round] * (evidence[is_round] - LEAST)
        return found

    def _weakest(
        self, borders: Borders, near: FloatArray, mixed: npt.NDArray[np.bool_]
    ) -> tuple[FloatArray, tuple[int, int]]:
        """Return the evidence of the pairs that hold the groups together, and the weakest pair.

        Lines are asked where neighbourhoods leave doubt, and only of pairs whose groups nothing weaker joins:
        a pair waits with the least that it can have, and again with what it has.
        """
        doubtful = np.flatnonzero(near < ENOUGH)
        trusts = np.zeros(len(near))
        if borders.lines is not None:
            trusts[doubtful] = self._trust_in_lines(borders, doubtful)
        least = np.where(trusts > 0, near + self._weight_of_lines * np.minimum(LEAST - near, 0.0), near)
        group = UnionFind(len(borders.sizes))
        found: list[float] = []
        joined: list[tuple[int, int]] = []
        waiting = [
            (min(value, MIXED) if is_mixed else value, at, not trust)
            for at, (value, trust, is_mixed) in enumerate(zip(least.tolist(), trusts, mixed, strict=True))
        ]
        heapify(waiting)
        while waiting and len(found) < len(borders.sizes) - 1:  # parts that no pair joins stay apart
            value, at, is_known = heappop(waiting)
            low, high = int(borders.low[at]), int(borders.high[at])
            if group.are_joined(low, high):
                continue
            if is_known:
                group.join(low, high)
                found.append(value)
                joined.append((low, high))
            else:
                value = self._along_line(borders, at, float(near[at]), float(trusts[at]))
                heappush(waiting, (min(value, MIXED) if mixed[at] else value, at, True))
        return np.array(found), joined[0]

    def _along_line(self, borders: Borders, at: int, near: float, trust: float) -> float:
        """Return the evidence where neighbourhoods leave doubt: of lines too, or alone in many dimensions."""
        assert borders.lines is not None
        low, high = borders.low[at], borders.high[at]
        smaller, larger = sorted((int(borders.sizes[low]), int(borders.sizes[high])))
        places = PLACES * np.log(larger / smaller) + TAIL * np.log(len(self.X) / (larger + smaller))
        along = max(borders.lines.evidence(low, high) - places, LEAST)
        alone = near + self._weight_of_lines * (along - near)
        return float(max(alone, near + trust * (along - near)))

    def _trust_in_lines(self, borders: Borders, pairs: Indices) -> FloatArray:
        """Return how far lines count: in many dimensions, or where both groups are like clouds."""
        if self._weight_of_lines == 1.0:
            return np.ones(len(pairs))
        spare = (VERY_MANY_ROWS - borders.n_rows[pairs]) / (VERY_MANY_ROWS - MANY_ROWS)
        trust = np.clip(spare, 0.0, 1.0)
        for at in np.flatnonzero(trust).tolist():
            trust[at] *= borders.straightness(int(pairs[at]))
        asked = np.flatnonzero(trust)
        trust[asked[borders.directions(pairs[asked]) < END_TO_END]] = 0.0
        return np.maximum(trust, self._weight_of_lines)

    def _bars(self, n_rows: Indices, extents: FloatArray) -> FloatArray:
        """Return the depth that one cloud of these rows rarely exceeds, at each scale."""
        halved = extents - HALVED * np.clip(3.0 - extents, 0.0, 1.0)
        scales, dimensions = self._hills.scales[:, None], self._hills.dimensions[:, None]
        return null_depth(n_rows, scales, dimensions, halved) + self._caution(n_rows, extents)

    def _gaps(self, n_rows: Indices, extents: FloatArray) -> FloatArray:
        """Return how much deeper than its second the deepest valley of one cloud may be, at each scale."""
        of_tubes = _likeness_to_tubes(extents) * (self._hills.dimensions[:, None] > ROUND)
        gap = ROUGHNESS + (ROUGHNESS_OF_TUBES - ROUGHNESS) * of_tubes
        return np.asarray(gap + self._caution(n_rows, extents))

    def _caution(self, n_rows: Indices, extents: FloatArray) -> FloatArray:
        """Return what trying scales and places adds: a small group has many chances to appear."""
        tried = SCALES_TRIED + (SCALES_TRIED_ON_TUBES - SCALES_TRIED) * _likeness_to_tubes(extents)
        return np.asarray(tried + TAIL * np.log(len(self.X) / n_rows))

    def _extents(self, borders: Borders) -> FloatArray:
        """Return in how many directions the groups of each pair extend together."""
        if self.X.shape[1] > MAX_COLUMNS:
            return np.full(len(borders.low), np.inf)
        return borders.extents.of(borders.low, borders.high)


def _scales(reach: Any, n_columns: int) -> tuple[int, ...]:
    n_rows, n_known = reach.shape
    most = min(n_known, max(SCALES[0], n_rows // LEAST_CELLS))
    scales = tuple(k for k in SCALES if k <= most) or (most,)
    if scales[-1] < FEW_NEIGHBOURS or min(dimension_at(reach, FEW_NEIGHBOURS), n_columns) <= THIN_DIMENSION:
        return scales
    return tuple(k for k in scales if k >= FEW_NEIGHBOURS)


def _likeness_to_tubes(extents: FloatArray) -> FloatArray:
    return np.asarray(np.clip((ROUND - extents) / (ROUND - TUBE), 0.0, 1.0))


def compact(labels: Labels) -> Labels:
    """Return labels 0..k-1 without gaps, in the order of the given ones; everything below 0 is noise, -1.

    Examples
    --------
    >>> compact(np.array([5, -1, 2, 5])).tolist()
    [1, -1, 0, 1]
    """
    places = np.maximum(labels, -1) + 1  # NumPy's `unique` would sort them
    is_used = np.bincount(places, minlength=1) > 0
    is_used[0] = False
    return np.asarray((np.cumsum(is_used) - 1)[places])


def _partition_key(labels: Labels) -> bytes:
    """Return what partitions have in common that differ in the names of their groups only."""
    codes = compact(labels) + 1
    firsts = np.zeros(int(codes.max(initial=0)) + 1, dtype=np.intp)
    firsts[codes[::-1]] = np.arange(len(codes), 0, -1)  # the last that is written is the first that has it
    firsts[0] = 0
    names = np.argsort(np.argsort(firsts))
    return names[codes].astype(np.int32).tobytes()


class UnionFind:
    """Groups, and which of them have been joined."""

    def __init__(self, n_groups: int) -> None:
        self._parents = list(range(n_groups))

    def _root(self, group: int) -> int:
        while self._parents[group] != group:
            self._parents[group] = group = self._parents[self._parents[group]]
        return group

    def are_joined(self, one: int, other: int) -> bool:
        """Return whether two groups hang together."""
        return self._root(one) == self._root(other)

    def join(self, one: int, other: int) -> None:
        """Let two groups hang together."""
        self._parents[self._root(other)] = self._root(one)
