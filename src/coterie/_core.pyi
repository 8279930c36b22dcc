# Made by native/bindings/make_stub.py from the native module; not edited by hand.
# mypy: disable-error-code="overload-overlap, type-arg"

"""The native engine of Coterie."""

from collections.abc import Iterator
import enum
from typing import Annotated, overload

import numpy
from numpy.typing import NDArray


def count_pairs(first: Annotated[NDArray, dict(shape=(None,), order='C', device='cpu', writable=False)], second: Annotated[NDArray, dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int = 0) -> tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]]:
    """
    Row labels, column labels (64-bit patterns), row starts, columns and counts of the contingency table.
    """

def sum_pairs(first: Annotated[NDArray, dict(shape=(None,), order='C', device='cpu', writable=False)], second: Annotated[NDArray, dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int = 0) -> tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]]:
    """As count_pairs, with the sums of the weights in place of the counts."""

def encode_integers(labels: Annotated[NDArray, dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int = 0) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C')]]:
    """Codes 0..k-1 and the sorted distinct labels as 64-bit patterns."""

def encode_text(rows: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], unit: int, n_threads: int = 0) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]]:
    """
    Codes 0..k-1 of rows of fixed-width text, and a row of each distinct text, sorted; unit is bytes per character.
    """

def expected_mutual_information(sizes: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], multiplicities: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], other_sizes: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], other_multiplicities: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_samples: int, n_threads: int = 0) -> float:
    """
    Mean mutual information, in nats, of all labelings with these cluster sizes.
    """

@overload
def silhouette(X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], groups: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_groups: int, metric: Metric, between: bool = False, weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, n_threads: int = 0) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')]]: ...

@overload
def silhouette(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], groups: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_groups: int, metric: Metric, between: bool = False, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, n_threads: int = 0) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')]]:
    """
    Sum of distances to the own group, least mean distance to another group, that group, sums between groups.
    """

def default_threads() -> int:
    """Threads that a call with n_threads=0 uses now."""

def instruction_set() -> str:
    """Name of the kernels in use: v2, v3, v4 or portable."""

def instruction_sets() -> str:
    """Kernels that are built in and that this machine can run."""

def use_instruction_set(name: str) -> None:
    """Switch the kernels; for tests and benchmarks."""

class Kernel(enum.Enum):
    dot = 0

    squared_difference = 1

    manhattan = 2

    chebyshev = 3

    minkowski = 4

    canberra = 5

    braycurtis = 6

    hamming = 7

class Finish(enum.Enum):
    identity = 0

    squared_norm = 1

    norm = 2

    cosine = 3

    root = 4

    half = 5

    power_root = 6

    mean = 7

    jaccard = 8

    dice = 9

    matching = 10

class Metric:
    """A distance as the engine sees it: kernel, finish, exponent."""

    def __init__(self, kernel: Kernel, finish: Finish, p: float = 2.0) -> None: ...

    @property
    def kernel(self) -> Kernel: ...

    @property
    def finish(self) -> Finish: ...

    @property
    def p(self) -> float: ...

@overload
def nearest(X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], Y: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], metric: Metric, n_threads: int = 0) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C')]]: ...

@overload
def nearest(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], Y: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], metric: Metric, n_threads: int = 0) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]]:
    """Index and distance of the nearest row of Y."""

@overload
def nearest_exact(X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], Y: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], metric: Metric, n_threads: int = 0) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C')]]: ...

@overload
def nearest_exact(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], Y: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], metric: Metric, n_threads: int = 0) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]]:
    """
    As nearest, but decided by differences where products are too close to call.
    """

@overload
def nearest_two(X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], Y: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], metric: Metric, n_threads: int = 0) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C')]]: ...

@overload
def nearest_two(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], Y: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], metric: Metric, n_threads: int = 0) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')]]:
    """The nearest and the second nearest row of Y."""

@overload
def smallest(X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], Y: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], metric: Metric, m: int, skip_same_index: bool = False, n_threads: int = 0) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C')]]: ...

@overload
def smallest(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], Y: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], metric: Metric, m: int, skip_same_index: bool = False, n_threads: int = 0) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')]]:
    """The m nearest rows of Y."""

@overload
def count_below(X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], Y: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], metric: Metric, threshold: float, n_threads: int = 0) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]: ...

@overload
def count_below(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], Y: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], metric: Metric, threshold: float, n_threads: int = 0) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]:
    """Rows of Y at most threshold away, counted."""

@overload
def list_below(X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], Y: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], metric: Metric, threshold: float, starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int = 0) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C')]]: ...

@overload
def list_below(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], Y: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], metric: Metric, threshold: float, starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int = 0) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]]:
    """
    Rows of Y at most threshold away, listed from `starts` (of count_below).
    """

@overload
def group_sums(X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], Y: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], groups: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_groups: int, metric: Metric, n_threads: int = 0) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')]: ...

@overload
def group_sums(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], Y: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], groups: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_groups: int, metric: Metric, n_threads: int = 0) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')]:
    """Sum of distances to each group of rows of Y."""

