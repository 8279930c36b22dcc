"""The catalogue of plots on the command line: a line per kind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from coterie._validation import unknown_name
from coterie.cli import plot_values as values
from coterie.cli.plot_subject import ImageSubject, Subject
from coterie.errors import InvalidParameter

IMAGE_SUFFIXES = (".png", ".svg", ".pdf")
MOVING_SUFFIXES = (".gif", ".html")
MOST_EMBEDDED = 20_000  # rows on a t-SNE map: minutes of work
LINKAGES = ("single", "complete", "average", "ward", "centroid", "median")


@dataclass(frozen=True)
class PlotKind:
    """One kind of plot.

    Parameters
    ----------
    name : str
        The name of the function of `coterie.show.plots`.
    summary : str
        What it shows.
    draw : callable
        ``draw(subject) -> Axes or Figure``; for moving pictures ``draw(subject, path, force)``.
    suffixes : tuple of str
        Endings of files that it can be written to.
    needs : {"rows", "image", "nothing"}
        What must be given: DATA or MODEL, an image file, or nothing.
    method : str
        The method that finds the groups when the command line names none.
    """

    name: str
    summary: str
    draw: Callable[..., Any]
    suffixes: tuple[str, ...] = IMAGE_SUFFIXES
    needs: str = "rows"
    method: str = "kmeans"


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


def _plots() -> Any:
    from coterie.show import plots

    return plots


def _scatter(subject: Subject) -> Any:
    return _plots().scatter(subject.rows, subject.labels, centers=subject.centers, names=subject.names)


def _clusplot(subject: Subject) -> Any:
    return _plots().clusplot(subject.rows, subject.labels, names=subject.names)


def _history(subject: Subject) -> Any:
    from coterie.cluster import KMeans

    if subject.k is None:
        raise InvalidParameter("k-means needs to know the number of groups: -k N, for example -k 5.")
    model = KMeans(subject.k, random_state=subject.request.recipe.seed, history=True)
    return model.fit(subject.scaled.to_numpy()).history_


def _kmeans_steps(subject: Subject) -> Any:
    return _plots().kmeans_steps(subject.scaled, _history(subject))


def _kmeans_animation(subject: Subject, path: Path, force: bool) -> Any:
    return _plots().kmeans_animation(subject.scaled, _history(subject), path, force=force)


def _seeding_steps(subject: Subject) -> Any:
    return _plots().seeding_steps(subject.scaled, _history(subject))


def _regions(subject: Subject) -> Any:
    return _plots().regions(subject.scaled, subject.numbered_model, names=subject.names)


def _mixture(subject: Subject) -> Any:
    return _plots().mixture(subject.scaled, subject.model, names=subject.model_names)


def _responsibilities(subject: Subject) -> Any:
    model, rows = subject.model, subject.scaled.to_numpy()
    soft = getattr(model, "predict_proba", getattr(model, "membership", None))
    if soft is None:
        raise InvalidParameter(f"a {type(model).__name__} has no soft memberships. Use --method mixture.")
    return _plots().responsibilities(subject.scaled, soft(rows))


def _dendrogram(subject: Subject) -> Any:
    return _plots().dendrogram(subject.tree, cut=subject.k)


def _radial_tree(subject: Subject) -> Any:
    return _plots().radial_tree(subject.tree, cut=subject.k)


def _phylogram(subject: Subject) -> Any:
    return _plots().phylogram(subject.tree, cut=subject.k)


def _linkages(subject: Subject) -> Any:
    return _plots().linkages({name: subject.tree_by(name) for name in LINKAGES}, cut=subject.k)


def _clustermap(subject: Subject) -> Any:
    from coterie.tree import Dendrogram, linkage

    columns = linkage(subject.scaled.to_numpy().T, "average") if len(subject.columns) > 1 else None
    tree = None if columns is None else Dendrogram.from_linkage(columns, names=subject.columns)
    return _plots().clustermap(subject.rows, subject.tree, tree, cut=subject.k)


def _impurity_curves(subject: Subject) -> Any:
    from coterie.evaluate import compare_linkages

    trees = {name: subject.tree_by(name) for name in LINKAGES}
    return _plots().impurity_curves(compare_linkages(subject.scaled, subject.truth, linkages=trees))


def _embedding(subject: Subject) -> Any:
    from sklearn.manifold import TSNE

    rows = subject.scaled.to_numpy()
    if len(rows) > MOST_EMBEDDED:
        raise InvalidParameter(
            f"t-SNE takes too long for {len(rows):,} rows, at most {MOST_EMBEDDED:,} are drawn. Use clusplot."
        )
    places = TSNE(
        perplexity=min(30, max(1, (len(rows) - 1) / 3)), random_state=subject.request.recipe.seed
    ).fit_transform(rows)
    return _plots().embedding(places, subject.labels, kind="t-SNE", names=subject.names)


def _shepard(subject: Subject) -> Any:
    from scipy.spatial.distance import pdist

    heights = subject.tree.cophenetic()  # first: it refuses what does not fit in memory
    return _plots().shepard(pdist(subject.scaled.to_numpy()), heights)


def _tanglegram(subject: Subject) -> Any:
    names = ("single", subject.request.linkage)
    first, second = (subject.tree_by(name) for name in names)
    return _plots().tanglegram(first, second, cut=subject.k, names=names)


def _segmentation(subject: ImageSubject) -> Any:
    from coterie.cluster import KMeans

    if subject.k is None:
        raise InvalidParameter("k-means needs to know the number of segments: -k N, for example -k 5.")
    pixels = subject.pixels.reshape(-1, 3)
    model = KMeans(subject.k, random_state=subject.request.recipe.seed).fit(pixels)
    return _plots().segmentation(subject.pixels, model)


def _method_grid(subject: None) -> Any:
    from coterie.show.toys import run_grid, toy_sets

    return _plots().method_grid(run_grid(toy_sets()))


def _elbow(subject: Subject) -> Any:
    return _plots().elbow(values.evidence(subject, ["elbow"]))


def _silhouette_curve(subject: Subject) -> Any:
    return _plots().silhouette_curve(values.evidence(subject, ["silhouette"]))


def _gap(subject: Subject) -> Any:
    return _plots().gap(values.evidence(subject, ["gap"]))


def _evidence_heatmap(subject: Subject) -> Any:
    return _plots().evidence_heatmap(values.evidence(subject, None))


def _clustergram(subject: Subject) -> Any:
    return _plots().clustergram(values.evidence(subject, ["silhouette", "elbow"]))


def _silhouette(subject: Subject) -> Any:
    return _plots().silhouette(values.silhouette(subject), names=subject.names)


def _contingency(subject: Subject) -> Any:
    return _plots().contingency(values.contingency(subject))


def _profiles(subject: Subject) -> Any:
    return _plots().profiles(values.profile(subject), names=subject.names)


def _parallel_coordinates(subject: Subject) -> Any:
    return _plots().parallel_coordinates(subject.rows, subject.labels, names=subject.names)


def _stability(subject: Subject) -> Any:
    return _plots().stability(values.stability(subject), names=subject.names)


def _null_distribution(subject: Subject) -> Any:
    return _plots().null_distribution(values.significance(subject))


def _reachability(subject: Subject) -> Any:
    from coterie.cluster import OPTICS

    return _plots().reachability(values.model_of(subject, OPTICS, "optics"), names=subject.names)


def _condensed_tree(subject: Subject) -> Any:
    from coterie.cluster import HDBSCAN

    return _plots().condensed_tree(values.model_of(subject, HDBSCAN, "hdbscan"), names=subject.names)


def _k_distances(subject: Subject) -> Any:
    return _plots().k_distances(values.suggestion(subject))


def _eigenvalues(subject: Subject) -> Any:
    return _plots().eigenvalues(values.spectral_model(subject))


def _affinity(subject: Subject) -> Any:
    from coterie.cluster import SpectralClustering

    return _plots().affinity(values.model_of(subject, SpectralClustering, "spectral"), names=subject.names)


KINDS: tuple[PlotKind, ...] = (
    PlotKind("scatter", "groups in the first two columns", _scatter),
    PlotKind("clusplot", "groups on two principal components, with ellipses", _clusplot),
    PlotKind("embedding", "groups on a t-SNE map", _embedding),
    PlotKind("regions", "which group a new row would go to", _regions),
    PlotKind("kmeans_steps", "a run of k-means, step by step", _kmeans_steps),
    PlotKind("kmeans_animation", "the same, moving (.gif or .html)", _kmeans_animation, MOVING_SUFFIXES),
    PlotKind("seeding_steps", "how k-means++ picked its start", _seeding_steps),
    PlotKind("mixture", "ellipses of a Gaussian mixture", _mixture, method="mixture"),
    PlotKind(
        "responsibilities", "how much each row belongs to each group", _responsibilities, method="mixture"
    ),
    PlotKind("dendrogram", "the tree of the rows, cut at -k", _dendrogram),
    PlotKind("linkages", "the trees of six linkages", _linkages),
    PlotKind("clustermap", "the table as a heat map, with trees", _clustermap),
    PlotKind("radial_tree", "the tree around its root", _radial_tree),
    PlotKind("phylogram", "the tree with a scale of branches", _phylogram),
    PlotKind("impurity_curves", "which linkage fits the classes of --truth", _impurity_curves),
    PlotKind("shepard", "how well the tree keeps the distances", _shepard),
    PlotKind("tanglegram", "the trees of single linkage and of --linkage, face to face", _tanglegram),
    PlotKind("elbow", "the knee of the distortion over k", _elbow),
    PlotKind("silhouette_curve", "the mean silhouette over k", _silhouette_curve),
    PlotKind("gap", "the gap statistic over k, with errors", _gap),
    PlotKind("evidence_heatmap", "what every criterion says about every k", _evidence_heatmap),
    PlotKind("clustergram", "how rows flow from group to group as k grows", _clustergram),
    PlotKind("silhouette", "how well each row fits its group", _silhouette),
    PlotKind("profiles", "the means of the groups over the columns", _profiles),
    PlotKind("parallel_coordinates", "groups across the columns, in their units", _parallel_coordinates),
    PlotKind("contingency", "the groups against the classes of --truth", _contingency),
    PlotKind("stability", "whether the groups come back in resamples", _stability),
    PlotKind("null_distribution", "whether chance would give as good groups", _null_distribution),
    PlotKind("reachability", "the valleys of OPTICS", _reachability, method="optics"),
    PlotKind("condensed_tree", "the tree of HDBSCAN", _condensed_tree, method="hdbscan"),
    PlotKind("k_distances", "which radius suits DBSCAN", _k_distances),
    PlotKind("eigenvalues", "the eigengap of the graph of the rows", _eigenvalues, method="spectral"),
    PlotKind("affinity", "the graph of the rows, by groups", _affinity, method="spectral"),
    PlotKind("segmentation", "an image and its -k segments by colour", _segmentation, needs="image"),
    PlotKind("method_grid", "methods on toy sets, with times (no data)", _method_grid, needs="nothing"),
)
