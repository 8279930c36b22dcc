"""What a person takes away: labels with names, the answer as a model, the report, a script, the workbook."""

from __future__ import annotations

import io
import json
import re
import tempfile
from collections.abc import Callable
from pathlib import Path

from coterie._support.leftovers import folder_prefix
from coterie._support.typing import PolarsFrame
from coterie.pipeline.label_table import label_frame, without_formulas
from coterie.workbook import Workbook
from coterie.workbook.files import SUFFIX, as_json

UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


def stem_of(book: Workbook) -> str:
    """Return a name for files, from that of the data: letters, digits, dots and dashes only."""
    stem = book.data.name.removeprefix("set:").split(".")[0]
    return UNSAFE.sub("-", stem).strip("-.")[:60] or "groups"


def _labels(book: Workbook) -> PolarsFrame:
    return label_frame(book.data.table, book.labels, names=book.names)


def _csv(book: Workbook) -> bytes:
    frame = _labels(book)
    safe = without_formulas(frame.select("group"))  # names are typed by people; keys must stay as they are
    return str(frame.with_columns(safe["group"]).write_csv()).encode()


def _parquet(book: Workbook) -> bytes:
    target = io.BytesIO()
    _labels(book).write_parquet(target)
    return target.getvalue()


def _model(book: Workbook) -> bytes:
    with tempfile.TemporaryDirectory(prefix=folder_prefix("export")) as folder:
        path = Path(folder) / "model.safetensors"
        book.to_answer().save(path)
        return path.read_bytes()


def _report(book: Workbook) -> bytes:
    from coterie.show.report import write_report

    with tempfile.TemporaryDirectory(prefix=folder_prefix("export")) as folder:
        path = Path(folder) / "report.html"
        write_report(book.to_answer(), path, title=book.data.name, command="coterie explore")
        return path.read_bytes()


def _script(book: Workbook) -> bytes:
    return book.to_script().encode()


def _workbook(book: Workbook) -> bytes:
    return json.dumps(as_json(book, None), indent=1, allow_nan=False).encode()


EXPORTS: dict[str, tuple[Callable[[Workbook], bytes], str, str]] = {
    "labels.csv": (_csv, "-labels.csv", "text/csv; charset=utf-8"),
    "labels.parquet": (_parquet, "-labels.parquet", "application/vnd.apache.parquet"),
    "model": (_model, ".safetensors", "application/octet-stream"),
    "report": (_report, "-report.html", "text/html; charset=utf-8"),
    "script": (_script, "-groups.py", "text/x-python; charset=utf-8"),
    "workbook": (_workbook, SUFFIX, "application/json"),
}


def export(book: Workbook, what: str) -> tuple[bytes, str, str]:
    """Return the content of a file, what to call it, and its type."""
    make, ending, kind = EXPORTS[what]
    return make(book), f"{stem_of(book)}{ending}", kind
