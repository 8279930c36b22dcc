"""Attempts to break in: every request that is not from the page of this session is refused."""

from __future__ import annotations

import hashlib
import hmac
import json
import socket
import sys

import httpx
import pytest

from coterie.show.explorer.rejoin import PageSecret
from coterie.show.explorer.security import MOST_BODY, Guard

PATHS = [
    "/",
    "/api/state",
    "/api/labels",
    "/assets/explorer.js",
    "/api/events",
    "/api/export/labels.csv",
    "/x",
]


def raw(client, text):
    """Return the first line of the answer to bytes that no library would send."""
    with socket.create_connection(("127.0.0.1", client.server.port), timeout=10) as found:
        found.sendall(text.encode("latin-1"))
        return found.recv(4096).decode("latin-1").partition("\r\n")[0]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("token", [None, "", "wrong", "é", "%00"])
def test_nothing_without_the_token(client, path, token):
    """No token, a wrong one, another's cookie: 403 for the page, its files and every address."""
    address = f"http://127.0.0.1:{client.server.port}{path}"
    query = {} if token is None else {"token": token}
    cookies = {f"coterie-{client.server.port}": "wrong", "coterie-1": client.server.token}
    assert httpx.get(address, params=query).status_code == 403
    assert (
        httpx.get(
            address, params=query, headers={"cookie": "; ".join(map("=".join, cookies.items()))}
        ).status_code
        == 403
    )
    assert httpx.post(address, params=query).status_code == 403


def test_the_token_opens_by_cookie_query_or_header(client):
    """The page's address sets a cookie that scripts cannot read and other sites do not send."""
    server = client.server
    found = httpx.get(server.url)
    cookie = found.headers["set-cookie"]
    assert found.status_code in (200, 404)  # 404: the bundle is not built
    assert cookie.startswith(f"coterie-{server.port}={server.token}")
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert client.get("/api/state").status_code == 200
    address = f"http://127.0.0.1:{server.port}/api/state"
    assert httpx.get(address, headers={"authorization": f"Bearer {server.token}"}).status_code == 200
    assert httpx.get(address, headers={"authorization": f"Basic {server.token}"}).status_code == 403


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1", "127.0.0.1:1", "localhost.evil.example", "[::1]", ""]
)
def test_a_foreign_host_is_refused(client, host):
    """DNS rebinding: a name that resolves to this machine is not this server, token or not."""
    found = client.http.get("/api/state", headers={"host": host} if host else {"host": "x"})
    assert found.status_code == 403
    assert "127.0.0.1 only" in found.json()["error"]
    assert (
        client.http.get(
            "/api/state",
            headers={
                "host": f"localhost:{client.server.port}",
                "authorization": f"Bearer {client.server.token}",
            },
        ).status_code
        == 200
    )


def test_two_hosts_are_refused(client):
    """Two Host headers: whoever reads the other one would be fooled."""
    port, token = client.server.port, client.server.token
    line = f"GET /api/state?token={token} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nHost: evil.example\r\n\r\n"
    assert raw(client, line).split()[1] in ("400", "403")


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:1", "https://127.0.0.1"])
def test_a_foreign_origin_is_refused(client, origin):
    """Another page cannot make the browser of the user do something, even with the cookie."""
    found = client.http.post("/api/undo", headers={"origin": origin})
    assert found.status_code == 403
    assert "access-control-allow-origin" not in found.headers
    assert client.http.options("/api/undo", headers={"origin": origin}).status_code == 403
    own = f"http://127.0.0.1:{client.server.port}"
    assert (
        client.http.post("/api/undo", headers={"origin": own}).status_code == 400
    )  # there is nothing to undo
    cross = client.http.post("/api/undo", headers={"sec-fetch-site": "cross-site"})
    assert cross.status_code == 403


def test_every_answer_has_the_headers(client):
    """A strict policy without inline script or eval, no sniffing, no referrer, nothing kept, no CORS."""
    for path in (*PATHS[:4], "/nowhere"):
        headers = client.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'; script-src 'self';" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cache-control"] == "no-store"
        assert not [name for name in headers if name.startswith("access-control")]
        assert "server" not in headers
    assert "content-security-policy" in httpx.get(f"http://127.0.0.1:{client.server.port}/").headers


