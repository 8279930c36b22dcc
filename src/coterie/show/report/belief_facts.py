"""What a report says about whether to believe the groups: number, stability, null test, truth."""

from __future__ import annotations

from dataclasses import dataclass

from coterie.show.report.numbers import Numbers


@dataclass(frozen=True)
class CurveFacts:
    """One criterion over the numbers of groups."""

    name: str
    title: str
    values: Numbers
    errors: Numbers | None
    choice: int | None
    reason: str


@dataclass(frozen=True)
class EvidenceFacts:
    """What speaks for each number of groups."""

    finding: str
    ks: tuple[int, ...]
    bars: tuple[tuple[float, str], ...]  # of each k: the height, and what it says
    k: int
    curves: tuple[CurveFacts, ...]
    reasons: tuple[str, ...]
    disagreements: tuple[str, ...]


@dataclass(frozen=True)
class StabilityFacts:
    """Whether the groups come back in resamples."""

    finding: str
    scheme: str
    n_resamples: int
    overall: float
    agreement: float | None
    per_group: Numbers
    spreads: tuple[tuple[float, float] | None, ...]
    verdicts: tuple[str, ...]
    scale: str = ""  # what the verdicts mean


@dataclass(frozen=True)
class ChanceFacts:
    """The test against null data."""

    finding: str
    measure: str
    null: str
    observed: float
    p_value: float
    edges: tuple[float, ...]
    counts: tuple[int, ...]  # empty where all draws are alike: there is nothing to draw
    n_draws: int = 0
    how: str = ""  # which rows were used, where not all were


@dataclass(frozen=True)
class RunnerFacts:
    """A clustering that was compared."""

    method: str
    k: int
    scores: tuple[tuple[str, float], ...]
    reason: str
    is_winner: bool = False


@dataclass(frozen=True)
class TruthFacts:
    """The classes of the rows."""

    classes: tuple[str, ...]
    of_row: tuple[int, ...]  # of the sample; -1: has none
    n_hidden: int


@dataclass(frozen=True)
class TruthTable:
    """Classes by groups, counted over all rows."""

    counts: tuple[tuple[int, ...], ...]
    purity: tuple[float, ...]
    measures: tuple[tuple[str, float, str], ...]  # title, value, what it means
    finding: str
