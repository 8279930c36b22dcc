"""Constraints that a class declares per parameter: they give the check and the message."""

from __future__ import annotations

import copy
import inspect
import math
import os
from collections.abc import Callable, Iterable, Mapping
from numbers import Integral, Rational
from typing import Any, SupportsInt, TypeVar

import numpy as np

from coterie._support import scikit_learn
from coterie._support.typing import Settings
from coterie.errors import InvalidParameter, did_you_mean

ALL_SHOWN = 12  # more names than this are not listed in a message
FEW = 5  # so many fit beside the name of a parameter
MOST_ITERATIONS = 2**40  # of any method; numbers of the engine have 64 bits
SEED_LIMIT = 2**64
LEGACY_SEED_LIMIT = 2**32  # of NumPy's RandomState


_Estimator = TypeVar("_Estimator", bound=scikit_learn.BaseEstimator)


class Constraint:
    """What a parameter may be; constraints are joined with ``|``."""

    def accepts(self, value: object) -> bool:
        """Return whether the value is allowed."""
        raise NotImplementedError

    def describe(self) -> str:
        """Return the words that follow "must be"."""
        raise NotImplementedError

    def names(self) -> tuple[str, ...]:
        """Return the names that a wrong name may have been meant for."""
        return ()

    def __or__(self, other: Constraint) -> Constraint:
        return AnyOf(self, other)


class AnyOf(Constraint):
    """Either of several constraints."""

    def __init__(self, *options: Constraint) -> None:
        self.options: tuple[Constraint, ...] = ()
        for option in options:
            self.options += option.options if isinstance(option, AnyOf) else (option,)

    def accepts(self, value: object) -> bool:
        return any(option.accepts(value) for option in self.options)

    def describe(self) -> str:
        *first, last = [option.describe() for option in self.options]
        return f"{', '.join(first)} or {last}" if first else last

    def names(self) -> tuple[str, ...]:
        return tuple(name for option in self.options for name in option.names())


class Whole(Constraint):
    """A whole number in a closed range; booleans are not numbers."""

    def __init__(self, least: int | None = None, greatest: int | None = None) -> None:
        self.least, self.greatest = least, greatest

    def accepts(self, value: object) -> bool:
        return is_whole(value) and _in_range(self, value)

    def describe(self) -> str:
        return "a whole number" + _range_words(self.least, self.greatest, open_below=False)


class Number(Constraint):
    """A finite real number in a range; `open_below` leaves out the least value itself."""

    def __init__(
        self, least: float | None = None, greatest: float | None = None, *, open_below: bool = False
    ) -> None:
        self.least, self.greatest, self.open_below = least, greatest, open_below

    def accepts(self, value: object) -> bool:
        number = _finite_float(value) if is_number(value) else None
        if number is None:
            return False
        return _in_range(self, number) and not (self.open_below and number == self.least)

    def describe(self) -> str:
        return "a number" + _range_words(self.least, self.greatest, open_below=self.open_below)


class Choice(Constraint):
    """One of several names, given as such or by a function that looks them up in a catalogue when needed."""

    def __init__(self, *names: str, among: Callable[[], Iterable[str]] | None = None) -> None:
        self._names, self._among = names, among

    @property
    def is_short(self) -> bool:
        """Whether all names can be listed wherever the parameter is described."""
        return self._among is None and len(self._names) <= FEW

    def names(self) -> tuple[str, ...]:
        return self._names + (tuple(self._among()) if self._among is not None else ())

    def accepts(self, value: object) -> bool:
        return isinstance(value, str) and value in self.names()

    def describe(self) -> str:
        names = self.names()
        listed = ", ".join(f'"{name}"' for name in names[:ALL_SHOWN])
        if len(names) > ALL_SHOWN:
            return f"one of {listed} ..."
        return f"one of {listed}" if len(names) > 1 else listed


class Flag(Constraint):
    """True or False."""

    def accepts(self, value: object) -> bool:
        return isinstance(value, bool | np.bool_)

    def describe(self) -> str:
        return "True or False"


class Nothing(Constraint):
    """None."""

    def accepts(self, value: object) -> bool:
        return value is None

    def describe(self) -> str:
        return "None"


