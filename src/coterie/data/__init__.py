"""Files, frames and arrays become tables; tables become prepared rows: columns, missing values, scaling."""

from coterie.data.columns import ColumnChoice, LeftOut
from coterie.data.frames import as_table
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
from coterie.data.polar import PolarCoordinates
from coterie.data.scaling import AUTO, SCALINGS, Scaling, check_scale, fit_scaling
from coterie.data.table import PreparedRows, Table, prepare_rows, read_table
from coterie.data.whitening import Whitening

__all__ = [
    "AUTO",
    "MISSING_POLICIES",
    "SCALINGS",
    "ColumnChoice",
    "Complete",
    "LabelPair",
    "LabelledData",
    "LeftOut",
    "PolarCoordinates",
    "PreparedRows",
    "Scaling",
    "Table",
    "Whitening",
    "as_table",
    "check_policy",
    "check_scale",
    "fit_scaling",
    "prepare_rows",
    "read_label_pair",
    "read_labelled_data",
    "read_labels_table",
    "read_rows",
    "read_table",
    "read_truth",
    "settle_missing",
]
