"""``coterie image``: few colours, segments, and groups of pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from coterie.cli import options
from coterie.cli.completion import offers, words
from coterie.cli.options import amount_option, number_option, option, seed_option, word_option

ABOUT = "Pictures: fewer colours, segments, contact sheets of groups."
EXAMPLES = """
Examples:

\b
  coterie image quantise photo.jpg -k 16 -o out.png
  coterie image segment photo.jpg -k 8 -o lines.png --labels labels.png
  coterie image features photos -o features.csv
  coterie fit features.csv --scale none -o labels.csv
  coterie image sheet photos --labels labels.csv -o sheet.png
"""
QUANTISE_EXAMPLES = """
Examples:

\b
  coterie image quantise photo.jpg                 its 16 colours, listed
  coterie image quantise photo.jpg -k 8 -o out.png
  coterie image quantise photo.jpg -k 8 --dither -o out.png
"""
SEGMENT_EXAMPLES = """
Examples:

\b
  coterie image segment photo.jpg -o lines.png
  coterie image segment photo.jpg -k 8 --labels labels.npy
  coterie image segment photo.jpg -k 8 --method spectral -o lines.png
  coterie image segment photo.jpg --method slic --superpixels 1000 -o lines.png
"""
FEATURES_EXAMPLES = """
Examples:

\b
  coterie image features photos -o features.csv
  coterie fit features.csv --scale none -o labels.csv
"""
SHEET_EXAMPLES = """
Examples:

\b
  coterie image sheet photos -k 6 -o sheet.png
  coterie image sheet photos --labels labels.csv -o sheet.png
