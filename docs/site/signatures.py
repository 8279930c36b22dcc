"""Signatures and docstrings for the reference, which is made from sources: decorators write some of both."""

from __future__ import annotations

import inspect
from functools import reduce
from importlib import import_module
from typing import Any

import griffe

DECORATORS = ("estimator", "saved")


class Signatures(griffe.Extension):
    """Gives classes of `coterie._support.declarations`, and measures, what their decorators write."""

    def on_class(self, *, cls: griffe.Class, **_: Any) -> None:
        """Add it to a class as it is read, with the defaults as they are written in the class or a base."""
        if not any(str(decorator.value).partition("(")[0] in DECORATORS for decorator in cls.decorators):
            return
        kind = getattr(import_module(cls.module.path), cls.name)
        _write_docstring(cls, kind)
        init = griffe.Function("__init__", parent=cls, lineno=cls.lineno, endlineno=cls.lineno)
        init.parameters = griffe.Parameters(griffe.Parameter("self"))
        for name, found in list(inspect.signature(kind.__init__).parameters.items())[1:]:
            value = cls.members[name].value if name in cls.members else repr(found.default)
            if isinstance(value, griffe.ExprCall):
                named = {getattr(part, "name", ""): part for part in value.arguments}
                value = named["default"].value if "default" in named else "..."
            what = griffe.ParameterKind[found.kind.name.lower()]
            default = None if found.default is inspect.Parameter.empty else str(value)
            init.parameters.add(
                griffe.Parameter(name, annotation=found.annotation, kind=what, default=default)
            )
        cls.set_member("__init__", init)

    def on_function(self, *, func: griffe.Function, **_: Any) -> None:
        """Give a measure, a method that fits, and what is like them, the entries that they share."""
        endings = ("measure", "shares_parameters", "fitting")
        if any(str(decorator.value).partition("(")[0].endswith(endings) for decorator in func.decorators):
            names = func.path.removeprefix(f"{func.module.path}.").split(".")
            _write_docstring(func, reduce(getattr, names, import_module(func.module.path)))


def _write_docstring(read: griffe.Object, found: object) -> None:
    if read.docstring is not None:
        read.docstring.value = inspect.getdoc(found) or ""
