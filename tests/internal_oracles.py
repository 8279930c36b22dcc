"""Slow and obvious internal measures: loops over samples and pairs."""

from itertools import combinations, product

import numpy as np
from scipy.spatial.distance import cdist


def groups_of(labels):
    """Rows of each label, in the order of the labels."""
    return [np.flatnonzero(np.asarray(labels) == label) for label in sorted(set(labels))]


def silhouettes(D, labels):
    """Return a, b, and (b - a) / max(a, b) of every sample."""
    groups = groups_of(labels)
    rows = []
    for i, label in enumerate(labels):
        own = [j for j in range(len(labels)) if labels[j] == label and j != i]
        b = min(D[i, group].mean() for group in groups if labels[group[0]] != label)
        a = D[i, own].mean() if own else 0.0
        rows.append((a, b, (b - a) / max(a, b) if own and max(a, b) > 0 else 0.0))
    return np.array(rows).T


def centroids_of(X, labels):
    """Mean row of each group."""
    return np.array([X[group].mean(axis=0) for group in groups_of(labels)])


def within(X, labels, kind):
    """Dispersion of each cluster."""
    values = []
    for group in groups_of(labels):
        D = cdist(X[group], X[group])
        to_centroid = np.linalg.norm(X[group] - X[group].mean(axis=0), axis=1)
        pairs = [D[i, j] for i, j in combinations(range(len(group)), 2)] or [0.0]
        values.append(
            {
                "diameter": max(pairs),
                "mean_pairwise": np.mean(pairs),
                "mean_to_centroid": to_centroid.mean(),
                "rms_to_centroid": np.sqrt((to_centroid**2).mean()),
                "radius": to_centroid.max(),
                "sse": (to_centroid**2).sum(),
            }[kind]
        )
    return np.array(values)


def between(X, labels, kind):
    """Dissimilarities of all pairs of clusters."""
    values = []
    for first, second in combinations(groups_of(labels), 2):
        D = cdist(X[first], X[second])
        values.append(
            {
                "min": D.min(),
                "max": D.max(),
                "mean": D.mean(),
                "centroid": np.linalg.norm(X[first].mean(axis=0) - X[second].mean(axis=0)),
                "hausdorff": max(D.min(axis=0).max(), D.min(axis=1).max()),
            }[kind]
        )
    return np.array(values)


def pairs(D, labels):
    """Distances within and between clusters."""
    inside, across = [], []
    for i, j in combinations(range(len(labels)), 2):
        (inside if labels[i] == labels[j] else across).append(D[i, j])
    return np.array(inside), np.array(across)


def order(D, labels):
    """Count the (within, between) with the one within smaller, and greater."""
    inside, across = pairs(D, labels)
    right = sum(w < b for w, b in product(inside, across))
    wrong = sum(w > b for w, b in product(inside, across))
    return right, wrong, len(inside), len(across)
