"""How each kind of ``coterie plot`` is drawn: from its subject to Axes, a Figure, or a file that moves."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from coterie.cli import plot_values as values
from coterie.cli.plot_subject import ImageSubject, PlotSubject
from coterie.errors import InvalidParameter
from coterie.show import plots

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


MOST_EMBEDDED = 20_000  # rows on a map of near rows, a sample of more
LINKAGES = ("single", "complete", "average", "ward", "centroid", "median")


def scatter(subject: PlotSubject) -> Axes:
    rows, labels = subject.rows, subject.labels
    is_known = ~np.isnan(rows.to_numpy()).any(axis=1)  # tables with categories keep missing cells
    return plots.scatter(
        rows.filter(is_known), labels[is_known], centers=subject.centers, names=subject.names
    )


def clusplot(subject: PlotSubject) -> Axes:
    rows = subject.rows if subject.mixed is None else subject.scaled  # where a missing cell is at the mean
    return plots.clusplot(rows, subject.labels, names=subject.names)


def map(subject: PlotSubject) -> Axes:
    return plots.map(subject.places, subject.labels, names=subject.names)


def _history(subject: PlotSubject) -> Any:
    from coterie.cluster import KMeans

    if subject.k is None:
        raise InvalidParameter("k-means needs to know the number of groups: -k N, for example -k 5.")
    model = KMeans(subject.k, random_state=subject.request.seed, history=True)
    return model.fit(subject.scaled.to_numpy()).history_


def kmeans_steps(subject: PlotSubject) -> Figure:
    return plots.kmeans_steps(subject.scaled, _history(subject))


def kmeans_animation(subject: PlotSubject, path: Path, force: bool) -> Path:
    return plots.kmeans_animation(subject.scaled, _history(subject), path, force=force)


def seeding_steps(subject: PlotSubject) -> Figure:
    return plots.seeding_steps(subject.scaled, _history(subject))


def regions(subject: PlotSubject) -> Axes:
    return plots.regions(subject.scaled, subject.numbered_model, names=subject.names)


def mixture(subject: PlotSubject) -> Axes:
    if not hasattr(subject.model, "covariances_"):
        raise values.wrong_model(subject, "draws Gaussian mixtures", "mixture")
    return plots.mixture(subject.scaled, subject.model, names=subject.model_names)


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


def u_matrix(subject: PlotSubject) -> Axes:
    from coterie.cluster import SelfOrganizingMap

    if not isinstance(subject.model, SelfOrganizingMap):
        raise values.wrong_model(subject, "draws self-organizing maps", "som")
    return plots.u_matrix(subject.model, names=subject.model_names)


def dendrogram(subject: PlotSubject) -> Axes:
    return plots.dendrogram(subject.tree, cut=subject.k)


def radial_tree(subject: PlotSubject) -> Axes:
    return plots.radial_tree(subject.tree, cut=subject.k)


def phylogram(subject: PlotSubject) -> Axes:
    return plots.phylogram(subject.tree, cut=subject.k)


def unrooted_tree(subject: PlotSubject) -> Axes:
    return plots.unrooted_tree(subject.tree, cut=subject.k)


def linkages(subject: PlotSubject) -> Figure:
    return plots.linkages({name: subject.tree_by(name) for name in LINKAGES}, cut=subject.k)


def clustermap(subject: PlotSubject) -> Figure:
    from coterie.tree import Dendrogram, linkage

    columns = linkage(subject.scaled.to_numpy().T, "average") if len(subject.columns) > 1 else None
    tree = None if columns is None else Dendrogram.from_linkage(columns, names=subject.columns)
    return plots.clustermap(subject.rows, subject.tree, tree, cut=subject.k)


def impurity_curves(subject: PlotSubject) -> Axes:
    from coterie.evaluate import compare_linkages

    trees = {name: subject.tree_by(name) for name in LINKAGES}
    return plots.impurity_curves(compare_linkages(subject.scaled, subject.truth, linkages=trees))


def embedding(subject: PlotSubject) -> Axes:
    from coterie.show.layout.planes import near_plane

    some = values.some_rows(subject, MOST_EMBEDDED)
    found = near_plane(subject.scaled.to_numpy()[some], subject.request.seed)
    labels = subject.labels[some]
    return plots.embedding(
        found.places, labels, kind=found.name, names=subject.names, sample_of=len(subject.labels)
    )


def shepard(subject: PlotSubject) -> Axes:
    from scipy.spatial.distance import pdist

    heights = subject.tree.cophenetic()  # first: it refuses what does not fit in memory
    return plots.shepard(pdist(subject.scaled.to_numpy()), heights)


def tanglegram(subject: PlotSubject) -> Figure:
    from coterie.tree import untangled_pair

    names = ("single" if subject.request.linkage != "single" else "average", subject.request.linkage)
    first, second = (subject.tree_by(name) for name in names[::-1])
    return plots.tanglegram(*untangled_pair(first, second), cut=subject.k, names=names[::-1])


def segmentation(subject: ImageSubject) -> Figure:
    from coterie.cluster import KMeans

    pixels = subject.pixels.reshape(-1, 3)
    model = KMeans(subject.k, random_state=subject.request.seed).fit(pixels)
    return plots.segmentation(subject.pixels, model)


def method_grid(subject: None) -> Figure:
    from coterie.show.toys import run_grid, toy_sets

    return plots.method_grid(run_grid(toy_sets()))


def elbow(subject: PlotSubject) -> Axes:
    return plots.elbow(values.evidence(subject, ["elbow"]))


def silhouette_curve(subject: PlotSubject) -> Axes:
    return plots.silhouette_curve(values.evidence(subject, ["silhouette"]))


def gap(subject: PlotSubject) -> Axes:
    return plots.gap(values.evidence(subject, ["gap"]))


def evidence_heatmap(subject: PlotSubject) -> Axes:
    return plots.evidence_heatmap(values.evidence(subject, None))


def alluvial(subject: PlotSubject) -> Axes:
    return plots.alluvial(values.evidence(subject, ["silhouette", "elbow"]))


def clustergram(subject: PlotSubject) -> Axes:
    return plots.clustergram(values.evidence(subject, ["silhouette", "elbow"]), X=subject.scaled)


def silhouette(subject: PlotSubject) -> Axes:
    return plots.silhouette(values.silhouette(subject), names=subject.names)


def contingency(subject: PlotSubject) -> Axes:
    return plots.contingency(values.contingency(subject))


def profiles(subject: PlotSubject) -> Axes:
    return plots.profiles(values.profile(subject), names=subject.names)


def parallel_coordinates(subject: PlotSubject) -> Axes:
    return plots.parallel_coordinates(subject.rows, subject.labels, names=subject.names)


def stability(subject: PlotSubject) -> Axes:
    return plots.stability(values.stability(subject), names=subject.names)


def null_distribution(subject: PlotSubject) -> Axes:
    return plots.null_distribution(values.significance(subject))


def reachability(subject: PlotSubject) -> Axes:
    from coterie.cluster import OPTICS

    return plots.reachability(values.model_of(subject, OPTICS, "optics"), names=subject.names)


def condensed_tree(subject: PlotSubject) -> Axes:
    from coterie.cluster import HDBSCAN

    return plots.condensed_tree(values.model_of(subject, HDBSCAN, "hdbscan"), names=subject.names)


def k_distances(subject: PlotSubject) -> Axes:
    return plots.k_distances(values.suggestion(subject))


def eigenvalues(subject: PlotSubject) -> Axes:
    return plots.eigenvalues(values.spectral_model(subject))


def affinity(subject: PlotSubject) -> Axes:
    from coterie.cluster import SpectralClustering

    return plots.affinity(values.model_of(subject, SpectralClustering, "spectral"), names=subject.names)