class Function(Constraint):
    """Anything that can be called; with names, what takes them: ``Function("X", "k", "random_state=")``."""

    def __init__(self, *arguments: str) -> None:
        self.arguments = arguments

    def accepts(self, value: object) -> bool:
        return callable(value) and (not self.arguments or self._refusal(value) is None)

    def describe(self) -> str:
        return f"a callable that takes ({', '.join(self.arguments)})" if self.arguments else "a callable"

    def _refusal(self, function: Callable[..., object]) -> str | None:
        named = [name.removesuffix("=") for name in self.arguments if name.endswith("=")]
        return refusal_of_call(function, len(self.arguments) - len(named), named)


PROGRESS: Constraint = Nothing() | Flag() | Function()  # whoever hears of the steps of a long fit


class Dictionary(Constraint):
    """Values by name."""

    def accepts(self, value: object) -> bool:
        return isinstance(value, Mapping) and all(isinstance(key, str) for key in value)

    def describe(self) -> str:
        return "a dict with names as keys"


class AnArray(Constraint):
    """An array, or what NumPy makes one of."""

    def accepts(self, value: object) -> bool:
        if isinstance(value, np.generic | np.ndarray):
            return value.ndim > 0
        return hasattr(value, "shape") or hasattr(value, "__array__") or isinstance(value, list | tuple)

    def describe(self) -> str:
        return "an array"


class APath(Constraint):
    """The path of a file or folder, as text or as a path object."""

    def accepts(self, value: object) -> bool:
        return isinstance(value, str | os.PathLike)

    def describe(self) -> str:
        return "a path"


class Seed(Constraint):
    """What scikit-learn takes as random_state, and NumPy's generators."""

    def accepts(self, value: object) -> bool:
        is_seed = Whole(0, SEED_LIMIT - 1).accepts(value)
        is_generator = isinstance(value, np.random.RandomState | np.random.Generator)
        return value is None or is_seed or is_generator or value is np.random

    def describe(self) -> str:
        return "None, a whole number in [0, 2**64), a numpy RandomState or a numpy Generator"


class Anything(Constraint):
    """No constraint here: the value is checked where it is understood."""

    def accepts(self, value: object) -> bool:
        return True

    def describe(self) -> str:
        return "anything"


def engine_count(value: SupportsInt) -> int:
    """Return a number of iterations as the engine takes it: what is beyond 2^40 is never reached.

    Examples
    --------
    >>> engine_count(300), engine_count(10**400) == 2**40
    (300, True)
    """
    return min(int(value), MOST_ITERATIONS)


def check_parameter(value: object, constraint: Constraint, *, name: str, who: str) -> None:
    """Refuse a value that its constraint does not accept.

    Examples
    --------
    >>> check_parameter(3, Whole(1), name="n_clusters", who="KMeans")
    """
    if not constraint.accepts(value):
        near = did_you_mean(value, constraint.names())
        raise InvalidParameter(f"{name} of {who} must be {constraint.describe()}, got {_shown(value)}.{near}")


def check_parameters(values: Settings, constraints: Mapping[str, Constraint], *, who: str) -> None:
    """Check each value against the constraint of its name, in the order of the constraints.

    Examples
    --------
    >>> check_parameters({"tol": 0.1}, {"tol": Number(0.0)}, who="KMeans")
    """
    for name, constraint in constraints.items():
        check_parameter(values[name], constraint, name=name, who=who)


def with_plain_numbers(model: _Estimator) -> _Estimator:
    """Return an estimator whose parameters are Python's numbers: itself, or a copy of it.

    Products and comparisons with NumPy's numbers of fewer bits are computed in these, and overflow.
    """
    given = model.get_params(deep=False)
    plain = {name: value.item() for name, value in given.items() if isinstance(value, np.number)}
    if not plain:
        return model
    other = copy.copy(model)
    other.__dict__.update(plain)
    return other


