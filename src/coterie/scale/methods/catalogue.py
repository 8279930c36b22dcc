"""The methods that are fitted to all rows in blocks, by the names that the local ones have."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from coterie._support.progress import ProgressOption
from coterie._support.typing import Model
from coterie.errors import InvalidParameter
from coterie.pipeline.candidates import Candidate
from coterie.scale.methods.base import LazyEstimator
from coterie.scale.methods.dbscan import DBSCAN
from coterie.scale.methods.gaussian_mixture import GaussianMixture
from coterie.scale.methods.kmeans import KMeans
from coterie.scale.methods.kmedoids import KMedoids
from coterie.scale.methods.latent_classes import LatentClasses
from coterie.scale.methods.minibatch import MiniBatchKMeans

# class, and the parameters of the local class that mean the same here
METHODS: Mapping[str, tuple[Callable[..., LazyEstimator], tuple[str, ...]]] = {
    "kmeans": (KMeans, ("n_clusters", "max_iter", "tol", "random_state")),
    "minibatch-kmeans": (MiniBatchKMeans, ("n_clusters", "random_state")),
    "mixture": (
        GaussianMixture,
        ("n_components", "covariance_type", "tol", "reg_covar", "max_iter", "random_state"),
    ),
    "latent-classes": (
        LatentClasses,
        ("n_components", "categorical", "tol", "max_iter", "n_init", "reg_covar", "random_state"),
    ),
    "kmedoids": (KMedoids, ("n_clusters", "metric", "random_state")),
    "dbscan": (DBSCAN, ("min_samples", "metric")),
}
# parameters that only the local class has: they say how a start is found, on a sample
OF_START = {
    "kmeans": ("init", "algorithm", "copy_x"),
    "mixture": ("init_params", "weights_init", "means_init", "precisions_init"),
}


def refuse_settings(method: str, settings: Iterable[str]) -> None:
    """Refuse parameters of a local class that its class for blocks does not have."""
    if method not in METHODS:
        return  # it is fitted to a sample by the local class
    known = [*METHODS[method][1], *OF_START.get(method, ()), *(["eps"] if method == "dbscan" else [])]
    for name in settings:
        if name not in known:
            raise InvalidParameter(
                f"{name} cannot be set for {method} in blocks. These can: {', '.join(known)}."
            )


def is_fitted_to_all(method: str, distance: str | None) -> bool:
    """Return whether a method is fitted to all rows; others are fitted to a sample, and place the rest."""
    return method in METHODS and (distance is None or "metric" in METHODS[method][1])


def takes_checkpoint(method: str, distance: str | None = None) -> bool:
    """Return whether a fit can be saved pass by pass.

    Examples
    --------
    >>> takes_checkpoint("kmeans"), takes_checkpoint("dbscan")
    (True, False)
    """
    return is_fitted_to_all(method, distance) and "checkpoint" in METHODS[method][0]().get_params()


def estimator_of(winner: Candidate, progress: ProgressOption, **more: object) -> Model:
    """Return the estimator of a winner for all rows."""
    kind, shared = METHODS[winner.method]
    parameters = {name: winner.parameters[name] for name in shared if name in winner.parameters}
    given = {name: value for name, value in more.items() if value is not None}
    return kind(**{**parameters, **given}, progress=progress)
