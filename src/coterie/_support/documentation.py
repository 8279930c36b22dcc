"""Docstrings with entries that many share: each is written once and put where a signature asks for it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from inspect import cleandoc

_SECTION = re.compile(r"\n\n(?=[A-Z]\w+\n---)")
_ENTRY = re.compile(r"\n(?=\S)")


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
