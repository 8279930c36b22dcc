"""Files, frames and arrays become tables; tables become prepared rows: columns, missing values, scaling."""

from typing import TYPE_CHECKING

from coterie._support.lazy import lazy_names
from coterie.data.cells import Reading
from coterie.data.columns import ColumnChoice, LeftOut
from coterie.data.databases import hide_passwords, shown_name
from coterie.data.dates import DATE_PARTS, check_dates
from coterie.data.frames import as_table
from coterie.data.geography.places import Place
from coterie.data.inspection import ColumnFacts, Inspection, inspect
from coterie.data.labels import (
    LabelledData,
    LabelPair,
    read_label_pair,
    read_labelled_data,
    read_labels_table,
    read_rows,
    read_truth,
)
from coterie.data.missing import MISSING_POLICIES, Complete, check_policy, settle_missing
from coterie.data.prepared import PreparedRows, prepare_rows
from coterie.data.reading import options_of_text, read_table
from coterie.data.readings import ColumnReading
from coterie.data.scaling import AUTO, SCALINGS, Scaling, check_scale, fit_scaling
from coterie.data.table import Table

if TYPE_CHECKING:
    from coterie.data.polar import PolarCoordinates
    from coterie.data.whitening import Whitening

# Estimators, imported when they are asked for: scikit-learn's base classes take a second.
_ESTIMATORS = {"coterie.data.polar": ["PolarCoordinates"], "coterie.data.whitening": ["Whitening"]}

__all__ = [
    "AUTO",
    "DATE_PARTS",
    "MISSING_POLICIES",
    "SCALINGS",
    "ColumnChoice",
    "ColumnFacts",
    "ColumnReading",
    "Complete",
    "Inspection",
    "LabelPair",
    "LabelledData",
    "LeftOut",
    "Place",
    "PolarCoordinates",
    "PreparedRows",
    "Reading",
    "Scaling",
    "Table",
    "Whitening",
    "as_table",
    "check_dates",
    "check_policy",
    "check_scale",
    "fit_scaling",
    "hide_passwords",
    "inspect",
    "options_of_text",
    "prepare_rows",
    "read_label_pair",
    "read_labelled_data",
    "read_labels_table",
    "read_rows",
    "read_table",
    "read_truth",
    "settle_missing",
    "shown_name",
]

if not TYPE_CHECKING:  # to a type checker a module with __getattr__ has every name
    __getattr__ = lazy_names(__name__, _ESTIMATORS)


def __dir__() -> list[str]:
    return sorted(__all__)
