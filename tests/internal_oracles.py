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


def s_dbw(X, labels):
    """Scatter plus density between clusters, from the formulas of Halkidi and Vazirgiannis (2001)."""
    groups = groups_of(labels)
    k, centres = len(groups), centroids_of(X, labels)
    sigmas = [np.linalg.norm([np.mean((x - x.mean()) ** 2) for x in X[group].T]) for group in groups]
    scatter = np.mean(sigmas) / np.linalg.norm([np.mean((x - x.mean()) ** 2) for x in X.T])
    radius = np.sqrt(sum(sigmas)) / k

    def density(point, group):
        return sum(np.linalg.norm(X[i] - point) <= radius for i in group)

    total = 0.0
    for i, j in product(range(k), repeat=2):
        if i != j:
            both = [*groups[i], *groups[j]]
            most = max(density(centres[i], both), density(centres[j], both))
            total += density((centres[i] + centres[j]) / 2, both) / most if most else 0.0
    return scatter + total / (k * (k - 1))


def dbcv(D, labels, dimension):
    """Density-based validation from the definitions of Moulavi et al. (2014); noise is labelled -1.

    Where the definitions leave it open: of equally long edges the tree takes the one with the smaller plain
    distance; a cluster of two has no inner points, and all of its points and edges count.
    """
    groups = [group for group in groups_of(labels) if labels[group[0]] != -1 and len(group) > 1]
    core = {}
    for group in groups:
        for i in group:
            nearness = [D[i, j] ** -float(dimension) if D[i, j] > 0 else np.inf for j in group if j != i]
            core[i] = np.mean(nearness) ** (-1 / dimension)
    trees = [_spanning_tree(group, D, core) for group in groups]
    inner = [_inner_points(group, tree) for group, tree in zip(groups, trees, strict=True)]
    score = 0.0
    for at, (group, tree) in enumerate(zip(groups, trees, strict=True)):
        inside = [length for length, i, j in tree if {i, j} <= inner[at]] or [edge[0] for edge in tree]
        others = [j for other, points in enumerate(inner) if other != at for j in points]
        apart = min(max(D[i, j], core[i], core[j]) for i, j in product(inner[at], others))
        worse = max(apart, max(inside))
        score += len(group) / len(labels) * ((apart - max(inside)) / worse if worse else 0.0)
    return score


def _spanning_tree(group, D, core):
    """Edges (length, i, j) of Kruskal's tree of the mutual reachability distances."""
    edges = sorted((max(D[i, j], core[i], core[j]), D[i, j], i, j) for i, j in combinations(group, 2))
    component, tree = {i: i for i in group}, []
    for length, _, i, j in edges:
        old, new = component[i], component[j]
        if old != new:
            tree.append((length, i, j))
            component = {point: new if of == old else of for point, of in component.items()}
    return tree


def _inner_points(group, tree):
    degree = {i: sum(i in edge[1:] for edge in tree) for i in group}
    return {i for i in group if degree[i] > 1} or set(group)
