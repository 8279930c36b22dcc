"""Groups of rows with categories: k-modes, k-prototypes."""

from coterie.cluster.categorical.kprototypes import KModes, KPrototypes
from coterie.cluster.categorical.rows import learn_columns, merge_equal_rows, refuse_empty_rows, split_columns

__all__ = ["KModes", "KPrototypes", "learn_columns", "merge_equal_rows", "refuse_empty_rows", "split_columns"]
