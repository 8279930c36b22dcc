"""Everything that takes a sparse matrix, as functions of one; run as a script, damaged ones go through each.

A crash would take the tests with it, so this runs in a process of its own and prints a line per case.
"""

import json
import sys
import warnings

import numpy as np
from scipy import sparse

import coterie
from coterie import cluster, evaluate, prepare, select, tree
from coterie.errors import CoterieError
from memory_limit import limit_memory
from sparse_damage import DAMAGE, damaged, sound

MOST_MEMORY = 6 * 2**30
rng = np.random.default_rng(0)
places = rng.random((9, 9)) + np.repeat([[0.0], [4.0], [9.0]], 3, axis=0)
GRAPH = np.abs(places[:, None, 0] - places[None, :, 0]) + 0.1
np.fill_diagonal(GRAPH, 0.0)
LABELS = np.arange(9) // 3
DENSE = np.ascontiguousarray(places)


def new_rows(model):
    """Return the door of `predict`, behind a fit to sparse rows."""
    fitted = model.fit(sparse.csr_array(DENSE))
    return fitted.predict


DOORS = {
    "KMeans": lambda S: cluster.KMeans(3, random_state=0).fit(S),
    "KMeans init": lambda S: cluster.KMeans(9, init=S, n_init=1).fit(DENSE),
    "KMeans predict": lambda S: new_rows(cluster.KMeans(3, random_state=0))(S),
    "KMeans transform": lambda S: cluster.KMeans(3, random_state=0).fit(DENSE).transform(S),
    "KMeans score": lambda S: cluster.KMeans(3, random_state=0).fit(DENSE).score(S),
    "MiniBatchKMeans": lambda S: cluster.MiniBatchKMeans(3, random_state=0).fit(S),
    "MiniBatchKMeans partial_fit": lambda S: cluster.MiniBatchKMeans(3, random_state=0).partial_fit(S),
    "BisectingKMeans": lambda S: cluster.BisectingKMeans(3, random_state=0).fit(S),
    "BisectingKMeans predict": lambda S: new_rows(cluster.BisectingKMeans(3, random_state=0))(S),
    "HierarchicalKMeans": lambda S: cluster.HierarchicalKMeans(3, random_state=0).fit(S),
    "Birch": lambda S: cluster.Birch(n_clusters=3).fit(S),
    "Birch partial_fit": lambda S: cluster.Birch(n_clusters=3).partial_fit(S),
    "Birch predict": lambda S: new_rows(cluster.Birch(n_clusters=3))(S),
    "DBSCAN": lambda S: cluster.DBSCAN(2.0, min_samples=2).fit(S),
    "DBSCAN predict": lambda S: new_rows(cluster.DBSCAN(2.0, min_samples=2))(S),
    "DBSCAN of a graph": lambda S: cluster.DBSCAN(2.0, metric="precomputed").fit(S),
    "HDBSCAN": lambda S: cluster.HDBSCAN(min_cluster_size=2).fit(S),
    "HDBSCAN predict": lambda S: new_rows(cluster.HDBSCAN(min_cluster_size=2))(S),
    "HDBSCAN predict float32": lambda S: new_rows(cluster.HDBSCAN(min_cluster_size=2))(as_float32(S)),
    "HDBSCAN of a graph": lambda S: cluster.HDBSCAN(min_cluster_size=2, metric="precomputed").fit(S),
    "OPTICS": lambda S: cluster.OPTICS(min_samples=2).fit(S),
    "OPTICS predict": lambda S: new_rows(cluster.OPTICS(min_samples=2))(S),
    "OPTICS of a graph": lambda S: cluster.OPTICS(min_samples=2, metric="precomputed").fit(S),
    "SpectralClustering": lambda S: cluster.SpectralClustering(3, random_state=0).fit(S),
    "SpectralClustering of a graph": lambda S: cluster.SpectralClustering(
        3, affinity="precomputed", random_state=0
    ).fit(S),
    "LaplacianEigenmap": lambda S: cluster.LaplacianEigenmap(2, n_neighbors=4, random_state=0).fit(S),
    "AgglomerativeClustering connectivity": lambda S: cluster.AgglomerativeClustering(3, connectivity=S).fit(
        DENSE
    ),
    "FeatureAgglomeration connectivity": lambda S: cluster.FeatureAgglomeration(3, connectivity=S).fit(DENSE),
    "leiden": lambda S: cluster.leiden(S, directed=True),
    "Leiden of a graph": lambda S: cluster.Leiden(metric="similarity", directed=True).fit(S),
    "Leiden predict": lambda S: cluster.Leiden(metric="similarity").fit(GRAPH).predict(S),
    "k_means": lambda S: cluster.k_means(S, 3, random_state=0),
    "kmeans_plusplus": lambda S: cluster.kmeans_plusplus(S, 3, random_state=0),
    "dbscan": lambda S: cluster.dbscan(S, eps=2.0),
    "compute_optics_graph": lambda S: cluster.compute_optics_graph(S, min_samples=2),
    "spectral_clustering": lambda S: cluster.spectral_clustering(S, n_clusters=3, random_state=0),
    "linkage": lambda S: tree.linkage(S, "single", metric="precomputed"),
    "modularity": lambda S: evaluate.modularity(S, LABELS),
    "stability": lambda S: evaluate.stability(
        cluster.KMeans(3, random_state=0), S, n_resamples=2, random_state=0
    ),
    "silhouette_samples": lambda S: evaluate.silhouette_samples(S, LABELS),
    "silhouette_score of distances": lambda S: evaluate.silhouette_score(S, LABELS, metric="precomputed"),
    "davies_bouldin_score": lambda S: evaluate.davies_bouldin_score(S, LABELS),
    "dunn_score": lambda S: evaluate.dunn_score(S, LABELS),
    "contingency": lambda S: evaluate.ContingencyTable.from_matrix(S),
    "fit_scaling": lambda S: prepare.fit_scaling(S, "standard"),
    "compare_methods": lambda S: select.compare_methods(S, k=3, random_state=0),
    "coterie.fit": lambda S: coterie.fit(S, k=3),
}


