"""The table of contents of the command line, and what happens when something goes wrong."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress
from typing import Annotated

import typer

from coterie._printing import LONGEST_MESSAGE, shortened
from coterie.cli import completion
from coterie.cli.commands.compare import EXAMPLES as COMPARE_EXAMPLES
from coterie.cli.commands.compare import compare
from coterie.cli.commands.config import config
from coterie.cli.commands.criteria import criteria
from coterie.cli.commands.demo import demo
from coterie.cli.commands.distances import distances
from coterie.cli.commands.evaluate import EXAMPLES as EVALUATE_EXAMPLES
from coterie.cli.commands.evaluate import evaluate
from coterie.cli.commands.fit import EXAMPLES as FIT_EXAMPLES
from coterie.cli.commands.fit import fit
from coterie.cli.commands.measures import measures
from coterie.cli.commands.methods import methods
from coterie.cli.commands.plot import EXAMPLES as PLOT_EXAMPLES
from coterie.cli.commands.plot import plot, plots
from coterie.cli.commands.predict import EXAMPLES as PREDICT_EXAMPLES
from coterie.cli.commands.predict import predict
from coterie.cli.commands.select import EXAMPLES as SELECT_EXAMPLES
from coterie.cli.commands.select import select
from coterie.cli.commands.tree import EXAMPLES as TREE_EXAMPLES
from coterie.cli.commands.tree import tree
from coterie.cli.options import option
from coterie.cli.render.terminal import OutputProblem, give_up_output, safe_outputs
from coterie.cli.usage import explain_usage
from coterie.errors import CoterieError, MissingDependency

BAD_INPUT, FAILED, INTERRUPTED = 2, 1, 130
COMPLETION = "Print the script for tab completion: bash, zsh or fish [this shell]"
SHELLS = completion.offers(completion.words(*completion.SHELLS))

EXAMPLES = """
Examples:

\b
  coterie demo                                  a first look, nothing needed
  coterie fit customers.csv                     how many groups, and how sure
  coterie select customers.csv                  why so many
  coterie fit customers.csv -k 5 -o groups.csv  five groups, to a file

After any command, --debug shows the traceback of an error.
"""

app = typer.Typer(
    name="coterie",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=EXAMPLES,
)
app.command(epilog=FIT_EXAMPLES)(fit)
app.command(epilog=SELECT_EXAMPLES)(select)
app.command(epilog=COMPARE_EXAMPLES)(compare)
app.command(epilog=PREDICT_EXAMPLES)(predict)
app.command(epilog=EVALUATE_EXAMPLES)(evaluate)
app.command(epilog=TREE_EXAMPLES)(tree)
app.command(epilog=PLOT_EXAMPLES)(plot)
app.command()(demo)
app.command()(methods)
app.command()(distances)
app.command()(measures)
app.command()(criteria)
app.command()(plots)
app.command()(config)


@app.callback(invoke_without_command=True)
def coterie(
    context: typer.Context,
    show_version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False,
    show_completion: Annotated[
        str | None,
        option(completion.SHOW, metavar="[SHELL]", help=COMPLETION, offered=SHELLS),
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
    arguments = [argument for argument in arguments if argument != "--debug"]
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
