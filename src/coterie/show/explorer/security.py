"""Who may talk to the server: this machine, this address, this page, and nobody without the token."""

from __future__ import annotations

import hmac
import json
from collections.abc import Awaitable, Callable, Mapping
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs

from coterie._support.typing import JsonObject, Settings
from coterie.show.explorer.rejoin import PageSecret

CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; worker-src 'self' blob:; font-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
MOST_BODY = 64 * 2**20
MOST_UPLOAD = 1 << 30
MOST_PROOF = 4096
UPLOAD = "/api/upload"
REJOIN = "/api/rejoin"  # the one address that a page without the token may ask
HEADERS = {
    "content-security-policy": CSP,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
    "cache-control": "no-store",
}
NO_TOKEN = "Open the address that coterie explore printed: it holds the token of this session."
NO_PROOF = "This server does not know this page. Open the address that coterie explore printed."
Scope = Settings
Receive = Callable[[], Awaitable[JsonObject]]
Send = Callable[[JsonObject], Awaitable[None]]


Application = Callable[[Scope, Receive, Send], Awaitable[None]]


class Refused(Exception):
    """A request that is not answered, and why."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status, self.text = status, text


def refuse(scope: Scope, *, port: int, token: str) -> None:
    """Raise `Refused` unless a request comes from the page that this server gave out.

    Parameters
    ----------
    scope : mapping
        Of ASGI.
    port : int
        Of the server: the address must be 127.0.0.1 or localhost, with this port.
    token : str
        In the cookie, in an Authorization header, or in the address of the page.
    """
    headers = _headers(scope)
    refuse_strangers(scope, headers, port)
    if not _has_token(scope, headers, port, token):
        raise Refused(403, NO_TOKEN)
    length = headers.get("content-length")
    most = MOST_UPLOAD if scope["path"] == UPLOAD else MOST_BODY
    if length is not None and (not length.isdecimal() or int(length) > most):
        raise Refused(413, f"At most {most >> 20} MiB can be sent at once.")


def refuse_strangers(scope: Scope, headers: Mapping[str, str], port: int) -> None:
    """Raise `Refused` unless a request is to this address, and from a page of it or from no page."""
    names = {f"127.0.0.1:{port}", f"localhost:{port}"}
    hosts = [value for name, value in scope["headers"] if name.lower() == b"host"]
    if len(hosts) != 1 or headers.get("host") not in names:
        raise Refused(403, "This server answers to 127.0.0.1 only.")
    origin = headers.get("origin")
    if origin is not None and origin not in {f"http://{name}" for name in names}:
        raise Refused(403, "Another page may not talk to this server.")
    if headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
        # a link on another site may open the page, which then has a token of its own or none
        is_page = scope["path"] == "/" and headers.get("sec-fetch-mode") == "navigate"
        if not is_page:
            raise Refused(403, "Another page may not talk to this server.")


def _headers(scope: Scope) -> dict[str, str]:
    return {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}


def _has_token(scope: Scope, headers: Mapping[str, str], port: int, token: str) -> bool:
    try:
        cookie = SimpleCookie(headers.get("cookie", ""))
    except CookieError:
        cookie = SimpleCookie()
    morsel = cookie.get(f"coterie-{port}")
    query = parse_qs(scope["query_string"].decode("latin-1")).get("token", [])
    bearer = headers.get("authorization", "").removeprefix("Bearer ")
    given = [*([] if morsel is None else [morsel.value]), *query, bearer]
    return any(hmac.compare_digest(one.encode(), token.encode()) for one in given)


class Guard:
    """An ASGI application that lets only the right requests through, with the right headers on answers."""

    def __init__(self, app: Application, *, port: int, token: str) -> None:
        self.app, self.port, self.token = app, port, token
        self.secret = PageSecret(port)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # no web sockets
        try:
            if await self._lets_in(scope, receive, send):
                await self._pass_on(scope, receive, send)
        except Refused as error:
            await _answer(send, error)

    async def _lets_in(self, scope: Scope, receive: Receive, send: Send) -> bool:
        """Refuse who has no right; answer who asks for one here; return whether the request goes on."""
        if scope["path"] == REJOIN and scope["method"] == "POST":
            refuse_strangers(scope, _headers(scope), self.port)
            await self._rejoin(receive, send)
            return False
        refuse(scope, port=self.port, token=self.token)
        if scope["path"] == REJOIN:
            await _reply(send, 200, {"secret": self.secret.value.hex()})
            return False
        return True

    async def _pass_on(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand a request to the application: a body that is too large is refused, the answer gets headers."""
        most = MOST_UPLOAD if scope["path"] == UPLOAD else MOST_BODY
        n_received, has_begun = 0, False

        async def counted() -> JsonObject:
            nonlocal n_received
            message = await receive()
            n_received += len(message.get("body", b""))
            if n_received > most:
                raise Refused(413, f"At most {most >> 20} MiB can be sent at once.")
            return message

        async def dressed(message: JsonObject) -> None:
            nonlocal has_begun
            if message["type"] == "http.response.start":
                has_begun = True
                own = [(name, value) for name, value in message["headers"] if name.decode() not in HEADERS]
                message = {**message, "headers": [*own, *_encoded(HEADERS)]}
                if scope["path"] == "/":
                    message["headers"].append(self._cookie())
            await send(message)

        try:
            await self.app(scope, counted, dressed)
        except Refused as error:
            if not has_begun:
                await _answer(send, error)

    def _cookie(self) -> tuple[bytes, bytes]:
        cookie = f"coterie-{self.port}={self.token}; Path=/; HttpOnly; SameSite=Strict"
        return b"set-cookie", cookie.encode()

    async def _rejoin(self, receive: Receive, send: Send) -> None:
        """Answer a page of the server that had this port before: a number first, a cookie for its proof."""
        body, is_more = b"", True
        while is_more and len(body) <= MOST_PROOF:
            message = await receive()
            body += message.get("body", b"")
            is_more = message.get("more_body", False)
        try:
            given = json.loads(body[: MOST_PROOF + 1] or b"{}")
        except (ValueError, RecursionError):
            given = None
        if given == {}:
            await _reply(send, 200, {"nonce": self.secret.ask()})
        elif isinstance(given, dict) and self.secret.accepts(given.get("nonce"), given.get("proof")):
            await _reply(send, 200, {}, self._cookie())
        else:
            raise Refused(403, NO_PROOF)


def _encoded(headers: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
    return [(name.encode(), value.encode()) for name, value in headers.items()]


async def _answer(send: Send, error: Refused) -> None:
    await _reply(send, error.status, {"error": error.text})


async def _reply(send: Send, status: int, facts: JsonObject, *more: tuple[bytes, bytes]) -> None:
    body = json.dumps(facts).encode()
    headers = {**HEADERS, "content-type": "application/json", "content-length": str(len(body))}
    await send({"type": "http.response.start", "status": status, "headers": [*_encoded(headers), *more]})
    await send({"type": "http.response.body", "body": body})
