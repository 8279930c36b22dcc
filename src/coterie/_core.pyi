# Made by native/bindings/make_stub.py from the native module; not edited by hand.
# mypy: disable-error-code="overload-overlap, type-arg"

"""The native engine of Coterie."""

from collections.abc import Callable, Iterator, Sequence
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

class Mixture:
    """Parameters of a Gaussian mixture, as the kernels take them."""

    def __init__(self, shape: str, shift: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], log_factors: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], means: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], factors: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

@overload
def mixture_sums(X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], mixture: Mixture, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, n_threads: int = 0) -> tuple[float, Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')], float]: ...

@overload
def mixture_sums(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], mixture: Mixture, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, n_threads: int = 0) -> tuple[float, Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')], float]:
    """
    Log-likelihood, weight, summed deviations and scatter about the means of each component, and the entropy of the shares.
    """

@overload
def mixture_labels(X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], mixture: Mixture, n_threads: int = 0) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C')]]: ...

@overload
def mixture_labels(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], mixture: Mixture, n_threads: int = 0) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]]:
    """The likeliest component and the log-likelihood of each row."""

@overload
def mixture_shares(X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], mixture: Mixture, n_threads: int = 0) -> Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C')]: ...

@overload
def mixture_shares(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], mixture: Mixture, n_threads: int = 0) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')]:
    """The probability of each component for each row."""

class LatentTable:
    """
    Rows of numbers and categories, as the kernels of latent classes take them.
    """

    def __init__(self, numbers: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], levels: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], n_levels: int, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

def latent_class_sums(table: LatentTable, log_weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], log_tables: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], log_factors: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], means: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], variances: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], n_threads: int = 0) -> tuple[float, Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')]]:
    """
    Log-likelihood, weight and counts of every class, and mass, deviations and squares of its numbers about the means.
    """

@overload
def affinity_product(X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], Y: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], gamma: float, X_scales: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, Y_scales: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, n_threads: int = 0) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')]: ...

@overload
def affinity_product(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], Y: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], gamma: float, X_scales: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, Y_scales: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, n_threads: int = 0) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')]:
    """
    Gaussian affinities of the rows of X and Y times values; zero of a row with itself when Y is X.
    """

def stop_threads(idents: Sequence[int]) -> None:
    """
    End what these threads of Python do in native code with KeyboardInterrupt, until they are released.
    """

def release_threads(idents: Sequence[int]) -> None:
    """Take back stop_threads."""

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

    gower = 8

    observed = 9

class Finish(enum.Enum):
    identity = 0

    squared_norm = 1

    norm = 2

    cosine = 3

    root = 4

    half = 5

    power_root = 6

    arc = 7

    mean = 8

    jaccard = 9

    dice = 10

    matching = 11

class MixedColumns:
    """
    Columns of a table: numbers, then categories, then what may be present.
    """

    def __init__(self, n_numbers: int, n_categories: int, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

class Metric:
    """
    A distance as the engine sees it: kernel, finish, exponent, kinds of columns.
    """

    def __init__(self, kernel: Kernel, finish: Finish, p: float = 2.0, mixed: MixedColumns | None = None) -> None: ...

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
def own_and_other(X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], Y: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], own_rows: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], metric: Metric, n_threads: int = 0) -> tuple[Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C')]]: ...

@overload
def own_and_other(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], Y: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], own_rows: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], metric: Metric, n_threads: int = 0) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]]:
    """The distance to a row's own row of Y, and to the nearest other one."""

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
def pairwise_along(X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], row_starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], metric: Metric, n_threads: int = 0, Y: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None = None) -> Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C')]: ...

@overload
def pairwise_along(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], row_starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], metric: Metric, n_threads: int = 0, Y: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None = None) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
    """
    Distances of rows of X along the edges of a CSR graph to rows of Y, or of X itself.
    """

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

class KMeansMemory:
    """What runs on the same rows and weights hand on to each other."""

    def __init__(self) -> None: ...

