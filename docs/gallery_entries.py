"""The catalogue of the gallery: a picture, what it says, and the lines that draw it."""

from __future__ import annotations

from dataclasses import dataclass

PRELUDE = """
import numpy as np
from sklearn.datasets import load_iris, make_blobs

from coterie.cluster import KMeans
from coterie.show import plots
from coterie.tree import Dendrogram, linkage

iris = load_iris(as_frame=True).data
species = load_iris().target
X, _ = make_blobs(300, centers=4, cluster_std=1.2, random_state=3)
tree = Dendrogram.from_linkage(linkage(iris, "average"))
"""


@dataclass(frozen=True)
class Entry:
    """One picture of the gallery.

    Parameters
    ----------
    plot : str
        The function of `coterie.show.plots` that it shows; the picture is called after it.
    says : str
        What the picture says.
    code : str
        The lines that draw it; the last one is an expression: Axes, a Figure, or the path of a GIF.
    """

    plot: str
    says: str
    code: str


SECTIONS: dict[str, tuple[Entry, ...]] = {
    "Groups": (
        Entry(
            "scatter",
            "Rows in two columns, centroids, an ellipse about each group; noise is grey.",
            """
from coterie.cluster import DBSCAN

rng = np.random.default_rng(0)
noisy = np.vstack([X, rng.uniform(X.min(0), X.max(0), (25, 2))])
plots.scatter(noisy, DBSCAN(eps=0.9).fit(noisy), ellipses=0.95)
""",
        ),
        Entry(
            "clusplot",
            "Two principal components, how much they explain, the smallest ellipse about each group.",
            """
from coterie.cluster import KMedoids

plots.clusplot(iris, KMedoids(3, random_state=0).fit(iris))
""",
        ),
        Entry(
            "embedding",
            "A t-SNE map (or PCA, or a Laplacian eigenmap) in the colours of the groups.",
            """
from sklearn.manifold import TSNE

places = TSNE(perplexity=30, random_state=0).fit_transform(iris)
plots.embedding(places, KMeans(3, random_state=0).fit(iris), kind="t-SNE")
""",
        ),
        Entry(
            "map",
            "Places on a map of equal areas, with lines of latitude and longitude; no coastlines.",
            """
from coterie.cluster import DBSCAN

rng = np.random.default_rng(0)
towns = np.array([[-18.1, 178.4], [-13.8, -171.8], [-21.2, -175.2], [-17.6, 177.4]])
degrees = towns[rng.integers(4, size=600)] + rng.normal(0, 0.25, (600, 2))
degrees[:40] = rng.uniform([-23, 175], [-12, 190], (40, 2))
near = DBSCAN(40, metric="haversine", metric_params={"units": "degrees", "distances": "km"})
plots.map(degrees, near.fit(degrees))
""",
        ),
        Entry(
            "regions",
            "Decision regions: the Voronoi cells of k-means, or the regions of any model that predicts.",
            """
plots.regions(X, KMeans(4, random_state=0).fit(X))
""",
        ),
        Entry(
            "mixture",
            "The components of a Gaussian mixture.",
            """
from coterie.cluster import GaussianMixture

mixture = GaussianMixture(3, random_state=0).fit(iris)
plots.mixture(iris, mixture)
""",
        ),
        Entry(
            "responsibilities",
            "Soft memberships: how much each row belongs to each component.",
            """
close, _ = make_blobs(400, centers=3, cluster_std=3.2, random_state=7)
plots.responsibilities(close, GaussianMixture(3, random_state=0).fit(close))
""",
        ),
        Entry(
            "u_matrix",
            "A self-organizing map: dark ridges between groups, dots as large as the rows of a node.",
            """
from coterie.cluster import SelfOrganizingMap

som = SelfOrganizingMap(9, 12, layout="hexagonal", n_clusters=3).fit(iris)
plots.u_matrix(som)
""",
        ),
        Entry(
            "segmentation",
            "An image, its segments, and their borders.",
            """
from sklearn.datasets import load_sample_image

photo = load_sample_image("china.jpg")[::4, ::4]
plots.segmentation(photo, KMeans(6, random_state=0).fit(photo.reshape(-1, 3) / 255))
""",
        ),
    ),
    "K-means at work": (
        Entry(
            "kmeans_steps",
            "Start, assign, update, assign ... until nothing changes; J never rises.",
            """
model = KMeans(4, init=X[:4], history=True).fit(X)
plots.kmeans_steps(X, model, max_panels=8)
""",
        ),
        Entry(
            "kmeans_animation",
            "The same run, moving: a GIF, or a page with a player.",
            """
plots.kmeans_animation(X, model, "kmeans_animation.gif")
""",
        ),
        Entry(
            "seeding_steps",
            "K-means++: the probability of each row at each pick; rows far from all centres are likely.",
            """
plots.seeding_steps(X, KMeans(4, random_state=1, history=True).fit(X))
""",
        ),
    ),
    "Trees": (
        Entry(
            "dendrogram",
            "The merges of 150 rows, the last 49 of them drawn, coloured at the cut into three.",
            """
plots.dendrogram(tree, cut=3)
""",
        ),
        Entry(
            "linkages",
            "The same rows by six linkages.",
            """
names = ("single", "average", "complete", "ward", "centroid", "median")
trees = {name: Dendrogram.from_linkage(linkage(iris, name)) for name in names}
plots.linkages(trees, cut=3)
""",
        ),
        Entry(
            "impurity_curves",
            "Which linkage, and where to cut: impurity of clusters against that of classes, for every cut.",
            """
from coterie.evaluate import compare_linkages

plots.impurity_curves(compare_linkages(iris, species))
""",
        ),
        Entry(
            "clustermap",
            "A table as a heat map, rows and columns in the order of their trees.",
            """
standard = (iris - iris.mean()) / iris.std()
columns = Dendrogram.from_linkage(linkage(standard.T, "average"), names=list(iris.columns))
plots.clustermap(iris, tree, columns, cut=3)
""",
        ),
        Entry(
            "tanglegram",
            "Two trees of the same rows, face to face.",
            """
from coterie.tree import untangled_pair

some = iris[::5]
first, second = (Dendrogram.from_linkage(linkage(some, name)) for name in ("average", "complete"))
plots.tanglegram(*untangled_pair(first, second), cut=3, names=("average", "complete"))
""",
        ),
        Entry(
            "radial_tree",
            "A radial dendrogram.",
            """
plots.radial_tree(tree, cut=3)
""",
        ),
        Entry(
            "phylogram",
            "A phylogeny with branch lengths, and the support of its branches in percent.",
            """
from coterie.phylogeny import bootstrap, evolve, infer_tree, random_tree

samples = evolve(random_tree(24, random_state=3), 400, random_state=1)
phylogeny = bootstrap(samples, n_replicates=50).support(infer_tree(samples)).rooted_at_midpoint()
plots.phylogram(phylogeny, cut=4)
""",
        ),
        Entry(
            "unrooted_tree",
            "The same tree, unrooted.",
            """
from coterie.phylogeny import bootstrap, evolve, infer_tree, random_tree

samples = evolve(random_tree(24, random_state=3), 400, random_state=1)
phylogeny = bootstrap(samples, n_replicates=50).support(infer_tree(samples)).rooted_at_midpoint()
plots.unrooted_tree(phylogeny, cut=4)
""",
        ),
        Entry(
            "shepard",
            "How well a tree, or a map, keeps the distances.",
            """
from scipy.spatial.distance import pdist

plots.shepard(pdist(iris), tree.cophenetic())
""",
        ),
    ),
    "Time series": (
        Entry(
            "series_groups",
            "The series of each group, and the barycentre that k-means found for it.",
            """
from coterie.series import TimeSeriesKMeans

rng = np.random.default_rng(0)
t, shape = np.linspace(0, 1, 80), np.arange(90) % 3
shifted = t + rng.uniform(-0.06, 0.06, (90, 1))
waves = np.choose(
    shape[:, None],
    [np.sin(4 * np.pi * shifted), 3 * np.exp(-(((shifted - 0.5) / 0.1) ** 2)) - 1, 3 * shifted - 1.5],
)
series = waves + rng.normal(0, 0.15, waves.shape)
plots.series_groups(series, TimeSeriesKMeans(3, window=8, random_state=0).fit(series))
""",
        ),
        Entry(
            "warping",
            "Which points of two series DTW matches.",
            """
from coterie.series import dtw_path

t = np.linspace(0, 1, 60)
x, y = np.sin(4 * np.pi * t), np.sin(4 * np.pi * t**1.4)
plots.warping(x, y, dtw_path(x, y))
""",
        ),
    ),
    "Labels": (
        Entry(
            "label_savings",
            "How many labels clustering saves: accuracy by number of labels, for each way of choosing rows.",
            """
from sklearn.datasets import load_digits

from coterie.label import label_savings

pixels, digits = load_digits(return_X_y=True)
numbers = [10, 20, 50, 100, 200]
savings = label_savings(pixels / 16, digits, numbers, propagate=True, n_repeats=3, random_state=0)
plots.label_savings(savings)
""",
        ),
    ),
    "Methods": (
        Entry(
            "method_grid",
            "What nine methods make of six shapes, and how long each takes.",
            """
from coterie.show.toys import run_grid, toy_sets

plots.method_grid(run_grid(toy_sets()))
""",
        ),
    ),
}
