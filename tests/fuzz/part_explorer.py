"""The explorer: hostile requests to its routes, its guard and its widget, answered in this process."""

from __future__ import annotations

import asyncio
import json
import os
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from coterie.show.explorer import worker
from coterie.show.explorer.exports import EXPORTS
from coterie.show.explorer.jobs import Job
from coterie.show.explorer.routes import PREFIXES, ROUTES, Call, Reply, answer
from coterie.show.explorer.security import HEADERS, Guard
from coterie.show.explorer.server import make_app
from coterie.show.explorer.session import Session
from coterie.show.explorer.widget import reply_to
from coterie.workbook import Workbook
from tests.fuzz.case import FOREIGN_WORDS, LONGEST_MESSAGE, Case, Draw, Finding, Refused, expect, refuse
from tests.fuzz.mutate import mutated_bytes, mutated_text
from tests.fuzz.part_models import ODD_JSON
from tests.fuzz.part_workbook import check_state, damaged, datasets, draw_operation, saved
from tests.fuzz.tables import draw_file

STATUSES = {200, 202, 400, 404, 405, 409, 413, 500}  # 500: out of memory, in words
PORT, TOKEN = 8765, "the-right-token-of-this-session"
PATHS = [path for _, path in ROUTES]
TRAVERSALS = (
    "/assets/../routes.py",
    "/assets/..%2f..%2fserver.py",
    "/assets/%2e%2e/%2e%2e/jobs.py",
    "/assets//etc/passwd",
    "/assets/",
    "/assets/explorer.js%00",
    "/assets/.",
    "/api/export/../state",
    "/api/export/",
    "//etc/passwd",
    "/api/state/",
    "/API/STATE",
    "/api/labels;x",
    "/%61pi/state",
    "",
    "/\x00",
    "/é",
)


class InlineWorker:
    """Does jobs at once, in this process: what the worker would do, and how it would fail, is the same."""

    def __init__(self) -> None:
        self.job: Job | None = None
        self.begun = 0
        self.finding: Finding | None = None

    def submit(
        self, kind: Any, text: str, name: str, arguments: Any, data: Any, on_done: Any, on_failed: Any
    ) -> Job:
        """Do a job; an error that is not ours is remembered."""
        self.begun += 1
        job = Job(self.begun, kind, text)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                result = worker.run_job(name, arguments, data, lambda progress: None)  # type: ignore[arg-type]
        except Exception as error:
            try:
                refuse(error)
            except Refused as refusal:
                on_failed(str(refusal))
            except Finding as finding:
                self.finding = finding
        else:
            on_done(result)
        return job

    def stop(self) -> bool:
        """Say that nothing is being computed."""
        return False

    def close(self) -> None:
        """Nothing is left behind."""

    def warm_up(self) -> None:
        """Nothing is to be started."""


def run(case: Case) -> None:
    """Send some requests to one session; every answer is valid or says in a sentence what is wrong."""
    draw = case.draw
    os.environ["COTERIE_STATE"] = str(case.folder / "state")
    name = draw.choice(["clouds", "clouds", "mixed", "clouds with gaps", "three rows", "equal rows", "huge"])
    book = None if draw.chance(0.05) else Workbook(datasets()[name])
    (case.folder / "own").mkdir()
    session = Session(book, folder=case.folder / "own")
    session.worker = inline = InlineWorker()  # type: ignore[assignment]
    codes = []
    if book is not None and draw.chance(0.7):
        answer(
            session,
            Call(
                "POST",
                "/api/operations",
                body=json.dumps({"op": "fit", "method": "kmeans", "k": 2, "believe": False}).encode(),
            ),
        )
    try:
        for _ in range(draw.choice([1, 2, 4, 8])):
            carry = draw.choice([_directly, _directly, _directly, _through_guard, _through_widget])
            codes.append(carry(case, session, name))
            if inline.finding is not None:
                raise inline.finding
            if session.book is not None:
                check_state(session.book.state)
            _expect_inside(case.folder)
    finally:
        session.close()
    if min(codes) >= 400:
        raise Refused(f"status {min(codes)}")


