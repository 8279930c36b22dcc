"""New rows for groups that were found before: what they are like, and the groups with them taken in."""

from __future__ import annotations

import os
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, replace
from typing import Protocol, Unpack

import numpy as np
from scipy.sparse import issparse

from coterie._printing import count_of
from coterie._support import hooks
from coterie._support.facts import facts_of
from coterie._support.typing import Data, FloatArray, Indices, JsonObject, Labels, Model
from coterie.cluster.kmeans import ClusteringFeatures, n_features_kept
from coterie.data import settle_missing
from coterie.data.databases import SpooledRows
from coterie.data.paths import is_in_blocks
from coterie.data.reading import SourceOptions
from coterie.errors import InvalidData, InvalidParameter
from coterie.evaluate import Matching, match
from coterie.pipeline.answer import Clustering
from coterie.pipeline.groups import Groups, effect_sizes, group_name, number_labels, share_explained

GROWING = ("kmeans", "minibatch-kmeans", "mixture", "birch")
MATCHED_ROWS = 2000  # new rows whose groups before and after are matched
FARTHER = 1.25  # times the distance of the fit: rows that lie so far off are called drift
OTHER_SHARE = 0.1  # of the rows in other groups than in the fit: drift too, beyond what chance does
DRAWN_PER_FEATURE = 16
CHANCE = 2.0  # standard deviations of what chance does to shares


@dataclass(frozen=True, eq=False)
class NewRowSums:
    """Sums over new rows, by the groups that a model gives them; noise counts in none."""

    counts: Indices  # rows per group
    sums: FloatArray  # of scaled rows per group
    squares: FloatArray  # of scaled columns, about the means of the fit
    distance: float  # sum of squared distances to the centre of the own group, scaled
    sample: Data  # some rows, scaled
    n_noise: int = 0  # rows in no group

    def __add__(self, other: NewRowSums) -> NewRowSums:
        return NewRowSums(
            self.counts + other.counts,
            self.sums + other.sums,
            self.squares + other.squares,
            self.distance + other.distance,
            np.concatenate([self.sample, other.sample]),
            self.n_noise + other.n_noise,
        )


class NewRows(Protocol):
    """Rows to be taken in, in memory or in blocks."""

    @property
    def source(self) -> str:
        """Where they come from."""

    @property
    def n_rows(self) -> int:
        """How many they are."""

    def look(self, model: Model, numbers: Labels, centers: FloatArray, origin: FloatArray) -> NewRowSums:
        """Return the sums of the rows by their groups."""

    def grow(self, model: Model) -> None:
        """Let a model take them in."""


def look_at_rows(
    X: Data, labels: Labels, centers: FloatArray, origin: FloatArray, taken: Indices
) -> NewRowSums:
    """Return the sums of scaled rows whose groups are known; `taken` are the rows of the sample."""
    k, is_grouped = len(centers), labels >= 0
    rows, groups = np.asarray(X, dtype=np.float64)[is_grouped], labels[is_grouped]
    sums = np.stack([np.bincount(groups, column, minlength=k) for column in rows.T], axis=1)
    away, own = rows - origin, rows - centers[groups]
    return NewRowSums(
        np.bincount(groups, minlength=k),
        np.asarray(sums, dtype=np.float64),
        np.einsum("ij,ij->j", away, away),
        float(np.einsum("ij,ij->", own, own)),
        X[taken],
        len(labels) - len(groups),
    )


@dataclass(frozen=True, eq=False)
class RowsInMemory:
    """New rows in memory, scaled as those of the fit were."""

    source: str
    X: Data

    @property
    def n_rows(self) -> int:
        """How many they are."""
        return len(self.X)

    def look(self, model: Model, numbers: Labels, centers: FloatArray, origin: FloatArray) -> NewRowSums:
        """Return the sums of the rows by their groups."""
        labels = number_labels(np.asarray(model.predict(self.X)), numbers)
        taken = np.unique(np.linspace(0, self.n_rows - 1, min(self.n_rows, MATCHED_ROWS)).astype(int))
        return look_at_rows(self.X, labels, centers, origin, taken)

    def grow(self, model: Model) -> None:
        """Let a model take them in."""
        model.partial_fit(self.X)


