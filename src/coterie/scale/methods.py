"""The methods that run on rows of any number, by the names that the local ones have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from coterie.errors import InvalidParameter, did_you_mean
from coterie.scale.gaussian_mixture import GaussianMixture
from coterie.scale.kmeans import KMeans
from coterie.scale.kmedoids import KMedoids
from coterie.scale.minibatch import MiniBatchKMeans

METHODS: Mapping[str, Any] = {
    "kmeans": KMeans,
    "minibatch-kmeans": MiniBatchKMeans,
    "mixture": GaussianMixture,
    "kmedoids": KMedoids,
}


def make_estimator(method: str, k: int | None, **options: Any) -> Any:
    """Return the estimator of a method with k groups; options that it does not take are refused."""
    if method not in METHODS:
        near = did_you_mean(method, METHODS)
        raise InvalidParameter(
            f"method must be one of {', '.join(METHODS)} for rows in blocks, got {method}.{near}"
        )
    estimator = METHODS[method]()
    takes = estimator.get_params()
    count = next((name for name in ("n_clusters", "n_components") if name in takes), None)
    if count is not None and k is None:
        raise InvalidParameter(f"k must be given for {method}: how many groups?").in_shell(
            f"-k must be given for {method}: how many groups?"
        )
    if count is not None:
        options[count] = k
    for name, value in options.items():
        if value is not None and name not in takes:
            raise InvalidParameter(f"{name} is not taken by {method} on blocks. Leave it out.")
    return estimator.set_params(**{name: value for name, value in options.items() if value is not None})
