"""The steps of k-means, one by one: picks of the start with their chances, then assign, update, assign ..."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from coterie._support.declarations import held, saved
from coterie._support.typing import Centers, FloatArray, Labels, Settings
from coterie._support.validation import Number
from coterie._support.validation.schema import COUNT, Instance, ListOf, Maybe, Tensor, Text, wrong

if TYPE_CHECKING:
    from coterie.cluster.kmeans.points import Points
    from coterie.cluster.kmeans.runs import BestRun

SHOWN_STEPS = 12  # a longer history is cut in the middle when printed


@saved(eq=False, repr=False)
class KMeansPick:
    """One pick of a start.

    Parameters
    ----------
    probabilities : array of shape (n_samples,)
        ``P(j)``, the chance of row j at this pick. K-means++ draws its candidates with
        ``P(j) = w_j D_j^2 / sum_i w_i D_i^2``, D the distance to the nearest centre so far, and keeps the
        candidate that lowers the sum the most.
    """

    @classmethod
    def _check_state(cls, state: Settings, sizes: Mapping[str, int]) -> None:
        if state["row"] >= sizes["rows"]:
            raise wrong("row", cls.__name__, f"be below {sizes['rows']:,}", state["row"])

    row: int = held(COUNT, "The row that became a centre.")
    probabilities: FloatArray = held(Tensor("rows", low=0, high=1 + 1e-6))

    def __repr__(self) -> str:
        return f"KMeansPick(row={self.row}, P={self.probabilities[self.row]:.4g})"


@saved(eq=False, repr=False)
class KMeansStep:
    """One half-step.

    Parameters
    ----------
    kind : {"start", "assign", "update", "grow", "shrink", "exchange", "return"}
        What was done: "assign" gives each row to its nearest centre, "update" moves each centre to the mean
        of its rows. "grow", "shrink", "exchange" and "return" belong to ``improve="breathing"``: centres were
        added, removed, or set back to the best ones.
    labels : array of shape (n_samples,) or None
        The labels after the step; None where centres were set without any rows.
    inertia : float or None
        The sum of squared distances for these centres and labels.
    """

    kind: str = held(Text())
    centers: Centers = held(Tensor("clusters", "columns", allow="nan"), "The centres after the step.")
    labels: Labels | None = held(Maybe(Tensor("rows", kind="i", low=0, below="clusters")))
    inertia: float | None = held(Maybe(Number()))

    def __repr__(self) -> str:
        inertia = "" if self.inertia is None else f", inertia {self.inertia:.6g}"
        return f"KMeansStep({self.kind}, {len(self.centers)} centres{inertia})"


@saved(eq=False, repr=False)
class KMeansHistory:
    """What k-means did, from the first pick to the result; iterates over its steps.

    Parameters
    ----------
    picks : tuple of KMeansPick
        How the start was picked; empty when it was given or computed otherwise.
    steps : tuple of KMeansStep
        The half-steps; the last one has the centres and labels of the result.

    Examples
    --------
    >>> from coterie.cluster import KMeans
    >>> model = KMeans(2, init=[[0.0], [1.0]], history=True).fit([[0.0], [1.0], [5.0], [6.0]])
    >>> model.history_
    KMeansHistory: 0 picks, 7 steps
      start     2 centres
      assign    2 centres   inertia 41
      update    2 centres   inertia 14
      assign    2 centres   inertia 6
      update    2 centres   inertia 1
      assign    2 centres   inertia 1
      update    2 centres   inertia 1
    """

    picks: tuple[KMeansPick, ...] = held(ListOf(Instance(KMeansPick), kind=tuple))
    steps: tuple[KMeansStep, ...] = held(ListOf(Instance(KMeansStep), kind=tuple))

    def check_centers(self, centers: Centers, *, who: str) -> None:
        """Refuse steps of a file with other columns than the centres, or with numbers missing in others."""
        is_told = ~np.isnan(centers).all(axis=0)  # columns of weight 0 have no numbers
        for at, step in enumerate(self.steps):
            place, n_columns = f"history_.steps[{at}].centers", step.centers.shape[1]
            if n_columns != centers.shape[1]:
                raise wrong(place, who, f"have {centers.shape[1]:,} columns", n_columns)
            if np.isnan(step.centers[:, is_told]).any():
                raise wrong(place, who, "hold finite numbers", "NaN")

    def __iter__(self) -> Iterator[KMeansStep]:
        return iter(self.steps)

    def __len__(self) -> int:
        return len(self.steps)

    def __getitem__(self, index: int) -> KMeansStep:
        return self.steps[index]

    @property
    def inertias(self) -> FloatArray:
        """The inertia after each half-step that has one."""
        return np.array([step.inertia for step in self.steps if step.inertia is not None])

    def __repr__(self) -> str:
        lines = [_line(step) for step in self.steps]
        if len(lines) > SHOWN_STEPS:
            half = SHOWN_STEPS // 2
            lines = [*lines[:half], f"  ... {len(lines) - 2 * half} more", *lines[-half:]]
        return "\n".join([f"KMeansHistory: {len(self.picks)} picks, {len(self.steps)} steps", *lines])


def record_history(points: Points, best: BestRun, restore: Callable[[Centers], Centers]) -> KMeansHistory:
    """Return the history of a finished run, by walking it again one iteration at a time.

    An iteration depends on the centres alone, so that the walk ends at the same bits as the run. `restore`
    brings centres back to the units of the data.
    """
    from coterie.cluster.kmeans.points import ONE_ITERATION

    steps: list[KMeansStep] = []
    for phase in best.way.phases:
        steps.append(KMeansStep(phase.kind, phase.centers, None, None))
        centers = phase.centers
        for _ in range(phase.n_iter):
            before = points.label(centers)
            steps.append(_step(points, "assign", centers, before))
            moved = points.run(centers, ONE_ITERATION, best.way.run.algorithm).centers
            steps.append(_step(points, "update", moved, _with_refilled(points, centers, moved, before)))
            centers = moved
        after = points.label(centers)
        last = steps[-1].labels
        if last is None or not np.array_equal(after, last):
            steps.append(_step(points, "assign", centers, after))
    return KMeansHistory(_picks(best), tuple(replace(step, centers=restore(step.centers)) for step in steps))


def _step(points: Points, kind: str, centers: Centers, labels: Labels) -> KMeansStep:
    return KMeansStep(kind, centers, labels, points.inertia(centers, labels))


def _with_refilled(points: Points, centers: Centers, moved: Centers, labels: Labels) -> Labels:
    """Give every centre that had no row the one that the update moved it to."""
    is_empty = np.bincount(labels, minlength=len(centers)) == 0
    refilled = labels.copy()
    taken: list[int] = []
    for center in np.flatnonzero(is_empty & (moved != centers).any(axis=1)):
        distances = points.two_nearest(moved[[center]]).nearest
        distances[taken] = np.inf
        taken.append(int(np.argmin(distances)))
        refilled[taken[-1]] = center
    return refilled


def _picks(best: BestRun) -> tuple[KMeansPick, ...]:
    rows, probabilities = best.start.rows, best.start.probabilities
    if rows is None or probabilities is None:
        return ()
    return tuple(KMeansPick(int(row), chances) for row, chances in zip(rows, probabilities, strict=True))


def _line(step: KMeansStep) -> str:
    inertia = "" if step.inertia is None else f"   inertia {step.inertia:.6g}"
    return f"  {step.kind:<8}  {len(step.centers)} centres{inertia}"
