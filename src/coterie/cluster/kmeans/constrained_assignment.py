"""Rows to centres within constraints: exact for sizes, by search for rows that are tied to each other.

Single rows that no pair names are free. Given where the others are, the best places for them are those of a
transportation problem, which the engine solves exactly. The others, tied rows, start where a search with
backtracking finds them room, the cheapest places first, and then move or swap while that lowers the cost of
all rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from coterie import _core
from coterie._printing import count_of
from coterie._support.typing import Indices
from coterie.cluster.kmeans.constraints import SizeLimits, Units
from coterie.errors import UnmetConstraints

Costs: TypeAlias = npt.NDArray[np.float64]  # of each unit in each group; also prices

MOST_ROUNDS = 20  # of moves and swaps of tied rows, for one set of centres
DEAD_ENDS = 20_000  # before the search for room gives up


class Assignment(NamedTuple):
    """The group of each unit, and what that costs."""

    labels: Any  # int32
    cost: float
    prices: Costs  # of a place in each group
    is_exact: bool  # no assignment within the constraints costs less


class Move(NamedTuple):
    """A tied unit that goes to another group, and how much that seems to save."""

    gain: float
    unit: int
    group: int


@dataclass(frozen=True, eq=False)
class Assigner:
    """Assigns units to groups, for any costs."""

    counts: Indices
    apart: Indices
    neighbours: list[Indices]  # units that each unit must stay apart from
    tied: Indices  # units of several rows, or apart from others
    first_row: Indices
    limits: SizeLimits
    who: str

    @classmethod
    def of(cls, units: Units, limits: SizeLimits, *, who: str) -> Assigner:
        """Prepare the constraints of these units."""
        both = np.concatenate([units.apart, units.apart[:, ::-1]])
        both = both[np.argsort(both[:, 0], kind="stable")]
        ends = np.searchsorted(both[:, 0], np.arange(len(units.counts) + 1))
        neighbours = [both[a:b, 1] for a, b in pairwise(ends)] if len(both) else []
        is_tied = units.counts > 1
        is_tied[units.apart.ravel()] = True
        tied = np.flatnonzero(is_tied)
        return cls(units.counts, units.apart, neighbours, tied, units.first_row, limits, who)

    def assign(self, costs: Costs, before: Assignment | None) -> Assignment:
        """Return an assignment that costs no more than the one before does now."""
        n, k = costs.shape
        prices = np.zeros(k) if before is None else before.prices
        if not len(self.tied):
            labels, prices = self._assign_free(costs, self.limits, prices)
            return self._valued(costs, labels, prices, is_exact=True)
        none, all_rows = np.zeros(k, dtype=np.int64), np.full(k, n)
        nearest = self._assign_free(costs, SizeLimits(none, all_rows), np.zeros(k))[0]
        is_split = nearest[self.apart[:, 0]] != nearest[self.apart[:, 1]]
        if is_split.all() and self.limits.allow(self._sizes(nearest, self.counts)):
            return self._valued(costs, nearest, np.zeros(k), is_exact=True)
        place = self._find_room(costs, self.tied) if before is None else before.labels[self.tied]
        return self._improve(costs, self.tied, place, prices)

    def _sizes(self, labels: Any, counts: Indices) -> Indices:
        sizes = np.bincount(labels, counts, minlength=len(self.limits.least))
        return sizes.astype(np.int64)

    def _valued(self, costs: Costs, labels: Any, prices: Costs, *, is_exact: bool) -> Assignment:
        return Assignment(labels, _core.cost_of_labels(costs, labels), prices, is_exact)

    def _assign_free(self, costs: Costs, limits: SizeLimits, prices: Costs) -> tuple[Any, Costs]:
        n = len(costs)
        return _core.assign_within_sizes(costs, limits.least, np.minimum(limits.most, n), prices)

    def _complete(self, costs: Costs, tied: Indices, place: Indices, prices: Costs) -> Assignment:
        """Return the best assignment with the tied units at these places."""
        labels = np.empty(len(costs), dtype=np.int32)
        labels[tied] = place
        is_free = np.ones(len(costs), dtype=bool)
        is_free[tied] = False
        if is_free.any():
            limits = self.limits.without(self._sizes(place, self.counts[tied]))
            labels[is_free], prices = self._assign_free(costs[is_free], limits, prices)
        return self._valued(costs, labels, prices, is_exact=False)

    def _improve(self, costs: Costs, tied: Indices, place: Indices, prices: Costs) -> Assignment:
        """Move tied units while that lowers the cost: many at once if that helps, else fewer."""
        best = self._complete(costs, tied, place, prices)
        for _ in range(MOST_ROUNDS):
            moves = self._moves(costs, tied, best)
            found = None
            while moves and found is None:
                labels = self._moved(costs, tied, best, moves)
                trial = self._complete(costs, tied, labels[tied], best.prices)
                if trial.cost < best.cost:
                    found = trial
                moves = moves[: len(moves) // 2]
            if found is None:
                return best
            best = found
        return best

    def _moves(self, costs: Costs, tied: Indices, now: Assignment) -> list[Move]:
        """Return where each tied unit would rather be at the present prices, the most wanted moves first."""
        priced = costs[tied] + self.counts[tied, None] * now.prices
        own = np.take_along_axis(priced, now.labels[tied, None].astype(np.intp), axis=1)
        gains = own - priced
        groups = gains.argmax(axis=1)
        most = gains[np.arange(len(tied)), groups]
        order = np.argsort(-most, kind="stable")
        return [Move(float(most[i]), int(tied[i]), int(groups[i])) for i in order if most[i] > 0]

    def _moved(self, costs: Costs, tied: Indices, now: Assignment, moves: list[Move]) -> Indices:
        """Return the labels after as many of the moves as the constraints allow, or swaps in their place."""
        labels: Indices = now.labels.copy()
        taken = self._sizes(labels[tied], self.counts[tied])
        n_free = int(self.counts.sum() - self.counts[tied].sum())
        for move in moves:
            for partner in (None, *self._partners(costs, tied, labels, move)):
                if self._try(labels, taken, move, partner, n_free):
                    break
        return labels

    def _partners(self, costs: Costs, tied: Indices, labels: Indices, move: Move) -> Iterator[int]:
        """Yield who of the other group could come in exchange: one in the way, or the one to gain most."""
        if self.neighbours:
            blocking = self.neighbours[move.unit]
            blocking = blocking[labels[blocking] == move.group]
            if len(blocking):
                if len(blocking) == 1:
                    yield int(blocking[0])
                return
        others = tied[(labels[tied] == move.group) & (self.counts[tied] == self.counts[move.unit])]
        if len(others):
            losses = costs[others, labels[move.unit]] - costs[others, move.group]
            yield int(others[losses.argmin()])

    def _try(self, labels: Indices, taken: Indices, move: Move, partner: int | None, n_free: int) -> bool:
        """Move a unit, and a partner the other way, unless that breaks a constraint."""
        home = labels[move.unit]
        if home == move.group:
            return True
        after = taken.copy()
        sent = self.counts[move.unit] - (0 if partner is None else self.counts[partner])
        after[home] -= sent
        after[move.group] += sent
        if not self.limits.can_be_met(after, n_free):
            return False
        came_from = labels[[move.unit] if partner is None else [move.unit, partner]].copy()
        labels[move.unit] = move.group
        if partner is not None:
            labels[partner] = home
        units = [move.unit] if partner is None else [move.unit, partner]
        if self.neighbours and any((labels[self.neighbours[unit]] == labels[unit]).any() for unit in units):
            labels[units] = came_from
            return False
        taken[:] = after
        return True

    def _find_room(self, costs: Costs, tied: Indices) -> Indices:
        """Return places for the tied units that keep all constraints, cheap ones first."""
        search = RoomSearch(self, costs, tied)
        place = search.run()
        if place is None:
            raise self._no_room(tied, is_certain=search.dead_ends <= DEAD_ENDS)
        return place

    def _no_room(self, tied: Indices, *, is_certain: bool) -> UnmetConstraints:
        k = len(self.limits.least)
        clique = self._clique(tied)
        if len(clique) > k:
            rows = [int(self.first_row[unit]) for unit in clique[: k + 1]]
            listed = ", ".join(map(str, rows))
            return UnmetConstraints(
                f"cannot_link of {self.who} wants each of the rows {listed} apart from all others of them, "
                f"which n_clusters={k} groups cannot do. Raise n_clusters or leave out a pair."
            ).of_pairs("apart", rows, f"must all be apart, which {count_of(k, 'group')} cannot do")
        largest = int(self.counts.argmax())
        if self.counts[largest] > self.limits.most.max():
            first, most = int(self.first_row[largest]), self.limits.most.max()
            joined = f"{self.counts[largest]} rows"
            return UnmetConstraints(
                f"must_link of {self.who} joins {joined}, row {first} among them, but size_max allows "
                f"{most}. Raise size_max or leave out a pair."
            ).of_pairs("together", [first], f"must be in one group with {joined} in all, of {most} at most")
        fact = "No assignment keeps" if is_certain else "The search found no assignment that keeps"
        return UnmetConstraints(
            f"{fact} size_min, size_max, must_link and cannot_link of {self.who} at once for n_clusters={k}. "
            f"Widen the sizes, raise n_clusters or leave out pairs."
        ).in_shell(
            f"{fact} --sizes, --together and --apart at once in {count_of(k, 'group')}. Widen --sizes, "
            f"raise -k or leave out pairs."
        )

    def _clique(self, tied: Indices) -> list[int]:
        """Return a large set of units that must all be apart, built greedily from every unit."""
        best: list[int] = []
        for start in tied if self.neighbours else ():
            clique, rest = [int(start)], self.neighbours[start]
            while len(rest):
                degrees = [len(np.intersect1d(self.neighbours[unit], rest)) for unit in rest]
                chosen = int(rest[int(np.argmax(degrees))])
                clique.append(chosen)
                rest = np.intersect1d(rest, self.neighbours[chosen])
            if len(clique) > len(best):
                best = clique
            if len(best) > len(self.limits.least):
                break
        return best


class RoomSearch:
    """Looks for places of tied units by backtracking: the unit with the fewest groups left comes next."""

    def __init__(self, assigner: Assigner, costs: Costs, tied: Indices) -> None:
        self.limits, self.counts = assigner.limits, assigner.counts[tied]
        self.order = np.argsort(costs[tied], axis=1, kind="stable")
        two = np.sort(costs[tied], axis=1)[:, :2]
        # of units with equally many groups left, large ones first, then those that lose most elsewhere
        by_need = np.lexsort((two[:, 0] - two[:, -1], -self.counts))
        self.rank = np.argsort(by_need)
        index = np.full(len(assigner.counts), -1)
        index[tied] = np.arange(len(tied))
        self.neighbours = [
            index[assigner.neighbours[unit]] if assigner.neighbours else np.empty(0, dtype=np.intp)
            for unit in tied
        ]
        self.n_free = int(assigner.counts.sum() - self.counts.sum())
        self.place = np.full(len(tied), -1, dtype=np.int32)
        self.n_near = np.zeros(self.order.shape, dtype=np.int64)  # neighbours of each unit in each group
        self.n_groups = np.full(len(tied), self.order.shape[1])  # without a neighbour
        self.taken = np.zeros(self.order.shape[1], dtype=np.int64)
        self.left = int(self.counts.sum())  # rows of units without a place
        self.dead_ends = 0

    def run(self) -> Indices | None:
        """Return the group of each tied unit; None when there is no way, or none was found in time."""
        stack: list[tuple[int, Iterator[int]]] = []
        unit = self._next_unit()
        while unit >= 0:
            stack.append((unit, iter(self.order[unit])))
            while not self._advance(*stack[-1]):
                self.dead_ends += 1
                stack.pop()
                if not stack or self.dead_ends > DEAD_ENDS:
                    return None
                self._set(stack[-1][0], -1)
            unit = self._next_unit()
        found: Indices = self.place.astype(np.intp)
        return found

    def _next_unit(self) -> int:
        is_open = self.place < 0
        if not is_open.any():
            return -1
        return int(
            np.where(is_open, self.n_groups * len(is_open) + self.rank, np.iinfo(np.int64).max).argmin()
        )

    def _advance(self, unit: int, groups: Iterator[int]) -> bool:
        for group in groups:
            if self.n_near[unit, group]:
                continue
            self._set(unit, int(group))
            if self.limits.can_be_met(self.taken, self.n_free + self.left):
                return True
            self._set(unit, -1)
        return False

    def _set(self, unit: int, group: int) -> None:
        """Put a unit into a group, or with -1 take it out of its own."""
        at, step = (group, 1) if group >= 0 else (int(self.place[unit]), -1)
        near = self.neighbours[unit]
        self.n_near[near, at] += step
        self.n_groups[near] = (self.n_near[near] == 0).sum(axis=1)
        self.taken[at] += step * self.counts[unit]
        self.left -= step * int(self.counts[unit])
        self.place[unit] = group
