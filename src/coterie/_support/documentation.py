"""Docstrings with entries that are written once: shared by many, or made from what a class declares."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import MISSING
from inspect import cleandoc

from coterie._support.validation.parameters import AnyOf, Choice, Constraint, Nothing
from coterie._support.validation.schema import KINDS, Field, Maybe, Sometimes, Tensor

_SECTION = re.compile(r"\n\n(?=[A-Z]\w+\n---)")
_ENTRY = re.compile(r"\n(?=\S)")
_MANY = re.compile(r"\b(tuple|list)\[(\w+)(, \.\.\.)?\]")
_DIMENSION = re.compile(r"([a-z ]+)(?:([+-])(\d+))?")
_SIZES = {"rows": "n_samples", "columns": "n_features"}  # others are called after what they count
_OF = {KINDS["i"]: " of int", KINDS["i8"]: " of int", KINDS["i4"]: " of int32"}
_TYPES = {  # aliases, as docstrings call them
    "ProgressOption": "None, bool or callable",
    "RandomState": "int, RandomState, Generator or None",
    "MetricLike": "str, callable or Distance",
    "Settings": "dict",
    "ValuesByName": "dict",
    "Model": "estimator",
}


def entries_of(text: str | None, section: str) -> dict[str, str]:
    """Return the entries of a section of a docstring by name; one of several names is there under each.

    Examples
    --------
    >>> text = with_entries("A range.", "Parameters", ["low"], {"low": "low, high : float"})
    >>> entries_of(text, "Parameters")
    {'low': 'low, high : float', 'high': 'low, high : float'}
    """
    found = {}
    for part in _SECTION.split(cleandoc(text or "")):
        if part.startswith(f"{section}\n--"):
            for entry in _ENTRY.split(part.rstrip())[2:]:
                names = entry.partition("\n")[0].partition(" : ")[0]
                found.update(dict.fromkeys((name.strip("* ") for name in names.split(",")), entry))
    return found


def with_entries(text: str, section: str, names: Iterable[str], known: Mapping[str, str]) -> str:
    """Return a docstring whose section describes each of the names that it, or `known`, describes.

    Entries come in the order of the names; those of the docstring that are not among them follow.

    Examples
    --------
    >>> with_entries("A ball.", "Parameters", ["radius"], {"radius": "radius : float"}).splitlines()
    ['A ball.', '', 'Parameters', '----------', 'radius : float']
    """
    own = entries_of(text, section)
    listed = dict.fromkeys(filter(None, (own.get(name) or known.get(name) for name in names)))
    entries = [*(listed | dict.fromkeys(own.values()))]
    if not entries:
        return text
    before, *parts = _SECTION.split(cleandoc(text))
    body = "\n".join([section, "-" * len(section), *entries])
    at = next((at for at, part in enumerate(parts) if part.startswith(f"{section}\n--")), None)
    if at is None:
        at = 1 if section == "Attributes" and parts and parts[0].startswith("Parameters") else 0
        parts.insert(at, body)
    else:
        parts[at] = body
    return "\n\n".join([before, *parts])


def entry(
    name: str, annotation: str, rule: Field | Constraint | None, meaning: str, default: object = MISSING
) -> str:
    """Return the entry of something declared: its name, what it may be, its default and its meaning.

    Examples
    --------
    >>> print(entry("heights", "FloatArray | None", Maybe(Tensor("rows-1")), "Of the merges.", None))
    heights : array of shape (n_samples - 1,) or None, default=None
        Of the merges.
    """
    told = "" if default is MISSING else f", default={default!r}".replace("'", '"')
    return f"{name} : {_type_words(annotation, rule)}{told}\n    {meaning}"


def _type_words(annotation: str, rule: Field | Constraint | None) -> str:
    """Return what a docstring calls a type: names and shapes by the rule, else the annotation in words."""
    if isinstance(rule, Maybe):
        ending = "" if isinstance(rule, Sometimes) else " or None"
        return _type_words(annotation.removesuffix(" | None"), rule.field) + ending
    options = rule.options if isinstance(rule, AnyOf) else (rule,)
    if all((isinstance(one, Choice) and one.is_short) or isinstance(one, Nothing) for one in options):
        names = [one.names() if isinstance(one, Choice) else (None,) for one in options]
        told = ("None" if name is None else f'"{name}"' for part in names for name in part)
        return f"{{{', '.join(told)}}}"
    if isinstance(rule, Tensor):
        sizes = [_size_words(one) for one in rule.shape]
        shape = f" of shape ({', '.join(sizes)}{',' * (len(sizes) == 1)})" if all(sizes) else ""
        return f"array{_OF.get(rule.kinds, '' if shape else ' of float')}{shape}"
    words = _MANY.sub(lambda found: f"{found[1]} of {found[2]}", annotation)
    return " or ".join(_TYPES.get(one, one) for one in words.partition("[")[0].split(" | "))


def _size_words(dimension: str | int | None) -> str:
    """Return what a docstring calls the size of a dimension; nothing for any size."""
    found = _DIMENSION.fullmatch(dimension) if isinstance(dimension, str) else None
    if found is None:
        return "" if dimension is None else str(dimension)
    name = _SIZES.get(found[1], f"n_{found[1].replace(' ', '_')}")
    return f"{name} {found[2]} {found[3]}" if found[2] else name
