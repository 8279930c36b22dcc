"""Opens the explorer of the installed package in a browser: its page needs the wheel alone, and no Node.

``python explorer_page.py BROWSER``, with an interpreter that has coterie[explore] and playwright.
"""

import json
import os
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

FLAGS = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
PATIENCE = 120  # seconds for the groups to be found, on a busy machine


def main(browser: str) -> None:
    """Start ``coterie explore``, fetch what it serves, and look at what the browser makes of it."""
    command = [Path(sys.executable).parent / "coterie", "explore", "set:iris", "--port", "0", "--no-open"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    try:
        url = server.stdout.readline().strip()
        base, token = url.split("/?token=")
        bundle = len(get(f"{base}/assets/explorer.js", token))
        assert bundle > 50_000, bundle
        n_groups = wait_for_groups(base, token)
        n_shown, n_colours = look(url, browser)
        assert n_shown == n_groups, f"{n_shown} groups on the page, {n_groups} found"
        assert n_colours > n_groups, f"{n_colours} colours on the map of {n_groups} groups"
        print(f"coterie explore: {n_groups} groups on the page, bundle of {bundle / 1e3:.0f} kB", flush=True)
    finally:
        server.terminate()
        server.wait(10)
        server.stdout.close()


def get(url: str, token: str) -> bytes:
    """Return the body of an address of the server."""
    request = urllib.request.Request(url, headers={"Authorization": f"Bearer {token}"})
    with urllib.request.urlopen(request, timeout=30) as answer:
        body: bytes = answer.read()
    return body


def wait_for_groups(base: str, token: str) -> int:
    """Return the number of groups, when the first fit has ended."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        state = json.loads(get(f"{base}/api/state", token))
        if state["groups"] and not state["job"]:
            return len(state["groups"])
        time.sleep(0.5)
    raise AssertionError(f"no groups after {PATIENCE} s")


def look(url: str, executable: str) -> tuple[int, int]:
    """Return how many groups the page lists, and how many colours its map has."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        # the browser may call what it likes; Coterie was started without it
        environment = {**os.environ, "PATH": os.defpath}
        browser = play.chromium.launch(executable_path=executable, args=FLAGS, env=environment)
        page = browser.new_page()
        problems: list[str] = []
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.goto(url)
        page.wait_for_selector('[data-testid="group-row"]', timeout=1000 * PATIENCE)
        page.evaluate("() => window.coterie.ready")
        picture = page.locator('[data-testid="map"]').screenshot()
        n_shown = page.locator('[data-testid="group-row"]').count()
        browser.close()
    assert not problems, problems
    return n_shown, count_colours(picture)


def count_colours(png: bytes) -> int:
    """Return the number of colours of a picture."""
    from io import BytesIO

    from PIL import Image

    colours = Image.open(BytesIO(png)).convert("RGB").getcolors(1 << 24)
    return len(colours or [])


if __name__ == "__main__":
    main(sys.argv[1])