@overload
def group_extremes(X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], row_groups: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Y: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], groups: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_groups: int, metric: Metric, n_threads: int = 0) -> tuple[Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C')]]: ...

@overload
def group_extremes(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], row_groups: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Y: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], groups: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_groups: int, metric: Metric, n_threads: int = 0) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')]]:
    """Smallest and largest distance between groups of rows."""

@overload
def pairwise(X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], Y: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], metric: Metric, n_threads: int = 0) -> Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C')]: ...

@overload
def pairwise(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], Y: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], metric: Metric, n_threads: int = 0) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')]:
    """All distances."""

@overload
def pairwise_self(X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], metric: Metric, n_threads: int = 0) -> Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C')]: ...

@overload
def pairwise_self(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], metric: Metric, n_threads: int = 0) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')]:
    """Distances among the rows of X; symmetric, zero diagonal."""

@overload
def pairwise_condensed(X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], metric: Metric, n_threads: int = 0) -> Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C')]: ...

@overload
def pairwise_condensed(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], metric: Metric, n_threads: int = 0) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
    """Distances among the rows of X above the diagonal, row by row."""

class KMeansAlgorithm(enum.Enum):
    auto = 0

    lloyd = 1

    hamerly = 2

    exponion = 3

    filter = 4

class KMeansOptions:
    """How k-means runs and when it stops."""

    def __init__(self, *, max_iter: int = 300, tol: float = 0.0, tol_inertia: float = -1.0, algorithm: KMeansAlgorithm = KMeansAlgorithm.auto, unit_centres: bool = False, n_threads: int = 0) -> None: ...

class ColumnMoments:
    """Facts about columns; unpacks into mean, variance, low, high."""

    @property
    def mean(self) -> list[float]: ...

    @property
    def variance(self) -> list[float]: ...

    @property
    def low(self) -> list[float]: ...

    @property
    def high(self) -> list[float]: ...

    def __iter__(self) -> Iterator: ...

class KMeansFit:
    """What a k-means run ends with."""

    @property
    def labels(self) -> object: ...

    @property
    def centres(self) -> object: ...

    @property
    def inertia(self) -> float: ...

    @property
    def n_iter(self) -> int: ...

    @property
    def centre_shift(self) -> float: ...

    @property
    def is_strict(self) -> bool: ...

    @property
    def algorithm(self) -> str: ...

@overload
def kmeans_fit(X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], start: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, options: KMeansOptions, progress: object | None = None, columns: ColumnMoments | None = None) -> KMeansFit: ...

@overload
def kmeans_fit(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], start: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, options: KMeansOptions, progress: object | None = None, columns: ColumnMoments | None = None) -> KMeansFit:
    """
    K-means from the given start; `columns` are the moments of X, if they are known.
    """

@overload
def kmeans_labels(X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], centres: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], origin: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, n_threads: int = 0) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], float]: ...

@overload
def kmeans_labels(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], centres: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], origin: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, n_threads: int = 0) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], float]:
    """
    The nearest centre of every row, and the weighted sum of squared distances.
    """

@overload
def kmeans_step(X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], centres: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, n_threads: int = 0) -> tuple[Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], float]: ...

@overload
def kmeans_step(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], centres: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, n_threads: int = 0) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], float]:
    """
    One step of mini-batch k-means: new centres, new counts, inertia before the step.
    """

@overload
def column_moments(X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, n_threads: int = 0) -> ColumnMoments: ...

@overload
def column_moments(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, n_threads: int = 0) -> ColumnMoments:
    """Mean, variance, least and greatest of every column."""

class KMeansSeeds:
    """The rows that greedy k-means++ picked."""

    @property
    def indices(self) -> object: ...

    @property
    def potential(self) -> float: ...

    @property
    def probabilities(self) -> object: ...

@overload
def kmeans_seed(X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], n_clusters: int, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, n_candidates: int, seed: int, record: bool = False, n_threads: int = 0) -> KMeansSeeds: ...

@overload
def kmeans_seed(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], n_clusters: int, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, n_candidates: int, seed: int, record: bool = False, n_threads: int = 0) -> KMeansSeeds:
    """Greedy k-means++: rows of X as first centres."""

@overload
def kmeans_seed_sparse(values: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], row_starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_cols: int, n_clusters: int, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, n_candidates: int, seed: int, record: bool = False, n_threads: int = 0) -> KMeansSeeds: ...

@overload
def kmeans_seed_sparse(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], row_starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_cols: int, n_clusters: int, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, n_candidates: int, seed: int, record: bool = False, n_threads: int = 0) -> KMeansSeeds:
    """Greedy k-means++: CSR rows as first centres."""

@overload
def kmeans_fit_sparse(values: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], row_starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_cols: int, start: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, options: KMeansOptions, progress: object | None = None) -> KMeansFit: ...

@overload
def kmeans_fit_sparse(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], row_starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_cols: int, start: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, options: KMeansOptions, progress: object | None = None) -> KMeansFit:
    """K-means of CSR rows from the given start; always plain Lloyd."""

@overload
def sparse_nearest(values: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], row_starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Y: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], n_threads: int = 0) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C')]]: ...

