"""One clustering among those that are compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from coterie._support.typing import Labels
from coterie._support.validation.schema import COUNT, DictOf, Plain, Real, Schema, Tensor, Text
from coterie.cluster import find_method
from coterie.evaluate import adjusted_rand_score

SAME = 0.9  # adjusted Rand index of clusterings that differ in a few rows only


@dataclass(frozen=True, eq=False)
class Candidate:
    """One clustering, what was measured about it, and why it did not win or did.

    Parameters
    ----------
    method : str
        A name of `coterie.cluster.catalogue()`.
    k : int
        Number of groups.
    labels : array
        Group of each row that methods were compared on; -1 is noise.
    scores : dict of str to float
        "separation", "weakest_valley", "crossing", "noise".
    reason : str
        What speaks against it, or for it.
    parameters : dict
        How its estimator is made.
    """

    _schema: ClassVar[Schema] = {
        "method": Text(),
        "k": COUNT,
        "labels": Tensor("rows", kind="i", low=-1, below="rows", may_be_empty=True),
        "scores": DictOf(Text(), Real(nan=True)),
        "reason": Text(),
        "parameters": DictOf(Text(), Plain()),
    }

    @classmethod
    def _check_state(cls, state: Mapping[str, Any], sizes: Mapping[str, int]) -> None:
        find_method(state["method"])

    method: str
    k: int
    labels: Labels = field(repr=False)
    scores: dict[str, float]
    reason: str
    parameters: dict[str, Any]

    @property
    def title(self) -> str:
        """What to call it in a sentence."""
        return f"{find_method(self.method).title}, {self.k} groups"

    def make(self) -> Any:
        """Return its estimator, unfitted."""
        return find_method(self.method).load()(**self.parameters)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, without the labels."""
        return {
            "method": self.method,
            "k": self.k,
            "scores": dict(self.scores),
            "reason": self.reason,
            "parameters": dict(self.parameters),
        }


def different(candidates: Sequence[Candidate], most: int) -> tuple[Candidate, ...]:
    """Return the first candidates that tell something else than those before them, at most so many.

    Two of one number of groups that hardly differ are one thing found by two methods.
    """
    kept: list[Candidate] = []
    for candidate in candidates:
        alike = (other for other in kept if other.k == candidate.k)
        if not any(adjusted_rand_score(other.labels, candidate.labels) > SAME for other in alike):
            kept.append(candidate)
        if len(kept) == most:
            break
    return tuple(kept)