class ColumnMoments:
    """Facts about columns; unpacks into mean, variance, low, high."""

    def __getstate__(self) -> tuple[list[float], list[float], list[float], list[float], float]: ...

    def __setstate__(self, arg: tuple[Sequence[float], Sequence[float], Sequence[float], Sequence[float], float], /) -> None: ...

    @property
    def total_weight(self) -> float: ...

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
def kmeans_fit(X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], start: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, options: KMeansOptions, progress: object | None = None, columns: ColumnMoments | None = None, memory: KMeansMemory | None = None) -> KMeansFit: ...

@overload
def kmeans_fit(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], start: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, options: KMeansOptions, progress: object | None = None, columns: ColumnMoments | None = None, memory: KMeansMemory | None = None) -> KMeansFit:
    """
    K-means from the given start; `columns` are the moments of X, if they are known, `memory` of runs on the same rows and weights.
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

class KMeansWhole:
    """What all blocks of a k-means run agree on."""

    def __init__(self, rows: int, columns: ColumnMoments, largest_weight: float = 1.0) -> None: ...

class KMeansBlock32:
    """
    One block of the rows of a k-means run whose other blocks are elsewhere.
    """

    def __init__(self, X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, whole: KMeansWhole, n_clusters: int, algorithm: KMeansAlgorithm) -> None: ...

    def assign(self, centres: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]:
        """
        The sums of the nearest centres: coarse, fine (float64 only), then counts of rows.
        """

    def labels(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]:
        """Of the last assign."""

    def own_distances(self) -> tuple[Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]]:
        """
        Squared, to the own centre; and the weighted sum of every 1024 of them.
        """

    @property
    def algorithm(self) -> str: ...

@overload
def column_sums(X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], origin: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, n_threads: int = 0) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')]: ...

@overload
def column_sums(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], origin: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, n_threads: int = 0) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')]:
    """
    Sums, squares, least, greatest and weight of every 8192 rows, about the origin.
    """

@overload
def moments_of_sums(total: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], origin: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> ColumnMoments: ...

@overload
def moments_of_sums(total: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], origin: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> ColumnMoments:
    """The moments of columns from the total of their sums."""

@overload
def kmeans_units(whole: KMeansWhole, origin: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], float]: ...

@overload
def kmeans_units(whole: KMeansWhole, origin: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], float]:
    """How the sums of blocks count: per column and weight, and finer."""

class KMeansBlock64:
    """
    One block of the rows of a k-means run whose other blocks are elsewhere.
    """

    def __init__(self, X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, whole: KMeansWhole, n_clusters: int, algorithm: KMeansAlgorithm) -> None: ...

    def assign(self, centres: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]:
        """
        The sums of the nearest centres: coarse, fine (float64 only), then counts of rows.
        """

    def labels(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]:
        """Of the last assign."""

    def own_distances(self) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]]:
        """
        Squared, to the own centre; and the weighted sum of every 1024 of them.
        """

    @property
    def algorithm(self) -> str: ...

@overload
def fuzzy_sums(X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], centres: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], shift: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], fuzzifier: float, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, n_threads: int = 0) -> tuple[float, Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')]]: ...

@overload
def fuzzy_sums(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], centres: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], shift: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], fuzzifier: float, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, n_threads: int = 0) -> tuple[float, Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')]]:
    """
    The objective of fuzzy c-means, and per group the sum of u^m and of u^m (x - shift).
    """

@overload
def fuzzy_rows(X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], centres: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], shift: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], fuzzifier: float, n_threads: int = 0) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C')]]: ...

@overload
def fuzzy_rows(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], centres: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], shift: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], fuzzifier: float, n_threads: int = 0) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')]]:
    """The nearest group of each row, and its membership in every group."""

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

def unit_vectors(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], in_degrees: bool = False, n_threads: int = 0) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')]:
    """Unit vectors of latitudes and longitudes."""

class MedoidObjective(enum.Enum):
    distance = 0

    silhouette = 1

class SwapRule(enum.Enum):
    first = 0

    best = 1

class SwapOptions:
    """What swaps improve, which are taken, and when to stop."""

    def __init__(self, objective: MedoidObjective, rule: SwapRule, max_passes: int, n_threads: int = 0) -> None: ...

class SwapOutcome:
    """What swapping ends with."""

    @property
    def medoids(self) -> list[int]: ...

    @property
    def loss(self) -> float: ...

    @property
    def n_swaps(self) -> int: ...

    @property
    def n_passes(self) -> int: ...

    @property
    def is_settled(self) -> bool: ...

@overload
def build_medoids(D: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], candidates: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, n_medoids: int, n_threads: int = 0) -> list[int]: ...

@overload
def build_medoids(X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], points: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], metric: Metric, candidates: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, n_medoids: int, n_threads: int = 0) -> list[int]: ...

@overload
def build_medoids(D: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], candidates: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, n_medoids: int, n_threads: int = 0) -> list[int]:
    """BUILD from the distances of candidates (rows) to points (columns)."""

@overload
def build_medoids(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], points: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], metric: Metric, candidates: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, n_medoids: int, n_threads: int = 0) -> list[int]:
    """BUILD without a matrix: rows of X are candidates."""

@overload
def swap_medoids(D: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], candidates: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, starts: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], options: SwapOptions, progress: object | None = None) -> list[SwapOutcome]: ...

@overload
def swap_medoids(X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], points: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], metric: Metric, candidates: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, starts: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], options: SwapOptions, progress: object | None = None) -> list[SwapOutcome]: ...

@overload
def swap_medoids(D: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], candidates: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, starts: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], options: SwapOptions, progress: object | None = None) -> list[SwapOutcome]:
    """
    Swap medoids for candidates while that lowers the loss, from each row of starts.
    """

@overload
def swap_medoids(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], points: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], metric: Metric, candidates: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, starts: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], options: SwapOptions, progress: object | None = None) -> list[SwapOutcome]:
    """The same without a matrix."""

@overload
def add_rows(sums: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], K: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], groups: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], factors: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int = 0) -> None: ...

@overload
def add_rows(sums: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], K: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], groups: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], factors: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int = 0) -> None:
    """Adds factors[i] * K[rows[i]] to sums[groups[i]], in order."""

@overload
def exponentiate(values: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu')], factor: float, n_threads: int = 0) -> None: ...

@overload
def exponentiate(values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], factor: float, n_threads: int = 0) -> None:
    """values = exp(factor * values), in place."""

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
    Build a kd-tree that copies the rows of X (float32 or float64, C order, finite). Metrics: euclidean, sqeuclidean, manhattan, chebyshev, minkowski with p >= 1, great_circle: unit vectors on a sphere of radius p.
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

def tree_problem(starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], children: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_leaves: int) -> tuple[int, int, int]:
    """
    Fault (0: none), inner node and position in children where the arrays are no tree.
    """

def tree_sizes(starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], children: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_leaves: int) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]:
    """Leaves below every node."""

def tree_parents(starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], children: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_leaves: int) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]:
    """Parent of every node, -1 for the root."""

def tree_leaf_order(starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], children: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_leaves: int, sizes: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]]:
    """Leaves from left to right, and the place of every node's first leaf."""

