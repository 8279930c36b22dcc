"""Scaling by name, polar coordinates, whitening: the part of `coterie.data` that changes columns."""

from coterie.data import SCALINGS, PolarCoordinates, Scaling, Whitening, fit_scaling

__all__ = ["SCALINGS", "PolarCoordinates", "Scaling", "Whitening", "fit_scaling"]
