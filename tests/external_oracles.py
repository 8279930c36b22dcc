"""External measures as their definitions say, over samples and pairs: slow and obvious."""

from itertools import combinations, permutations
from math import log

import numpy as np
from hypothesis import strategies as st


def two_labelings(least=0, most=40, labels=None):
    """Two labelings of the same samples, with few or many clusters."""
    label = labels if labels is not None else st.one_of(st.integers(0, 3), st.integers(-2, 30))
    sample = st.tuples(label, label)
    return st.lists(sample, min_size=least, max_size=most).map(
        lambda samples: ([first for first, _ in samples], [second for _, second in samples])
    )


def sets_of(labels):
    """Return the members of each label, by sorted label."""
    return {label: {i for i, other in enumerate(labels) if other == label} for label in sorted(set(labels))}


def overlaps(labels_true, labels_pred):
    """Return the contingency table, one cell at a time."""
    classes, clusters = sets_of(labels_true), sets_of(labels_pred)
    cells = [[len(a & b) for b in clusters.values()] for a in classes.values()]
    return np.array(cells, dtype=np.int64).reshape(len(classes), len(clusters))


def pairs(labels_true, labels_pred):
    """Return TP, FP, FN, TN, looking at every pair."""
    counts = {(True, True): 0, (False, True): 0, (True, False): 0, (False, False): 0}
    for i, j in combinations(range(len(labels_true)), 2):
        counts[labels_true[i] == labels_true[j], labels_pred[i] == labels_pred[j]] += 1
    return counts[True, True], counts[False, True], counts[True, False], counts[False, False]


def purity(labels_true, labels_pred):
    """Return the share of samples of the largest class of their cluster."""
    classes = sets_of(labels_true).values()
    largest = [
        max(len(cluster & members) for members in classes) for cluster in sets_of(labels_pred).values()
    ]
    return sum(largest) / len(labels_true)


def bcubed_precision(labels_true, labels_pred):
    """Return the mean over samples of the share of their cluster that is of their class."""
    classes, clusters = sets_of(labels_true), sets_of(labels_pred)
    shares = [
        len(classes[a] & clusters[b]) / len(clusters[b])
        for a, b in zip(labels_true, labels_pred, strict=True)
    ]
    return float(np.mean(shares))


def conditional_entropy(labels_true, labels_pred):
    """Return the mean over samples of -log P(class | cluster)."""
    classes, clusters = sets_of(labels_true), sets_of(labels_pred)
    return float(
        np.mean(
            [
                -log(len(classes[a] & clusters[b]) / len(clusters[b]))
                for a, b in zip(labels_true, labels_pred, strict=True)
            ]
        )
    )


def best_matching(weights):
    """Return the greatest sum over one-to-one matchings of rows and columns, trying all of them."""
    weights = np.asarray(weights, dtype=float)
    if weights.shape[0] > weights.shape[1]:
        weights = weights.T
    rows = range(weights.shape[0])
    return max(
        sum(weights[i, j] for i, j in zip(rows, chosen, strict=True))
        for chosen in permutations(range(weights.shape[1]), weights.shape[0])
    )


def orphans(labels_true, labels_pred):
    """Return how many clusters are the most similar (Jaccard) of no class."""
    clusters = list(sets_of(labels_pred).values())
    chosen = set()
    for members in sets_of(labels_true).values():
        similarity = [len(members & cluster) / len(members | cluster) for cluster in clusters]
        chosen.add(similarity.index(max(similarity)))
    return len(clusters) - len(chosen)
