"""Rows with shapes, and Laplacians written out, for the tests of spectral methods."""

import numpy as np
from sklearn.datasets import make_blobs, make_circles, make_moons
from sklearn.metrics.pairwise import rbf_kernel

RINGS, RING = make_circles(500, factor=0.4, noise=0.04, random_state=0)
MOONS, MOON = make_moons(400, noise=0.06, random_state=0)
BLOBS, BLOB = make_blobs(400, centers=4, n_features=3, random_state=3)
LAPLACIANS = ("random_walk", "symmetric", "unnormalized")


def weights_of(X, gamma):
    W = rbf_kernel(X, gamma=gamma)
    np.fill_diagonal(W, 0.0)
    return W


def matrix_of(W, laplacian):
    """Write the Laplacian out."""
    degrees = W.sum(axis=1)
    if laplacian == "unnormalized":
        return np.diag(degrees) - W
    if laplacian == "symmetric":
        return np.eye(len(W)) - W / np.sqrt(np.outer(degrees, degrees))
    return np.eye(len(W)) - W / degrees[:, None]
