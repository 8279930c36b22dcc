"""Prints what extras of pyproject.toml ask for, the project left out: ``requirements.py cli report``."""

import re
import sys
import tomllib
from collections.abc import Iterator

with open("pyproject.toml", "rb") as file:
    PROJECT = tomllib.load(file)["project"]


def requirements(extra: str) -> Iterator[str]:
    """Yield the requirements of an extra; those of the extras it names in their place."""
    for line in PROJECT["optional-dependencies"][extra]:
        named = re.fullmatch(rf"{PROJECT['name']}\[(.*)\]", line)
        if named is None:
            yield line.replace(" ", "")
        else:
            for other in named[1].split(","):
                yield from requirements(other.strip())


print(*PROJECT["dependencies"], *(line for extra in sys.argv[1:] for line in requirements(extra)))