@pytest.mark.parametrize(
    "name",
    [
        "../server.py", "..%2Fserver.py", "%2e%2e/server.py", "..\\server.py", "/etc/passwd",
        "%2Fetc%2Fpasswd", "./index.html", "index.html%00.js", "page/main.js", "server.py", "",
        "....//server.py",
    ],
)  # fmt: skip
def test_assets_are_files_of_one_folder(client, name):
    """Names of files are looked up in a list; no path is made of them."""
    token = client.server.token
    text = f"GET /assets/{name}?token={token} HTTP/1.1\r\nHost: 127.0.0.1:{client.server.port}\r\n\r\n"
    assert raw(client, text).split()[1] == "404"


@pytest.mark.parametrize(
    "name", ["../out", "/tmp/out", "a/b", "..", ".hidden", "a\\b", "c:x", "a\0b", "x" * 300, {"a": 1}, 7]
)
def test_workbooks_are_saved_beside_the_data_only(fitted, table, name):
    """A name from the page is a plain file name, never a path."""
    before = {path.name for path in table.parent.iterdir()}
    found = fitted.post("/api/save", {"path": name})
    assert found.status_code == 400
    assert {path.name for path in table.parent.iterdir()} == before


@pytest.mark.parametrize("what", ["../labels.csv", "labels.csv/..", "passwd", "", "labels.csv%00"])
def test_exports_are_those_of_a_list(fitted, what):
    """Other names than those of the list are not there."""
    assert fitted.get(f"/api/export/{what}").status_code in (404, 400)


def proof_of(secret, nonce):
    """Return what a page answers to a number."""
    return hmac.new(bytes.fromhex(secret), nonce.encode(), hashlib.sha256).hexdigest()


def test_a_page_of_the_server_before_gets_a_cookie_for_its_proof(tmp_path):
    """The next server on the port knows the secret; a proof counts once, and for its own number."""
    first = Guard(None, port=5, token="first")
    second = Guard(None, port=5, token="second")
    assert first.secret.value == second.secret.value
    assert Guard(None, port=6, token="x").secret.value != second.secret.value
    nonce, other = second.secret.ask(), second.secret.ask()
    proof = proof_of(first.secret.value.hex(), nonce)
    for wrong in (
        (other, proof),
        (nonce, proof[:-1]),
        ("", proof),
        (nonce, None),
        (None, proof),
        ([nonce], "é"),
    ):
        assert not second.secret.accepts(*wrong)
    assert not second.secret.accepts(nonce, proof)  # it was used up by the wrong one above
    nonce = second.secret.ask()
    assert second.secret.accepts(nonce, proof_of(first.secret.value.hex(), nonce))
    assert not second.secret.accepts(nonce, proof_of(first.secret.value.hex(), nonce))


def test_rejoining_over_http(client):
    """Only a page with the token is given the secret; a proof gives the cookie, anything else 403."""
    address = f"http://127.0.0.1:{client.server.port}/api/rejoin"
    assert httpx.get(address).status_code == 403
    secret = client.get("/api/rejoin").json()["secret"]
    nonce = httpx.post(address, json={}).json()["nonce"]
    found = httpx.post(address, json={"nonce": nonce, "proof": proof_of(secret, nonce)})
    assert found.status_code == 200
    assert client.server.token in found.headers["set-cookie"]
    assert "HttpOnly" in found.headers["set-cookie"]
    for body in (
        {"nonce": nonce, "proof": proof_of(secret, nonce)},
        {"nonce": 1, "proof": {}},
        [],
        "x",
        {"a": 1},
    ):
        found = httpx.post(address, json=body)
        assert found.status_code == 403
        assert "set-cookie" not in found.headers
    assert httpx.post(address, content=b"[" * 100_000).status_code == 403
    for headers in (
        {"origin": "http://evil.example"},
        {"host": "evil.example"},
        {"sec-fetch-site": "cross-site"},
    ):
        assert httpx.post(address, json={}, headers=headers).status_code == 403


@pytest.mark.skipif(sys.platform == "win32", reason="permissions of POSIX")
def test_a_secret_that_others_could_read_is_not_used(tmp_path):
    """The file is its user's alone; one that others may read, a link or half of one is made anew."""
    first = PageSecret(5).value
    (path,) = (tmp_path / "state").glob("*.secret")
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert PageSecret(5).value == first
    path.chmod(0o644)
    second = PageSecret(5).value
    assert second != first
    assert path.stat().st_mode & 0o777 == 0o600
    elsewhere = path.rename(tmp_path / "elsewhere")
    path.symlink_to(elsewhere)
    assert PageSecret(5).value != second
    assert elsewhere.read_bytes() == second
    path.write_bytes(b"half")
    assert len(PageSecret(5).value) == len(first)
    for port in range(1, 200):
        PageSecret(port)
    assert len(list(path.parent.glob("*.secret"))) <= 50


