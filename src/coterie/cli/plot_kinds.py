"""The kinds of ``coterie plot``: what each shows, and how it is drawn from its subject."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from coterie._support.typing import AnyFunction
from coterie._support.validation import unknown_name
from coterie.cli import plot_values as values
from coterie.cli.plot_subject import ImageSubject, PlotSubject
from coterie.errors import InvalidParameter
from coterie.show import plots

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from coterie.pipeline import FitRequest

IMAGE_SUFFIXES = (".png", ".svg", ".pdf")
MOVING_SUFFIXES = (".gif", ".html")
MOST_EMBEDDED = 20_000  # rows on a map of near rows, a sample of more
LINKAGES = ("single", "complete", "average", "ward", "centroid", "median")


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


KINDS: list[PlotKind] = []  # in the order in which they are listed


def draws(summary: str, **facts: Any) -> Callable[[AnyFunction], AnyFunction]:
    """Enter the decorated function in the list: its name is that of the kind."""

    def enter(draw: AnyFunction) -> AnyFunction:
        KINDS.append(PlotKind(draw.__name__, summary, draw, **facts))
        return draw

    return enter


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


@draws("groups in the first two columns", categories=True)
def scatter(subject: PlotSubject) -> Axes:
    rows, labels = subject.rows, subject.labels
    is_known = ~np.isnan(rows.to_numpy()).any(axis=1)  # tables with categories keep missing cells
    return plots.scatter(
        rows.filter(is_known), labels[is_known], centers=subject.centers, names=subject.names
    )


@draws("groups on two principal components, with ellipses", categories=True)
def clusplot(subject: PlotSubject) -> Axes:
    rows = subject.rows if subject.mixed is None else subject.scaled  # where a missing cell is at the mean
    return plots.clusplot(rows, subject.labels, names=subject.names)


@draws("groups on a map, from latitude and longitude", categories=True)
def map(subject: PlotSubject) -> Axes:
    return plots.map(subject.places, subject.labels, names=subject.names)


@draws("groups on a 2-D map of the nearest-neighbour graph", categories=True)
def embedding(subject: PlotSubject) -> Axes:
    from coterie.show.layout.planes import near_plane

    some = values.some_rows(subject, MOST_EMBEDDED)
    found = near_plane(subject.scaled.to_numpy()[some], subject.request.seed)
    labels = subject.labels[some]
    return plots.embedding(
        found.places, labels, kind=found.name, names=subject.names, sample_of=len(subject.labels)
    )


@draws("decision regions: the group that new rows would get")
def regions(subject: PlotSubject) -> Axes:
    return plots.regions(subject.scaled, subject.numbered_model, names=subject.names)


def _history(subject: PlotSubject) -> Any:
    from coterie.cluster import KMeans

    if subject.k is None:
        raise InvalidParameter("k-means needs to know the number of groups: -k N, for example -k 5.")
    model = KMeans(subject.k, random_state=subject.request.seed, history=True)
    return model.fit(subject.scaled.to_numpy()).history_


@draws("a run of k-means, step by step", method="kmeans")
def kmeans_steps(subject: PlotSubject) -> Figure:
    return plots.kmeans_steps(subject.scaled, _history(subject))


@draws("a run of k-means, animated (.gif or .html)", suffixes=MOVING_SUFFIXES, method="kmeans")
def kmeans_animation(subject: PlotSubject, path: Path, force: bool) -> Path:
    return plots.kmeans_animation(subject.scaled, _history(subject), path, force=force)


@draws("how k-means++ picked its start", method="kmeans")
def seeding_steps(subject: PlotSubject) -> Figure:
    return plots.seeding_steps(subject.scaled, _history(subject))


@draws("ellipses of a Gaussian mixture", method="mixture")
def mixture(subject: PlotSubject) -> Axes:
    if not hasattr(subject.model, "covariances_"):
        raise values.wrong_model(subject, "draws Gaussian mixtures", "mixture")
    return plots.mixture(subject.scaled, subject.model, names=subject.model_names)


@draws("soft memberships of the rows", method="mixture")
def responsibilities(subject: PlotSubject) -> Axes:
    model, rows = subject.model, subject.scaled.to_numpy()
    soft = getattr(model, "predict_proba", getattr(model, "membership", None))
    if soft is None:
        raise values.wrong_model(subject, "draws soft memberships", "mixture")
    memberships, names = soft(rows), subject.model_names
    if names is not None:  # in the order of the groups
        memberships = memberships[:, np.argsort(subject.groups.numbers)]
        names = subject.names
    return plots.responsibilities(subject.scaled, memberships, names=names)


@draws("U-matrix of a self-organizing map", method="som")
def u_matrix(subject: PlotSubject) -> Axes:
    from coterie.cluster import SelfOrganizingMap

    if not isinstance(subject.model, SelfOrganizingMap):
        raise values.wrong_model(subject, "draws self-organizing maps", "som")
    return plots.u_matrix(subject.model, names=subject.model_names)


@draws("dendrogram of the rows, cut at -k", needs="rows", categories=True)
def dendrogram(subject: PlotSubject) -> Axes:
    return plots.dendrogram(subject.tree, cut=subject.k)


@draws("dendrograms of six linkages", needs="rows")
def linkages(subject: PlotSubject) -> Figure:
    return plots.linkages({name: subject.tree_by(name) for name in LINKAGES}, cut=subject.k)


@draws("the table as a heat map, with trees", needs="rows")
def clustermap(subject: PlotSubject) -> Figure:
    from coterie.tree import Dendrogram, linkage

    columns = linkage(subject.scaled.to_numpy().T, "average") if len(subject.columns) > 1 else None
    tree = None if columns is None else Dendrogram.from_linkage(columns, names=subject.columns)
    return plots.clustermap(subject.rows, subject.tree, tree, cut=subject.k)


@draws("dendrogram, radial", needs="rows", categories=True)
def radial_tree(subject: PlotSubject) -> Axes:
    return plots.radial_tree(subject.tree, cut=subject.k)


@draws("rooted tree with branch lengths", needs="rows", categories=True)
def phylogram(subject: PlotSubject) -> Axes:
    return plots.phylogram(subject.tree, cut=subject.k)


@draws("unrooted tree", needs="rows", categories=True)
def unrooted_tree(subject: PlotSubject) -> Axes:
    return plots.unrooted_tree(subject.tree, cut=subject.k)


@draws("which linkage fits the classes of --truth", needs="rows")
def impurity_curves(subject: PlotSubject) -> Axes:
    from coterie.evaluate import compare_linkages

    trees = {name: subject.tree_by(name) for name in LINKAGES}
    return plots.impurity_curves(compare_linkages(subject.scaled, subject.truth, linkages=trees))


@draws("Shepard plot: tree distances against distances", needs="rows")
def shepard(subject: PlotSubject) -> Axes:
    from scipy.spatial.distance import pdist

    heights = subject.tree.cophenetic()  # first: it refuses what does not fit in memory
    return plots.shepard(pdist(subject.scaled.to_numpy()), heights)


@draws("dendrograms of --linkage and of single linkage, face to face", needs="rows", categories=True)
def tanglegram(subject: PlotSubject) -> Figure:
    from coterie.tree import untangled_pair

    names = ("single" if subject.request.linkage != "single" else "average", subject.request.linkage)
    first, second = (subject.tree_by(name) for name in names[::-1])
    return plots.tanglegram(*untangled_pair(first, second), cut=subject.k, names=names[::-1])


@draws("elbow plot: distortion over k", needs="rows")
def elbow(subject: PlotSubject) -> Axes:
    return plots.elbow(values.evidence(subject, ["elbow"]))


@draws("the mean silhouette over k", needs="rows")
def silhouette_curve(subject: PlotSubject) -> Axes:
    return plots.silhouette_curve(values.evidence(subject, ["silhouette"]))


@draws("gap statistic over k, with errors", needs="rows")
def gap(subject: PlotSubject) -> Axes:
    return plots.gap(values.evidence(subject, ["gap"]))


@draws("what every criterion says about every k", needs="rows")
def evidence_heatmap(subject: PlotSubject) -> Axes:
    return plots.evidence_heatmap(values.evidence(subject, None))


@draws("how rows flow from group to group as k grows", needs="rows")
def alluvial(subject: PlotSubject) -> Axes:
    return plots.alluvial(values.evidence(subject, ["silhouette", "elbow"]))


@draws("where the means of the groups go as k grows", needs="rows")
def clustergram(subject: PlotSubject) -> Axes:
    return plots.clustergram(values.evidence(subject, ["silhouette", "elbow"]), X=subject.scaled)


@draws("silhouette plot: how well each row fits its group", categories=True)
def silhouette(subject: PlotSubject) -> Axes:
    return plots.silhouette(values.silhouette(subject), names=subject.names)


@draws("the means of the groups over the columns", categories=True)
def profiles(subject: PlotSubject) -> Axes:
    return plots.profiles(values.profile(subject), names=subject.names)


@draws("groups across the columns, in their units", categories=True)
def parallel_coordinates(subject: PlotSubject) -> Axes:
    return plots.parallel_coordinates(subject.rows, subject.labels, names=subject.names)


@draws("contingency table: groups against the classes of --truth", categories=True)
def contingency(subject: PlotSubject) -> Axes:
    return plots.contingency(values.contingency(subject))


@draws("stability of each group over bootstrap resamples", categories=True)
def stability(subject: PlotSubject) -> Axes:
    return plots.stability(values.stability(subject), names=subject.names)


@draws("the test against null data")
def null_distribution(subject: PlotSubject) -> Axes:
    return plots.null_distribution(values.significance(subject))


@draws("reachability plot of OPTICS", method="optics")
def reachability(subject: PlotSubject) -> Axes:
    from coterie.cluster import OPTICS

    return plots.reachability(values.model_of(subject, OPTICS, "optics"), names=subject.names)


@draws("condensed tree of HDBSCAN", method="hdbscan")
def condensed_tree(subject: PlotSubject) -> Axes:
    from coterie.cluster import HDBSCAN

    return plots.condensed_tree(values.model_of(subject, HDBSCAN, "hdbscan"), names=subject.names)


@draws("sorted k-distances, to choose eps of DBSCAN", needs="rows")
def k_distances(subject: PlotSubject) -> Axes:
    return plots.k_distances(values.suggestion(subject))


@draws("smallest eigenvalues of the graph Laplacian, and the eigengap", method="spectral", needs="rows")
def eigenvalues(subject: PlotSubject) -> Axes:
    return plots.eigenvalues(values.spectral_model(subject))


@draws("affinity matrix of the rows, sorted by group", method="spectral")
def affinity(subject: PlotSubject) -> Axes:
    from coterie.cluster import SpectralClustering

    return plots.affinity(values.model_of(subject, SpectralClustering, "spectral"), names=subject.names)


@draws("an image and its -k segments by colour", needs="image")
def segmentation(subject: ImageSubject) -> Figure:
    from coterie.cluster import KMeans

    pixels = subject.pixels.reshape(-1, 3)
    model = KMeans(subject.k, random_state=subject.request.seed).fit(pixels)
    return plots.segmentation(subject.pixels, model)


@draws("methods on toy sets, with times (no data)", needs="nothing")
def method_grid(subject: None) -> Figure:
    from coterie.show.toys import run_grid, toy_sets

    return plots.method_grid(run_grid(toy_sets()))
