"""The verdict on an answer: whether its groups are announced, decided once from all of the evidence.

Headline, text, JSON, report and exit code say what is decided here; none of them has a threshold of its own.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from coterie._printing import count_of
from coterie._support.facts import facts_of
from coterie._support.typing import JsonObject
from coterie.evaluate import Significance, Stability
from coterie.evaluate.belief import DISSOLVED, SIGNIFICANT, STABLE, is_dissolved, is_stable

LEVEL = SIGNIFICANT
LEAST_SHARE = 0.5  # of the groups that must be stable, however small they are
LEAST_GROUPS = 2  # that must come back, or nothing is divided
NAMED_GROUPS = 3  # doubtful groups that a headline names
NO_GROUPS = "no groups"
NOT_ONE_GAUSSIAN = (
    "the rows do not follow one Gaussian, but no border between groups is clearly deeper than a single "
    "cluster of such a shape can show"
)
Outcome: TypeAlias = Literal["groups", "no convincing groups", "no groups"]


@dataclass(frozen=True)
class FitVerdict:
    """Whether the groups of an answer are announced, and why.

    Groups are announced when nothing speaks against them: borders that a single cluster would not show, a
    null model that is rejected at the level 0.05, and groups that come back in resamples: at least half of
    them are stable each by itself, and at least two are not dissolved. Otherwise they are the best guess. A
    number of groups that was asked for is given as asked, with the verdict beside it.

    Parameters
    ----------
    k : int
        Number of groups in the labels; 1: the data show none; 0: every row is noise.
    best_guess : int
        Groups of the best split, announced or not; 1: there was none.
    is_asked : bool
        Whether this number of groups was asked for.
    is_apart : bool or None
        Whether the borders between the groups are significant; None: nothing was compared.
    p_value : float or None
        Of the test against the null model; None: not tested, or it does not matter as no border is clear.
    stability : float or None
        Mean Jaccard similarity over resamples; None: not measured.
    per_group : tuple of float
        The same of each group; NaN for one of which no row was drawn.

    Examples
    --------
    >>> FitVerdict(4, 4, False, True, 0.34, 0.5, (0.9, 0.4, 0.3, 0.4)).headline
    'No convincing groups. Best guess: 4 (unstable, p = 0.34)'
    >>> FitVerdict(3, 3, False, True, 0.01, 0.86, (0.95, 0.41, 0.9)).headline
    '3 groups; stable (0.86); Gaussian null rejected (p = 0.01); group 2 is doubtful (0.41)'
    """

    k: int
    best_guess: int
    is_asked: bool
    is_apart: bool | None
    p_value: float | None
    stability: float | None
    per_group: tuple[float, ...] = ()
    null: str = "Gaussian null"

    @property
    def is_stable(self) -> bool | None:
        """Whether the groups come back in resamples, at least half of them each; None: not measured."""
        if self.stability is None:
            return None
        n_stable, n_known = self._stable_groups
        is_divided = self._n_back >= min(LEAST_GROUPS, n_known)
        return is_stable(self.stability) and is_divided and n_stable >= LEAST_SHARE * n_known

    @property
    def why_unstable(self) -> str:
        """The rule that decided that groups are unstable, in words; empty if they are not.

        Examples
        --------
        >>> FitVerdict(3, 3, False, True, 0.01, 0.78, (0.95, 0.71, 0.7)).why_unstable
        'only 1 of 3 groups has 0.75 or more'
        >>> FitVerdict(2, 2, False, True, 0.01, 0.87, (0.95, 0.14)).why_unstable
        'only 1 of 2 groups has 0.6 or more'
        """
        if self.stability is None or self.is_stable:
            return ""
        n_stable, n_known = self._stable_groups
        if not is_stable(self.stability):
            return f"below {STABLE:g}"
        is_divided = self._n_back >= min(LEAST_GROUPS, n_known)
        n_found, least = (n_stable, STABLE) if is_divided else (self._n_back, DISSOLVED)
        return f"only {n_found} of {n_known} groups {'has' if n_found == 1 else 'have'} {least:g} or more"

    @property
    def _stable_groups(self) -> tuple[int, int]:
        """How many groups come back, and of how many that is known."""
        known = [value for value in self.per_group if not math.isnan(value)]
        return sum(map(is_stable, known)), len(known)

    @property
    def _n_back(self) -> int:
        """How many groups resamples have something like."""
        return sum(not is_dissolved(value) for value in self.per_group if not math.isnan(value))

    @property
    def is_significant(self) -> bool | None:
        """Whether the null model is rejected at the level 0.05; None: not tested."""
        return None if self.p_value is None else self.p_value <= LEVEL

    @property
    def convincing(self) -> bool | None:
        """Whether the groups stand up to every test; None: not all were made, and none failed."""
        if self.k < 2:
            return False
        tests = (self.is_apart, self.is_significant, self.is_stable)
        if False in tests:
            return False
        return None if None in tests else True

    @property
    def outcome(self) -> Outcome:
        """What is announced: "groups", "no convincing groups" or "no groups"."""
        if self.k < 2:
            return "no groups"
        return "no convincing groups" if self.convincing is False else "groups"

    @property
    def doubtful_groups(self) -> tuple[int, ...]:
        """Labels of the groups that do not come back in resamples, the weakest first."""
        weak = [at for at, value in enumerate(self.per_group) if not (math.isnan(value) or is_stable(value))]
        return tuple(sorted(weak, key=lambda at: self.per_group[at]))

    @property
    def failed(self) -> tuple[str, ...]:
        """What speaks against the groups, in a few words each."""
        said = []
        if self.is_apart is False:
            said.append("no clear border")
        if self.is_stable is False:
            said.append(self._unstable)
        if self.is_significant is False:
            said.append("the null is not rejected")
        return tuple(said)

    @property
    def p_text(self) -> str:
        """The p-value, never rounded to the other side of the level."""
        if self.p_value is None:
            return ""
        text = f"{self.p_value:.2g}"
        return text if (float(text) <= LEVEL) is self.is_significant else f"{self.p_value:.6g}"

    @property
    def stability_text(self) -> str:
        """The stability, as it is printed."""
        return "" if self.stability is None else stability_text(self.stability)

    @property
    def count(self) -> str:
        """How many groups, in words."""
        if self.k == 1 and not self.is_asked and self.is_apart is not None:
            return NO_GROUPS
        return count_of(self.k, "group")

    @property
    def headline(self) -> str:
        """The answer in one sentence, with what it rests on."""
        if self.k < 2:
            chance = "best split no better than null data"
            tested = [f"{chance} (p = {self.p_text})"] if self.is_significant is False else []
            return "; ".join([self.count, *self._asked(), *tested])
        if self.convincing is False:
            return self._unconvincing()
        return "; ".join([self.count, *self._asked(), *self._tests(), *self._doubts()])

    @property
    def announcement(self) -> str:
        """The first clause of the headline."""
        if self.k > 1 and self.convincing is False and not self.is_asked:
            return "No convincing groups"
        return self.count

    def _unconvincing(self) -> str:
        facts = ", ".join(self._facts())
        if self.is_asked:
            return f"{self.count}; as requested; not convincing ({facts})"
        return f"{self.announcement}. Best guess: {self.best_guess} ({facts})"

    def _facts(self) -> list[str]:
        """Return the outcome of every test, what failed first where it has no number."""
        stable = {True: ["stable"], False: [self._unstable], None: []}[self.is_stable]
        border = ["no clear border"] if self.is_apart is False else []
        return [*border, *stable, *([] if self.p_value is None else [f"p = {self.p_text}"])]

    @property
    def _unstable(self) -> str:
        """The word, with the rule where it is not that of the mean."""
        is_mean = self.stability is None or not is_stable(self.stability)
        return "unstable" if is_mean else f"unstable: {self.why_unstable}"

    def _asked(self) -> list[str]:
        return ["as requested"] if self.is_asked else []

    def _tests(self) -> list[str]:
        said = [] if self.stability is None else [f"stable ({self.stability_text})"]
        if self.p_value is not None:
            said.append(f"{self.null} rejected (p = {self.p_text})")
        if self.stability is None and self.p_value is None:
            return ["not tested"]
        untested = ["stability not measured"] if self.stability is None else []
        untested += ["borders not judged"] if self.is_apart is None else []
        return [*said, *untested, *(["not tested against null data"] if self.p_value is None else [])]

    def _doubts(self) -> list[str]:
        weak = self.doubtful_groups
        if not weak:
            return []
        named = [f"{at + 1} ({stability_text(self.per_group[at])})" for at in weak[:NAMED_GROUPS]]
        if len(weak) == 1:
            return [f"group {weak[0] + 1} is doubtful ({stability_text(self.per_group[weak[0]])})"]
        rest = len(weak) - len(named)
        *most, last = [*named, f"{rest} more"] if rest else named
        return [f"groups {', '.join(most)} and {last} are doubtful"]

    def to_dict(self) -> JsonObject:
        """Return plain values; labels of doubtful groups count from 0, as all labels do."""
        return {
            **facts_of(self, "outcome", "convincing", "best_guess", "is_asked", "failed"),
            **facts_of(self, "is_apart", "p_value"),
            "level": LEVEL,
            "stability": self.stability,
            "least_stability": STABLE,
            "doubtful_groups": list(self.doubtful_groups),
        }


def decide(
    k: int,
    best_guess: int,
    *,
    is_asked: bool,
    is_apart: bool | None,
    stability: Stability | None,
    significance: Significance | None,
) -> FitVerdict:
    """Return the verdict on groups from what was measured about them."""
    p_value = None if significance is None or k == 0 else significance.p_value
    if is_beside_the_point(is_apart and k > 1, p_value):
        p_value = None
    overall, each = _stability(stability) if k > 1 else (None, ())
    return FitVerdict(k, max(k, best_guess), is_asked, is_apart, p_value, overall, each)


def stability_text(value: float) -> str:
    """Return a stability with two decimals, by which it is called stable or not.

    Examples
    --------
    >>> stability_text(0.7451), stability_text(0.999)
    ('0.75', '1.00')
    """
    return f"{value:.2f}"


def is_beside_the_point(is_apart: bool | None, p_value: float | None) -> bool:
    """Return whether a rejected null says nothing: rows that are not Gaussian need not be groups."""
    return is_apart is False and p_value is not None and p_value <= LEVEL


def _stability(found: Stability | None) -> tuple[float | None, tuple[float, ...]]:
    if found is None or math.isnan(found.overall):
        return None, ()
    return float(found.overall), tuple(np.asarray(found.per_cluster, dtype=np.float64).tolist())
