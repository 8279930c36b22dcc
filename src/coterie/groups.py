"""Groups of the rows of a table: the part of `coterie.pipeline` that describes them."""

from coterie.pipeline import (
    Condition,
    Groups,
    Prepared,
    Profile,
    Recipe,
    Rule,
    check_recipe,
    check_scale,
    describe_groups,
    fit_groups,
    make_estimator,
    predict_table,
    prepare_table,
    profile_groups,
    takes_option,
    usual_scale,
)

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
