"""The parts of the campaign, by name."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

# name -> the module with its `run`
PARTS = {
    "estimators": "tests.fuzz.part_estimators",
    "functions": "tests.fuzz.part_functions",
    "trees": "tests.fuzz.part_trees",
    "scale": "tests.fuzz.part_scale",
    "models": "tests.fuzz.part_models",
    "checkpoints": "tests.fuzz.part_checkpoints",
    "readers": "tests.fuzz.part_readers",
    "shell": "tests.fuzz.part_shell",
    "workbook": "tests.fuzz.part_workbook",
    "explorer": "tests.fuzz.part_explorer",
    "constrained": "tests.fuzz.part_constrained",
    "embeddings": "tests.fuzz.part_embeddings",
    "series": "tests.fuzz.part_series",
    "images": "tests.fuzz.part_images",
    "phylogeny": "tests.fuzz.part_phylogeny",
    "arrivals": "tests.fuzz.part_arrivals",
    "places": "tests.fuzz.part_places",
    "folders": "tests.fuzz.part_folders",
}


def load_part(name: str) -> Callable[[Any], None]:
    """Return the function that runs one case of a part; a module's name serves as well."""
    run: Callable[[Any], None] = import_module(PARTS.get(name, name)).run
    return run