def tree_greatest_below(starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], children: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_leaves: int, values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
    """Largest value of every inner node and those below it."""

def tree_ways_down(starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], children: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_leaves: int, lengths: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
    """
    Longest way from every inner node to a leaf, from the lengths of branches.
    """

def tree_leaf_ranges(starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], children: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_leaves: int, values: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]]:
    """Least and largest leaf value of every inner node."""

def tree_mark_below(starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], children: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_leaves: int, node: int) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C')]:
    """1 for a node and all below it."""

def tree_join_small(starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], children: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_leaves: int, sizes: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], min_size: int) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C')]:
    """1 for inner nodes with a child that is smaller than min_size."""

def tree_labels(starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], children: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_leaves: int, is_joined: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], int]:
    """
    Labels when each topmost joined node is a cluster, and how many there are.
    """

def tree_by_height(starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], children: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_leaves: int, heights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]:
    """Inner nodes by height, children before parents."""

def tree_cophenetic(starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], children: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_leaves: int, heights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int = 0) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
    """Height of the join of every pair, condensed."""

def tree_common_nodes(starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], children: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_leaves: int, pairs: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]:
    """Lowest common node of pairs of leaves."""

def tree_optimal_order(starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], children: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_leaves: int, distances: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], n_threads: int = 0) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]:
    """
    Places of the leaves in an order of least length; distances are in the order from left to right.
    """

