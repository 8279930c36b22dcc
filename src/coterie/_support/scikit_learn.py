"""Scikit-learn, loaded when it is first needed: it takes longer to import than NumPy, SciPy and all of ours.

Functions, warnings and errors are attributes of this module, found when they are asked for
(``scikit_learn.check_is_fitted(self)``). Base classes cannot wait like that: a class statement needs them at
once. So the classes below stand in for scikit-learn's, and inherit from them before the first estimator is
made, or at once where somebody else has loaded scikit-learn. Every estimator that exists is therefore an
instance of ``sklearn.base.BaseEstimator``, with all that follows from it; only a class of which there is no
instance yet, imported before scikit-learn, does not know its ancestors.
"""

from __future__ import annotations

import sys
from functools import cache, wraps
from importlib import import_module
from threading import RLock
from typing import TYPE_CHECKING, Any, Self

from coterie._support.caller import warn_caller
from coterie._support.lazy import lazy_names, postponed_in
from coterie._support.typing import AnyFunction, Tags, ValuesByName

MYPY = False  # True to mypy, which knows no types of scikit-learn and would let its descendants take anything
if TYPE_CHECKING:
    from sklearn.base import clone
    from sklearn.exceptions import ConvergenceWarning, DataConversionWarning, NotFittedError
    from sklearn.utils import check_random_state, get_tags
    from sklearn.utils.validation import check_is_fitted, check_memory, has_fit_parameter

__all__ = [
    "BaseEstimator",
    "BiclusterMixin",
    "CallbackSupportMixin",
    "ClassNamePrefixFeaturesOutMixin",
    "ClusterMixin",
    "ConvergenceWarning",
    "DataConversionWarning",
    "NotFittedError",
    "OneToOneFeatureMixin",
    "TransformerMixin",
    "check_is_fitted",
    "check_memory",
    "check_random_state",
    "clone",
    "get_tags",
    "has_fit_parameter",
    "warn_not_converged",
    "with_callbacks",
]

# Classes that were defined before their ancestors were there, with the keywords of their class statements.
_waiting: list[tuple[type, ValuesByName]] = []
_have_ancestors = False  # the stand-ins
_is_done = False
_lock = RLock()


class _Deferred:
    """What every stand-in inherits from: no estimator is made before its classes have their ancestors."""

    def __init_subclass__(cls, **named: object) -> None:
        if _have_ancestors:
            super().__init_subclass__(**named)
        else:
            _waiting.append((cls, named))

    if not MYPY:  # it would ask here what a class may be given, instead of `__init__`

        def __new__(cls, *args: object, **named: object) -> Self:
            inherit()
            return super().__new__(cls)


if TYPE_CHECKING and not MYPY:  # to other type checkers the stand-ins are the classes themselves
    from sklearn.base import (
        BaseEstimator,
        BiclusterMixin,
        ClassNamePrefixFeaturesOutMixin,
        ClusterMixin,
        OneToOneFeatureMixin,
        TransformerMixin,
    )
    from sklearn.callback import CallbackSupportMixin
else:

    class BaseEstimator(_Deferred):
        """Stands in for ``sklearn.base.BaseEstimator``."""

        if MYPY:

            @classmethod
            def _get_param_names(cls) -> list[str]: ...
            def get_params(self, deep: bool = True) -> ValuesByName: ...
            def __sklearn_tags__(self) -> Tags: ...
            def __getattr__(self, name: str) -> Any: ...

    class BiclusterMixin(_Deferred):
        """Stands in for ``sklearn.base.BiclusterMixin``."""

    class ClusterMixin(_Deferred):
        """Stands in for ``sklearn.base.ClusterMixin``."""

    class TransformerMixin(_Deferred):
        """Stands in for ``sklearn.base.TransformerMixin``."""

    class ClassNamePrefixFeaturesOutMixin(_Deferred):
        """Stands in for ``sklearn.base.ClassNamePrefixFeaturesOutMixin``."""

    class OneToOneFeatureMixin(_Deferred):
        """Stands in for ``sklearn.base.OneToOneFeatureMixin``."""

    class CallbackSupportMixin(_Deferred):
        """Stands in for ``sklearn.callback.CallbackSupportMixin``, which scikit-learn has from 1.9 on."""


if not TYPE_CHECKING:
    _found = lazy_names(
        __name__,
        {
            "sklearn.base": ["clone"],
            "sklearn.exceptions": ["ConvergenceWarning", "DataConversionWarning", "NotFittedError"],
            "sklearn.utils": ["check_random_state", "get_tags"],
            "sklearn.utils.validation": ["check_is_fitted", "check_memory", "has_fit_parameter"],
        },
    )

    def __getattr__(name: str) -> Any:
        if name in __all__:
            load()
        return _found(name)


_STAND_INS = (
    BaseEstimator,
    BiclusterMixin,
    ClusterMixin,
    TransformerMixin,
    ClassNamePrefixFeaturesOutMixin,
    OneToOneFeatureMixin,
)


def inherit() -> None:
    """Let the stand-ins inherit from scikit-learn's classes; what Ctrl-C cuts short, the next call ends."""
    global _have_ancestors, _is_done
    if _is_done:
        return
    with _lock:
        if _is_done:
            return  # type: ignore[unreachable]  # another thread was faster
        ancestors = _ancestors()
        for stand_in, ancestor in ancestors.items():
            stand_in.__bases__ = (ancestor, _Deferred)
        _have_ancestors = True
        while _waiting:  # what scikit-learn does with each class as it is defined, if only now
            cls, named = _waiting[0]
            first: type = next((base for base in cls.__mro__ if base in ancestors), _Deferred)
            super(first, cls).__init_subclass__(**named)  # type: ignore[arg-type]  # `first` is a variable
            _waiting.pop(0)
        _is_done = True


def load() -> None:
    """Import scikit-learn; pandas and SciPy's statistics, which take most of its time, once it uses them."""
    if "sklearn.base" not in sys.modules:
        with postponed_in("sklearn.utils.fixes", "scipy.stats", "pandas"):
            import_module("sklearn.base")


def _ancestors() -> dict[type, type]:
    """Return scikit-learn's class for every stand-in that it has one for."""
    load()
    base, callbacks = import_module("sklearn.base"), _callbacks()
    found: dict[type, type] = {stand_in: getattr(base, stand_in.__name__) for stand_in in _STAND_INS}
    return found if callbacks is None else found | {CallbackSupportMixin: callbacks.CallbackSupportMixin}


@cache
def _callbacks() -> Any:
    """Return the module of callbacks, None where scikit-learn has none."""
    try:
        return import_module("sklearn.callback")
    except ImportError:  # before scikit-learn 1.9
        return None


def warn_not_converged(who: str, max_iter: int) -> None:
    """Warn that the iterations of an estimator were cut short."""
    message = f"{who} has not converged after {max_iter} iterations: raise max_iter or tol."
    warn_caller(message, import_module("sklearn.exceptions").ConvergenceWarning)


def with_callbacks(method: AnyFunction) -> AnyFunction:
    """Decorate a method as ``sklearn.callback.with_callbacks`` does, when it is first called."""

    @cache
    def decorated() -> AnyFunction:
        callbacks = _callbacks()
        found: AnyFunction = method if callbacks is None else callbacks.with_callbacks(method)
        return found

    @wraps(method)
    def called(*args: object, **named: object) -> Any:
        return decorated()(*args, **named)

    return called


if "sklearn" in sys.modules:
    inherit()
