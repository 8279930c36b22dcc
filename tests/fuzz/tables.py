"""Files of tables: text by a grammar of dialects, containers of other formats, and damage to both."""

from __future__ import annotations

import gzip
import io
import json
import sqlite3
import zipfile
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from tests.fuzz.case import Draw
from tests.fuzz.mutate import mutated_bytes, mutated_text
from tests.fuzz.values import corrupted

ODD_NAMES = [
    "",
    " ",
    "é",
    "\x1b[31mred",
    "\u202eabc",
    "=cmd()",
    "+1",
    "@x",
    "{x}",
    "<5 min",
    '"',
    "a,b",
    "a\tb",
    "0",
    "1.5",
]
ODD_NAMES += [
    "NaN",
    "#c",
    "null",
    "x" * 300,
    "a" * 3,
    "a" * 3,
    "name\r",
    "\ufeff",
    "-",
    "//",
    "🦊",
    "'",
    "\x00",
]
ODD_CELLS = [
    "",
    "NA",
    "nan",
    "inf",
    "-inf",
    "1e400",
    "1e-400",
    "0x10",
    "1_000",
    "1,5",
    "١",
    "True",
    "2020-01-01",
    "=1+1",
]
ODD_CELLS += [
    '"',
    "'",
    "x" * 200,
    "1" * 400,
    "-",
    ".",
    "+",
    "1e",
    " 1",
    "1 ",
    "\x1b[2J",
    "\x00",
    "10000000000000000000000001",
]


@dataclass(frozen=True)
class TableFile:
    """The content of a file, what to call it, and how many rows it must have, where that is known."""

    content: bytes
    suffix: str
    words: str
    n_rows: int | None = None


def draw_file(draw: Draw, *, hostile: bool = True) -> TableFile:
    """Return a file of a table: sound or, where `hostile`, damaged; of any format."""
    if not hostile:
        return draw.choice([_text, _text, _columns])(draw)
    kinds = [_text, _text, _text, _odd_text, _odd_text, _odd_text, _npy, _npz, _columns, _columns]
    file = draw.choice([*kinds, _disguised, _disguised, _json, _sqlite, _zipped, _workbook])(draw)
    if draw.chance(0.1):
        file = TableFile(
            gzip.compress(file.content, mtime=0), file.suffix + ".gz", f"gzipped {file.words}", file.n_rows
        )
    if draw.chance(0.35):
        damaged = mutated_bytes(draw, file.content)
        suffix = (
            file.suffix if draw.chance(0.9) else draw.choice([".csv", ".npz", ".parquet", ".npy", ".txt", ""])
        )
        return TableFile(damaged, suffix, f"damaged {file.words}")
    return file


def _text(draw: Draw) -> TableFile:
    """Text whose rows are known: every line has all its cells, and all of them are numbers."""
    n, d = draw.choice([2, 5, 12, 12, 30]), draw.choice([1, 2, 3, 3, 5])
    delimiter = draw.choice([",", ";", "\t", "|"])
    decimal = "," if delimiter == ";" and draw.chance(0.4) else "."
    numbers = draw.random.normal(size=(n, d)).round(draw.choice([1, 3, 6])) + 0.5
    lines = [delimiter.join(str(v).replace(".", decimal) for v in row) for row in numbers.tolist()]
    has_header = draw.chance(0.8)
    header = [delimiter.join(f"name{i}" for i in range(d))] if has_header else []
    end = draw.choice(["\n", "\n", "\r\n"])
    text = end.join([*header, *lines]) + draw.choice([end, end, "", end * 3])
    encoding = draw.choice(["utf-8", "utf-8", "utf-8-sig", "utf-16"])
    words = f"{n}x{d} text with {delimiter!r}, decimal {decimal!r}, {encoding}"
    return TableFile(text.encode(encoding), ".csv", words, n)


