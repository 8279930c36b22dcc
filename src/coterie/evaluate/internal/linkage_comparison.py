"""Which linkage? The curves of several trees of the same data, side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

import numpy as np

from coterie._support.optional import require
from coterie._support.typing import MatrixLike, PandasFrame, VectorLike
from coterie.distance.catalogue import DistanceLike
from coterie.errors import InvalidParameter
from coterie.evaluate.catalogue import find_measure
from coterie.evaluate.internal.cut_curves import CutCurve, cut_curve
from coterie.tree import METHODS, Dendrogram, linkage

LINKAGES = ("single", "complete", "average", "weighted", "ward", "centroid", "median")
COLUMNS = ("adjusted_rand_score", "normalized_mutual_info_score", "pair_f_score")


class LinkageComparison(Mapping[str, CutCurve]):
    """The curves of several trees by name, and which of them is best at what.

    Parameters
    ----------
    trees : mapping of str to Dendrogram
        The trees, by linkage.
    curves : mapping of str to CutCurve
        The quality of their cuts.

    Examples
    --------
    >>> X = [[0.0], [1.0], [5.0], [6.0], [7.0]]
    >>> compare_linkages(X, [0, 0, 1, 1, 1], linkages=["single", "average"])
    linkage   adjusted_rand_score  normalized_mutual_info_score  pair_f_score  impurities meet
    single            1.0000 at 2                   1.0000 at 2   1.0000 at 2      0.0000 at 2
    average           1.0000 at 2                   1.0000 at 2   1.0000 at 2      0.0000 at 2
    """

    def __init__(self, trees: Mapping[str, Dendrogram], curves: Mapping[str, CutCurve]) -> None:
        self.trees = dict(trees)
        self._curves = dict(curves)

    def __getitem__(self, name: str) -> CutCurve:
        return self._curves[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._curves)

    def __len__(self) -> int:
        return len(self._curves)

    def best(self, measure: str = "adjusted_rand_score") -> tuple[str, int]:
        """Return the linkage and the number of clusters at which a measure is best; ties: the first."""
        sign = 1 if find_measure(measure).greater_is_better else -1
        peaks = {name: sign * np.nanmax(sign * curve[measure]) for name, curve in self.items()}
        name = max(peaks, key=lambda one: sign * peaks[one])
        return name, self[name].best(measure)

    def to_frame(self, measure: str = "adjusted_rand_score") -> PandasFrame:
        """Return a pandas DataFrame of one measure: a row per number of clusters, a column per linkage."""
        pandas = require("pandas", extra="pandas", purpose="to_frame")
        columns = {name: pandas.Series(curve[measure], curve.n_clusters) for name, curve in self.items()}
        return pandas.DataFrame(columns).rename_axis("n_clusters")

    def __repr__(self) -> str:
        width = max(7, *map(len, self)) + 2
        titles = (*COLUMNS, "impurities meet")
        lines = [f"{'linkage':<{width}}" + "  ".join(titles)]
        for name, curve in self.items():
            cells = [(curve[column], curve.best(column)) for column in COLUMNS]
            shown = [f"{np.nanmax(values):.4f} at {k}" for values, k in cells]
            worse = np.maximum(curve.cluster_impurity, curve.label_impurity)
            shown.append(f"{worse.min():.4f} at {curve.n_clusters[worse.argmin()]}")
            cells_shown = (cell.rjust(len(title)) for cell, title in zip(shown, titles, strict=True))
            lines.append(f"{name:<{width}}" + "  ".join(cells_shown))
        return "\n".join(lines)


def compare_linkages(
    X: MatrixLike,
    labels_true: VectorLike,
    *,
    linkages: Sequence[str] | Mapping[str, Dendrogram] = LINKAGES,
    metric: DistanceLike = "euclidean",
    **kwds: Any,
) -> LinkageComparison:
    """Compare linkages by how well the cuts of their trees fit known classes, for every number of clusters.

    Low cluster impurity asks for many small pure clusters, low label impurity for classes that stay together;
    the table names the cut at which the larger of the two is least ("impurities meet").

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Data; or distances or similarities, as `coterie.tree.linkage` takes them, told by `metric`.
    labels_true : array-like of shape (n_samples,)
        Known classes.
    linkages : sequence of str, or mapping of str to Dendrogram
        Names of linkages; or trees that are there already.
    metric : str or callable, default="euclidean"
        Distance between rows, "precomputed" or "similarity".
    **kwds
        Further parameters of `coterie.tree.linkage`.

    Returns
    -------
    comparison : LinkageComparison
        A curve per linkage; prints as a table.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> compare_linkages(X, y, linkages=["single", "average", "ward"]).best("ARI")
    ('average', 3)
    """
    if isinstance(linkages, Mapping):
        trees = dict(linkages)
    else:
        kind: Literal["similarities", "distances"] = (
            "similarities" if isinstance(metric, str) and metric == "similarity" else "distances"
        )
        unknown = [name for name in linkages if name not in METHODS]
        if unknown or not linkages:
            raise InvalidParameter(
                f"linkages of compare_linkages must be names among {', '.join(METHODS)}, "
                f"got {unknown or 'none'}."
            )
        matrices = {name: linkage(X, name, metric, **kwds) for name in linkages}
        trees = {name: Dendrogram.from_linkage(Z, heights_are=kind) for name, Z in matrices.items()}
    return LinkageComparison(trees, {name: cut_curve(tree, labels_true) for name, tree in trees.items()})
