"""Is this clustering good? Measures of rows and labels of any number, from sums over blocks."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from coterie import _core
from coterie._typing import Data, FloatArray, Indices, RandomState
from coterie._validation import check_seed
from coterie.distance import get_distance
from coterie.errors import InvalidData, InvalidParameter
from coterie.evaluate.assess import Assessment, Finding
from coterie.evaluate.catalogue import find_measure
from coterie.evaluate.centroids import squared_between
from coterie.evaluate.compare import Comparison
from coterie.evaluate.contingency import ContingencyTable
from coterie.evaluate.sampling import Estimate
from coterie.evaluate.silhouette_value import coefficients
from coterie.evaluate.spaces import GroupSums, reduce_sums
from coterie.scale import moments
from coterie.scale._base import weight_blocks
from coterie.scale._coreset import uniform
from coterie.scale._local import add_arrays
from coterie.scale.blocks import Block, Blocks
from coterie.scale.passes import compute, fold, tasks
from coterie.scale.sources import read_blocks

NOISE = ("cluster", "exclude")
SILHOUETTE_ROWS = 1000
Numbers = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int32]
Cells = tuple[Indices, Indices]  # pairs of labels, and how many rows have them


def compare(labels_true: Any, labels_pred: Any, *, noise: str = "cluster") -> Comparison:
    """Compare two labelings of rows of any number: every external measure, exact.

    Parameters
    ----------
    labels_true, labels_pred : arrays, Dask arrays or Blocks of one column
        Whole numbers.
    noise : {"cluster", "exclude"}, default="cluster"
        Whether the label -1 is a group like others, or its rows are left out.

    Returns
    -------
    Comparison
        As that of `coterie.evaluate.compare`.

    Examples
    --------
    >>> import dask.array
    >>> from coterie.scale import evaluate
    >>> labels = dask.array.from_array(np.array([0, 0, 1, 1]), chunks=2)
    >>> evaluate.compare(np.array([1, 1, 0, 0]), labels)["adjusted_rand_score"]
    1.0
    """
    _check_noise(noise)
    truth = _label_blocks(labels_true, None, "labels_true")
    found = _label_blocks(labels_pred, truth, "labels_pred")
    pairs, counts = compute(fold(tasks(truth, _count_pairs, weights=found), _add_pairs))
    if noise == "exclude":
        kept = (pairs >= 0).all(axis=1)
        pairs, counts = pairs[kept], counts[kept]
    return Comparison(_table_of(pairs, counts))


def assess(
    X: Any,
    labels: Any,
    *,
    noise: str = "cluster",
    silhouette_rows: int = SILHOUETTE_ROWS,
    random_state: RandomState = 0,
) -> Assessment:
    """Assess a labeling of rows of any number, in three passes.

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
        As that of `coterie.evaluate.assess`.

    Examples
    --------
    >>> from coterie.scale import evaluate
    >>> found = evaluate.assess(np.array([[0.0], [1], [5], [6]]), np.array([0, 0, 1, 1]))
    >>> found["sse"], found["simplified_silhouette_score"].__round__(4)
    (1.0, 0.899)
    """
    _check_noise(noise)
    blocks = read_blocks(X)
    groups = _label_blocks(labels, blocks, "labels")
    whole = moments.measure(blocks, None, who="assess")
    pairs, _ = compute(fold(tasks(groups, _count_pairs, weights=groups), _add_pairs))
    names = pairs[:, 0][pairs[:, 0] >= 0] if noise == "exclude" else pairs[:, 0]
    drawing = (min(1.0, silhouette_rows / blocks.n_rows), check_seed(random_state))
    made = tasks(blocks, _sums_of_block, names, whole.origin, drawing, weights=groups)
    (sizes, sums), (sample, sample_codes) = compute(fold(made, _add_sums))
    _require_groups(sizes)
    centroids = sums / sizes[:, None]  # relative to the origin
    made = tasks(blocks, _scatter_of_block, names, whole.origin, centroids, sample, weights=groups)
    within, distances, simplified, to_sample = compute(fold(made, add_arrays))
    values = _values(sizes, centroids, within, distances, simplified)
    if len(sample) and silhouette_rows:
        values["silhouette_score"] = _silhouette(to_sample, sample_codes, sizes)
    findings = [_finding(name, value) for name, value in values.items()]
    return Assessment(findings, int(sizes.sum()), len(sizes))


def _values(
    sizes: Numbers,
    centroids: Numbers,
    within: Numbers,
    distances: Numbers,
    simplified: Numbers,
) -> dict[str, float]:
    """Return the exact measures from sums per group."""
    n, k = float(sizes.sum()), len(sizes)
    mean = sizes @ centroids / n
    between = float(sizes @ ((centroids - mean) ** 2).sum(axis=1))
    total_within = float(within.sum())
    spread = distances / sizes
    apart = np.sqrt(squared_between(centroids))
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.where(apart > 0, (spread[:, None] + spread) / apart, 0.0)
    compact = 1.0 if total_within == 0 else between * (n - k) / (total_within * (k - 1))
    return {
        "sse": total_within,
        "bss": between,
        "calinski_harabasz_score": compact,
        "davies_bouldin_score": float(ratios.max(axis=1).mean()),
        "simplified_silhouette_score": float(simplified[sizes > 1].sum()) / n,
    }


def _silhouette(sums: Numbers, codes: Codes, sizes: Numbers) -> Estimate:
    """Return the mean silhouette of drawn rows, with its standard error."""
    own, nearest, neighbour = reduce_sums(sums, codes, sizes)
    values = coefficients(GroupSums(own, nearest, neighbour), codes, sizes)
    estimate = Estimate(values.mean())
    left = 1 - len(values) / sizes.sum()  # a draw of all rows has no error
    error = np.sqrt(max(0.0, left) * values.var(ddof=1) / len(values)) if len(values) > 1 else None
    estimate.standard_error, estimate.n_drawn = None if error is None else float(error), len(values)
    return estimate


def _finding(name: str, value: float) -> Finding:
    how = value.how if isinstance(value, Estimate) else "exact"
    return Finding(find_measure(name), value, how)


def _label_blocks(labels: Any, like: Blocks | None, name: str) -> Blocks:
    if like is None:
        array = np.asarray(labels) if isinstance(labels, list | tuple) else labels
        array = array[:, None] if getattr(array, "ndim", 2) == 1 else array
        found = read_blocks(array)
        if found.n_columns != 1:
            raise InvalidData(f"{name} must be one number per row, got {found.n_columns} columns.")
        return found
    blocks = weight_blocks(labels, like, who=f"{name}:")
    if blocks is None:
        raise InvalidParameter(f"{name} must be given.")
    return blocks


def _check_noise(noise: str) -> None:
    if noise not in NOISE:
        raise InvalidParameter(f"noise must be one of {', '.join(NOISE)} for rows in blocks, got {noise!r}.")


def _require_groups(sizes: Numbers) -> None:
    if not 2 <= len(sizes) < sizes.sum():
        raise InvalidData(
            f"Number of labels is {len(sizes)}. Valid values are 2 to n_samples - 1 (inclusive): groups of "
            f"several rows are needed."
        )


def _whole_numbers(block: Block) -> Indices:
    return block.read()[:, 0].astype(np.int64)


def _count_pairs(block: Block, other: Block | None) -> Cells:
    assert other is not None
    pairs = np.stack([_whole_numbers(block), _whole_numbers(other)], axis=1)
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


def _grouped(block: Block, labels: Block | None, names: Indices) -> tuple[Data, Codes, Indices]:
    """Return the rows of known groups, their groups as 0..k-1, and which rows of the block they are."""
    assert labels is not None
    found = _whole_numbers(labels)
    codes = np.searchsorted(names, found)
    kept = np.flatnonzero(np.isin(found, names))
    X = block.read()
    return (X if len(kept) == len(X) else X[kept]), codes[kept].astype(np.int32), kept


def _sums_of_block(
    block: Block, labels: Block | None, names: Indices, origin: FloatArray, drawing: tuple[float, int]
) -> tuple[Any, Any]:
    X, codes, kept = _grouped(block, labels, names)
    away = (X - origin).astype(np.float64)
    sums = np.stack([np.bincount(codes, column, minlength=len(names)) for column in away.T], axis=1)
    chance, seed = drawing
    drawn = np.flatnonzero(uniform(block, [seed])[kept] < chance)
    return (np.bincount(codes, minlength=len(names)).astype(float), sums), (X[drawn], codes[drawn])


def _add_sums(total: Any, found: list[Any]) -> tuple[Any, Any]:
    parts = found if total is None else [total, *found]
    samples = [part[1] for part in parts]
    sample = tuple(np.concatenate(column) for column in zip(*samples, strict=True))
    return add_arrays(None, [part[0] for part in parts]), sample


def _scatter_of_block(
    block: Block,
    labels: Block | None,
    names: Indices,
    origin: FloatArray,
    centroids: Numbers,
    sample: Data,
) -> tuple[Any, ...]:
    """Return sums per group: of squares, distances, simplified silhouettes; and distances of the sample."""
    X, codes, _ = _grouped(block, labels, names)
    k = len(names)
    metric = get_distance("euclidean").metric
    to_sample = _core.group_sums(sample, np.ascontiguousarray(X), codes, k, metric, 1)
    away = np.ascontiguousarray((X - origin).astype(np.float64))
    difference = away - centroids[codes]
    squared = np.einsum("ij,ij->i", difference, difference)
    own = np.sqrt(squared)
    index, near = _core.nearest_two(away, np.ascontiguousarray(centroids), metric, 1)
    other = np.where(index[0] == codes, near[1], near[0])
    largest = np.maximum(own, other)
    widths = np.divide(other - own, largest, out=np.zeros_like(own), where=largest > 0)
    per_group = (np.bincount(codes, values, minlength=k) for values in (squared, own, widths))
    return (*per_group, to_sample)
