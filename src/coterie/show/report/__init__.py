"""The report: one HTML file that shows the groups, and whether to believe them."""

from coterie.show.report.build_facts import build_facts
from coterie.show.report.facts import ReportFacts
from coterie.show.report.graph_report import report_graph
from coterie.show.report.labels_report import report_labels, subject_of_labels
from coterie.show.report.render import render
from coterie.show.report.subject import ReportSubject
from coterie.show.report.texts_report import report_texts
from coterie.show.report.write import write_report, write_subject

__all__ = [
    "ReportFacts",
    "ReportSubject",
    "build_facts",
    "render",
    "report_graph",
    "report_labels",
    "report_texts",
    "subject_of_labels",
    "write_report",
    "write_subject",
]
