"""Geometries: a distance together with its barycentre, so that alternating between them descends."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import ClassVar, Protocol, TypeAlias

import numpy as np

from coterie import _core
from coterie._support.declarations import held, saved
from coterie._support.typing import Centers, Data, Labels, Weights
from coterie._support.validation.schema import Instance, Maybe, Schema, Size, Sometimes, Tensor
from coterie.distance.catalogue import Distance, find_distance
from coterie.distance.input import input_kind
from coterie.distance.learning import exponent_of
from coterie.errors import InvalidParameter

_makers: dict[str, Maker] = {}
_NEARER = "A row moves only to a nearer centre"
_SSE = "sum of squared distances to the centres (SSE)"


@saved()
class Clusters:
    """Prepared rows in clusters: labels 0..n_clusters-1 or -1 for none; weights None when all are equal."""

    rows: Data = held(Tensor("rows", "columns", may_be_empty=True))
    labels: Labels = held(Tensor("rows", kind="i", low=-1, below="clusters"))
    n_clusters: int = held(Size("clusters"))
    weights: Weights | None = held(Sometimes(Maybe(Tensor("rows", kind="f8", low=0))), default=None)


class Computation(Protocol):
    """What finds the barycentres of clusters, one row each, NaN where a cluster has no weight."""

    def __call__(self, clusters: Clusters, distance: Distance, n_threads: int) -> Centers: ...


@dataclass(frozen=True)
class Barycentre:
    """The point that a cluster's rows are nearest to, and why.

    Parameters
    ----------
    kind : str
        Which point: "mean", "median", "mode", ...; "unit mean" is the mean divided by its length.
    power : float
        The objective is the sum over the rows of w * distance ** power.
    objective : str
        The objective in words.
    reason : str
        Why neither assigning rows to the nearest centre nor moving centres here can raise it.
    compute : callable
        Finds it.
    """

    kind: str
    power: float
    objective: str
    reason: str
    compute: Computation


@dataclass(frozen=True, eq=False)
class Geometry:
    """A distance and its barycentre.

    Parameters
    ----------
    distance : Distance
        How far a row is from a centre.
    barycentre : Barycentre
        Which centre a cluster has.

    Examples
    --------
    >>> geometry = find_geometry("manhattan")
    >>> geometry.barycentre.kind
    'median'
    >>> X = np.array([[0.0], [1.0], [9.0]])
    >>> geometry.barycentres(Clusters(X, np.zeros(3, dtype=int), 1))
    array([[1.]])
    """

    _schema: ClassVar[Schema] = {"distance": Instance(Distance)}

    distance: Distance
    barycentre: Barycentre

    @property
    def name(self) -> str:
        """The name of the distance."""
        return self.distance.name

    def fit(self, X: Data) -> Geometry:
        """Return the geometry with what its distance learns from the rows.

        Examples
        --------
        >>> find_geometry("seuclidean").fit(np.array([[0.0], [2.0]])).distance.values["V"]
        array([2.])
        """
        return replace(self, distance=self.distance.fit(X))

    def prepare(self, rows: Data, *, name: str = "X") -> Data:
        """Return the rows in the space where distances and barycentres are taken.

        Examples
        --------
        >>> find_geometry("cosine").prepare(np.array([[3.0, 4.0]]))
        array([[0.6, 0.8]])
        """
        return self.distance.prepare(rows, name=name)

    def restore(self, centers: Centers) -> Centers:
        """Return centres of prepared rows in the units of the data; directions stay directions.

        Examples
        --------
        >>> geometry = find_geometry("seuclidean", V=[4.0]).fit(np.array([[0.0], [2.0]]))
        >>> geometry.restore(geometry.prepare(np.array([[6.0]])))
        array([[6.]])
        """
        transform = self.distance.transform
        if transform is None:
            return centers
        return transform.backward(centers.astype(np.float64)).astype(centers.dtype)

    def barycentres(self, clusters: Clusters, *, n_threads: int = 0) -> Centers:
        """Return the barycentre of each cluster; the answer does not depend on the threads.

        Examples
        --------
        >>> labels = np.array([0, 0, 0, 1])
        >>> find_geometry("hamming").barycentres(Clusters(np.array([[1.0], [4.0], [4.0], [7.0]]), labels, 2))
        array([[4.],
               [7.]])
        """
        return self.barycentre.compute(clusters, self.distance, n_threads)


Maker: TypeAlias = Callable[[Distance], Barycentre | None]


def find_geometry(geometry: str | Distance | Geometry = "euclidean", /, **params: object) -> Geometry:
    """Return the geometry of a distance, or say that it has none.

    Parameters
    ----------
    geometry : str, Distance or Geometry
        A name or alias of the catalogue of distances, a distance, or a geometry, which is returned.
    **params
        Parameters of the distance.

    Examples
    --------
    >>> find_geometry("cosine").barycentre.kind
    'unit mean'
    """
    if isinstance(geometry, Geometry):
        if params:
            raise InvalidParameter(f"a Geometry has its parameters already, got {', '.join(params)} too.")
        return geometry
    if input_kind(geometry) != "data":
        raise _no_barycentre(f'"{geometry}" has no barycentre: there are no coordinates to average')
    distance = find_distance(geometry, **params)
    if distance.function is not None:
        raise _no_barycentre(f"{distance.name} is a function of two rows: its barycentre is not known")
    make = _makers.get(distance.name)
    barycentre = None if make is None else make(distance)
    if barycentre is None:
        shown = f"{distance.name} with p={distance.p:g}" if "p" in distance.values else distance.name
        raise _no_barycentre(f"the distance {shown} has no barycentre that is known to lower its objective")
    return Geometry(distance, barycentre)


def register_geometry(distance: str, make: Maker) -> None:
    """Give a distance of the catalogue a barycentre.

    Parameters
    ----------
    distance : str
        Its name.
    make : callable
        Distance -> Barycentre, or None where the distance's parameters leave it without one.

    Examples
    --------
    >>> register_geometry("euclidean", lambda distance: None)
    Traceback (most recent call last):
    ...
    coterie.errors.InvalidParameter: the distance euclidean has a barycentre already.
    """
    name = find_distance(distance).name
    if name in _makers:
        raise InvalidParameter(f"the distance {name} has a barycentre already.")
    _makers[name] = make


def geometries() -> Mapping[str, Geometry]:
    """Return the geometries of all distances that have one, with default parameters.

    Examples
    --------
    >>> "hamming" in geometries()
    True
    """
    return MappingProxyType({name: find_geometry(name) for name in _makers})


def _no_barycentre(what: str) -> InvalidParameter:
    names = ", ".join(_makers)
    return InvalidParameter(f"{what}. Use KMedoids, which takes every distance, or one of: {names}.")


def _column_by_column(
    clusters: Clusters, distance: Distance, n_threads: int, *, kind: _core.Barycentre
) -> Centers:
    labels = np.ascontiguousarray(clusters.labels, dtype=np.int32)
    weights = None if clusters.weights is None else np.ascontiguousarray(clusters.weights, dtype=np.float64)
    return np.asarray(
        _core.barycentres(
            clusters.rows, labels, clusters.n_clusters, weights, kind, p=distance.p, n_threads=n_threads
        )
    )


def _unit_means(clusters: Clusters, distance: Distance, n_threads: int) -> Centers:
    """Divide means by their lengths. Where rows cancel, every direction is as good: the first row's."""
    means = _column_by_column(clusters, distance, n_threads, kind=_core.Barycentre.mean)
    lengths = np.sqrt(np.einsum("ij,ij->i", means, means, dtype=np.float64))
    for cluster in np.flatnonzero(lengths <= means.shape[1] * np.finfo(means.dtype).eps):
        counts = clusters.labels == cluster
        if clusters.weights is not None:
            counts &= clusters.weights > 0
        means[cluster] = clusters.rows[int(np.argmax(counts))]
        lengths[cluster] = 1.0
    return np.asarray((means / lengths[:, None]).astype(means.dtype))