def _odd_text(draw: Draw) -> TableFile:
    n, d = draw.choice([0, 1, 3, 8, 20]), draw.choice([1, 2, 3, 6, 40])
    delimiter = draw.choice([",", ",", ";", "\t", "|", " ", ", ", ":"])
    names = [draw.choice(ODD_NAMES) if draw.chance(0.3) else f"c{i}" for i in range(d)]
    odd = draw.choice([0.0, 0.02, 0.3])
    rows = [[_cell(draw, odd, delimiter) for _ in range(d)] for _ in range(n)]
    for row in rows:
        if draw.chance(0.03):
            row.append("1") if draw.chance(0.5) else row.clear()
    if rows and draw.chance(0.15):
        rows[draw.whole(0, n - 1)] = [draw.choice(["", "NA"])] * d
    lines = [delimiter.join(row) for row in ([names, *rows] if draw.chance(0.8) else rows)]
    if draw.chance(0.1):
        lines.insert(draw.whole(0, len(lines)), draw.choice(["# note", "", "   ", "\x1a", "sep=;"]))
    text = draw.choice(["\n", "\n", "\r\n", "\r"]).join(lines) + draw.choice(["\n", ""])
    if draw.chance(0.3):
        text = mutated_text(draw, text)
    encoding = draw.choice(
        ["utf-8", "utf-8", "utf-8", "utf-8-sig", "utf-16", "utf-32", "cp1252", "utf-16-le"]
    )
    return TableFile(
        text.encode(encoding, errors="replace"),
        draw.choice([".csv", ".tsv", ".txt", ""]),
        f"odd text {n}x{d}",
    )


def _cell(draw: Draw, odd: float, delimiter: str) -> str:
    cell = draw.choice(ODD_CELLS) if draw.chance(odd) else f"{draw.random.normal():.3f}"
    needs_quotes = any(sign in cell for sign in (delimiter, '"', "\n"))
    return '"' + cell.replace('"', '""') + '"' if needs_quotes and draw.chance(0.8) else cell


DISGUISES = [
    "€1,234.50", "€5", "1.234,50 €", "$5", "($4.00)", "12 EUR", "45%", "1,5 %", "170 cm", "1.7 m", "3a",
    "1'000", "1:30:00", "14:05", "2h 5m", "yes", "no", "ja", "unknown", "n/a", "-999", "9999", "31.12.2020",
    "2020-02-30", "2020-01-01T10:00:00Z", "5 €5", "€", "%", "1 2 3", "١٢ €", "-−5", "1.2.3", "()", "( )",
    "12e5 kg", "1e999 €",
]  # fmt: skip


def _disguised(draw: Draw) -> TableFile:
    """Text whose columns hold what looks alike: mostly one kind of cell, with others strewn in."""
    n, d = draw.choice([1, 3, 8, 40]), draw.choice([1, 2, 4])
    shapes = [
        lambda: f"€{draw.random.normal() * 1000:,.2f}", lambda: f"{draw.random.normal():.2f}%",
        lambda: f"{draw.whole(1, 99)} cm", lambda: f"{draw.whole(0, 99)}:{draw.whole(0, 59):02}",
        lambda: draw.choice(["yes", "no"]), lambda: f"{draw.whole(1, 31):02}.{draw.whole(1, 12):02}.2020",
        lambda: str(draw.whole(0, 99)),
    ]  # fmt: skip
    kinds = [draw.choice(shapes) for _ in range(d)]
    odd = draw.choice([0.0, 0.05, 0.5])
    names = [draw.choice(["zip", "class", "year", "id", "store_id", "took", f"c{at}"]) for at in range(d)]
    rows = [[draw.choice(DISGUISES) if draw.chance(odd) else kind() for kind in kinds] for _ in range(n)]
    text = "".join("|".join(row) + "\n" for row in [names, *rows])
    return TableFile(text.encode(), ".csv", f"disguised {n}x{d}", n if len(set(names)) == d else None)


