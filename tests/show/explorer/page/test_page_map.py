"""The map: pixels, not promises. A blank map fails here."""

import io
import time

import numpy as np
import pytest
from PIL import Image

from explorer_pages import PATIENCE, eventually, open_page

pytestmark = pytest.mark.xdist_group("browser")

BLUE, ORANGE, GREEN = (0x00, 0x72, 0xB2), (0xE6, 0x9F, 0x00), (0x00, 0x9E, 0x73)
LEAST = 60  # pixels of a colour that is there


def pixels(visit):
    """Return the map as it is seen, as rows of red, green and blue."""
    visit.settle()
    shot = visit.get("map").screenshot()
    return np.asarray(Image.open(io.BytesIO(shot)).convert("RGB"), dtype=int)


def amount(image, colour, tolerance=30):
    """Return how many pixels have a colour."""
    return int((np.abs(image - np.array(colour)).sum(axis=2) < tolerance).sum())


def drag(visit, points, **how):
    """Draw a line with the mouse, in shares of the map's width and height."""
    box = visit.get("map").bounding_box()
    places = [(box["x"] + x * box["width"], box["y"] + y * box["height"]) for x, y in points]
    mouse, keyboard = visit.page.mouse, visit.page.keyboard
    for key in how.get("keys", ()):
        keyboard.down(key)
    mouse.move(*places[0])
    mouse.down()
    for place in places[1:]:
        mouse.move(*place, steps=4)
    mouse.up()
    for key in how.get("keys", ()):
        keyboard.up(key)


def place_of(visit, row):
    """Return where a row is on the screen."""
    return visit.page.evaluate(
        """row => { const {map} = coterie.page, grid = map.grid(), at = grid.order.indexOf(row);
          const [x, y] = map.camera.toScreen(grid.places[2 * at], grid.places[2 * at + 1]);
          const box = map.element.getBoundingClientRect(); return [box.left + x, box.top + y]; }""",
        row,
    )


EVERYTHING = [(0.01, 0.02), (0.92, 0.02), (0.92, 0.6), (0.99, 0.6), (0.99, 0.98), (0.01, 0.98), (0.01, 0.02)]


def test_every_group_is_painted_in_its_colour(visit):
    """Law: the map shows points in the colour of each group; nothing of it is blank."""
    assert visit.get("map").get_attribute("data-drawn") == "points"
    for colour in (BLUE, ORANGE, GREEN):
        eventually(lambda colour=colour: amount(pixels(visit), colour) > LEAST)
    assert visit.errors == []


def test_a_selection_fades_the_others(visit):
    """Law: selected points keep their colour, those of other groups fade."""
    before = pixels(visit)
    visit.get("group-row").nth(0).click()
    eventually(lambda: amount(pixels(visit), ORANGE) < 0.2 * amount(before, ORANGE))
    assert amount(pixels(visit), BLUE) > 0.8 * amount(before, BLUE)


def test_lasso_selects_what_it_encloses(visit):
    """Law: a line around everything selects every row; Alt takes rows away, Shift adds them."""
    drag(visit, EVERYTHING)
    assert visit.state()["selection"] == list(range(150))
    assert visit.get("selection-count").inner_text() == "150 rows"
    drag(visit, EVERYTHING, keys=["Alt"])
    assert visit.state()["selection"] == []
    visit.page.evaluate("coterie.select([0])")
    drag(visit, EVERYTHING, keys=["Shift"])
    assert len(visit.state()["selection"]) == 150


def test_lasso_agrees_with_a_slow_test_of_every_point(visit):
    """Law: rows inside a line are those that a ray to the right crosses an odd number of times."""
    found, slow = visit.page.evaluate(
        """() => { const grid = coterie.page.map.grid(), line = [];
          for (let at = 0; at < 97; at += 1) {
            const t = at / 97 * 2 * Math.PI, r = 0.5 + 0.3 * Math.sin(5 * t);
            line.push([r * Math.cos(t), 0.6 * r * Math.sin(t)]); }
          const slow = [];
          for (let at = 0; at < grid.count; at += 1) {
            const x = grid.places[2 * at], y = grid.places[2 * at + 1];
            let isIn = false;
            for (let e = 0; e < line.length; e += 1) {
              const [ax, ay] = line[e], [bx, by] = line[(e + 1) % line.length];
              if (ay > y !== by > y && x < (bx - ax) * (y - ay) / (by - ay) + ax) isIn = !isIn; }
            if (isIn) slow.push(grid.order[at]); }
          return [Array.from(grid.inside(line)).sort((a, b) => a - b), slow.sort((a, b) => a - b)]; }"""
    )
    assert found == slow
    assert 0 < len(found) < 150


def test_click_takes_a_row_and_a_double_click_its_group(visit):
    """Law: a click selects the row under it, a click beside all points nothing, a double click the group."""
    visit.page.mouse.click(*place_of(visit, 7))
    assert visit.state()["selection"] == [7]
    visit.page.mouse.dblclick(*place_of(visit, 7))
    assert visit.state()["selection"] == list(range(50))
    box = visit.get("map").bounding_box()
    visit.page.mouse.click(box["x"] + 4, box["y"] + 4)
    assert visit.state()["selection"] == []


def test_zoom_and_pan_move_the_view(visit):
    """Law: the wheel zooms about the pointer, keys pan and zoom, 0 shows everything again."""
    where = place_of(visit, 7)
    visit.page.mouse.move(*where)
    visit.page.mouse.wheel(0, -600)
    visit.until("coterie.page.map.camera.zoom > 1.5")
    assert place_of(visit, 7) == pytest.approx(where, abs=1)
    first = pixels(visit)
    visit.get("map").focus()
    visit.page.keyboard.press("ArrowLeft")
    eventually(lambda: np.abs(pixels(visit) - first).sum() > 0)
    visit.page.keyboard.press("0")
    assert visit.page.evaluate("coterie.page.map.camera.zoom") == 1


