"""Names of the measures that scikit-learn's own tests call."""

SUPERVISED = (
    "adjusted_mutual_info_score",
    "adjusted_rand_score",
    "completeness_score",
    "fowlkes_mallows_score",
    "homogeneity_score",
    "mutual_info_score",
    "normalized_mutual_info_score",
    "rand_score",
    "v_measure_score",
)
UNSUPERVISED = (
    "calinski_harabasz_score",
    "davies_bouldin_score",
    "silhouette_score",
)
