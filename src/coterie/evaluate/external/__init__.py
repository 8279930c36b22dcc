"""External evaluation: a clustering against the truth, or against another clustering."""

from coterie.evaluate.external.clusters import (
    ClusterScores,
    cluster_f,
    cluster_f_score,
    cluster_precision,
    cluster_precision_score,
    cluster_recall,
    cluster_recall_score,
)
from coterie.evaluate.external.compare import Comparison, compare
from coterie.evaluate.external.contingency import ContingencyTable, contingency_matrix, contingency_table
from coterie.evaluate.external.entropies import entropy, expected_mutual_information
from coterie.evaluate.external.information import (
    adjusted_mutual_info_score,
    completeness_score,
    conditional_entropy,
    homogeneity_completeness_v_measure,
    homogeneity_score,
    mutual_info_score,
    normalized_information_distance,
    normalized_mutual_info_score,
    v_measure_score,
    variation_of_information,
)
from coterie.evaluate.external.matching import (
    centroid_index,
    centroid_index_of_centers,
    matched_accuracy,
    normalized_clustering_accuracy,
    pair_sets_index,
)
from coterie.evaluate.external.pair_scores import (
    adjusted_rand_score,
    fowlkes_mallows_score,
    pair_dice_score,
    pair_f_score,
    pair_jaccard_score,
    pair_precision_score,
    pair_recall_score,
    rand_score,
)
from coterie.evaluate.external.pairs import PairCounts, pair_confusion_matrix, pair_counts
from coterie.evaluate.external.sets import (
    bcubed_f,
    bcubed_precision,
    bcubed_recall,
    impurity,
    inverse_impurity,
    inverse_purity_score,
    purity_f_score,
    purity_score,
)
from coterie.evaluate.external.soft import (
    soft_adjusted_rand_score,
    soft_normalized_mutual_info_score,
    soft_pair_counts,
    soft_rand_score,
)

__all__ = [
    "ClusterScores",
    "Comparison",
    "ContingencyTable",
    "PairCounts",
    "adjusted_mutual_info_score",
    "adjusted_rand_score",
    "bcubed_f",
    "bcubed_precision",
    "bcubed_recall",
    "centroid_index",
    "centroid_index_of_centers",
    "cluster_f",
    "cluster_f_score",
    "cluster_precision",
    "cluster_precision_score",
    "cluster_recall",
    "cluster_recall_score",
    "compare",
    "completeness_score",
    "conditional_entropy",
    "contingency_matrix",
    "contingency_table",
    "entropy",
    "expected_mutual_information",
    "fowlkes_mallows_score",
    "homogeneity_completeness_v_measure",
    "homogeneity_score",
    "impurity",
    "inverse_impurity",
    "inverse_purity_score",
    "matched_accuracy",
    "mutual_info_score",
    "normalized_clustering_accuracy",
    "normalized_information_distance",
    "normalized_mutual_info_score",
    "pair_confusion_matrix",
    "pair_counts",
    "pair_dice_score",
    "pair_f_score",
    "pair_jaccard_score",
    "pair_precision_score",
    "pair_recall_score",
    "pair_sets_index",
    "purity_f_score",
    "purity_score",
    "rand_score",
    "soft_adjusted_rand_score",
    "soft_normalized_mutual_info_score",
    "soft_pair_counts",
    "soft_rand_score",
    "v_measure_score",
    "variation_of_information",
]

# for other rooms of the package
from coterie.evaluate.external.sets import purity_of as purity_of
