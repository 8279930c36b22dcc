"""Tab completion: the scripts of three shells, and what they offer."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from shlex import quote
from types import ModuleType
from typing import TYPE_CHECKING

from coterie.errors import FileProblem, InvalidParameter, did_you_mean

if TYPE_CHECKING:  # it loads NumPy, which help does without
    from coterie._support.typing import AnyFunction

SHELLS = ("bash", "zsh", "fish")
ASKED_BY = "_COTERIE_COMPLETE"  # the variable by which a shell asks what to offer
DETECT = "detect"
SHOW, INSTALL = "--show-completion", "--install-completion"
TYPED = ("COMP_WORDS", "_TYPER_COMPLETE_ARGS")  # variables that hold the line: bash, other shells
HEAD_BYTES = 1 << 16  # of a table of text, that its columns are read from


def prepare(arguments: list[str]) -> list[str]:
    """Make ready for a shell that asks; return the arguments with a shell after options that need one."""
    asked = os.environ.get(ASKED_BY)
    if asked is not None:
        _typer().completion_init()
        os.environ[ASKED_BY] = _typers_order(asked)
    if arguments and arguments[-1] in (SHOW, INSTALL):
        return [*arguments, DETECT]
    return arguments


def _typers_order(asked: str) -> str:
    """Return "source_bash" for "bash_source" too: what typer asks for, and what click asks for.

    Examples
    --------
    >>> _typers_order("bash_source"), _typers_order("complete_zsh")
    ('source_bash', 'complete_zsh')
    """
    first, _, second = asked.partition("_")
    shell, what = (first, second) if second in ("source", "complete") else (second, first)
    return f"{what}_{_known_shell(shell)}"


def show(shell: str) -> None:
    """Print the script of a shell."""
    script = _typer().get_completion_script
    print(script(prog_name="coterie", complete_var=ASKED_BY, shell=_known_shell(shell)))


def install(shell: str) -> None:
    """Write the script of a shell where it looks for such scripts, and say where."""
    name = _known_shell(shell)
    try:
        _, path = _typer().install(shell=name, prog_name="coterie", complete_var=ASKED_BY)
    except OSError as error:
        raise FileProblem(
            f"{error.filename}: {error.strerror}. coterie {SHOW} {name} prints the script instead."
        ) from None
    print(f"{name} completion written to {path}. Open a new terminal to use it.")


def _typer() -> ModuleType:
    """Return what typer has for completion; imported here, since few commands need it."""
    return import_module("typer.completion")


def _known_shell(name: str) -> str:
    """Return the shell of that name, or the one that is running."""
    found = _running_shell() if name == DETECT else name
    if found in SHELLS:
        return str(found)
    got = "which shell this is could not be found out" if found is None else f'got "{found}"'
    near = did_you_mean(found, SHELLS) if found else ""
    raise InvalidParameter(
        f"completion is for {', '.join(SHELLS[:-1])} and {SHELLS[-1]}; {got}.{near} "
        f"Name one: coterie {SHOW} bash."
    )


def _running_shell() -> str | None:
    """Return the shell that runs this command, else the one people log in with."""
    shellingham: ModuleType = import_module("shellingham")  # typer needs it, so it is there
    try:
        return str(shellingham.detect_shell()[0])
    except (shellingham.ShellDetectionFailure, OSError):
        login = os.path.basename(os.environ.get("SHELL", ""))
        return login or None


def offers(names: Callable[[], Iterable[tuple[str, str]]], *, several: bool = False) -> AnyFunction:
    """Return a function for typer: names, with summaries, that begin as typed; of `several`, the last one."""

    def offered(incomplete: str) -> list[tuple[str, str]]:
        before, comma, word = incomplete.rpartition(",") if several else ("", "", incomplete)
        return [(f"{before}{comma}{name}", said) for name, said in names() if name.startswith(word)]

    return offered


def columns(incomplete: str) -> list[str]:
    """Return the columns of the tables that the line names; several are typed between commas."""
    before, comma, word = incomplete.rpartition(",")
    typed = next(filter(None, map(os.environ.get, TYPED)), "")  # typer gives no words while one is open
    files = [path for path in dict.fromkeys(typed.split()) if os.path.isfile(path)]
    names = dict.fromkeys(name for path in files for name in columns_of(path))
    taken = before.split(",")
    return [f"{before}{comma}{name}" for name in names if name.startswith(word) and name not in taken]


def columns_of(path: str) -> list[str]:
    """Return the columns of a table by its head alone: those with a name that needs no quotes."""
    from coterie.data.files.dialect import decode, detect
    from coterie.data.files.source import KINDS_BY_SUFFIX, Source

    names: Iterable[str] = ()
    kind = KINDS_BY_SUFFIX.get(Path(path).suffix.lower(), "text")
    with suppress(Exception):  # a shell that asks gets names or nothing
        if kind in ("parquet", "arrow"):
            polars = import_module("polars")
            names = list((polars.read_parquet_schema if kind == "parquet" else polars.read_ipc_schema)(path))
        elif kind == "text":
            with open(path, "rb") as file:
                head = file.read(HEAD_BYTES)
            whole_lines = head if len(head) < HEAD_BYTES else head[: head.rindex(b"\n") + 1]
            source = Source(path, whole_lines, kind)
            dialect = detect(source, decode(source, None), delimiter=None, header=None)
            names = dialect.first_cells if dialect.has_header else ()
    return [name for name in names if name and quote(name) == name]


def entries_of(room: str, catalogue: str) -> Callable[[], Iterable[tuple[str, str]]]:
    """Return what yields the names of a catalogue, and what each entry does or measures."""
    return lambda: [(one.name, one.summary) for one in getattr(import_module(room), catalogue)()]


methods = entries_of("coterie.cluster", "methods")
measures = entries_of("coterie.evaluate", "measures")
criteria = entries_of("coterie.select", "criteria")


def distances() -> Iterable[tuple[str, str]]:
    """Yield distances and what they measure."""
    from coterie.distance import distances
    from coterie.series import series_distances

    found = [(distance.name, distance.summary) for distance in distances()]
    found += [(distance.name, distance.summary) for distance in series_distances()]
    return [*found, ("precomputed", "The table is a square of distances.")]


def plots() -> Iterable[tuple[str, str]]:
    """Yield kinds of pictures and what they show."""
    from coterie.cli.plot_kinds import KINDS

    return [(kind.name, kind.summary) for kind in KINDS]


def linkages() -> Iterable[tuple[str, str]]:
    """Yield linkages."""
    from coterie.tree import METHODS

    return [(name, "") for name in METHODS]


def words(*allowed: str) -> Callable[[], Iterable[tuple[str, str]]]:
    """Return what an option with a few words takes."""
    return lambda: [(word, "") for word in allowed]
