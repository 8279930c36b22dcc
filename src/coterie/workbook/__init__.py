"""Workbooks: a log of operations on groups, from which every state follows; what the explorer edits."""

from coterie.workbook.apply import apply
from coterie.workbook.belief import Belief
from coterie.workbook.dataset import Dataset, Sample, open_dataset
from coterie.workbook.operations import KINDS, check_operation, is_long
from coterie.workbook.rowsets import LEFT_OUT, NOISE, pack_rows
from coterie.workbook.sets import SETS
from coterie.workbook.state import Group, Roles, State
from coterie.workbook.workbook import Workbook

__all__ = [
    "KINDS",
    "LEFT_OUT",
    "NOISE",
    "SETS",
    "Belief",
    "Dataset",
    "Group",
    "Roles",
    "Sample",
    "State",
    "Workbook",
    "apply",
    "check_operation",
    "is_long",
    "open_dataset",
    "pack_rows",
]