def tree_branch_lengths(starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], children: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_leaves: int, heights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
    """Length of the branch above every node, NaN above the root."""

def tree_write_newick(starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], children: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_leaves: int, lengths: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], names: bytes, name_ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> str:
    """The tree as Newick text."""

def tree_class_curves(starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], children: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_leaves: int, classes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]]:
    """
    Of every cut: sums over the contingency table with the classes, see ClassCurves.
    """

@overload
def tree_scatter_curve(starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], children: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_leaves: int, X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]: ...

@overload
def tree_scatter_curve(starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], children: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_leaves: int, X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
    """Within-cluster sum of squares of every cut."""

@overload
def tree_silhouette_curve(starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], children: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_leaves: int, X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], most_steps: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]: ...

@overload
def tree_silhouette_curve(starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], children: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_leaves: int, X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], most_steps: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
    """
    Simplified silhouette of every cut; NaN for those beyond most_steps comparisons of numbers (0: no limit).
    """

def tree_overlap_curve(starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], children: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], other_starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], other_children: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_leaves: int, n_clusters: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]]:
    """
    Sums of squares of the table of two cuts, of its rows and columns, for falling n_clusters.
    """

def tree_read_newick(text: bytes) -> tuple[str, int, Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], list[str], list[str], bool, int]:
    """Problem and its position, or the arrays of a tree in Newick text."""

def cut_silhouettes(sums: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], clusters: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], joins: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], n_threads: int = 0) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
    """
    Mean silhouette of a cut and of every coarser one, from the sums of distances to its clusters.
    """

def lay_out(starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], ends: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], start: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], n_epochs: int, rate: float, seed: int, n_threads: int = 0) -> Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C')]:
    """
    Places of the nodes of a symmetric graph, from a start of 4 or 8 columns.
    """

def lay_out_new(starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], ends: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], placed: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], start: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], n_epochs: int, rate: float, seed: int, n_threads: int = 0) -> Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C')]:
    """Places of new nodes with edges to placed ones, which stay."""

def merge_by_ties(starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], ends: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], masses: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]]:
    """Edges of the tree by which communities merge, and their ties, falling."""

class LinkageRule(enum.Enum):
    single = 0

    complete = 1

    average = 2

    weighted = 3

    ward = 4

    centroid = 5

    median = 6

    average_merged = 7

    minimax = 8

def link_edges(edges: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], distances: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')]:
    """Single linkage along the n - 1 edges of a spanning tree."""

def genie_merges(edges: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], gini_threshold: float, counts: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]]:
    """
    Merges along the edges of a spanning tree, shortest first, that keep the Gini index of the sizes from rising: the two nodes of each, and its edge. A row of count 0, a leaf, adds to no size and is merged first.
    """

def link_graph(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], row_starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], rule: LinkageRule, missing_is_infinite: bool, rows: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, n_merges: int, sizes: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')]:
    """
    Merges along the edges of a symmetric CSR graph without a diagonal: (id, id, height, size), at most n_merges. Rows are the centroids for ward and centroid, sizes how many rows each stands for.
    """

class FirstRounds32:
    """See first_rounds."""

    @property
    def n_left(self) -> int:
        """Clusters that are left."""

    def link(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')]:
        """
        SciPy's linkage matrix; what is left is linked in a matrix of n_left x n_left.
        """

@overload
def first_rounds(X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], metric: Metric, rule: LinkageRule, n_threads: int = 0) -> FirstRounds32: ...

