"""Kernel k-means."""