def _json(draw: Draw) -> TableFile:
    cells = [1, 2.5, -3, None, True, "x", "€5", "NA", [1], {"a": 1}, 10**30, 10**400, float("nan"), ""]
    names = [draw.choice([*ODD_NAMES, f"c{at}"]) for at in range(draw.whole(0, 4))]
    kinds = [draw.choice([cells[:3], cells[:4], cells]) for _ in names]
    records = [
        {name: draw.choice(kind) for name, kind in zip(names, kinds, strict=True) if draw.chance(0.9)}
        for _ in range(draw.choice([0, 1, 5, 20]))
    ]
    shapes: list[Any] = [records, {name: [row.get(name) for row in records] for name in names}]
    shapes += [[list(row.values()) for row in records], {"rows": records}, records[:1], 5, "text", None]
    lines = "\n".join(json.dumps(row) for row in records)
    text = lines if draw.chance(0.3) else json.dumps(draw.choice(shapes))
    return TableFile((mutated_text(draw, text) if draw.chance(0.2) else text).encode(), ".json", "JSON")


def _sqlite(draw: Draw) -> TableFile:
    values = [1, 2.5, None, "x", "€5", b"\xff", 2**62, "unknown"]
    with sqlite3.connect(":memory:") as database:
        for at in range(draw.choice([0, 1, 1, 1, 2])):
            database.execute(f'create table "t{at}" ("a b", "x""y", c)')
            rows = [[draw.choice(values) for _ in range(3)] for _ in range(draw.choice([0, 3, 20]))]
            database.executemany(f'insert into "t{at}" values (?, ?, ?)', rows)
        database.execute("create table gone (x)")
        database.execute("drop table gone")  # a database without tables has pages too
        database.commit()
        content = database.serialize()
    database.close()
    return TableFile(content, ".db", "SQLite")


def _zipped(draw: Draw) -> TableFile:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for at in range(draw.choice([0, 1, 1, 1, 2])):
            file = draw.choice([_text, _odd_text, _json, _columns])(draw)
            archive.writestr(
                zipfile.ZipInfo(f"{draw.choice(['x', '../x', 'd/x'])}{at}{file.suffix}"), file.content
            )
    return TableFile(stream.getvalue(), ".zip", "zip")


def _workbook(draw: Draw) -> TableFile:
    """Return a workbook in as few parts as it can have, whose cells may be anything."""
    cells = ["<v>1</v>", "<v>2.5</v>", "<v>-7</v>", "", "<f>A1</f>", "<v>x</v>", "<f>1/0</f><v>#DIV/0!</v>"]
    rows = "".join(
        f'<row r="{at}">'
        + "".join(f'<c r="{place}{at}">{draw.choice(cells)}</c>' for place in "ABC")
        + "</row>"
        for at in range(1, draw.choice([1, 3, 12]))
    )
    space = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    links = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    kinds = "http://schemas.openxmlformats.org/package/2006/relationships"
    parts = {
        "xl/workbook.xml": f'<workbook {space} xmlns:r="{links}"><sheets>'
        '<sheet name="s" sheetId="1" r:id="r1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{kinds}"><Relationship Id="r1" '
        f'Type="{links}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
        "xl/worksheets/sheet1.xml": f"<worksheet {space}><sheetData>{rows}</sheetData></worksheet>",
    }
    if draw.chance(0.2):
        parts.pop(draw.choice(list(parts)))
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, text in parts.items():
            archive.writestr(zipfile.ZipInfo(name), mutated_text(draw, text) if draw.chance(0.2) else text)
    return TableFile(stream.getvalue(), ".xlsx", "workbook")


def _npy(draw: Draw) -> TableFile:
    n, d = draw.choice([0, 1, 5, 20]), draw.choice([0, 1, 3])
    array: Any = draw.random.normal(size=(n, d))
    array = draw.choice(
        [array, array, array.astype(np.float32), array.astype(">f8"), array.astype(np.int8), array > 0]
    )
    array = draw.choice([array, array, array.T, array[:, :, None], array.reshape(-1), array.astype(str)])
    if draw.chance(0.05):
        array = array.astype(object)
    stream = io.BytesIO()
    np.save(stream, array, allow_pickle=True)
    content = stream.getvalue()
    if draw.chance(0.25):
        lies = [
            b"(10000000000, 3)",
            b"(-1, 3)",
            b"(5,)",
            b"(2, 9999999999999)",
            b"(1e3, 2)",
            b"__import__('os')",
        ]
        content = content.replace(str(array.shape).encode(), draw.choice(lies), 1)
    return TableFile(content, ".npy", f"npy {array.dtype} {array.shape}")


