"""The signatures of estimators for the reference: it is made from sources, where no `__init__` is written."""

from __future__ import annotations

import inspect
from importlib import import_module
from typing import Any

import griffe


class Signatures(griffe.Extension):
    """Gives every estimator the `__init__` that its decorator makes."""

    def on_class(self, *, cls: griffe.Class, **_: Any) -> None:
        """Add it to a class as it is read, with the defaults as they are written in the class or a base."""
        if not any(str(decorator.value) == "estimator" for decorator in cls.decorators):
            return
        kind = getattr(import_module(cls.module.path), cls.name)
        init = griffe.Function("__init__", parent=cls, lineno=cls.lineno, endlineno=cls.lineno)
        init.parameters = griffe.Parameters(griffe.Parameter("self"))
        for name, parameter in list(inspect.signature(kind.__init__).parameters.items())[1:]:
            value = cls.members[name].value if name in cls.members else repr(parameter.default)
            if isinstance(value, griffe.ExprCall):
                value = next(part.value for part in value.arguments if getattr(part, "name", "") == "default")
            what = griffe.ParameterKind[parameter.kind.name.lower()]
            init.parameters.add(
                griffe.Parameter(name, annotation=parameter.annotation, kind=what, default=str(value))
            )
        cls.set_member("__init__", init)
