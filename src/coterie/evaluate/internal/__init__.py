"""Internal evaluation: a clustering by itself, from the data and the labels."""

from coterie.evaluate.internal.assess import Assessment, assess
from coterie.evaluate.internal.centroids import squared_to_own as squared_to_own
from coterie.evaluate.internal.centroids import weighted_means as weighted_means
from coterie.evaluate.internal.density_validity import dbcv, s_dbw
from coterie.evaluate.internal.dispersion import davies_bouldin_score, dispersions
from coterie.evaluate.internal.distance_pairs import (
    c_index,
    cophenetic_correlation,
    gamma,
    point_biserial,
    tau,
)
from coterie.evaluate.internal.dunn import dunn_score
from coterie.evaluate.internal.partitions import SampleGroups as SampleGroups
from coterie.evaluate.internal.partitions import read_partition as read_partition
from coterie.evaluate.internal.sampling import Estimate
from coterie.evaluate.internal.silhouettes import Silhouette, silhouette, silhouette_samples, silhouette_score
from coterie.evaluate.internal.simplified_silhouettes import (
    medoid_silhouette_score,
    simplified_silhouette_score,
)
from coterie.evaluate.internal.sums_of_squares import (
    ball_hall,
    bss,
    calinski_harabasz_score,
    hartigan,
    sse,
    tss,
    wcss,
    xie_beni_score,
)

# What other rooms need of the parts that measures are made of; `__all__` lists the measures.
__all__ = [
    "Assessment",
    "Estimate",
    "Silhouette",
    "assess",
    "ball_hall",
    "bss",
    "c_index",
    "calinski_harabasz_score",
    "cophenetic_correlation",
    "davies_bouldin_score",
    "dbcv",
    "dispersions",
    "dunn_score",
    "gamma",
    "hartigan",
    "medoid_silhouette_score",
    "point_biserial",
    "s_dbw",
    "silhouette",
    "silhouette_samples",
    "silhouette_score",
    "simplified_silhouette_score",
    "sse",
    "tau",
    "tss",
    "wcss",
    "xie_beni_score",
]

# for other rooms of the package
from coterie.evaluate.internal.assess import Finding as Finding
from coterie.evaluate.internal.centroids import Scatter as Scatter
from coterie.evaluate.internal.centroids import squared_between as squared_between
from coterie.evaluate.internal.cut_curves import CutCurve as CutCurve
from coterie.evaluate.internal.silhouettes import coefficients as coefficients
from coterie.evaluate.internal.spaces import GroupSums as GroupSums
from coterie.evaluate.internal.spaces import Space as Space
from coterie.evaluate.internal.spaces import read_space as read_space
from coterie.evaluate.internal.spaces import reduce_sums as reduce_sums
