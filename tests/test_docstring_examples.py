"""Every example in a docstring runs and prints what it says."""

import doctest
import importlib
import pkgutil

import pytest

import coterie

MODULES = sorted(module.name for module in pkgutil.walk_packages(coterie.__path__, "coterie."))


@pytest.mark.parametrize("name", MODULES)
def test_examples_of(name):
    """Law: the examples of a module give exactly the output they show."""
    if name.endswith("__main__"):
        return
    failed, _ = doctest.testmod(importlib.import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert failed == 0