@dataclass(frozen=True, eq=False)
class Arrival:
    """What new rows are like, beside those that the groups were found in.

    Parameters
    ----------
    source : str
        Where they come from.
    n_rows : int
        How many they are.
    shares, shares_before : arrays of shape (k,)
        Share of each group among them, and among the rows seen before; noise counts in neither.
    distance, distance_before : float
        Root mean square distance to the centre of the own group, in scaled columns.
    noise, noise_before : float
        Share of rows that belong to no group, of methods that have such.
    """

    source: str
    n_rows: int
    shares: FloatArray
    shares_before: FloatArray
    distance: float
    distance_before: float
    noise: float = 0.0
    noise_before: float = 0.0

    @property
    def ratio(self) -> float:
        """Distance of these rows over that of the rows before; NaN where these had none."""
        return self.distance / self.distance_before if self.distance_before > 0 else float("nan")

    @property
    def moved_share(self) -> float:
        """Share of the rows that would have to change groups for the shares to be those before."""
        if self.noise == 1.0:
            return 0.0  # none has a group
        return float(np.abs(self.shares - self.shares_before).sum() / 2)

    @property
    def drift(self) -> tuple[str, ...]:
        """What has changed, in words; empty: the rows are like those before."""
        found = []
        if self.ratio > FARTHER:
            found.append(f"rows lie {self.ratio:.2g} times as far from the centres as in the fit")
        deviation = np.sqrt(self.shares_before * (1 - self.shares_before) / max(self.n_rows, 1))
        if self.moved_share > OTHER_SHARE + CHANCE * float(deviation.sum()) / 2:
            at = int(np.argmax(np.abs(self.shares - self.shares_before)))
            found.append(
                f"{group_name(at)} has {100 * self.shares[at]:.0f} % of the rows, "
                f"{100 * self.shares_before[at]:.0f} % in the fit"
            )
        chance = float(np.sqrt(self.noise_before * (1 - self.noise_before) / max(self.n_rows, 1)))
        if self.noise > self.noise_before + OTHER_SHARE + CHANCE * chance:
            found.append(
                f"{100 * self.noise:.0f} % of the rows are noise, {100 * self.noise_before:.0f} % in the fit"
            )
        return tuple(found)

    def to_dict(self) -> JsonObject:
        """Return plain values."""
        return {
            "source": self.source,
            "rows": self.n_rows,
            **facts_of(self, "shares", "shares_before", "distance", "distance_before"),
            **facts_of(self, "noise", "noise_before", "drift"),
        }

    def __str__(self) -> str:
        shares = " ".join(f"{100 * share:.0f}" for share in self.shares[:MOST_SHARES])
        more = " ..." if len(self.shares) > MOST_SHARES else ""
        far = "" if np.isnan(self.ratio) or self.noise == 1 else f"; distance {self.ratio:.2f} of the fit's"
        noise = f", noise {100 * self.noise:.0f} %" if self.noise or self.noise_before else ""
        verdict = "drift: " + "; ".join(self.drift) if self.drift else "no drift"
        return (
            f"{self.source}  {count_of(self.n_rows, 'row')}; groups {shares}{more} %{noise}{far}; {verdict}"
        )


MOST_SHARES = 12  # shares of groups on one line


