"""Estimators and values that are saved declare each attribute once, in one line of their class.

    @estimator
    class Halves(Clusterer):
        n_clusters: int = parameter(Whole(1), default=2)
        _: KW_ONLY
        depth: int = parameter(Whole(1), "How often rows are halved.", default=3)
        random_state: RandomState = None

        labels_: Labels = fitted(Tensor("rows", kind="i", low=0, below="clusters"), "Half of each row.")

The decorator writes the ``__init__`` that scikit-learn wants, which keeps each parameter under its name. It
collects what parameters may be in ``_constraints``, and what files hold of fitted attributes in ``_schema``.
A class inherits all of them; in its signature its own keywords come before those of its bases.

The decorator completes the docstring as well. What takes one line is said in the declaration, and its entry
is made from that: name, type, default and meaning. The docstring itself says what takes more. It may leave
out what a base describes, and what `SHARED_PARAMETERS` and `SHARED_ATTRIBUTES` say of every estimator.

    @saved(eq=False)
    class Halving:
        labels: Labels = held(Tensor("rows", kind="i", low=0), "Half of each row.")
        notes: tuple[str, ...] = held(ListOf(Text(), kind=tuple), "What to know.", default=())

is a frozen dataclass, whose rules are collected, and whose docstring is completed, in the same way.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field, fields
from typing import Any, Literal, NamedTuple, TypeVar, dataclass_transform

from coterie._support.documentation import entries_of, entry, with_entries
from coterie._support.typing import AnyFunction
from coterie._support.validation.parameters import PROGRESS, Constraint, Seed
from coterie._support.validation.schema import ESTIMATOR, Field

__all__ = ["KW_ONLY", "estimator", "fitted", "fitting", "held", "parameter", "saved"]

_Class = TypeVar("_Class", bound=type)
_Method = TypeVar("_Method", bound=AnyFunction)
_RULE, _MEANING = "rule", "meaning"
_UNSET = object()

# what a class need not say of these parameters: what they may be, and what they mean
SHARED_RULES = {"random_state": Seed(), "progress": PROGRESS}
SHARED_PARAMETERS = {
    "n_clusters": "How many groups.",
    "max_iter": "Most iterations of one run.",
    "verbose": "Whether to print every iteration.",
    "random_state": "Same number, same data: same result, whatever the number of threads.",
    "n_jobs": "Threads; the answer does not depend on it.",
    "metric_params": "Parameters of the distance.",
    "leaf_size": "Kept for scikit-learn's sake: the tree has leaves of its own size.",
    "progress": "True shows a line on a terminal; a callable is called with a `Progress` after every step.",
}
SHARED_ATTRIBUTES = {
    "converged_": "converged_ : bool\n    Whether it stopped by itself.",
    "n_features_in_": "n_features_in_ : int\n    Number of columns.",
    "feature_names_in_": "feature_names_in_ : array of str\n    Names of the columns, when `X` had any.",
}

SHARED_ARGUMENTS = {  # the same of methods that fit
    "y": "y : ignored\n    Present by convention.",
    "sample_weight": "sample_weight : array-like of shape (n_samples,), default=None\n"
    "    Weight of each row.",
}
FITTED_SELF = "\n\nReturns\n-------\nself : object\n    The fitted estimator."


class _Parameter(NamedTuple):
    rule: Constraint | None
    meaning: str
    default: object
    annotation: str = ""
    is_keyword: bool = False


class _Fitted(NamedTuple):
    rule: Field | Constraint | None
    meaning: str
    unset: object


def parameter(rule: Constraint | None = None, meaning: str = "", *, default: Any) -> Any:
    """Declare a parameter: what it may be, what it means, and its value where none is given.

    ``name: type = value`` declares one that has the rule of a base class or of `SHARED_RULES`, or none.
    """
    return _Parameter(rule, meaning, default)


def fitted(
    rule: Field | Constraint | None = None,
    meaning: str = "",
    *,
    unset: object = _UNSET,
    init: Literal[False] = False,
) -> Any:
    """Declare a fitted attribute: what files hold of it (nothing without a rule), its value before a fit."""
    return _Fitted(rule, meaning, unset)


@dataclass_transform(eq_default=False, field_specifiers=(parameter, fitted))
def estimator(cls: _Class) -> _Class:
    """Make an estimator of a class that declares its parameters and fitted attributes."""
    constraints, schema, inherited = (
        {name: value for base in reversed(cls.__mro__) for name, value in vars(base).get(of, {}).items()}
        for of in ("_constraints", "_schema", "_declared")
    )
    constraints = SHARED_RULES | constraints
    own: dict[str, _Parameter] = {}
    attributes: dict[str, str] = {}  # entries of those that say what they mean
    is_keyword = False
    for name, annotation in cls.__annotations__.items():
        is_keyword = is_keyword or annotation == "KW_ONLY"
        if name not in vars(cls) or annotation.startswith("ClassVar"):
            continue
        declared = vars(cls)[name]
        delattr(cls, name)
        if isinstance(declared, _Fitted):
            rules = schema
            if declared.meaning:
                attributes[name] = entry(name, annotation, declared.rule, declared.meaning)
            if declared.unset is not _UNSET:
                setattr(cls, name, declared.unset)
        else:
            declared = declared if isinstance(declared, _Parameter) else _Parameter(None, "", declared)
            own[name] = declared._replace(annotation=annotation, is_keyword=is_keyword)
            rules = constraints
        if declared.rule is not None:
            rules[name] = declared.rule
    first = {name: declared for name, declared in inherited.items() if not declared.is_keyword}
    parameters = first | own | {name: inherited[name] for name in inherited if name not in own}
    if parameters:  # else it is a base, with rules for its subclasses
        constraints = {name: constraints[name] for name in parameters if name in constraints}
    kind: Any = cls
    kind._declared, kind._constraints, kind._schema = parameters, constraints, {**ESTIMATOR, **schema}
    kind.__init__ = _written_init(cls, parameters)
    if cls.__doc__:
        cls.__doc__ = _written_doc(cls, parameters, own, attributes)
    return cls


def fitting(method: _Method) -> _Method:
    """Complete the docstring of a method that fits, by `SHARED_ARGUMENTS` and by what it returns."""
    if method.__doc__:
        names = inspect.signature(method).parameters
        method.__doc__ = with_entries(method.__doc__, "Parameters", names, SHARED_ARGUMENTS) + FITTED_SELF
    return method


def _written_doc(
    cls: type,
    parameters: Mapping[str, _Parameter],
    own: Mapping[str, _Parameter],
    attributes: dict[str, str],
) -> str:
    """Return the docstring of a class with the entries of declarations, bases and all estimators."""
    text, schema = cls.__doc__ or "", vars(cls)["_schema"]
    told = {
        name: _entry_of(name, parameters[name], SHARED_PARAMETERS[name])
        for name in parameters
        if name in SHARED_PARAMETERS
    }
    of_bases: dict[str, str] = {}
    for base in reversed(cls.__mro__[1:]):
        if "_declared" in vars(base):
            defaults = {name: declared.default for name, declared in vars(base)["_declared"].items()}
            same = {name for name in defaults if defaults[name] == parameters[name].default}
            entries = entries_of(base.__doc__, "Parameters")
            told |= {name: entry for name, entry in entries.items() if name in same}
            of_bases |= entries_of(base.__doc__, "Attributes")
    told |= {name: _entry_of(name, own[name], own[name].meaning) for name in own if own[name].meaning}
    known = {name: one for name, one in SHARED_ATTRIBUTES.items() if name in schema} | of_bases | attributes
    described = entries_of(text, "Attributes")
    declared_first = (name for name in cls.__annotations__ if name in attributes or name in described)
    rest = (name for name in known if name not in SHARED_ATTRIBUTES)
    text = with_entries(text, "Parameters", parameters, told)
    return with_entries(text, "Attributes", [*declared_first, *described, *rest, *SHARED_ATTRIBUTES], known)


def _entry_of(name: str, declared: _Parameter, meaning: str) -> str:
    return entry(name, declared.annotation, declared.rule, meaning, declared.default)


def _written_init(cls: type, parameters: Mapping[str, _Parameter]) -> AnyFunction:
    """Return the `__init__` of a class as it would be written by hand: with the same errors and hints."""
    places = {name: declared for name, declared in parameters.items() if not declared.is_keyword}
    keywords = {name: declared for name, declared in parameters.items() if declared.is_keyword}
    heads = ["self", *(f"{name}=..." for name in places), *["*"][: len(keywords)]]
    lines = [f"def __init__({', '.join([*heads, *(f'{name}=...' for name in keywords)])}):", "    pass"]
    lines += [f"    self.{name} = {name}" for name in parameters]
    written: dict[str, AnyFunction] = {}
    exec("\n".join(lines), vars(sys.modules[cls.__module__]), written)
    init = written["__init__"]
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    init.__defaults__ = tuple(declared.default for declared in places.values())
    init.__kwdefaults__ = {name: declared.default for name, declared in keywords.items()}
    hints = {name: declared.annotation for name, declared in (places | keywords).items()}
    init.__annotations__ = hints | {"return": "None"}
    return init


def held(rule: Field | Constraint, meaning: str = "", **options: Any) -> Any:
    """Declare a field of a saved value: what files hold of it; options are those of `dataclasses.field`."""
    return field(metadata={_RULE: rule, _MEANING: meaning}, **options)


@dataclass_transform(frozen_default=True, field_specifiers=(held, field))
def saved(*, eq: bool = True, repr: bool = True) -> Callable[[_Class], _Class]:
    """Make a frozen dataclass that can be saved; fields without a rule are not."""

    def decorate(cls: _Class) -> _Class:
        kind: Any = dataclass(frozen=True, eq=eq, repr=repr)(cls)
        held_fields = {each.name: each for each in fields(kind) if _RULE in each.metadata}
        kind._schema = {name: each.metadata[_RULE] for name, each in held_fields.items()}
        told = {
            name: entry(name, str(each.type), each.metadata[_RULE], each.metadata[_MEANING], each.default)
            for name, each in held_fields.items()
            if each.metadata[_MEANING]
        }
        if told and kind.__doc__:
            kind.__doc__ = with_entries(
                kind.__doc__, "Parameters", [each.name for each in fields(kind)], told
            )
        return cls

    return decorate
