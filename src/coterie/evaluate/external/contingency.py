"""The contingency table of two labelings: what every external measure is computed from."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array, csr_array, csr_matrix, issparse

from coterie import _core
from coterie._support.declarations import held, saved
from coterie._support.optional import require
from coterie._support.typing import (
    AnyArray,
    MatrixLike,
    PandasFrame,
    Settings,
    SparseData,
    VectorLike,
    Weights,
)
from coterie._support.validation import (
    Nothing,
    Number,
    check_parameter,
    check_sample_weight,
    check_sparse,
    require_memory,
)
from coterie._support.validation.schema import Names, Tensor, check_starts
from coterie.errors import InvalidData, InvalidParameter
from coterie.evaluate.external import tables
from coterie.evaluate.labelings import Labeling, Noise, check_noise, read_labelings


@saved(eq=False)
class ContingencyTable:
    """How many samples each class (row) shares with each cluster (column).

    Only cells that are not empty are kept, row by row, so a table of a million singletons is small.

    Parameters
    ----------
    classes, clusters : ndarray
        Labels of the rows and of the columns, sorted.
    row_starts : ndarray of shape (n_classes + 1,)
        Row i holds the cells ``row_starts[i]:row_starts[i + 1]``.
    columns : ndarray of shape (n_cells,)
        Column of each cell, ascending within a row.
    counts : ndarray of shape (n_cells,)
        Samples in each cell (int64), or the sum of their weights (float64).

    Examples
    --------
    >>> contingency_table([1, 1, 2, 2], ["a", "b", "b", "b"])
    4 samples, 2 classes (rows) x 2 clusters (columns)
         a  b  sum
    1    1  1    2
    2    0  2    2
    sum  1  3    4
    """

    @classmethod
    def _check_state(cls, state: Settings, sizes: Mapping[str, int]) -> None:
        check_starts(state["row_starts"], sizes["cells"], who=cls.__name__, name="row_starts")

    classes: AnyArray = held(Names("classes"))
    clusters: AnyArray = held(Names("clusters"))
    row_starts: npt.NDArray[np.int64] = held(Tensor("classes+1", kind="i8", low=0))
    columns: npt.NDArray[np.int64] = held(
        Tensor("cells", kind="i8", low=0, below="clusters", may_be_empty=True)
    )
    counts: AnyArray = held(Tensor("cells", kind="n", low=0, may_be_empty=True))

    @classmethod
    def from_matrix(cls, matrix: MatrixLike | ContingencyTable) -> ContingencyTable:
        """Return the table of a dense or sparse matrix of counts; classes and clusters are numbered from 0.

        Examples
        --------
        >>> ContingencyTable.from_matrix([[2, 1], [0, 3]]).class_sizes
        array([3, 3])
        """
        if isinstance(matrix, ContingencyTable):
            return matrix
        if issparse(matrix):
            matrix = check_sparse(matrix, who="ContingencyTable", name="contingency")
        sparse = csr_array(matrix, copy=True) if issparse(matrix) else csr_array(_as_matrix(matrix))
        sparse.sum_duplicates()
        sparse.eliminate_zeros()
        kind = sparse.data.dtype.kind
        if kind not in "biuf" or (sparse.data < 0).any() or not np.isfinite(sparse.data).all():
            raise InvalidData(
                f"contingency must hold finite counts of at least 0, got {sparse.data.dtype} values."
            )
        counts = sparse.data.astype(np.float64 if kind == "f" else np.int64)
        n_rows, n_columns = sparse.shape
        starts, columns = sparse.indptr.astype(np.int64), sparse.indices.astype(np.int64)
        return cls(np.arange(n_rows), np.arange(n_columns), starts, columns, counts)

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of classes and of clusters."""
        return self.classes.size, self.clusters.size

    @property
    def n_cells(self) -> int:
        """Number of cells that are not empty."""
        return int(self.counts.size)

    @property
    def is_weighted(self) -> bool:
        """Whether cells hold sums of weights."""
        return bool(self.counts.dtype.kind == "f")

    @cached_property
    def n_samples(self) -> int | float:
        """Number of samples, or the sum of their weights."""
        total = self.counts.sum()
        return float(total) if self.is_weighted else int(total)

    @cached_property
    def rows(self) -> npt.NDArray[np.int64]:
        """Row of each cell."""
        return np.repeat(np.arange(self.classes.size), np.diff(self.row_starts))

    @cached_property
    def class_sizes(self) -> AnyArray:
        """Sum of each row."""
        return tables.reduce_rows(np.add, self.row_starts, self.counts)

    @cached_property
    def cluster_sizes(self) -> AnyArray:
        """Sum of each column."""
        sizes = np.zeros(self.clusters.size, dtype=self.counts.dtype)
        np.add.at(sizes, self.columns, self.counts)
        return sizes

    @property
    def is_matching(self) -> bool:
        """Whether both labelings group the samples alike: one cell per class and per cluster."""
        return self.n_cells == self.classes.size == self.clusters.size

    def transpose(self) -> ContingencyTable:
        """Return the table with classes and clusters exchanged."""
        order = np.argsort(self.columns, kind="stable")
        filled = np.bincount(self.columns, minlength=self.clusters.size)
        starts = np.concatenate([[0], np.cumsum(filled)]).astype(np.int64)
        return ContingencyTable(self.clusters, self.classes, starts, self.rows[order], self.counts[order])

    def treat_noise(self, noise: Noise) -> ContingencyTable:
        """Return the table with the samples labelled -1 kept, left out, or each in a cluster of its own.

        Examples
        --------
        >>> contingency_table([0, 0, 1], [5, -1, 5]).treat_noise("exclude").n_samples
        2
        """
        check_noise(noise)
        noisy_row, noisy_column = tables.find_noise(self.classes), tables.find_noise(self.clusters)
        if noise == "cluster" or (noisy_row is None and noisy_column is None):
            return self
        split = tables.drop_noise if noise == "exclude" else tables.isolate_noise
        if noise == "singletons" and self.is_weighted:
            raise InvalidParameter('noise="singletons" needs counts of samples, got a table of weights.')
        rows, columns, counts, n_rows, n_columns = split(self, noisy_row, noisy_column)
        sparse = coo_array((counts, (rows, columns)), shape=(n_rows, n_columns)).tocsr()
        keep_rows, keep_columns = (
            np.diff(sparse.indptr) > 0,
            np.bincount(sparse.indices, minlength=n_columns) > 0,
        )
        sparse = sparse[keep_rows][:, keep_columns]
        sparse.sort_indices()
        return ContingencyTable(
            tables.extend_labels(self.classes, n_rows)[keep_rows],
            tables.extend_labels(self.clusters, n_columns)[keep_columns],
            sparse.indptr.astype(np.int64),
            sparse.indices.astype(np.int64),
            sparse.data,
        )

    def toarray(self) -> AnyArray:
        """Return the table as a dense matrix, empty cells included."""
        n_rows, n_columns = self.shape
        require_memory(
            8 * n_rows * n_columns, f"a dense table of {n_rows:,} x {n_columns:,} cells", "Use to_sparse()."
        )
        dense = np.zeros(self.shape, dtype=self.counts.dtype)
        dense[self.rows, self.columns] = self.counts
        return dense

    def to_sparse(self) -> csr_matrix:
        """Return the table as a SciPy CSR matrix, which is what scikit-learn returns."""
        return csr_matrix((self.counts, self.columns, self.row_starts), shape=self.shape)

    def to_frame(self) -> PandasFrame:
        """Return the table as a pandas DataFrame with its margins."""
        pandas = require("pandas", extra="pandas", purpose="to_frame")
        frame = pandas.DataFrame(self.toarray(), index=self.classes, columns=self.clusters)
        frame["sum"] = self.class_sizes
        frame.loc["sum"] = [*self.cluster_sizes, self.n_samples]
        return frame

    def __repr__(self) -> str:
        return tables.draw(self)

    def _repr_html_(self) -> str:
        return tables.draw_html(self)


