"""The one catalogue of distances: what each is called, means, needs and how the engine computes it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from importlib import import_module
from typing import Any, ClassVar, Literal, TypeAlias

from coterie import _core
from coterie._support.typing import Data, FloatArray, Settings, ValuesByName
from coterie._support.validation import Constraint, check_parameter, refusal_of_call, unknown_name
from coterie._support.validation.schema import DictOf, Plain, Schema, Text
from coterie.distance._range import refuse_overflow
from coterie.distance.transforms import Transform, transform_rows
from coterie.errors import InvalidParameter, did_you_mean

Domain: TypeAlias = Literal["real", "boolean", "categorical", "mixed", "places"]
EuclideanForm: TypeAlias = Literal["distance", "square", "half square"]
RowFunction: TypeAlias = Callable[[FloatArray, FloatArray], float]

_EUCLIDEAN_FORMS: Mapping[_core.Finish, EuclideanForm] = {
    _core.Finish.norm: "distance",
    _core.Finish.squared_norm: "square",
    _core.Finish.cosine: "half square",
}


@dataclass(frozen=True)
class Parameter:
    """A parameter of a distance: its name, meaning, default and what it may be."""

    name: str
    meaning: str
    default: object
    allowed: Constraint


@dataclass(frozen=True, eq=False)
class Distance:
    """A distance as a value: the facts that algorithms ask for, and how rows become what the engine takes.

    Parameters
    ----------
    name, summary, formula : str
        What it is called; one line of what it means; how it is computed.
    kernel, finish : enum of the engine, or None
        What is summed over the features, and what is done with the sum. None: `function` computes it.
    p : float, default=2
        Exponent, for the kernel that has one; the radius of the sphere for distances of places.
    aliases : tuple of str
        Other names by which `find_distance` knows it, SciPy's and scikit-learn's among them.
    domain : {"real", "boolean", "categorical", "mixed", "places"}
        What the numbers stand for. Boolean distances take every number but 0 as true; categorical ones only
        ask whether numbers are equal; mixed ones take tables of numbers and categories with missing cells;
        those of places take latitude and longitude.
    is_metric : bool
        Whether the triangle inequality holds.
    takes_gaps : bool
        Whether cells may be missing (NaN).
    parameters : tuple of Parameter
        What it can be told.
    values : mapping
        What it has been told, or has learned from data.
    transform : Transform, default=None
        Rows to rows, before the kernel.
    specialise : callable, default=None
        Distance -> Distance: facts that follow from the values.
    learn : callable, default=None
        (Distance, X, Y or None) -> Distance: values that come from the data.
    function : callable, default=None
        A user's function of two rows.

    Examples
    --------
    >>> find_distance("minkowski", p=3)
    Distance('minkowski', p=3)
    >>> find_distance("cosine").is_metric
    False
    """

    _schema: ClassVar[Schema] = {  # what a file says of one of the catalogue
        "name": Text(),
        "values": DictOf(Text(), Plain()),
    }

    name: str
    summary: str
    formula: str
    kernel: Any
    finish: Any
    p: float = 2.0
    aliases: tuple[str, ...] = ()
    domain: Domain = "real"
    is_metric: bool = True
    takes_gaps: bool = False
    parameters: tuple[Parameter, ...] = ()
    values: Settings = field(default_factory=dict)
    transform: Transform | None = None
    specialise: Callable[[Distance], Distance] | None = None
    learn: Callable[[Distance, Data, Data | None], Distance] | None = None
    function: RowFunction | None = None

    @property
    def metric(self) -> _core.Metric:
        """The distance of transformed rows, as the engine takes it."""
        return _core.Metric(self.kernel, self.finish, self.p, getattr(self.transform, "columns", None))

    @property
    def euclidean_form(self) -> EuclideanForm | None:
        """Which function of the Euclidean distance of transformed rows it is; None if it is none."""
        return _EUCLIDEAN_FORMS.get(self.finish)

    @property
    def squares_numbers(self) -> bool:
        """Whether numbers are squared or multiplied: large ones overflow sooner than their sums do."""
        is_product = self.kernel == _core.Kernel.dot and self.finish == _core.Finish.identity
        return (
            is_product
            or self.euclidean_form in ("distance", "square")
            or self.kernel in (_core.Kernel.minkowski, _core.Kernel.observed)
        )

    @property
    def unlearned(self) -> tuple[str, ...]:
        """The moments of columns that it would learn from data, and has not been told."""
        if self.learn is None or self.takes_gaps:  # ranges, of mixed tables, are those of all rows
            return ()
        return tuple(name for name, value in self.values.items() if value is None)

    def fit(self, X: Data, Y: Data | None = None) -> Distance:
        """Return the distance with what it learns from the rows of X (and Y): variances, say.

        Examples
        --------
        >>> import numpy as np
        >>> find_distance("seuclidean").fit(np.array([[0.0, 1.0], [2.0, 5.0]])).values["V"]
        array([2., 8.])
        """
        if self.learn is None:
            return self
        refuse_overflow(replace(self, transform=None), X, name="X")
        if Y is not None:
            refuse_overflow(replace(self, transform=None), Y, name="Y")
        return self.learn(self, X, Y)

    def prepare(self, rows: Data, *, name: str = "X", threads: int = 1) -> Data:
        """Return the rows as the kernel wants them; `name` is how messages call them.

        Examples
        --------
        >>> import numpy as np
        >>> find_distance("cosine").prepare(np.array([[3.0, 4.0]]))
        array([[0.6, 0.8]])
        """
        prepared = transform_rows(self.transform, rows, name=name, distance=self.name, threads=threads)
        if self.transform is not None or self.kernel != _core.Kernel.dot:
            refuse_overflow(self, prepared, name=name)  # squares of rows as they are were checked before
        return prepared

    @property
    def told(self) -> ValuesByName:
        """The parameters that make the same distance again: what it was told and what it learned."""
        return {name: value for name, value in self.values.items() if value is not None}

    def __repr__(self) -> str:
        told = self.told
        return f"Distance({', '.join([repr(self.name), *(f'{k}={v!r}' for k, v in told.items())])})"


DistanceLike: TypeAlias = str | RowFunction | Distance  # what stands for a distance
_entries: dict[str, Distance] = {}
_names: dict[str, str] = {}  # names and aliases, and the name of the entry


def register(distance: Distance) -> Distance:
    """Add a distance to the catalogue and return it; its name and aliases must be new.

    Examples
    --------
    >>> register(find_distance("euclidean"))
    Traceback (most recent call last):
    ...
    coterie.errors.InvalidParameter: a distance called "euclidean" is in the catalogue already.
    """
    names = (distance.name, *distance.aliases)
    for name in names:
        if name in known_names():
            raise InvalidParameter(f'a distance called "{name}" is in the catalogue already.')
    _entries[distance.name] = _bound(distance, {})
    _names.update(dict.fromkeys(names, distance.name))
    return _entries[distance.name]


def distances() -> tuple[Distance, ...]:
    """Return every distance, each with its default parameters, in the order of the catalogue.

    Examples
    --------
    >>> [distance.name for distance in distances()][:2]
    ['euclidean', 'sqeuclidean']
    """
    return tuple(_catalogue().values())


def find_distance(metric: str | RowFunction | Distance = "euclidean", /, **params: object) -> Distance:
    """Return the distance that a name, a function of two rows or a `Distance` stands for.

    Parameters
    ----------
    metric : str, callable or Distance
        A name or alias of the catalogue; or a function that takes two rows and returns a number (slow: Python
        runs once per pair of rows); or a distance, which is returned.
    **params
        Parameters of the distance; for a function, keyword arguments that it gets with every call.

    Examples
    --------
    >>> find_distance("cityblock").name
    'manhattan'
    >>> find_distance("yule")
    Traceback (most recent call last):
    ...
    coterie.errors.InvalidParameter: no such distance "yule". (coterie.distance.distances() lists all)
    """
    if isinstance(metric, Distance):
        return _bound(metric, params) if params else metric
    if isinstance(metric, str):
        name = known_names().get(metric)
        if name is None:
            where = {"listed_by": "coterie.distance.distances()", "in_shell": "coterie distances"}
            raise unknown_name("distance", metric, known_names(), **where)
        entry = _catalogue()[name]
        return _bound(entry, params) if params else entry
    if callable(metric):
        return _from_function(metric, params)
    raise InvalidParameter(
        f"metric must be the name of a distance, a function of two rows or a Distance, "
        f"got {type(metric).__name__}."
    )


class Metric(Constraint):
    """What `find_distance` takes; whether there is a distance of a name is told where it is looked for."""

    def accepts(self, value: object) -> bool:
        return isinstance(value, str | Distance) or callable(value)

    def describe(self) -> str:
        return "the name of a distance, a function of two rows or a Distance"


def known_names() -> dict[str, str]:
    _catalogue()
    return _names


def _catalogue() -> dict[str, Distance]:
    """Return the distances by name; ours are registered when somebody asks for the first time."""
    import_module("coterie.distance.entries")
    return _entries


def check_settings(who: str, parameters: Sequence[Parameter], params: Settings) -> None:
    """Refuse parameters that a distance does not take, and values that they cannot have."""
    allowed = {parameter.name: parameter for parameter in parameters}
    for name, value in params.items():
        if name not in allowed:
            takes = f"takes {', '.join(allowed)}" if allowed else "takes no parameters"
            raise InvalidParameter(f"the distance {who} {takes}, got {name}.{did_you_mean(name, allowed)}")
        check_parameter(value, allowed[name].allowed, name=name, who=who)


def _bound(distance: Distance, params: Settings) -> Distance:
    check_settings(distance.name, distance.parameters, params)
    defaults = {parameter.name: parameter.default for parameter in distance.parameters}
    bound = replace(distance, values=defaults | dict(distance.values) | dict(params))
    return bound if bound.specialise is None else bound.specialise(bound)


def _from_function(function: RowFunction, params: Settings) -> Distance:
    _refuse_arguments(function, params)
    return Distance(
        name=getattr(function, "__name__", type(function).__name__),
        summary="A function of two rows.",
        formula="f(x, y)",
        kernel=None,
        finish=None,
        is_metric=False,
        values=dict(params),
        function=partial(function, **params) if params else function,
    )


def _refuse_arguments(function: RowFunction, params: Settings) -> None:
    """Refuse a function that cannot be called with two rows and its parameters."""
    refusal = refusal_of_call(function, 2, params)
    if refusal is not None:
        name = getattr(function, "__name__", type(function).__name__)
        told = f" and the parameters {', '.join(params)}" if params else ""
        raise InvalidParameter(
            f"metric must be the name of a distance, a Distance or a function of two rows, got the function "
            f"{name}, which does not take two rows{told} ({refusal})."
        )
