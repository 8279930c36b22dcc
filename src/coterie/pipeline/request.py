"""What is asked of `coterie.fit`, by whatever door: built and checked once, before any work."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from inspect import signature
from typing import Any

from coterie._support.progress import clock
from coterie._support.typing import Indices, JsonObject, RandomState, Settings, ValuesByName
from coterie._support.validation import Flag, Nothing, Seed, Whole, check_parameters, check_seed
from coterie._support.validation.parameters import is_whole
from coterie.cluster import find_method, methods
from coterie.data import AUTO, check_dates, check_policy, check_scale
from coterie.data.geography.places import OFF, check_places
from coterie.distance import find_distance
from coterie.errors import InvalidParameter, did_you_mean, shown_in_shell
from coterie.pipeline.recipe import (
    Recipe,
    check_recipe,
    linkage_for,
    make_estimator,
    takes_distance,
    takes_k,
    takes_option,
)
from coterie.series.fit_plan import SeriesPlan, make_plan

STARTS = 10  # k-means++ from one start is often a few percent worse than the best of ten
PRECOMPUTED = "precomputed"
ROW_SETTINGS = ("size_min", "size_max", "must_link", "cannot_link")  # what is said of all rows together
PAIRED = ("constrained-kmeans", "agglomerative")  # methods that take pairs of rows; the first is the default
READING = ("dates", "sheet", "table", "query", "header", "encoding")  # what is said of how a table is read
CHECKED = {
    "random_state": Seed(),
    "header": Nothing() | Flag(),
    "n_init": Nothing() | Whole(1),
    "believe": Flag(),
    "silhouette": Flag(),
}
MOST_DIGITS = 7  # of a number of groups in text: the numbers of a range are all made


@dataclass(frozen=True)
class Budget:
    """What one word buys."""

    name: str  # the word
    rows: int  # rows that methods are compared on; a sample when there are more
    methods: tuple[str, ...]  # methods that are tried
    most_clusters: int  # the largest number of clusters tried
    starts: int  # starts of k-means
    resamples: int  # of the stability
    draws: int  # data sets without clusters, for the p-value
    draw_rows: int  # rows of each


# methods that are tried, in this order; the last ones are of tables with categories
QUICK = ("modes", "kmeans", "mixture", "agglomerative", "genie", "embedding")
ALL = (*QUICK, "hdbscan", "spectral")
MIXED = ("kprototypes", "latent-classes", "kmedoids", "agglomerative", "hdbscan")
TAKE_CATEGORIES = ("kprototypes", "kmodes", "latent-classes")  # by themselves; others under Gower's distance
EUCLIDEAN, GOWER = "euclidean", "gower"
HAVERSINE = "haversine"

BUDGETS = {
    "fast": Budget("fast", 2_500, QUICK, 30, 3, 10, 39, 300),
    "normal": Budget("normal", 5_000, ALL, 50, 4, 20, 59, 500),
    "thorough": Budget("thorough", 12_000, ALL, 80, 10, 50, 199, 1_000),
}
LONG = 10.0  # seconds from which it is worth telling
# seconds on two cores: at least, per compared row, per pair of these and column, per value of the table
COSTS = {
    "fast": (1.0, 1.2e-3, 1e-9, 1.5e-7),
    "normal": (1.5, 2.2e-3, 1e-9, 1.5e-7),
    "thorough": (6.0, 6e-3, 1.5e-9, 1.5e-7),
}


def find_budget(name: object) -> Budget:
    """Return the budget of that name.

    Examples
    --------
    >>> find_budget("fast").rows
    2500
    """
    if isinstance(name, str) and name in BUDGETS:
        return BUDGETS[name]
    allowed = ", ".join(f'"{word}"' for word in BUDGETS)
    near = did_you_mean(name, BUDGETS) if isinstance(name, str) else ""
    raise InvalidParameter(f"budget of coterie.fit must be one of {allowed}, got {name!r}.{near}").in_shell(
        f"--budget must be one of {', '.join(BUDGETS)}, got {shown_in_shell(name)}.{near}"
    )


@dataclass(frozen=True)
class FitRequest:
    """A checked request; `make_request` makes one from what a user gives.

    Parameters
    ----------
    methods : tuple of str or None
        Methods to compare; None: those of the budget.
    ks : tuple of int or None
        Numbers of groups; None: whatever there is.
    distance : str or None
        Name of the distance; None: Euclidean.
    scale : str
        Name of the scaling, or "auto".
    budget : Budget
        What it may cost.
    seed : int
        Of every draw.
    truth : str, array or None
        Column, or class of each row, to compare with.
    columns : tuple of str
        The only columns to use; none: all.
    drop, keep : tuples of str
        Columns to leave out, or to use although they look like a key or are constant.
    missing : str
        What to do about missing values.
    reading : mapping
        How a table is read: `dates`, and of sources that hold several tables `sheet`, `table` or `query`.
    n_init, improve, settings
        Options of the one method that is named.
    pairs : mapping
        Rows that must be `together`, or `apart`, as given.
    checkpoint : path or None
        Folder where long fits in blocks are saved.
    believe : bool
        Whether to measure stability and significance.
    silhouette : bool
        Whether to estimate the silhouette of groups in blocks.
    series : SeriesPlan or None
        Of time series: where they are in a table, and how they are compared.
    places : str
        Which columns are positions: "auto", "off" or "LAT,LON".
    notes : tuple of str
        How what it says of rows was read.
    arguments : mapping
        What was given, so that a report can say how to ask again.
    """

    methods: tuple[str, ...] | None
    ks: tuple[int, ...] | None
    distance: str | None
    scale: str
    budget: Budget
    seed: int
    truth: Any = None
    columns: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    missing: str = "auto"
    reading: Mapping[str, Any] = field(default_factory=dict)
    n_init: int | None = None
    improve: str | None = None
    settings: Settings = field(default_factory=dict)
    pairs: Settings = field(default_factory=dict)
    checkpoint: str | os.PathLike[str] | None = None
    believe: bool = True
    silhouette: bool = True
    series: SeriesPlan | None = None
    places: str = AUTO
    notes: tuple[str, ...] = ()
    arguments: Settings = field(default_factory=dict, repr=False)

    @property
    def wanted_places(self) -> str:
        """Which columns are positions; none where another distance than the straight line is asked for."""
        return places_for(self.places, self.distance)

    @property
    def is_precomputed(self) -> bool:
        """Whether the data are a matrix of distances."""
        return str(self.arguments.get("distance")) == PRECOMPUTED

    @property
    def may_be_one(self) -> bool:
        """Whether "no groups" is an answer."""
        return not self.is_settled and (self.ks is None or 1 in self.ks)

    @property
    def is_number_asked(self) -> bool:
        """Whether one number of groups was asked for: it is given, whatever speaks against it."""
        return self.ks is not None and len(self.ks) == 1

    @property
    def is_one_group(self) -> bool:
        """Whether one group was asked for: there is nothing to compare."""
        return self.ks == (1,)

    @property
    def is_settled(self) -> bool:
        """Whether there is nothing to choose: one method, and one number of groups where it takes any."""
        if self.methods is None or len(self.methods) > 1:
            return False
        return len(self.ks) == 1 if self.ks is not None else not takes_k(self.methods[0])

    @property
    def has_options(self) -> bool:
        """Whether the one method that is named has options of its own."""
        return bool(self.settings) or self.n_init is not None or self.improve is not None

    @property
    def rows_may_move(self) -> bool:
        """Whether methods may run on rows in another order: settings may name rows, such as pairs."""
        return not (self.is_settled or self.settings or self.pairs)

    @property
    def scaling(self) -> str:
        """How columns are scaled: yes and no, and categories, are left as they are unless asked for."""
        return scale_for(self.scale, self.distance)

    @property
    def reading_of_rows(self) -> ValuesByName:
        """How cells are read, without what says where rows are found: for rows that are at hand."""
        return {"dates": self.reading["dates"]} if "dates" in self.reading else {}

    def numbers(self, most: int, n_rows: int) -> tuple[int, ...]:
        """Return the numbers of groups to try; where none are given, up to `most` that sizes allow."""
        if self.ks is not None:
            numbers = tuple(k for k in self.ks if k > 1)
        else:
            numbers = self.within_sizes(range(2, most + 1), n_rows)
        together, apart = (self.settings.get(name) for name in ("must_link", "cannot_link"))
        least = 1 if apart is None else _least_groups(() if together is None else together, apart)
        return tuple(k for k in numbers if k >= least) or numbers  # the method says why none is possible

    def within_sizes(self, numbers: Sequence[int], n_rows: int) -> tuple[int, ...]:
        """Return those numbers of groups that limits of their sizes allow; if none, the least possible."""
        least, largest = self.settings.get("size_min", 0), self.settings.get("size_max", n_rows)
        if not (isinstance(least, int) and isinstance(largest, int) and largest > 0):  # one for each group
            return tuple(numbers)
        first = max(2, -(-n_rows // largest))
        for ks in (numbers, [first]):
            if fitting := [k for k in ks if k * least <= n_rows <= k * largest]:
                return tuple(fitting)
        return tuple(numbers)  # the method says why none is possible

    def among(self, rows: Indices, n_rows: int) -> FitRequest:
        """Return the request for some of the rows: limits of size in proportion, pairs among these.

        Parameters
        ----------
        rows : array of int
            Which rows, each once.
        n_rows : int
            How many there are in all.
        """
        told = [name for name in ROW_SETTINGS if name in self.settings]
        if not told or self.methods is None or len(rows) == n_rows:
            return self
        method = self.methods[0]
        estimator: Any = make_estimator(find_method(method), self.recipe(method, (self.ks or (2,))[0]))
        restricted = {name: getattr(estimator.restricted_to(rows, n_rows), name) for name in told}
        rest = {name: value for name, value in self.settings.items() if name not in told}
        return replace(self, settings=rest | {name: v for name, v in restricted.items() if v is not None})

    @property
    def takes_categories(self) -> bool:
        """Whether what is asked for can use columns of categories."""
        if self.is_precomputed or self.distance not in (None, GOWER):
            return False
        return all(self.distance == GOWER or name in TAKE_CATEGORIES for name in self.methods or ())

    def methods_to_compare(self, *, is_mixed: bool = False) -> tuple[str, ...]:
        """Return the methods to compare: those named, or those of the budget that take the distance.

        Parameters
        ----------
        is_mixed : bool, default=False
            Whether rows have categories: then those of `MIXED`.
        """
        names = self.methods or (MIXED if is_mixed else self.budget.methods)
        if self.distance is not None and self.methods is None:
            names = tuple(name for name in names if takes_distance(name, self.distance))
        return names

    def recipe(self, method: str, k: int | None, scale: str = "none") -> Recipe:
        """Return how one method is run; ten starts where it has any and nothing else is said."""
        n_init = self.n_init
        if n_init is None and self.improve is None and takes_option(method, "n_init"):
            n_init = STARTS
        linkage = linkage_for(method, self.distance)
        settings = {**({"linkage": linkage} if linkage else {}), **self.settings} or None
        return Recipe(method, k, scale, self.distance, n_init, self.improve, self.seed, settings)


def places_for(places: str, distance: str | None) -> str:
    """Return which columns are positions; none where another distance than the straight line is asked for.

    Examples
    --------
    >>> places_for("auto", None), places_for("auto", "manhattan")
    ('auto', 'off')
    """
    return places if distance in (None, HAVERSINE) else OFF


def scale_for(scale: str, distance: str | None) -> str:
    """Return how columns are scaled where nothing is said: not at all for yes and no, and for categories.

    A 0 that has become -1.2 would count as yes.

    Examples
    --------
    >>> scale_for("auto", None), scale_for("auto", "jaccard"), scale_for("robust", "jaccard")
    ('auto', 'none', 'robust')
    """
    if scale != AUTO or distance is None:
        return scale
    return AUTO if find_distance(distance).domain == "real" else "none"


def _least_groups(together: Sequence[Sequence[int]], apart: Sequence[Sequence[int]]) -> int:
    """Return a number of rows that must all be apart, found greedily: so many groups are needed.

    Examples
    --------
    >>> _least_groups([(2, 3)], [(0, 1), (1, 2), (0, 3), (4, 5)])
    3
    """
    joined = {row: row for pair in (*together, *apart) for row in pair}

    def first_of(row: int) -> int:
        while joined[row] != row:
            joined[row] = row = joined[joined[row]]
        return row

    for a, b in together:
        joined[first_of(a)] = first_of(b)
    others: dict[int, set[int]] = {}
    for a, b in apart:
        others.setdefault(first_of(a), set()).add(first_of(b))
        others.setdefault(first_of(b), set()).add(first_of(a))
    most = 1
    for row, rest in others.items():
        n_apart, left = 1, rest - {row}
        while left:
            nearest = max(sorted(left), key=lambda one: len(others[one] & left))
            n_apart, left = n_apart + 1, left & others[nearest] - {nearest}
        most = max(most, n_apart)
    return most


def make_request(
    method: object = AUTO,
    k: object = AUTO,
    *,
    distance: object = AUTO,
    scale: object = AUTO,
    truth: object = None,
    budget: object = "normal",
    columns: str | Sequence[str] = (),
    drop: str | Sequence[str] = (),
    keep: str | Sequence[str] = (),
    missing: str = "auto",
    dates: str | None = None,
    sheet: str | None = None,
    table: str | None = None,
    query: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    random_state: RandomState = 0,
    n_init: int | None = None,
    improve: str | None = None,
    set: Settings | None = None,
    together: object = None,
    apart: object = None,
    checkpoint: str | os.PathLike[str] | None = None,
    believe: bool = True,
    silhouette: bool = True,
    series: str | Sequence[str] | None = None,
    window: object = AUTO,
    places: str = AUTO,
    who: str = "coterie.fit",
) -> FitRequest:
    """Return the request, or say what is wrong with it; parameters as in `coterie.fit`."""
    given = {**locals()}
    del given["who"]
    arguments = given | {
        **{name: column_names(given[name]) for name in ("columns", "drop", "keep")},
        **{name: _shown_pairs(given[name]) for name in ("together", "apart")},
        "set": dict(set or {}),
        "series": series if series is None or isinstance(series, str) else ",".join(map(str, series)),
        "window": "none" if window is None else window,
    }
    plan = make_plan(series, distance, window, scale)
    pairs = {name: given[name] for name in ("together", "apart") if given[name] is not None}
    if pairs and _is_auto(method):
        method = PAIRED[0]
    check_policy(missing)
    check_dates(dates)
    check_parameters(given, CHECKED, who=who)
    request = FitRequest(
        methods=None if _is_auto(method) else _methods(method),
        ks=check_k(k),
        distance=None if plan is not None else _distance(distance),
        scale=check_scale(scale),
        budget=find_budget(budget),
        seed=check_seed(random_state),
        truth=truth,
        columns=tuple(arguments["columns"]),
        drop=tuple(arguments["drop"]),
        keep=tuple(arguments["keep"]),
        missing=missing,
        reading={name: given[name] for name in READING if given[name] is not None},
        places=check_places(places),
        n_init=n_init,
        improve=improve,
        settings=arguments["set"],
        pairs=pairs,
        checkpoint=checkpoint,
        believe=believe,
        silhouette=silhouette,
        series=plan,
        arguments=arguments,
    )
    _check_methods(request)
    return replace(request, notes=(*request.notes, *_note_linkage(request)))


def _note_linkage(request: FitRequest) -> tuple[str, ...]:
    only = request.methods[0] if request.methods is not None and len(request.methods) == 1 else None
    if only is None or "linkage" in request.settings or not linkage_for(only, request.distance):
        return ()
    return (f"average linkage is used, since Ward's is for Euclidean distances, not {request.distance}",)


def told(arguments: Settings) -> JsonObject:
    """Return the arguments of a request that are not the defaults.

    Examples
    --------
    >>> told({"k": 3, "scale": "auto", "drop": ["id"], "set": {}})
    {'k': 3, 'drop': ('id',)}
    """
    defaults, found = signature(make_request).parameters, {}
    for name, value in arguments.items():
        plain = tuple(value) if isinstance(value, list) else value
        is_default = isinstance(plain, str | int | tuple | range) and plain == defaults[name].default
        if not (is_default or plain is None or (isinstance(plain, dict) and not plain)):
            found[name] = plain
    return found


def _shown_pairs(pairs: object) -> object:
    """Return pairs as a report can write them: a path, or a list."""
    if pairs is None or isinstance(pairs, str | os.PathLike):
        return None if pairs is None else str(pairs)
    return [str(pair) for pair in pairs] if isinstance(pairs, list | tuple) else ["..."]


def _check_methods(request: FitRequest) -> None:
    """Refuse a distance that a method does not have, a number of groups it does not take, lone options."""
    for each in request.methods or ():
        if request.distance is not None and not takes_distance(each, request.distance):
            others = [one.name for one in methods() if takes_distance(one.name, request.distance)]
            way_out = f" Methods that have it: {', '.join(others)}." if others else ""
            raise InvalidParameter(f"{find_method(each).title} has no distance {request.distance}.{way_out}")
        if request.ks is not None and len(request.methods or ()) == 1 and not takes_k(each):
            raise InvalidParameter(
                f"{find_method(each).title} takes no number of groups, got k={request.arguments['k']!r}. "
                f"Leave k out, or take another method."
            ).in_shell(
                f"{find_method(each).title} takes no number of groups, got -k {request.arguments['k']}. "
                f"Leave -k out, or take another --method."
            )
    others = [name for name in request.methods or () if name not in PAIRED]
    if request.pairs and others:
        option = next(iter(request.pairs))
        raise InvalidParameter(
            f'{option} of coterie.fit goes with method="{PAIRED[0]}" or "{PAIRED[1]}", got "{others[0]}".'
        ).in_shell(f"--{option} goes with --method {PAIRED[0]} or {PAIRED[1]}, got {others[0]}.")
    given = [("n_init", request.n_init), ("improve", request.improve), ("set", request.settings or None)]
    for name, value in given:
        if value is not None and (request.methods is None or len(request.methods) > 1):
            option = name.replace("_", "-")
            raise InvalidParameter(
                f"{name} is an option of one method: add method=, for example method='kmeans'."
            ).in_shell(f"--{option} is an option of one method: add --method NAME, for example kmeans.")
    if request.methods is not None and len(request.methods) == 1:
        k = request.ks[0] if request.ks is not None else None
        default = 2 if find_method(request.methods[0]).needs_k else None
        check_recipe(request.recipe(request.methods[0], k or default))


def _is_auto(value: object) -> bool:
    return value is None or (isinstance(value, str) and value == AUTO)


def _distance(distance: Any) -> str | None:
    if _is_auto(distance):
        return None
    if isinstance(distance, str) and distance == PRECOMPUTED:
        return None  # methods run on principal coordinates, in which distances are Euclidean
    name = find_distance(distance).name
    return None if name == "euclidean" else name


def _methods(method: Any) -> tuple[str, ...]:
    is_list = isinstance(method, Iterable) and not isinstance(method, str)
    names = list(method) if is_list else method.split(",") if isinstance(method, str) else []
    if not names or not all(isinstance(name, str) and name.strip() for name in names):
        raise InvalidParameter(
            "method of coterie.fit must be a name of coterie.cluster.methods(), several joined by commas, "
            f'or "auto", got {method!r}.'
        )
    return tuple(find_method(str(name).strip()).name for name in names)


def column_names(names: str | Sequence[str]) -> list[str]:
    """Return the names of columns; one may be given by itself."""
    return [names] if isinstance(names, str) else list(names)


def check_k(k: Any) -> tuple[int, ...] | None:
    """Return the numbers of groups that `k` stands for; None for "auto".

    Examples
    --------
    >>> check_k("2..4"), check_k(3), check_k("auto")
    ((2, 3, 4), (3,), None)
    """
    if _is_auto(k):
        return None
    if isinstance(k, str):
        first, dots, last = k.partition("..")
        ends = [first.strip(), last.strip()] if dots else [first.strip()]
        if not all(end.isdecimal() and len(end) <= MOST_DIGITS for end in ends):
            raise _bad_k(k)
        numbers: Iterable[int] = range(int(ends[0]), int(ends[-1]) + 1)
    elif is_whole(k):
        numbers = [int(k)]
    elif getattr(k, "ndim", 1) == 0:
        raise _bad_k(k)  # it has a way to iterate, which fails
    elif isinstance(k, Iterable):
        numbers = list(k)
    else:
        raise _bad_k(k)
    if not all(is_whole(one) and one >= 1 for one in numbers):
        raise _bad_k(k)
    found = tuple(sorted({int(one) for one in numbers}))
    if not found:
        raise _bad_k(k)
    return found


def _bad_k(k: object) -> InvalidParameter:
    allowed = 'a number from 1, a range such as "2..8", or "auto"'
    return InvalidParameter(f"k of coterie.fit must be {allowed}, got {k!r}.").in_shell(
        f"-k must be a number from 1, a range such as 2..8, or auto, got {shown_in_shell(k)}."
    )


def expected_seconds(n_rows: int, n_columns: int, budget: Budget) -> float:
    """Return about how many seconds it takes to compare methods on a table and to test the answer.

    Examples
    --------
    >>> expected_seconds(500, 5, BUDGETS["normal"]) < LONG < expected_seconds(20_000, 200, BUDGETS["normal"])
    True
    """
    n_compared = min(n_rows, budget.rows)
    least, per_row, per_pair, per_value = COSTS[budget.name]
    return least + per_row * n_compared + (per_pair * n_compared**2 + per_value * n_rows) * n_columns


def tell_long(n_rows: int, n_columns: int, budget: Budget, *, in_shell: bool) -> str:
    """Return what to tell about the time of a long fit, and how to have it sooner; nothing of a short one.

    Examples
    --------
    >>> tell_long(20_000, 200, BUDGETS["normal"], in_shell=True)
    'about 18 s; --budget fast takes 6 s'
    >>> tell_long(200, 2, BUDGETS["normal"], in_shell=True)
    ''
    """
    seconds = expected_seconds(n_rows, n_columns, budget)
    if seconds < LONG:
        return ""
    long = f"about {clock(_rounded(seconds))}"
    if budget.name == "fast":
        return long
    sooner = _rounded(expected_seconds(n_rows, n_columns, BUDGETS["fast"]))
    option = "--budget fast" if in_shell else 'budget="fast"'
    return f"{long}; {option} takes {clock(sooner)}"


def _rounded(seconds: float) -> float:
    """Return seconds as one would say them: an estimate has no more than one or two figures."""
    return 10.0 * round(seconds / 10.0) if seconds >= 20.0 else float(round(seconds))
