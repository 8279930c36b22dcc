"""Reading tables and labels: the part of `coterie.data` that opens files."""

from coterie.data import (
    MISSING_POLICIES,
    ColumnChoice,
    Complete,
    LabelledData,
    LabelPair,
    LeftOut,
    Table,
    as_table,
    check_policy,
    read_label_pair,
    read_labelled_data,
    read_labels_table,
    read_rows,
    read_table,
    read_truth,
    settle_missing,
)

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
