"""The page in a real browser: quiet, one selection through all views, sliders without a server."""

import csv
import io

import numpy as np
import pytest

from coterie._printing import visible
from coterie.show.report import write_subject
from report_subjects import HOSTILE, hostile_subject, iris_subject

pytestmark = pytest.mark.xdist_group("browser")  # one browser, started once


def selected_rows(page):
    return page.evaluate("coterie.store.state.selection.rows")


def place_of_point(page, row):
    """Return where on the screen a row of the map is."""
    return page.evaluate(
        """(row) => {
          const map = document.getElementById("map"), box = map.getBoundingClientRect();
          const {xaxis, yaxis} = map._fullLayout, {x, y} = map.data.at(-1);
          return [box.left + xaxis._offset + xaxis.l2p(x[row]), box.top + yaxis._offset + yaxis.l2p(y[row])];
        }""",
        row,
    )


def test_click_on_a_point_selects_its_group(iris):
    """Law: a point of the map stands for its group."""
    page = iris.page
    page.locator("#map").scroll_into_view_if_needed()
    page.mouse.move(*place_of_point(page, 20))
    page.wait_for_selector("#map .hoverlayer text")
    page.mouse.click(*place_of_point(page, 20))
    page.wait_for_function("coterie.store.state.selection.rows.length > 0")
    labels = page.evaluate("coterie.store.state.grouping.labels")
    assert {labels[row] for row in selected_rows(page)} == {labels[20]}


def test_opens_without_errors_and_without_network(iris):
    """Law: the page complains about nothing and fetches nothing but itself."""
    assert iris.errors == []
    assert [url for url in iris.requests if not url.startswith(("file:", "data:", "blob:"))] == []
    assert iris.page.inner_text("h1") == "3 groups"
    assert iris.page.locator("#map .scatterlayer .point").count() == 150


def test_click_on_a_group_selects_it_everywhere(iris):
    """Law: a click on a card is seen by map, silhouette, tree, tables and the words about the selection."""
    page = iris.page
    page.click(".cards:not([hidden]) [data-group='1'] h3 button")
    labels = np.array(page.evaluate("coterie.store.state.grouping.labels"))
    rows = np.flatnonzero(labels == 1).tolist()
    assert selected_rows(page) == rows
    assert page.evaluate("document.getElementById('map').data.at(-1).selectedpoints") == rows
    opacity = np.array(page.evaluate("document.getElementById('silhouette').data[0].marker.opacity"))
    assert (opacity == 1).sum() == len(rows)
    assert page.locator(".branch.is-selected").count() > 0
    assert page.locator(".branch.is-dim").count() > 0
    assert page.locator(".cards:not([hidden]) .card.is-dim").count() == 2
    assert f"{len(rows)} rows selected: group 2" in page.inner_text("#selected")
    page.keyboard.press("Escape")
    assert selected_rows(page) == []
    assert page.locator(".is-dim").count() == 0


def test_click_on_a_bar_of_the_silhouette_selects_its_rows(iris):
    """Law: a bar selects the rows it stands for."""
    page = iris.page
    page.evaluate("document.getElementById('silhouette').emit('plotly_click', {points: [{pointIndex: 0}]})")
    best = page.evaluate(
        "(({labels, silhouettes}) => coterie.silhouetteView.bars(labels, silhouettes, 3)[0].rows)"
        "(coterie.store.state.grouping)"
    )
    assert selected_rows(page) == best


def test_drag_on_the_map_selects_rows(iris):
    """Law: a lasso drawn with the mouse selects the points in it, and cards count them."""
    page = iris.page
    page.locator("#map").scroll_into_view_if_needed()
    box = page.locator("#map .nsewdrag").bounding_box()
    left, top, right, bottom = (
        box["x"] + 5,
        box["y"] + 5,
        box["x"] + box["width"] * 0.45,
        box["y"] + box["height"] - 5,
    )
    page.mouse.move(left, top)
    page.mouse.down()
    for x, y in ((right, top), (right, bottom), (left, bottom), (left, top)):
        page.mouse.move(x, y, steps=4)
    page.mouse.up()
    page.wait_for_function("coterie.store.state.selection.rows.length > 0")
    assert 20 < len(selected_rows(page)) < 150
    assert "drawn on the map" in page.inner_text("#selected")
    assert "selected" in page.inner_text(".cards:not([hidden])")


def test_slider_changes_the_groups(iris, iris_facts):
    """Law: each stop shows its own labels, cards, colours and titles; the answer is one click away."""
    page = iris.page
    facts = iris_facts
    for _ in range(2):
        page.focus("#stop")
        page.keyboard.press("ArrowRight")
    at = facts.chosen + 2
    assert page.inner_text("#stop-said") == "5 groups"
    assert page.evaluate("coterie.store.state.grouping.labels") == list(facts.labelings[at].labels)
    assert page.locator(".cards:not([hidden]) .card").count() == 5
    assert page.inner_text("#silhouette-finding") == facts.labelings[at].silhouette_finding
    assert page.inner_text("#stop-is") == "what if"
    assert len(set(page.evaluate("document.getElementById('map').data.at(-1).marker.color"))) == 5
    page.click("#back")
    assert page.inner_text("#stop-said") == "3 groups"


