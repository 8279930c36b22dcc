"""How a page opens: words first, then the pictures in view, then the others, all of one state."""

from contextlib import contextmanager

import numpy as np
import pytest

from coterie.show.report import write_subject
from coterie.show.report.render import plotly_script, read_once
from report_subjects import make_subject

pytestmark = pytest.mark.xdist_group("browser")  # one browser, started once

HOLD_IDLE = """
  globalThis.waiting = [];
  globalThis.requestIdleCallback = (then) => waiting.push(then);
"""


@contextmanager
def held(browser, file, width, height):
    """Open a page whose browser never has time: only what is in view is drawn."""
    context = browser.new_context(viewport={"width": width, "height": height})
    page = context.new_page()
    page.add_init_script(HOLD_IDLE)
    page.goto(file.as_uri())
    page.wait_for_function("document.documentElement.dataset.ready === 'yes'")
    yield page
    context.close()


@pytest.fixture
def slow(browser, iris_file):
    """Return a wide page that is held."""
    with held(browser, iris_file, 1280, 900) as page:
        yield page


def is_drawn(page, name):
    return page.locator(f"#{name} .main-svg").count() > 0


def test_what_is_in_view_is_drawn_first(slow):
    """Law: the map is in view and drawn; the silhouette is not, but its title is there."""
    assert is_drawn(slow, "map")
    assert not is_drawn(slow, "silhouette")
    assert "overlaps" in slow.inner_text("#silhouette-finding")
    assert slow.locator("#tree .branch").count() == 149


def test_selection_reaches_what_is_drawn_later(slow):
    """Law: groups, slider and selection work before a picture is there; once drawn it shows them."""
    slow.focus("#stop")
    slow.keyboard.press("ArrowRight")
    slow.click(".cards:not([hidden]) [data-group='1'] h3 button")
    slow.evaluate("async () => { while (waiting.length) { waiting.shift()(); await 0; } }")
    slow.wait_for_function("document.documentElement.dataset.drawn === 'all'")
    labels = np.array(slow.evaluate("coterie.store.state.grouping.labels"))
    opacity = np.array(slow.evaluate("document.getElementById('silhouette').data[0].marker.opacity"))
    assert labels.max() == 3
    assert (opacity == 1).sum() == (labels == 1).sum()
    slow.keyboard.press("Escape")
    assert slow.evaluate("document.getElementById('silhouette').data[0].marker.opacity") == 1


def test_printing_draws_everything(slow):
    """Law: what nobody has scrolled to is on paper all the same."""
    assert not is_drawn(slow, "silhouette")
    slow.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert is_drawn(slow, "silhouette")
    slow.evaluate("dispatchEvent(new Event('afterprint'))")


def test_short_screens_start_without_plotly(browser, iris_file):
    """Law: where no picture is in view the page is ready before plotly starts."""
    with held(browser, iris_file, 390, 500) as page:
        assert page.evaluate("typeof Plotly") == "undefined"


HOLD_FRAMES = "globalThis.requestAnimationFrame = (then) => { globalThis.nextFrame = then; };"
COLOURS_DRAWN = """() => {
  const canvas = document.querySelector("#map > canvas");
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  const counts = {};
  for (let at = 0; at < data.length; at += 4)
    if (data[at + 3] > 200) {
      const key = [data[at], data[at + 1], data[at + 2]].map((part) => Math.round(part / 16)).join(" ");
      counts[key] = (counts[key] ?? 0) + 1;
    }
  return Object.values(counts).filter((count) => count > 100).length;
}"""


def test_a_sketch_of_the_map_is_there_with_the_words(browser, iris_file):
    """Law: before plotly starts the map is on a canvas, in the groups' colours; plotly takes its place."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.add_init_script(HOLD_FRAMES)
    page.goto(iris_file.as_uri())
    page.wait_for_function("document.documentElement.dataset.readableAfter")
    assert page.evaluate("typeof Plotly") == "undefined"
    n_groups = page.evaluate("new Set(coterie.store.state.grouping.labels).size")
    assert page.evaluate(COLOURS_DRAWN) >= n_groups
    page.evaluate("nextFrame()")
    page.wait_for_function("document.documentElement.dataset.ready === 'yes'")
    assert is_drawn(page, "map")
    assert page.locator("#map > canvas").count() == 0
    context.close()


def test_plotly_stays_as_it_is_but_for_one_pair_of_parentheses():
    """Law: the script is read once where it looks as known, and left alone where it does not."""
    assert read_once("something else") == "something else"
    assert "this, (() => {" in plotly_script()[:1_000]
    assert plotly_script().endswith("})));")


def seconds_to_open(page):
    """Return when the words could be read and used, and when what is in view was drawn."""
    page.reload()
    page.wait_for_function("document.documentElement.dataset.ready === 'yes'")
    return page.evaluate(
        "(({readableAfter, readyAfter}) => [readableAfter, readyAfter].map((ms) => ms / 1000))"
        "(document.documentElement.dataset)"
    )


def test_million_rows_open_in_time(visit, tmp_path):
    """Law: a report of 1e6 rows has 8 MB; words and a sketch are there in 1 s, plotly's map in 3 s."""
    rng = np.random.default_rng(0)
    labels = rng.choice(6, 1_000_000, p=[0.35, 0.25, 0.2, 0.1, 0.07, 0.03])
    X = rng.normal(size=(1_000_000, 8), scale=0.7) + rng.normal(size=(6, 8), scale=2.0)[labels]
    merged = {3: labels % 3, 4: labels % 4}
    subject = make_subject(X, [f"sensor {at}" for at in range(8)], labels, labelings=merged)
    path = write_subject(subject, tmp_path / "million.html")
    assert path.stat().st_size < 8_000_000
    seen = visit(path)
    times = [seconds_to_open(seen.page) for _ in range(4)]  # other tests run beside it
    assert min(readable for readable, _ in times) < 1.0
    assert min(ready for _, ready in times) < 3.0
    assert "of the sample" in seen.page.inner_text("#download")
    has_webgl = seen.page.evaluate("Boolean(document.createElement('canvas').getContext('webgl'))")
    kind = seen.page.evaluate("document.getElementById('map').data.at(-1).type")
    assert kind == ("scattergl" if has_webgl else "scatter")
    assert seen.errors == []
