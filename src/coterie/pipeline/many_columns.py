"""Tables of many columns: what their names say, and which rows tell what a group is like."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie._printing import shortened
from coterie._support.typing import FloatArray, Indices, Labels, Model
from coterie.data import LeftOut, Table

MANY_COLUMNS = 30  # from here on, near rows are linked as well, and typical rows tell what a group is like
MOSTLY = 0.9  # of the names, which differ in a number only
LEAST_SIDE, MOST_SIDE = 5, 40  # pixels of a picture on a card
FEW = 6  # columns that are named with a reason each
MOST_NAMED = 60  # columns of one reason that are all named: a few lines
_QUESTION = re.compile(r"(q|question|item|frage|aussage|statement|answer)[\s_.-]*#", re.IGNORECASE)
LONGEST_ROW_NAME = 24  # characters of a column of text that names the rows


def are_numbered(columns: Sequence[str]) -> bool:
    """Return whether there are many columns whose names differ in numbers only, and so say nothing.

    The questions of a survey have numbers that people look up: they are told by name.

    Examples
    --------
    >>> are_numbered([f"x{i}" for i in range(64)]), are_numbered([f"x{i}" for i in range(6)])
    (True, False)
    >>> are_numbered([f"Q{i}" for i in range(64)]), are_numbered([f"item_{i}" for i in range(64)])
    (False, False)
    """
    if len(columns) < MANY_COLUMNS:
        return False
    skeletons = [skeleton for skeleton in map(_skeleton, columns) if skeleton]
    _, counts = np.unique(skeletons, return_counts=True)
    is_survey = sum(_QUESTION.match(skeleton) is not None for skeleton in skeletons) > len(columns) / 2
    return bool(counts.max(initial=0) >= MOSTLY * len(columns)) and not is_survey


def _skeleton(name: str) -> str:
    """Return a name with its numbers taken out, "" where it has none."""
    found, n_numbers = re.subn(r"\d+", "#", str(name))
    return found if n_numbers else ""


@dataclass(frozen=True, eq=False)
class PixelColumns:
    """Columns that are the pixels of a square: its side, and the place of each column that was used."""

    side: int
    places: Indices

    def square(self, values: FloatArray, rest: float) -> FloatArray:
        """Return the pixels of a row, line by line; columns that were not used have the value `rest`."""
        pixels = np.full(self.side * self.side, rest)
        pixels[self.places] = values
        return pixels


def pixel_columns(used: Sequence[str], left_out: Sequence[str] = ()) -> PixelColumns | None:
    """Return how the columns make a picture, if their names say so; else None.

    Examples
    --------
    >>> pixel_columns([f"pixel{i}" for i in range(784)]).side, pixel_columns([f"x{i}" for i in range(784)])
    (28, None)
    """
    if not are_numbered(used) or not all(map(_is_pixel, used)):
        return None
    names = sorted({*used, *filter(_is_pixel, left_out)}, key=_numbers)
    side = math.isqrt(len(names))
    if side * side != len(names) or not LEAST_SIDE <= side <= MOST_SIDE:
        return None
    place = {name: at for at, name in enumerate(names)}
    return PixelColumns(side, np.array([place[name] for name in used]))


def _is_pixel(name: str) -> bool:
    skeleton = _skeleton(name).lower()
    return ("pix" in skeleton and "#" in skeleton) or skeleton in ("#x#", "(#, #)")


def _numbers(name: str) -> list[int]:
    return [int(digits) for digits in re.findall(r"\d+", name)]


def few_of_each(left_out: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return columns and why they were left out, those of one reason in one entry where they are many.

    Reasons that differ in their numbers or examples only are one. Of very many columns two are named: the
    margins of images may be hundreds. ``--json`` and `coterie inspect` have all.

    Examples
    --------
    >>> few_of_each([(f"p{i}", "constant") for i in range(7)])
    [('p0, p1, p2, p3, p4, p5, p6', 'constant')]
    >>> few_of_each([(f"p{i}", "constant") for i in range(90)] + [("id", "a key")])
    [('p0, p1 and 88 more', 'constant'), ('id', 'a key')]
    >>> few_of_each([(f"q{i}", f'text in {i} of 80 rows, such as "x" in row {i}') for i in range(1, 9)])
    [('q1, q2, q3, q4, q5, q6, q7, q8', 'text in 1 of 80 rows, such as "x" in row 1, and the like')]
    """
    alike: dict[str, list[tuple[str, str]]] = {}
    for name, reason in left_out:
        kind = re.sub(r"[\d,.]+", "0", re.split(r", such as|: ", reason)[0])
        alike.setdefault(kind, []).append((shortened(name), reason))
    found = []
    for columns in alike.values():
        if len(columns) <= FEW:
            found += columns
            continue
        names, reason = [name for name, _ in columns], columns[0][1]
        like = "" if all(other == reason for _, other in columns) else ", and the like"
        if len(names) > MOST_NAMED:
            names = [", ".join(names[:2]) + f" and {len(names) - 2:,} more"]
        found.append((", ".join(names), f"{reason}{like}"))
    return found


def text_of_left_out(columns: Sequence[LeftOut]) -> str:
    """Return which columns are left out, as it stands at the end of a line about a table; "" for none.

    Examples
    --------
    >>> text_of_left_out([LeftOut("id", "a key")])
    '; left out: id (a key)'
    """
    told = few_of_each([(column.name, column.reason) for column in columns])
    return "; left out: " + ", ".join(f"{name} ({reason})" for name, reason in told) if told else ""


def exemplars(
    model: Model, numbers: Labels, n_rows: int, n_groups: int, n_shown: int
) -> list[Indices] | None:
    """Return the most typical rows of each group where the method knows them: those with the heaviest links.

    Parameters
    ----------
    model : estimator
        Fitted.
    numbers : array
        The group of each of its clusters.
    n_rows, n_groups : int
        Rows and groups; a model of other rows knows nothing of these.
    n_shown : int
        How many of each.
    """
    if not hasattr(model, "exemplars") or len(model.labels_) != n_rows:
        return None
    found: list[Indices] = [np.empty(0, dtype=np.intp)] * n_groups
    for cluster, rows in enumerate(model.exemplars(n_shown)):
        found[int(numbers[cluster])] = np.asarray(rows)
    return found


def row_namer(table: Table) -> Any:
    """Return the column that names the rows: a key, or short, unique texts; None: they have numbers only."""
    for name in (*table.key_columns(), *_texts(table)):
        values = table.content[name]
        if str(values.dtype) == "String" or not values.dtype.is_numeric():
            return values
    return None


def names_of_rows(table: Table, rows: Indices) -> list[str] | None:
    """Return what the table calls its rows; None: nothing but numbers."""
    values = row_namer(table)
    return None if values is None else [str(values[row]) for row in rows.tolist()]


def _texts(table: Table) -> list[str]:
    """Return the columns of text that could name the rows."""
    if table.is_matrix:
        return []
    texts = {
        name: table.content[name] for name in table.columns if str(table.content[name].dtype) == "String"
    }
    return [
        name
        for name, values in texts.items()
        if not values.null_count()
        and values.n_unique() == len(values)
        and values.str.len_chars().max() <= LONGEST_ROW_NAME
    ]
