"""One clustering among those that are compared."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from coterie._typing import Labels
from coterie.cluster import find_method


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
        "separation", "weakest valley", "crossing", "noise".
    reason : str
        What speaks against it, or for it.
    parameters : dict
        How its estimator is made.
    """

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
