"""Servers that tests start: a web server that can be told to fail, and one that speaks S3."""

from __future__ import annotations

import hashlib
import os
import re
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec

import pytest


class WebFiles:
    """Files of a web server, what it was asked for, and how it shall behave."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.asked: list[tuple[str, str, int]] = []  # verb, path with query, status
        self.failures = 0  # answers that are 503 before it works; -1: all
        self.has_ranges = True
        self.has_head = True
        self.cut_off = 0  # answers that end early
        self.delay = 0.0  # seconds before an answer
        self.address = ""


@contextmanager
def web_server():
    """Give a web server of files in memory."""
    state = WebFiles()

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *args):
            pass

        def do_HEAD(self):
            self.answer(with_body=False)

        def do_GET(self):
            self.answer(with_body=True)

        def answer(self, *, with_body):
            time.sleep(state.delay)
            if state.failures:
                state.failures -= 1 if state.failures > 0 else 0
                return self.say(503)
            if not with_body and not state.has_head:
                return self.say(405)
            if "/private/" in self.path:
                return self.say(403)
            content = state.files.get(self.path.partition("?")[0])
            if content is None:
                return self.say(404)
            wanted = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
            ranged = wanted is not None and state.has_ranges
            part = content[int(wanted[1]) : int(wanted[2]) + 1] if ranged else content
            headers = {"ETag": f'"{hashlib.md5(content).hexdigest()}"', "Content-Length": str(len(part))}
            if ranged:
                headers["Content-Range"] = f"bytes {wanted[1]}-{wanted[2]}/{len(content)}"
            self.say(206 if ranged else 200, headers)
            if with_body:
                short = state.cut_off > 0
                state.cut_off -= short
                self.wfile.write(part[: len(part) // 2] if short else part)
            return None

        def say(self, status, headers=None):
            state.asked.append((self.command, self.path, status))
            self.send_response(status)
            for name, value in (headers or {"Content-Length": "0"}).items():
                self.send_header(name, value)
            self.end_headers()

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    state.address = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def s3_server():
    """Give the address of a server that speaks S3, a process of its own; the environment names it."""
    for package in ("moto", "s3fs", "flask"):
        if find_spec(package) is None:
            pytest.skip(f'{package} is not installed: pip install "coterie[s3]" "moto[server]"')
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    settings = {
        "AWS_ENDPOINT_URL": address,
        "AWS_ACCESS_KEY_ID": "the-key-id",
        "AWS_SECRET_ACCESS_KEY": "the-secret-key",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ALLOW_HTTP": "true",  # of deltalake
    }
    server = subprocess.Popen(
        [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    before = {name: os.environ.get(name) for name in settings}
    os.environ |= settings
    try:
        _wait_for(server, address)
        yield address
    finally:
        for name, value in before.items():
            os.environ.pop(name) if value is None else os.environ.__setitem__(name, value)
        server.terminate()
        server.wait(20)


def _wait_for(server, address):
    for _ in range(300):
        if server.poll() is not None:
            raise RuntimeError(f"the S3 server ended with {server.returncode}")
        try:
            urllib.request.urlopen(f"{address}/moto-api/", timeout=5).close()
            return
        except OSError:
            time.sleep(0.1)
    raise RuntimeError("the S3 server does not answer")
