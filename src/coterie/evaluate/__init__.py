"""Is this clustering good? Against the truth, and by itself."""

from coterie.evaluate import external, internal
from coterie.evaluate.anomalies import Anomalies, anomaly_scores
from coterie.evaluate.belief.consensus import Consensus, consensus_matrix
from coterie.evaluate.belief.nodes import NodeTest, NodeTests, node_significance
from coterie.evaluate.belief.permutation import permutation_significance
from coterie.evaluate.belief.significance import Significance, significance
from coterie.evaluate.belief.splits import split_significance
from coterie.evaluate.belief.stability import Stability, stability
from coterie.evaluate.belief.tendency import Hopkins, hopkins
from coterie.evaluate.catalogue import Measure, find_measure, measure, measures
from coterie.evaluate.external import *  # noqa: F403  (external.__all__ is the list of external measures)
from coterie.evaluate.external.run_matching import Drift, Matching, match
from coterie.evaluate.internal import *  # noqa: F403  (internal.__all__ is the list of internal measures)
from coterie.evaluate.internal.cut_curves import CutCurve, cut_curve
from coterie.evaluate.internal.linkage_comparison import LinkageComparison, compare_linkages
from coterie.evaluate.internal.modularity import modularity

__all__ = [
    "Anomalies",
    "Consensus",
    "CutCurve",
    "Drift",
    "Hopkins",
    "LinkageComparison",
    "Matching",
    "Measure",
    "NodeTest",
    "NodeTests",
    "Significance",
    "Stability",
    "anomaly_scores",
    "compare_linkages",
    "consensus_matrix",
    "cut_curve",
    "find_measure",
    "hopkins",
    "match",
    "measure",
    "measures",
    "modularity",
    "node_significance",
    "permutation_significance",
    "significance",
    "split_significance",
    "stability",
]
__all__ += external.__all__
__all__ += internal.__all__
