"""The catalogue of measures: what each is called, what it needs, how to read it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from inspect import getdoc, signature
from typing import TYPE_CHECKING, Literal, TypeAlias, TypeVar

from coterie._support.documentation import with_entries
from coterie._support.validation import Choice, Nothing, check_parameter, unknown_name

if TYPE_CHECKING:
    from coterie.evaluate.external.contingency import ContingencyTable
    from coterie.evaluate.labelings import Noise

# two labelings; two membership matrices; two sets of centres; data (or distances) and a labeling; a graph and
# a labeling; a tree
Needs: TypeAlias = Literal["labelings", "memberships", "centers", "data", "graph", "tree"]
NEEDS = Choice("labelings", "memberships", "centers", "data", "graph", "tree")

# families in the order of tables; others follow as they register
GROUPS = (
    "pairs of samples",
    "information",
    "distances by information",
    "sets of samples",
    "clusters",
    "matched clusters",
    "centres",
    "soft labelings",
    "silhouettes",
    "sums of squares",
    "separation",
    "pairs by distance",
    "density",
    "graphs",
    "trees",
)

MeasureFunction = TypeVar("MeasureFunction", bound=Callable[..., float])
SharingFunction = TypeVar("SharingFunction", bound=Callable[..., object])


@dataclass(frozen=True)
class Measure:
    """The facts about one measure; calling it computes the measure.

    Parameters
    ----------
    name : str
        Name of the function, scikit-learn's where it has the measure.
    symbol : str
        Short name for tables.
    summary : str
        One sentence.
    group : str
        Family, as a heading: "pairs of samples".
    needs : str
        "labelings", "memberships", "centers", "data", "graph" or "tree".
    low, high : float
        Range of values; may be infinite.
    greater_is_better : bool
        Direction.
    is_symmetric : bool
        Whether exchanging the two labelings leaves the value as it is.
    is_adjusted : bool
        Whether 0 is what chance gives.
    is_scale_free : bool
        Whether a change of unit leaves the value as it is; for measures of data.
    compares_pairs : bool
        Whether it looks at all pairs of samples, in time that grows with their square; for measures of data.
    noise : str or None
        Default policy for samples labelled -1; None where there are none.
    reference : str
        Key in docs/references.md.
    peer : str or None
        Function elsewhere with the same values: ``"sklearn.metrics.rand_score"``.
    function : callable
        The measure itself.
    of_table : callable or None
        The measure at its defaults from a contingency table, for measures of two labelings.

    Examples
    --------
    >>> from coterie.evaluate import find_measure
    >>> rand = find_measure("rand_score")
    >>> rand.symbol, rand.best, rand([0, 0, 1], [1, 1, 0])
    ('RI', 1.0, 1.0)
    """

    name: str
    symbol: str
    summary: str
    group: str
    needs: Needs
    low: float
    high: float
    greater_is_better: bool
    is_symmetric: bool
    is_adjusted: bool
    is_scale_free: bool
    compares_pairs: bool
    noise: Noise | None
    reference: str
    peer: str | None
    function: Callable[..., float] = field(repr=False)
    of_table: Callable[[ContingencyTable], float] | None = field(repr=False)

    @property
    def best(self) -> float:
        """The value of a perfect clustering, infinite when there is no bound."""
        return self.high if self.greater_is_better else self.low

    @property
    def direction(self) -> str:
        """Which way is better: "higher" or "lower"."""
        return "higher" if self.greater_is_better else "lower"

    @property
    def takes_sample_weight(self) -> bool:
        """Whether samples may count more than once."""
        return "sample_weight" in signature(self.function).parameters

    @property
    def range(self) -> str:
        """The range in interval notation."""
        left = "(-inf" if math.isinf(self.low) else f"[{self.low:g}"
        right = "inf)" if math.isinf(self.high) else f"{self.high:g}]"
        return f"{left}, {right}"

    def __call__(self, *args: object, **kwargs: object) -> float:
        """Compute the measure."""
        return self.function(*args, **kwargs)


ROWS_OR_DISTANCES = (
    "X : array-like of shape (n_samples, n_features) or (n_samples, n_samples)\n"
    '    Data, or distances with ``metric="precomputed"``.'
)
SHARED = {  # what parameters mean in every measure that does not say otherwise
    "labels_true": "labels_true, labels_pred : array-like of shape (n_samples,)\n"
    "    Classes and clusters of any kind of label.",
    "memberships_true": "memberships_true, memberships_pred : array-like of shape (n_samples, n_clusters) or "
    "(n_samples,)\n    Degrees that sum to 1 for each sample, or labels.",
    "X": "X : array-like of shape (n_samples, n_features)\n    Data.",
    "labels": "labels : array-like of shape (n_samples,)\n    Labels of any kind.",
    "metric": 'metric : str or callable, default="euclidean"\n    Distance between rows.',
    "average_method": 'average_method : {"min", "geometric", "arithmetic", "max"}, default="arithmetic"\n'
    "    Which mean.",
    "average": 'average : {"weighted", "macro"}, default="weighted"\n'
    '    "weighted": every sample counts alike. "macro": the plain mean over clusters, or over classes.',
    "beta": "beta : float, default=1.0\n"
    "    How many times as much recall counts as precision; only beta=1 is symmetric.",
    "sample_size": "sample_size : int, default=None\n"
    "    Compare so many samples, drawn from every cluster, and return an `Estimate`; None: all.",
    "random_state": "random_state : int, RandomState, Generator or None, default=None\n    Seed of the draw.",
    "sample_weight": "sample_weight : array-like of shape (n_samples,), default=None\n"
    "    How many times each sample counts.",
    "noise": 'noise : {"cluster", "exclude", "singletons"}, default="cluster"\n'
    "    What to do with samples labelled -1.",
    "kwds": "**kwds\n    Further parameters of the distance.",
}
_REGISTERED: dict[str, Measure] = {}


def measure(
    *,
    symbol: str,
    group: str,
    needs: Needs,
    low: float,
    high: float,
    reference: str,
    greater_is_better: bool = True,
    is_symmetric: bool = False,
    is_adjusted: bool = False,
    is_scale_free: bool = False,
    compares_pairs: bool = False,
    in_scikit_learn: bool = False,
    of_table: Callable[[ContingencyTable], float] | None = None,
) -> Callable[[MeasureFunction], MeasureFunction]:
    """Enter the decorated function in the catalogue; its name, summary and noise policy are read from it.

    With ``in_scikit_learn=True``, scikit-learn has a function of the same name and values.

    Examples
    --------
    >>> from coterie.evaluate import find_measure
    >>> find_measure("purity_score").noise
    'cluster'
    """
    facts = {**locals(), "low": float(low), "high": float(high)}
    del facts["in_scikit_learn"]

    def register(function: MeasureFunction) -> MeasureFunction:
        name = shares_parameters(function).__name__
        noise = signature(function).parameters.get("noise")
        _REGISTERED[name] = Measure(
            name=name,
            summary=(getdoc(function) or "").partition("\n")[0],
            noise=None if noise is None else noise.default,
            peer=f"sklearn.metrics.{name}" if in_scikit_learn else None,
            function=function,
            **facts,
        )
        return function

    return register


def shares_parameters(function: SharingFunction) -> SharingFunction:
    """Let the docstring of a function have the shared meaning of parameters that it does not describe.

    Examples
    --------
    >>> @shares_parameters
    ... def share(labels, *, size=1):
    ...     '''Share of something.
    ...
    ...     Parameters
    ...     ----------
    ...     size : int, default=1
    ...         How much.
    ...     '''
    >>> [line for line in share.__doc__.splitlines() if " : " in line]
    ['labels : array-like of shape (n_samples,)', 'size : int, default=1']
    """
    if function.__doc__:
        names = signature(function).parameters
        shared = SHARED | ({"X": ROWS_OR_DISTANCES} if "metric" in names else {})
        function.__doc__ = with_entries(function.__doc__, "Parameters", names, shared)
    return function


def measures(needs: Needs | None = None) -> tuple[Measure, ...]:
    """Return every measure, or those that need the given input, in the order of the catalogue.

    Parameters
    ----------
    needs : {"labelings", "memberships", "centers", "data", "graph", "tree"}, default=None
        What the measures must be computed from.

    Examples
    --------
    >>> [found.symbol for found in measures("labelings")][:3]
    ['RI', 'ARI', 'pair P']
    """
    check_parameter(needs, NEEDS | Nothing(), name="needs", who="measures")
    chosen = [found for found in _REGISTERED.values() if needs is None or found.needs == needs]
    return tuple(
        sorted(chosen, key=lambda found: GROUPS.index(found.group) if found.group in GROUPS else len(GROUPS))
    )


def find_measure(name: str) -> Measure:
    """Return the measure of that name or symbol, in capitals or not.

    Examples
    --------
    >>> find_measure("ARI").name
    'adjusted_rand_score'
    """
    by_symbol = {found.symbol: found for found in _REGISTERED.values()}
    by_any = {key.casefold(): found for key, found in [*by_symbol.items(), *_REGISTERED.items()]}
    found = by_any.get(name.casefold())
    if found is None:
        names = [*_REGISTERED, *by_symbol]
        where = {"listed_by": "coterie.evaluate.measures()", "in_shell": "coterie measures"}
        raise unknown_name("measure", name, names, **where)
    return found