def test_colour_by_a_column_repaints(visit):
    """Law: colouring by an amount paints other pixels and shows what they mean; by a category, its names."""
    before = pixels(visit)
    visit.page.get_by_label("Colour by").select_option("column width")
    visit.until("coterie.page.store.column !== null")
    visit.settle()
    eventually(lambda: amount(pixels(visit), BLUE) < 0.5 * amount(before, BLUE))
    assert visit.page.locator(".legend").is_visible()
    visit.page.get_by_label("Colour by").select_option("column kind")
    visit.until("document.querySelector('.legend').textContent.includes('green')")


def test_maps_of_other_kinds(visit):
    """Law: two columns as axes and a map that the worker computes both end in painted points."""
    visit.page.locator("[data-kind=xy]").click()
    visit.until("coterie.page.store.mapKind.kind === 'xy' && coterie.page.store.points.length === 300")
    eventually(lambda: amount(pixels(visit), BLUE) > LEAST)
    visit.page.locator("[data-kind=graph]").click()
    visit.until("!coterie.page.store.isMapComing && /graph/i.test(coterie.page.store.mapText)")
    eventually(lambda: amount(pixels(visit), BLUE) > LEAST)


def test_a_map_that_is_ready_before_its_answer_is_shown(visit):
    """Law: a worker that ends before the page hears that it began does not leave the page waiting."""

    def hold(route):
        answer = route.fetch()
        deadline = time.monotonic() + PATIENCE
        while visit.page.request.get(route.request.url).status == 202:
            assert time.monotonic() < deadline
        time.sleep(0.5)  # the event that it is ready arrives
        route.fulfill(response=answer)

    visit.apply({"op": "roles", "weights": {"height": 3.0}})  # no graph of it has been computed
    visit.page.route("**/api/map?kind=graph", hold, times=1)
    visit.page.locator("[data-kind=graph]").click()
    visit.until("!coterie.page.store.isMapComing && /graph/i.test(coterie.page.store.mapText)")


def test_a_map_that_does_not_come_leaves_the_one_that_is_shown(visit):
    """Law: a map that is stopped or refused leaves the page with the map that it shows, and its name."""
    visit.page.route("**/api/map?kind=tsne", lambda route: route.fulfill(status=202, body="{}"), times=1)
    visit.page.locator("[data-kind=tsne]").click()
    visit.until("coterie.page.store.isMapComing")
    visit.page.evaluate("coterie.page.store.stop()")
    visit.until("!coterie.page.store.isMapComing && coterie.page.store.mapKind.kind === 'pca'")
    body = '{"error": "Finding groups: wait for it, or stop it first."}'
    visit.page.route("**/api/map?kind=tsne", lambda route: route.fulfill(status=409, body=body), times=1)
    visit.page.locator("[data-kind=tsne]").click()
    visit.until("document.body.textContent.includes('Finding groups: wait for it')")
    visit.until("coterie.page.store.mapKind.kind === 'pca'")
    assert visit.page.locator("[data-kind=pca]").get_attribute("aria-pressed") == "true"


def test_density_stands_for_a_million_points(visit):
    """Law: where points in view cannot be told apart, density is painted in the colours of groups."""
    visit.page.evaluate(
        """() => { const {map} = coterie.page, n = 200_000;
          const points = new Float32Array(2 * n), labels = new Int32Array(n);
          for (let row = 0; row < n; row += 1) { const half = row % 2; labels[row] = half;
            points[2 * row] = half + ((row * 7919) % 1000) / 2500;
            points[2 * row + 1] = ((row * 104729) % 1000) / 2500; }
          map.setPoints(points, null);
          const codes = Uint16Array.from(labels, label => label + 2);
          const colours = Uint8Array.from([0, 0, 0, 0, 0, 0, 0, 114, 178, 230, 159, 0]);
          map.setLook({codes, colours, shapes: new Uint8Array(4), legend: null}); }"""
    )
    eventually(lambda: visit.get("map").get_attribute("data-drawn") == "density")
    eventually(lambda: amount(pixels(visit), BLUE, 120) > 1000)
    eventually(lambda: amount(pixels(visit), ORANGE, 120) > 1000)
    visit.page.evaluate("() => { const {map} = coterie.page; map.camera.zoomBy(30); map.draw(); }")
    eventually(lambda: visit.get("map").get_attribute("data-drawn") == "points")
    visit.page.reload()
    visit.until("Boolean(globalThis.coterie?.ready) && coterie.state().k === 3")


def test_without_webgl_a_canvas_draws_and_says_so(browser, explorer):
    """Law: without WebGL the same groups are painted, and the page says why it is slower."""
    context = browser.new_context(viewport={"width": 1280, "height": 860})
    context.add_init_script(
        "const real = HTMLCanvasElement.prototype.getContext;"
        "HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {"
        " return kind.startsWith('webgl') ? null : real.call(this, kind, ...rest); };"
    )
    visit = open_page(SameContext(context), explorer)
    visit.until("coterie.state().k === 3")
    for colour in (BLUE, ORANGE, GREEN):
        eventually(lambda colour=colour: amount(pixels(visit), colour) > LEAST)
    assert "WebGL" in visit.get("no-webgl").inner_text()
    drag(visit, EVERYTHING)
    assert len(visit.state()["selection"]) == 150
    context.close()


class SameContext:
    """A browser that hands out one context."""

    def __init__(self, context):
        self.context = context

    def new_context(self, **_):
        return self.context
