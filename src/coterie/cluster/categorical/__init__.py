"""Groups of rows with categories: k-modes, k-prototypes."""

from coterie.cluster.categorical.kprototypes import KModes, KPrototypes

__all__ = ["KModes", "KPrototypes"]
