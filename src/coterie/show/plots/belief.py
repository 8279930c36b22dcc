"""Should one believe the clusters? Stability under resampling, and the test against null data."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from coterie._printing import count_of
from coterie.evaluate.belief import STABLE, VERDICTS, is_stable
from coterie.show.palette import EMPHASIS, INK, NOISE_COLOR, color_of
from coterie.show.plots.drawing.canvas import NOTE_GAP, axes_for, drawing, note, tidy
from coterie.show.plots.drawing.marks import halo, words_of_labels

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from coterie.evaluate import Significance, Stability

MOST_LETTERS = 90  # of names that stand beside each other; more stand upright
LONGEST_UPRIGHT = 14
LETTER = 5.5  # points of a letter of an upright name
MOST_DOTS = 3000  # scores drawn one by one; beyond, boxes alone
MOST_NAMED = 40
MOST_BINS = 60
MOST_LISTED = 6

Scores = npt.NDArray[np.float64]


def stability(value: Stability, ax: Axes | None = None, *, names: list[str] | None = None) -> Axes:
    """Draw how well each cluster is found again in resampled data: a dot per resample, and their mean.

    Parameters
    ----------
    value : Stability
        What `coterie.evaluate.belief.stability` returns.
    ax : Axes, default=None
        Where to draw; None opens a figure.
    names : list of str, default=None
        What to call cluster 0, 1, ...; None: group 1, 2, ...

    References
    ----------
    hennig-2007
    """
    scores = np.asarray(value.scores, dtype=np.float64)
    k, words = scores.shape[1], words_of_labels(value.clusters, names)
    ax = axes_for(ax, size=(float(np.clip(2.4 + 0.32 * k, 6.4, 13.0)), 4.6))
    for level, word in VERDICTS[:-1]:
        ax.axhline(level, color=NOISE_COLOR, linewidth=0.8, linestyle="--", zorder=1, gid="level")
        ax.text(1.0, level, f" {word}", transform=ax.get_yaxis_transform(), fontsize="small", va="bottom")
    if scores.size <= MOST_DOTS:
        _draw_dots(ax, scores)
    _draw_boxes(ax, scores)
    colors = [INK if is_stable(mean) else EMPHASIS for mean in value.per_cluster]
    ax.scatter(
        np.arange(k), value.per_cluster, s=34, marker="D", c=colors, zorder=4, linewidths=0, gid="means"
    )
    every = -(-k // MOST_NAMED)
    is_long = len(words[::every]) * max(map(len, words), default=0) > MOST_LETTERS
    shown = words_of_labels(value.clusters, names, LONGEST_UPRIGHT) if is_long else words
    ax.set_xticks(range(0, k, every), shown[::every], rotation=90 if is_long else 0)
    ax.set_xlim(-0.7, k - 0.3)
    ax.set_ylim(min(0.4, float(np.nanmin(scores, initial=1.0)) - 0.03), 1.02)
    tidy(
        ax, title=_stability_headline(value, words), x="group", y="Jaccard similarity with its nearest match"
    )
    said = f"{value.n_resamples:,} resamples ({value.scheme}); diamonds: means, red: not stable (< {STABLE})."
    note(ax, said, gap=NOTE_GAP + (LETTER * max(map(len, shown)) if is_long else 0))
    return ax


def null_distribution(value: Significance, ax: Axes | None = None) -> Axes:
    """Draw the distribution of a measure on null data, and where the observed value lies.

    Parameters
    ----------
    value : Significance
        What `coterie.evaluate.belief.significance` returns.
    ax : Axes, default=None
        Where to draw; None opens a figure.
    """
    ax = axes_for(ax)
    draws = np.asarray(value.draws, dtype=np.float64)
    draws = draws[np.isfinite(draws)]
    if not draws.size or not np.isfinite(value.observed):
        return _say_undefined(ax, value)
    n_bins = int(np.clip(np.ceil(2 * draws.size ** (1 / 3)), 5, MOST_BINS))  # Rice's rule
    counts, _, _ = ax.hist(draws, bins=n_bins, color=NOISE_COLOR, edgecolor="white", linewidth=0.6)
    observed, top = float(value.observed), 1.18 * float(np.max(counts))
    ax.axvline(observed, color=EMPHASIS, linewidth=2.0, gid="observed")
    is_right = observed > (draws.min() + draws.max()) / 2
    text = ax.annotate(
        f"observed: {observed:.3g}",
        (observed, top),
        xytext=(-6 if is_right else 6, -4),
        textcoords="offset points",
        ha="right" if is_right else "left",
        va="top",
        color=EMPHASIS,
    )
    text.set_path_effects(halo())
    ax.set_ylim(0.0, top)
    better = "higher" if value.greater_is_better else "lower"
    words = value.measure.replace("_", " ")
    tidy(ax, title=_null_headline(value), x=f"{words} ({better} is better)", y="draws")
    note(ax, f"Grey: {count_of(draws.size, 'draw')} of {value.against}, clustered in the same way.")
    return ax


def _draw_dots(ax: Axes, scores: Scores) -> None:
    """Spread the scores of each cluster sideways by their rank, so that equal ones lie side by side."""
    n, k = scores.shape
    places = np.arange(k) + 0.5 * (np.arange(n)[:, None] / max(n - 1, 1) - 0.5)
    colors = np.array([color_of(at) for at in range(k)])
    ax.scatter(
        places.T.ravel(), scores.T.ravel(), s=7, c=np.repeat(colors, n), alpha=0.6, linewidths=0, gid="scores"
    )


def _draw_boxes(ax: Axes, scores: Scores) -> None:
    """Draw the middle half of each cluster's scores."""
    known = np.flatnonzero(~np.isnan(scores).all(axis=0))
    low, high = np.nanquantile(scores[:, known], [0.25, 0.75], axis=0)
    boxes = ax.bar(known, high - low, bottom=low, width=0.62, zorder=2)
    for at, box in zip(known.tolist(), boxes, strict=True):
        box.set(
            facecolor=(*drawing("colors").to_rgb(color_of(at)), 0.25), edgecolor=color_of(at), linewidth=1.0
        )


def _stability_headline(value: Stability, words: list[str]) -> str:
    weak = [name for name, mean in zip(words, value.per_cluster, strict=True) if not is_stable(mean)]
    start = f"Mean Jaccard {value.overall:.2f}"
    if not weak:
        return f"{start}: every group is stable"
    if len(weak) > MOST_LISTED:
        return f"{start}: {len(weak)} of {count_of(len(words), 'group')} are not stable"
    *others, last = weak
    listed = f"{', '.join(others)} and {last}" if others else last
    return f"{start}: {listed} {'is' if len(weak) == 1 else 'are'} not stable"


def _null_headline(value: Significance) -> str:
    least = "" if value.n_as_good else ", the smallest possible"
    return f"{value.verdict[:1].upper()}{value.verdict[1:]} (p = {value.p_value:.2g}{least})"


def _say_undefined(ax: Axes, value: Significance) -> Axes:
    """Say that there is nothing to compare: one cluster has no silhouette."""
    what = "the data" if not np.isfinite(value.observed) else "any draw"
    words = f"{value.measure.replace('_', ' ')} is not defined for {what}"
    ax.text(0.5, 0.5, words, transform=ax.transAxes, ha="center", va="center", color=INK)
    tidy(ax, title=_null_headline(value))
    ax.set(xticks=[], yticks=[])
    return ax
