"""From a table to groups that can be described, saved and used again."""

from coterie.groups.fit import Prepared, describe_groups, fit_groups, prepare_table
from coterie.groups.groups import Groups
from coterie.groups.predict import predict_table
from coterie.groups.profile import Profile, profile_groups
from coterie.groups.recipe import (
    Recipe,
    check_recipe,
    check_scale,
    make_estimator,
    takes_option,
    usual_scale,
)
from coterie.groups.rules import Condition, Rule

__all__ = [
    "Condition",
    "Groups",
    "Prepared",
    "Profile",
    "Recipe",
    "Rule",
    "check_recipe",
    "check_scale",
    "describe_groups",
    "fit_groups",
    "make_estimator",
    "predict_table",
    "prepare_table",
    "profile_groups",
    "takes_option",
    "usual_scale",
]