@overload
def first_rounds(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], metric: Metric, rule: LinkageRule, n_threads: int = 0) -> FirstRounds64:
    """
    The first rounds of a linkage that needs a matrix, without it: complete, average, weighted.
    """

@overload
def link_matrix(D: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu')], rule: LinkageRule, n_threads: int = 0) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')]: ...

@overload
def link_matrix(D: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], rule: LinkageRule, n_threads: int = 0) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')]:
    """
    SciPy's linkage matrix of a square, symmetric matrix of distances, which is overwritten.
    """

@overload
def link_rows(X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], rule: LinkageRule, n_threads: int = 0) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')]: ...

@overload
def link_rows(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], rule: LinkageRule, n_threads: int = 0) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')]:
    """
    SciPy's linkage matrix of Euclidean rows, without a matrix of distances: ward, centroid, median; average is that of squared distances.
    """

class FirstRounds64:
    """See first_rounds."""

    @property
    def n_left(self) -> int:
        """Clusters that are left."""

    def link(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')]:
        """
        SciPy's linkage matrix; what is left is linked in a matrix of n_left x n_left.
        """

def joining_edges(edges: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], n_rows: int) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C')]:
    """
    Which edges, taken in their order, join what no edge before them joined: 1 or 0.
    """

@overload
def spanning_tree(X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], metric: Metric, core: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, alpha: float = 1.0, n_threads: int = 0) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C')]]: ...

@overload
def spanning_tree(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], metric: Metric, core: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, alpha: float = 1.0, n_threads: int = 0) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]]:
    """
    Edges (lower row, higher row) and distances of the minimum spanning tree, by (distance, lower, higher); with core, of max(core[i], core[j], distance / alpha).
    """

@overload
def spanning_tree_of_matrix(D: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], core: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, alpha: float = 1.0) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C')]]: ...

@overload
def spanning_tree_of_matrix(D: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], core: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, alpha: float = 1.0) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]]:
    """As spanning_tree, for a matrix of distances."""

@overload
def spanning_tree_of_tree(tree: KDTreeFloat32, core: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, alpha: float = 1.0, n_threads: int = 0) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C')]]: ...

@overload
def spanning_tree_of_tree(tree: KDTreeFloat64, core: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, alpha: float = 1.0, n_threads: int = 0) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]]:
    """As spanning_tree, over a kd-tree."""

@overload
def spanning_tree_of_neighbours(tree: KDTreeFloat32, index: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], distance: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], core: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, alpha: float = 1.0, n_threads: int = 0) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C')]]: ...

@overload
def spanning_tree_of_neighbours(tree: KDTreeFloat64, index: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], distance: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], core: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, alpha: float = 1.0, n_threads: int = 0) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]]:
    """
    As spanning_tree, over a kd-tree of which the nearest others of every row are known, nearest first.
    """

def grow_of_matrix(D: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], core: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], alpha: float) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]]:
    """
    Edges and distances of the spanning tree of mutual reachability, in the order of Prim's algorithm.
    """

def regrow(near: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], near_distance: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], core: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], alpha: float, edges: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], distance: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int = 0) -> tuple[tuple[Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]], bool]:
    """
    As grow_of_matrix, from the nearest other rows and any spanning tree; and whether no ties of distances can have changed it.
    """

def regrow_of_tree(tree: KDTreeFloat64, min_samples: int, alpha: float, core_divisor: float, n_threads: int = 0, core: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> tuple[tuple[Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], bool]:
    """
    As regrow for the points of a kd-tree, and their core distances, unless they are given.
    """

def grow_of_tree(tree: KDTreeFloat64, core: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], alpha: float, edges: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], distance: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]]:
    """
    As regrow_of_tree with all ties decided; edges and distance are what it found.
    """

@overload
def merge_components(edges: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]]:
    """
    Left, right and size of the merges along the edges of a spanning tree, sorted by distance.
    """

@overload
def merge_components(edges: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]]:
    """The same with sizes as sums of weights."""

@overload
def condense(left: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], right: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], distance: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], size: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], min_cluster_size: int) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]]:
    """
    Parent, child, density and size: the tree of clusters of at least min_cluster_size rows.
    """

