"""What the page of a method says beside its docstring: the objective, when to use it, what it costs.

n is the number of rows, d of columns, k of groups.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class MethodFacts:
    """The facts of one method.

    Parameters
    ----------
    formula : str
        What it optimises, or what decides it, in LaTeX.
    use, avoid : str
        When to take it, and when another.
    time, memory : str
        How they grow.
    page : str
        The page of docs/ that tells more.
    data : str
        The rows of its picture: a function of `pictures.py`.
    settings : dict
        Parameters of its picture.
    """

    formula: str
    use: str
    avoid: str
    time: str
    memory: str
    page: str
    data: str
    settings: dict[str, Any] = field(default_factory=dict)


SSE = r"\min_{c_1, \ldots, c_k} \; \sum_{i=1}^{n} w_i \min_{j} \lVert x_i - c_j \rVert^2"
REACHABILITY = r"r(i, j) = \max\bigl(\mathrm{core}(i),\; \mathrm{core}(j),\; d(i, j)\bigr)"
ROWS_ONLY = "the rows, and a few numbers for each"
SQUARE = "n² distances"

FACTS: dict[str, MethodFacts] = {
    "kmeans": MethodFacts(
        SSE,
        "Groups that are round and of similar spread, any number of rows; the first thing to try.",
        "Long, curved or nested groups (Genie, spectral), noise (HDBSCAN), categories (k-prototypes).",
        "n k d for a pass over the rows, less where bounds show that a row stays; tens of passes",
        ROWS_ONLY,
        "kmeans.md",
        "clouds",
        {"n_clusters": 4, "random_state": 0},
    ),
    "minibatch-kmeans": MethodFacts(
        r"c_j \leftarrow c_j + \frac{1}{N_j}\,(x - c_j)",
        "Rows that arrive as a stream, or so many that there is time for one pass only.",
        "Rows that fit in memory: `KMeans` is fast enough and finds the better optimum.",
        "batch k d for a step",
        "one batch and the centres",
        "kmeans.md",
        "clouds",
        {"n_clusters": 4, "random_state": 0},
    ),
    "agglomerative": MethodFacts(
        r"\Delta(A, B) = \frac{|A|\,|B|}{|A| + |B|} \lVert c_A - c_B \rVert^2 \quad \text{(Ward)}",
        "Groups within groups, a tree to look at, any distance or only a matrix of them.",
        "Millions of rows (k-means, BIRCH); noise between the groups (HDBSCAN).",
        "about n² for most linkages; Ward, centroid and single linkage take less with few columns",
        "the rows for single, Ward, centroid and median linkage; n² distances for the others",
        "linkage.md",
        "clouds",
        {"n_clusters": 4},
    ),
    "genie": MethodFacts(
        r"G = \frac{\sum_{i<j} |s_i - s_j|}{(m - 1) \sum_i s_i} > g \;\Rightarrow\; "
        r"\text{the smallest of the } m \text{ clusters is merged next}",
        "Groups of any shape whose sizes do not differ by orders of magnitude, with k known.",
        "One large group with a few small ones; much noise (HDBSCAN).",
        "the spanning tree, then n log n",
        ROWS_ONLY,
        "linkage.md",
        "moons",
        {"n_clusters": 2},
    ),
    "diana": MethodFacts(
        r"\max_{i \in C} \; \Bigl(\tfrac{1}{|C| - 1} \sum_{j \in C} d(i, j) - "
        r"\tfrac{1}{|S|} \sum_{j \in S} d(i, j)\Bigr)",
        "A tree whose first splits matter most; the large structure of a few thousand rows.",
        "More than some ten thousand rows (bisecting k-means); fine detail (agglomerative clustering).",
        "n² for a level of the tree",
        SQUARE,
        "trees.md",
        "clouds",
        {"n_clusters": 4},
    ),
    "bisecting-kmeans": MethodFacts(
        SSE,
        "Many groups of many rows, or a tree of them, at the price of a few runs of k-means.",
        "Few groups: plain k-means reaches a lower SSE.",
        "n d log k, times the passes of a split",
        ROWS_ONLY,
        "hierarchical-kmeans.md",
        "clouds",
        {"n_clusters": 4, "random_state": 0},
    ),
    "hierarchical-kmeans": MethodFacts(
        SSE,
        "A whole tree, from all rows down to single ones, of more rows than linkage can take.",
        "Groups that are not round.",
        "n d log n, times the passes of a split",
        "the rows and the tree",
        "hierarchical-kmeans.md",
        "clouds",
        {"n_clusters": 4, "random_state": 0},
    ),
    "constrained-kmeans": MethodFacts(
        SSE + r" \quad \text{such that } l_j \le |C_j| \le u_j",
        "Groups that must have a size: teams, routes, batches; rows that must or must not be together.",
        "Sizes that do not matter: limits hide the structure of the data.",
        "k-means, and a transportation problem of n rows and k groups for each pass",
        "n k costs",
        "constraints.md",
        "clouds",
        {"n_clusters": 4, "size_min": 60, "size_max": 100, "random_state": 0},
    ),
    "birch": MethodFacts(
        r"\sqrt{\frac{1}{W} \sum_i w_i \lVert x_i - c \rVert^2} \le \text{threshold}",
        "One pass over rows from a stream or a file, when a summary of them is enough.",
        "Many columns, where a threshold says little; groups that are not round.",
        "n d log(subclusters), in one pass",
        "the subclusters",
        "birch.md",
        "clouds",
        {"n_clusters": 4, "threshold": 0.3},
    ),
    "dbscan": MethodFacts(
        r"|\{j : d(i, j) \le \varepsilon\}| \ge m \;\Rightarrow\; i \text{ is a core point}",
        "Groups of any shape and of similar density, with noise, in few columns.",
        "Groups of different densities (HDBSCAN); many columns, where all distances are alike.",
        "about n log n in few columns, n² in many",
        "the rows, whatever the radius",
        "density.md",
        "noisy_moons",
        {"eps": 0.18, "min_samples": 8},
    ),
    "hdbscan": MethodFacts(
        REACHABILITY,
        "Groups of any shape and of different densities, with noise, and no radius to choose.",
        "Every row needs a group (mode clustering, Genie); more than some 30 columns "
        '(`neighbors="approximate"`, or neighbour-graph communities).',
        "the spanning tree: about n log n in few columns, n² in many",
        ROWS_ONLY,
        "density.md",
        "noisy_moons",
        {"min_cluster_size": 20},
    ),
    "fuzzy": MethodFacts(
        r"J = \sum_i \sum_k u_{ik}^m \lVert x_i - c_k \rVert^2, \quad \sum_k u_{ik} = 1",
        "Round groups that overlap, with soft memberships, without a density model.",
        "Groups of different spread or shape (`mixture`); many columns, where all memberships become equal.",
        "n k d for an iteration",
        "the rows and n k memberships",
        "fuzzy.md",
        "clouds",
        {"n_clusters": 3, "random_state": 0},
    ),
    "som": MethodFacts(
        r"v_j = \frac{\sum_i h(j, c(i))\, x_i}{\sum_i h(j, c(i))}, \quad "
        r"h(j, l) = e^{-d(j, l)^2 / 2\sigma^2}",
        "A map to look at: similar rows at neighbouring nodes, ridges between groups.",
        "Labels alone: k-means or Ward's method give similar groups with fewer choices.",
        "n d for an epoch, times the nodes",
        "the rows and the nodes",
        "som.md",
        "clouds",
        {"n_rows": 6, "n_columns": 6, "n_clusters": 3},
    ),
    "optics": MethodFacts(
        REACHABILITY,
        "A picture of the densities at all radii before one is chosen.",
        "Labels alone: HDBSCAN is faster and needs fewer choices.",
        "n² without a radius",
        ROWS_ONLY,
        "density.md",
        "noisy_moons",
        {"min_samples": 10, "xi": 0.05, "min_cluster_size": 0.1},
    ),
    "modes": MethodFacts(
        r"\frac{\hat f(\text{lower peak}) - \hat f(\text{pass})}{\text{standard error}} "
        r"> \text{depth in one cloud}",
        "Modes of the density, of any shape; the number of groups is tested against a single cluster.",
        "More than some ten columns, where densities cannot be estimated.",
        "neighbours and a spanning tree: about n log n in few columns",
        "n times the neighbours",
        "fit.md",
        "moons",
        {},
    ),
    "mean-shift": MethodFacts(
        r"m \leftarrow \frac{1}{|N|} \sum_{i \in N} x_i, \quad N = \{i : \lVert x_i - m \rVert \le h\}",
        "Peaks of the density at one scale that is known, the radius h; pixels, places, counts of groups.",
        "Groups of different densities (HDBSCAN) or of curved shape (mode clustering); many columns.",
        "n log n per step in few columns, tens of steps; the radius alone, if it is not given, n²",
        ROWS_ONLY,
        "density.md",
        "clouds",
        {"bandwidth": 2.0},
    ),
    "mixture": MethodFacts(
        r"p(x) = \sum_{k} \pi_k \, \mathcal{N}(x;\, \mu_k, \Sigma_k)",
        "Elliptical groups of different spread that overlap; soft memberships; BIC for k.",
        "Curved groups; more columns than rows in a group (then a `diag` or `spherical` family).",
        "n k d² for an iteration with full covariances, n k d for the diagonal ones",
        "the rows and k d² parameters",
        "gaussian_mixture.md",
        "ellipses",
        {"n_components": 3, "random_state": 0},
    ),
    "bayesian-mixture": MethodFacts(
        r"\ln p(X) \ge \mathbb{E}_q[\ln p(X, \theta)] - \mathbb{E}_q[\ln q(\theta)]",
        "Elliptical groups of unknown number: k is an upper limit, superfluous components stay empty.",
        "Curved groups; when a fixed number and BIC are wanted (`mixture`).",
        "n k d² for an iteration with full covariances, n k d for the diagonal ones",
        "the rows and k d² parameters",
        "gaussian_mixture.md",
        "ellipses",
        {"n_components": 8, "weight_concentration_prior": 1e-3, "max_iter": 1000, "random_state": 0},
    ),
    "vmf": MethodFacts(
        r"p(x) = \sum_k \pi_k \, c(\kappa_k)\, e^{\kappa_k m_k^\top x}, \quad \lVert x \rVert = 1",
        "Directions: embeddings, word counts, anything that is compared by the cosine.",
        "Rows whose length matters.",
        "n k d for an iteration; sparse rows by their entries",
        "the rows and n k memberships",
        "embeddings.md",
        "directions",
        {"n_components": 3, "random_state": 0},
    ),
    "latent-classes": MethodFacts(
        r"p(x) = \sum_c \pi_c \prod_j p_{cj}(x_j)",
        "Tables of numbers and categories with missing cells, when columns are unrelated within a group.",
        "Redundant (correlated) columns: they look like groups.",
        "n k d for an iteration",
        "n k memberships",
        "mixed.md",
        "table",
        {"n_components": 3, "random_state": 0},
    ),
    "spectral": MethodFacts(
        r"\min_{Y^\top D Y = I} \; \operatorname{tr}(Y^\top L Y), \quad L = D - W",
        "Connected groups of any shape, or the communities of a graph, with k known.",
        "More than some 100,000 rows without landmarks; groups of very different sizes.",
        "the graph of neighbours, then k products with it for an iteration of the eigensolver",
        "n times the neighbours",
        "spectral.md",
        "rings",
        {"n_clusters": 2, "affinity": "nearest_neighbors", "random_state": 0},
    ),
    "leiden": MethodFacts(
        r"Q = \frac{1}{2m} \sum_{ij} \Bigl(W_{ij} - \gamma \frac{s_i s_j}{2m}\Bigr)\,[c_i = c_j]",
        "Networks, and neighbour graphs of many columns; the number of groups follows from the resolution.",
        "Rows of few columns with clear borders, which other methods describe better.",
        "about the number of edges, times the levels",
        "the edges",
        "networks.md",
        "clouds",
        {"random_state": 0},
    ),
    "embedding": MethodFacts(
        r"w_{ij} = a_{ij} + a_{ji} - a_{ij} a_{ji}, \quad a_{ij} = e^{-(d(i, j) - \rho_i)_+ / \sigma_i}",
        "Embeddings of language and image models: 50 to some thousand columns, up to millions of rows.",
        "Few columns, where HDBSCAN and mixtures do better.",
        "approximate neighbours, about n log n, and the communities of their graph",
        "n times the neighbours",
        "embeddings.md",
        "clouds",
        {"metric": "euclidean", "random_state": 0},
    ),
    "kmedoids": MethodFacts(
        r"\min_{m_1, \ldots, m_k} \; \sum_{i=1}^{n} w_i \min_j d(x_i, m_j), \quad m_j \text{ a row}",
        "Any distance, a typical row for every group, robustness to outliers.",
        "Hundreds of thousands of rows with a plain Euclidean distance (k-means).",
        "n² for a round of swaps",
        "n² distances, or the rows alone where distances are made again",
        "kmedoids.md",
        "clouds",
        {"n_clusters": 4, "random_state": 0},
    ),
    "affinity": MethodFacts(
        r"\max \; \sum_{i} s(i, e_i) \quad \text{so that } e_k = k \text{ wherever some } e_i = k",
        "Groups around typical rows (exemplars), from any similarities; no number of groups to choose.",
        "More than some ten thousand rows; a number of groups that is known (k-medoids).",
        "n² for an iteration, a few hundred of them",
        "n² similarities, and the messages that differ from those of their row and column",
        "affinity.md",
        "clouds",
        {"preference": -100, "damping": 0.9, "random_state": 0},
    ),
    "kmodes": MethodFacts(
        r"\min \; \sum_i w_i \sum_j [x_{ij} \ne m_{c(i) j}]",
        "Tables of categories only: answers of a survey, attributes of products.",
        "Numbers (k-prototypes), many categories that are rare.",
        "n k d for a pass",
        ROWS_ONLY,
        "mixed.md",
        "table",
        {"n_clusters": 3, "random_state": 0},
    ),
    "kprototypes": MethodFacts(
        r"\min \; \sum_i w_i \Bigl(\sum_{\text{numbers}} (x_{ij} - \mu_{c(i) j})^2 + \gamma "
        r"\sum_{\text{categories}} [x_{ij} \ne m_{c(i) j}]\Bigr)",
        "Tables of numbers and categories, with missing cells, any number of rows.",
        "Columns of different units that are not scaled; shares of a row in several groups (latent classes).",
        "n k d for a pass",
        ROWS_ONLY,
        "mixed.md",
        "table",
        {"n_clusters": 3, "random_state": 0},
    ),
    "kernel-kmeans": MethodFacts(
        r"\min \; \sum_i w_i \lVert \varphi(x_i) - \mu_{c(i)} \rVert^2, \quad "
        r"\varphi(x)^\top \varphi(y) = K(x, y)",
        "Curved borders, similarities that are a kernel: of strings, graphs, molecules.",
        "More than 20,000 rows without landmarks.",
        "n² for the kernel, then the columns of rows that move",
        "n² values of the kernel up to 20,000 rows, landmarks beyond",
        "kernel-kmeans.md",
        "rings",
        {"n_clusters": 2, "kernel": "rbf", "gamma": 8.0, "random_state": 0},
    ),
    "consensus": MethodFacts(
        r"M_{ij} = \frac{\text{runs in which } i \text{ and } j \text{ are together}}"
        r"{\text{runs that drew both}}",
        "Groups that many runs agree on, with a figure for every pair of rows.",
        "More than some ten thousand rows.",
        "n², and the runs of k-means",
        "n² shares",
        "belief.md",
        "clouds",
        {"n_clusters": 4, "random_state": 0},
    ),
}
