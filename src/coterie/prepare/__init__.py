"""Representation: scaling by name, polar coordinates, whitening."""

from coterie.prepare.polar import PolarCoordinates
from coterie.prepare.scaling import SCALINGS, Scaling, fit_scaling
from coterie.prepare.whitening import Whitening

__all__ = ["SCALINGS", "PolarCoordinates", "Scaling", "Whitening", "fit_scaling"]
