"""The server: FastAPI behind a guard, uvicorn on 127.0.0.1, ended by Ctrl-C together with its worker."""

from __future__ import annotations

import asyncio
import contextlib
import json
import secrets
import signal
import socket
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING, Any

from coterie._support.optional import require
from coterie._support.typing import JsonObject
from coterie.errors import FileProblem, InvalidParameter
from coterie.show.explorer.routes import Call, Reply, answer, reply
from coterie.show.explorer.security import Guard, Refused
from coterie.show.explorer.session import Session

if TYPE_CHECKING:
    from starlette.responses import Response

HOST = "127.0.0.1"
BEAT_SECONDS = 15.0  # between two signs of life of a stream of events
GRACE_SECONDS = 1  # that open connections have when the server ends
MOST_WAITING = 1_000  # events of a page that does not read them


def make_app(session: Session) -> Any:
    """Return the application without the guard."""
    require("uvicorn", extra="explore", purpose="The explorer")
    fastapi = require("fastapi", extra="explore", purpose="The explorer")
    from starlette.concurrency import run_in_threadpool
    from starlette.requests import Request
    from starlette.responses import Response, StreamingResponse

    app = fastapi.FastAPI(title="Coterie explorer", docs_url=None, redoc_url=None, openapi_url=None)

    async def events(request: Request) -> StreamingResponse:
        return StreamingResponse(_stream(session), media_type="text/event-stream")

    async def anything(request: Request) -> Response:
        try:
            body = await request.body()
        except Refused as error:
            return _response(reply({"error": error.text}, error.status), Response)
        call = Call(
            request.method,
            request.url.path,
            dict(request.query_params),
            {name.lower(): value for name, value in request.headers.items()},
            body,
        )
        return _response(await run_in_threadpool(_answer, session, call), Response)

    async def unmatched(request: Request, _: Exception) -> Response:
        return await anything(request)  # the pattern below stops at the end of a line

    app.add_route("/api/events", events, methods=["GET"])
    app.add_route("/{path:path}", anything, methods=["GET", "POST"])
    app.add_exception_handler(404, unmatched)
    return app


def _answer(session: Session, call: Call) -> Reply:
    try:
        return answer(session, call)
    except KeyboardInterrupt:  # Polars raises it in whatever thread it works in when Ctrl-C is pressed
        return reply({"error": "The explorer is ending."}, 503)


def _response(found: Reply, kind: type[Response]) -> Response:
    return kind(found.body, status_code=found.status, media_type=found.type, headers=dict(found.headers))


async def _stream(session: Session) -> AsyncIterator[bytes]:
    """Yield events as they happen, and a sign of life now and then."""
    loop, waiting = asyncio.get_running_loop(), asyncio.Queue[tuple[str, JsonObject]](MOST_WAITING)

    def put(event: tuple[str, JsonObject]) -> None:
        with contextlib.suppress(asyncio.QueueFull):
            waiting.put_nowait(event)

    def hear(name: str, facts: JsonObject) -> None:
        loop.call_soon_threadsafe(put, (name, facts))

    end = session.listen(hear)
    try:
        yield _event("state", {"revision": session.revision})
        while not session.is_closed:
            try:
                name, facts = await asyncio.wait_for(waiting.get(), BEAT_SECONDS)
            except TimeoutError:
                yield b": beat\n\n"
                continue
            yield _event(name, facts)
            if name == "closed":
                return
    finally:
        end()


def _event(name: str, facts: JsonObject) -> bytes:
    return f"event: {name}\ndata: {json.dumps(facts)}\n\n".encode()


class ExplorerServer:
    """A server on a port of this machine, with a token.

    Parameters
    ----------
    session : Session
        What it serves.
    listening : socket
        From `bind`.
    """

    def __init__(self, session: Session, listening: socket.socket) -> None:
        uvicorn = require("uvicorn", extra="explore", purpose="The explorer")
        self.session = session
        self.token = secrets.token_urlsafe(24)
        self._socket = listening
        self.port = int(self._socket.getsockname()[1])
        app = Guard(make_app(session), port=self.port, token=self.token)
        config = uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,
            server_header=False,
            date_header=False,
            lifespan="off",
            ws="none",
            timeout_graceful_shutdown=GRACE_SECONDS,
            h11_max_incomplete_event_size=64 * 1024,
        )
        self._server = uvicorn.Server(config)
        self._thread: threading.Thread | None = None
        self.was_ended = False  # by Ctrl-C or SIGTERM

    @property
    def url(self) -> str:
        """The address that opens the page."""
        return f"http://{HOST}:{self.port}/?token={self.token}"

    def run(self) -> None:
        """Serve until Ctrl-C or SIGTERM; then the worker is gone, too."""
        before = {kind: signal.getsignal(kind) for kind in (signal.SIGINT, signal.SIGTERM)}

        def end(number: int, frame: object) -> None:
            self.was_ended = True
            self._server.should_exit = True
            threading.Thread(target=self.session.close, daemon=True).start()

        self._server.install_signal_handlers = lambda: None
        with _no_capture(self._server):
            for kind in before:
                signal.signal(kind, end)
            try:
                self._server.run(sockets=[self._socket])
            finally:
                for kind, handler in before.items():
                    signal.signal(kind, handler)
                self.close()

    def start(self) -> ExplorerServer:
        """Serve in the background, from a notebook for example."""
        with _no_capture(self._server):
            self._thread = threading.Thread(
                target=self._server.run, kwargs={"sockets": [self._socket]}, name="explorer", daemon=True
            )
            self._thread.start()
        return self

    def close(self) -> None:
        """End server and worker."""
        self.session.close()
        self._server.should_exit = True
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(timeout=5)
        with contextlib.suppress(OSError):
            self._socket.close()


@contextlib.contextmanager
def _no_capture(server: Any) -> Iterator[None]:
    """Keep uvicorn from handling signals itself: it would raise them again after it ended."""

    @contextlib.contextmanager
    def nothing() -> Iterator[None]:
        yield

    server.capture_signals = nothing
    yield


def bind(port: int) -> socket.socket:
    """Return a socket of this machine that nobody else can reach."""
    if not 0 <= port <= 65_535:
        raise InvalidParameter(f"port must be from 0 to 65535, got {port}.").in_shell(
            f"--port must be from 0 to 65535, got {port}."
        )
    found = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    if sys.platform != "win32":
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((HOST, port))
    except OSError as error:
        found.close()
        raise FileProblem(
            f"port {port} cannot be used ({error.strerror}). Use port=0, which takes a free one."
        ).in_shell(
            f"port {port} cannot be used ({error.strerror}). Leave --port out: a free one is taken."
        ) from None
    found.listen(128)
    return found
