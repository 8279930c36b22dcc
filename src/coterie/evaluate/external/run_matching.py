"""Two runs side by side: which cluster became which."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Any

import numpy as np

from coterie._support.declarations import held, saved
from coterie._support.facts import facts_of, finite
from coterie._support.optional import require
from coterie._support.typing import (
    AnyArray,
    FloatArray,
    JsonObject,
    MatrixLike,
    Model,
    PandasFrame,
    VectorLike,
)
from coterie._support.validation import check_data, require_memory
from coterie._support.validation.schema import (
    COUNT,
    NAME,
    DictOf,
    Instance,
    ListOf,
    Maybe,
    Names,
    Real,
    Sometimes,
)
from coterie.errors import InvalidData, InvalidParameter
from coterie.evaluate.internal.partitions import read_partition
from coterie.evaluate.labelings import read_labeling

_WHO = "match"
MAJORITY = 0.5
PART = 0.1  # less than a tenth of a cluster is not part of a split or merge


@saved()
class Drift:
    """How one cluster changed.

    Parameters
    ----------
    before, after, shared : int
        Rows of it in the reference, in the new run, and in both.
    shift : float or None
        How far its centre moved, in standard deviations of the columns (root mean square over columns); None
        without data.
    """

    cluster: object = held(NAME, "Its name in both runs.")
    before: int = held(COUNT)
    after: int = held(COUNT)
    shared: int = held(COUNT)
    shift: float | None = held(Sometimes(Maybe(Real(nan=True))), default=None)

    @property
    def jaccard(self) -> float:
        """Rows in both over rows in either: 1 for a cluster that did not change."""
        return self.shared / (self.before + self.after - self.shared)


@saved(eq=False)
class Matching:
    """Which cluster of a new run is which of a reference.

    Parameters
    ----------
    names : dict
        Name of each new cluster: that of the reference cluster it continues, or a new name.
    labels : array of shape (n_samples,)
        The new labels with these names; noise stays -1.
    drift : tuple of Drift
        One for each cluster that continues.
    births : tuple
        New names of clusters that neither continue another nor are part of one.
    deaths : tuple
        Reference clusters that are not continued and did not merge into another.
    splits : dict
        Reference cluster -> names of the new clusters that are parts of it, where there are several.
    merges : dict
        Name of a new cluster -> the reference clusters that went into it, where there are several.

    Examples
    --------
    >>> from coterie.evaluate import match
    >>> print(match([0, 0, 0, 1, 1, 1], [5, 5, 5, 3, 3, 3]))
    6 rows: 2 clusters continue
      0: 3 rows before, 3 after, 3 in both
      1: 3 rows before, 3 after, 3 in both
    """

    names: dict[Any, Any] = held(DictOf(NAME, NAME))
    labels: AnyArray = held(Names("rows"))
    drift: tuple[Drift, ...] = held(ListOf(Instance(Drift), kind=tuple))
    births: tuple[Hashable, ...] = held(ListOf(NAME, kind=tuple))
    deaths: tuple[Hashable, ...] = held(ListOf(NAME, kind=tuple))
    splits: dict[Hashable, tuple[Hashable, ...]] = held(DictOf(NAME, ListOf(NAME, kind=tuple)))
    merges: dict[Hashable, tuple[Hashable, ...]] = held(DictOf(NAME, ListOf(NAME, kind=tuple)))

    @property
    def is_unchanged(self) -> bool:
        """Whether every cluster continues with the same rows."""
        return not (self.births or self.deaths or any(each.jaccard < 1 for each in self.drift))

    def to_dict(self) -> JsonObject:
        """Return what was found as plain values."""
        return {
            "names": [finite([plain(new), plain(name)]) for new, name in self.names.items()],
            "drift": [
                finite(facts_of(each, "cluster", "before", "after", "shared", "jaccard", "shift"))
                for each in self.drift
            ],
            "births": list(self.births),
            "deaths": list(self.deaths),
            "splits": [[name, list(parts)] for name, parts in self.splits.items()],
            "merges": [[name, list(parts)] for name, parts in self.merges.items()],
        }

    def to_frame(self) -> PandasFrame:
        """Return a pandas DataFrame: one row per cluster that continues."""
        pandas = require("pandas", extra="pandas", purpose="to_frame")
        columns = ["cluster", "before", "after", "shared", "jaccard", "shift"]
        rows = [[e.cluster, e.before, e.after, e.shared, e.jaccard, e.shift] for e in self.drift]
        return pandas.DataFrame(rows, columns=columns).set_index("cluster")

    def __repr__(self) -> str:
        lines = [f"{self.labels.size:,} rows: {len(self.drift)} clusters continue"]
        for each in self.drift:
            shift = "" if each.shift is None else f"; centre moved by {each.shift:.2g} sd"
            sizes = f"{each.before:,} rows before, {each.after:,} after, {each.shared:,} in both"
            lines.append(f"  {each.cluster}: {sizes}{shift}")
        lines += [f"  {name} split into {_listed(parts)}" for name, parts in self.splits.items()]
        lines += [f"  {_listed(parts)} merged into {name}" for name, parts in self.merges.items()]
        lines += [f"  born: {_listed(self.births)}"] * bool(self.births)
        lines += [f"  gone: {_listed(self.deaths)}"] * bool(self.deaths)
        return "\n".join(lines)


def _listed(values: Iterable[object]) -> str:
    return ", ".join(map(str, values))


def match(reference: VectorLike | Model, new: VectorLike | Model, *, X: MatrixLike | None = None) -> Matching:
    """Match the clusters of a new run with those of a reference, and relabel them.

    Clusters are matched one to one such that as many rows as possible keep their name. A pair counts when
    most rows of one of the two are in the other; the rest are births, deaths, or parts of splits and merges.
    A new cluster is part of a split when most of it comes from the same reference cluster as most of another,
    and it holds at least a tenth of that; merges likewise.

    Parameters
    ----------
    reference, new : array-like of shape (n_samples,), or fitted models
        Labels of the same rows, -1 is noise; or models with ``labels_`` or ``labels``. Lower labels than -1
        (rows left out) do not count as a cluster either.
    X : array-like of shape (n_samples, n_features), default=None
        The rows. They measure how far centres moved; and they are given to ``predict`` of models, so that
        two models that were fitted to different rows can be compared.

    Examples
    --------
    >>> before = ["a", "a", "a", "a", "b", "b"]
    >>> found = match(before, [7, 7, 9, 9, 8, 8])
    >>> found.labels.tolist()
    ['a', 'a', 'new 1', 'new 1', 'b', 'b']
    >>> found.splits
    {'a': ('a', 'new 1')}
    """
    data = None if X is None else np.asarray(check_data(X, who=_WHO, may_be_distances=True), dtype=np.float64)
    before, after = _labels(reference, X, "reference"), _labels(new, X, "new")
    if len(before) != len(after) or (data is not None and len(data) != len(before)):
        rows = "" if data is None else f" and {len(data)} rows of X"
        raise InvalidData(
            f"reference and new of {_WHO} must label the same rows, got {len(before)} and {len(after)} labels"
            f"{rows}. For models fitted to different rows give X."
        )
    return _Matcher(before, after).match(data)


class _Matcher:
    """The counts of rows that two runs share."""

    def __init__(self, before: AnyArray, after: AnyArray) -> None:
        self._old, self._new = (read_partition(labels) for labels in (before, after))
        olds, news = self._old.names, self._new.names
        require_memory(
            8 * olds.size * news.size, f"a table of {olds.size:,} x {news.size:,} clusters", "Use fewer."
        )
        counts = np.zeros((olds.size, news.size), dtype=np.int64)
        np.add.at(counts, (self._old.codes, self._new.codes), 1)
        self._counts = counts
        self._is_old, self._is_new = _are_clusters(olds), _are_clusters(news)
        with np.errstate(invalid="ignore"):
            self._of_old = counts / counts.sum(axis=1, keepdims=True)
            self._of_new = counts / counts.sum(axis=0, keepdims=True)

    def match(self, data: FloatArray | None) -> Matching:
        pairs = self._pairs()
        olds, news = self._old.names, self._new.names
        name_of = {new: olds[old] for old, new in pairs}
        fresh = _fresh_names(
            olds[self._is_old], [new for new in np.flatnonzero(self._is_new).tolist() if new not in name_of]
        )
        names = {new: plain(name) for new, name in (name_of | fresh).items()}
        splits = self._families(self._is_old, self._is_new, self._of_new, self._of_old)
        merges = self._families(self._is_new, self._is_old, self._of_old.T, self._of_new.T)
        in_split = {part for parts in splits.values() for part in parts}
        in_merge = {part for parts in merges.values() for part in parts}
        kept = {old for old, _ in pairs}
        return Matching(
            names={plain(news[new]): name for new, name in sorted(names.items())},
            labels=self._renamed(names),
            drift=tuple(self._drift(old, new, data) for old, new in pairs),
            births=tuple(names[new] for new in fresh if new not in in_split),
            deaths=tuple(
                plain(olds[old])
                for old in np.flatnonzero(self._is_old)
                if old not in kept and old not in in_merge
            ),
            splits={plain(olds[old]): tuple(names[new] for new in parts) for old, parts in splits.items()},
            merges={names[new]: tuple(plain(olds[old]) for old in parts) for new, parts in merges.items()},
        )

    def _pairs(self) -> list[tuple[int, int]]:
        """Return pairs of which most of one is in the other, such that most rows keep their name."""
        from scipy.optimize import linear_sum_assignment

        olds, news = np.flatnonzero(self._is_old), np.flatnonzero(self._is_new)
        counts = self._counts[np.ix_(olds, news)]
        most = np.maximum(self._of_old, self._of_new)[np.ix_(olds, news)]
        rows, columns = linear_sum_assignment(np.where(most >= MAJORITY, counts, 0), maximize=True)
        return [
            (int(olds[i]), int(news[j]))
            for i, j in zip(rows, columns, strict=True)
            if counts[i, j] > 0 and most[i, j] >= MAJORITY
        ]

    def _families(
        self, is_parent: AnyArray, is_part: AnyArray, of_part: FloatArray, of_parent: FloatArray
    ) -> dict[int, list[int]]:
        """Return the parents of several parts: most of a part is in it, and is at least a tenth of it."""
        families = {}
        for parent in np.flatnonzero(is_parent):
            is_its = is_part & (of_part[parent] >= MAJORITY) & (of_parent[parent] >= PART)
            if is_its.sum() > 1:
                parts = np.flatnonzero(is_its)
                families[int(parent)] = parts[np.argsort(-of_parent[parent, parts], kind="stable")].tolist()
        return families

    def _renamed(self, names: Mapping[int, Hashable]) -> AnyArray:
        values = [names.get(new, plain(name)) for new, name in enumerate(self._new.names)]
        is_mixed = len({type(value) for value in values}) > 1  # noise beside text
        table = np.empty(len(values), dtype=object) if is_mixed else np.array(values)
        table[:] = values
        return np.asarray(table[self._new.codes])

    def _drift(self, old: int, new: int, data: FloatArray | None) -> Drift:
        was, is_now = self._old.codes == old, self._new.codes == new
        name = plain(self._old.names[old])
        return Drift(
            name, int(was.sum()), int(is_now.sum()), int((was & is_now).sum()), _shift(was, is_now, data)
        )


def plain(value: object) -> Any:
    """Return a label as Python has it."""
    return value.item() if isinstance(value, np.generic) else value


def _shift(was: AnyArray, is_now: AnyArray, data: FloatArray | None) -> float | None:
    if data is None:
        return None
    spread = data.std(axis=0)
    moved = (data[is_now].mean(axis=0) - data[was].mean(axis=0))[spread > 0] / spread[spread > 0]
    return float(np.sqrt(np.mean(moved**2))) if moved.size else 0.0


def _are_clusters(names: AnyArray) -> AnyArray:
    return names >= 0 if names.dtype.kind in "if" else np.ones(names.size, dtype=bool)


def _fresh_names(olds: AnyArray, news: list[int]) -> dict[int, Hashable]:
    if olds.dtype.kind in "iufb":
        first = int(olds.max()) + 1 if olds.size else 0
        return {new: first + at for at, new in enumerate(news)}
    free = (
        name
        for number in range(1, olds.size + len(news) + 1)
        if (name := f"new {number}") not in set(olds.tolist())
    )
    return {new: next(free) for new in news}


def _labels(given: Any, X: MatrixLike | None, name: str) -> AnyArray:
    """Return the labels of a model or of an array, or say what is wrong with them."""
    is_model = hasattr(given, "predict") or hasattr(given, "labels_") or hasattr(given, "labels")
    if not is_model or hasattr(given, "dtype"):
        labels = read_labeling(given, name)
        return np.asarray(given) if labels.names is not None else labels.integers
    if X is not None and hasattr(given, "predict"):
        return np.asarray(given.predict(X))
    found = getattr(given, "labels_", getattr(given, "labels", None))
    if found is None:
        raise InvalidParameter(f"{name} of {_WHO} must be fitted, or X must be given for its predict.")
    return np.asarray(found)
