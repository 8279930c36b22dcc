"""All criteria at once: what each says about each number of clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from coterie._printing import count_of
from coterie.show.palette import EMPHASIS, INK, SEQUENTIAL
from coterie.show.plots.curves import K_WORDS
from coterie.show.plots.drawing.canvas import axes_for, drawing, note, tidy
from coterie.show.plots.drawing.marks import halo, letters_on

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from coterie.select import Curve, Evidence

MOST_WRITTEN = 16  # columns up to which the values stand in the cells
MOST_TICKS = 30
UNRANKED = "#efefef"  # cells without a better and a worse


def evidence_heatmap(evidence: Evidence, ax: Axes | None = None) -> Axes:
    """Draw a row per criterion and a column per k: bright is good, a box marks what a criterion chooses.

    Each row is scaled from its worst to its best value. Rows without a better and a worse have no colour,
    only their box. The frame is the verdict.

    Parameters
    ----------
    evidence : Evidence
        What `coterie.select.choose_k` returns.
    ax : Axes, default=None
        Where to draw; None opens a figure.
    """
    n_rows, n_columns = len(evidence.curves), len(evidence.ks)
    ax = axes_for(ax, size=(float(np.clip(3.0 + 0.5 * n_columns, 6.4, 13.0)), 1.8 + 0.34 * n_rows))
    scaled = np.array([_scaled(curve) for curve in evidence.curves]).reshape(n_rows, n_columns)
    colors = drawing().get_cmap(SEQUENTIAL).with_extremes(bad=UNRANKED)
    ax.imshow(scaled, cmap=colors, vmin=0.0, vmax=1.0, aspect="auto", interpolation="nearest")
    ax.set_yticks(range(n_rows), [curve.title for curve in evidence.curves])
    every = -(-n_columns // MOST_TICKS)
    ax.set_xticks(range(0, n_columns, every), [str(k) for k in evidence.ks[::every]])
    if n_columns <= MOST_WRITTEN:
        _write_values(ax, evidence, colors(np.ma.masked_invalid(scaled)))
    _mark_choices(ax, evidence)
    tidy(ax, title=_headline(evidence), x=K_WORDS)
    ax.tick_params(length=0)
    note(
        ax,
        "Each row from its worst (dark) to its best (bright); grey: not ranked or not defined.\n"
        "Boxed: what a criterion chooses; framed: the verdict.",
    )
    return ax


def _scaled(curve: Curve) -> npt.NDArray[np.float64]:
    """Return the values from 0, the worst, to 1, the best; NaN where there is no better."""
    values = np.asarray(curve.values, dtype=np.float64)
    finite = np.where(np.isfinite(values), values, np.nan)
    if curve.greater_is_better is None or np.isnan(finite).all():
        return np.full(values.size, np.nan)
    low, high = np.nanmin(finite), np.nanmax(finite)
    shares = (finite - low) / (high - low) if high > low else 1.0 + 0.0 * finite
    return np.asarray(shares if curve.greater_is_better else 1.0 - shares)


def _write_values(ax: Axes, evidence: Evidence, cells: npt.NDArray[np.float64]) -> None:
    for row, curve in enumerate(evidence.curves):
        for column, value in enumerate(np.asarray(curve.values, dtype=np.float64).tolist()):
            if np.isfinite(value):
                color = letters_on(cells[row, column])
                ax.text(column, row, _short(value), ha="center", va="center", fontsize=8, color=color)


def _short(value: float) -> str:
    """Return a number in few characters: 0.552, 78.9, 38k, 1.2M."""
    for limit, letter in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if limit <= abs(value) < 1000 * limit:
            thousands = value / (limit if letter != "k" else 1e3)
            return f"{thousands:.3g}{letter}"
    return f"{value:.0f}" if 1000 <= abs(value) < 1e4 else f"{value:.3g}"


def _mark_choices(ax: Axes, evidence: Evidence) -> None:
    rectangle = drawing("patches").Rectangle
    for row, curve in enumerate(evidence.curves):
        if curve.choice is not None:
            corner = (evidence.ks.index(curve.choice) - 0.42, row - 0.38)
            box = rectangle(corner, 0.84, 0.76, fill=False, edgecolor=INK, linewidth=1.6, gid="choice")
            box.set_path_effects(halo(3.4))
            ax.add_patch(box)
    if evidence.k in evidence.ks:
        corner = (evidence.ks.index(evidence.k) - 0.5, -0.5)
        frame = rectangle(corner, 1.0, len(evidence.curves), fill=False, edgecolor=EMPHASIS, linewidth=2.6)
        frame.set(gid="verdict", clip_on=False, zorder=5)
        ax.add_patch(frame)


def _headline(evidence: Evidence) -> str:
    agreeing = sum(curve.choice == evidence.k for curve in evidence.curves)
    undecided = sum(curve.choice is None for curve in evidence.curves)
    every = count_of(len(evidence.curves), "criterion", "criteria")
    without = f", {count_of(undecided, 'makes', 'make')} no choice" if undecided else ""
    return f"{count_of(evidence.k, 'cluster')}: {agreeing} of {every} agree{without}"