def _expect_inside(folder: Path) -> None:
    """Whatever a page asks for, nothing is written beside the folder that workbooks may be saved to."""
    found = {path.name for path in folder.iterdir()}
    expect(found <= {"own", "state"}, "the explorer: a file outside of its folder", f"{found}")


# --- requests -----------------------------------------------------------------------------------------------


def draw_call(draw: Draw, session: Session, name: str) -> Call:
    """Return a request, right or wrong."""
    if draw.chance(0.12):
        path = draw.choice(
            [*TRAVERSALS, mutated_text(draw, draw.choice(PATHS)), *(f"/api/export/{one}" for one in EXPORTS)]
        )
        return Call(draw.choice(["GET", "GET", "POST", "PUT", "é"]), path)
    method, path = draw.choice(
        [*ROUTES, *PREFIXES, ("POST", "/api/operations"), ("POST", "/api/rows"), ("POST", "/api/teach")]
    )
    if draw.chance(0.05):
        method = draw.choice(["GET", "POST", "DELETE", ""])
    if path == "/api/export/":
        path += draw.choice([*EXPORTS, "x"])
    query = {
        key: _query(draw, key)
        for key in ("position", "method", "kind", "x", "y", "name", "a", "b")
        if draw.chance(0.4)
    }
    headers: dict[str, str] = {}
    body = _body(draw, path, session, name)
    if path == "/api/upload":
        headers, body = _upload(draw, name)
    if draw.chance(0.1):
        body = mutated_bytes(draw, body)
    return Call(method, path, query, headers, body)


def _query(draw: Draw, key: str) -> str:
    values = {
        "position": ["0", "1", "2", "99", "-1", "1e3", "٣", "", "kmeans:2", "kmeans:x", "nothing"],
        "method": ["kmeans:2", "kmeans", "auto", "dbscan", "nothing:3", "kmeans:999999", ":"],
        "kind": ["pca", "xy", "xy", "graph", "x", ""],
        "x": ["column_1", "x", "kind", "", "nothing", "é"],
        "y": ["column_2", "name", "x"],
        "name": ["column_1", "x", "kind", "name", "", "nothing", "\x1b[31m"],
        "a": ["0", "1", "5", "kmeans:2", "agglomerative", "x" * 101, ""],
        "b": ["0", "1", "kmeans:3", "nothing", "mixture:2"],
    }
    return str(draw.choice(values[key]))


def _body(draw: Draw, path: str, session: Session, name: str) -> bytes:
    state = None if session.book is None else session.book.state
    if path == "/api/operations" and state is not None:
        return json.dumps(draw_operation(draw, state, odd=0.3)).encode()
    if path == "/api/selection":
        rows = draw.random.integers(-1, 45, draw.whole(0, 20)).astype("<i4").tobytes()
        return rows if draw.chance(0.8) else rows[:-1]
    bodies: dict[str, list[Any]] = {
        "/api/jump": [{"position": draw.choice([0, 1, 2, -1, 10**9, True, "1", None])}],
        "/api/rows": [_page(draw)],
        "/api/open": [{"set": draw.choice(["iris", "nothing", None, 3, "set:iris"])}],
        "/api/save": [
            {
                draw.choice(["path", "name"]): draw.choice(
                    [
                        None,
                        "book",
                        "../book",
                        "a/b",
                        "x" * 300,
                        ".hidden",
                        "é.coterie.json",
                        "\x00",
                        "con:",
                        3,
                        "",
                        "\ud800",
                    ]
                ),
                "replace": draw.choice([True, False, "x"]),
            }
        ],
        "/api/teach": [_lesson(draw)],
    }
    return json.dumps(draw.choice([*bodies.get(path, [{}]) * 4, draw.choice(ODD_JSON)])).encode()


