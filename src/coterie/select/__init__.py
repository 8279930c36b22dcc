"""How many clusters, and the evidence for it."""

from coterie._support import hooks
from coterie.select import criteria as _criteria  # noqa: F401  # they fill the catalogue
from coterie.select.catalogue import Criterion, criteria, find_criterion
from coterie.select.choose import choose_k
from coterie.select.curve import Curve
from coterie.select.evidence import Evidence
from coterie.select.verdict import Verdict

__all__ = ["Criterion", "Curve", "Evidence", "Verdict", "choose_k", "criteria", "find_criterion"]


def __getattr__(name: str) -> object:
    return hooks.moved(__name__, name)
