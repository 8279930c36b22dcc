"""What became of clusters from one run to another: continued, born, gone, split, merged or drifted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from coterie._support.optional import require
from coterie._support.validation.schema import (
    COUNT,
    NAME,
    DictOf,
    Instance,
    ListOf,
    Maybe,
    Names,
    Real,
    Schema,
    Sometimes,
)
from coterie.evaluate.belief.stability_value import plain_value
from coterie.evaluate.labelings import AnyArray


@dataclass(frozen=True)
class Drift:
    """How one cluster changed.

    Parameters
    ----------
    cluster : object
        Its name in both runs.
    before, after, shared : int
        Rows of it in the reference, in the new run, and in both.
    shift : float or None
        How far its centre moved, in standard deviations of the columns (root mean square over columns); None
        without data.
    """

    _schema: ClassVar[Schema] = {
        "cluster": NAME,
        "before": COUNT,
        "after": COUNT,
        "shared": COUNT,
        "shift": Sometimes(Maybe(Real(nan=True))),
    }

    cluster: Any
    before: int
    after: int
    shared: int
    shift: float | None = None

    @property
    def jaccard(self) -> float:
        """Rows in both over rows in either: 1 for a cluster that did not change."""
        return self.shared / (self.before + self.after - self.shared)


@dataclass(frozen=True, eq=False)
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
        New names of clusters that continue none and are no part of one.
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

    _schema: ClassVar[Schema] = {
        "names": DictOf(NAME, NAME),
        "labels": Names("rows"),
        "drift": ListOf(Instance(Drift), kind=tuple),
        "births": ListOf(NAME, kind=tuple),
        "deaths": ListOf(NAME, kind=tuple),
        "splits": DictOf(NAME, ListOf(NAME, kind=tuple)),
        "merges": DictOf(NAME, ListOf(NAME, kind=tuple)),
    }

    names: dict[Any, Any]
    labels: AnyArray
    drift: tuple[Drift, ...]
    births: tuple[Any, ...]
    deaths: tuple[Any, ...]
    splits: dict[Any, tuple[Any, ...]]
    merges: dict[Any, tuple[Any, ...]]

    @property
    def is_unchanged(self) -> bool:
        """Whether every cluster continues with the same rows."""
        return not (self.births or self.deaths or any(each.jaccard < 1 for each in self.drift))

    def to_dict(self) -> dict[str, Any]:
        """Return what was found as plain values."""
        return {
            "names": [[plain_value(new), plain_value(name)] for new, name in self.names.items()],
            "drift": [
                {
                    "cluster": plain_value(each.cluster),
                    "before": each.before,
                    "after": each.after,
                    "shared": each.shared,
                    "jaccard": each.jaccard,
                    "shift": each.shift,
                }
                for each in self.drift
            ],
            "births": list(self.births),
            "deaths": list(self.deaths),
            "splits": [[name, list(parts)] for name, parts in self.splits.items()],
            "merges": [[name, list(parts)] for name, parts in self.merges.items()],
        }

    def to_frame(self) -> Any:
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


def _listed(values: Any) -> str:
    return ", ".join(map(str, values))