def test_selection_downloads_as_csv(iris):
    """Law: the file holds the selected rows with their number, group, class and values."""
    page = iris.page
    page.click("[data-select-group='0'] >> visible=true")
    rows = selected_rows(page)
    with page.expect_download() as waiting:
        page.click("#download")
    assert waiting.value.suggested_filename == "iris-selected.csv"
    text = waiting.value.path().read_text(encoding="utf-8-sig")
    table = list(csv.DictReader(io.StringIO(text)))
    assert [int(line["row"]) - 1 for line in table] == rows
    assert {line["group"] for line in table} == {"1"}
    assert float(table[0]["petal length (cm)"]) == iris_subject().at_hand.X[rows[0], 2]
    assert table[0]["class"] in ("setosa", "versicolor", "virginica")


def test_search_and_truth_cells_select(iris):
    """Law: a search finds a row by its number; a cell of the truth selects its class within its group."""
    page = iris.page
    page.fill("#search", "row 7")
    assert selected_rows(page) == [6]
    page.fill("#search", "group 2")
    assert page.inner_text("#selected").count("group 2") >= 1
    cell = page.locator("[data-select-cell] >> visible=true").first
    expected = int(cell.inner_text())
    cell.click()
    assert len(selected_rows(page)) == expected


def test_theme_switches_and_follows_the_system(iris):
    """Law: dark where the system is dark; the button changes it, pictures included."""
    page = iris.page
    background = "getComputedStyle(document.body).backgroundColor"
    letters = "document.getElementById('map').layout.font.color"
    light, light_letters = page.evaluate(background), page.evaluate(letters)
    page.emulate_media(color_scheme="dark")
    assert page.evaluate(background) != light
    page.wait_for_function(f"{letters} !== {light_letters!r}")
    assert len(set(page.evaluate("document.getElementById('map').data.at(-1).marker.color"))) == 3
    page.click("#theme")
    assert page.evaluate(background) == light
    assert page.evaluate(letters) == light_letters
    page.emulate_media(color_scheme="light")
    assert iris.errors == []


def check_phone(page):
    """Law: at the width of a phone nothing is wider than the screen."""
    page.set_viewport_size({"width": 360, "height": 740})
    page.wait_for_function("document.documentElement.scrollWidth <= 360")  # plotly follows a little later
    page.set_viewport_size({"width": 1280, "height": 900})


def test_phone_width_needs_no_sideways_scrolling(iris):
    """Law: a phone shows the page without scrolling sideways."""
    check_phone(iris.page)


def test_controls_are_reached_by_keyboard(iris):
    """Law: Tab reaches slider, search, groups, rows and tree; Enter on a group selects it."""
    page = iris.page
    reached = set()
    for _ in range(90):
        page.keyboard.press("Tab")
        reached.add(
            page.evaluate(
                "(({id, dataset, className}) => id || dataset.selectGroup || className.baseVal || '')"
                "(document.activeElement)"
            )
        )
    assert {"stop", "color-by", "search", "theme", "download", "0", "1", "2", "cut-height"} <= reached
    page.focus(".chips:not([hidden]) [data-select-group='2']")
    page.keyboard.press("Enter")
    assert "group 3" in page.inner_text("#selected")


def test_prints_to_pdf(iris, tmp_path):
    """Law: the page prints on a few sheets, the map included, in dark letters whatever the theme."""
    look = (
        "(({type}, {width, font}) => [type, width ?? null, font.color])"
        "(document.getElementById('map').data.at(-1), document.getElementById('map').layout)"
    )
    light = iris.page.evaluate(look)
    iris.page.emulate_media(color_scheme="dark")
    iris.page.wait_for_function(f"{look}[2] !== {light[2]!r}")
    dark = iris.page.evaluate(look)
    iris.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert iris.page.evaluate(look) == ["scatter", 600, light[2]]
    iris.page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert iris.page.evaluate(look) == dark != light
    iris.page.emulate_media(color_scheme="light")
    iris.page.pdf(path=tmp_path / "iris.pdf", format="A4")
    printed = (tmp_path / "iris.pdf").read_bytes()
    assert printed.startswith(b"%PDF")
    assert (
        2
        <= printed.count(b"/Type /Page\n") + printed.count(b"/Type /Page ") + printed.count(b"/Type /Page/")
        <= 14
    )
    assert iris.errors == []


def test_hostile_names_stay_text(visit, tmp_path):
    """Law: names of columns, rows, classes and files never become elements or scripts, hovered or not."""
    path = write_subject(hostile_subject(), tmp_path / "hostile.html")
    seen = visit(path)
    page = seen.page
    assert (seen.errors, seen.dialogs) == ([], [])
    check_phone(page)
    assert page.locator("img[src='x'], main script").count() == 0
    assert HOSTILE[0] in page.inner_text("header.answer")
    assert HOSTILE[0] in page.inner_text("#main")
    page.select_option("#color-by", "column 2")
    page.fill("#search", "<img")
    assert len(selected_rows(page)) == 10
    page.locator("#map").scroll_into_view_if_needed()
    page.mouse.move(*place_of_point(page, 2))
    page.wait_for_selector("#map .hoverlayer text")
    assert HOSTILE[2] in page.text_content("#map .hoverlayer")
    with page.expect_download() as waiting:
        page.click("#download")
    table = list(csv.reader(io.StringIO(waiting.value.path().read_text(encoding="utf-8-sig"))))
    assert table[0][-len(HOSTILE) :] == [visible(name)[:40] for name in HOSTILE]
    assert (seen.errors, seen.dialogs) == ([], [])