def _npz(draw: Draw) -> TableFile:
    n, d = draw.choice([1, 5, 20]), draw.choice([1, 3, 8])
    stream = io.BytesIO()
    if draw.chance(0.3):
        arrays = {draw.choice(["x", "X", "arr_0", "data"]): draw.random.normal(size=(n, d))}
        arrays |= {"y": np.arange(n)} if draw.chance(0.3) else {}
        np.savez(stream, **arrays)
        return TableFile(stream.getvalue(), ".npz", f"npz {list(arrays)}")
    name = draw.choice(["csr", "csc", "bsr", "coo", "dia"])
    made = sparse.random(n, d, 0.5, random_state=draw.seed()).asformat(name)
    words = f"npz of {name} {n}x{d}"
    if draw.chance(0.4) and name != "dia":
        made, words = corrupted(draw, made), f"corrupt {words}"
    parts = {"format": np.array(name.encode()), "shape": np.array(made.shape), "data": made.data}
    if name == "coo":
        parts |= {"row": made.row, "col": made.col}
    elif name == "dia":
        parts |= {"offsets": made.offsets}
    else:
        parts |= {"indices": made.indices, "indptr": made.indptr}
    if draw.chance(0.25):
        key = draw.choice(list(parts))
        parts[key] = draw.choice(
            [np.array([3, 10**9]), np.array([-1, 2]), np.array(b"xyz"), np.zeros(0), np.ones((2, 2))]
        )
        words += f", odd {key}"
    np.savez(stream, **parts)
    if draw.chance(0.1):
        with zipfile.ZipFile(stream, "a") as archive:
            archive.writestr(zipfile.ZipInfo(draw.choice(["../evil.npy", "a.npy", "x.txt"])), b"nothing")
    return TableFile(stream.getvalue(), ".npz", words)


def _columns(draw: Draw) -> TableFile:
    import polars

    n = draw.choice([0, 1, 5, 20, 20])
    kinds = {
        "number": draw.random.normal(size=n),
        "single": draw.random.normal(size=n).astype(np.float32),
        "whole": np.arange(n) % 3,
        "text": [f"t{i % 4}" for i in range(n)],
        "flag": [i % 2 == 0 for i in range(n)],
        "missing": [None if i % 2 else 1.5 for i in range(n)],
        "nothing": [None] * n,
        "nan": np.full(n, np.nan),
        "list": [[1, 2]] * n,
        "struct": [{"a": 1}] * n,
        "date": np.datetime64("2020-01-01") + np.arange(n),
        "bytes": [b"\xff"] * n,
    }
    columns = {}
    for _ in range(draw.whole(1, 5)):
        kind = draw.choice(["number", "number", "single", *kinds])
        columns[draw.choice([*ODD_NAMES, f"c{len(columns)}", f"c{len(columns)}"])] = kinds[kind]
    frame = polars.DataFrame(columns, strict=False)
    stream = io.BytesIO()
    name, suffix = draw.choice(
        [("parquet", ".parquet"), ("parquet", ".parquet"), ("ipc", ".arrow"), ("ipc_stream", ".arrow")]
    )
    getattr(frame, f"write_{name}")(stream)
    content = stream.getvalue()
    if draw.chance(0.3) and len(content) > 40:  # the description is at the end: wounds there are deeper
        tail = len(content) // 2
        content = content[:tail] + mutated_bytes(draw, content[tail:-4]) + content[-4:]
        return TableFile(content, suffix, f"{name} with a damaged description")
    return TableFile(content, suffix, f"{name} {n}x{len(columns)}")