@overload
def condense(left: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], right: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], distance: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], size: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], min_cluster_size: int, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], core: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]]:
    """
    The same where a row of weight w stands for w rows that reach each other at its core distance.
    """

def cut_below(left: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], right: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], distance: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], cut: float, min_cluster_size: int, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, core: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]:
    """
    Labels of the components of merges below the cut; small ones are -1. Weights come with core distances.
    """

def optics_of_tree(tree: KDTreeFloat64, factor: float, core: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], radius: float) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]]:
    """
    Ordering, reachability and predecessors of OPTICS; distances are those of the tree times the factor.
    """

def optics_of_graph(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], row_starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], core: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], radius: float) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]]:
    """
    Ordering, reachability and predecessors of OPTICS from a CSR matrix of distances.
    """

def optics_of_rows(distances_from: Callable, core: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], radius: float) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]]:
    """
    Ordering, reachability and predecessors of OPTICS; distances_from(i) gives those from row i to all.
    """

@overload
def dbscan(tree: KDTreeFloat32, radius: float, least_weight: float, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, n_threads: int = 0) -> tuple[Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]]: ...

@overload
def dbscan(tree: KDTreeFloat64, radius: float, least_weight: float, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, n_threads: int = 0) -> tuple[Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]]:
    """
    Whether each row is a core point (0 or 1), and the labels of DBSCAN, noise -1.
    """

@overload
def share_within(tree: KDTreeFloat32, radius: float) -> float: ...

@overload
def share_within(tree: KDTreeFloat64, radius: float) -> float:
    """
    Share of the leaves of a tree that lie within the radius of a leaf, from a sample.
    """

class CFTree:
    """The tree of BIRCH while it grows."""

    @overload
    def __init__(self, n_columns: int) -> None: ...

    @overload
    def __init__(self, node_starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], children: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], deviations: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], centres: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> None: ...

    def arrays(self) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')]]:
        """
        Starts of nodes; children, weights, sums of squared deviations and centres of entries.
        """

    @overload
    def add(self, X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, threshold: float, branching_factor: int) -> None: ...

    @overload
    def add(self, X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, threshold: float, branching_factor: int) -> None:
        """Add rows in their order."""

    @overload
    def add_sparse(self, values: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], row_starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_columns: int, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, threshold: float, branching_factor: int) -> None: ...

    @overload
    def add_sparse(self, values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], row_starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_columns: int, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, threshold: float, branching_factor: int) -> None:
        """The same for CSR rows."""

def label_by_prototypes(numbers: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], codes: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], n_levels: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], means: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], modes: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], gamma: float, n_threads: int = 0) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]]:
    """The nearest prototype of each row, and what it costs."""

def fit_prototypes(numbers: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], codes: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], n_levels: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, means: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], modes: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], gamma: float, max_passes: int, n_threads: int = 0) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], bool]:
    """
    Labels, means, modes, costs of the passes, and whether no row moved in the last one.
    """

def settled_costs(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], Y: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, digits: int = 40, n_threads: int = 0) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')], int]:
    """
    Weighted squared distances below 1, of so many binary digits, and the power of two that they were divided by.
    """

def assign_within_sizes(costs: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], least: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], most: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], prices: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]]:
    """
    Labels of least total cost with least[j] to most[j] rows in group j, and the prices of a place in each group; prices that are known nearly save work.
    """

def cost_of_labels(costs: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> float:
    """The sum of what each row costs in the group that its label names."""

def joint_extents(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], members: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], pairs: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
    """In how many directions the two groups of each pair extend together."""

def border_extents(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], members: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], pairs: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
    """In how many directions the groups of each pair extend at their border."""

def mean_log_reach(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], near: int, least_square: float) -> float:
    """Mean logarithm of the distance to the near-th nearest other row."""

def line_valleys(along: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], first: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], last: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], windows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], nothing: float) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')]:
    """
    Depth of the deepest valley between two places of each line of rising numbers, for each window.
    """

