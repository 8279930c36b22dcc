"""Methods that follow the density: DBSCAN, HDBSCAN, OPTICS."""

from typing import TYPE_CHECKING

from coterie._support.lazy import lazy_names

if TYPE_CHECKING:
    from coterie.cluster.density.eps import read_curve
    from coterie.cluster.density.neighbourhoods import find_in_rows

__all__ = ["find_in_rows", "read_curve"]

if not TYPE_CHECKING:  # to a type checker a module with __getattr__ has every name
    __getattr__ = lazy_names(
        __name__,
        {
            "coterie.cluster.density.eps": ["read_curve"],
            "coterie.cluster.density.neighbourhoods": ["find_in_rows"],
        },
    )
