"""K-means at work: the run step by step, as panels or moving, and the picks of k-means++."""

from __future__ import annotations

import base64
import io
import json
import os
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from coterie._support.files import atomic_path, check_output
from coterie._support.optional import require
from coterie._support.typing import CheckedRows, FloatArray, MatrixLike, Model, ValuesByName
from coterie._support.validation import Flag, Number, Whole, check_data, check_parameter
from coterie.cluster import KMeansHistory, KMeansPick, KMeansStep
from coterie.errors import InvalidData, InvalidParameter
from coterie.show.palette import EMPHASIS, FAINT, INK
from coterie.show.plots.drawing.canvas import axes_for, column_names, drawing, panels
from coterie.show.plots.drawing.cloud import draw_cloud, draw_values, marker_area
from coterie.show.plots.drawing.projection import Plane, label_plane, plane_of
from coterie.show.plots.points import draw_marks
from coterie.show.policy import content_policy

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LAST_SHOWN = 3  # times as long as the other frames
DPI = 90
SUFFIXES = (".gif", ".html")
CHANCES = "viridis_r"  # likely rows are dark
PANEL_SHARE = 0.6  # of the area of markers, in small panels


def frame_of(figure: Figure) -> bytes:
    """Return a figure as a PNG picture.

    Examples
    --------
    >>> from coterie.show.plots.drawing.canvas import axes_for
    >>> frame_of(axes_for(None).figure)[1:4]
    b'PNG'
    """
    written = io.BytesIO()
    figure.savefig(written, format="png", dpi=DPI)
    return written.getvalue()


def as_gif(frames: Sequence[bytes], seconds: float) -> bytes:
    """Return a GIF that shows each frame so long, the last one longer, again and again."""
    pillow: ModuleType = require("PIL.Image", extra="plot", purpose="Writing a GIF")
    pictures = [pillow.open(io.BytesIO(frame)).convert("RGB").quantize(128) for frame in frames]
    times = [round(1000 * seconds)] * (len(pictures) - 1) + [round(1000 * LAST_SHOWN * seconds)]
    written = io.BytesIO()
    pictures[0].save(
        written, format="GIF", save_all=True, append_images=pictures[1:], duration=times, loop=0, disposal=2
    )
    return written.getvalue()


def as_page(frames: Sequence[bytes], titles: Sequence[str], seconds: float) -> bytes:
    """Return an HTML page that holds the frames and a player, and can load and send nothing."""
    page = resources.files("coterie.show.plots").joinpath("player.html").read_text(encoding="utf-8")
    encoded = [base64.b64encode(frame).decode() for frame in frames]
    for place, value in (
        ("/*FRAMES*/[]", encoded),
        ("/*TITLES*/[]", list(titles)),
        ("/*MILLISECONDS*/800", round(1000 * seconds)),
    ):
        page = page.replace(place, json.dumps(value).replace("<", "\\u003c"))
    script = page.partition("<script>")[2].partition("</script>")[0]
    return page.replace("/*POLICY*/", content_policy([script]), 1).encode()


def kmeans_steps(X: MatrixLike, model: Model, *, max_panels: int = 12) -> Figure:
    """Draw a run of k-means as a series of panels: start, assign, update, assign ...

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The rows of the fit; with more than two columns they are drawn on their first two components.
    model : KMeans fitted with ``history=True``, or its history
        The run.
    max_panels : int, default=12
        Longer runs show so many of their steps, evenly spaced, the first and the last among them.

    Examples
    --------
    >>> from coterie.cluster import KMeans
    >>> X = [[1, 2], [1, 4], [1, 0], [10, 2], [10, 4], [10, 0]]
    >>> model = KMeans(2, init=[[1, 2], [1, 4]], history=True).fit(X)
    >>> [ax.get_title(loc="left") for ax in kmeans_steps(X, model).axes][:3]
    ['start', '1 assign: J = 251', '2 update: J = 126']
    """
    check_parameter(max_panels, Whole(2), name="max_panels", who="kmeans_steps")
    plane, history = _read(X, model, "kmeans_steps")
    shown = _spread(len(history), max_panels)
    figure, axes = panels(len(shown), columns=min(4, len(shown)), share_x=True, share_y=True)
    for ax, number in zip(axes, shown, strict=True):
        _draw_step(ax, plane, history, number)
        _without_ticks(ax)
    return figure


