"""Mixtures: of Gaussians, and latent classes of categories."""

from coterie.cluster.mixture.criteria import shares_of
from coterie.cluster.mixture.em import Problem, Run, continue_run
from coterie.cluster.mixture.families import FAMILIES
from coterie.cluster.mixture.growth import MixtureGrowth, grow_mixture
from coterie.cluster.mixture.latent_classes import Classes, ClassSums, TableSums, count_parameters, run_em
from coterie.cluster.mixture.latent_classes import Run as ClassesRun
from coterie.cluster.mixture.parameters import Parameters, Statistics, statistics_of
from coterie.cluster.mixture.starts import STARTS, Draws, GivenStart, Rows

__all__ = [
    "FAMILIES",
    "STARTS",
    "ClassSums",
    "Classes",
    "ClassesRun",
    "Draws",
    "GivenStart",
    "MixtureGrowth",
    "Parameters",
    "Problem",
    "Rows",
    "Run",
    "Statistics",
    "TableSums",
    "continue_run",
    "count_parameters",
    "grow_mixture",
    "run_em",
    "shares_of",
    "statistics_of",
]
