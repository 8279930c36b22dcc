"""What the page may ask for: one table of routes, served over HTTP and through a notebook alike."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from urllib.parse import unquote

import numpy as np

from coterie._support.typing import JsonObject
from coterie.errors import CoterieError, InvalidParameter, in_page
from coterie.show.explorer.exports import EXPORTS, export
from coterie.show.explorer.jobs import Busy, Job
from coterie.show.explorer.maps import as_single
from coterie.show.explorer.methods import methods_form
from coterie.show.explorer.session import Session, Taken
from coterie.show.explorer.tables import MOST_ROWS_OF_PAGE, check_column, coded_column, page_of_rows
from coterie.show.explorer.teach import teach
from coterie.show.explorer.uploads import open_upload
from coterie.show.explorer.views import clean, colour_of
from coterie.workbook import SETS, Workbook
from coterie.workbook.checks import row_list, row_ranges, unique_rows
from coterie.workbook.comparing import StateComparison
from coterie.workbook.state import Group

JSON, BINARY = "application/json", "application/octet-stream"
TYPES = {
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "svg": "image/svg+xml",
    "png": "image/png",
    "woff2": "font/woff2",
    "map": JSON,
    "txt": "text/plain; charset=utf-8",
}


@dataclass(frozen=True)
class Call:
    """A request, whoever carried it."""

    method: str
    path: str
    query: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""

    def json(self) -> JsonObject:
        """Return the body, which must be an object."""
        try:
            found = json.loads(self.body or b"{}", parse_constant=_refuse_constant)
        except (ValueError, RecursionError):
            raise InvalidParameter("the request must be JSON.") from None
        if not isinstance(found, dict):
            raise InvalidParameter("the request must be a JSON object.")
        return found


def _refuse_constant(text: str) -> None:
    raise ValueError(text)


@dataclass(frozen=True)
class Reply:
    """An answer."""

    body: bytes
    type: str = JSON
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


def reply(value: object, status: int = 200) -> Reply:
    """Return plain values as an answer."""
    return Reply(json.dumps(clean(value), allow_nan=False).encode(), status=status)


def in_header(text: str) -> str:
    """Return text as a header can carry it: ASCII, everything else percent-encoded.

    Examples
    --------
    >>> in_header("PCA: 62 % of the variance")
    'PCA: 62 %25 of the variance'
    """
    from urllib.parse import quote

    return quote(text, safe=" !#$&'()*+,/:;=?@[]^`{|}~\"<>")


def _page(session: Session, call: Call) -> Reply:
    return _asset(session, Call("GET", "/assets/index.html"))


def _asset(session: Session, call: Call) -> Reply:
    name = unquote(call.path.removeprefix("/assets/"))
    folder = files("coterie.show.explorer") / "static"
    known = {one.name: one for one in folder.iterdir() if one.is_file()} if folder.is_dir() else {}
    ending = name.rpartition(".")[2]
    if name not in known or ending not in TYPES:  # by name in a list: no path is ever made of it
        raise NotFound("there is no such file.")
    return Reply(known[name].read_bytes(), TYPES[ending])


class NotFound(InvalidParameter):
    """Nothing has this address."""


def _state(session: Session, call: Call) -> Reply:
    return reply(session.state())


def _labels(session: Session, call: Call) -> Reply:
    found = session.labels(call.query.get("position", call.query.get("method")))
    if isinstance(found, Job):
        return reply({"job": found.to_dict()}, 202)
    return Reply(found[0], BINARY, headers=found[1])


def _map(session: Session, call: Call) -> Reply:
    found = session.maps.place(call.query.get("kind", "pca"), call.query.get("x"), call.query.get("y"))
    if isinstance(found, Job):
        return reply({"job": found.to_dict()}, 202)
    headers = {
        "X-Map-Text": in_header(found.text),
        "X-Map-X": in_header(found.x),
        "X-Map-Y": in_header(found.y),
    }
    return Reply(found.places.tobytes(), BINARY, headers=headers)


def _column(session: Session, call: Call) -> Reply:
    table = session.need().data.table
    values, facts = coded_column(table, check_column(table, call.query.get("name")))
    headers = {"X-Column": in_header(json.dumps(clean(facts), ensure_ascii=True))}
    return Reply(as_single(values).tobytes(), BINARY, headers=headers)


def _operations(session: Session, call: Call) -> Reply:
    found = session.operate(call.json())
    return reply(found, 202 if set(found) == {"job"} else 200)


def _undo(session: Session, call: Call) -> Reply:
    return reply(session.go(lambda book: book.undo()))


def _redo(session: Session, call: Call) -> Reply:
    return reply(session.go(lambda book: book.redo()))


def _jump(session: Session, call: Call) -> Reply:
    position = call.json().get("position")
    if type(position) is not int:
        raise InvalidParameter("position must be a whole number.")
    return reply(session.go(lambda book: book.jump(position)))


def _stop(session: Session, call: Call) -> Reply:
    return reply(session.stop())


def _selection(session: Session, call: Call) -> Reply:
    if len(call.body) % 4:
        raise InvalidParameter("a selection must be rows as int32, four bytes each.")
    return reply(session.selection(np.frombuffer(call.body, dtype="<i4")))


def _rows(session: Session, call: Call) -> Reply:
    asked = call.json()
    state = session.need().state
    if "group" in asked:
        rows = state.rows_of(str(asked["group"]))
    elif "rows" in asked or "ranges" in asked:
        given = row_list(asked["rows"]) if asked.get("rows") else None
        spans = row_ranges(asked["ranges"]) if asked.get("ranges") else None
        rows = unique_rows(given, spans, state.data.n_rows)
    elif asked.get("noise"):
        rows = np.flatnonzero(state.labels == -1)
    else:
        rows = np.arange(state.data.n_rows)
    offset, limit = asked.get("offset", 0), asked.get("limit", 50)
    if type(offset) is not int or type(limit) is not int or offset < 0:
        raise InvalidParameter("offset and limit must be whole numbers from 0.")
    if not 1 <= limit <= MOST_ROWS_OF_PAGE:
        raise InvalidParameter(f"limit must be from 1 to {MOST_ROWS_OF_PAGE:,}, got {limit}.")
    return reply(page_of_rows(state, rows, offset, limit, asked.get("sort")))


def _sets(session: Session, call: Call) -> Reply:
    return reply([{"name": one.name, "title": one.title, "text": one.text} for one in SETS])


def _methods(session: Session, call: Call) -> Reply:
    return reply(methods_form())


def _open(session: Session, call: Call) -> Reply:
    name = call.json().get("set")
    if not isinstance(name, str) or name not in [one.name for one in SETS]:
        raise InvalidParameter(f"set must be one of {', '.join(one.name for one in SETS)}.")
    session.open(Workbook.open(f"set:{name}"), folder=None)
    session.autosave()
    return reply(session.operate({"op": "fit"}), 202)


def _upload(session: Session, call: Call) -> Reply:
    return reply(open_upload(session, call.headers.get("x-file-name"), call.body), 202)


def _save(session: Session, call: Call) -> Reply:
    asked = call.json()
    name = asked.get("path", asked.get("name"))
    if name is not None and not isinstance(name, str):
        raise InvalidParameter("path must be the name of a file.")
    return reply(session.save(name, replaces=asked.get("replace") is True))


def _export(session: Session, call: Call) -> Reply:
    what = call.path.removeprefix("/api/export/")
    if what not in EXPORTS:
        raise NotFound(f"there is no such export. There are {', '.join(EXPORTS)}.")
    content, name, kind = export(session.need(), what)
    return Reply(content, kind, headers={"Content-Disposition": f'attachment; filename="{name}"'})


def _compared(session: Session, call: Call) -> StateComparison | Job:
    a, b = call.query.get("a", ""), call.query.get("b", "")
    if not a or not b or len(a) > 100 or len(b) > 100:
        raise InvalidParameter("compare needs a and b: positions of the log, or methods such as kmeans:4.")
    return session.comparisons.compare(a, b)


def _compare(session: Session, call: Call) -> Reply:
    found = _compared(session, call)
    if isinstance(found, Job):
        return reply({"job": found.to_dict()}, 202)
    return reply(
        {
            "contingency": found.counts,
            "groups_a": _sides(found.names_a, found.groups_a),
            "groups_b": _sides(found.names_b, found.groups_b),
            "moved": len(found.moved),
            "matched": found.matched,
            "ari": found.ari,
            "text": found.text,
        }
    )


def _sides(names: list[str], groups: tuple[Group, ...]) -> list[JsonObject]:
    return [
        {"id": group.id, "name": name, "colour": colour_of(group)}
        for name, group in zip(names, groups, strict=True)
    ]


def _compare_rows(session: Session, call: Call) -> Reply:
    found = _compared(session, call)
    if isinstance(found, Job):
        return reply({"job": found.to_dict()}, 202)
    return Reply(np.asarray(found.moved, dtype="<i4").tobytes(), BINARY)


def _teach(session: Session, call: Call) -> Reply:
    return reply(teach(call.json()))


Handler = Callable[[Session, Call], Reply]
ROUTES: dict[tuple[str, str], Handler] = {
    ("GET", "/"): _page,
    ("GET", "/api/state"): _state,
    ("GET", "/api/labels"): _labels,
    ("GET", "/api/map"): _map,
    ("GET", "/api/column"): _column,
    ("GET", "/api/sets"): _sets,
    ("GET", "/api/methods"): _methods,
    ("POST", "/api/operations"): _operations,
    ("POST", "/api/undo"): _undo,
    ("POST", "/api/redo"): _redo,
    ("POST", "/api/jump"): _jump,
    ("POST", "/api/stop"): _stop,
    ("POST", "/api/selection"): _selection,
    ("POST", "/api/rows"): _rows,
    ("POST", "/api/open"): _open,
    ("POST", "/api/upload"): _upload,
    ("POST", "/api/save"): _save,
    ("GET", "/api/compare"): _compare,
    ("GET", "/api/compare/rows"): _compare_rows,
    ("POST", "/api/teach"): _teach,
    ("POST", "/api/reload"): lambda session, call: reply(session.reload()),
    ("POST", "/api/start-over"): lambda session, call: reply(session.start_over()),
    ("POST", "/api/dismiss"): lambda session, call: reply(session.dismiss()),
}
PREFIXES: dict[tuple[str, str], Handler] = {("GET", "/assets/"): _asset, ("GET", "/api/export/"): _export}


def answer(session: Session, call: Call) -> Reply:
    """Answer a request; what is wrong with it is said in a sentence."""
    handler = ROUTES.get((call.method, call.path))
    if handler is None:
        starts = (
            one
            for (method, start), one in PREFIXES.items()
            if call.path.startswith(start) and method == call.method
        )
        handler = next(starts, None)
    try:
        if handler is None:
            others = [method for method, path in ROUTES if path == call.path]
            if others:
                return reply({"error": f"use {others[0]}."}, 405)
            raise NotFound("there is no such address.")
        return handler(session, call)
    except NotFound as error:
        return reply({"error": str(error)}, 404)
    except (Busy, Taken) as error:
        return reply({"error": str(error)}, 409)
    except CoterieError as error:
        return reply({"error": in_page(error)}, 400)
    except MemoryError:
        return reply({"error": "Out of memory. Use fewer rows or columns."}, 500)
