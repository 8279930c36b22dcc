"""The one way from data to an answer: request, prepared rows, candidates, judge, winner, description."""

from coterie.pipeline.answer import Clustering
from coterie.pipeline.candidate import Candidate
from coterie.pipeline.compare_methods import MethodComparison, compare_methods
from coterie.pipeline.describe import Prepared, describe_groups, fit_groups, prepare_table
from coterie.pipeline.estimate import Fact
from coterie.pipeline.fit import fit
from coterie.pipeline.groups import Groups
from coterie.pipeline.predict import predict_table
from coterie.pipeline.profile import Profile, profile_groups
from coterie.pipeline.recipe import (
    Recipe,
    check_recipe,
    check_scale,
    make_estimator,
    takes_option,
    usual_scale,
)
from coterie.pipeline.rules import Condition, Rule

__all__ = [
    "Candidate",
    "Clustering",
    "Condition",
    "Fact",
    "Groups",
    "MethodComparison",
    "Prepared",
    "Profile",
    "Recipe",
    "Rule",
    "check_recipe",
    "check_scale",
    "compare_methods",
    "describe_groups",
    "fit",
    "fit_groups",
    "make_estimator",
    "predict_table",
    "prepare_table",
    "profile_groups",
    "takes_option",
    "usual_scale",
]
