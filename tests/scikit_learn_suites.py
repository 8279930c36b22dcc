"""Scikit-learn's own test modules, loaded a second time so that they test ours.

While a module is loaded, ours stand in the modules that it imports from: also its parametrizations see ours,
and scikit-learn itself stays as it was.
"""

import importlib.util
import sys
from contextlib import ExitStack
from unittest import mock


def load_suite(package, name, ours, *, also=(), stubs=()):
    """Return a test module of a package of scikit-learn's that sees ours.

    Parameters
    ----------
    package : module
        Such as ``sklearn.cluster``.
    name : str
        Of the test module.
    ours : dict
        What takes the place of the package's names.
    also : sequence of (module, dict)
        The same for other modules, and for what is private.
    stubs : sequence of (str, object)
        What stands for whole modules that the tests import.
    """
    spec = importlib.util.find_spec(f"{package.__name__}.tests.{name}")
    module = importlib.util.module_from_spec(spec)
    with ExitStack() as patches:
        for where, names in [(package, ours), *also]:
            patches.enter_context(mock.patch.multiple(where, **names))
        patches.enter_context(mock.patch.dict(sys.modules, dict(stubs)))
        spec.loader.exec_module(module)
    for known, value in ours.items():
        assert getattr(module, known, None) is value, f"{known} of {name} is not ours"
        assert getattr(package, known) is not value
    return module


def borrowed(*modules, left_out=()):
    """Return the tests of modules by name, but for those left out: names with reasons, all of which exist."""
    found = {
        name: test for module in modules for name, test in vars(module).items() if name.startswith("test_")
    }
    assert set(left_out) <= set(found), "a test that is left out is no longer there"
    return {name: test for name, test in found.items() if name not in left_out}


def named(room, *names):
    """Return what a room of ours offers under some names."""
    return {name: getattr(room, name) for name in names}
