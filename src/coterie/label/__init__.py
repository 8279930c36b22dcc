"""Labels that clustering saves: which rows to label, labels for the others, and what that is worth."""

from coterie.label.choose import STRATEGIES, ToLabel, select_to_label
from coterie.label.propagate import UNLABELLED, Propagation, propagate_labels
from coterie.label.savings import LabelSavings, label_savings

__all__ = [
    "STRATEGIES",
    "UNLABELLED",
    "LabelSavings",
    "Propagation",
    "ToLabel",
    "label_savings",
    "propagate_labels",
    "select_to_label",
]
