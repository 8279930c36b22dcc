"""Rules that decide whether two answers are the same; each returns a function for ``Row.agree``."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.problem import Answer, Verdict

Rule = Callable[[Answer, Answer], Verdict]


def close(name: str, *, tolerance: float) -> Rule:
    """Largest difference of the array ``name`` at most ``tolerance`` of the peer's largest magnitude."""

    def agree(ours: Answer, theirs: Answer) -> Verdict:
        mine, other = ours[name].astype(np.float64), theirs[name].astype(np.float64)
        if mine.shape != other.shape:
            return Verdict(False, f"{name} has shape {mine.shape}, theirs {other.shape}")
        difference = np.abs(mine - other).max(initial=0.0)
        relative = float(difference / max(np.abs(other).max(initial=0.0), np.finfo(np.float64).tiny))
        return Verdict(relative <= tolerance, f"{name} differ by {relative:.1e}")  # False for NaN too

    return agree


def mean_at_most(name: str, *, tolerance: float = 1e-6) -> Rule:
    """Our mean of the array ``name`` exceeds theirs by at most ``tolerance``, relative; lower is better."""

    def agree(ours: Answer, theirs: Answer) -> Verdict:
        reference = float(np.mean(theirs[name]))
        change = (float(np.mean(ours[name])) - reference) / abs(reference)
        return Verdict(change <= tolerance, f"mean {name} {change:+.3%}")

    return agree


def every(*rules: Rule) -> Rule:
    """All of the rules hold; the note is that of the first one, or of those that fail."""

    def agree(ours: Answer, theirs: Answer) -> Verdict:
        verdicts = [rule(ours, theirs) for rule in rules]
        broken = [verdict for verdict in verdicts if not verdict.agrees]
        return Verdict(not broken, ", ".join(verdict.note for verdict in broken or verdicts[:1]))

    return agree


def anything(ours: Answer, theirs: Answer) -> Verdict:
    """For rows without an answer, such as an import."""
    return Verdict(True, "")