def kmeans_animation(
    X: MatrixLike, model: Model, path: str | os.PathLike[str], *, seconds: float = 0.8, force: bool = False
) -> Path:
    """Write a run of k-means as a moving picture: a GIF, or an HTML page with a player and nothing to load.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The rows of the fit.
    model : KMeans fitted with ``history=True``, or its history
        The run.
    path : path
        Where to, ending in .gif or .html.
    seconds : float, default=0.8
        How long each step is shown.
    force : bool, default=False
        Whether an existing file may be replaced.

    Examples
    --------
    >>> import tempfile
    >>> from coterie.cluster import KMeans
    >>> X = [[1, 2], [1, 4], [1, 0], [10, 2], [10, 4], [10, 0]]
    >>> model = KMeans(2, init=[[1, 2], [1, 4]], history=True).fit(X)
    >>> kmeans_animation(X, model, Path(tempfile.mkdtemp()) / "run.gif").name
    'run.gif'
    """
    check_parameter(seconds, Number(0.02), name="seconds", who="kmeans_animation")
    check_parameter(force, Flag(), name="force", who="kmeans_animation")
    target = check_output(path, force=force)
    if target.suffix.lower() not in SUFFIXES:
        raise InvalidParameter(f"path of kmeans_animation must end in .gif or .html, got {target.name!r}.")
    plane, history = _read(X, model, "kmeans_animation")
    frames, titles = _frames(plane, history), [_step_title(history, i) for i in range(len(history))]
    content = as_gif(frames, seconds) if target.suffix.lower() == ".gif" else as_page(frames, titles, seconds)
    with atomic_path(target, force=force) as temporary:
        temporary.write_bytes(content)
    return target


def seeding_steps(X: MatrixLike, model: Model, *, max_panels: int = 12) -> Figure:
    """Draw how k-means++ picked its start: the chance of every row at each pick, and the row that was taken.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The rows of the fit.
    model : KMeans fitted with ``history=True``, or its history
        The run; its start must have been picked row by row.
    max_panels : int, default=12
        With more picks, so many of them are shown, the first and the last among them.

    Examples
    --------
    >>> from coterie.cluster import KMeans
    >>> X = [[1, 2], [1, 4], [1, 0], [10, 2], [10, 4], [10, 0]]
    >>> model = KMeans(2, history=True, random_state=0).fit(X)
    >>> len(seeding_steps(X, model).axes)
    3
    """
    check_parameter(max_panels, Whole(2), name="max_panels", who="seeding_steps")
    plane, history = _read(X, model, "seeding_steps")
    if not history.picks:
        raise InvalidParameter(
            "seeding_steps needs a start that was picked row by row; this one was given or computed. "
            'Fit with init="k-means++".'
        )
    shown = _spread(len(history.picks), max_panels)
    figure, axes = panels(len(shown), columns=min(4, len(shown)), share_x=True, share_y=True)
    for ax, number in zip(axes, shown, strict=True):
        drawn = _draw_pick(ax, plane, history.picks, number)
    bar = figure.colorbar(drawn, ax=axes, shrink=0.8, pad=0.01)
    bar.set_label("probability, of the largest")
    figure.supxlabel("ring: the row picked; crosses: rows picked before", color=INK, fontsize="medium")
    return figure


def _read(X: MatrixLike, model: Model, who: str) -> tuple[Plane, KMeansHistory]:
    rows: CheckedRows = check_data(X, who=who, may_be_distances=True)
    history = getattr(model, "history_", model)
    if not isinstance(history, KMeansHistory):
        raise InvalidParameter(
            f"model of {who} must be a k-means fitted with history=True, or its history_, got "
            f"{type(model).__name__}{' without a history' if history is None else ''}."
        )
    labels = history.steps[-1].labels
    if labels is not None and len(labels) != rows.shape[0]:
        raise InvalidData(f"{who} needs the rows of the fit, {len(labels):,} of them, got {rows.shape[0]:,}.")
    return plane_of(rows, column_names(X, model)), history