def sum_halves(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], halves: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')]]:
    """
    Numbers, means and scatters of the rows with 1 and of those with 0, for each line of halves.
    """

def hill_rises(edges: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], heights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], peaks: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
    """
    How far the lower of the two hills that each edge joins rises above it.
    """

def forest_parts(edges: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], is_kept: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], n_rows: int) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]:
    """
    The part that each row is in when the edges with 0 are cut, numbered as their first rows come.
    """

def leiden(starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], targets: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], loops: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], in_: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, penalty: float, theta: float, n_iterations: int, seed: int) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], int, bool]:
    """
    Communities of each level from fine to coarse, their qualities, iterations made, and whether the last changed nothing.
    """

def exchange_edges(sources: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], targets: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], is_directed: bool, exchanges_per_edge: int, seed: int) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]]:
    """Sources and targets of a random graph of the same degrees."""

class CodedRows:
    """Rows as whole numbers of 16 bits, times a scale."""

    @overload
    def __init__(self, X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], kind: str, scale: float, longest: float, shift: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, is_small: bool = False, n_threads: int = 0) -> None: ...

    @overload
    def __init__(self, X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], kind: str, scale: float, longest: float, shift: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, is_small: bool = False, n_threads: int = 0) -> None: ...

    @staticmethod
    def from_sparse(values: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], row_starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_cols: int, scale: float) -> CodedRows:
        """Sparse rows that are at most as long as 1."""

    def nearest(self, rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], m: int, n_threads: int = 0) -> Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C')]:
        """
        Of some rows the m nearest of all rows by their codes, themselves among them, nearest first.
        """

    def search(self, queries: CodedRows, graph: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], doors: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], size: int, n_threads: int = 0) -> Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C')]:
        """Rows near to each query, by a search along a graph."""

class NeighbourDescent:
    """Lists of near rows that grow better round by round."""

    def __init__(self, rows: CodedRows, list_size: int, leaf_size: int, seed: int, n_threads: int = 0) -> None: ...

    def plant(self, n_threads: int = 0) -> None:
        """Compares the rows of each leaf of one more partition."""

    def probe(self, n_cells: int, n_threads: int = 0) -> int:
        """
        Compares each row with those of its next nearest cells; returns how many pairs, 0 when there are no more cells.
        """

    def improve(self, n_candidates: int, n_threads: int = 0) -> int:
        """
        Compares neighbours of neighbours; returns how many entries of lists are new.
        """

    def widen(self, list_size: int, n_threads: int = 0) -> None:
        """Gives every row a longer list."""

    @property
    def has_cells(self) -> bool:
        """Whether rows can be compared with those of their nearest cells."""

    @property
    def size(self) -> int:
        """Length of the lists."""

    def lists(self, rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C')]:
        """
        The near rows of each row, or of some, nearest first; -1 where there are fewer.
        """

    @overload
    def rerank(self, X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], m: int, k: int, n_threads: int = 0) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C')]]: ...

    @overload
    def rerank(self, X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], m: int, k: int, n_threads: int = 0) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')]]:
        """
        The k nearest of the first m of each list and their squared Euclidean distances; -1 where a list is short.
        """

    def graph(self, degree: int, n_threads: int = 0) -> Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C')]:
        """The lists in both directions."""

@overload
def smallest_of_matrix(D: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], k: int, skip_own: bool, n_threads: int = 0) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C')]]: ...

@overload
def smallest_of_matrix(D: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], k: int, skip_own: bool, n_threads: int = 0) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')]]:
    """
    Columns and values of the k smallest numbers of each row, equal ones by their column.
    """

@overload
def keep_nearest(near: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], distances: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], k: int, n_threads: int = 0) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C')]]: ...

@overload
def keep_nearest(near: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], distances: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], k: int, n_threads: int = 0) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')]]:
    """The k rows with the smallest distances, equal ones by their number."""

class Elastic(enum.Enum):
    """A distance of time series."""

    dtw = 0

    erp = 1

    msm = 2

    soft_dtw = 3

