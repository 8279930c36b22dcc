"""The front door: light to import, names found lazily, configuration shown."""

import subprocess
import sys
import time

import pytest

import coterie
from coterie._support.config import configuration
from coterie._support.optional import require
from coterie.errors import MissingDependency


def run(code):
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.strip()


def test_import_stays_light():
    """Law: `import coterie` loads neither scikit-learn, NumPy, nor any optional package."""
    heavy = {"sklearn", "numpy", "scipy", "polars", "typer", "rich", "pandas", "matplotlib", "safetensors"}
    loaded = run("import coterie, sys; print(*{name.partition('.')[0] for name in sys.modules})").split()
    assert heavy.isdisjoint(loaded)


def test_public_names_resolve():
    """Law: everything that `dir` lists can be had."""
    for name in dir(coterie):
        assert getattr(coterie, name) is not None


def test_unknown_name_offers_the_nearest():
    """Law: a slip in a name is answered with the name that was meant."""
    with pytest.raises(AttributeError, match=r"no attribute 'show_confg'. Did you mean \"show_config\"\?"):
        _ = coterie.show_confg


def test_show_config_prints_versions_instruction_set_and_threads(capsys):
    """Law: a report of a problem can be made from what `show_config` prints."""
    coterie.show_config()
    printed = capsys.readouterr().out
    assert coterie.__version__ in printed
    for fact in ("instruction set", "threads", "numpy", "scikit-learn", "python"):
        assert fact in printed
    assert configuration()["packages"]["numpy"] in printed


def test_missing_package_names_the_extra():
    """Law: an absent optional package is answered with what to install."""
    with pytest.raises(
        MissingDependency, match=r'Drawing needs the package nonesuch.*install "coterie\[plot\]"'
    ):
        require("nonesuch.pyplot", extra="plot", purpose="Drawing")


def test_broken_package_keeps_its_own_message(tmp_path, monkeypatch):
    """Law: when a package is there but its own import fails, its own message is shown."""
    (tmp_path / "halfthere.py").write_text("import surely_not_installed\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="surely_not_installed") as caught:
        require("halfthere", extra="plot", purpose="Drawing")
    assert not isinstance(caught.value, MissingDependency)


def test_import_is_faster_than_scikit_learn():
    """Law: `import coterie` stays well under the time of `import sklearn`."""

    def seconds(module):
        began = time.perf_counter()
        run(f"import {module}")
        return time.perf_counter() - began

    assert min(seconds("coterie") for _ in range(3)) < min(seconds("sklearn") for _ in range(2))
