"""From a table to groups that can be described, saved and used again."""

from coterie.groups.fit import Recipe, check_recipe, fit_groups, takes_option
from coterie.groups.groups import Groups
from coterie.groups.predict import predict_table
from coterie.groups.profile import Profile, profile_groups
from coterie.groups.rules import Condition, Rule

__all__ = [
    "Condition",
    "Groups",
    "Profile",
    "Recipe",
    "Rule",
    "check_recipe",
    "fit_groups",
    "predict_table",
    "profile_groups",
    "takes_option",
]