def series_pairs(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], X_starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Y: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], Y_starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], is_same: bool, kind: Elastic, radius: int, parameter: float, skips: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int = 0) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')]:
    """Distances of all pairs of series."""

def series_paired(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], X_starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Y: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], Y_starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], kind: Elastic, radius: int, parameter: float, skips: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int = 0) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
    """Distance of series i of X and of Y, for every i."""

def series_nearest(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], X_starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Y: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], Y_starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], k: int, radius: int, n_threads: int = 0) -> tuple:
    """
    Distances and indices of the k nearest by DTW, and the pairs: all, ruled out by ends, by envelope, compared.
    """

def warping_path(x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], radius: int, skips: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple:
    """DTW distance, and the points of x and of y along the best path."""

def matched_points(centre: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], radius: int, n_threads: int = 0) -> tuple:
    """
    Sums and weights of the points matched with those of a centre, and the weighted squared distances.
    """

def soft_dtw_gradient(centre: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], gamma: float, n_threads: int = 0) -> tuple:
    """
    Weighted sum of soft-DTW from a centre to series, and its derivative by the centre.
    """

class AffinityMessagesFloat32:
    """The messages of affinity propagation."""

    def step(self, n_threads: int = 0) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C')]:
        """Send every message once; 1 where a row represents itself."""

@overload
def AffinityMessages(similarities: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], damping: float) -> AffinityMessagesFloat32: ...

@overload
def AffinityMessages(similarities: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], damping: float) -> AffinityMessagesFloat64:
    """Begin affinity propagation; reads the similarities where they are."""

class AffinityMessagesFloat64:
    """The messages of affinity propagation."""

    def step(self, n_threads: int = 0) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C')]:
        """Send every message once; 1 where a row represents itself."""

class MovingSeeds:
    """The seeds of mean shift."""

    def step(self, is_last: bool = False, n_threads: int = 0) -> int:
        """
        Move every seed to the mean of the rows within the bandwidth; how many move on.
        """

    def read(self) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]]:
        """Place of each seed, the rows of its last mean, the steps before it."""

def move_seeds(tree: KDTreeFloat64, seeds: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], bandwidth: float, is_single: bool, n_threads: int = 0) -> MovingSeeds:
    """
    Begin mean shift over the rows of a Euclidean tree; is_single rounds every mean to float32.
    """

class ColourSpace(enum.Enum):
    """Coordinates of colours."""

    oklab = 0

    cielab = 1

    rgb = 2

def count_colours(pixels: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, n_threads: int = 0) -> tuple:
    """
    The colours of pixels, the sum of the weights of each, and the colour of each pixel.
    """

def locate_colours(colours: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], space: ColourSpace, n_threads: int = 0) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')]:
    """Coordinates of colours of sRGB."""

def lights(encoded: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
    """What numbers of sRGB from 0 to 1 mean as amounts of light."""

def diffuse_errors(pixels: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], width: int, palette: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], space: ColourSpace) -> Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C')]:
    """Colours of a palette by Floyd-Steinberg."""

def superpixels(planes: Annotated[NDArray[numpy.int16], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], n_segments: int, compactness: float, max_iter: int, min_size: int, n_threads: int = 0) -> tuple:
    """
    SLIC: the segment of each pixel, the size and the sums of the channels of each segment, and the iterations.
    """

def connect_labels(planes: Annotated[NDArray[numpy.int16], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], min_size: int, n_threads: int = 0) -> tuple:
    """
    Connected parts of labels of at least min_size pixels: that of each pixel, the size and the sums of each.
    """

class SequenceModel(enum.Enum):
    differences = 0

    proportion = 1

    jukes_cantor = 2

    kimura = 3

def neighbour_joining(distances: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], n_threads: int = 0) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], int]:
    """
    Starts and children of the tree's inner nodes, lengths of branches, and how many rows were searched.
    """

def sequence_distances(codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], planes: int, model: SequenceModel, n_threads: int = 0) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')]:
    """
    Distances of all pairs of sequences; NaN: nothing to compare, infinity: saturated.
    """