@overload
def sparse_nearest(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], row_starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Y: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], n_threads: int = 0) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]]:
    """
    Index and squared Euclidean distance of the nearest row of Y for every CSR row.
    """

@overload
def sparse_pairwise_squared(values: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], row_starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Y: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], n_threads: int = 0) -> Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C')]: ...

@overload
def sparse_pairwise_squared(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], row_starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Y: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], n_threads: int = 0) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')]:
    """All squared Euclidean distances from CSR rows to the rows of Y."""

class Barycentre(enum.Enum):
    mean = 0

    median = 1

    mode = 2

    p_centre = 3

class MatrixFacts:
    """See matrix_facts."""

    @property
    def is_nonnegative(self) -> bool: ...

    @property
    def largest(self) -> float: ...

    @property
    def largest_diagonal(self) -> float: ...

    @property
    def largest_asymmetry(self) -> float: ...

@overload
def barycentres(X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_clusters: int, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, kind: Barycentre, p: float = 2.0, n_threads: int = 0) -> Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C')]: ...

@overload
def barycentres(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_clusters: int, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, kind: Barycentre, p: float = 2.0, n_threads: int = 0) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')]:
    """The barycentre of each cluster; NaN where it has no weight."""

@overload
def row_ranks(X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], n_threads: int = 0) -> Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C')]: ...

@overload
def row_ranks(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], n_threads: int = 0) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')]:
    """Ranks within each row, from 1; equal numbers share their mean rank."""

@overload
def matrix_facts(D: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], n_threads: int = 0) -> MatrixFacts: ...

@overload
def matrix_facts(D: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], n_threads: int = 0) -> MatrixFacts:
    """What a square matrix must be to be taken for distances."""

def powers(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], p: float) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
    """values ** p by the vectors of the kernels, for values >= 0 and p > 0."""

class KDTreeFloat32:
    """A kd-tree over the rows of X; see KDTree."""

    @property
    def n_points(self) -> int: ...

    @property
    def n_features(self) -> int: ...

    def query(self, Q: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], k: int, exclude_self: bool = False, upper_bound: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, n_threads: int = 0) -> tuple:
        """
        Indices and distances of the k nearest points per row of Q, by (distance, index). exclude_self leaves point i out of row i. Beyond upper_bound (one per row, inclusive): index -1, distance infinity.
        """

    def query_self(self, k: int, include_self: bool = True, n_threads: int = 0) -> tuple:
        """As query, for the points of the tree themselves."""

    def radius_count(self, Q: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], r: float, n_threads: int = 0) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]:
        """How many points lie within r of each row of Q, inclusive."""

    def radius_count_self(self, r: float, n_threads: int = 0) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]:
        """As radius_count, for the points of the tree; each counts itself."""

    def radius(self, Q: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], r: float, sort: str = 'index', n_threads: int = 0) -> tuple:
        """
        CSR lists (indptr, indices, distances) of the points within r of each row of Q, inclusive; sorted by index, by distance (ties by index), or none: in a fixed order of the tree.
        """

    def radius_self(self, r: float, sort: str = 'index', n_threads: int = 0) -> tuple:
        """As radius, for the points of the tree; each finds itself."""

@overload
def KDTree(X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], metric: str = 'euclidean', p: float = 2.0, leaf_size: int = 32, n_threads: int = 0) -> KDTreeFloat32: ...

@overload
def KDTree(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], metric: str = 'euclidean', p: float = 2.0, leaf_size: int = 32, n_threads: int = 0) -> KDTreeFloat64:
    """
    Build a kd-tree that copies the rows of X (float32 or float64, C order, finite). Metrics: euclidean, sqeuclidean, manhattan, chebyshev, minkowski with p >= 1.
    """

class KDTreeFloat64:
    """A kd-tree over the rows of X; see KDTree."""

    @property
    def n_points(self) -> int: ...

    @property
    def n_features(self) -> int: ...

    def query(self, Q: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], k: int, exclude_self: bool = False, upper_bound: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, n_threads: int = 0) -> tuple:
        """
        Indices and distances of the k nearest points per row of Q, by (distance, index). exclude_self leaves point i out of row i. Beyond upper_bound (one per row, inclusive): index -1, distance infinity.
        """

    def query_self(self, k: int, include_self: bool = True, n_threads: int = 0) -> tuple:
        """As query, for the points of the tree themselves."""

    def radius_count(self, Q: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], r: float, n_threads: int = 0) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]:
        """How many points lie within r of each row of Q, inclusive."""

    def radius_count_self(self, r: float, n_threads: int = 0) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]:
        """As radius_count, for the points of the tree; each counts itself."""

    def radius(self, Q: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], r: float, sort: str = 'index', n_threads: int = 0) -> tuple:
        """
        CSR lists (indptr, indices, distances) of the points within r of each row of Q, inclusive; sorted by index, by distance (ties by index), or none: in a fixed order of the tree.
        """

    def radius_self(self, r: float, sort: str = 'index', n_threads: int = 0) -> tuple:
        """As radius, for the points of the tree; each finds itself."""
