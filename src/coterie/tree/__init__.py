"""Trees: the dendrogram and what can be done with one."""

from coterie.tree._linkage_facts import METHODS, LinkageMethod
from coterie.tree.linkage import linkage

__all__ = ["METHODS", "LinkageMethod", "linkage"]
