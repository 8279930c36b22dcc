"""The rows in a plane: two columns, principal components, t-SNE."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from coterie._support.linear_algebra import principal_components, settle_signs
from coterie._support.typing import Indices
from coterie.show.report.facts import DensityFacts, MapFacts
from coterie.show.report.numbers import count, percent, rounded
from coterie.show.report.sample import dense
from coterie.show.report.subject import Subject, shorten

MOST_TSNE_ROWS = 1_000  # t-SNE of more takes longer than all the rest of the report
TSNE_STEPS = 500
LEAST_TSNE_ROWS = 20
WIDEST_COVARIANCE = 500  # columns up to which components come from all rows
CELLS = 72  # of a density, per side


def map_facts(subject: Subject, places: Indices) -> tuple[MapFacts, ...]:
    """Return the maps of the rows at `places`, the first being shown first."""
    n_columns = len(subject.columns)
    if n_columns == 1:
        return (_line(subject, places),)
    if n_columns == 2:
        return (_plane(subject, places),)
    maps = [_components(subject, places)]
    if len(places) >= LEAST_TSNE_ROWS and np.ptp(dense(subject.points[places])) > 0:
        maps.append(_neighbourhoods(subject, places))
    return tuple(maps)


def _line(subject: Subject, places: Indices) -> MapFacts:
    x = dense(subject.X)[:, 0]
    spread = (np.arange(len(places)) * 0.6180339887) % 1.0  # golden ratio: even, and the same every time
    return MapFacts(
        name="the column",
        caption="One column was used; rows are spread upwards at random so that none hides another.",
        x_title=shorten(subject.columns[0]),
        y_title="",
        x=rounded(x[places]),
        y=rounded(spread),
    )


def _plane(subject: Subject, places: Indices) -> MapFacts:
    plane = dense(subject.X)
    return MapFacts(
        name="the two columns",
        caption="Both columns that were used, in their own units.",
        x_title=shorten(subject.columns[0]),
        y_title=shorten(subject.columns[1]),
        x=rounded(plane[places, 0], 5),
        y=rounded(plane[places, 1], 5),
        density=_density(plane, len(places)),
    )


def _components(subject: Subject, places: Indices) -> MapFacts:
    plane, shares, is_whole = principal_plane(subject.points, places)
    said = "" if is_whole else f" (computed from {count(len(places), 'row')})"
    shown = plane[places] if is_whole else plane
    return MapFacts(
        name="PCA",
        caption=f"Two principal components keep {percent(float(shares.sum()))} of the variance of the "
        f"{subject.scaling}{said}.",
        x_title=f"component 1 ({percent(float(shares[0]))})",
        y_title=f"component 2 ({percent(float(shares[1]))})",
        x=rounded(shown[:, 0]),
        y=rounded(shown[:, 1]),
        density=_density(plane, len(places)) if is_whole else None,
    )


def principal_plane(points: Any, places: Indices) -> tuple[Any, Any, bool]:
    """Return coordinates on two principal components, their shares of the variance, whether of all rows.

    Tables that are sparse or very wide are looked at through the sample only.
    """
    is_whole = not sparse.issparse(points) and points.shape[1] <= WIDEST_COVARIANCE
    seen = np.asarray(points if is_whole else dense(points[places]), dtype=np.float64)
    centered = seen - seen.mean(axis=0)
    if is_whole:
        _, plane, shares = principal_components(centered).plane()
        return plane, shares, True
    from sklearn.utils.extmath import randomized_svd

    _, singular, rows = randomized_svd(centered, n_components=2, random_state=0)
    total = float(np.square(centered).sum())
    shares = singular**2 / total if total > 0 else np.zeros(2)
    return centered @ settle_signs(rows.T), shares, False  # or a rebuilt report may be mirrored


def _density(plane: Any, n_shown: int) -> DensityFacts | None:
    """Return counts of all rows where the page shows only some."""
    if len(plane) <= n_shown:
        return None
    low, high = np.quantile(plane, [0.0005, 0.9995], axis=0)  # one outlier must not squeeze all others
    low, high = low - 0.1 * (high - low), high + 0.1 * (high - low)
    counts, x, y = np.histogram2d(
        plane[:, 0], plane[:, 1], bins=CELLS, range=list(zip(low.tolist(), high.tolist(), strict=True))
    )
    middles = [rounded((edges[1:] + edges[:-1]) / 2) for edges in (x, y)]
    cells = tuple(tuple(row) for row in counts.T.astype(np.int64).tolist())
    return DensityFacts(middles[0], middles[1], cells)


def _neighbourhoods(subject: Subject, places: Indices) -> MapFacts:
    from sklearn.manifold import TSNE
    from threadpoolctl import threadpool_limits

    chosen = np.random.default_rng(subject.seed).permutation(len(places))[:MOST_TSNE_ROWS]
    points = dense(subject.points[places[chosen]]).astype(np.float64)
    perplexity = min(30.0, (len(chosen) - 1) / 3)
    method = TSNE(perplexity=perplexity, init=_start(points), max_iter=TSNE_STEPS, random_state=subject.seed)
    with threadpool_limits(1):  # so few rows give threads nothing to do but wait for each other
        found = method.fit_transform(points)
    x, y = np.full((2, len(places)), np.nan)
    x[chosen], y[chosen] = found.T
    return MapFacts(
        name="t-SNE",
        caption=f"t-SNE of {count(len(chosen), 'row')} (perplexity {perplexity:g}): near means alike; "
        f"sizes of gaps and of clouds mean nothing.",
        x_title="",
        y_title="",
        x=rounded(x),
        y=rounded(y),
    )


def _start(points: Any) -> Any:
    plane, _, _ = principal_plane(points, np.arange(len(points)))
    return (plane / (plane[:, 0].std() or 1.0) * 1e-4).astype(np.float32)
