"""Trees of merges and of splits: agglomerative clustering, DIANA, feature agglomeration."""

from coterie.cluster.agglomerative.tree_labels import cut_tree

__all__ = [
    "cut_tree",
]
