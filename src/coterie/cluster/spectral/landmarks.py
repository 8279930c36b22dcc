"""Spectral embedding through landmarks: a graph between rows and a few hundred centres, not among rows."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from coterie._support import scikit_learn
from coterie._support.linear_algebra import settle_signs
from coterie._support.stoppable import stoppable
from coterie._support.typing import Data, FloatArray, SparseData, Weights
from coterie.cluster.kmeans.kmeans import KMeans
from coterie.cluster.spectral.embedding import LEAST_FACTOR, Embedding, SolverOptions
from coterie.cluster.spectral.graphs import Affinity
from coterie.distance import k_nearest
from coterie.errors import InvalidParameter

ROWS_PER_LANDMARK = 20  # of the sample that landmarks are centres of
LANDMARK_ITERATIONS = 10
TAKES_LANDMARKS = ("rbf", "self_tuning", "nearest_neighbors")


@dataclass(frozen=True, eq=False)
class LandmarkMap:
    """Landmarks, and the coordinates that they pass on to rows.

    A row has a weight with each of its nearest landmarks, and its coordinates are the weighted mean of
    theirs.
    """

    landmarks: Data
    values: FloatArray  # (n_landmarks, n_components)

    def coordinates(self, X: Data, affinity: Affinity, laplacian: str) -> FloatArray:
        """Return the coordinates of rows, old or new."""
        weights = landmark_weights(X, self.landmarks, affinity)
        sums = np.asarray(weights.sum(axis=1)).ravel()
        found = np.asarray(weights @ self.values) / sums[:, None]
        return np.asarray(found * np.sqrt(sums)[:, None] if laplacian == "symmetric" else found)


def landmark_weights(X: Data, landmarks: Data, affinity: Affinity) -> SparseData:
    """Return the weights of rows with their nearest landmarks as CSR; no row is without any."""
    count = min(affinity.n_neighbors, len(landmarks))
    found = k_nearest(X, landmarks, count, n_jobs=affinity.n_jobs)
    squares = np.asarray(found.distance, dtype=np.float64) ** 2
    squares -= squares[:, :1]  # a row's common factor cancels, and nothing underflows
    if affinity.kind == "self_tuning":
        spread = np.asarray(found.distance, dtype=np.float64).mean(axis=1, keepdims=True) ** 2
        weights = np.exp(-squares / np.where(spread > 0, spread, 1.0))
    elif affinity.kind == "rbf":
        with np.errstate(over="ignore"):  # beyond all numbers a weight is 0
            weights = np.exp(-affinity.gamma * squares)
    else:
        weights = np.ones_like(squares)
    starts = np.arange(len(X) + 1) * count
    return sparse.csr_array((weights.ravel(), found.index.ravel(), starts), shape=(len(X), len(landmarks)))


def embed_by_landmarks(
    X: Data,
    masses: Weights | None,
    n_landmarks: int,
    affinity: Affinity,
    n_components: int,
    laplacian: str,
    options: SolverOptions,
) -> tuple[Embedding, LandmarkMap]:
    """Return the embedding of the graph between rows and landmarks.

    With B the weights, rows divided by their sums, ``B^T B`` is the graph of the landmarks by way of the
    rows, ``B^T M B`` where these have masses M; its eigenvectors, carried over by B, are those of the graph
    of both (see `li-2012` of the references).
    """
    _check(affinity, laplacian, n_landmarks, n_components, len(X))
    landmarks = _place_landmarks(X, masses, n_landmarks, options.seed)
    weights = landmark_weights(X, landmarks, affinity)
    row_sums = np.asarray(weights.sum(axis=1)).ravel()
    walks = sparse.csr_array(weights.multiply(1.0 / row_sums[:, None]))
    if masses is not None:
        weights = sparse.csr_array(weights.multiply(masses[:, None]))
    among = (weights.T @ walks).toarray()
    roots = np.sqrt(np.maximum(np.asarray(weights.sum(axis=0)).ravel(), np.finfo(np.float64).tiny))
    squares, vectors = stoppable(np.linalg.eigh, among / np.outer(roots, roots))
    missing = max(0, n_components + 1 - len(landmarks))  # fewer different rows than coordinates
    squares = np.pad(squares[::-1], (0, missing))
    factors = np.sqrt(np.clip(squares[: n_components + 1], 0.0, 1.0))
    kept = factors[:n_components]
    values = np.pad(vectors[:, ::-1], ((0, 0), (0, missing)))[:, :n_components] / roots[:, None]
    values = np.where(kept > LEAST_FACTOR, values / np.where(kept > LEAST_FACTOR, kept, 1.0), 0.0)
    passing = LandmarkMap(landmarks, settle_signs(values))
    coordinates = passing.coordinates(X, affinity, laplacian)
    n_parts = int((factors > 1 - 1e-9).sum())
    return Embedding(laplacian, 1.0 - factors, coordinates, max(n_parts, 1), 0), passing


def _place_landmarks(X: Data, masses: Weights | None, n_landmarks: int, seed: int) -> Data:
    """Return centres of the rows, or of a sample in which a row is as often as its mass lets expect."""
    size = min(len(X), n_landmarks * ROWS_PER_LANDMARK)
    sample, weights = X, masses
    if size < len(X):
        draws = np.random.default_rng(seed)
        if masses is None:
            sample = X[np.sort(draws.choice(len(X), size, replace=False))]
        else:
            counts = draws.multinomial(size, masses / masses.sum())
            sample, weights = X[counts > 0], counts[counts > 0].astype(np.float64)
            n_landmarks = min(n_landmarks, len(sample))
    model = KMeans(n_landmarks, n_init=1, max_iter=LANDMARK_ITERATIONS, random_state=seed)
    with warnings.catch_warnings():  # fewer different rows than landmarks are landmarks themselves
        warnings.simplefilter("ignore", scikit_learn.ConvergenceWarning)
        return np.ascontiguousarray(model.fit(sample, sample_weight=weights).cluster_centers_)


def _check(affinity: Affinity, laplacian: str, n_landmarks: int, n_components: int, n_rows: int) -> None:
    if affinity.kind not in TAKES_LANDMARKS:
        raise InvalidParameter(
            f"landmarks go with affinity {', '.join(TAKES_LANDMARKS)}, got affinity={affinity.kind!r}."
        )
    if laplacian == "unnormalized":
        raise InvalidParameter(
            'landmarks go with laplacian "random_walk" or "symmetric", got "unnormalized".'
        )
    if not n_components < n_landmarks <= n_rows:
        raise InvalidParameter(
            f"landmarks must be more than n_components={n_components} and at most n_samples={n_rows}, got "
            f"{n_landmarks}."
        )
