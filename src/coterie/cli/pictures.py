"""What the commands of ``coterie image`` check, write and print."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.text import Text

from coterie._printing import count_of
from coterie._support.files import atomic_path, check_output
from coterie._support.notes import render_notes
from coterie._support.optional import require
from coterie._support.stores import shown
from coterie._support.typing import Labels
from coterie.cli.outputs import refuse_input
from coterie.cli.render.machines import print_json
from coterie.cli.render.terminal import console
from coterie.errors import InvalidParameter, did_you_mean
from coterie.image import (
    PictureFeatures,
    Quantised,
    Segmentation,
    group_pictures,
    match_labels,
    write_picture,
)
from coterie.image.pictures import check_picture_output
from coterie.pipeline.groups import group_name

TABLE_SUFFIXES = (".csv", ".tsv", ".parquet")
LABEL_SUFFIXES = (".png", ".tif", ".tiff", ".npy")
MOST_SHOWN = 32  # colours or regions
BAR = 40  # characters of the longest share
ONE_BYTE, TWO_BYTES = 256, 65_536


def limit(max_pixels: int | None) -> dict[str, int]:
    """Return the argument for a limit of pixels, if one was given."""
    return {} if max_pixels is None else {"max_pixels": max_pixels}


def check_outputs(
    source: str | None,
    *,
    output: Path | None = None,
    labels: Path | None = None,
    exact: bool = False,
    force: bool = False,
) -> None:
    """Refuse, before any work, files that cannot or must not be written."""
    if output is not None:
        check_picture_output(output, force=force, exact=exact)
    if labels is not None:
        check_output(labels, force=force)
        _check_suffix(labels, LABEL_SUFFIXES)
        if output is not None and output.absolute() == labels.absolute():
            raise InvalidParameter(f"--output and --labels both name {labels}: two files are needed.")
    for target in (output, labels):
        if target is not None:
            refuse_input(target, source)


def check_table(output: Path, *, force: bool) -> None:
    """Refuse a table that cannot be written."""
    check_output(output, force=force)
    _check_suffix(output, TABLE_SUFFIXES)


def _check_suffix(path: Path, allowed: Sequence[str]) -> None:
    if path.suffix.lower() not in allowed:
        raise InvalidParameter(
            f"{path}: the name must end in one of {', '.join(allowed)}, got {path.suffix or 'no ending'}."
            f"{did_you_mean(path.suffix, allowed)}"
        )


def check_grouping(labels: str | None, k: int | None, column: str | None) -> None:
    """Refuse a sheet without groups, or with two ways to them."""
    if (labels is None) == (k is None):
        got = "neither" if k is None else "both"
        raise InvalidParameter(f"sheet needs groups: --labels FILE, or -k N to make them here; got {got}.")
    if column is not None and labels is None:
        raise InvalidParameter("--column goes with --labels FILE.")


def grouped(
    found: PictureFeatures, labels: str | None, k: int | None, column: str | None, seed: int
) -> tuple[Labels, tuple[str, ...]]:
    """Return the group of each picture, and what groups are called."""
    if labels is not None:
        return match_labels(labels, found.names, column=column)
    assert k is not None
    return group_pictures(found, k, random_state=seed)[0], tuple(map(group_name, range(k)))


def write_segments(found: Segmentation, output: Path | None, labels: Path | None, *, force: bool) -> None:
    """Write the picture with its borders, and the region of each pixel."""
    if labels is not None and labels.suffix.lower() == ".npy":
        with atomic_path(labels, force=force) as temporary, temporary.open("wb") as file:
            np.save(file, found.labels)
    elif labels is not None:
        if found.k > TWO_BYTES:
            raise InvalidParameter(f"{labels}: {found.k:,} regions do not fit into a picture. Use .npy.")
        numbers = found.labels.astype(np.uint8 if found.k <= ONE_BYTE else np.uint16)
        write_picture(numbers, labels, force=force)
    if output is not None:
        write_picture(found.draw(), output, force=force)


def write_features(found: PictureFeatures, output: Path, *, force: bool) -> None:
    """Write a row per picture: its file, then its numbers."""
    polars = require("polars", extra="cli", purpose="Writing tables")
    columns = {name: found.X[:, at] for at, name in enumerate(found.columns)}
    frame = polars.DataFrame({"file": list(found.names), **columns})
    with atomic_path(output, force=force) as temporary, temporary.open("wb") as file:
        if output.suffix.lower() == ".parquet":
            frame.write_parquet(file)
        else:
            frame.write_csv(
                file, separator="\t" if output.suffix.lower() == ".tsv" else ",", float_precision=5
            )


def show_palette(found: Quantised, output: Path | None, *, as_json: bool) -> None:
    """Print the colours and their shares."""
    if as_json:
        print_json({**found.to_dict(), "output": shown(output) if output else None})
        return
    height, width = found.picture.shape
    out = console()
    colours = count_of(found.n_colours, "colour")
    print(f"{shown(found.picture.source)}   {width:,} x {height:,} pixels, {colours}")
    _print_notes(found.notes)
    how = f"k-means in {found.space}" + (", dithered" if found.is_dithered else "")
    error = "nothing changed" if found.psnr == float("inf") else f"PSNR {found.psnr:.1f} dB"
    print(f"\n  {count_of(found.k, 'colour')}   {how}, {error}\n")
    _print_bars(out, found.hex, found.hex, found.shares.tolist())
    print(f"\npicture   {'written to ' + shown(output) if output else 'add -o out.png'}")


def show_segments(found: Segmentation, output: Path | None, labels: Path | None, *, as_json: bool) -> None:
    """Print the regions and their shares."""
    if as_json:
        files = {"output": output, "labels_file": labels}
        print_json(found.to_dict() | {name: shown(path) if path else None for name, path in files.items()})
        return
    height, width = found.picture.shape
    out = console()
    print(f"{shown(found.picture.source)}   {width:,} x {height:,} pixels")
    _print_notes(found.notes)
    how = {"merge": found.rule, "spectral": "normalised cut", "slic": "SLIC superpixels"}[found.method]
    made = "" if found.method == "slic" else f", from {count_of(found.superpixels.n, 'superpixel')}"
    print(f"\n  {count_of(found.k, 'region')}   {how}{made}")
    if found.n_parts > found.k:
        print(f"  in {found.n_parts:,} connected parts")
    print()
    colours = ["#" + bytes(colour).hex() for colour in found.colours[:MOST_SHOWN].tolist()]
    _print_bars(out, [f"region {at + 1}" for at in range(found.k)], colours, found.shares.tolist())
    print(f"\nborders   {'written to ' + shown(output) if output else 'add -o lines.png'}")
    print(f"labels    {'written to ' + shown(labels) if labels else 'add --labels labels.png, or .npy'}")


def show_features(found: PictureFeatures, folder: str, output: Path) -> None:
    """Print what was described, and what to do next."""
    print(
        f"{shown(folder)}   {count_of(len(found.names), 'picture')}, {count_of(len(found.columns), 'column')}"
    )
    _print_notes(found.notes)
    print(f"\ntable     written to {shown(output)}")
    print(f"groups    coterie fit {shown(output)} --scale none -o labels.csv")
    print(f"sheet     coterie image sheet {shown(folder)} --labels labels.csv -o sheet.png")


def show_sheet(found: PictureFeatures, labels: Labels, titles: Sequence[str], output: Path) -> None:
    """Print the sizes of the groups."""
    sizes = np.bincount(labels[labels >= 0], minlength=len(titles))
    print(f"{count_of(len(found.names), 'picture')}, {count_of(len(titles), 'group')}")
    _print_notes(found.notes)
    for at in np.argsort(-sizes, kind="stable")[:MOST_SHOWN].tolist():
        print(f"  {titles[at]:<12} {sizes[at]:>6,}")
    if len(titles) > MOST_SHOWN:
        print(f"  and {len(titles) - MOST_SHOWN:,} more")
    if (labels < 0).any():
        print(f"  {'no group':<12} {int((labels < 0).sum()):>6,}")
    print(f"\nsheet     written to {shown(output)}")


def _print_notes(notes: Iterable[str]) -> None:
    for note in render_notes(notes, "shell"):
        print(f"  note: {note}")


def _print_bars(out: Console, names: Sequence[str], colours: Sequence[str], shares: Sequence[float]) -> None:
    """Print names, shares, and bars in their colours; signs where there are no colours."""
    most, width = max(shares), max(map(len, names[:MOST_SHOWN]))
    for name, colour, share in list(zip(names, colours, shares, strict=False))[:MOST_SHOWN]:
        bar = "█" * max(1, round(BAR * share / most))
        line = Text(f"  {name:<{width}}  {100 * share:5.1f}%  ")
        out.print(line.append(bar, style=colour))
    if len(shares) > MOST_SHOWN:
        rest = 100 * sum(shares[MOST_SHOWN:])
        print(f"  and {len(shares) - MOST_SHOWN:,} more with {rest:.1f}% (--json has all)")
