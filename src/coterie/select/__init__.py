"""How many clusters, and the evidence for it."""

from coterie.select import distortion, gaps, likelihood, resampling, separation, structure  # noqa: F401  # they fill the catalogue
from coterie.select.candidate import Candidate
from coterie.select.catalogue import Criterion, criteria, find_criterion
from coterie.select.choose import choose_k
from coterie.select.clustering import Clustering
from coterie.select.compare import MethodComparison, compare_methods
from coterie.select.curve import Curve
from coterie.select.evidence import Evidence
from coterie.select.fact import Fact
from coterie.select.fit import fit
from coterie.select.verdict import Verdict

__all__ = [
    "Candidate",
    "Clustering",
    "Criterion",
    "Curve",
    "Evidence",
    "Fact",
    "MethodComparison",
    "Verdict",
    "choose_k",
    "compare_methods",
    "criteria",
    "find_criterion",
    "fit",
]
