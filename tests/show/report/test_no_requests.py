"""No page that is written can send anything: every control is tried, and every way out of a page."""

import contextlib
import socket
import threading
import time
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.datasets import load_iris

import coterie
from coterie.cluster import KMeans
from coterie.evaluate import assess, compare, contingency_table
from coterie.select import choose_k
from coterie.show import plots
from coterie.show.report import report_labels, write_report, write_subject
from report_subjects import hostile_subject, iris_subject, make_subject

pytestmark = pytest.mark.xdist_group("browser")  # one browser, started once

OWN = ("file:", "data:", "blob:")
VIOLATIONS = """
  globalThis.violations = [];
  document.addEventListener("securitypolicyviolation",
    ({effectiveDirective, blockedURI}) => violations.push(`${effectiveDirective} ${blockedURI}`));
"""
CONTROLS = (
    "a, button, input, select, summary, [tabindex], [data-stop-k], [data-select-group], [data-select-row], "
    "[data-select-cell], .branch-target, .modebar-btn, .legendtoggle, .nsewdrag"
)
# every control in turn, but a dozen of those that differ by their group only; returns how many were tried
PRESS_ALL = """
  async (selector) => {
    const kinds = new Map();
    const pause = () => new Promise((resolve) => setTimeout(resolve));
    const isShown = (element) => element.checkVisibility?.() ?? true;
    let tried = 0;
    for (const element of document.querySelectorAll(selector)) {
      const kind = `${element.tagName} ${element.getAttribute("class")}`;
      if (!isShown(element) || element.disabled || kinds.get(kind) >= 12) continue;
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
      for (const type of ["pointerdown", "mousedown", "pointerup", "mouseup", "click", "dblclick"])
        element.dispatchEvent(new MouseEvent(type, {bubbles: true, cancelable: true, view: window}));
      for (const option of element.tagName === "SELECT" ? element.options : []) {
        element.value = option.value;
        element.dispatchEvent(new Event("change", {bubbles: true}));
      }
      if (element.tagName === "INPUT") {
        for (const value of element.type === "range" ? [element.min, element.max] : ["group 2", "1", ""]) {
          element.value = value;
          element.dispatchEvent(new Event("input", {bubbles: true}));
        }
      }
      tried += 1;
      await pause();
    }
    return tried;
  }
"""
LINKS = "[...document.querySelectorAll('[href]')].map((one) => one.getAttribute('href'))"


def fit_page(folder):
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(centre, 1, (40, 3)) for centre in (0, 8, 20)])
    return write_report(coterie.fit(X, budget="fast"), folder / "fit.html")


def labels_page(folder):
    lines = ["width,height,group,kind"]
    lines += [
        f"{at % 7 + 20 * (at % 2)},{at % 5 + 9 * (at % 2)},{1 + at % 2},{'ab'[at % 2]}" for at in range(40)
    ]
    (folder / "given.csv").write_text("\n".join(lines) + "\n")
    return report_labels(folder / "given.csv", folder / "given.csv", folder / "labels.html", truth="kind")


def truth_page(folder):
    return write_subject(iris_subject(with_tree=True), folder / "truth.html")


