"""The catalogue of criteria: what each is called, what it needs, how it is read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from inspect import getdoc
from typing import TYPE_CHECKING, Literal, TypeAlias

from coterie._support.validation import unknown_name
from coterie.select.rules import Measured, Rule

if TYPE_CHECKING:
    from coterie.select.subject import Subject

# rows of numbers; any distances; rows and a method that can be run on others; the same of numbers only, or
# with categories; the same and can place new rows; and has means of them; a likelihood; a tree of merges;
# eigenvalues of a graph
Need: TypeAlias = Literal[
    "rows",
    "distances",
    "rerun",
    "numbers",
    "categories",
    "placing",
    "means",
    "likelihood",
    "tree",
    "eigenvalues",
]

# families in the order of tables
GROUPS = ("distortion", "compact and apart", "null model", "likelihood", "tree or graph", "found again")


@dataclass(frozen=True)
class Criterion:
    """The facts about one criterion for the number of clusters.

    Parameters
    ----------
    name : str
        What to ask for.
    title : str
        What to call it.
    symbol : str
        Short name for tables.
    summary : str
        One sentence.
    group : str
        Family, as a heading.
    greater_is_better : bool or None
        Direction; None where neither is.
    needs : str
        "rows": numbers, for means. "distances": between samples. "rerun": the method on other rows.
        "numbers", "categories": that, of such rows. "placing": that, and new rows placed; "means": and means
        of them. "likelihood", "tree", "eigenvalues": of the method.
    rule : str
        How a number of clusters is chosen from the values.
    can_choose_one : bool
        Whether it can say that there are no clusters.
    echoes : str or None
        The criterion that it says the same as in another way: it does not vote where that one does.
    votes : int
        How much it counts in the verdict: 2, or 1 for those that err often in comparisons of criteria.
    reference : str
        Key in docs/references.md.
    measure : callable
        Values for a `Subject`.
    choose : callable
        The choice from the values.

    Examples
    --------
    >>> find_criterion("silhouette").direction
    'higher'
    """

    name: str
    title: str
    symbol: str
    summary: str
    group: str
    greater_is_better: bool | None
    needs: Need
    rule: str
    can_choose_one: bool
    echoes: str | None
    votes: int
    reference: str
    measure: Callable[[Subject], Measured] = field(repr=False)
    choose: Rule = field(repr=False)

    @property
    def has_null(self) -> bool:
        """Whether one cluster is a model of its own that the others are compared with."""
        return self.group in ("null model", "likelihood")

    @property
    def direction(self) -> str:
        """Which way is better: "higher", "lower" or "neither"."""
        return {True: "higher", False: "lower", None: "neither"}[self.greater_is_better]


_REGISTERED: dict[str, Criterion] = {}


def criterion(
    title: str,
    *,
    symbol: str,
    group: str,
    greater_is_better: bool | None,
    needs: Need,
    choose: Rule,
    reference: str,
    rule: str | None = None,
    can_choose_one: bool = False,
    echoes: str | None = None,
    votes: int = 2,
) -> Callable[[Callable[[Subject], Measured]], Callable[[Subject], Measured]]:
    """Enter the decorated function in the catalogue; its name and summary are read from it.

    The rule in words is the name of what chooses, if nothing else is said.

    Examples
    --------
    >>> find_criterion("gap").can_choose_one
    True
    """
    facts = {**locals(), "rule": rule or choose.__name__}

    def register(function: Callable[[Subject], Measured]) -> Callable[[Subject], Measured]:
        summary = (getdoc(function) or "").partition("\n")[0]
        name = function.__name__
        _REGISTERED[name] = Criterion(name=name, summary=summary, measure=function, **facts)
        return function

    return register


def criteria() -> tuple[Criterion, ...]:
    """Return every criterion, in the order of the catalogue.

    Examples
    --------
    >>> [found.name for found in criteria()][:3]
    ['elbow', 'kneedle', 'hartigan']
    """
    return tuple(sorted(_REGISTERED.values(), key=lambda found: GROUPS.index(found.group)))


def find_criterion(name: str) -> Criterion:
    """Return the criterion of that name, or offer the nearest.

    Examples
    --------
    >>> find_criterion("bic").title
    'BIC'
    """
    found = _REGISTERED.get(name)
    if found is None:
        where = {"listed_by": "coterie.select.criteria()", "in_shell": "coterie criteria"}
        raise unknown_name("criterion", name, _REGISTERED, **where)
    return found
