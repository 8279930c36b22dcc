"""Trees: linkage, the dendrogram, what can be done with one, and how alike two are."""

from typing import TYPE_CHECKING, NoReturn

from coterie._support.hints import no_such_name
from coterie.tree._linkage_facts import METHODS, LinkageMethod
from coterie.tree.comparing import (
    BkCurve,
    bakers_gamma,
    cophenetic_agreement,
    entanglement,
    fowlkes_mallows_curve,
    robinson_foulds,
)
from coterie.tree.dendrogram import Dendrogram
from coterie.tree.linkage import linkage
from coterie.tree.untangling import untangled, untangled_pair

__all__ = [
    "METHODS",
    "BkCurve",
    "Dendrogram",
    "LinkageMethod",
    "bakers_gamma",
    "cophenetic_agreement",
    "entanglement",
    "fowlkes_mallows_curve",
    "linkage",
    "robinson_foulds",
    "untangled",
    "untangled_pair",
]

if not TYPE_CHECKING:  # to a type checker a module with __getattr__ has every name

    def __getattr__(name: str) -> NoReturn:
        raise no_such_name(__name__, name, __all__)
