"""k-Shape: groups of series that have one shape, wherever in time it lies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from coterie._support.declarations import KW_ONLY, estimator, parameter
from coterie._support.progress import Tracker, track
from coterie._support.rounding import is_lower
from coterie._support.threads import one_thread, resolve_threads
from coterie._support.typing import (
    Distances,
    FittedAttributes,
    Indices,
    Init,
    Labels,
    Settings,
    Weights,
)
from coterie._support.validation import (
    AnArray,
    Choice,
    Number,
    Whole,
    check_n_clusters,
    check_seed,
    shift_seed,
)
from coterie._support.validation.schema import wrong
from coterie.cluster.base import Listener
from coterie.cluster.kmeans import refill, warn_if_fewer
from coterie.errors import InvalidParameter
from coterie.series.base import SeriesClusterer
from coterie.series.collection import Points, SeriesCollection, read_series
from coterie.series.scaling import normalise
from coterie.series.shape import Spectra, best_shifts, extract_shapes, padded, shape_distances, shifted


@estimator
class KShape(SeriesClusterer):
    """Groups of time series by shape: each series is compared at its best shift.

    By turns, every series goes to the shape with the least shape-based distance, and every shape becomes the
    leading axis of its series, shifted to the shape before. Series are z-normalised first: level and
    amplitude do not count. Where a shorter series has no points it counts as 0, its own mean; shapes are as
    long as the longest series, and no series is stretched.

    Parameters
    ----------
    tol : float, default=1e-4
        Stop when no label changes and the inertia changes by at most this share.
    init : {"k-means++", "random"} or series, default="k-means++"
        First groups: about series far from each other, a random partition, or about the shapes given.

    Attributes
    ----------
    cluster_centers_ : array of shape (n_clusters, n_points, n_columns)
        The shapes, with mean 0 and standard deviation 1.
    labels_ : array of int32 of shape (n_series,)
        The nearest shape of each series.
    inertia_ : float
        Sum of the shape-based distances to the nearest shape.

    Examples
    --------
    >>> import numpy as np
    >>> t = np.linspace(0, 2 * np.pi, 40)
    >>> X = [np.sin(t), 3 * np.sin(t + 0.4), np.sign(np.sin(2 * t)), np.sign(np.sin(2 * t + 0.3))]
    >>> model = KShape(n_clusters=2, random_state=0).fit(X)
    >>> bool(model.labels_[0] == model.labels_[1] != model.labels_[2] == model.labels_[3])
    True
    """

    _: KW_ONLY
    n_init: int = parameter(Whole(1), "How many starts; the run of least inertia is kept.", default=1)
    max_iter: int = parameter(Whole(1), default=100)
    tol: float = parameter(Number(0), default=1e-4)
    init: Init = parameter(Choice("k-means++", "random") | AnArray(), default="k-means++")

    @classmethod
    def _check_state(cls, state: Settings, sizes: Mapping[str, int]) -> None:
        super()._check_state(state, sizes)
        if np.isnan(state["cluster_centers_"]).any():
            raise wrong("cluster_centers_", cls.__name__, "hold series of one length", "shorter ones")

    def _compute(self, X: Any, weights: Weights | None, listener: Listener | None) -> FittedAttributes:
        who = type(self).__name__
        check_n_clusters(self.n_clusters, len(X), who=who)
        series = normalise(X)
        block, spectra = padded(series), Spectra.of(series)
        given = None if isinstance(self.init, str) else self._given(X)
        seed, best = check_seed(self.random_state), None
        with one_thread("blas"), track(self.progress, "k-Shape: iteration").also(listener) as tracker:
            for start in range(1 if given is not None else int(self.n_init)):
                rng = np.random.default_rng(shift_seed(seed, start))
                run = self._run(block, spectra, rng, given, tracker)
                if best is None or is_lower(run[2], best[2]):
                    best = run
        assert best is not None
        shapes, labels, inertia, n_iter = best
        sizes = np.bincount(labels, minlength=len(shapes))
        number = (np.cumsum(sizes > 0) - 1).astype(np.int32)
        warn_if_fewer(int((sizes > 0).sum()), self.n_clusters)
        return {
            "cluster_centers_": np.ascontiguousarray(shapes[sizes > 0]),
            "labels_": number[labels],
            "inertia_": inertia,
            "n_iter_": n_iter,
            "_n_columns": X.n_columns,
            "_n_features_out": int((sizes > 0).sum()),
        }

    def _run(
        self,
        block: Points,
        spectra: Spectra,
        rng: np.random.Generator,
        given: Points | None,
        tracker: Tracker,
    ) -> tuple[Points, Labels, float, int]:
        k, before = int(self.n_clusters), np.inf
        shapes = self._start(block, spectra, rng) if given is None else given
        if shapes is None:
            labels = _random_labels(k, len(block), rng)
            shapes, shifts = np.zeros((k, *block.shape[1:])), np.zeros(len(block), dtype=np.int64)
        else:
            labels, shifts, _ = _assign(spectra, shapes)
        for n_iter in range(1, int(self.max_iter) + 1):
            shapes = extract_shapes(shifted(block, -shifts), labels, shapes)
            found, shifts, inertia = _assign(spectra, shapes)
            tracker.report(n_iter)
            if np.array_equal(found, labels) and abs(before - inertia) <= self.tol * inertia:
                break
            labels, before = found, inertia
        apart = spectra.distances(_spectra_of(shapes))
        return shapes, apart.argmin(axis=1).astype(np.int32), float(apart.min(axis=1).sum()), n_iter

    def _given(self, X: SeriesCollection) -> Points:
        """Return the shapes that `init` holds, z-normalised and as long as the longest series."""
        who, (_, longest) = type(self).__name__, X.shape
        shapes = read_series(self.init, who=who, name="init")
        if len(shapes) != self.n_clusters or shapes.n_columns != X.n_columns or shapes.shape[1] > longest:
            raise InvalidParameter(
                f"init of {who} must hold n_clusters={self.n_clusters} series of at most {longest} points "
                f"and {X.n_columns} columns, got {len(shapes)} of {shapes.shape[1]} points and "
                f"{shapes.n_columns} columns."
            )
        out = np.zeros((len(shapes), longest, X.n_columns))
        out[:, : shapes.shape[1]] = padded(normalise(shapes))
        return out

    def _start(self, block: Points, spectra: Spectra, rng: np.random.Generator) -> Points | None:
        """Return the series that the first groups are about; None for a random partition."""
        k, n = int(self.n_clusters), len(block)
        if self.init == "random":
            return None
        chosen = [int(rng.integers(n))]
        near = spectra.distances(spectra.take(chosen))[:, 0]
        while len(chosen) < k:
            total = np.cumsum(near**2)
            if total[-1] > 0:
                drawn = int(np.searchsorted(total, rng.random() * total[-1], side="right"))
                chosen.append(min(drawn, n - 1))
            else:  # fewer different shapes than clusters
                chosen.append(next(at for at in range(n) if at not in set(chosen)))
            near = np.minimum(near, spectra.distances(spectra.take(chosen[-1:]))[:, 0])
        return np.asarray(block[chosen])

    def _apart(self, series: SeriesCollection) -> Distances:
        return shape_distances(normalise(series), self._centers, is_same=False, threads=resolve_threads())


def _random_labels(n_clusters: int, n_series: int, rng: np.random.Generator) -> Labels:
    labels = rng.integers(n_clusters, size=n_series).astype(np.int32)
    labels[rng.permutation(n_series)[:n_clusters]] = np.arange(n_clusters)  # none is empty
    return labels


def _spectra_of(shapes: Points) -> Spectra:
    return Spectra.of_block(shapes, np.full(len(shapes), shapes.shape[1], dtype=np.int64))


def _assign(spectra: Spectra, shapes: Points) -> tuple[Labels, Indices, float]:
    """Return the nearest shape of every series, none without series, their best shifts, and the inertia."""
    others = _spectra_of(shapes)
    apart, shifts = spectra.nearest(others)
    nearest = apart.argmin(axis=1).astype(np.int32)
    labels = refill(nearest, apart.min(axis=1), len(shapes), None)
    for at in np.flatnonzero(labels != nearest):  # at most one for every shape
        found = spectra.correlations(others, slice(at, at + 1), slice(labels[at], labels[at] + 1))
        shifts[at] = best_shifts(found[0], spectra.longest)[1][0]
    return labels, shifts, float(apart.min(axis=1).sum())
