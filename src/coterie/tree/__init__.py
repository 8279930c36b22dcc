"""Trees: the dendrogram, what can be done with one, and how alike two are."""

from coterie.tree.comparing import (
    BkCurve,
    bakers_gamma,
    cophenetic_agreement,
    entanglement,
    fowlkes_mallows_curve,
    robinson_foulds,
)
from coterie.tree.dendrogram import Dendrogram

__all__ = [
    "BkCurve",
    "Dendrogram",
    "bakers_gamma",
    "cophenetic_agreement",
    "entanglement",
    "fowlkes_mallows_curve",
    "robinson_foulds",
]
