"""Self-organizing maps."""

from coterie.cluster.som.grid import LAYOUTS, Grid

__all__ = ["LAYOUTS", "Grid"]
