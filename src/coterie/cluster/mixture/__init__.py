"""Gaussian mixtures."""

from coterie.cluster.mixture.criteria import shares_of
from coterie.cluster.mixture.em import EMRun, Problem, continue_run
from coterie.cluster.mixture.families import FAMILIES
from coterie.cluster.mixture.growth import MixtureGrowth, grow_mixture
from coterie.cluster.mixture.latent_classes import (
    Classes,
    ClassRun,
    ClassSums,
    TableSums,
    count_parameters,
    run_em,
)
from coterie.cluster.mixture.parameters import Parameters, Statistics, statistics_of
from coterie.cluster.mixture.starts import STARTS, Draws, GivenStart, StartRows

__all__ = [
    "FAMILIES",
    "STARTS",
    "ClassRun",
    "ClassSums",
    "Classes",
    "Draws",
    "EMRun",
    "GivenStart",
    "MixtureGrowth",
    "Parameters",
    "Problem",
    "StartRows",
    "Statistics",
    "TableSums",
    "continue_run",
    "count_parameters",
    "grow_mixture",
    "run_em",
    "shares_of",
    "statistics_of",
]
