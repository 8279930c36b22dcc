"""Spectral clustering of a graph, as a function."""

from __future__ import annotations

from coterie._support.typing import Labels, MatrixLike, RandomState
from coterie.cluster.spectral.spectral import SpectralClustering


def spectral_clustering(
    affinity: MatrixLike,
    *,
    n_clusters: int = 8,
    n_components: int | None = None,
    eigen_solver: str | None = None,
    random_state: RandomState = None,
    n_init: int = 10,
    eigen_tol: float | str = "auto",
    assign_labels: str = "kmeans",
    verbose: bool = False,
) -> Labels:
    """Return the groups of a graph, given by its weights: `SpectralClustering` as a function.

    Parameters
    ----------
    affinity : array-like or sparse matrix of shape (n_samples, n_samples)
        Weights: symmetric, at least 0.
    n_clusters, n_components, eigen_solver, random_state, n_init, eigen_tol, assign_labels, verbose
        As in `SpectralClustering`.

    Examples
    --------
    >>> import numpy as np
    >>> weights = np.kron(np.eye(2), np.ones((3, 3))) + 0.01
    >>> labels = spectral_clustering(weights, n_clusters=2, random_state=0)
    >>> labels == labels[0]
    array([ True,  True,  True, False, False, False])
    """
    return (
        SpectralClustering(
            n_clusters,
            n_components=n_components,
            eigen_solver=eigen_solver,
            random_state=random_state,
            n_init=n_init,
            affinity="precomputed",
            eigen_tol=eigen_tol,
            assign_labels=assign_labels,
            verbose=verbose,
        )
        .fit(affinity)
        .labels_
    )
