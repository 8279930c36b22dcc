"""The operations of a workbook: what each may hold, checked before anything is done.

An operation is a JSON object: ``{"op": "merge", "groups": ["g2", "g5"]}``. It names groups by their ids, rows
by their numbers from 0, and nothing else: no code, no paths.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from coterie._printing import shortened
from coterie._support.typing import JsonObject, Settings
from coterie.errors import InvalidParameter, did_you_mean
from coterie.workbook import checks
from coterie.workbook.checks import Check

BUDGETS = ("fast", "normal", "thorough")
SCALES = ("auto", "standard", "minmax", "robust", "none")
MISSING = ("auto", "observed", "drop", "median", "refuse")
ROLES = ("auto", "use", "leave")
ROWS = ("rows", "ranges")  # of which an operation on rows has one
NOT_SET = (
    "memory", "n_jobs", "progress", "verbose", "random_state", "copy", "copy_x",
    "must_link", "cannot_link", "callback",
)  # fmt: skip  # parameters that name files or threads, or that other operations set

_NAME = checks.text(checks.LONGEST_NAME)
_WORD = checks.text(100)
_METHOD = {"method": checks.nothing_or(_WORD), "k": checks.nothing_or(checks.number_of_groups)}
_HOW: dict[str, Check] = {
    **_METHOD,
    "distance": _WORD,
    "set": checks.mapping_of(checks.setting, checks.MOST_SETTINGS),
    "seed": checks.whole(0),
    "n_init": checks.nothing_or(checks.whole(1, 10_000)),
    "improve": checks.nothing_or(_WORD),
    "budget": checks.choice(*BUDGETS),
}
_ROWS: dict[str, Check] = {"rows": checks.row_list, "ranges": checks.row_ranges}


@dataclass(frozen=True)
class Kind:
    """One kind of operation.

    Parameters
    ----------
    fields : mapping of str to function
        The check of each field.
    needed : tuple of str
        Fields that must be there.
    is_long : bool
        Whether it computes: its result is kept, and it may be stopped.
    """

    fields: Mapping[str, Check]
    needed: tuple[str, ...] = ()
    is_long: bool = False

    @property
    def has_rows(self) -> bool:
        """Whether it is about rows."""
        return "rows" in self.fields


KINDS: dict[str, Kind] = {
    "fit": Kind(
        {
            **_HOW,
            "scale": checks.choice(*SCALES),
            "missing": checks.choice(*MISSING),
            "columns": checks.names,
            "drop": checks.names,
            "keep": checks.names,
            "truth": checks.nothing_or(_NAME),
            "believe": checks.flag,
        },
        is_long=True,
    ),
    "given": Kind(
        {
            "labels": checks.label_text,
            "names": checks.names,
            "from": _NAME,
            "columns": checks.names,
            "scale": checks.choice(*SCALES),
            "missing": checks.choice(*MISSING),
            "method": _WORD,
        },
        ("labels",),
        is_long=True,
    ),
    "rename": Kind({"group": checks.group_id, "name": _NAME}, ("group", "name")),
    "note": Kind({"group": checks.group_id, "text": checks.text(checks.LONGEST_NOTE)}, ("group", "text")),
    "colour": Kind({"group": checks.group_id, "colour": checks.colour}, ("group", "colour")),
    "lock": Kind({"group": checks.group_id, "locked": checks.flag}, ("group", "locked")),
    "merge": Kind({"groups": checks.group_ids, "name": _NAME}, ("groups",)),
    "split": Kind({"group": checks.group_id, **_HOW}, ("group",), is_long=True),
    "move": Kind({**_ROWS, "group": checks.group_id}, ("group",)),
    "new": Kind({**_ROWS, "name": _NAME}),
    "noise": Kind(_ROWS),
    "together": Kind(_ROWS),
    "apart": Kind(_ROWS),
    "free": Kind(_ROWS),
    "sizes": Kind({"min": checks.nothing_or(checks.whole(1)), "max": checks.nothing_or(checks.whole(1))}),
    "cluster_rest": Kind(_HOW, is_long=True),
    "cluster_rows": Kind({**_ROWS, **_HOW}, is_long=True),
    "test": Kind({"budget": checks.choice(*BUDGETS), "seed": checks.whole(0)}, is_long=True),
    "roles": Kind(
        {
            "columns": checks.mapping_of(checks.choice(*ROLES)),
            "weights": checks.mapping_of(checks.weight),
            "missing": checks.choice(*MISSING),
            "scale": checks.choice(*SCALES),
        }
    ),
}
BESIDE = ("op", "at", "said")  # what an entry of a log may hold beside the fields of its kind


def check_operation(given: object) -> JsonObject:
    """Return an operation whose fields are all known and hold what they may; refuse any other.

    Examples
    --------
    >>> check_operation({"op": "merge", "groups": ["g2", "g5"]})
    {'op': 'merge', 'groups': ['g2', 'g5']}
    >>> check_operation({"op": "merge", "groups": ["g2"]})
    Traceback (most recent call last):
    ...
    coterie.errors.InvalidParameter: merge: groups must be a list of two or more ids of groups, got ['g2'].
    """
    if not isinstance(given, Mapping) or not isinstance(given.get("op"), str):
        raise InvalidParameter(f'an operation must be an object with "op", got {shortened(repr(given))}.')
    name = given["op"]
    if name not in KINDS:
        known = ", ".join(KINDS)
        raise InvalidParameter(
            f'no such operation "{shortened(name)}".{did_you_mean(name, KINDS)} (there are {known})'
        )
    kind = KINDS[name]
    found: JsonObject = {"op": name}
    for field, value in given.items():
        if field in BESIDE:
            continue
        if field not in kind.fields:
            near = did_you_mean(field, kind.fields)
            raise InvalidParameter(f'{name}: has no field "{shortened(field)}".{near}')
        found[field] = _checked(name, str(field), kind.fields[field], value)
    _check_whole(name, kind, found)
    return found


def _checked(name: str, field: str, check: Check, value: object) -> object:
    try:
        return check(value)
    except InvalidParameter as error:
        raise InvalidParameter(f"{name}: {field} {error}") from None


def _check_whole(name: str, kind: Kind, found: Settings) -> None:
    for field in kind.needed:
        if field not in found:
            raise InvalidParameter(f'{name}: needs the field "{field}".')
    if kind.has_rows and len([field for field in ROWS if field in found]) != 1:
        raise InvalidParameter(f'{name}: needs "rows" or "ranges", one of them.')
    forbidden = [one for one in found.get("set", ()) if one in NOT_SET]
    if forbidden:
        raise InvalidParameter(f'{name}: set may not hold "{forbidden[0]}".')
    least, most = found.get("min"), found.get("max")
    if least is not None and most is not None and least > most:
        raise InvalidParameter(f"{name}: min must be at most max, got {least} and {most}.")


def is_long(operation: Settings) -> bool:
    """Return whether an operation computes: a fit, a split, a test.

    Examples
    --------
    >>> is_long({"op": "fit"}), is_long({"op": "merge", "groups": ["g1", "g2"]})
    (True, False)
    """
    return KINDS[operation["op"]].is_long