def test_large_bodies_are_refused(client):
    """More than 64 MiB is refused by its length before it is read, and by count where no length is said."""
    port, token = client.server.port, client.server.token
    head = f"POST /api/operations?token={token} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
    assert raw(client, f"{head}Content-Length: {MOST_BODY + 1}\r\n\r\n").split()[1] == "413"
    assert raw(client, f"{head}Content-Length: 99999999999999999999\r\n\r\n").split()[1] in ("400", "413")
    chunks = (bytes(1 << 20) for _ in range((MOST_BODY >> 20) + 1))
    try:
        found = client.http.post("/api/operations", content=chunks)
        assert found.status_code == 413
    except httpx.WriteError:
        pass  # the server hung up, as it may
    assert client.get("/api/state").status_code == 200


@pytest.mark.parametrize(
    "body", ["", "[]", "3", "{", '{"op": NaN}', '{"op": "fit", "x": 1}', "[" * 100_000, "\x00"]
)
def test_strange_bodies_are_refused_in_words(client, body):
    """What is not an operation is answered with a sentence, never with a traceback."""
    found = client.http.post("/api/operations", content=body)
    assert found.status_code == 400
    assert found.json()["error"].endswith((".", ")"))


def test_hostile_names_and_cells_stay_text(client, tmp_path):
    """Markup in names, cells and columns is text in JSON; control characters are visible escapes."""
    rows = "\n".join(f'"<script>alert({at})</script>\x1b[2J",{at},{at % 7}' for at in range(40))
    body = f'"<b>key</b>",x,y\n{rows}\n'.encode()
    found = client.http.post("/api/upload", content=body, headers={"X-File-Name": "%3Cimg%20src%3Dx%3E.csv"})
    assert found.status_code == 202, found.text
    client.post("/api/stop")
    state = client.do({"op": "new", "rows": [0, 1], "name": "<img src=x onerror=alert(1)>\x1b"})
    assert state["groups"][0]["name"] == "<img src=x onerror=alert(1)>\\x1b"
    assert "<" not in state["data"]["name"]
    page = client.post("/api/rows", {"limit": 2})
    assert page.headers["content-type"] == "application/json"
    assert page.json()["cells"][0][0] == "<script>alert(0)</script>\\x1b[2J"
    assert "\x1b" not in page.text
    labels = client.get("/api/export/labels.csv")
    assert labels.headers["content-disposition"].startswith("attachment")


def test_names_that_are_formulas_are_escaped_in_csv(fitted):
    """A spreadsheet must not run the name of a group."""
    fitted.do({"op": "rename", "group": "g1", "name": '=HYPERLINK("http://a")'})
    assert "'=HYPERLINK" in fitted.get("/api/export/labels.csv").text


@pytest.mark.parametrize("name", [None, "", "x.exe", "x", "..%2F..%2Fx.sh", ".csv%00.py"])
def test_uploads_of_other_kinds_are_refused(client, name):
    """Only tables are taken, by their ending."""
    headers = {} if name is None else {"X-File-Name": name}
    found = client.http.post("/api/upload", content=b"a,b\n1,2\n", headers=headers)
    assert found.status_code == 400
    assert "must end in one of" in found.json()["error"]


def test_an_uploaded_workbook_opens_no_path(client, tmp_path):
    """A workbook that is dropped names a file: it is not opened, the user did not type it."""
    secret = tmp_path / "secret.csv"
    secret.write_text("a,b\n1,2\n3,4\n")
    stored = client.get("/api/export/workbook").json()
    stored["data"] |= {"path": str(secret), "sha256": "0" * 64}
    found = client.http.post(
        "/api/upload", content=json.dumps(stored), headers={"X-File-Name": "w.coterie.json"}
    )
    assert found.status_code == 400
    assert "Drop that file first" in found.json()["error"]
    assert client.state()["data"]["name"] == "clouds.csv"


def test_no_web_sockets(client):
    """There is nothing but HTTP."""
    head = (
        f"GET /api/events?token={client.server.token} HTTP/1.1\r\nHost: 127.0.0.1:{client.server.port}\r\n"
        "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
        "Sec-WebSocket-Version: 13\r\n\r\n"
    )
    assert raw(client, head).split()[1] != "101"


def test_the_server_is_on_this_machine_only(client):
    """It is bound to 127.0.0.1, not to all addresses."""
    assert client.server._socket.getsockname()[0] == "127.0.0.1"