"""
PictureFile: TypeAlias = Annotated[
    str, typer.Argument(metavar="PICTURE", help="PNG, JPEG, TIFF, WebP, GIF, BMP ..., or - (stdin).")
]
Folder: TypeAlias = Annotated[
    str, typer.Argument(metavar="FOLDER", help="Folder of pictures, or a pattern in quotes.")
]
OutputPicture: TypeAlias = Annotated[
    Path | None, option("--output", "-o", metavar="FILE", help="Output picture: .png .tif .bmp")
]
Space: TypeAlias = Annotated[
    str,
    word_option("cielab", "oklab", "rgb", otherwise="cielab", about="Colour space: ", metavar="NAME"),
]
Kind: TypeAlias = Annotated[
    str,
    option(
        metavar="NAME",
        help="layout: colours in 8 x 8 cells; edges; pixels [layout]",
        offered=offers(words("layout", "edges", "pixels")),
    ),
]
MaxPixels: TypeAlias = Annotated[
    int | None, number_option(least=1, help="Refuse pictures with more pixels [100000000]")
]
Seed: TypeAlias = Annotated[int, seed_option("Same seed, same answer [0]")]

image = typer.Typer(name="image", help=ABOUT, epilog=EXAMPLES, add_completion=False, rich_markup_mode=None)


@image.callback(invoke_without_command=True)
def _help(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        print(context.get_help())


@image.command(epilog=QUANTISE_EXAMPLES)
def quantise(
    picture: PictureFile,
    k: Annotated[int, number_option("-k", least=1, help="How many colours [16]")] = 16,
    output: OutputPicture = None,
    dither: Annotated[bool, option("--dither", help="Dither by error diffusion.")] = False,
    space: Space = "cielab",
    seed: Seed = 0,
    max_pixels: MaxPixels = None,
    as_json: options.AsJson = False,
    force: options.Force = False,
) -> None:
    """Reduce a picture to k colours (a palette)."""
    from coterie.cli import pictures
    from coterie.image import quantise as find

    pictures.check_outputs(picture, output=output, exact=True, force=force)
    found = find(picture, k, space=space, dither=dither, random_state=seed, **pictures.limit(max_pixels))
    if output is not None:
        found.save(output, force=force)
    pictures.show_palette(found, output, as_json=as_json)


@image.command(epilog=SEGMENT_EXAMPLES)
def segment(
    picture: PictureFile,
    k: Annotated[int | None, number_option("-k", least=1, help="How many regions [by --share]")] = None,
    output: Annotated[
        Path | None,
        option(
            "--output", "-o", metavar="FILE", help="The picture with its borders: .png .tif .bmp .jpg .webp"
        ),
    ] = None,
    labels: Annotated[
        Path | None, option(metavar="FILE", help="The region of each pixel: .png .tif or .npy")
    ] = None,
    method: Annotated[
        str,
        option(
            metavar="NAME",
            help="merge: join neighbours; spectral; slic: superpixels [merge]",
            offered=offers(words("merge", "spectral", "slic")),
        ),
    ] = "merge",
    share: Annotated[
        float | None, amount_option(help="Stop before a merge loses this much variance [0.01]")
    ] = None,
    threshold: Annotated[
        float | None, amount_option(help="Or: join neighbours until colours differ by X of 100")
    ] = None,
    superpixels: Annotated[
        int | None, number_option(least=1, help="About how many superpixels [500]")
    ] = None,
    compactness: Annotated[float, amount_option(help="Larger: rounder superpixels [10]")] = 10.0,
    space: Space = "cielab",
    seed: Seed = 0,
    max_pixels: MaxPixels = None,
    as_json: options.AsJson = False,
    force: options.Force = False,
) -> None:
    """Segment a picture into regions."""
    from coterie.cli import pictures
    from coterie.image import segment as find

    pictures.check_outputs(picture, output=output, labels=labels, force=force)
    found = find(
        picture, k, method=method, share=share, threshold=threshold, n_superpixels=superpixels,
        compactness=compactness, space=space, random_state=seed, **pictures.limit(max_pixels),
    )  # fmt: skip
    pictures.write_segments(found, output, labels, force=force)
    pictures.show_segments(found, output, labels, as_json=as_json)


@image.command(epilog=FEATURES_EXAMPLES)
def features(
    folder: Folder,
    output: Annotated[Path, option("--output", "-o", metavar="FILE", help="The table: .csv .tsv .parquet")],
    kind: Kind = "layout",
    max_pixels: MaxPixels = None,
    force: options.Force = False,
) -> None:
    """Compute features of pictures, for coterie fit."""
    from coterie.cli import pictures
    from coterie.image import picture_features

    pictures.check_table(output, force=force)
    found = picture_features(folder, kind, **pictures.limit(max_pixels))
    pictures.write_features(found, output, force=force)
    pictures.show_features(found, folder, output)


@image.command(epilog=SHEET_EXAMPLES)
def sheet(
    folder: Folder,
    output: Annotated[
        Path, option("--output", "-o", metavar="FILE", help="The sheet: .png .jpg .webp .tif .bmp")
    ],
    labels: Annotated[
        str | None, option(metavar="FILE", help="Table with a column of files and one of labels.")
    ] = None,
    column: Annotated[str | None, option(metavar="NAME", help="Column of the labels [found by name]")] = None,
    k: Annotated[int | None, number_option("-k", least=1, help="Or: group them here, by k-means.")] = None,
    kind: Kind = "layout",
    columns: Annotated[int, number_option(least=1, help="Pictures in a row [10]")] = 10,
    side: Annotated[
        int, number_option(least=8, most=2000, help="Pixels of a picture's longer side [96]")
    ] = 96,
    most: Annotated[int, number_option(least=1, help="Pictures of each group [30]")] = 30,
    seed: Seed = 0,
    max_pixels: MaxPixels = None,
    force: options.Force = False,
) -> None:
    """Draw a contact sheet of the pictures of each group."""
    from coterie.cli import pictures
    from coterie.image import contact_sheet, picture_features, write_picture

    pictures.check_outputs(None, output=output, force=force)
    pictures.check_grouping(labels, k, column)
    found = picture_features(folder, kind, **pictures.limit(max_pixels))
    groups, titles = pictures.grouped(found, labels, k, column, seed)
    drawn = contact_sheet(
        list(found.files), groups, features=found.X, titles=titles, columns=columns, side=side, most=most,
        **pictures.limit(max_pixels),
    )  # fmt: skip
    write_picture(drawn, output, force=force)
    pictures.show_sheet(found, groups, titles, output)
