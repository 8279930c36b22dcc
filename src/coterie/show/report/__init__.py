"""The report: one HTML file that shows the groups, and whether to believe them."""

from coterie.show.report.facts import ReportFacts
from coterie.show.report.gather import gather
from coterie.show.report.given import report_labels
from coterie.show.report.render import render
from coterie.show.report.subject import Subject
from coterie.show.report.subjects import subject_of_labels
from coterie.show.report.write import write_report, write_subject

__all__ = [
    "ReportFacts",
    "Subject",
    "gather",
    "render",
    "report_labels",
    "subject_of_labels",
    "write_report",
    "write_subject",
]