@dataclass(frozen=True, eq=False)
class Update:
    """Groups with new rows taken in.

    Parameters
    ----------
    clustering : Clustering
        The groups now. What `coterie.fit` tested (stability, significance, rules, typical rows) is of the
        rows of the fit.
    arrival : Arrival
        What the new rows are like.
    drift : Matching
        Which group became which among the new rows: by `coterie.match`.
    shifts : array of shape (k,)
        How far the centre of each group moved, in standard deviations of the columns (root mean square).

    Examples
    --------
    >>> import coterie
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(centre, 1, (60, 2)) for centre in ([0, 0], [9, 0], [0, 9])])
    >>> found = coterie.fit(X, "kmeans", 3, believe=False)
    >>> print(coterie.update(found, X[::2] + 0.1).arrival)
    the rows  90 rows; groups 33 33 33 %; distance 0.90 of the fit's; no drift
    """

    clustering: Clustering
    arrival: Arrival
    drift: Matching
    shifts: FloatArray

    def to_dict(self) -> JsonObject:
        """Return plain values."""
        return {
            **self.arrival.to_dict(),
            "shifts": self.shifts.tolist(),
            "groups": self.drift.to_dict(),
        }

    def __str__(self) -> str:
        moved = ", ".join(f"{group_name(at)} {shift:.2g}" for at, shift in enumerate(self.shifts))
        return f"{self.arrival}\ncentres moved, in standard deviations: {moved}"


def examine(
    found: Clustering, source: object, *, missing: str = "error", **reading: Unpack[SourceOptions]
) -> Arrival:
    """Say what new rows are like, beside those that groups were found in; nothing is changed.

    Parameters
    ----------
    found : Clustering
        The answer of `coterie.fit`, or what `coterie.load` made of it.
    source : Table, path, DataFrame, array, or data in blocks
        The new rows.
    missing : {"error", "drop", "median"}, default="error"
        What to do about missing values, as in `Clustering.predict`.
    **reading
        How a file is read, as in `coterie.fit`.
    """
    groups = _groups_of(found, may_grow=False)
    rows = _new_rows(groups, source, missing, reading)
    return _arrival(groups, rows, rows.look(groups.model, groups.numbers, *_places(groups)))


def update(
    found: Clustering, source: object, *, missing: str = "error", **reading: Unpack[SourceOptions]
) -> Update:
    """Update groups with new rows, without the rows of the fit.

    Groups keep their numbers, columns their scaling. K-means and mixtures move to where a fit to all rows
    would nearly be (`KMeans.partial_fit`, `GaussianMixture.partial_fit`); mini-batch k-means and BIRCH go on
    as with one more batch.

    Parameters
    ----------
    found : Clustering
        The answer of `coterie.fit`, or what `coterie.load` made of it.
    source : Table, path, DataFrame, array, or data in blocks
        The new rows, and no others.
    missing : {"error", "drop", "median"}, default="error"
        What to do about missing values, as in `Clustering.predict`.
    **reading
        How a file is read, as in `coterie.fit`.

    Returns
    -------
    Update
        The new answer, what the new rows are like, and how the groups drifted.

    Examples
    --------
    >>> import coterie
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(centre, 1, (60, 2)) for centre in ([0, 0], [9, 0], [0, 9])])
    >>> found = coterie.fit(X, "kmeans", 3, believe=False)
    >>> coterie.update(found, X + 0.1).clustering.profile.sizes
    array([120, 120, 120])
    """
    groups = _groups_of(found, may_grow=True)
    rows = _new_rows(groups, source, missing, reading)
    centers, origin = _places(groups)
    before = rows.look(groups.model, groups.numbers, centers, origin)
    model = _growing_model(found, groups)
    rows.grow(model)
    numbers = _numbers_after(groups, model)
    after = rows.look(model, numbers, centers, origin)
    labels = [
        number_labels(np.asarray(one.predict(before.sample)), its)
        for one, its in ((groups.model, groups.numbers), (model, numbers))
    ]
    drift = match(labels[0], labels[1], X=before.sample)
    grown = _grown_groups(groups, model, numbers, after, rows)
    return Update(
        replace(found, groups=grown, notes=(*found.notes, grown.notes[-1]), rows=None),
        _arrival(groups, rows, before),
        drift,
        _shifts(groups, grown),
    )


