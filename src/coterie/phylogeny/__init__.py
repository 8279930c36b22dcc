"""Phylogeny: trees of sequences by neighbour joining or UPGMA, their support, and how trees differ."""

from coterie._support.lazy import lazy_package

__getattr__, __dir__, __all__ = lazy_package(__name__)
