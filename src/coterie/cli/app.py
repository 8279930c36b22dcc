"""The table of contents of the command line, and what happens when something goes wrong."""

from __future__ import annotations

import os
import re
import shlex
import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Any

import typer

from coterie._printing import LONGEST_MESSAGE, shortened
from coterie.cli import completion
from coterie.cli.commands import (
    compare,
    evaluate,
    explore,
    fit,
    inspect,
    phylogeny,
    plot,
    predict,
    select,
    tree,
    update,
    watch,
)
from coterie.cli.commands.catalogues import config, criteria, distances, measures, methods
from coterie.cli.commands.demo import demo
from coterie.cli.commands.image import image
from coterie.cli.help import Command, CommandOfTopics, CommandParameter
from coterie.cli.options import option
from coterie.cli.render.terminal import OutputProblem, give_up_output, safe_outputs
from coterie.errors import CoterieError, MissingDependency, did_you_mean

if TYPE_CHECKING:  # it loads NumPy, which help does without
    from coterie._support.typing import ValuesByName

PATTERN_HINT = "Quote a name with blanks, and a pattern of several files: 'data/*.parquet'."
BAD_INPUT, FAILED, INTERRUPTED = 2, 1, 130
COMPLETION = "Print the script for tab completion: bash, zsh or fish [this shell]"
SHELLS = completion.offers(completion.words(*completion.SHELLS))

EXAMPLES = """
Examples:

\b
  coterie demo                                  a first look, no data needed
  coterie inspect customers.csv                 what the columns hold
  coterie fit customers.csv                     the groups, tested
  coterie select customers.csv                  evidence for the number of groups
  coterie fit customers.csv -k 5 -o groups.csv  five groups, to a file

After any command, --debug shows the traceback of an error.
"""
# what other programs call it
OTHER_NAMES = {
    "cluster": "fit DATA",
    "help": "--help",
    "report": "fit DATA --report FILE.html",
    "run": "fit DATA",
    "version": "--version",
}
app = typer.Typer(
    name="coterie",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=EXAMPLES,
)
app.command(epilog=fit.EXAMPLES, cls=CommandOfTopics)(fit.fit)
for module in (inspect, select, compare, predict, update, watch, evaluate, tree, phylogeny, plot, explore):
    app.command(epilog=module.EXAMPLES)(getattr(module, module.__name__.rpartition(".")[2]))
app.add_typer(image)
for command in (demo, methods, distances, measures, criteria, plot.plots, config):
    app.command()(command)


def explain_usage(error: object, arguments: Sequence[str], commands: ValuesByName) -> str:
    """Return the sentence about an error of typer, or of click before it."""
    path, command, known = "coterie", None, commands
    for word in arguments:
        if word.startswith("-") or not known:
            continue
        if word not in known:
            return f'no such command "{word}".{_meant(word, known)} ({path} --help lists all)'
        path, command = f"{path} {word}", known[word]
        known = getattr(command, "commands", {})
    name = path.rpartition(" ")[2]
    return f"{_sentence(error, command, name, arguments)} ({path} --help)"


def _meant(word: str, known: ValuesByName) -> str:
    """Return what to type instead of a word that is not a command."""
    if "fit" in known and os.path.exists(word):
        return f" To find its groups: coterie fit {shlex.quote(word)}."
    if "fit" in known and word in OTHER_NAMES:
        return f" Use: coterie {OTHER_NAMES[word]}."
    return did_you_mean(word, known)


def _sentence(error: Any, command: Any, name: str, arguments: Sequence[str]) -> str:
    # the kind of an error is known by what it carries: its class differs between versions
    parameter: Any = getattr(error, "param", None)
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
        return f"{name} takes no further argument, got {extra[1]}. {PATTERN_HINT}"
    return str(error.format_message())


