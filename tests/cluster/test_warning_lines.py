"""Warnings name the line that called into the package, whatever was called."""

import warnings

import numpy as np
import pytest

from coterie.cluster import (
    AgglomerativeClustering,
    BisectingKMeans,
    GaussianMixture,
    KernelKMeans,
    KMeans,
    KMedoids,
    MiniBatchKMeans,
    k_means,
)
from coterie.evaluate import rand_score

TWICE = np.repeat([[0.0, 1.0], [5.0, 5.0]], 8, axis=0)
ROWS = np.random.default_rng(0).normal(size=(16, 2))
APART = np.eye(16)
SPEAKERS = {
    "k-means": (lambda: KMeans(3, random_state=0), TWICE),
    "k-means, elkan": (lambda: KMeans(1, algorithm="elkan"), ROWS),
    "k-means, starts": (lambda: KMeans(2, init=ROWS[:2], n_init=3), ROWS),
    "bisecting k-means": (lambda: BisectingKMeans(3, random_state=0), TWICE),
    "mini-batch k-means": (lambda: MiniBatchKMeans(3, init_size=2, random_state=0), ROWS),
    "k-medoids": (lambda: KMedoids(3), TWICE),
    "kernel k-means": (lambda: KernelKMeans(3, random_state=0), TWICE),
    "kernel k-means, sigmoid": (lambda: KernelKMeans(2, kernel="sigmoid", gamma=9.0, random_state=0), ROWS),
    "kernel k-means, features": (lambda: KernelKMeans(3, method="nystroem", random_state=0), TWICE),
    "mixture": (lambda: GaussianMixture(2, max_iter=1, init_params="random", random_state=0), ROWS),
    "mixture, starts": (lambda: GaussianMixture(3, random_state=0), TWICE),
    "mixture, tiny": (lambda: GaussianMixture(2, random_state=0), ROWS * 1e-9),
    "agglomerative": (lambda: AgglomerativeClustering(2, connectivity=APART), ROWS),
}


@pytest.mark.parametrize("name", SPEAKERS)
@pytest.mark.parametrize("call", ["fit", "fit_predict", "fit_transform"])
def test_warnings_name_the_line_of_the_caller(name, call):
    """Law: a warning of fit, fit_predict or fit_transform points at the file that called it."""
    make, X = SPEAKERS[name]
    model = make()
    if not hasattr(model, call):
        return
    with warnings.catch_warnings(record=True, action="always") as caught:
        getattr(model, call)(X)
    assert caught
    assert {warning.filename for warning in caught} == {__file__}


def test_warnings_of_functions_name_the_line_of_the_caller():
    """Law: so do the warnings of functions."""
    with warnings.catch_warnings(record=True, action="always") as caught:
        k_means(TWICE, 3, random_state=0)
        rand_score(np.arange(4) / 3, [0, 0, 1, 1])
    assert len(caught) == 2
    assert {warning.filename for warning in caught} == {__file__}
