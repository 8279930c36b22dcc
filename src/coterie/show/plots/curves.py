"""Criteria against the number of clusters, impurities against each other, accuracy against labels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from coterie._printing import count_of
from coterie.errors import InvalidParameter
from coterie.evaluate.internal import CutCurve
from coterie.show.palette import EMPHASIS, FAINT, INK, NOISE_COLOR, color_of, marker_of
from coterie.show.plots.drawing.canvas import axes_for, drawing, note, tidy
from coterie.show.plots.drawing.marks import halo

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from coterie.label import LabelSavings
    from coterie.select import Curve, Evidence

WHAT_BENDS = "distortion"  # of the elbow, which is not a quantity
K_WORDS = "number of clusters k"
LINE = color_of(0)
MOST_DOTS = 40  # numbers of clusters with a large dot each
DECADES = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)  # numbers of clusters that are marked on a curve


def elbow(evidence: Evidence, ax: Axes | None = None) -> Axes:
    """Draw the sum of squares against k and mark the knee: beyond it, more clusters gain little.

    Parameters
    ----------
    evidence : Evidence
        What `coterie.select.choose_k` returns.
    ax : Axes, default=None
        Where to draw; None opens a figure.
    """
    curve = evidence.curve("elbow")
    if curve.choice is None:
        return _draw(evidence, curve, ax, "No knee: every further cluster gains about as much")
    ax = _draw(evidence, curve, ax, f"Beyond {count_of(curve.choice, 'cluster')} the gain is small")
    ax.set_ylim(bottom=0.0)
    _mark(ax, evidence, curve, "knee")
    return ax


def silhouette_curve(evidence: Evidence, ax: Axes | None = None) -> Axes:
    """Draw the mean silhouette against k and mark its highest point.

    Parameters
    ----------
    evidence : Evidence
        What `coterie.select.choose_k` returns.
    ax : Axes, default=None
        Where to draw; None opens a figure.
    """
    curve = evidence.curve("silhouette")
    if curve.choice is None:
        return _draw(evidence, curve, ax, "The silhouette prefers no number of clusters")
    ax = _draw(evidence, curve, ax, f"The silhouette is highest at {count_of(curve.choice, 'cluster')}")
    if np.nanmin(curve.values) < 0:
        ax.axhline(0.0, color=INK, linewidth=0.8)
    _mark(ax, evidence, curve, "highest")
    return ax


def gap(evidence: Evidence, ax: Axes | None = None, *, name: str = "gap") -> Axes:
    """Draw the gap statistic against k with its standard errors, and mark the k it chooses.

    The rule: the first k whose gap is at least the next one less its standard error.

    Parameters
    ----------
    evidence : Evidence
        What `coterie.select.choose_k` returns.
    ax : Axes, default=None
        Where to draw; None opens a figure.
    name : {"gap", "gap_pca"}, default="gap"
        Against uniform data in the box of the columns, or in that of the principal axes.

    References
    ----------
    tibshirani-2001
    """
    curve = evidence.curve(name)
    if curve.choice is None:
        return _draw(evidence, curve, ax, "The gap statistic chooses no number of clusters")
    ax = _draw(evidence, curve, ax, f"The gap statistic chooses {count_of(curve.choice, 'cluster')}")
    following = evidence.ks.index(curve.choice) + 1
    if curve.errors is not None and following < len(evidence.ks):
        bar = float(curve.values[following] - curve.errors[following])
        ax.axhline(bar, color=NOISE_COLOR, linewidth=1.0, linestyle="--", zorder=0, gid="bar")
        text = f"gap at k = {evidence.ks[following]} minus its standard error"
        ax.annotate(text, (ax.get_xlim()[1], bar), ha="right", va="bottom", fontsize="small", color=INK)
    _mark(ax, evidence, curve, "chosen")
    return ax


def criterion(evidence: Evidence, name: str, ax: Axes | None = None) -> Axes:
    """Draw any criterion of the evidence against k and mark what it chooses.

    Parameters
    ----------
    evidence : Evidence
        What `coterie.select.choose_k` returns.
    name : str
        One of its criteria.
    ax : Axes, default=None
        Where to draw; None opens a figure.
    """
    curve = evidence.curve(name)
    if curve.choice is None:
        return _draw(evidence, curve, ax, f"{curve.title} chooses no number of clusters")
    ax = _draw(evidence, curve, ax, f"{curve.title} chooses {count_of(curve.choice, 'cluster')}")
    _mark(ax, evidence, curve, "chosen")
    return ax


def _draw(evidence: Evidence, curve: Curve, ax: Axes | None, title: str) -> Axes:
    ax = axes_for(ax)
    ks, values = np.array(evidence.ks), np.asarray(curve.values, dtype=np.float64)
    size = 5.0 if ks.size <= MOST_DOTS else 2.5
    if curve.errors is not None:
        ax.errorbar(ks, values, yerr=curve.errors, fmt="none", ecolor=LINE, elinewidth=1.2, capsize=size / 2)
    ax.plot(ks, values, color=LINE, marker="o", markersize=size, linewidth=1.6, gid="curve")
    ax.yaxis.set_major_formatter(drawing("ticker").StrMethodFormatter("{x:,.6g}"))
    ax.xaxis.set_major_locator(drawing("ticker").MaxNLocator(nbins=15, integer=True, min_n_ticks=1))
    better = {None: "", True: " (higher is better)", False: " (lower is better)"}[curve.greater_is_better]
    tidy(
        ax, title=title, x=K_WORDS, y=WHAT_BENDS if curve.name == "elbow" else curve.title + better, grid="y"
    )
    ax.margins(y=0.08)
    if curve.note:
        note(ax, curve.note)
    return ax


def _mark(ax: Axes, evidence: Evidence, curve: Curve, word: str) -> None:
    """Ring the chosen point and write its k beside it, towards the side of the curve that has more room."""
    assert curve.choice is not None
    at = evidence.ks.index(curve.choice)
    k, value = evidence.ks[at], float(curve.values[at])
    ax.axvline(k, color=EMPHASIS, linewidth=1.0, linestyle=":", zorder=1, gid="choice")
    ax.plot(
        [k], [value], color=EMPHASIS, marker="o", markersize=11, markerfacecolor="none", markeredgewidth=1.8,
        linestyle="none", gid="chosen point",
    )  # fmt: skip
    is_left = at < len(evidence.ks) / 2
    known = curve.values[np.isfinite(curve.values)]
    is_low = value < (known.min() + known.max()) / 2
    text = ax.annotate(
        f"{word}: k = {k}",
        (k, value),
        xytext=(12 if is_left else -12, 14 if is_low else 0),
        textcoords="offset points",
        ha="left" if is_left else "right",
        va="bottom" if is_low else "center",
        color=EMPHASIS,
    )
    text.set_path_effects(halo())


def impurity_curves(curves: CutCurve | Mapping[str, CutCurve], *, ax: Axes | None = None) -> Axes:
    """Draw cluster impurity against label impurity over every cut of one or several trees.

    Few clusters lie at the lower right (classes stay together, clusters are mixed), many at the upper left.
    The nearer to the corner the better; the mark on each curve is the cut whose larger impurity is least.

    Parameters
    ----------
    curves : LinkageComparison, CutCurve, or mapping of str to CutCurve
        What ``coterie.evaluate.compare_linkages`` or ``cut_curve`` gives.
    ax : Axes, default=None
        Where to draw; None: on a new figure.

    Examples
    --------
    >>> from coterie.evaluate import compare_linkages
    >>> X = [[0.0], [1.0], [5.0], [6.0], [7.0]]
    >>> ax = impurity_curves(compare_linkages(X, [0, 0, 1, 1, 1], linkages=["single", "average"]))
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['single: 2 clusters, 0.00', 'average: 2 clusters, 0.00']
    """
    named = {"tree": curves} if isinstance(curves, CutCurve) else curves
    if not isinstance(named, Mapping) or not all(isinstance(one, CutCurve) for one in named.values()):
        raise InvalidParameter(
            "curves of impurity_curves must be those of compare_linkages or cut_curve, got "
            f"{type(curves).__name__}."
        )
    ax = axes_for(ax, size=(6.4, 4.8))
    ax.plot([0, 1], [0, 1], color=FAINT, linewidth=1, zorder=0)
    for number, (name, curve) in enumerate(named.items()):
        _draw_curve(ax, name, curve, number)
    ax.set_xlim(-0.02, None)
    ax.set_ylim(-0.02, None)
    ax.legend(
        frameon=False,
        loc="upper right",
        title="mark: the cut whose larger impurity is smallest",
        alignment="left",
    )
    title = "Impurities of every cut" if len(named) == 1 else f"Impurities of every cut of {len(named)} trees"
    x, y = "cluster impurity (1 - purity)", "label impurity (1 - inverse purity)"
    tidy(ax, title=title, x=x, y=y, grid="both")
    return ax


def _draw_curve(ax: Axes, name: str, curve: CutCurve, number: int) -> None:
    of_clusters, of_labels = curve.cluster_impurity, curve.label_impurity
    color = color_of(number)
    ax.plot(of_clusters, of_labels, color=color, linewidth=1.6, alpha=0.9, zorder=2)
    marked = np.flatnonzero(np.isin(curve.n_clusters, DECADES))
    ax.plot(of_clusters[marked], of_labels[marked], ".", color=color, markersize=4, zorder=3)
    worse = np.maximum(of_clusters, of_labels)
    best = int(worse.argmin())
    ax.plot(
        of_clusters[[best]],
        of_labels[[best]],
        marker=marker_of(10 * number),  # another marker for every curve
        markersize=9,
        color=color,
        markeredgecolor="white",
        zorder=4,
        label=f"{name}: {curve.n_clusters[best]:,} clusters, {worse[best]:.2f}",
    )


def label_savings(savings: LabelSavings, ax: Axes | None = None) -> Axes:
    """Draw accuracy against the number of labels for each way of choosing the rows to label.

    Parameters
    ----------
    savings : LabelSavings
        What `coterie.label.label_savings` returns.
    ax : Axes, default=None
        Where to draw; None opens a figure.

    Examples
    --------
    >>> import numpy as np
    >>> from coterie.label import LabelSavings
    >>> accuracy = np.array([[[0.8], [0.9]], [[0.6], [0.8]]])
    >>> curve = LabelSavings(np.array([5, 10]), ("typical", "random"), accuracy, np.array([0.95]), 100, False)
    >>> label_savings(curve).get_ylabel()
    'accuracy on rows held out'
    """
    ax = axes_for(ax, size=(6.4, 4.4))
    numbers, means = savings.numbers, savings.means
    errors = savings.accuracy.std(axis=2)
    for number, name in enumerate(savings.strategies):
        color = NOISE_COLOR if name == "random" else color_of(number)
        marker = marker_of(10 * number)
        ax.plot(numbers, means[number], color=color, marker=marker, markersize=6, label=name, zorder=3)
        low, high = means[number] - errors[number], means[number] + errors[number]
        ax.fill_between(numbers, low, high, color=color, alpha=0.12, linewidth=0, zorder=1)
    best = float(savings.all_labels.mean())
    ax.axhline(best, color=INK, linewidth=1, linestyle="--", zorder=0)
    ax.annotate(
        f"all {savings.n_rows:,} labels",
        (1, best),
        xycoords=("axes fraction", "data"),
        xytext=(-2, 3),
        textcoords="offset points",
        ha="right",
        va="bottom",
        color=INK,
    )
    if len(numbers) > 2:
        ax.set_xscale("log")
        ax.set_xticks(numbers, [f"{number:,}" for number in numbers])
        ax.minorticks_off()
    ax.legend(frameon=False, loc="lower right", title="rows to label", alignment="left")
    title = "Accuracy by number of labels" + (", propagated to their groups" if savings.propagated else "")
    tidy(ax, title=title, x="labels", y="accuracy on rows held out", grid="both")
    return ax
