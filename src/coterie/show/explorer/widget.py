"""The explorer in a notebook: the same page, talking through the notebook instead of a port."""

from __future__ import annotations

from importlib.resources import files
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from coterie._support.optional import require
from coterie._support.typing import JsonObject
from coterie.show.explorer.routes import Call, Reply, answer
from coterie.show.explorer.security import MOST_BODY, MOST_UPLOAD, UPLOAD
from coterie.show.explorer.session import Session
from coterie.workbook import Workbook


def call_of(message: JsonObject, buffers: list[memoryview]) -> Call:
    """Return the request that a message of the page holds."""
    import json

    address = urlsplit(str(message.get("path", "")))
    body = bytes(buffers[0]) if buffers else b""
    if not buffers and message.get("json") is not None:
        body = json.dumps(message["json"]).encode()
    headers = message.get("headers")
    headers = headers if isinstance(headers, dict) else {}
    return Call(
        str(message.get("method", "GET")),
        address.path,
        dict(parse_qsl(address.query, keep_blank_values=True)),
        {str(name).lower(): str(value) for name, value in headers.items()},
        body,
    )


def reply_to(session: Session, message: JsonObject, buffers: list[memoryview]) -> Reply:
    """Return the answer to a message, under the limits of the server."""
    call = call_of(message, buffers)
    most = MOST_UPLOAD if call.path == UPLOAD else MOST_BODY
    if len(call.body) > most:
        return Reply(b'{"error": "That is too much to be sent at once."}', status=413)
    return answer(session, call)


def make_widget(session: Session) -> Any:
    """Return a widget that shows a session."""
    anywidget = require("anywidget", extra="notebook", purpose="The explorer in a notebook")
    folder = files("coterie.show.explorer") / "static"

    class ExplorerWidget(anywidget.AnyWidget):  # type: ignore[misc, name-defined]
        """The explorer, in a cell of a notebook."""

        _esm = (folder / "widget.js").read_text(encoding="utf-8")
        _css = (folder / "explorer.css").read_text(encoding="utf-8")

        def __init__(self) -> None:
            super().__init__()
            self._session = session
            self.on_msg(self._hear)
            self._end = session.listen(self._tell)

        @property
        def workbook(self) -> Workbook:
            """The workbook as it is now, whoever changed it."""
            return session.need()

        def _hear(self, _widget: object, message: object, buffers: list[memoryview]) -> None:
            if not isinstance(message, dict) or message.get("kind") != "request":
                return
            found = reply_to(session, message, buffers)
            headers = {
                "content-type": found.type,
                **{name.lower(): one for name, one in found.headers.items()},
            }
            told = {"kind": "response", "id": message.get("id"), "status": found.status, "headers": headers}
            self.send(told, buffers=[found.body])

        def _tell(self, name: str, facts: JsonObject) -> None:
            self.send({"kind": "event", "name": name, "data": facts})

        def close(self) -> None:
            """Take it away, and end what it computes."""
            self._end()
            session.close()
            super().close()

    return ExplorerWidget()
