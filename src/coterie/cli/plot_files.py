"""From the files of ``coterie plot`` to what is drawn, and from the picture to its file."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from coterie._support.files import atomic_path, check_output
from coterie._support.optional import require
from coterie._support.typing import Settings
from coterie.cli.outputs import refuse_input
from coterie.cli.plot_kinds import PlotKind
from coterie.cli.plot_subject import ImageSubject, PlotRequest, PlotSubject, by_numbers, read_image
from coterie.cli.render.terminal import is_watched
from coterie.cli.sampled import PLOT_ROWS, read_or_sample
from coterie.cluster import find_method
from coterie.data import Table
from coterie.errors import InvalidParameter
from coterie.pipeline import Groups, column_readings, run
from coterie.pipeline.rows.tables import note_on_categories

# beside matplotlib's own, which has no Chinese, Japanese or Korean letters
WIDE_FONTS = (
    "Noto Sans CJK JP", "Noto Sans CJK SC", "Noto Sans CJK KR", "WenQuanYi Zen Hei", "Droid Sans Fallback",
    "Hiragino Sans", "PingFang SC", "Apple SD Gothic Neo", "Yu Gothic", "Microsoft YaHei", "Malgun Gothic",
    "Arial Unicode MS",
)  # fmt: skip
MODEL_START = b"{"  # what stands behind the length in the files that coterie fit --save writes


def check_target(kind: PlotKind, output: Path | None, inputs: tuple[str | None, ...], *, force: bool) -> Path:
    """Return where the picture goes, or refuse it before any work."""
    target = output or Path(f"{kind.name}{kind.suffixes[0]}")
    check_picture(target, kind.suffixes, inputs, force=force)
    return target


def check_picture(
    target: Path, suffixes: tuple[str, ...], inputs: tuple[str | None, ...], *, force: bool
) -> None:
    """Refuse a picture that cannot or must not be written."""
    if target.suffix.lower() not in suffixes:
        raise InvalidParameter(
            f"{target}: the name must end in one of {', '.join(suffixes)}, got "
            f"{target.suffix or 'no ending'}."
        )
    check_output(target, force=force)
    refuse_input(target, *inputs)


def read_subject(
    kind: PlotKind, request: PlotRequest, source: str | None, data: str | None
) -> PlotSubject | ImageSubject | None:
    """Read the table, the model and its rows, or the image; None for kinds that need nothing."""
    if kind.needs == "nothing":
        if source is not None:
            raise InvalidParameter(f"{kind.name} takes no DATA, got {source}.")
        return None
    if source is not None and kind.needs == "image":
        return ImageSubject(request, read_image(source))
    if source is None:
        raise InvalidParameter(
            f"{kind.name} needs DATA or MODEL, for example: coterie plot {kind.name} table.csv"
        )
    if not is_model_file(source):
        if data is not None:
            raise InvalidParameter(f"--data goes with a MODEL, and {source} is none.")
        rows = read_or_sample(source, PLOT_ROWS, **request.fit.reading)
        takes = kind.takes_categories(request.fit)
        found = None
        if kind.needs == "groups" and request.is_open:
            found = find_groups(request, rows, takes_categories=takes)
        elif kind.needs == "rows" and not takes:
            tell_left_out(kind, request, rows)
        return PlotSubject(request, table=rows, model=None, found=found, takes_categories=takes)
    from coterie.persist import load

    if data is None:
        refuse_of_rows(request.fit.reading)
    model = load(source)
    reading: Any = request.fit.reading
    known = column_readings(model, dates=reading.get("dates"))
    table = None if data is None else read_or_sample(data, PLOT_ROWS, readings=known, **reading)
    takes = kind.takes_categories(request.fit)
    return PlotSubject(request, table=table, model=getattr(model, "groups", model), takes_categories=takes)


def refuse_of_rows(how: Settings) -> None:
    """Refuse what says how rows are read where there is a model and no rows."""
    for name, value in how.items():
        option = "no-header" if value is False else name
        raise InvalidParameter(f"--{option} is for rows, and MODEL has none: give them with --data.")


def tell_left_out(kind: PlotKind, request: PlotRequest, table: Table) -> None:
    """Say that a picture of rows leaves categories out, and what uses them."""
    who, remedy = "this plot", "coterie fit and select use"
    if kind.categories:
        who, remedy = f"{request.distance} distance", "--distance gower uses"
    why = note_on_categories(table, request.fit, who, remedy)
    if why:
        print(f"note: {why}")


def find_groups(request: PlotRequest, table: Table, *, takes_categories: bool) -> Groups:
    """Return the groups that `coterie.fit` finds, and say so."""
    asked = request.fit if takes_categories else by_numbers(request.fit, table)
    found = run(table, asked, is_watched())
    method = find_method(found.method).title
    chosen = f"{found.k} groups, by {method}" if found.k > 1 else "no groups: one is drawn"
    if asked.drop != request.fit.drop:
        print(f"{chosen}, found by the numbers alone: this plot draws no categories")
    elif request.k is None:
        print(f"{chosen}, as coterie fit finds; -k N draws another number")
    else:
        print(f"{chosen}, as coterie fit -k {request.k} finds; --method NAME draws another")
    return found.groups


def open_in_browser(target: Path) -> None:
    """Open a file in the user's browser, or say that there is none."""
    import webbrowser

    if not webbrowser.open(target.resolve().as_uri()):
        print(f"coterie: no browser found to open {target}.", file=sys.stderr)


