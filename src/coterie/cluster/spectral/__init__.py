"""Spectral clustering and Laplacian eigenmaps."""

from coterie.cluster.spectral.graphs import MatrixGraph

__all__ = ["MatrixGraph"]
