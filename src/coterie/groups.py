"""Groups of the rows of a table: the part of `coterie.pipeline` that describes them."""

from coterie.pipeline import (
    Condition,
    Groups,
    Profile,
    Recipe,
    Rule,
    check_recipe,
    fit_groups,
    make_estimator,
    predict_table,
    profile_groups,
)

__all__ = [
    "Condition",
    "Groups",
    "Profile",
    "Recipe",
    "Rule",
    "check_recipe",
    "fit_groups",
    "make_estimator",
    "predict_table",
    "profile_groups",
]