def _page(draw: Draw) -> dict[str, Any]:
    asked: dict[str, Any] = {}
    choices: dict[str, list[Any]] = {
        "group": ["g1", "g2", "g99", 1, None],
        "rows": [[0, 1], [99], [-1], [], "x", [0.5]],
        "noise": [True, False],
        "ranges": [[[0, 3]], [[0, 999]], [], [[3, 1]]],
        "offset": [0, 5, 10**9, -1, "0", 10**30],
        "limit": [1, 50, 1000, 0, 1001, True],
        "sort": [
            {"column": "column_1"},
            {"column": "kind", "descending": True},
            {"column": "group"},
            {"column": "nothing"},
            {"x": 1},
            3,
        ],
    }
    for key in draw.some(choices, 3):
        asked[key] = draw.choice(choices[key])
    return asked


def _lesson(draw: Draw) -> dict[str, Any]:
    n = draw.choice([0, 1, 2, 5, 30])
    points: Any = np.round(draw.random.normal(size=(n, 2)), draw.choice([0, 3])).tolist()
    if draw.chance(0.3) and n:
        points[0] = draw.choice(
            [[1, 1], [1e9, -1e9], [1e10, 0], [None, 1], ["1", 2], [1], [10**400, 1], [1e-300, 0], [True, 1]]
        )
    if draw.chance(0.2):
        points = [[3.0, 3.0]] * n
    parameters: Any = {}
    choices: dict[str, list[Any]] = {
        "k": [1, 2, 3, n, 21, 0, "2", None],
        "seed": [0, 1, 2**32, -1],
        "init": ["random", "k-means++", "x", []],
        "eps": [0.5, 1e-300, 1e8, 0, "x"],
        "min_samples": [1, 2, 1000, 0],
        "linkage": ["single", "centroid", "ward", "x", [], None],
    }
    for key in draw.some(choices, 2):
        parameters[key] = draw.choice(choices[key])
    return {
        "method": draw.choice(["kmeans", "kmeans++", "em", "em", "dbscan", "linkage", "linkage", "x", None]),
        "points": points,
        "parameters": parameters if draw.chance(0.95) else draw.choice(ODD_JSON),
    }


def _upload(draw: Draw, name: str) -> tuple[dict[str, str], bytes]:
    if draw.chance(0.4):
        about = name if name in ("clouds", "mixed") else "clouds"
        content = saved(about) if draw.chance(0.3) else damaged(draw, saved(about))[0]
        return {"x-file-name": "book.coterie.json"}, content
    file = draw_file(draw)
    given = draw.choice(
        [
            f"table{file.suffix}",
            f"..%2f..%2f{file.suffix}",
            f"é\x00{file.suffix}",
            "x" * 400 + file.suffix,
            "none",
            "",
        ]
    )
    return ({"x-file-name": given} if draw.chance(0.95) else {}), file.content


# --- who carries them ---------------------------------------------------------------------------------------


def _directly(case: Case, session: Session, name: str) -> int:
    call = draw_call(case.draw, session, name)
    words = f"{call.method} {call.path} {dict(call.query)} {call.body[:400]!r}"
    found = case.attempt(words, lambda: answer(session, call))
    judge(found, words)
    return int(found.status)


def _through_widget(case: Case, session: Session, name: str) -> int:
    draw = case.draw
    call = draw_call(draw, session, name)
    message: Any = {"kind": "request", "id": 1, "method": call.method, "path": call.path}
    if draw.chance(0.3):
        message[draw.choice(["path", "method", "headers", "json"])] = draw.choice(ODD_JSON)
    buffers = [memoryview(call.body)] if draw.chance(0.5) else []
    words = f"the widget hears {message!r} {call.body[:200]!r}"[:1500]
    found = case.attempt(words, lambda: reply_to(session, message, buffers))
    judge(found, words)
    return int(found.status)


