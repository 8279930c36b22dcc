"""What resamples say about clusters: one score per cluster and resample, and the words for them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from coterie._support.optional import require
from coterie._support.typing import FloatArray
from coterie._support.validation.schema import NAME, ListOf, Schema, Size, Tensor, Text

Scheme: TypeAlias = Literal["bootstrap", "subsample", "noise"]

# what mean Jaccard similarities mean, after the manual of R's clusterboot [hennig-2007]
STABLE = 0.75
VERDICTS = ((0.85, "strong"), (STABLE, "stable"), (0.6, "doubtful"), (-np.inf, "dissolved"))


@dataclass(frozen=True, eq=False)
class Stability:
    """How well clusters come back in resamples.

    Parameters
    ----------
    scheme : {"bootstrap", "subsample", "noise"}
        How the data were changed.
    how : str
        The same in words, with what was done about rows drawn twice.
    n_resamples : int
        Number of fits that the clustering of the whole was compared with.
    clusters : tuple
        Labels of the clusters.
    sizes : array of shape (k,)
        Rows of each cluster in the whole.
    scores : array of shape (n_resamples, k)
        Jaccard similarity of each cluster with the most similar one of each resample, among the rows of the
        resample; nan where none of its rows was drawn.
    rand : array of shape (n_resamples,)
        Adjusted Rand index of the whole with each resample, among the rows of the resample.

    Examples
    --------
    >>> from coterie.cluster import KMeans
    >>> from coterie.evaluate import stability
    >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2], [5.3]]
    >>> found = stability(KMeans(2, n_init=5), X, n_resamples=20, random_state=0)
    >>> found.verdicts
    ('strong', 'strong')
    """

    _schema: ClassVar[Schema] = {
        "scheme": Text(),
        "how": Text(),
        "n_resamples": Size("resamples"),
        "clusters": ListOf(NAME, "clusters", kind=tuple),
        "sizes": Tensor("clusters", kind="i8", low=1),
        "scores": Tensor("resamples", "clusters", kind="f8", allow="nan"),
        "rand": Tensor("resamples", kind="f8", allow="nan"),
    }

    scheme: Scheme
    how: str
    n_resamples: int
    clusters: tuple[Any, ...]
    sizes: npt.NDArray[np.int64]
    scores: FloatArray
    rand: FloatArray

    @property
    def per_cluster(self) -> FloatArray:
        """Mean Jaccard similarity of each cluster; nan for one of which no row was ever drawn."""
        is_known = ~np.isnan(self.scores)
        n_known = is_known.sum(axis=0)
        sums = np.where(is_known, self.scores, 0.0).sum(axis=0)
        return np.asarray(np.divide(sums, n_known, out=np.full(n_known.shape, np.nan), where=n_known > 0))

    @property
    def recovered(self) -> FloatArray:
        """Share of the resamples in which each cluster came back with a similarity above 0.75."""
        return np.asarray((np.nan_to_num(self.scores, nan=0.0) > STABLE).mean(axis=0))

    @property
    def overall(self) -> float:
        """Mean Jaccard similarity of the clusters, weighted by size; nan without clusters."""
        means = self.per_cluster
        is_known = ~np.isnan(means)
        return float(np.average(means[is_known], weights=self.sizes[is_known])) if is_known.any() else np.nan

    @property
    def agreement(self) -> float:
        """Mean adjusted Rand index of the whole with the resamples."""
        return float(self.rand.mean())

    @property
    def verdicts(self) -> tuple[str, ...]:
        """A word per cluster: "strong" from 0.85, "stable" from 0.75, "doubtful" from 0.6 or "dissolved"."""
        return tuple(verdict_of(value) for value in self.per_cluster)

    @property
    def verdict(self) -> str:
        """The word for `overall`."""
        return verdict_of(self.overall)

    def to_dict(self) -> dict[str, Any]:
        """Return what was found as plain numbers and words."""
        return {
            "scheme": self.scheme,
            "how": self.how,
            "n_resamples": self.n_resamples,
            "overall": plain_value(self.overall),
            "verdict": self.verdict,
            "agreement": plain_value(self.agreement),
            "clusters": [
                {
                    "cluster": plain_value(label),
                    "size": int(size),
                    "jaccard": plain_value(mean),
                    "recovered": float(back),
                    "verdict": word,
                }
                for label, size, mean, back, word in self._rows()
            ],
        }

    def to_frame(self) -> Any:
        """Return a pandas DataFrame: one row per cluster."""
        pandas = require("pandas", extra="pandas", purpose="to_frame")
        columns = ["cluster", "size", "jaccard", "recovered", "verdict"]
        return pandas.DataFrame(list(self._rows()), columns=columns).set_index("cluster")

    def _rows(self) -> Any:
        columns = (self.clusters, self.sizes, self.per_cluster, self.recovered, self.verdicts)
        return zip(*columns, strict=True)

    def __repr__(self) -> str:
        lines = [
            f"{self.verdict}: mean Jaccard {self.overall:.2f} over {self.n_resamples} resamples "
            f"({self.how}); adjusted Rand {self.agreement:.2f}",
            "",
            f"{'cluster':>8}  {'size':>8}  Jaccard  back in  verdict",
        ]
        for label, size, mean, back, word in self._rows():
            lines.append(f"{label!s:>8}  {size:>8,}  {mean:>7.2f}  {back:>7.0%}  {word}")
        return "\n".join(lines)


def verdict_of(value: float) -> str:
    """Return the word for a mean Jaccard similarity.

    Examples
    --------
    >>> verdict_of(0.9), verdict_of(0.5)
    ('strong', 'dissolved')
    """
    return next((word for least, word in VERDICTS if value >= least), "dissolved")


def plain_value(value: Any) -> Any:
    """Return a number or label as JSON can hold it: None for what is not finite."""
    plain = value.item() if isinstance(value, np.generic) else value
    return None if isinstance(plain, float) and not np.isfinite(plain) else plain
