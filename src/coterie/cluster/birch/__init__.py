"""BIRCH: a tree of summaries in one pass, then clusters of the summaries."""
