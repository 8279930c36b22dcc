"""Trees: the dendrogram and what can be done with one."""

from coterie.tree.dendrogram import Dendrogram

__all__ = ["Dendrogram"]
