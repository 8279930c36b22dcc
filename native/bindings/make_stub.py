"""Writes src/coterie/_core.pyi, the typed outline of the native module: `make stubs` after a change."""

from __future__ import annotations

import sys
from pathlib import Path

from nanobind.stubgen import StubGen

import coterie._core as core

STUB = Path(__file__).parents[2] / "src" / "coterie" / "_core.pyi"
# versions for float32 and float64 overlap in mypy's eyes; nanobind leaves the items of some tuples open
HEADER = "# Made by native/bindings/make_stub.py from the native module; not edited by hand.\n"
HEADER += '# mypy: disable-error-code="overload-overlap, type-arg"\n\n'


def stub() -> str:
    """Return the stub of the installed native module."""
    generator = StubGen(core)
    generator.put(core)
    return HEADER + generator.get()


if __name__ == "__main__":
    if "--check" in sys.argv:
        sys.exit(0 if STUB.read_text() == stub() else f"{STUB.name} is out of date: run `make stubs`.")
    STUB.write_text(stub())