def many_page(folder):
    rng = np.random.default_rng(0)
    labels = np.sort(np.arange(240) % 60)
    X = rng.normal(size=(240, 2)) + 30 * np.column_stack([labels % 8, labels // 8])
    more = {"labelings": {30: labels // 2, 60: labels}, "classes": [f"class {one % 9}" for one in labels]}
    return write_subject(make_subject(X, "xy", labels, **more), folder / "many.html")


def webgl_page(folder):
    X = np.random.default_rng(0).normal(size=(1_200, 2))
    return write_subject(make_subject(X, "xy", (X[:, 0] > 0).astype(int)), folder / "webgl.html")


def hostile_page(folder):
    return write_subject(hostile_subject(), folder / "hostile.html")


def player_page(folder):
    X = load_iris().data[:, :2]
    model = KMeans(3, init=X[:3], n_init=1, history=True).fit(X)
    return plots.kmeans_animation(X, model, folder / "player.html")


def vector_page(folder):
    X = load_iris().data
    plots.scatter(X, KMeans(3, random_state=0).fit(X)).figure.savefig(folder / "scatter.svg")
    return folder / "scatter.svg"


def fragments_page(folder):
    """Write what notebooks show of our values."""
    X, classes = load_iris(return_X_y=True)
    labels = KMeans(3, random_state=0).fit(X).labels_
    values = (
        compare(classes, labels),
        assess(X, labels),
        contingency_table(classes, labels),
        choose_k(X, k=range(1, 4), random_state=0),
    )
    (folder / "fragments.html").write_text("\n".join(value._repr_html_() for value in values))
    return folder / "fragments.html"


REPORTS = (fit_page, labels_page, truth_page, many_page, webgl_page, hostile_page)
PAGES = (*REPORTS, player_page, vector_page, fragments_page)


@pytest.fixture
def watched(browser):
    """Open a file; note every request, every new page and every error."""
    with contextlib.ExitStack() as stack:

        def open_page(path):
            context = browser.new_context(accept_downloads=True, viewport={"width": 1280, "height": 900})
            stack.callback(context.close)
            context.add_init_script(VIOLATIONS)
            seen = SimpleNamespace(requests=[], errors=[], pages=[], downloads=[])
            context.on("request", lambda request: seen.requests.append(request.url))
            context.on("page", lambda page: seen.pages.append(page))
            page = seen.page = context.new_page()
            page.on("console", lambda said: seen.errors.append(said.text) if said.type == "error" else None)
            page.on("pageerror", lambda error: seen.errors.append(str(error)))
            page.on("download", lambda download: seen.downloads.append(download.url))
            page.goto(path.as_uri())
            if page.locator("#map").count():
                page.wait_for_function("document.documentElement.dataset.drawn === 'all'")
            return seen

        yield open_page


def check_quiet(seen, path):
    """Law: one request, for the page itself; no other window; no complaint; no link that leaves."""
    assert [url for url in seen.requests if not url.startswith(("data:", "blob:"))] == [path.as_uri()]
    assert [url for url in seen.downloads if not url.startswith(("data:", "blob:"))] == []
    assert len(seen.pages) == 1
    assert seen.page.url.split("#")[0] == path.as_uri()
    assert seen.errors == []
    assert seen.page.evaluate("violations") == []


@pytest.mark.parametrize("write", PAGES)
def test_no_control_sends_anything(watched, write, tmp_path):
    """Law: whatever is pressed, on every kind of page, by mouse or key, no other address is asked."""
    path = write(tmp_path)
    seen = watched(path)
    page = seen.page
    tried = page.evaluate(PRESS_ALL, CONTROLS)
    assert tried >= (30 if write in REPORTS else 0)
    for button in page.locator(".modebar-btn").all():  # as a hand does it, too
        button.click()
    for _ in range(45):
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        page.keyboard.press("ArrowRight")
    if write is not vector_page:
        assert [link for link in page.evaluate(LINKS) if not link.startswith("#")] == []
    page.wait_for_timeout(100)
    check_quiet(seen, path)


def test_charts_have_the_buttons_that_stay(iris):
    """Law: the bar above the map has these buttons alone, and every chart is told to send nothing."""
    page = iris.page
    names = "[...document.querySelectorAll('.modebar-btn')].map((one) => one.dataset.title)"
    assert page.evaluate(names) == [
        "Download plot as a PNG", "Zoom", "Pan", "Box Select", "Lasso Select", "Zoom in", "Zoom out",
        "Reset axes",
    ]  # fmt: skip
    for chart in ("map", "silhouette"):
        told = page.evaluate(
            "(id) => (({plotlyServerURL, showSendToCloud, displaylogo}) =>"
            " [plotlyServerURL, showSendToCloud, displaylogo])(document.getElementById(id)._context)",
            chart,
        )
        assert told == ["", False, False]


def test_the_picture_of_the_map_is_saved_without_a_request(watched, tmp_path):
    """Law: the button that saves a picture works under the policy."""
    path = truth_page(tmp_path)
    seen = watched(path)
    with seen.page.expect_download() as waiting:
        seen.page.click(".modebar-btn[data-title='Download plot as a PNG']")
    assert waiting.value.path().read_bytes().startswith(b"\x89PNG")
    check_quiet(seen, path)


@pytest.fixture
def listener():
    """Return an address of this machine that notes what it is sent.

    Chromium may connect for a frame or a form before it asks the policy; it sends nothing.
    """
    heard = []

    def hear(connection):
        with connection, contextlib.suppress(OSError):
            connection.settimeout(2)
            heard.append(connection.recv(200))

    def accept():
        with contextlib.suppress(OSError):
            while True:
                threading.Thread(target=hear, args=server.accept()[:1], daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=accept, daemon=True).start()
        yield SimpleNamespace(
            address=f"127.0.0.1:{server.getsockname()[1]}", sent=lambda: [one for one in heard if one]
        )


WAYS_OUT = {
    "fetch": "fetch(`http://${to}/fetch`).catch(() => 0)",
    "XMLHttpRequest": "{ const x = new XMLHttpRequest(); x.open('POST', `http://${to}/`); x.send('x'); }",
    "WebSocket": "new WebSocket(`ws://${to}/`)",
    "EventSource": "new EventSource(`http://${to}/`)",
    "sendBeacon": "navigator.sendBeacon(`http://${to}/`, 'x')",
    "image": "new Image().src = `http://${to}/a.png`",
    "script": "add('script', {src: `http://${to}/a.js`})",
    "style": "add('link', {rel: 'stylesheet', href: `http://${to}/a.css`})",
    "frame": "add('iframe', {src: `http://${to}/`})",
    "object": "add('object', {data: `http://${to}/`})",
    "video": "add('video', {src: `http://${to}/a.mp4`})",
    "worker": "new Worker(URL.createObjectURL(new Blob([`fetch('http://${to}/')`])))",
    "font": "new FontFace('a', `url(http://${to}/a.woff)`).load().catch(() => 0)",
    "form": ("add('form', {action: `http://${to}/`, method: 'post', target: '_blank'}).submit()"),
    "base": "{ add('base', {href: `http://${to}/`}); new Image().src = 'relative.png'; }",
}
TRY = """
  async ([to, way]) => {
    const add = (name, attributes) => {
      const element = Object.assign(document.createElement(name), attributes);
      document.body.append(element);
      return element;
    };
    violations.length = 0;
    try { WAY; } catch { /* refused at once */ }
    for (let waited = 0; violations.length === 0 && waited < 20000; waited += 50)
      await new Promise((resolve) => setTimeout(resolve, 50));
    return violations.length;
  }
"""


@pytest.mark.parametrize("write", [truth_page, player_page])
def test_every_way_out_is_closed(watched, listener, write, tmp_path):
    """Law: scripts of the page itself cannot connect, whatever the means; the policy refuses each."""
    page = watched(write(tmp_path)).page
    refused = {
        way: page.evaluate(TRY.replace("WAY", code), [listener.address, way])
        for way, code in WAYS_OUT.items()
    }
    assert {way for way, n in refused.items() if n == 0} == set()
    assert listener.sent() == []


def test_the_listener_hears(browser, listener):
    """Law: a page without a policy does connect, so silence means something."""
    page = browser.new_page()
    page.set_content("<p>open</p>")
    page.evaluate("(to) => { new Image().src = `http://${to}/a.png`; }", listener.address)
    deadline = time.monotonic() + 60
    while not listener.sent() and time.monotonic() < deadline:
        page.wait_for_timeout(50)
    page.close()
    assert listener.sent() != []


def test_no_window_can_be_opened(iris):
    """Law: a policy cannot forbid a new window, so the report has no means to open one."""
    assert iris.page.evaluate("window.open('about:blank')") is None
