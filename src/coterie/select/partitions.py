"""The clusterings of the same rows into 1, 2, 3 ... clusters, however a method comes by them."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from coterie._support.typing import Data, Labels
from coterie.select.kmeans_path import CenterRuns


@dataclass(frozen=True, eq=False)
class Partitions:
    """Labels by number of clusters, and what is known besides.

    Parameters
    ----------
    labels : dict of int to ndarray or None
        Labels 0..k-1 of each k; None where the method did not find so many clusters.
    inertias : dict of int to float
        What the method made small, where it is that kind of method.
    """

    labels: Mapping[int, Labels | None]
    inertias: Mapping[int, float] = field(default_factory=dict)

    def place(self, k: int, rows: Data) -> Labels:
        """Return the cluster of each new row."""
        raise NotImplementedError

    def model(self, k: int) -> Any:
        """Return the fitted estimator of one k, or None."""
        return None


@dataclass(frozen=True, eq=False)
class CenterPartitions(Partitions):
    """From runs of k-means."""

    runs: CenterRuns = field(kw_only=True)

    def place(self, k: int, rows: Data) -> Labels:
        return self.runs.place(k, rows)


@dataclass(frozen=True, eq=False)
class NestedPartitions(Partitions):
    """Cuts of one tree; new rows go to the finest clusters, which are then joined."""

    finest: Any = field(kw_only=True)  # the estimator, fitted at the largest k

    def place(self, k: int, rows: Data) -> Labels:
        found = self.labels[k]
        assert found is not None
        coarser = np.zeros(int(self.finest.labels_.max()) + 1, dtype=np.int32)
        coarser[self.finest.labels_] = found
        return np.asarray(coarser[self.finest.predict(rows)])

    def model(self, k: int) -> Any:
        return self.finest


@dataclass(frozen=True, eq=False)
class FittedPartitions(Partitions):
    """From one fit for each k."""

    models: Mapping[int, Any] = field(kw_only=True)

    def place(self, k: int, rows: Data) -> Labels:
        placed: Labels = self.models[k].predict(rows)
        return placed

    def model(self, k: int) -> Any:
        return self.models.get(k)


@dataclass(frozen=True, eq=False)
class SpectralPartitions(Partitions):
    """From the leading coordinates of one graph."""

    graph: Any = field(kw_only=True)  # the estimator, fitted at the largest k
    centers: Mapping[int, Any] = field(kw_only=True)

    def place(self, k: int, rows: Data) -> Labels:
        from coterie.distance import nearest

        coordinates = np.ascontiguousarray(self.graph._place(self.graph._check_new_rows(rows))[:, :k])
        return nearest(coordinates, self.centers[k]).index.astype(np.int32)

    def model(self, k: int) -> Any:
        return self.graph


def dense_labels(labels: Any, k: int) -> Labels | None:
    """Return labels 0..k-1, or None when there are not k clusters.

    Examples
    --------
    >>> dense_labels([5, 5, 7], 2), dense_labels([5, 5, 7], 3)
    (array([0, 0, 1], dtype=int32), None)
    """
    names, codes = np.unique(np.asarray(labels), return_inverse=True)
    return codes.astype(np.int32) if names.size == k and names[0] >= 0 else None


@contextmanager
def without_warnings() -> Iterator[None]:
    """Silence what fits of one k say: the evidence tells which k have no clustering."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
