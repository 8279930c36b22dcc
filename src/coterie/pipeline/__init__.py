"""The one way from data to an answer: request, prepared rows, candidates, judge, winner, description."""

from coterie.data.geography.positions import Positions
from coterie.pipeline.answer import Clustering, Fact
from coterie.pipeline.candidates import Candidate
from coterie.pipeline.compare_methods import MethodComparison, compare_methods
from coterie.pipeline.fit import fit, fit_groups, run
from coterie.pipeline.graph import GraphClustering, fit_graph
from coterie.pipeline.groups import (
    Condition,
    Groups,
    Profile,
    Rule,
    column_readings,
    names_of,
    predict_table,
    profile_groups,
)
from coterie.pipeline.recipe import Recipe, check_recipe, make_estimator
from coterie.pipeline.request import FitRequest, make_request
from coterie.pipeline.update import Arrival, Update, examine, update
from coterie.pipeline.verdict import FitVerdict

__all__ = [
    "Arrival",
    "Candidate",
    "Clustering",
    "Condition",
    "Fact",
    "FitRequest",
    "FitVerdict",
    "GraphClustering",
    "Groups",
    "MethodComparison",
    "Positions",
    "Profile",
    "Recipe",
    "Rule",
    "Update",
    "check_recipe",
    "column_readings",
    "compare_methods",
    "examine",
    "fit",
    "fit_graph",
    "fit_groups",
    "make_estimator",
    "make_request",
    "names_of",
    "predict_table",
    "profile_groups",
    "run",
    "update",
]
