"""Take the pictures of docs/explorer.md and the animation of the README: `make explorer-pictures`.

Needs Chromium and playwright. The explorer itself is driven, on the embedded customers: what is shown is what
it does.
"""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw

FOLDER = Path(__file__).parent / "explorer"
WIDE, NARROW = {"width": 1280, "height": 800}, {"width": 400, "height": 860}
COMMON, RARE = 96, 120  # colours of a picture: those of the ground and of letters, and those far from them
FRAME_WIDTH = 960
CHROMIUM = ("--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader")
NAMES = ("students", "families", "commuters", "pensioners", "bargain hunters")
ARROW = ((0, 0), (0, 17), (4, 13), (7, 20), (10, 19), (7, 12), (13, 12))


def palette_of(image: Image.Image) -> Image.Image:
    """Return a palette with the commonest colours as they are, and others that cover the rest."""
    counted = image.getcolors(image.width * image.height) or []
    common = [colour for _, colour in sorted(counted, reverse=True)[:COMMON]]
    spread = image.quantize(RARE, method=Image.Quantize.MAXCOVERAGE).getpalette() or []
    found = Image.new("P", (1, 1))
    found.putpalette([part for colour in common for part in colour] + spread[: 3 * RARE])
    return found


class Camera:
    """A page of the explorer, and the frames that were taken of it."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.frames: list[tuple[Image.Image, int]] = []
        self.mouse = (640.0, 400.0)

    def until(self, claim: str, seconds: float = 120.0) -> None:
        """Wait for a claim about the page."""
        limit = time.monotonic() + seconds
        while not self.page.evaluate(claim):
            if time.monotonic() > limit:
                raise TimeoutError(claim)
            self.page.wait_for_timeout(50)

    def idle(self) -> None:
        """Wait until nothing is computed or drawn."""
        self.until("!coterie.page.store.job && !coterie.page.store.isBusy && !coterie.page.store.isMapComing")
        self.page.wait_for_timeout(700)

    def image(self) -> Image.Image:
        """Return what the page shows."""
        return Image.open(io.BytesIO(self.page.screenshot())).convert("RGB")

    def keep(self, name: str) -> None:
        """Write what the page shows as a picture."""
        shown = self.image()
        reduced = shown.quantize(palette=palette_of(shown), dither=Image.Dither.NONE)
        reduced.save(FOLDER / f"{name}.png", optimize=True)

    def frame(self, milliseconds: int) -> None:
        """Add what the page shows to the animation, with the pointer."""
        shown = self.image()
        x, y = self.mouse
        arrow = [(x + dx, y + dy) for dx, dy in ARROW]
        ImageDraw.Draw(shown).polygon(arrow, fill="white", outline="black")
        size = (FRAME_WIDTH, FRAME_WIDTH * shown.height // shown.width)
        self.frames.append((shown.resize(size, Image.Resampling.LANCZOS), milliseconds))

    def move(self, x: float, y: float) -> None:
        """Move the pointer."""
        self.page.mouse.move(x, y, steps=3)
        self.mouse = (x, y)

    def click(self, testid: str) -> None:
        """Show the pointer on a button, and click it."""
        box = self.page.get_by_test_id(testid).first.bounding_box()
        self.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        self.frame(600)
        self.page.mouse.click(*self.mouse)

    def write(self, path: Path) -> None:
        """Write the animation: frames share one palette, so that only what changes is stored."""
        palette = palette_of(self.frames[-1][0])
        found = [image.quantize(palette=palette, dither=Image.Dither.NONE) for image, _ in self.frames]
        times = [milliseconds for _, milliseconds in self.frames]
        found[0].save(path, save_all=True, append_images=found[1:], duration=times, loop=0, optimize=True)


def main() -> None:
    """Take all pictures."""
    from playwright.sync_api import sync_playwright

    FOLDER.mkdir(exist_ok=True)
    chromium = shutil.which("chromium") or shutil.which("google-chrome")

    with tempfile.TemporaryDirectory() as state, sync_playwright() as running:
        server = _serve(state)
        try:
            assert server.stdout is not None
            url = server.stdout.readline().strip()
            browser = running.chromium.launch(executable_path=chromium, args=list(CHROMIUM))
            _still(_open(browser, url, WIDE))
            _animate(_open(browser, url, WIDE))
            _narrow(_open(browser, url, NARROW))
            browser.close()
        finally:
            server.terminate()
            server.wait(20)


def _serve(state: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "coterie", "explore", "set:customers", "--port", "0", "--no-open"]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env={**os.environ, "COTERIE_STATE": state}
    )


def _open(browser: Any, url: str, size: dict[str, int]) -> Camera:
    page = browser.new_context(viewport=size, accept_downloads=True).new_page()
    page.goto(url)
    camera = Camera(page)
    camera.until("Boolean(globalThis.coterie?.ready) && coterie.state().k > 0")
    camera.idle()
    return camera


def _still(camera: Camera) -> None:
    for at, name in enumerate(NAMES):
        camera.page.evaluate(
            "([at, name]) => { const {store} = coterie.page, group = store.groups[at];"
            " return group ? store.apply({op: 'rename', group: group.id, name}) : null; }",
            [at, name],
        )
    camera.page.get_by_test_id("group-row").first.click()
    camera.move(640, 780)
    camera.idle()
    camera.keep("groups")
    camera.page.get_by_test_id("theme").click()
    camera.page.locator("[data-chart=columns]").click()
    camera.idle()
    camera.keep("groups-dark")
    camera.page.get_by_test_id("theme").click()
    for place in ("data", "method", "teach"):
        camera.page.evaluate("place => coterie.page.store.go(place)", place)
        camera.idle()
        if place == "teach":
            camera.page.locator("#coterie-lesson").select_option("em")
            camera.page.wait_for_timeout(800)
            for _ in range(6):
                if camera.page.get_by_test_id("teach-step").is_enabled():
                    camera.page.get_by_test_id("teach-step").click()
        camera.keep(place)
    camera.page.evaluate("coterie.page.store.go('groups')")
    camera.idle()


def _animate(camera: Camera) -> None:
    """Lasso, split, test again, export."""
    box = camera.page.get_by_test_id("map").bounding_box()
    rows = "coterie.page.store.rowsOf(coterie.page.store.groups[1])"
    corners = camera.page.evaluate(
        f"""() => {{ const {{map}} = coterie.page, grid = map.grid(), rows = new Set({rows});
          let box = [1e9, 1e9, -1e9, -1e9];
          for (let at = 0; at < grid.count; at += 1) {{ if (!rows.has(grid.order[at])) continue;
            const [x, y] = map.camera.toScreen(grid.places[2 * at], grid.places[2 * at + 1]);
            box = [Math.min(box[0], x), Math.min(box[1], y), Math.max(box[2], x), Math.max(box[3], y)]; }}
          return box; }}"""
    )
    left, top, right, bottom = corners
    points = [(left - 4, top + 20), (left + 25, top - 6), (right - 25, top - 6), (right + 4, top + 30)]
    points += [
        (right + 2, bottom - 20),
        (right - 20, bottom + 4),
        (left + 15, bottom + 4),
        (left - 4, bottom - 25),
    ]
    points = [(box["x"] + x, box["y"] + y) for x, y in points]
    camera.frame(1200)
    camera.move(*points[0])
    camera.page.mouse.down()
    for point in [*points[1:], points[0]]:
        camera.move(*point)
        camera.page.wait_for_timeout(120)
        camera.frame(160)
    camera.page.mouse.up()
    camera.idle()
    camera.frame(1600)
    camera.page.get_by_test_id("group-row").nth(1).click()
    camera.idle()
    camera.click("split")
    camera.page.wait_for_timeout(400)
    camera.frame(500)
    camera.idle()
    camera.frame(1800)
    camera.click("test-again")
    camera.page.wait_for_timeout(900)
    camera.frame(900)
    camera.idle()
    camera.frame(1800)
    camera.click("export")
    camera.page.wait_for_timeout(300)
    camera.frame(2600)
    camera.page.keyboard.press("Escape")
    camera.page.evaluate("coterie.page.store.go('compare')")
    camera.idle()
    camera.keep("compare")
    camera.page.evaluate("coterie.page.store.go('groups')")
    camera.write(FOLDER / "explorer.gif")


def _narrow(camera: Camera) -> None:
    camera.page.get_by_test_id("map").scroll_into_view_if_needed()
    camera.idle()
    camera.page.evaluate("scrollTo(0, 120)")
    camera.keep("narrow")


if __name__ == "__main__":
    main()
