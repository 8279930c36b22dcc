"""The catalogue of methods as a form: parameters with what they may be, from what the estimators declare."""

from __future__ import annotations

import inspect
import re
from functools import cache

from coterie._support.typing import JsonObject
from coterie._support.validation.parameters import AnyOf, Choice, Constraint, Flag, Nothing, Number, Whole
from coterie.cluster import methods
from coterie.cluster.catalogue import Method
from coterie.data import SCALINGS
from coterie.distance import distances
from coterie.pipeline.recipe import takes_distance, takes_k
from coterie.pipeline.request import BUDGETS
from coterie.workbook.operations import NOT_SET

SAID_OTHERWISE = (
    "n_clusters", "n_components", "metric", "geometry", "n_init", "improve", "history", "missing",
    "sample_weight", "warm_start", "compute_full_tree", "compute_distances", "categories", "connectivity",
)  # fmt: skip  # that have a field of their own, or no place in a form
_PARAMETER = re.compile(r"^(\w+) : ", re.MULTILINE)


@cache
def methods_form() -> list[JsonObject]:
    """Return every method with its parameters; "auto" first.

    Examples
    --------
    >>> [one["name"] for one in methods_form()][:2]
    ['auto', 'kmeans']
    """
    first = {
        "name": "auto",
        "title": "Automatic",
        "text": "Compares methods and numbers of groups, and says whether there are groups at all.",
        "parameters": [_k(is_needed=False), _budget(), _scale(), *_distance(None)],
    }
    return [first, *(_form(method) for method in methods())]


def _form(method: Method) -> JsonObject:
    kind = method.load()
    parameters = inspect.signature(kind).parameters
    usual = dict(method.settings)
    texts = _texts(kind)
    found = [_k(is_needed=method.needs_k)] if takes_k(method.name) else []
    found += [_scale(), *_distance(method.name)]
    if "n_init" in parameters:
        found.append(
            {
                "name": "n_init",
                "kind": "integer",
                "choices": None,
                "least": 1,
                "greatest": 10_000,
                "default": None,
                "text": "Starts; the best one is taken. Empty: 10.",
                "in_set": False,
            }
        )
    for name, constraint in getattr(kind, "_constraints", {}).items():
        if name in SAID_OTHERWISE or name in NOT_SET or name not in parameters:
            continue
        default = usual.get(name, parameters[name].default)
        field = _field(constraint)
        if field is not None and isinstance(default, str | int | float | bool | None):
            found.append(
                {"name": name, **field, "default": default, "text": texts.get(name, ""), "in_set": True}
            )
    return {
        "name": method.name,
        "title": method.title,
        "text": method.summary,
        "needs_k": method.needs_k,
        "parameters": found,
    }


def _k(*, is_needed: bool) -> JsonObject:
    text = "Number of groups." if is_needed else "Leave it empty to have it chosen."
    return {
        "name": "k", "kind": "integer", "choices": None, "least": 1, "greatest": None, "default": None,
        "text": text, "in_set": False,
    }  # fmt: skip


def _budget() -> JsonObject:
    return {
        "name": "budget", "kind": "choice", "choices": list(BUDGETS), "least": None, "greatest": None,
        "default": "normal", "text": "How long it may take.", "in_set": False,
    }  # fmt: skip


def _scale() -> JsonObject:
    return {
        "name": "scale", "kind": "choice", "choices": ["auto", *SCALINGS], "least": None, "greatest": None,
        "default": "auto", "text": "How columns are scaled first.", "in_set": False,
    }  # fmt: skip


def _distance(method: str | None) -> list[JsonObject]:
    names = [one.name for one in distances()]
    if method is not None:
        names = [name for name in names if takes_distance(method, name)]
    if len(names) < 2:
        return []
    return [
        {
            "name": "distance",
            "kind": "choice",
            "choices": ["auto", *names],
            "least": None,
            "greatest": None,
            "default": "auto",
            "text": "How unlike two rows are; auto is Euclidean.",
            "in_set": False,
        }
    ]


def _field(constraint: Constraint) -> JsonObject | None:
    """Return what a form needs to know; None: a form cannot ask for it."""
    options = list(constraint.options) if isinstance(constraint, AnyOf) else [constraint]
    names = [name for one in options if isinstance(one, Choice) for name in one.names()]
    number = next((one for one in options if isinstance(one, Whole | Number)), None)
    may_be_empty = any(isinstance(one, Nothing) for one in options)
    shared: JsonObject = {
        "choices": names or None,
        "least": None,
        "greatest": None,
        "optional": may_be_empty,
    }
    if number is not None:
        kind = "integer" if isinstance(number, Whole) else "number"
        kind = "text" if names else kind  # a number, or a word such as "auto"
        return {**shared, "kind": kind, "least": number.least, "greatest": number.greatest}
    if names:
        return {**shared, "kind": "choice"}
    return {**shared, "kind": "boolean"} if any(isinstance(one, Flag) for one in options) else None


def _texts(kind: type) -> dict[str, str]:
    """Return what the docstring says about each parameter: its first sentence."""
    text = inspect.getdoc(kind) or ""
    section = text.partition("Parameters\n----------\n")[2].partition("\n\n")[0]
    parts = _PARAMETER.split(section)
    found = {}
    for name, about in zip(parts[1::2], parts[2::2], strict=False):
        lines = [line.strip() for line in about.splitlines()[1:]]
        sentence = " ".join(lines).split(". ")[0].rstrip(".").replace("`", "")
        found[name] = f"{sentence}." if sentence else ""
    return found