def _through_guard(case: Case, session: Session, name: str) -> int:
    """Send a request as a server would get it: without the token, or from elsewhere, it is refused."""
    draw = case.draw
    call = draw_call(draw, session, name)
    host = draw.choice(
        [f"127.0.0.1:{PORT}", f"localhost:{PORT}", f"127.0.0.1:{PORT}", "evil.example", "127.0.0.1", ""]
    )
    headers = [(b"host", host.encode())]
    token = draw.choice([TOKEN, TOKEN, TOKEN, TOKEN[:-1], TOKEN + "x", "", "é", TOKEN.upper(), "%00"])
    how = draw.choice(["cookie", "query", "bearer", "basic"])
    query = b""
    if how == "cookie":
        headers.append(
            (
                b"cookie",
                f"{draw.choice(['x=1; ', '', 'a=;;==; '])}coterie-{PORT}={token}".encode(
                    "latin-1", "replace"
                ),
            )
        )
    elif how == "query":
        query = f"token={token}".encode("latin-1", "replace")
    else:
        headers.append(
            (
                b"authorization",
                f"{'Bearer' if how == 'bearer' else 'Basic'} {token}".encode("latin-1", "replace"),
            )
        )
    origin = draw.choice([None, None, f"http://127.0.0.1:{PORT}", "https://evil.example", "null"])
    if origin is not None:
        headers.append((b"origin", origin.encode()))
    if draw.chance(0.1):
        headers.append((b"content-length", draw.choice([b"x", b"-1", b"9" * 30, "٣".encode(), b"0"])))
    scope = {
        "type": "http",
        "method": call.method or "GET",
        "path": call.path or "/",
        "raw_path": call.path.encode(errors="replace"),
        "query_string": query,
        "headers": headers,
        "scheme": "http",
        "http_version": "1.1",
        "server": ("127.0.0.1", PORT),
        "client": ("127.0.0.1", 9),
        "root_path": "",
        "asgi": {"version": "3.0"},
    }
    if scope["path"] == "/api/events":
        return 200
    may = (
        token == TOKEN
        and how != "basic"
        and host.endswith(str(PORT))
        and origin in (None, f"http://127.0.0.1:{PORT}")
    )
    words = f"the server gets {call.method} {call.path} {headers} {query!r}"
    found = case.attempt(words, lambda: asyncio.run(_served(session, scope, call.body)))
    expect(may or found.status == 403, "the explorer answers who may not ask", f"{found.status} {words}")
    missing = [key for key in HEADERS if found.headers.get(key) != HEADERS[key]]
    expect(not missing, "the explorer: an answer without its headers", f"{missing} {words}")
    if call.method in ("GET", "POST"):
        judge(found, words, more=(403, 405))
    return int(found.status)


async def _served(session: Session, scope: dict[str, Any], body: bytes) -> Reply:
    sent: list[dict[str, Any]] = []
    waiting = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> dict[str, Any]:
        return waiting.pop() if waiting else {"type": "http.disconnect"}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    await Guard(make_app(session), port=PORT, token=TOKEN)(scope, receive, send)
    headers = {name.decode(): value.decode("latin-1") for name, value in sent[0]["headers"]}
    content = b"".join(one.get("body", b"") for one in sent[1:])
    return Reply(content, headers.get("content-type", ""), int(sent[0]["status"]), headers)


def judge(found: Reply, words: str, more: tuple[int, ...] = ()) -> None:
    """Expect a known status, JSON that browsers read, errors in a sentence of ours, headers of one line."""
    expect(found.status in {*STATUSES, *more}, f"the explorer: status {found.status}", words)
    for name, value in found.headers.items():
        is_plain = value.isascii() and not any(sign in value for sign in "\r\n\0")
        expect(is_plain, f"the explorer: a header that is not plain: {name}", f"{value!r} {words}")
    if not found.type.startswith("application/json"):
        return
    try:
        value = json.loads(found.body, parse_constant=_refuse_constant)
    except ValueError as error:
        raise Finding("the explorer: an answer that is not JSON", f"{error} {words}") from None
    if found.status >= 400:
        text = value.get("error", "")
        expect(
            0 < len(text) <= LONGEST_MESSAGE,
            "the explorer: an error without a sentence",
            f"{text[:300]!r} {words}",
        )
        foreign = FOREIGN_WORDS.search(text)
        expect(
            foreign is None,
            f"the explorer: foreign words {foreign.group()!r}" if foreign else "",
            f"{text} {words}",
        )


def _refuse_constant(text: str) -> None:
    raise ValueError(text)
