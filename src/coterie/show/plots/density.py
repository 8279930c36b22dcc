"""Density clustering: the valleys of OPTICS, and the k-distances that suggest a radius."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from coterie._printing import count_of
from coterie._support.typing import FloatArray, Labels
from coterie.cluster import OPTICS, EpsSuggestion
from coterie.show.palette import EMPHASIS, INK, color_of, letters_in
from coterie.show.plots.drawing.canvas import axes_for, drawing, note, tidy
from coterie.show.plots.drawing.marks import halo, words_of_labels

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_BARS = 1500  # more do not fit side by side: neighbours in the order are joined
MOST_POINTS = 2000  # of a curve
MOST_VALLEYS = 200  # drawn under the bars, the longest first
MOST_NAMED = 30
MOST_IN_WORDS = 8  # clusters above whose valleys more than a number has room


def reachability(model: OPTICS, ax: Axes | None = None, *, names: list[str] | None = None) -> Axes:
    """Draw the reachability of the rows in the order of OPTICS: clusters are valleys, in their colours.

    Many rows are joined to fewer bars, each as high as its highest row and of the cluster that most of them
    are in. The lines below are the valleys of `cluster_hierarchy_`, one within the other.

    Parameters
    ----------
    model : OPTICS
        Fitted.
    ax : Axes, default=None
        Where to draw; None opens a figure.
    names : list of str, default=None
        What to call cluster 0, 1, ...; None: group 1, 2, ...

    References
    ----------
    ankerst-1999

    Examples
    --------
    >>> from coterie.cluster import OPTICS
    >>> from coterie.show.plots import reachability
    >>> model = OPTICS(min_samples=2, max_eps=5.0).fit([[1.0], [1.1], [1.2], [8.0], [8.5], [9.0], [50.0]])
    >>> reachability(model).get_title(loc="left")
    '2 valleys in 7 rows; 1 row is noise'
    """
    ax = axes_for(ax, size=(8.4, 4.4))
    order = model.ordering_
    if model._weights is not None:  # rows of no weight were never visited
        order = order[model._weights[order] > 0]
    labels = model.labels_[order]
    heights, bar_labels, edges = _joined(model.reachability_[order], labels)
    finite = heights[np.isfinite(heights)]
    top = float(finite.max()) if finite.size else 1.0
    _draw_bars(ax, np.where(np.isfinite(heights), heights, 1.08 * top), bar_labels, edges)
    if np.isinf(heights).any():
        ax.axhline(1.04 * top, color="white", linewidth=2.0, gid="break")  # above it: reached from nowhere
    if model.cluster_method == "dbscan" and model.eps is not None and np.isfinite(model.eps):
        ax.axhline(model.eps, color=EMPHASIS, linewidth=1.2, linestyle="--", gid="eps")
        ax.text(1.0, model.eps, f" eps = {model.eps:.3g}", transform=ax.get_yaxis_transform(), color=EMPHASIS)
    depth = _draw_valleys(ax, getattr(model, "cluster_hierarchy_", None), top)
    _name_valleys(ax, labels, top, names)
    ax.set_xlim(0, labels.size)
    ax.set_ylim(-0.03 * top * (depth + 1) if depth else 0.0, 1.12 * top)
    ax.set_yticks([tick for tick in ax.get_yticks() if 0 <= tick <= 1.12 * top])
    tidy(ax, title=_valleys_in_words(labels), x="rows in OPTICS order", y="reachability")
    said = ["Lines below: valleys (clusters), nested."] if depth else []
    said += (
        [f"Each bar is the highest of {labels.size / MOST_BARS:,.0f} rows."]
        if labels.size > MOST_BARS
        else []
    )
    if said:
        note(ax, " ".join(said))
    return ax


def k_distances(suggestion: EpsSuggestion, ax: Axes | None = None) -> Axes:
    """Draw the sorted distances to the k-th neighbour and the radius at the knee.

    Parameters
    ----------
    suggestion : EpsSuggestion
        What `coterie.cluster.suggest_eps` returns.
    ax : Axes, default=None
        Where to draw; None opens a figure.

    References
    ----------
    ester-1996

    Examples
    --------
    >>> from coterie.cluster import suggest_eps
    >>> from coterie.show.plots import k_distances
    >>> k_distances(suggest_eps([[0.0], [1.0], [2.0], [3.0], [30.0]], min_samples=2)).get_title(loc="left")
    'eps = 1: 4 of 5 rows have 2 rows within it'
    """
    ax = axes_for(ax)
    curve, n = np.asarray(suggestion.k_distances), len(suggestion.k_distances)
    # the curve rises: evenly spread points, its ends and the knee are the whole of it
    shown = np.unique(np.r_[np.linspace(0, n - 1, min(n, MOST_POINTS)).astype(np.intp), suggestion.knee - 1])
    ax.plot(shown + 1, curve[shown], color=color_of(0), linewidth=1.8, gid="curve")
    ax.axhline(suggestion.eps, color=EMPHASIS, linewidth=1.0, linestyle=":", gid="eps")
    ax.axvline(suggestion.knee, color=EMPHASIS, linewidth=1.0, linestyle=":", gid="knee")
    ax.plot(
        [suggestion.knee], [suggestion.eps], color=EMPHASIS, marker="o", markersize=9, markerfacecolor="none",
        markeredgewidth=1.8, gid="knee point",
    )  # fmt: skip
    text = ax.annotate(
        f"knee: eps = {suggestion.eps:.3g}",
        (suggestion.knee, suggestion.eps),
        xytext=(-10, 10),
        textcoords="offset points",
        ha="right",
        color=EMPHASIS,
    )
    text.set_path_effects(halo())
    ax.set_ylim(bottom=0.0)
    ax.xaxis.set_major_formatter(drawing("ticker").StrMethodFormatter("{x:,.0f}"))
    rows = f"{suggestion.knee:,} of {count_of(n, 'row')}"
    title = f"eps = {suggestion.eps:.3g}: {rows} have {suggestion.min_samples} rows within it"
    tidy(
        ax,
        title=title,
        x="rows, sorted",
        y=f"distance to neighbour {suggestion.min_samples} (the row itself is 1)",
    )
    return ax


def _joined(heights: FloatArray, labels: Labels) -> tuple[FloatArray, Labels, FloatArray]:
    """Return heights, labels and edges of at most so many bars as fit."""
    n = labels.size
    edges = np.linspace(0, n, min(n, MOST_BARS) + 1).astype(np.intp)
    starts = edges[:-1]
    low = int(labels.min(initial=0))
    bar_of = np.repeat(np.arange(starts.size), np.diff(edges))
    votes = np.zeros((starts.size, int(labels.max(initial=0)) - low + 1), dtype=np.int64)
    np.add.at(votes, (bar_of, labels - low), 1)
    return np.maximum.reduceat(heights, starts), votes.argmax(axis=1) + low, edges.astype(np.float64)


def _draw_bars(ax: Axes, heights: FloatArray, labels: Labels, edges: FloatArray) -> None:
    """Draw the bars of each cluster as one collection."""
    collection = drawing("collections").PolyCollection
    left, right = edges[:-1], edges[1:]
    corners = np.stack([left, right, right, left], axis=1)
    levels = np.stack([0 * heights, 0 * heights, heights, heights], axis=1)
    boxes: npt.NDArray[np.float64] = np.stack([corners, levels], axis=2)
    present = np.unique(labels).tolist()
    for label, word in zip(present, words_of_labels(present), strict=True):
        color = color_of(label)
        bars = collection(boxes[labels == label], facecolors=color, edgecolors=color, linewidths=0.2)
        bars.set_label(word)
        ax.add_collection(bars)


def _draw_valleys(ax: Axes, hierarchy: npt.NDArray[np.integer] | None, top: float) -> int:
    """Draw a line under each valley, inner ones above outer ones; return how many levels there are."""
    if hierarchy is None or len(hierarchy) == 0:
        return 0
    by_length = np.argsort(-(hierarchy[:, 1] - hierarchy[:, 0]), kind="stable")
    valleys = hierarchy[by_length[:MOST_VALLEYS]]
    first, last = valleys[:, 0], valleys[:, 1]
    is_within = (first[:, None] >= first) & (last[:, None] <= last)
    level = is_within.sum(axis=1) - 1
    depth = int(level.max()) + 1
    heights = -0.03 * top * (depth - level)
    ends = np.stack([np.stack([first, heights], axis=1), np.stack([last + 1, heights], axis=1)], axis=1)
    lines = drawing("collections").LineCollection(list(ends), colors=INK, linewidths=1.4, label="valleys")
    ax.add_collection(lines)
    return depth


def _name_valleys(ax: Axes, labels: Labels, top: float, names: list[str] | None) -> None:
    """Write what each cluster is called over its valley."""
    present = np.unique(labels[labels >= 0])
    if present.size > MOST_NAMED:
        return
    words = words_of_labels(present.tolist(), names, is_short=present.size > MOST_IN_WORDS)
    for label, word in zip(present.tolist(), words, strict=True):
        place = float(np.median(np.flatnonzero(labels == label)))
        color = letters_in(color_of(label))
        text = ax.text(place, 0.99 * top, word, ha="center", va="top", color=color, fontweight="bold")
        text.set_path_effects(halo(3.0))


def _valleys_in_words(labels: Labels) -> str:
    n_noise = int((labels == -1).sum())
    n_valleys = np.unique(labels[labels >= 0]).size
    text = f"{count_of(n_valleys, 'valley')} in {count_of(labels.size, 'row')}"
    return text + (f"; {count_of(n_noise, 'row is', 'rows are')} noise" if n_noise else "")
