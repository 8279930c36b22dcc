"""Internal evaluation: a clustering by itself, from the data and the labels."""

from coterie.evaluate.assess import Assessment, assess
from coterie.evaluate.cophenetic import cophenetic_correlation
from coterie.evaluate.density_validity import dbcv, s_dbw
from coterie.evaluate.dispersion import davies_bouldin_score, dispersions
from coterie.evaluate.distance_correlations import point_biserial
from coterie.evaluate.distance_pairs import c_index, gamma, tau
from coterie.evaluate.dunn import dunn_score
from coterie.evaluate.sampling import Estimate
from coterie.evaluate.silhouette_value import Silhouette
from coterie.evaluate.silhouettes import silhouette, silhouette_samples, silhouette_score
from coterie.evaluate.simplified_silhouettes import medoid_silhouette_score, simplified_silhouette_score
from coterie.evaluate.sums_of_squares import (
    ball_hall,
    bss,
    calinski_harabasz_score,
    hartigan,
    sse,
    tss,
    wcss,
    xie_beni_score,
)

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
