"""Methods that follow the density: DBSCAN, HDBSCAN, OPTICS."""

from coterie.cluster.density.eps import read_curve
from coterie.cluster.density.neighbourhoods import find_in_rows

__all__ = ["find_in_rows", "read_curve"]
