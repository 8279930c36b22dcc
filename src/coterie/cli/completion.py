"""Tab completion: the scripts of three shells, and what they offer."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any

from coterie.errors import FileProblem, InvalidParameter, did_you_mean

SHELLS = ("bash", "zsh", "fish")
ASKED_BY = "_COTERIE_COMPLETE"  # the variable by which a shell asks what to offer
DETECT = "detect"
SHOW, INSTALL = "--show-completion", "--install-completion"


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


def _typer() -> Any:
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
    shellingham: Any = import_module("shellingham")  # typer needs it, so it is there
    try:
        return str(shellingham.detect_shell()[0])
    except (shellingham.ShellDetectionFailure, OSError):
        login = os.path.basename(os.environ.get("SHELL", ""))
        return login or None


def offers(names: Callable[[], Iterable[tuple[str, str]]], *, several: bool = False) -> Callable[..., Any]:
    """Return a function for typer: names, with summaries, that begin as typed; of `several`, the last one."""

    def offered(incomplete: str) -> list[tuple[str, str]]:
        before, comma, word = incomplete.rpartition(",") if several else ("", "", incomplete)
        return [(f"{before}{comma}{name}", said) for name, said in names() if name.startswith(word)]

    return offered


def methods() -> Iterable[tuple[str, str]]:
    """Yield methods and what they do."""
    from coterie.cluster import methods

    return [(method.name, method.summary) for method in methods()]


def distances() -> Iterable[tuple[str, str]]:
    """Yield distances and what they measure."""
    from coterie.distance import distances

    return [(distance.name, distance.summary) for distance in distances()]


def measures() -> Iterable[tuple[str, str]]:
    """Yield measures and what they measure."""
    from coterie.evaluate import measures

    return [(measure.name, measure.summary) for measure in measures()]


def criteria() -> Iterable[tuple[str, str]]:
    """Yield criteria and what they measure."""
    from coterie.select import criteria

    return [(criterion.name, criterion.summary) for criterion in criteria()]


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
