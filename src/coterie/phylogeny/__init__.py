"""Phylogeny: trees of sequences by neighbour joining or UPGMA, their support, and how trees differ."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coterie._support.lazy import lazy_names

if TYPE_CHECKING:
    from coterie.phylogeny.alignment import Alignment
    from coterie.phylogeny.comparing import consensus_tree, robinson_foulds, with_support
    from coterie.phylogeny.distances import SaturatedSequences, sequence_distances
    from coterie.phylogeny.fasta import read_fasta
    from coterie.phylogeny.inference import Bootstrap, bootstrap, infer_tree
    from coterie.phylogeny.joining import neighbour_joining, upgma
    from coterie.phylogeny.simulation import evolve, random_tree
    from coterie.phylogeny.tree import Phylogeny

__all__ = [
    "Alignment",
    "Bootstrap",
    "Phylogeny",
    "SaturatedSequences",
    "bootstrap",
    "consensus_tree",
    "evolve",
    "infer_tree",
    "neighbour_joining",
    "random_tree",
    "read_fasta",
    "robinson_foulds",
    "sequence_distances",
    "upgma",
    "with_support",
]

# Where each name lives: nothing is imported before it is asked for.
_HOMES = {
    "coterie.phylogeny.alignment": ["Alignment"],
    "coterie.phylogeny.comparing": ["consensus_tree", "robinson_foulds", "with_support"],
    "coterie.phylogeny.distances": ["SaturatedSequences", "sequence_distances"],
    "coterie.phylogeny.fasta": ["read_fasta"],
    "coterie.phylogeny.inference": ["Bootstrap", "bootstrap", "infer_tree"],
    "coterie.phylogeny.joining": ["neighbour_joining", "upgma"],
    "coterie.phylogeny.simulation": ["evolve", "random_tree"],
    "coterie.phylogeny.tree": ["Phylogeny"],
}

if not TYPE_CHECKING:  # to a type checker a module with __getattr__ has every name
    __getattr__ = lazy_names(__name__, _HOMES)


def __dir__() -> list[str]:
    return sorted(__all__)