def draw(
    kind: PlotKind, subject: PlotSubject | ImageSubject | None, target: Path, *, force: bool, dpi: int
) -> None:
    """Draw the picture and write it, whole or not at all."""
    if ".gif" not in kind.suffixes:
        write_picture(lambda: kind.draw(subject), target, force=force, dpi=dpi)
        return
    os.environ.setdefault("MPLBACKEND", "Agg")  # no window, wherever this runs
    with all_letters():
        kind.draw(subject, target, force)


def write_picture(draws: Callable[[], Any], target: Path, *, force: bool, dpi: int) -> None:
    """Write what a function draws, Axes or a Figure, whole or not at all."""
    os.environ.setdefault("MPLBACKEND", "Agg")
    with all_letters():
        drawn = draws()
        figure = drawn if hasattr(drawn, "savefig") else drawn.figure
        with atomic_path(target, force=force) as temporary, temporary.open("wb") as file:
            figure.savefig(file, format=target.suffix[1:].lower(), dpi=dpi, facecolor="white")


@contextmanager
def all_letters() -> Iterator[None]:
    """Let names in any script be drawn where a font for it is installed; say once where none is."""
    matplotlib: ModuleType = require("matplotlib", extra="plot", purpose="Drawing")
    fonts: ModuleType = require("matplotlib.font_manager", extra="plot", purpose="Drawing")
    installed = set(fonts.get_font_names())
    families = [*matplotlib.rcParams["font.family"], *(font for font in WIDE_FONTS if font in installed)]
    with warnings.catch_warnings(record=True) as caught, matplotlib.rc_context({"font.family": families}):
        warnings.simplefilter("always")
        yield
    said = [warning for warning in caught if "missing from font" not in str(warning.message)]
    for warning in said:
        warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)
    if len(said) < len(caught):
        print("coterie: some letters have no font here and are drawn as boxes.", file=sys.stderr)


def is_model_file(path: str) -> bool:
    """Return whether a file is what ``coterie fit --save`` writes, by its first bytes.

    Examples
    --------
    >>> is_model_file("customers.csv")
    False
    """
    where = Path(path)
    if not where.is_file():
        return False
    with where.open("rb") as file:
        start = file.read(9)
    length = int.from_bytes(start[:8], "little")
    return start[8:] == MODEL_START and 0 < length < where.stat().st_size
