"""Imports the libraries that src/coterie names: Python then compiles what is used of them, no more."""

import ast
import importlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path


def imported_modules(source: str) -> Iterator[str]:
    """Yield the modules that a file names in imports, those inside functions included."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            yield node.module


names = {name for path in Path("src").rglob("*.py") for name in imported_modules(path.read_text("utf-8"))}
for name in sorted(names):
    if name.split(".")[0] != "coterie":
        with suppress(Exception):  # not installed here, or broken: who needs it will hear of it
            importlib.import_module(name)
