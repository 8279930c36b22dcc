"""Is this clustering good? Measures of rows and labels of any number, from sums over blocks."""

from __future__ import annotations

from typing import Any

import numpy as np

from coterie._support.typing import Indices, RandomState
from coterie._support.validation import check_seed
from coterie.errors import InvalidData, InvalidParameter
from coterie.evaluate.catalogue import find_measure
from coterie.evaluate.external import Comparison, ContingencyTable
from coterie.evaluate.internal import Assessment, Estimate, Finding
from coterie.scale import moments
from coterie.scale.blocks import Block, Blocks
from coterie.scale.methods.base import vector_blocks
from coterie.scale.methods.group_totals import Numbers, total_groups, whole_numbers
from coterie.scale.runtime.passes import compute, fold, tasks
from coterie.scale.sources.reading import read_blocks

NOISE = ("cluster", "exclude")
SILHOUETTE_ROWS = 1000
Cells = tuple[Indices, Indices]  # pairs of labels, and how many rows have them


def compare(labels_true: object, labels_pred: object, *, noise: str = "cluster") -> Comparison:
    """Compare two labelings of rows in blocks: every external measure, exact.

    Parameters
    ----------
    labels_true, labels_pred : arrays, Dask arrays or Blocks of one column
        Whole numbers.
    noise : {"cluster", "exclude"}, default="cluster"
        Whether the label -1 is a group like others, or its rows are left out.

    Returns
    -------
    Comparison
        As that of `coterie.evaluate.external.compare`.

    Examples
    --------
    >>> import dask.array
    >>> from coterie.scale import evaluate
    >>> labels = dask.array.from_array(np.array([0, 0, 1, 1]), chunks=2)
    >>> evaluate.compare(np.array([1, 1, 0, 0]), labels)["adjusted_rand_score"]
    1.0
    """
    _check_noise(noise)
    truth = label_blocks(labels_true, None, "labels_true")
    found = label_blocks(labels_pred, truth, "labels_pred")
    pairs, counts = compute(fold(tasks(truth, _count_pairs, weights=found), _add_pairs))
    if noise == "exclude":
        kept = (pairs >= 0).all(axis=1)
        pairs, counts = pairs[kept], counts[kept]
    return Comparison(_table_of(pairs, counts))


def assess(
    X: object,
    labels: object,
    *,
    noise: str = "cluster",
    silhouette_rows: int = SILHOUETTE_ROWS,
    random_state: RandomState = 0,
) -> Assessment:
    """Assess a labeling of rows in blocks, in three passes.

    Sums of squares, Davies-Bouldin, Calinski-Harabasz and the simplified silhouette are exact. The silhouette
    is estimated: some rows are drawn, their distances to all rows are summed up, and the mean of their
    silhouettes comes with its standard error.

    Parameters
    ----------
    X : anything that `read_blocks` takes
        Rows.
    labels : array, Dask array or Blocks of one column
        Whole numbers.
    noise : {"cluster", "exclude"}, default="cluster"
        Whether the label -1 is a group like others, or its rows are left out.
    silhouette_rows : int, default=1000
        Rows to draw, about; 0: no silhouette.
    random_state : int, RandomState, Generator or None, default=0
        Same number, same rows: same estimate.

    Returns
    -------
    Assessment
        As that of `coterie.evaluate.internal.assess`.

    Examples
    --------
    >>> from coterie.scale import evaluate
    >>> found = evaluate.assess(np.array([[0.0], [1], [5], [6]]), np.array([0, 0, 1, 1]))
    >>> found["sse"], found["simplified_silhouette_score"].__round__(4)
    (1.0, 0.899)
    """
    _check_noise(noise)
    blocks = read_blocks(X)
    groups = label_blocks(labels, blocks, "labels")
    whole = moments.measure(blocks, None, who="assess")
    pairs, _ = compute(fold(tasks(groups, _count_pairs, weights=groups), _add_pairs))
    names = pairs[:, 0][pairs[:, 0] >= 0] if noise == "exclude" else pairs[:, 0]
    found = total_groups(blocks, groups, names, whole.origin, silhouette_rows, check_seed(random_state))
    _require_groups(found.sizes)
    findings = [_finding(name, value) for name, value in found.values.items()]
    return Assessment(findings, int(found.sizes.sum()), len(found.sizes))


def _finding(name: str, value: float) -> Finding:
    how = value.how if isinstance(value, Estimate) else "exact"
    return Finding(find_measure(name), value, how)


def label_blocks(labels: object, like: Blocks | None, name: str) -> Blocks:
    """Return labels as blocks of one column, cut like the rows if these are given."""
    if like is None:
        array: Any = np.asarray(labels) if isinstance(labels, list | tuple) else labels
        array = array[:, None] if getattr(array, "ndim", 2) == 1 else array
        found = read_blocks(array)
        if found.n_columns != 1:
            raise InvalidData(f"{name} must be one number per row, got {found.n_columns} columns.")
        return found
    if labels is None:
        raise InvalidParameter(f"{name} must be given.")
    return vector_blocks(labels, like, name)


def _check_noise(noise: str) -> None:
    if noise not in NOISE:
        raise InvalidParameter(f"noise must be one of {', '.join(NOISE)} for rows in blocks, got {noise!r}.")


def _require_groups(sizes: Numbers) -> None:
    if not 2 <= len(sizes) < sizes.sum():
        raise InvalidData(
            f"Number of labels is {len(sizes)}. Valid values are 2 to n_samples - 1 (inclusive): groups of "
            f"several rows are needed."
        )


def _count_pairs(block: Block, other: Block | None) -> Cells:
    assert other is not None
    pairs = np.stack([whole_numbers(block), whole_numbers(other)], axis=1)
    return np.unique(pairs, axis=0, return_counts=True)


def _add_pairs(total: Cells | None, found: list[Cells]) -> Cells:
    parts = found if total is None else [total, *found]
    pairs, at = np.unique(np.concatenate([part[0] for part in parts]), axis=0, return_inverse=True)
    counts = np.concatenate([part[1] for part in parts])
    return pairs, np.bincount(at.ravel(), counts, minlength=len(pairs)).astype(np.int64)


def _table_of(pairs: Indices, counts: Indices) -> ContingencyTable:
    classes, row = np.unique(pairs[:, 0], return_inverse=True)
    clusters, column = np.unique(pairs[:, 1], return_inverse=True)
    starts = np.searchsorted(row.ravel(), np.arange(len(classes) + 1)).astype(np.int64)
    return ContingencyTable(classes, clusters, starts, column.ravel().astype(np.int64), counts)
