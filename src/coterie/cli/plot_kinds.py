"""The catalogue of plots on the command line: a line per kind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from coterie._support.typing import AnyFunction
from coterie._support.validation import unknown_name
from coterie.cli import plot_drawings as drawings

if TYPE_CHECKING:
    from coterie.pipeline import FitRequest

IMAGE_SUFFIXES = (".png", ".svg", ".pdf")
MOVING_SUFFIXES = (".gif", ".html")


@dataclass(frozen=True)
class PlotKind:
    """One kind of plot."""

    name: str  # the name of the function of `coterie.show.plots`
    summary: str  # what it shows
    # ``draw(subject) -> Axes or Figure``; for moving pictures ``draw(subject, path, force)``
    draw: AnyFunction
    suffixes: tuple[str, ...] = IMAGE_SUFFIXES  # endings of files that it can be written to
    # what it is about: groups of DATA or MODEL, which are found where -k does not say how many; its rows
    # alone; an image file; nothing
    needs: str = "groups"
    method: str | None = None  # the method that finds the groups when the command line names none; None: any
    categories: bool = False  # whether it draws categories: as columns of 0 and 1, or in a tree

    def takes_categories(self, request: FitRequest) -> bool:
        """Return whether categories are drawn: pictures of rows need a distance that takes them."""
        from coterie.distance.mixed import takes_categories

        if not self.categories or request.is_precomputed:
            return False
        if self.needs == "rows":
            return request.distance is not None and takes_categories(request.distance)
        return request.takes_categories


def find_kind(name: str) -> PlotKind:
    """Return a kind by its name; ``-`` stands for ``_`` too.

    Examples
    --------
    >>> find_kind("kmeans-steps").name
    'kmeans_steps'
    """
    wanted = name.replace("-", "_")
    for kind in KINDS:
        if kind.name == wanted:
            return kind
    raise unknown_name("plot", name, [kind.name for kind in KINDS], listed_by="coterie plots")


KINDS: tuple[PlotKind, ...] = (
    PlotKind("scatter", "groups in the first two columns", drawings.scatter, categories=True),
    PlotKind(
        "clusplot", "groups on two principal components, with ellipses", drawings.clusplot, categories=True
    ),
    PlotKind("map", "groups on a map, from latitude and longitude", drawings.map, categories=True),
    PlotKind(
        "embedding", "groups on a 2-D map of the nearest-neighbour graph", drawings.embedding, categories=True
    ),
    PlotKind("regions", "decision regions: the group that new rows would get", drawings.regions),
    PlotKind("kmeans_steps", "a run of k-means, step by step", drawings.kmeans_steps, method="kmeans"),
    PlotKind(
        "kmeans_animation",
        "a run of k-means, animated (.gif or .html)",
        drawings.kmeans_animation,
        MOVING_SUFFIXES,
        method="kmeans",
    ),
    PlotKind("seeding_steps", "how k-means++ picked its start", drawings.seeding_steps, method="kmeans"),
    PlotKind("mixture", "ellipses of a Gaussian mixture", drawings.mixture, method="mixture"),
    PlotKind(
        "responsibilities",
        "soft memberships of the rows",
        drawings.responsibilities,
        method="mixture",
    ),
    PlotKind("u_matrix", "U-matrix of a self-organizing map", drawings.u_matrix, method="som"),
    PlotKind(
        "dendrogram", "dendrogram of the rows, cut at -k", drawings.dendrogram, needs="rows", categories=True
    ),
    PlotKind("linkages", "dendrograms of six linkages", drawings.linkages, needs="rows"),
    PlotKind("clustermap", "the table as a heat map, with trees", drawings.clustermap, needs="rows"),
    PlotKind("radial_tree", "dendrogram, radial", drawings.radial_tree, needs="rows", categories=True),
    PlotKind(
        "phylogram", "rooted tree with branch lengths", drawings.phylogram, needs="rows", categories=True
    ),
    PlotKind("unrooted_tree", "unrooted tree", drawings.unrooted_tree, needs="rows", categories=True),
    PlotKind(
        "impurity_curves", "which linkage fits the classes of --truth", drawings.impurity_curves, needs="rows"
    ),
    PlotKind("shepard", "Shepard plot: tree distances against distances", drawings.shepard, needs="rows"),
    PlotKind(
        "tanglegram",
        "dendrograms of --linkage and of single linkage, face to face",
        drawings.tanglegram,
        needs="rows",
        categories=True,
    ),
    PlotKind("elbow", "elbow plot: distortion over k", drawings.elbow, needs="rows"),
    PlotKind("silhouette_curve", "the mean silhouette over k", drawings.silhouette_curve, needs="rows"),
    PlotKind("gap", "gap statistic over k, with errors", drawings.gap, needs="rows"),
    PlotKind(
        "evidence_heatmap", "what every criterion says about every k", drawings.evidence_heatmap, needs="rows"
    ),
    PlotKind("alluvial", "how rows flow from group to group as k grows", drawings.alluvial, needs="rows"),
    PlotKind(
        "clustergram", "where the means of the groups go as k grows", drawings.clustergram, needs="rows"
    ),
    PlotKind(
        "silhouette",
        "silhouette plot: how well each row fits its group",
        drawings.silhouette,
        categories=True,
    ),
    PlotKind("profiles", "the means of the groups over the columns", drawings.profiles, categories=True),
    PlotKind(
        "parallel_coordinates",
        "groups across the columns, in their units",
        drawings.parallel_coordinates,
        categories=True,
    ),
    PlotKind(
        "contingency",
        "contingency table: groups against the classes of --truth",
        drawings.contingency,
        categories=True,
    ),
    PlotKind(
        "stability", "stability of each group over bootstrap resamples", drawings.stability, categories=True
    ),
    PlotKind("null_distribution", "the test against null data", drawings.null_distribution),
    PlotKind("reachability", "reachability plot of OPTICS", drawings.reachability, method="optics"),
    PlotKind("condensed_tree", "condensed tree of HDBSCAN", drawings.condensed_tree, method="hdbscan"),
    PlotKind(
        "k_distances", "sorted k-distances, to choose eps of DBSCAN", drawings.k_distances, needs="rows"
    ),
    PlotKind(
        "eigenvalues",
        "smallest eigenvalues of the graph Laplacian, and the eigengap",
        drawings.eigenvalues,
        method="spectral",
        needs="rows",
    ),
    PlotKind(
        "affinity", "affinity matrix of the rows, sorted by group", drawings.affinity, method="spectral"
    ),
    PlotKind("segmentation", "an image and its -k segments by colour", drawings.segmentation, needs="image"),
    PlotKind(
        "method_grid", "methods on toy sets, with times (no data)", drawings.method_grid, needs="nothing"
    ),
)
