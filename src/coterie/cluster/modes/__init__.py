"""Mode clustering: the hills of the density."""

from coterie.cluster.modes.mode_tree import ModeTree, dimension_at, grow_mode_tree, null_depth

__all__ = ["ModeTree", "dimension_at", "grow_mode_tree", "null_depth"]
