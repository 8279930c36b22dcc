"""The quality of every cut of a tree, updated merge by merge."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt

from coterie import _core
from coterie._support.declarations import held, saved
from coterie._support.optional import require
from coterie._support.typing import AnyArray, CheckedRows, MatrixLike, PandasFrame, VectorLike
from coterie._support.validation import Choice, Nothing, check_data, check_parameter
from coterie._support.validation.schema import DictOf, Tensor, Text
from coterie.errors import InvalidData, InvalidParameter
from coterie.evaluate.catalogue import find_measure
from coterie.evaluate.internal.simplified_silhouettes import simplified_silhouette_score
from coterie.evaluate.labelings import read_labeling
from coterie.tree import Dendrogram

Values = npt.NDArray[np.float64]
WHO = "cut_curve"
MOST_STEPS = 20_000_000_000  # numbers compared for the simplified silhouettes: about 10 s of a core


@saved(eq=False)
class CutCurve(Mapping[str, Values]):
    """Measures of every cut of a tree, by the names (or symbols) of the catalogue.

    Parameters
    ----------
    n_clusters : ndarray of shape (n_cuts,)
        Clusters of each cut, ascending: 1, 2, ... n for a binary tree.
    heights : ndarray of shape (n_cuts,)
        Height of the last merge that the cut makes; of a cut that makes none 0 (infinity for similarities).
    curves : dict of str to ndarray of shape (n_cuts,)
        Values by measure; NaN where a measure was not computed.

    Examples
    --------
    >>> from coterie.tree import Dendrogram
    >>> curve = cut_curve(Dendrogram([[0, 1], [2, 3], [4, 5]], [1.0, 2.0, 6.0]), [0, 0, 1, 1])
    >>> curve["purity_score"], curve.best("ARI")
    (array([0.5, 1. , 1. , 1. ]), 2)
    """

    n_clusters: npt.NDArray[np.int64] = held(Tensor("cuts", kind="i8", low=1, may_be_empty=True))
    heights: Values = held(Tensor("cuts", kind="f8", allow="all", may_be_empty=True))
    curves: dict[str, Values] = held(
        DictOf(Text(), Tensor("cuts", kind="f8", allow="all", may_be_empty=True))
    )

    def __getitem__(self, name: str) -> Values:
        if name in self.curves:
            return self.curves[name]
        found = find_measure(name).name
        if found not in self.curves:
            raise InvalidParameter(f"this curve has no {found}. It has {', '.join(self.curves)}.")
        return self.curves[found]

    def __iter__(self) -> Iterator[str]:
        return iter(self.curves)

    def __len__(self) -> int:
        return len(self.curves)

    @property
    def cluster_impurity(self) -> Values:
        """Share of the samples that are not of the largest class of their cluster, 1 - purity."""
        return self["impurity"]

    @property
    def label_impurity(self) -> Values:
        """Share of the samples that are not in the largest cluster of their class, 1 - inverse purity."""
        return self["inverse_impurity"]

    @property
    def wcss(self) -> Values:
        """Within-cluster sum of squares, `sse`."""
        return self["sse"]

    def best(self, name: str) -> int:
        """Return the number of clusters at which a measure is best; ties: the fewest."""
        values = self[name]
        if find_measure(name).greater_is_better:
            return int(self.n_clusters[np.nanargmax(values)])
        return int(self.n_clusters[np.nanargmin(values)])

    def to_dict(self) -> dict[str, AnyArray]:
        """Return everything as arrays of one length by name."""
        return {"n_clusters": self.n_clusters, "height": self.heights, **self.curves}

    def to_frame(self) -> PandasFrame:
        """Return a pandas DataFrame: one row per cut, indexed by the number of clusters."""
        pandas = require("pandas", extra="pandas", purpose="to_frame")
        return pandas.DataFrame(self.to_dict()).set_index("n_clusters")

    def __repr__(self) -> str:
        lines = [
            f"{len(self.n_clusters):,} cuts into {self.n_clusters[0]} to {self.n_clusters[-1]:,} clusters"
        ]
        for name, values in self.curves.items():
            at = int(np.searchsorted(self.n_clusters, self.best(name)))
            direction = find_measure(name).direction
            lines.append(
                f"  {name:<30} best ({direction}) {values[at]:.4g} at {self.n_clusters[at]:,} clusters"
            )
        return "\n".join(lines)


def cut_curve(
    dendrogram: Dendrogram,
    labels_true: VectorLike | None = None,
    X: MatrixLike | None = None,
    *,
    silhouette_at: Sequence[int] | Literal["all"] | None = None,
) -> CutCurve:
    """Measure every cut of a tree, from one cluster to one per leaf, in one pass over its merges.

    Parameters
    ----------
    dendrogram : Dendrogram
        The tree; one with large families has fewer cuts than leaves.
    labels_true : array-like of shape (n_leaves,), default=None
        Known classes: gives impurity and inverse impurity (of clusters and of labels), purity, inverse
        purity, pair precision, recall and F, Rand, adjusted Rand and normalised mutual information.
    X : array-like of shape (n_leaves, n_features), default=None
        Data: gives the within-cluster sum of squares and the simplified silhouette of every cut.
    silhouette_at : "all" or sequence of int, default=None
        Where to compute the simplified silhouette, which is NaN elsewhere: at some numbers of clusters, each
        in a pass over X, or at all. None: at all, from one cluster on, until 2e10 numbers have been compared;
        that is all for 100,000 leaves of balanced trees and few columns. It is not defined for one cluster,
        nor for the leaves alone.

    Returns
    -------
    curve : CutCurve
        Arrays over the cuts.

    Examples
    --------
    >>> from coterie.tree import Dendrogram
    >>> tree = Dendrogram([[0, 1], [2, 3], [4, 5]], [1.0, 2.0, 6.0])
    >>> curve = cut_curve(tree, X=[[0.0], [1.0], [5.0], [7.0]])
    >>> curve.n_clusters, curve.wcss
    (array([1, 2, 3, 4]), array([32.75,  2.5 ,  0.5 ,  0.  ]))
    """
    if not isinstance(dendrogram, Dendrogram):
        raise InvalidParameter(
            f"dendrogram of {WHO} must be a Dendrogram, got {type(dendrogram).__name__}. "
            f"Dendrogram.from_linkage takes SciPy's matrix."
        )
    if labels_true is None and X is None:
        raise InvalidParameter(f"{WHO} needs labels_true (classes), X (data) or both.")
    if silhouette_at is not None and X is None:
        raise InvalidParameter(f"silhouette_at of {WHO} needs X.")
    numbers = dendrogram.cut_sizes()
    own = 0.0 if dendrogram.heights_are == "distances" else np.inf
    heights = np.concatenate([[own], dendrogram.heights])[::-1].copy()
    values: dict[str, Values] = {}
    if labels_true is not None:
        values |= _against_classes(dendrogram, labels_true)
    if X is not None:
        values |= _from_data(dendrogram, X, numbers, silhouette_at)
    return CutCurve(numbers, heights, values)


def _against_classes(tree: Dendrogram, labels_true: VectorLike) -> dict[str, Values]:
    labeling = read_labeling(labels_true, "labels_true")
    if len(labeling) != tree.n_leaves:
        raise InvalidData(
            f"labels_true of {WHO} must have a label per leaf, {tree.n_leaves} of them, got {len(labeling)}."
        )
    codes, _ = _core.encode_integers(labeling.integers)
    raw: tuple[AnyArray, ...] = _core.tree_class_curves(*tree.arrays, codes, int(codes.max()) + 1)
    pure, inverse, tp, in_clusters, cells, clusters = (one[::-1] for one in raw)
    n, class_sizes = tree.n_leaves, np.bincount(codes)
    purity, inverse_purity = pure / n, inverse / n
    return {
        "impurity": 1 - purity,
        "inverse_impurity": 1 - inverse_purity,
        "purity_score": purity,
        "inverse_purity_score": inverse_purity,
        **_pair_scores(tp, in_clusters, int((class_sizes * (class_sizes - 1) // 2).sum()), n * (n - 1) // 2),
        "normalized_mutual_info_score": _normalized_information(cells, clusters, class_sizes),
    }


def _pair_scores(tp: AnyArray, in_clusters: AnyArray, in_classes: int, total: int) -> dict[str, Values]:
    """Return the scores of pairs; 0/0, no mistake of its kind, is 1."""
    tp, fp = tp.astype(np.float64), (in_clusters - tp).astype(np.float64)
    fn = in_classes - tp
    tn = total - in_clusters - fn
    chance = (tp + fn) * (fn + tn) + (tp + fp) * (fp + tn)
    return {
        "pair_precision_score": _share(tp, tp + fp),
        "pair_recall_score": _share(tp, tp + fn),
        "pair_f_score": _share(2 * tp, 2 * tp + fp + fn),
        "rand_score": _share(tp + tn, np.full_like(tp, total)),
        "adjusted_rand_score": np.where(fp + fn == 0, 1.0, _share(2 * (tp * tn - fn * fp), chance)),
    }


def _normalized_information(cells: Values, clusters: Values, class_sizes: AnyArray) -> Values:
    """NMI with the arithmetic mean: from Σ x log x over cells, clusters and classes."""
    n = float(class_sizes.sum())
    of_classes = float((class_sizes * np.log(np.maximum(class_sizes, 1))).sum())
    shared = (cells - clusters - of_classes) / n + np.log(n)
    mean = ((np.log(n) - clusters / n) + (np.log(n) - of_classes / n)) / 2
    is_single = np.isclose(clusters, n * np.log(n), rtol=1e-14, atol=0)
    if np.count_nonzero(class_sizes) == 1:
        return np.where(is_single, 1.0, 0.0)
    return np.where(is_single, 0.0, np.clip(_share(shared, mean), 0.0, 1.0))


def _from_data(
    tree: Dendrogram, X: MatrixLike, numbers: AnyArray, silhouette_at: Sequence[int] | Literal["all"] | None
) -> dict[str, Values]:
    rows: CheckedRows = check_data(X, who=WHO, may_be_distances=True)
    if rows.shape[0] != tree.n_leaves:
        raise InvalidData(
            f"X of {WHO} must have a row per leaf, {tree.n_leaves} of them, got {rows.shape[0]}."
        )
    wcss = np.asarray(_core.tree_scatter_curve(*tree.arrays, rows))[::-1].copy()
    silhouettes = _silhouettes(tree, rows, numbers, silhouette_at)
    if np.isnan(silhouettes).all():
        return {"sse": wcss}
    return {"sse": wcss, "simplified_silhouette_score": silhouettes}


def _silhouettes(
    tree: Dendrogram, rows: CheckedRows, numbers: AnyArray, wanted: Sequence[int] | Literal["all"] | None
) -> Values:
    if wanted is None or isinstance(wanted, str):
        check_parameter(wanted, Choice("all") | Nothing(), name="silhouette_at", who=WHO)
        most_steps = MOST_STEPS if wanted is None else 0
        return np.asarray(_core.tree_silhouette_curve(*tree.arrays, rows, most_steps))[::-1].copy()
    silhouettes = np.full(numbers.size, np.nan)
    for k in wanted:
        at = int(np.searchsorted(numbers, k))
        if not (2 <= k < tree.n_leaves and numbers[at] == k):
            raise InvalidParameter(
                f"silhouette_at of {WHO} must be cuts of the tree between 2 and n_leaves - 1 = "
                f"{tree.n_leaves - 1} clusters, got {k}."
            )
        silhouettes[at] = simplified_silhouette_score(rows, tree.cut(int(k)))
    return silhouettes


def _share(part: AnyArray, whole: AnyArray) -> Values:
    shares: Values = np.divide(part, whole, out=np.ones(np.shape(whole)), where=np.asarray(whole) != 0)
    return shares
