"""Trees: linkage, the dendrogram, what can be done with one, and how alike two are."""

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
