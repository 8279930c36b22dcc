"""What is wrong with a command line: what, allowed, got, and how to fix it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from coterie.errors import did_you_mean

PATTERN_HINT = "Quote a name with blanks, and a pattern of several files: 'data/*.parquet'."


def explain_usage(error: Any, arguments: Sequence[str], commands: dict[str, Any]) -> str:
    """Return the sentence about an error of typer, or of click before it.

    Parameters
    ----------
    error : exception
        What the parser raised; its kind is known by what it carries, as its class differs between versions.
    arguments : sequence of str
        What was typed.
    commands : dict
        The commands by name.
    """
    name = next((word for word in arguments if not word.startswith("-")), None)
    if name is not None and name not in commands:
        return f'no such command "{name}".{did_you_mean(name, commands)} (coterie --help lists all)'
    command = commands.get(name or "")
    path = "coterie" if name is None else f"coterie {name}"
    return f"{_sentence(error, command, name or 'coterie', arguments)} ({path} --help)"


def _sentence(error: Any, command: Any, name: str, arguments: Sequence[str]) -> str:
    parameter = getattr(error, "param", None)
    if hasattr(error, "possibilities"):
        known = [] if command is None else options_of(command)
        return f'no such option "{error.option_name}".{did_you_mean(error.option_name, known)}'
    if hasattr(error, "option_name") and command is not None:
        return _about_value(error.option_name, command, arguments)
    if hasattr(error, "param_type"):
        return f"{name} needs {_name(parameter)}: {getattr(parameter, 'help', None) or 'a value'}"
    if parameter is not None:
        return f"{_name(parameter)} {error.message}"
    extra = re.search(r"unexpected extra argument[^(]*\((?:s\) \()?(.*)\)$", error.format_message())
    if extra is not None:
        return f"{name} takes no further name, got {extra[1]}. {PATTERN_HINT}"
    return str(error.format_message())


def _about_value(option: str, command: Any, arguments: Sequence[str]) -> str:
    """Return what is wrong with an option that has no value, or one too many."""
    parameter = next(each for each in command.params if option in (*each.opts, *each.secondary_opts))
    if parameter.is_flag:
        got = next((word.partition("=")[2] for word in arguments if word.startswith(f"{option}=")), "")
        return f"{option} takes no value, got {got!r}."
    return f"{option} needs a value: {option} {parameter.metavar} ({parameter.help.rstrip('.')})."


def options_of(command: Any) -> list[str]:
    """Return the names of the options of a command."""
    return [name for each in command.params for name in (*each.opts, *each.secondary_opts) if name[0] == "-"]


def _name(parameter: Any) -> str:
    """Return how a parameter is called on the command line: --seed, DATA."""
    long = [name for name in parameter.opts if name.startswith("--")]
    if long or parameter.opts[0].startswith("-"):
        return str((long or parameter.opts)[0])
    return str(parameter.metavar or parameter.name)