def contingency_table(
    labels_true: VectorLike,
    labels_pred: VectorLike,
    *,
    noise: Noise = "cluster",
    sample_weight: VectorLike | None = None,
) -> ContingencyTable:
    """Count how often each class meets each cluster.

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n_samples,)
        Classes and clusters: integers, text, booleans or any sortable objects.
    noise : {"cluster", "exclude", "singletons"}, default="cluster"
        What to do with samples labelled -1 in either labeling: take -1 as a label like any other, leave them
        out, or put each in a cluster of its own.
    sample_weight : array-like of shape (n_samples,), default=None
        When given, cells hold sums of weights.

    Examples
    --------
    >>> table = contingency_table([1, 3, 2, 2, 3, 1, 2, 2, 3, 1, 3, 2], [2, 3, 2, 1, 3, 1, 3, 2, 3, 1, 3, 1])
    >>> table.toarray()
    array([[2, 1, 0],
           [2, 2, 1],
           [0, 0, 4]])
    """
    check_noise(noise)
    first, second = read_labelings(labels_true, labels_pred)
    weights = check_sample_weight(sample_weight, len(first), who="contingency_table")
    return tabulate(first, second, weights).treat_noise(noise)


def tabulate(first: Labeling, second: Labeling, weights: Weights | None = None) -> ContingencyTable:
    """Return the table of two labelings that were read already."""
    parts: tuple[AnyArray, ...]
    if weights is None:
        parts = _core.count_pairs(first.integers, second.integers)
    else:
        parts = _core.sum_pairs(first.integers, second.integers, weights)
    classes, clusters, *cells = parts
    # views, for NumPy has two types of 64-bit integers and prints only one of them plainly
    views: list[AnyArray] = [cell if cell.dtype.kind == "f" else cell.view(np.int64) for cell in cells]
    row_starts, columns, counts = views
    return ContingencyTable(first.restore(classes), second.restore(clusters), row_starts, columns, counts)


