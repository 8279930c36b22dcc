"""The criteria for the number of clusters; importing them fills the catalogue."""

from coterie.select.criteria import distortion, gaps, likelihood, resampling, separation

__all__ = ["distortion", "gaps", "likelihood", "resampling", "separation"]