def _shifts(before: Groups, after: Groups) -> FloatArray:
    spread = before.profile.spread
    moved = (after.centers - before.centers)[:, spread > 0] / spread[spread > 0]
    return np.asarray(np.sqrt((moved**2).mean(axis=1))) if moved.size else np.zeros(before.k)


def with_features(found: Clustering) -> Clustering:
    """Return an answer whose k-means model knows its rows as clustering features, so that it can be updated.

    Features are means of small groups of rows; the rows are not kept. Other models stay as they are.
    """
    groups, rows = found.groups, found.rows
    if groups.levels or not _needs_features(groups.model) or getattr(rows, "points", None) is None:
        return found
    model = _with_features_of(copy(groups.model), np.asarray(rows.points))
    return replace(found, groups=replace(groups, model=model))


def _needs_features(model: Model) -> bool:
    is_kmeans = type(model).__name__ == "KMeans" and getattr(model, "geometry", "") == "euclidean"
    return is_kmeans and hasattr(model, "_cluster_weights") and not hasattr(model, "features_")


def _with_features_of(model: Model, points: Data) -> Model:
    n = n_features_kept(len(model.cluster_centers_), points.shape[1])
    rng = np.random.default_rng(0)
    drawn = np.sort(rng.choice(len(points), min(len(points), DRAWN_PER_FEATURE * n), replace=False))
    X = np.ascontiguousarray(points[drawn])
    exact = model.seen_features()
    if np.isnan(X).any() or len(exact.weights) < len(model.cluster_centers_):
        return model
    sample = ClusteringFeatures.of_rows(X, None, n=n, seed=0)
    model.features_ = sample.calibrated(exact, model.cluster_centers_)
    return model


def _groups_of(found: object, *, may_grow: bool) -> Groups:
    """Return the groups of an answer, or say why they cannot take in rows."""
    groups = getattr(found, "groups", None)
    if not isinstance(found, Clustering) or not isinstance(groups, Groups):
        raise InvalidParameter(
            f"update needs the answer of coterie.fit, got a {type(found).__name__}. Estimators that can take "
            f"in rows have partial_fit."
        ).in_shell(f"the model holds a {type(found).__name__}, not the answer of coterie fit --save.")
    if groups.places:
        raise InvalidParameter(
            "groups of positions cannot be updated with new rows. Fit old and new rows together, or use "
            "predict."
        )
    can_grow = groups.recipe.method in GROWING and not groups.levels
    if (may_grow and not can_grow) or groups.k < 1:
        kind = "tables with categories" if groups.levels else f"groups of {groups.recipe.method}"
        raise InvalidParameter(
            f"{kind} cannot be updated with new rows; those of {', '.join(GROWING)} on numbers can. Fit old "
            f"and new rows together."
        )
    if groups.levels or not hasattr(groups.model, "predict"):
        raise InvalidParameter("groups of tables with categories are not compared with new rows by distance.")
    return groups


def _new_rows(groups: Groups, source: object, missing: str, reading: SourceOptions) -> NewRows:
    if isinstance(source, SpooledRows) or is_in_blocks(source):
        opened: Callable[..., NewRows] = hooks.ask("new_rows_in_blocks")
        return opened(groups, source)
    X, name = groups.matrix_of(source, **reading)
    complete = settle_missing(X, groups.columns, policy=missing, source=name, medians=groups.medians)
    if not complete.X.shape[0]:
        raise InvalidData(f"{name}: has no rows.")
    scaled = groups.scaling.apply(complete.X)
    scaled = np.ascontiguousarray(scaled.toarray() if issparse(scaled) else scaled)  # features are dense
    if isinstance(source, str | os.PathLike):
        name = os.path.basename(os.fspath(source))
    return RowsInMemory(name, scaled)


def _places(groups: Groups) -> tuple[FloatArray, FloatArray]:
    """Return the centres of the groups and the mean of all rows of the fit, scaled."""
    profile = groups.profile
    centers = np.asarray(groups.scaling.apply(profile.means), dtype=np.float64)
    return centers, profile.sizes @ centers / max(int(profile.sizes.sum()), 1)