def contingency_matrix(
    labels_true: VectorLike,
    labels_pred: VectorLike,
    *,
    eps: float | None = None,
    sparse: bool = False,
    dtype: npt.DTypeLike = np.int64,
    noise: Noise = "cluster",
) -> AnyArray | SparseData:
    """Count how often each class meets each cluster, as a matrix.

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n_samples,)
        Classes and clusters of any kind of label; rows and columns are in sorted order.
    eps : float, default=None
        Added to every cell when given; the result is then float.
    sparse : bool, default=False
        Whether to return a CSR matrix.
    dtype : numeric type, default=int64
        Type of the result unless `eps` is given.
    noise : {"cluster", "exclude", "singletons"}, default="cluster"
        What to do with samples labelled -1.

    Returns
    -------
    contingency : ndarray or csr_matrix of shape (n_classes, n_clusters)
        Cell (i, j) counts the samples of class i in cluster j.

    Examples
    --------
    >>> contingency_matrix(["x", "x", "y"], [0, 1, 1])
    array([[1, 1],
           [0, 1]])
    """
    check_parameter(eps, Number(0.0) | Nothing(), name="eps", who="contingency_matrix")
    if eps is not None and sparse:
        raise InvalidParameter(
            "Cannot set 'eps' when sparse=True: every cell would be filled. Leave one of them out."
        )
    table = contingency_table(labels_true, labels_pred, noise=noise)
    if sparse:
        return table.to_sparse().astype(dtype, copy=False)
    dense = table.toarray().astype(dtype, copy=False)
    return dense if eps is None else dense + eps


def _as_matrix(matrix: MatrixLike) -> AnyArray:
    array = np.asarray(matrix)
    if array.ndim != 2 or array.dtype.kind not in "biuf":
        raise InvalidData(
            f"contingency must be a matrix of counts, got shape {array.shape} of type {array.dtype}."
        )
    return array