def _spread(n: int, most: int) -> list[int]:
    """Return at most so many numbers below n, evenly spaced, the first and the last among them."""
    return sorted(set(np.linspace(0, n - 1, min(n, most)).round().astype(int).tolist()))


def _draw_step(ax: Axes, plane: Plane, history: KMeansHistory, number: int) -> None:
    step: KMeansStep = history[number]
    nobody = np.full(len(plane.places), -1)
    area = PANEL_SHARE * marker_area(len(nobody))
    draw_cloud(ax, plane.places, nobody if step.labels is None else step.labels, size=area)
    centers = plane.project(step.centers)
    if step.kind == "update" and number > 0 and history[number - 1].centers.shape == step.centers.shape:
        _draw_moves(ax, plane.project(history[number - 1].centers), centers)
    draw_marks(ax, centers, are_medoids=False)
    ax.set_title(_step_title(history, number), loc="left", color=INK, fontsize="medium")


def _draw_moves(ax: Axes, before: FloatArray, after: FloatArray) -> None:
    """Draw the way of every centre that moved."""
    for start, end in zip(before, after, strict=True):
        if not np.allclose(start, end):
            ax.annotate(
                "", xy=tuple(end), xytext=tuple(start), zorder=4,
                arrowprops={"arrowstyle": "->", "color": INK, "linewidth": 1.2, "shrinkB": 3},
            )  # fmt: skip


def _step_title(history: KMeansHistory, number: int) -> str:
    step = history[number]
    value = "" if step.inertia is None else f": J = {_short(step.inertia)}"
    return f"{number} {step.kind}{value}" if number else step.kind + value


def _short(value: float) -> str:
    return f"{value:,.0f}" if 100 <= value < 1e7 else f"{value:.3g}"


def _draw_pick(ax: Axes, plane: Plane, picks: tuple[KMeansPick, ...], number: int) -> Any:
    pick = picks[number]
    chances = pick.probabilities / pick.probabilities.max()
    area = PANEL_SHARE * marker_area(len(chances))
    drawn = draw_values(ax, plane.places, chances, cmap=CHANCES, low=0.0, high=1.0, size=area)
    before = plane.places[[one.row for one in picks[:number]]].reshape(-1, 2)
    ax.scatter(
        before[:, 0],
        before[:, 1],
        s=50 if number <= 12 else 14,
        c="white",
        marker="X",
        edgecolors=INK,
        zorder=5,
        label="before",
    )
    here = plane.places[[pick.row]]
    ring: ValuesByName = {"facecolors": "none", "edgecolors": EMPHASIS, "linewidths": 2.2}
    ax.scatter(here[:, 0], here[:, 1], s=130, zorder=6, label="pick", **ring)
    title = f"pick {number + 1}: row {pick.row}, P = {pick.probabilities[pick.row]:.2g}"
    ax.set_title(title, loc="left", color=INK, fontsize="medium")
    _without_ticks(ax)
    return drawn


def _without_ticks(ax: Axes) -> None:
    ax.tick_params(bottom=False, left=False, labelbottom=False, labelleft=False)
    for spine in ax.spines.values():
        spine.set_color(FAINT)


def _frames(plane: Plane, history: KMeansHistory) -> list[bytes]:
    """Return a picture per step; the axes stand still."""
    ax = axes_for(None, size=(5.2, 4.2))
    figure: Any = ax.figure
    frames: list[bytes] = []
    limits: Any = None
    for number in range(len(history)):
        ax.clear()
        _draw_step(ax, plane, history, number)
        label_plane(ax, plane, _step_title(history, number))
        if limits is None:
            figure.draw_without_rendering()
            figure.set_layout_engine("none")
            limits = (ax.get_xlim(), ax.get_ylim())
        ax.set_xlim(limits[0])
        ax.set_ylim(limits[1])
        frames.append(frame_of(figure))
    drawing().close(figure)
    return frames