def _about_value(option: str, command: Command, arguments: Sequence[str]) -> str:
    """Return what is wrong with an option that has no value, or one too many."""
    parameter = next(each for each in command.params if option in (*each.opts, *each.secondary_opts))
    if parameter.is_flag:
        got = next((word.partition("=")[2] for word in arguments if word.startswith(f"{option}=")), "")
        return f"{option} takes no value, got {got!r}."
    return f"{option} needs a value: {option} {parameter.metavar} ({parameter.help.rstrip('.')})."


def options_of(command: Command) -> list[str]:
    """Return the names of the options of a command."""
    return [name for each in command.params for name in (*each.opts, *each.secondary_opts) if name[0] == "-"]


def _name(parameter: CommandParameter) -> str:
    """Return how a parameter is called on the command line: --seed, DATA."""
    long = [name for name in parameter.opts if name.startswith("--")]
    if long or parameter.opts[0].startswith("-"):
        return str((long or parameter.opts)[0])
    return str(parameter.metavar or parameter.name)


@app.callback(invoke_without_command=True)
def coterie(
    context: typer.Context,
    show_version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False,
    show_completion: Annotated[
        str | None, option(completion.SHOW, metavar="[SHELL]", help=COMPLETION, offered=SHELLS)
    ] = None,
    install_completion: Annotated[
        str | None,
        option(completion.INSTALL, metavar="[SHELL]", help="Write it where the shell looks.", offered=SHELLS),
    ] = None,
) -> None:
    """Cluster data: pick the method and the number of groups, test the result, report it."""
    if show_version:
        from coterie._support.config import version

        print(f"coterie {version()}")
    elif show_completion is not None:
        completion.show(show_completion)
    elif install_completion is not None:
        completion.install(install_completion)
    elif context.invoked_subcommand is None:
        print(context.get_help())


def run(arguments: list[str]) -> int:
    """Run one command and return its exit code: 0, 2 for bad input, 1 for a failed run."""
    is_debugging = "--debug" in arguments
    # without a command: the help, by the option that needs no parsing of values (half the time to start)
    arguments = [argument for argument in arguments if argument != "--debug"] or ["--help"]
    with safe_outputs():
        try:
            code = app(completion.prepare(arguments), prog_name="coterie", standalone_mode=False)
            sys.stdout.flush()
            return code if isinstance(code, int) else 0
        except BrokenPipeError:
            give_up_output()
            return FAILED
        except (KeyboardInterrupt, typer.Abort):
            return INTERRUPTED
        except Exception as error:
            return _report(error, arguments, is_debugging=is_debugging)


def _report(error: Exception, arguments: Sequence[str], *, is_debugging: bool) -> int:
    """Print one line about an error and return the exit code."""
    if isinstance(error, OutputProblem):
        give_up_output()
    text, code = explain(error, arguments)
    if any("://" in word for word in arguments):
        from coterie.data import hide_passwords

        text = hide_passwords(text, arguments)
    with suppress(OSError):  # where nobody can read it, the code still says that it failed
        if is_debugging:
            traceback.print_exception(error)
        print(f"coterie: {text}", file=sys.stderr, flush=True)
    return code


def explain(error: Exception, arguments: Sequence[str] = ()) -> tuple[str, int]:
    """Return one line about an error, and the exit code it asks for; `arguments` are what was typed."""
    if isinstance(error, CoterieError):
        code = FAILED if isinstance(error, MissingDependency | OutputProblem) else BAD_INPUT
        return _one_line(error.shell_text or str(error)), code
    if hasattr(error, "format_message"):  # how typer, and click before it, report a wrong command line
        commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]  # it is a group
        return _one_line(explain_usage(error, arguments, commands)), BAD_INPUT
    if isinstance(error, ImportError) and str(error).startswith("COTERIE_INSTRUCTION_SET"):
        return _one_line(str(error)), BAD_INPUT  # the engine cannot be imported with that
    if isinstance(error, MemoryError):
        return "out of memory. Use fewer rows or columns.", FAILED
    return _one_line(f"failed: {type(error).__name__}: {error} (--debug shows where)"), FAILED


def _one_line(text: str) -> str:
    return shortened(" ".join(text.split()), LONGEST_MESSAGE)
