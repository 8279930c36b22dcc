"""Rows of a few clouds, iris, and the covariances of a mixture written out."""

import numpy as np
from sklearn.datasets import load_iris

from coterie.cluster.mixture.families import FAMILIES

IRIS = load_iris().data
EXACT = {"tol": 1e-9, "max_iter": 2000, "reg_covar": 0.0}


def clouds(n=400, d=3, k=4, seed=0):
    rng = np.random.default_rng(seed)
    centres = rng.normal(scale=4, size=(k, d))
    stretch = rng.normal(size=(k, d, d)) * 0.5 + np.eye(d)
    label = rng.integers(k, size=n)
    return centres[label] + np.einsum("nij,nj->ni", stretch[label], rng.normal(size=(n, d)))


def matrices(model):
    """Covariances of every component as matrices, whatever the storage."""
    k, d = model.means_.shape
    storage = FAMILIES[model.covariance_type].storage
    if storage == "full":
        return model.covariances_
    if storage == "tied":
        return np.repeat(model.covariances_[None], k, axis=0)
    return np.array([np.eye(d) * np.broadcast_to(variances, d) for variances in model.covariances_])
