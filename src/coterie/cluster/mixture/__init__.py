"""Gaussian mixtures."""

from coterie.cluster.mixture.em import Problem, Run, continue_run
from coterie.cluster.mixture.families import FAMILIES
from coterie.cluster.mixture.growth import MixtureGrowth, grow_mixture
from coterie.cluster.mixture.parameters import Parameters, Statistics, statistics_of
from coterie.cluster.mixture.starts import STARTS, Draws, GivenStart, Rows

__all__ = [
    "FAMILIES",
    "STARTS",
    "Draws",
    "GivenStart",
    "MixtureGrowth",
    "Parameters",
    "Problem",
    "Rows",
    "Run",
    "Statistics",
    "continue_run",
    "grow_mixture",
    "statistics_of",
]
