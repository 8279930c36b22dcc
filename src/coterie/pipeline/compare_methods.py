"""What several methods make of the same data, side by side."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy.typing as npt

from coterie._support.declarations import held, saved
from coterie._support.facts import facts_of
from coterie._support.progress import ProgressOption, track
from coterie._support.typing import JsonObject, MatrixLike, RandomState
from coterie._support.validation.schema import COUNT, Instance, ListOf, Maybe, Real, Text
from coterie.cluster import find_method
from coterie.evaluate import adjusted_rand_score
from coterie.pipeline.candidates import Candidate
from coterie.pipeline.choose_method import run_contest
from coterie.pipeline.fit import open_rows
from coterie.pipeline.request import FitRequest, make_request
from coterie.select.evidence import Evidence


@saved(eq=False)
class MethodComparison:
    """The best of each method, best first.

    Parameters
    ----------
    n_rows, n_compared : int
        Rows of the data, and those that methods were compared on.
    candidates : tuple of Candidate
        The best of each method.
    agreement : tuple of float or None
        Adjusted Rand index of each with the truth.
    """

    source: str = held(Text(), "Name of the data.")
    n_rows: int = held(COUNT)
    n_compared: int = held(COUNT)
    k: int = held(COUNT, "Number of groups of the best; 1: no groups.")
    candidates: tuple[Candidate, ...] = held(ListOf(Instance(Candidate), kind=tuple))
    agreement: tuple[float, ...] | None = held(Maybe(ListOf(Real(nan=True), kind=tuple)))
    evidence: Evidence = held(Instance(Evidence), "What speaks for the number of groups.")

    @property
    def headline(self) -> str:
        """The answer in one sentence."""
        if self.k == 1:
            return "no groups: no method separates the rows better than null data"
        return f"{self.k} groups; best method: {find_method(self.candidates[0].method).title}"

    def to_dict(self) -> JsonObject:
        """Return plain values."""
        return {
            "source": self.source,
            "rows": self.n_rows,
            "rows_compared": self.n_compared,
            **facts_of(self, "k", "headline", "candidates"),
            "adjusted_rand": None if self.agreement is None else list(self.agreement),
            "evidence": self.evidence.to_dict(),
        }


def compare_methods(
    X: MatrixLike,
    methods: str | Sequence[str] = "auto",
    k: str | int | Iterable[int] | None = "auto",
    *,
    distance: str = "auto",
    scale: str = "auto",
    truth: str | npt.ArrayLike | None = None,
    budget: str = "normal",
    columns: str | Sequence[str] = (),
    drop: str | Sequence[str] = (),
    keep: str | Sequence[str] = (),
    missing: str = "auto",
    dates: str | None = None,
    sheet: str | None = None,
    table: str | None = None,
    query: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    random_state: RandomState = 0,
    places: str = "auto",
    progress: ProgressOption = None,
) -> MethodComparison:
    """Compare what several methods find, by the judge of `coterie.fit`.

    Parameters
    ----------
    X : anything that `coterie.fit` takes
        The data.
    methods : str or sequence of str, default="auto"
        Names of `coterie.cluster.methods()`, joined by commas if in one string; "auto": by the budget.
    k : int, range, "A..B" or "auto", default="auto"
        Numbers of groups to choose from.
    distance, scale, truth, budget, columns, drop, keep, missing, random_state, places, progress
        As in `coterie.fit`.
    dates, sheet, table, query, header, encoding
        How files and databases are read, as in `coterie.fit`.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(centre, 1, (60, 2)) for centre in ([0, 0], [9, 0], [0, 9])])
    >>> found = compare_methods(X, "kmeans,modes", budget="fast")
    >>> found.k, [candidate.method for candidate in found.candidates]
    (3, ['kmeans', 'modes'])
    """
    asked = {**locals()}
    del asked["X"], asked["methods"], asked["progress"]
    request = make_request(methods, **asked, who="compare_methods")
    return compare_by(request, X, progress)


def compare_by(request: FitRequest, X: MatrixLike, progress: ProgressOption = None) -> MethodComparison:
    """Compare methods as a checked request asks."""
    with track(progress, "comparing methods", total=None) as tracker:
        rows = open_rows(X, request, tracker)
        compared = rows.compare_on(request)
        some = request.among(compared.rows, compared.n_rows)
        contest = run_contest(compared.points, some, tracker, mixed=compared.mixed)
    best: dict[str, Candidate] = {}
    for candidate in contest.ranked:
        best.setdefault(candidate.method, candidate)
    candidates = tuple(best.values())
    known = rows.classes_of(compared)
    agreement = None
    if known is not None:
        agreement = tuple(float(adjusted_rand_score(known, each.labels)) for each in candidates)
    return MethodComparison(
        rows.source,
        rows.n_rows,
        len(compared.rows),
        1 if contest.winner is None else contest.winner.k,
        candidates,
        agreement,
        contest.evidence,
    )
