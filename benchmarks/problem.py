"""What a row of the table is: a problem, who solves it, and what counts as the same answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from numpy.typing import NDArray

from benchmarks.measure import Measure, Seconds

OURS = "coterie"

Answer = Mapping[str, NDArray[Any]]


@dataclass(frozen=True)
class Verdict:
    """Whether two answers agree, and the figures that say so.

    ``counts`` is False for a peer whose answer is worse than what the row asks for: its time is shown, but
    we are not compared with it.
    """

    agrees: bool
    note: str
    counts: bool = True


@dataclass(frozen=True)
class Contestant:
    """A library and how it solves the problem of a row.

    ``enter(problem)`` imports the library, does what must not be measured, and returns the call that
    is measured. It runs in a process of its own.
    """

    name: str
    enter: Callable[[Any], Callable[[], Any]]


@dataclass(frozen=True, kw_only=True)
class Row:
    """A named problem with its contestants.

    Attributes
    ----------
    name
        Short and unique in its family; ``--rows family/name`` selects it.
    work
        What is done, in the words of the table.
    make
        Makes the problem from a fixed seed; runs once in each contestant's process.
    contestants
        Ours (named ``coterie``) and the peers.
    digest
        Turns what a call returned into the arrays that are compared; not measured.
    agree
        Compares our answer with a peer's.
    measure
        What is measured of a call: seconds unless said otherwise.
    bar, aim
        Fastest peer / ours that we must reach, and that we wish for.
    limit
        The most that ours may need, in the unit of the measure.
    most_rounds
        Upper bound of the repetitions; the time budget may end them earlier.
    clean
        Removes what `make` left on the disk and says so; called after the last row of a run.
    """

    name: str
    work: str
    make: Callable[[], Any]
    contestants: tuple[Contestant, ...]
    digest: Callable[[Any, Any], Answer]
    agree: Callable[[Answer, Answer], Verdict]
    measure: Measure = field(default_factory=Seconds)
    bar: float | None = None
    aim: float | None = None
    limit: float | None = None
    most_rounds: int = 9
    clean: Callable[[], str] | None = None
