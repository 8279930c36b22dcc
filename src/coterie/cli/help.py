"""Help that fits on one screen: options of a topic are only named there; ``--help-all`` explains all."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Annotated, Any, Protocol, TypeAlias

import typer
from typer.core import TyperCommand

HELP_ALL = "--help-all"
MARGIN, LEAST_WIDTH = 4, 20  # beside names of options, in characters
SHOWS_ALL = "coterie.shows_all_options"  # in what a context keeps


# What is asked of click: its classes are typer's own or those that are installed.
class CommandParameter(Protocol):
    """An option or an argument."""

    name: str | None
    opts: list[str]
    secondary_opts: list[str]
    metavar: str | None
    help: str
    is_flag: bool

    def get_help_record(self, ctx: object) -> tuple[str, str] | None:
        """Return its names and what they mean."""


class Command(Protocol):
    """A command."""

    params: Sequence[CommandParameter]


class Formatter(Protocol):
    """What lays help out."""

    width: int
    current_indent: int

    def section(self, name: str) -> AbstractContextManager[None]:
        """Indent what is written within."""

    def write_dl(self, rows: Sequence[tuple[str, str]]) -> None:
        """Write names and what they mean."""


class CommandOfTopics(TyperCommand):
    """A command whose options may have a topic; ``--help`` only names those, a line per topic."""

    def format_options(self, ctx: Any, formatter: Formatter) -> None:
        """Write the arguments, the everyday options, then the topics."""
        known: Sequence[Any] = self.get_params(ctx)  # click's classes are typer's own or those installed
        shown = [each for each in known if not getattr(each, "hidden", False)]
        arguments = [each for each in shown if each.param_type_name == "argument"]
        topics: dict[str, list[CommandParameter]] = {"Options": []}
        for each in shown:
            if each.param_type_name == "option":
                topics.setdefault(getattr(each, "rich_help_panel", None) or "Options", []).append(each)
        _write(formatter, "Arguments", arguments, ctx)
        if ctx.meta.get(SHOWS_ALL):
            for topic, options in topics.items():
                _write(formatter, topic, options, ctx)
            return
        _write(formatter, "Options", topics.pop("Options"), ctx)
        if topics:
            with formatter.section(f"More options, explained by coterie {ctx.info_name} {HELP_ALL}"):
                width = formatter.width - formatter.current_indent - max(map(len, topics)) - MARGIN
                formatter.write_dl([(topic, _names(each, width)) for topic, each in topics.items()])


def _write(
    formatter: Formatter, heading: str, parameters: list[CommandParameter], ctx: typer.Context
) -> None:
    records = [record for each in parameters if (record := each.get_help_record(ctx)) is not None]
    if records:
        with formatter.section(heading):
            formatter.write_dl(records)


def _names(parameters: list[CommandParameter], width: int) -> str:
    """Return the names of options in lines that do not break within one; click leaves such lines alone."""
    text = " ".join(map(_name, parameters))
    lines = textwrap.wrap(text, max(width, LEAST_WIDTH), break_on_hyphens=False, break_long_words=False)
    return "\b\n" + "\n".join(lines) if len(lines) > 1 else text


def _name(parameter: CommandParameter) -> str:
    name: str = next(name for name in parameter.opts if name.startswith("--"))
    return name.replace("--", "--[no-]", 1) if parameter.secondary_opts else name


def _show_all(context: typer.Context, is_asked: bool) -> None:
    if is_asked:
        context.meta[SHOWS_ALL] = True
        print(context.get_help())
        raise typer.Exit


HelpAll: TypeAlias = Annotated[
    bool,
    typer.Option(
        HELP_ALL, help="Explain every option and exit.", show_default=False, is_eager=True, callback=_show_all
    ),
]