GRAPHS = ("graph", "connectivity", "distances", "linkage", "modularity", "spectral_clustering")


def values_for(door):
    """Return what a door takes: distances of all rows, or rows."""
    return GRAPH if any(word in door for word in GRAPHS) and "compute" not in door else DENSE


def as_float32(S):
    """Return the matrix with values of 32 bits, its indices as they are."""
    if S.format in ("csr", "csc", "bsr", "coo", "dia"):
        S.data = S.data.astype(np.float32)
    return S


def outcome(door, matrix):
    """Return the class and the words of what a door says."""
    try:
        DOORS[door](matrix)
    except CoterieError as error:
        return ["refused", f"{type(error).__name__}: {error}"]
    except Exception as error:
        return ["foreign", f"{type(error).__name__}: {error}"]
    return ["taken", ""]


def matrix_for(door, case):
    """Return a matrix of a case in the values that a door takes."""
    if case == "wide":  # nothing, as wide as no method can be
        return sparse.csr_array(([1.0, 2.0], ([0, 1], [1, 2])), shape=(9, 10**9))
    return sound("csr", values=values_for(door)) if case == "sound" else damaged(case, values_for(door))


def main():
    """Print a line for every door and case."""
    warnings.simplefilter("ignore")
    limit_memory(MOST_MEMORY)
    for door in DOORS:
        for case in ("sound", "wide", *DAMAGE):
            print(json.dumps([door, case]), flush=True)  # before: a crash leaves its name
            print(json.dumps(outcome(door, matrix_for(door, case))), flush=True)


if __name__ == "__main__":
    sys.exit(main())
