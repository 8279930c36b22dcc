"""Groups of the rows of a table: numbered by size, described in its units, able to predict new rows."""

from coterie.pipeline.groups.describe import (
    RowUnits,
    centers_of,
    describe_groups,
    described_columns,
    described_rows,
    mixed_columns,
    profile_prepared,
    share_explained,
)
from coterie.pipeline.groups.groups import Groups, check_groups, column_readings, predict_table
from coterie.pipeline.groups.numbering import group_name, number_by_size, number_labels, spread_labels
from coterie.pipeline.groups.profile import (
    Profile,
    effect_sizes,
    known_means,
    profile_groups,
    share_words,
    telling_columns,
)
from coterie.pipeline.groups.rules import Condition, Rule, learn_rules

__all__ = [
    "Condition",
    "Groups",
    "Profile",
    "RowUnits",
    "Rule",
    "centers_of",
    "check_groups",
    "column_readings",
    "describe_groups",
    "described_columns",
    "described_rows",
    "effect_sizes",
    "group_name",
    "known_means",
    "learn_rules",
    "mixed_columns",
    "number_by_size",
    "number_labels",
    "predict_table",
    "profile_groups",
    "profile_prepared",
    "share_explained",
    "share_words",
    "spread_labels",
    "telling_columns",
]
