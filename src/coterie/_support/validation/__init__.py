"""Checks that estimators and functions share; everything behind them assumes valid input."""

from coterie._support.validation.data import (
    check_data,
    check_n_clusters,
    largest_safe,
    refuse_tiny,
    smallest_safe,
)
from coterie._support.validation.memory import available_memory, format_bytes, require_memory
from coterie._support.validation.parameters import (
    AnArray,
    AnyOf,
    Anything,
    APath,
    Choice,
    Constraint,
    Flag,
    Function,
    Nothing,
    Number,
    Seed,
    Whole,
    check_parameter,
    check_parameters,
    check_seed,
    shift_seed,
    unknown_name,
)
from coterie._support.validation.sparse import Damaged, check_sparse, sound_sparse
from coterie._support.validation.weights import check_sample_weight, refuse_heavy

__all__ = [
    "APath",
    "AnArray",
    "AnyOf",
    "Anything",
    "Choice",
    "Constraint",
    "Damaged",
    "Flag",
    "Function",
    "Nothing",
    "Number",
    "Seed",
    "Whole",
    "available_memory",
    "check_data",
    "check_n_clusters",
    "check_parameter",
    "check_parameters",
    "check_sample_weight",
    "check_seed",
    "check_sparse",
    "format_bytes",
    "largest_safe",
    "refuse_heavy",
    "refuse_tiny",
    "require_memory",
    "shift_seed",
    "smallest_safe",
    "sound_sparse",
    "unknown_name",
]
