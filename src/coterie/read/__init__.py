"""Files become tables, tables become matrices: CSV, TSV, Parquet, Arrow, npy, npz."""

from coterie.read.columns import ColumnChoice, LeftOut
from coterie.read.frames import as_table
from coterie.read.labelled import LabelledData, read_labelled_data
from coterie.read.labels import LabelPair, read_label_pair, read_labels_table
from coterie.read.missing import MISSING_POLICIES, Complete, check_policy, settle_missing
from coterie.read.table import Table, read_table
from coterie.read.truth import read_rows, read_truth

__all__ = [
    "MISSING_POLICIES",
    "ColumnChoice",
    "Complete",
    "LabelPair",
    "LabelledData",
    "LeftOut",
    "Table",
    "as_table",
    "check_policy",
    "read_label_pair",
    "read_labelled_data",
    "read_labels_table",
    "read_rows",
    "read_table",
    "read_truth",
    "settle_missing",
]