def refusal_of_call(function: Callable[..., object], n_positional: int, named: Iterable[str]) -> str | None:
    """Return why a function cannot be called with so many arguments and these names, or None."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # some functions of C do not tell
        return None
    try:
        signature.bind(*[None] * n_positional, **dict.fromkeys(named))
    except TypeError as reason:
        return str(reason)
    return None


def unknown_name(
    what: str,
    got: str,
    choices: Iterable[str],
    *,
    listed_by: str,
    in_shell: str | None = None,
    meant: str | None = None,
) -> InvalidParameter:
    """Return the error for a name that is not in a catalogue; `meant` is what it is called there, if known.

    Examples
    --------
    >>> str(unknown_name("method", "kmean", ["kmeans"], listed_by="coterie.cluster.methods()"))
    'no such method "kmean". Did you mean "kmeans"? (coterie.cluster.methods() lists all)'
    """
    near = did_you_mean(got, choices) if meant is None else f' Did you mean "{meant}"?'
    fact = f'no such {what} "{got}".{near}'
    error = InvalidParameter(f"{fact} ({listed_by} lists all)")
    return error if in_shell is None else error.in_shell(f"{fact} ({in_shell} lists all)")


def is_whole(value: object) -> bool:
    """Return whether the value is a whole number of Python or NumPy; booleans are none."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def is_number(value: object) -> bool:
    """Return whether the value is a real number of Python or NumPy; booleans are none."""
    if is_whole(value) or isinstance(value, float | np.floating):
        return True
    return isinstance(value, Rational) and not isinstance(value, Integral)  # a Fraction, not a bool


def _finite_float(value: Any) -> float | None:
    try:
        number = float(value)  # one of 16 bits would be compared in 16 bits
    except OverflowError:  # a whole number that no float holds
        return None
    return number if math.isfinite(number) else None


def _in_range(constraint: Whole | Number, value: Any) -> bool:
    return (constraint.least is None or value >= constraint.least) and (
        constraint.greatest is None or value <= constraint.greatest
    )


def _range_words(least: float | None, greatest: float | None, *, open_below: bool) -> str:
    if least is not None and greatest is not None:
        return f" in {'(' if open_below else '['}{least}, {greatest}]"
    if least is not None:
        return f" greater than {least}" if open_below else f" of at least {least}"
    return f" of at most {greatest}" if greatest is not None else ""


def _shown(value: object) -> str:
    if isinstance(value, type):
        return f"the class {value.__name__} itself"
    text = " ".join(line.strip() for line in repr(value).splitlines())  # arrays take several lines
    return text if len(text) <= 80 else f"{text[:60]}... ({type(value).__name__})"


def check_seed(random_state: Any) -> int:
    """Return a seed in [0, 2**64) for the native generator.

    Parameters
    ----------
    random_state : int, RandomState, Generator or None
        An int is the seed itself. A generator is asked for one number, so that consecutive calls differ.
        None asks NumPy's global generator, as scikit-learn does.

    Examples
    --------
    >>> check_seed(42)
    42
    """
    if is_whole(random_state):
        seed = int(random_state)
        if 0 <= seed < SEED_LIMIT:
            return seed
    elif isinstance(random_state, np.random.Generator):
        return int(random_state.integers(SEED_LIMIT, dtype=np.uint64, endpoint=False))
    elif random_state is None or isinstance(random_state, np.random.RandomState) or random_state is np.random:
        generator = scikit_learn.check_random_state(random_state)
        high, low = generator.randint(0, 2**32, size=2, dtype=np.uint64)
        return int(high) << 32 | int(low)
    raise InvalidParameter(
        "random_state must be None, a whole number in [0, 2**64), a numpy RandomState or a numpy Generator, "
        f"got {random_state!r}."
    )


def legacy_draws(random_state: Any) -> np.random.RandomState:
    """Return the generator that scikit-learn draws from, where its draws are to be repeated.

    What scikit-learn does not take (larger numbers, NumPy's newer generators) seeds one of the same kind.

    Examples
    --------
    >>> legacy_draws(0).permutation(4)
    array([2, 3, 1, 0])
    """
    is_larger = is_whole(random_state) and random_state >= LEGACY_SEED_LIMIT
    if is_larger or isinstance(random_state, np.random.Generator):
        random_state = check_seed(random_state) % LEGACY_SEED_LIMIT
    draws: np.random.RandomState = scikit_learn.check_random_state(random_state)
    return draws


def shift_seed(seed: int, by: int) -> int:
    """Return another seed of the same run: the largest is followed by 0.

    Examples
    --------
    >>> shift_seed(42, 1), shift_seed(2**64 - 1, 1)
    (43, 0)
    """
    return (seed + by) % SEED_LIMIT
