"""Trees of merges and of splits: agglomerative clustering, Genie, DIANA, feature agglomeration."""

from coterie.cluster.agglomerative.genie import genie_children
from coterie.cluster.agglomerative.tree_labels import cut_tree

__all__ = ["cut_tree", "genie_children"]