def _arrival(groups: Groups, rows: NewRows, look: NewRowSums) -> Arrival:
    profile = groups.profile
    variance = float(((profile.spread / groups.scaling.factor) ** 2).sum())
    within = variance * (1 - (groups.explained or 0.0))
    return Arrival(
        rows.source,
        rows.n_rows,
        look.counts / max(int(look.counts.sum()), 1),
        profile.sizes / max(int(profile.sizes.sum()), 1),
        float(np.sqrt(look.distance / max(int(look.counts.sum()), 1))),
        float(np.sqrt(max(within, 0.0))),
        look.n_noise / max(rows.n_rows, 1),
        groups.n_noise / max(groups.n_grouped, 1),
    )


def _growing_model(found: Clustering, groups: Groups) -> Model:
    """Return a copy of the model that can take in rows, with as many clusters as there are groups."""
    model = copy(with_features(found).groups.model)
    if hasattr(model, "n_clusters") and hasattr(model, "cluster_centers_"):
        model.n_clusters = len(model.cluster_centers_)
    return model


def _numbers_after(groups: Groups, model: Model) -> Labels:
    """Return the group of each cluster of a grown model; only BIRCH renumbers its clusters."""
    if not hasattr(model, "subcluster_labels_"):
        return groups.numbers
    before = number_labels(np.asarray(groups.model.predict(model.subcluster_centers_)), groups.numbers)
    labels = np.asarray(model.subcluster_labels_)
    table = np.zeros((int(labels.max()) + 1, groups.k))
    np.add.at(table, (labels, before), model.tree_.subcluster_weights)
    from scipy.optimize import linear_sum_assignment

    clusters, numbers = linear_sum_assignment(table, maximize=True)
    if len(clusters) < len(table):
        raise InvalidData("BIRCH finds more clusters with the new rows than there were groups. Fit again.")
    return np.asarray(numbers[np.argsort(clusters)], dtype=np.int32)


def _grown_groups(groups: Groups, model: Model, numbers: Labels, look: NewRowSums, rows: NewRows) -> Groups:
    """Return the groups with sizes, means and spread of all rows seen."""
    profile, scaling = groups.profile, groups.scaling
    centers, origin = _places(groups)
    sizes = profile.sizes + look.counts
    sums = centers * profile.sizes[:, None] + look.sums
    means = sums / np.maximum(sizes, 1)[:, None]
    n_seen, n_new = int(profile.sizes.sum()), int(look.counts.sum())
    shift = look.sums.sum(axis=0) / n_new - origin
    before = (profile.spread / scaling.factor) ** 2
    both = (n_seen * before + look.squares) / (n_seen + n_new) - (n_new / (n_seen + n_new) * shift) ** 2
    spread = np.sqrt(np.maximum(both, 0.0)) * scaling.factor
    in_units = scaling.invert(means)
    overall = scaling.invert((sizes @ means / (n_seen + n_new))[None])[0]
    differences = (in_units - overall) / np.where(spread > 0, spread, 1.0)
    grown = replace(
        profile,
        sizes=sizes,
        means=in_units,
        differences=differences,
        spread=spread,
        effects=effect_sizes(sizes, differences, n_seen + n_new),
    )
    found = getattr(model, "cluster_centers_", None)
    note = (
        f"{rows.n_rows:,} rows of {rows.source} were taken in later: stability, significance, rules and "
        f"typical rows are those of the fit"
    )
    return replace(
        groups,
        n_rows=groups.n_rows + rows.n_rows,
        notes=(*groups.notes, note),
        model=model,
        numbers=numbers,
        labels=np.zeros(0, dtype=np.int32),
        profile=grown,
        centers=in_units if found is None else scaling.invert(np.asarray(found, float)[np.argsort(numbers)]),
        explained=share_explained(grown, scaling, n_seen + n_new),
    )
