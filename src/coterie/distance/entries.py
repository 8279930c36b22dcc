"""The distances that come with Coterie; one entry each."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from coterie._core import Finish, Kernel
from coterie._support.validation import AnArray, Anything, Choice, Constraint, Dictionary, Flag, Nothing
from coterie._support.validation.parameters import is_number
from coterie.distance.catalogue import Distance, Parameter, register
from coterie.distance.learning import (
    with_covariance,
    with_levels,
    with_ranges,
    with_shared_cells,
    with_variances,
    with_weights,
)
from coterie.distance.sphere import UNITS, DistanceUnit, with_radius
from coterie.distance.transforms import CentredUnitLength, Presence, RankedUnitLength, UnitLength


class Exponent(Constraint):
    """A number above 0; infinity is one."""

    def accepts(self, value: Any) -> bool:
        """Return whether the value is allowed."""
        return is_number(value) and float(value) > 0

    def describe(self) -> str:
        """Return the words that follow "must be"."""
        return "a number greater than 0 or numpy.inf"


def _weighted(distance: Distance) -> Distance:
    return replace(distance, learn=None if distance.values["w"] is None else with_weights)


def _minkowski(distance: Distance) -> Distance:
    p = float(distance.values["p"])
    kernel, finish = {
        1.0: (Kernel.manhattan, Finish.identity),
        2.0: (Kernel.dot, Finish.norm),
        np.inf: (Kernel.chebyshev, Finish.identity),
    }.get(p, (Kernel.minkowski, Finish.power_root))
    return _weighted(replace(distance, kernel=kernel, finish=finish, p=p, is_metric=p >= 1))


def _observed(distance: Distance) -> Distance:
    return replace(distance, finish=Finish.identity if distance.values["squared"] else Finish.root)


def _sets(distance: Distance) -> Distance:
    return replace(distance, learn=None if distance.values["levels"] is None else with_levels)


_LEVELS = Parameter(
    "levels",
    "number of values of each column of categories, coded from 0; 0: a column of yes and no; None: all are",
    None,
    Nothing() | AnArray(),
)
_WEIGHTS = Parameter("w", "weight of each column, at least 0; None: all 1", None, Nothing() | AnArray())
_with_weights = partial(Distance, parameters=(_WEIGHTS,), specialise=_weighted)
_of_directions = partial(Distance, kernel=Kernel.dot, finish=Finish.cosine, is_metric=False)
_of_sets = partial(
    Distance,
    kernel=Kernel.dot,
    domain="boolean",
    parameters=(_LEVELS,),
    transform=Presence(),
    specialise=_sets,
)

for _entry in (
    _with_weights(
        name="euclidean",
        aliases=("l2", "euclid"),
        summary="The straight line.",
        formula="sqrt(sum w (x - y)^2)",
        kernel=Kernel.dot,
        finish=Finish.norm,
    ),
    _with_weights(
        name="sqeuclidean",
        aliases=("sqeuclid", "squared_euclidean"),
        summary="The square of the Euclidean distance: far columns count more.",
        formula="sum w (x - y)^2",
        kernel=Kernel.dot,
        finish=Finish.squared_norm,
        is_metric=False,
    ),
    _with_weights(
        name="manhattan",
        aliases=("cityblock", "l1", "taxicab"),
        summary="Along the axes: an outlying column counts less than in the Euclidean distance.",
        formula="sum w |x - y|",
        kernel=Kernel.manhattan,
        finish=Finish.identity,
    ),
    _with_weights(
        name="chebyshev",
        aliases=("chebychev", "linf", "infinity"),
        summary="The largest difference in any column.",
        formula="max |x - y| over the columns with w > 0",
        kernel=Kernel.chebyshev,
        finish=Finish.identity,
    ),
    Distance(
        name="minkowski",
        aliases=("pnorm",),
        summary="Manhattan (p=1), Euclidean (p=2), Chebyshev (p=inf) and all between; no metric for p < 1.",
        formula="(sum w |x - y|^p)^(1/p)",
        kernel=Kernel.dot,
        finish=Finish.norm,
        parameters=(Parameter("p", "exponent, above 0", 2.0, Exponent()), _WEIGHTS),
        specialise=_minkowski,
    ),
    Distance(
        name="seuclidean",
        aliases=("standardized_euclidean",),
        summary="Euclidean with every column divided by its standard deviation.",
        formula="sqrt(sum (x - y)^2 / V)",
        kernel=Kernel.dot,
        finish=Finish.norm,
        parameters=(
            Parameter("V", "variance of each column; None: that of the data", None, Nothing() | AnArray()),
        ),
        learn=with_variances,
    ),
    Distance(
        name="mahalanobis",
        aliases=("mahal",),
        summary="Euclidean after whitening: correlated columns count once.",
        formula="sqrt((x - y) VI (x - y))",
        kernel=Kernel.dot,
        finish=Finish.norm,
        parameters=(
            Parameter(
                "VI", "inverse covariance; None: that of the data, inverted", None, Nothing() | AnArray()
            ),
        ),
        learn=with_covariance,
    ),
    _of_directions(
        name="cosine",
        aliases=("cos",),
        summary="One minus the cosine of the angle: directions, not lengths. Undefined for rows of zeros.",
        formula="1 - x.y / (|x| |y|)",
        transform=UnitLength(),
    ),
    _of_directions(
        name="correlation",
        aliases=("pearson",),
        summary="One minus Pearson's correlation: shapes of profiles. Undefined for constant rows.",
        formula="1 - r(x, y)",
        transform=CentredUnitLength(),
    ),
    _of_directions(
        name="spearman",
        aliases=("rank_correlation",),
        summary="One minus Spearman's rank correlation. Undefined for constant rows.",
        formula="1 - r(rank x, rank y)",
        transform=RankedUnitLength(),
    ),
    Distance(
        name="canberra",
        summary="Relative differences, column by column; 0/0 counts as 0.",
        formula="sum |x - y| / (|x| + |y|)",
        kernel=Kernel.canberra,
        finish=Finish.identity,
    ),
    Distance(
        name="braycurtis",
        aliases=("bray_curtis",),
        summary="Share of the total that differs, for amounts; two rows of zeros are at distance 0.",
        formula="sum |x - y| / sum |x + y|",
        kernel=Kernel.braycurtis,
        finish=Finish.identity,
        is_metric=False,
    ),
    Distance(
        name="hamming",
        summary="Share of the columns that differ.",
        formula="mean [x != y]",
        kernel=Kernel.hamming,
        finish=Finish.mean,
        domain="categorical",
    ),
    _of_sets(
        name="jaccard",
        summary="Share of the union of two sets that only one has; two empty sets are at distance 0.",
        formula="1 - |x and y| / |x or y|",
        finish=Finish.jaccard,
    ),
    _of_sets(
        name="dice",
        aliases=("sorensen",),
        summary="As jaccard, what both have counted twice; two empty sets are at distance 0.",
        formula="1 - 2 |x and y| / (|x| + |y|)",
        finish=Finish.dice,
        is_metric=False,
    ),
    Distance(
        name="matching",
        aliases=("simple_matching",),
        summary="Share of the columns where one row is true and the other is not.",
        formula="mean [x xor y]",
        kernel=Kernel.dot,
        finish=Finish.matching,
        domain="boolean",
        transform=Presence(),
    ),
    Distance(
        name="nan_euclidean",
        summary="Euclidean over the columns in which both rows have a value, scaled up to all columns.",
        formula="sqrt(columns / common sum (x - y)^2)",
        kernel=Kernel.observed,
        finish=Finish.root,
        is_metric=False,
        takes_gaps=True,
        parameters=(
            Parameter("squared", "whether to return squares", False, Flag()),
            Parameter(
                "patterns",
                "columns, as 0 and 1, with which a new row must share one; None: those of the data",
                None,
                Nothing() | AnArray(),
            ),
        ),
        specialise=_observed,
        learn=with_shared_cells,
    ),
    Distance(
        name="gower",
        summary="For tables: mean difference over the columns that both rows have, numbers by their range.",
        formula="sum w d / sum w, d = |x - y| / range or [x != y]",
        kernel=Kernel.gower,
        finish=Finish.identity,
        domain="mixed",
        is_metric=False,
        takes_gaps=True,
        parameters=(
            Parameter(
                "kinds",
                "number, ordinal (or its levels in order), category, symmetric or asymmetric, per column or "
                "for some; None: by type",
                None,
                Anything(),
            ),
            Parameter(
                "w",
                "weight of each column, at least 0; None: all 1",
                None,
                Nothing() | AnArray() | Dictionary(),
            ),
            Parameter(
                "low", "least value of each number; None: that of the data", None, Nothing() | AnArray()
            ),
            Parameter("high", "greatest value; None: that of the data", None, Nothing() | AnArray()),
        ),
        learn=with_ranges,
    ),
    Distance(
        name="haversine",
        aliases=("great_circle",),
        summary="Along the surface of a sphere, between places given as [latitude, longitude].",
        formula="2 asin sqrt(sin^2((u - v) / 2) + cos u cos v sin^2((s - t) / 2)), x = [u, s], y = [v, t]",
        kernel=Kernel.squared_difference,
        finish=Finish.arc,
        domain="places",
        parameters=(
            Parameter("units", "of latitudes and longitudes: radians or degrees", "radians", Choice(*UNITS)),
            Parameter(
                "distances",
                "unit: radians, degrees, km, m or miles on the Earth; or the radius of the sphere",
                "radians",
                DistanceUnit(),
            ),
        ),
        specialise=with_radius,
    ),
):
    register(_entry)
