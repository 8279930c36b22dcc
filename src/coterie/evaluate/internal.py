"""Internal evaluation: a clustering by itself, from the data and the labels."""

from coterie.evaluate.silhouette_value import Silhouette
from coterie.evaluate.silhouettes import silhouette, silhouette_samples, silhouette_score

__all__ = [
    "Silhouette",
    "silhouette",
    "silhouette_samples",
    "silhouette_score",
]
