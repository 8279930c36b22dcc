"""The second half of the gallery: pictures of how many, how good, how sure, and of what a method saw."""

from __future__ import annotations

from gallery_entries import Entry

VALUE_SECTIONS: dict[str, tuple[Entry, ...]] = {
    "How many groups": (
        Entry(
            "elbow",
            "The distortion over k, with the knee.",
            """
from coterie.select import choose_k

evidence = choose_k(X, k=range(1, 11), random_state=0)
plots.elbow(evidence)
""",
        ),
        Entry(
            "silhouette_curve",
            "The mean silhouette over k, with its highest point.",
            """
plots.silhouette_curve(evidence)
""",
        ),
        Entry(
            "gap",
            "The gap statistic with standard errors, and the k that it chooses.",
            """
plots.gap(evidence)
""",
        ),
        Entry(
            "criterion",
            "Any other criterion of the evidence.",
            """
plots.criterion(evidence, "calinski_harabasz")
""",
        ),
        Entry(
            "evidence_heatmap",
            "What every criterion says about every k, what it chooses, and the verdict.",
            """
plots.evidence_heatmap(evidence)
""",
        ),
        Entry(
            "alluvial",
            "How rows flow from group to group as k grows: clean splits, or groups that mix.",
            """
plots.alluvial(evidence)
""",
        ),
        Entry(
            "clustergram",
            "Where the means of the groups go as k grows (Schonlau): far apart, or close together.",
            """
plots.clustergram(evidence, X=X)
""",
        ),
    ),
    "How good, how sure": (
        Entry(
            "silhouette",
            "A bar per row, sorted within groups; what points left is nearer to another. R's `pam` on iris.",
            """
from coterie.cluster import KMedoids
from coterie.evaluate import silhouette

medoids = KMedoids(3, method="pam").fit(iris)
plots.silhouette(silhouette(iris, medoids.labels_))
""",
        ),
        Entry(
            "contingency",
            "Groups against known classes, with the purity of each group.",
            """
from coterie.evaluate import contingency_table

names = load_iris().target_names
plots.contingency(contingency_table(names[species], medoids.labels_))
""",
        ),
        Entry(
            "profiles",
            "What the groups are like: their means over the columns, in standard deviations.",
            """
from coterie.pipeline import profile_groups

plots.profiles(profile_groups(iris.to_numpy(), medoids.labels_, list(iris.columns), 3))
""",
        ),
        Entry(
            "parallel_coordinates",
            "An axis per column in its own units: medians, the middle half of the rows, the rows.",
            """
plots.parallel_coordinates(iris, medoids)
""",
        ),
        Entry(
            "stability",
            "How well each group is recovered in bootstrap resamples.",
            """
from coterie.evaluate import stability

plots.stability(stability(KMeans(5, random_state=0), X, random_state=0))
""",
        ),
        Entry(
            "null_distribution",
            "A measure on null data, and where the observed value stands.",
            """
from coterie.evaluate import significance

plots.null_distribution(significance(KMeans(4, random_state=0), X, random_state=0))
""",
        ),
    ),
    "What density methods see": (
        Entry(
            "reachability",
            "The order of OPTICS: groups are valleys, the lines below are valleys within valleys.",
            """
from coterie.cluster import OPTICS

rng = np.random.default_rng(1)
noisy = np.vstack([X, rng.uniform(X.min(0), X.max(0), (25, 2))])
plots.reachability(OPTICS(min_samples=10, min_cluster_size=40).fit(noisy))
""",
        ),
        Entry(
            "condensed_tree",
            "The hierarchy of HDBSCAN: width is rows, depth is density, colours are the groups selected.",
            """
from coterie.cluster import HDBSCAN

plots.condensed_tree(HDBSCAN(min_cluster_size=15).fit(noisy))
""",
        ),
        Entry(
            "k_distances",
            "Choosing eps for DBSCAN: the knee of the sorted distances to the fifth neighbour.",
            """
from coterie.cluster import suggest_eps

plots.k_distances(suggest_eps(noisy, min_samples=5))
""",
        ),
    ),
    "What spectral clustering sees": (
        Entry(
            "eigenvalues",
            "The smallest eigenvalues of the Laplacian; the eigengap suggests the number of groups.",
            """
from coterie.cluster import SpectralClustering

spectral = SpectralClustering(4, n_components=10, gamma=0.5, random_state=0).fit(X)
plots.eigenvalues(spectral)
""",
        ),
        Entry(
            "affinity",
            "The affinity matrix, rows sorted by group: groups are blocks.",
            """
plots.affinity(SpectralClustering(4, gamma=0.5, random_state=0).fit(X))
""",
        ),
    ),
}