_LEAST_SQUARES = (
    f"{_NEARER}; the mean is the one point with the least sum of squared distances, also after a linear map "
    "such as scaling or whitening."
)

_mean = partial(_column_by_column, kind=_core.Barycentre.mean)
_MEAN_OF_DISTANCES = Barycentre("mean", 2.0, _SSE, _LEAST_SQUARES, _mean)
_MEAN_OF_SQUARES = Barycentre("mean", 1.0, _SSE, _LEAST_SQUARES, _mean)
_MEDIAN = Barycentre(
    "median",
    1.0,
    "sum of Manhattan distances to the centres",
    f"{_NEARER}; the sum splits into one sum of |x - c| per column, least at a median.",
    partial(_column_by_column, kind=_core.Barycentre.median),
)
_UNIT_MEAN = Barycentre(
    "unit mean",
    1.0,
    "sum of one minus the cosine with the centres",
    f"{_NEARER}; among unit vectors c the sum of x.c is greatest in the direction of the mean.",
    _unit_means,
)
_MODE = Barycentre(
    "mode",
    1.0,
    "sum of the shares of cells that differ from the centres",
    f"{_NEARER}; the sum splits by column, and the commonest value differs from the fewest rows.",
    partial(_column_by_column, kind=_core.Barycentre.mode),
)


def _of_minkowski(distance: Distance) -> Barycentre | None:
    p = exponent_of(distance)
    if p < 1 or np.isinf(p):
        return None  # below 1 the sums are not convex; at infinity they do not split by column
    if p == 1:
        return _MEDIAN
    if p == 2:
        return _MEAN_OF_DISTANCES
    return Barycentre(
        "p-centre",
        p,
        f"sum of distances to the centres, each to the power {p:g}",
        f"{_NEARER}; the sum splits into one convex sum of |x - c|^p per column, which is minimised.",
        partial(_column_by_column, kind=_core.Barycentre.p_centre),
    )


register_geometry("euclidean", lambda _: _MEAN_OF_DISTANCES)
register_geometry("sqeuclidean", lambda _: _MEAN_OF_SQUARES)
register_geometry("seuclidean", lambda _: _MEAN_OF_DISTANCES)
register_geometry("mahalanobis", lambda _: _MEAN_OF_DISTANCES)
register_geometry("manhattan", lambda _: _MEDIAN)
register_geometry("minkowski", _of_minkowski)
register_geometry("cosine", lambda _: _UNIT_MEAN)
register_geometry("correlation", lambda _: _UNIT_MEAN)
register_geometry("spearman", lambda _: _UNIT_MEAN)
register_geometry("hamming", lambda _: _MODE)
