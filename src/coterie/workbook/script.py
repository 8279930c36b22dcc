"""A workbook as a Python script: public names only, one call per operation, the same labels to the bit."""

from __future__ import annotations

import json
from pprint import pformat
from typing import TYPE_CHECKING

from coterie._support.config import version
from coterie.workbook.dataset import FILE, SET

if TYPE_CHECKING:
    from coterie.workbook.workbook import Workbook

HEAD = '''"""The groups of {name}, made with the explorer of Coterie {version}.

Runs without the explorer: it repeats every step and ends with the same labels.
"""

from coterie.workbook import Workbook

book = Workbook.open({data})
'''
TAIL = """
assert book.labels_hash == {hash!r}, "other labels: the data or the version of Coterie differ"
labels, names = book.labels, book.names  # one label per row, -1 is noise; the name of each label
"""


def script_of(book: Workbook) -> str:
    """Return the script."""
    data = book.data
    quoted = json.dumps(data.where) if data.kind in (FILE, SET) and data.where is not None else "X"
    name = json.dumps(data.name)[1:-1].replace('"', "'")
    lines = [HEAD.format(name=name, version=version(), data=quoted)]
    if quoted == "X":
        lines[0] = lines[0].replace(
            "book = ", "X = ...  # put your data here: they were not in a file\nbook = ", 1
        )
    for entry in book.log[: book.position]:
        text = " ".join(entry["said"].split())
        operation = {key: value for key, value in entry.items() if key not in ("at", "said")}
        lines.append(f"# {text}\nbook.apply({pformat(operation, width=100, sort_dicts=False, compact=True)})")
    return "\n".join(lines) + "\n" + TAIL.format(hash=book.labels_hash)
