"""The places of the page, and who can use them: keys only, narrow, dark, with a screen reader, offline."""

import csv
import io
import time
from pathlib import Path

import pytest

from explorer_pages import HOSTILE, end, eventually, launch, open_page, write_book, write_clouds

pytestmark = pytest.mark.xdist_group("browser")

ROOT = Path(__file__).parents[4]
AXE = ROOT / "node_modules" / "axe-core" / "axe.min.js"
PLACES = ("data", "groups", "method", "compare", "teach")


def go(visit, place):
    visit.page.evaluate("place => coterie.page.store.go(place)", place)
    visit.settle()


def test_data_shows_columns_and_rows(visit):
    """Law: every column is listed with its kind and a switch; what looks like markup stays text."""
    visit.get("place-data").click()
    visit.until("document.querySelectorAll('.rows tbody tr').length > 5")
    assert visit.page.locator(".columns-table tbody tr").count() == 4
    assert visit.page.locator(".columns-table .histogram").count() >= 3
    assert HOSTILE in visit.page.locator(".columns-table").inner_text()
    assert visit.page.locator("img").count() == 0
    assert visit.page.title() != "1"


def test_roles_are_an_operation(visit):
    """Law: leaving a column out is in the log and shown, and the groups are found again without it."""
    visit.get("place-data").click()
    visit.page.get_by_label("Use height").select_option("leave")
    visit.get("apply-roles").click()
    visit.until("coterie.state().log_length === 3 && !coterie.page.store.job")
    assert (
        visit.page.evaluate("coterie.page.store.state.data.columns.find(one => one.name === 'height').role")
        != "used"
    )


def test_compare_shows_who_moved(visit):
    """Law: rows that an edit moved are counted, listed in the table, and selected in both maps at once."""
    visit.apply(
        {
            "op": "move",
            "rows": [0, 1, 2],
            "group": visit.page.evaluate("coterie.page.store.groupOf(coterie.page.store.labels[149]).id"),
        }
    )
    visit.get("compare").click()
    visit.until("document.querySelector('.compare-said').innerText.includes('3 rows of 150 moved')")
    said = visit.page.locator(".compare-said").inner_text()
    assert said.count("rows") == 1  # the count is said once
    assert "Adjusted Rand index 0.9" in said
    visit.get("moved").click()
    visit.until("coterie.state().selection.length === 3")
    assert visit.state()["selection"] == [0, 1, 2]
    cells = [int(one) for one in visit.page.locator(".contingency td button").all_inner_texts()]
    assert sorted(cells) == [3, 47, 50, 50]
    visit.page.locator(".contingency td button").get_by_text("3", exact=True).click()
    assert visit.state()["selection"] == [0, 1, 2]


def test_a_comparison_that_is_stopped_is_not_begun_again(visit):
    """Law: stopping the other answer leaves the two that are shown; the page does not ask for it again."""
    visit.apply({"op": "noise", "rows": [5]})
    visit.get("compare").click()
    visit.until("/moved/.test(document.querySelector('.compare-said').textContent)")
    asked = []

    def begun(route):
        asked.append(route.request.url)
        route.fulfill(status=202, body='{"job": {}}')

    visit.page.route("**/api/*dbscan*", begun)
    visit.get("compare-b").select_option("dbscan")
    visit.until("/Computing/.test(document.querySelector('.compare-said').textContent)")
    n_asked = len(asked)
    visit.page.evaluate("coterie.page.store.stop()")
    visit.until("/moved/.test(document.querySelector('.compare-said').textContent)")
    visit.apply({"op": "rename", "group": "g1", "name": "first"})
    visit.page.unroute("**/api/*dbscan*")
    assert visit.get("compare-b").input_value() == "3"
    assert len(asked) == n_asked


def test_the_tree_names_its_groups(visit):
    """Law: below the tree each group stands once, in view, and a click on its name selects its rows."""
    go(visit, "groups")
    visit.get("evidence").get_by_text("Tree", exact=True).click()
    names = visit.page.locator(".leaf-name")
    wanted = visit.page.evaluate("coterie.page.store.groups.map(one => coterie.page.store.nameOf(one.label))")
    assert sorted(names.all_inner_texts()) == sorted(wanted)
    assert all(names.nth(at).is_visible() for at in range(len(wanted)))
    panel, last = visit.get("evidence").bounding_box(), names.last.bounding_box()
    assert last["y"] + last["height"] <= panel["y"] + panel["height"]
    names.first.click()
    visit.until("coterie.state().selection.length === 50")


def test_teach_plays_every_method(visit):
    """Law: points drawn with the mouse are clustered step by step: forward, back, to the end."""
    go(visit, "teach")
    visit.get("teach-clear").click()
    box = visit.get("paper").bounding_box()
    for x, y in ((0.2, 0.2), (0.25, 0.25), (0.2, 0.3), (0.8, 0.8), (0.75, 0.8), (0.8, 0.7)):
        visit.page.mouse.click(box["x"] + x * box["width"], box["y"] + y * box["height"])
    assert visit.page.locator(".paper .point").count() == 6
    visit.page.locator("#coterie-teach-k").fill("2")
    for method in ("kmeans", "kmeans++", "em", "dbscan", "linkage"):
        visit.page.locator("#coterie-lesson").select_option(method)
        visit.until("!document.querySelector('[data-testid=teach-step]').disabled")
        first = visit.get("teach-text").inner_text()
        visit.get("teach-step").click()
        assert visit.get("teach-text").inner_text() != first
        visit.get("teach-back").click()
        assert visit.get("teach-text").inner_text() == first
    assert visit.page.locator(".teach-tree svg").count() == 1
    visit.page.get_by_label("Speed").select_option("300")
    visit.get("teach-play").click()
    visit.until("document.querySelector('[data-testid=teach-step]').disabled")
    assert visit.page.locator(".teach-tree path.branch").count() == 3 * 5  # two arms and a bar per merge


def test_exports_are_files(visit):
    """Law: the menu gives a file; labels have a line per row with the name of its group."""
    visit.apply({"op": "rename", "group": "g1", "name": "students"})
    visit.get("export").click()
    with visit.page.expect_download() as coming:
        visit.get("export-labels.csv").click()
    lines = list(csv.reader(io.StringIO(Path(coming.value.path()).read_text(encoding="utf-8-sig"))))
    assert len(lines) == 151
    assert sum("students" in line for line in lines) == 50
    visit.get("export").click()
    with visit.page.expect_download() as coming:
        visit.get("export-script").click()
    assert "students" in Path(coming.value.path()).read_text(encoding="utf-8")


def test_save_says_where(visit):
    """Law: saving says the name of the file."""
    visit.apply({"op": "rename", "group": "g1", "name": "saved"})
    visit.get("save").click()
    visit.until("/Saved as clouds/.test(document.querySelector('.messages').innerText)")
    assert visit.get("save").inner_text() == "Saved"


def test_hostile_names_stay_text(visit):
    """Law: a name that is markup is shown letter by letter, in the list, on the map and in the evidence."""
    visit.apply({"op": "rename", "group": "g1", "name": HOSTILE})
    assert HOSTILE in visit.get("group-name").all_inner_texts()
    visit.get("select-all").click()
    visit.until("document.querySelectorAll('.selection-panel tbody tr').length > 5")
    for chart in ("silhouette", "columns"):
        visit.page.locator(f"[data-chart={chart}]").click()
    visit.get("history").click()
    visit.page.keyboard.press("Escape")
    assert visit.page.locator("img, script:not([src])").count() == 0
    assert visit.page.title() != "1"
    assert visit.errors == []


def test_only_this_server_is_asked(visit, explorer):
    """Law: the page asks nobody but its server."""
    assert visit.requests
    assert [one for one in visit.requests if not one.startswith((explorer.base, "blob:", "data:"))] == []


def test_theme_switches_and_is_remembered(visit):
    """Law: the button changes the colours of page and map, and a reload keeps them."""
    page = visit.page
    colour = "getComputedStyle(document.querySelector('.app')).backgroundColor"
    before = page.evaluate(colour)
    visit.get("theme").click()
    dark = page.evaluate(colour)
    assert dark != before
    page.reload()
    visit.until("Boolean(globalThis.coterie?.ready) && coterie.state().k === 3")
    assert page.evaluate(colour) == dark
    visit.get("theme").click()
    assert page.evaluate(colour) == before


@pytest.mark.skipif(not AXE.exists(), reason="axe-core is not there: npm ci")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_serious_violation_of_accessibility(visit, scheme):
    """Law: axe-core finds nothing serious in any place, in light and in dark: names, roles, contrast."""
    visit.page.emulate_media(color_scheme=scheme)
    visit.page.evaluate(AXE.read_text(encoding="utf-8"))
    visit.get("group-row").nth(0).click()
    visit.page.locator("[data-key^='more ']").first.click(force=True)
    visit.page.locator("summary >> visible=true").evaluate_all(
        "all => all.forEach(one => { one.parentElement.open = true; })"
    )
    found = []
    for place in PLACES:
        go(visit, place)
        visit.page.wait_for_timeout(150)
        answer = visit.page.evaluate("axe.run(document, {resultTypes: ['violations']})")
        found += [
            (place, one["id"], one["nodes"][0]["html"][:160], one["nodes"][0]["failureSummary"][:200])
            for one in answer["violations"]
            if one["impact"] in ("serious", "critical")
        ]
    go(visit, "groups")
    visit.page.locator("[data-key^='more ']").first.click(force=True)
    visit.page.emulate_media(color_scheme="light")
    assert found == []


def test_keys_alone_are_enough(visit):
    """Law: without a mouse one can pick, rename, merge, undo, select on the map, change places and export."""
    page, press = visit.page, visit.page.keyboard.press

    def reach(key):
        for _ in range(120):
            press("Tab")
            if page.evaluate(
                "key => Object.values(document.activeElement?.dataset ?? {}).includes(key)",
                key,
            ):
                return
        raise AssertionError(f"Tab does not reach {key}")

    page.evaluate("document.activeElement.blur()")
    reach("group g1")
    press("Enter")
    assert len(visit.state()["selection"]) == 50
    reach("rename g1")
    visit.do(lambda: (page.keyboard.type("by keys"), press("Enter")))
    assert "by keys" in visit.get("group-name").all_inner_texts()
    reach("map")
    press("+")
    press("Enter")
    assert 0 < len(visit.state()["selection"]) <= 150
    press("Escape")
    assert visit.state()["selection"] == []
    press("Control+a")
    assert len(visit.state()["selection"]) == 150
    reach("merge")
    assert visit.do(lambda: press("Enter"))["k"] == 1
    assert visit.do(lambda: press("Control+z"))["k"] == 3
    page.locator(".skip").focus()
    reach("compare")
    press("Enter")
    assert page.evaluate("coterie.page.store.place") == "compare"
    reach("export")
    press("Enter")
    assert page.evaluate("document.activeElement.dataset.testid") == "export-labels.csv"
    press("Escape")
    assert page.evaluate("document.activeElement.dataset.testid") == "export"


def test_four_hundred_pixels_hold_every_place(visit):
    """Law: at 400 pixels nothing sticks out sideways, in any place, and the map still has points."""
    visit.page.set_viewport_size({"width": 400, "height": 800})
    visit.get("select-all").click()
    for place in PLACES:
        go(visit, place)
        visit.page.wait_for_timeout(100)
        assert visit.page.evaluate("document.documentElement.scrollWidth") <= 400, place
    go(visit, "groups")
    assert visit.get("map").bounding_box()["width"] > 300
    visit.page.set_viewport_size({"width": 1280, "height": 860})


def test_sixty_groups_can_be_found_and_seen(browser, tmp_path):
    """Law: sixty groups are listed, found by name, and painted in shapes and colours; nothing overflows."""
    server = launch(write_book(tmp_path, 600, 60), tmp_path)
    try:
        many = open_page(browser, server)
        many.until("coterie.state().k === 60")
        assert many.get("group-row").count() == 60
        many.page.get_by_label("Find a group").fill("group 42")
        assert many.get("group-name").all_inner_texts() == ["group 42"]
        assert many.page.evaluate(
            "(one => one.scrollWidth <= one.clientWidth + 1)(document.querySelector('.groups-panel'))"
        )
        many.page.context.close()
    finally:
        end(server)


def test_without_data_a_file_can_be_dropped(browser, tmp_path):
    """Law: the explorer alone offers sets and a place for files; a broken file is refused in words."""
    server = launch(None, tmp_path)
    try:
        visit = open_page(browser, server)
        visit.until("document.querySelectorAll('.set').length > 3")
        assert visit.get("data-drop").is_visible()
        broken = tmp_path / "broken.parquet"
        broken.write_bytes(b"PAR1 this is not Parquet")
        visit.page.locator("#coterie-file").set_input_files(broken)
        visit.until("document.querySelector('[data-testid=message]') !== null")
        assert "broken.parquet" in visit.get("message").first.inner_text()
        good = write_clouds(tmp_path / "clouds.csv", 60)
        visit.page.locator("#coterie-file").set_input_files(good)
        visit.until("coterie.state().n === 60 && coterie.state().k > 0 && !coterie.page.store.job")
        assert visit.page.evaluate("coterie.page.store.place") == "groups"
        visit.page.context.close()
    finally:
        end(server)


def test_a_table_that_cannot_be_clustered_shows_why_and_its_switches(browser, tmp_path):
    """Law: no column is used by itself: the reason is there, and the switch that it names works."""
    path = tmp_path / "stores.csv"
    path.write_text(
        "\n".join(["zip,day", *(f"{10_000 + at % 40 * 7},2024-01-{at % 28 + 1:02}" for at in range(80))])
    )
    server = launch(path, tmp_path)
    try:
        visit = open_page(browser, server)
        visit.until("document.querySelectorAll('.columns-table tbody tr').length === 2")
        assert '"use" in Data' in visit.get("problem").inner_text()
        assert visit.get("place-groups").is_disabled()
        visit.until("document.querySelectorAll('.data-place .rows tbody tr').length > 5")
        visit.page.get_by_label("Use zip").select_option("use")
        visit.get("apply-roles").click()
        visit.until(
            "coterie.page.store.hasRows && !coterie.page.store.job && coterie.state().log_length === 2"
        )
        assert visit.page.evaluate("coterie.page.store.shownPlace") == "groups"
        visit.page.context.close()
    finally:
        end(server)


def test_choices_that_are_not_applied_yet_outlive_news_of_the_server(browser, tmp_path):
    """Law: a state that comes while somebody chooses columns changes what is chosen only with the columns."""
    server = launch(write_clouds(tmp_path / "clouds.csv", 60), tmp_path)
    try:
        visit = open_page(browser, server)
        visit.until("coterie.state().k > 0 && !coterie.page.store.job")
        visit.page.evaluate("coterie.page.store.go('data')")
        chosen, weight = visit.page.get_by_label("Use width"), visit.page.get_by_label("Weight of height")
        scaling = visit.page.get_by_label("Scaling")
        chosen.select_option("leave out")
        weight.fill("2.5")
        scaling.select_option("none")
        before = visit.page.evaluate("coterie.page.store.state.revision")
        visit.page.evaluate("void coterie.page.store.apply({op: 'rename', group: 'g1', name: 'first'})")
        visit.until(f"coterie.page.store.state.revision > {before} && !coterie.page.store.isBusy")
        visit.page.evaluate("coterie.page.store.tell('job')")
        visit.page.evaluate("void coterie.page.store.refresh()")
        visit.page.wait_for_timeout(200)
        assert (chosen.input_value(), weight.input_value()) == ("leave", "2.5")
        assert scaling.input_value() == "none"
        visit.get("apply-roles").click()
        visit.until("coterie.page.store.state.data.scale === 'none' && !coterie.page.store.job")
        assert (chosen.input_value(), weight.input_value()) == ("leave", "2.5")
        visit.page.evaluate("coterie.page.store.api.jump(0).then(coterie.page.store.take)")
        visit.until("coterie.page.store.state.position === 0")
        assert (chosen.input_value(), weight.input_value()) == ("auto", "1")
        assert visit.errors == []
        visit.page.context.close()
    finally:
        end(server)


def test_a_name_that_is_being_typed_outlives_news_of_the_server(browser, tmp_path):
    """Law: a list that is drawn again has what was typed so far, and commits nothing."""
    server = launch(write_book(tmp_path, 60), tmp_path)
    try:
        visit = open_page(browser, server)
        visit.until("coterie.state().k === 3 && !coterie.page.store.job")
        before = visit.state()["log_length"]
        visit.page.evaluate("document.querySelector('[data-testid=rename]').focus()")
        visit.page.keyboard.type("lage")
        visit.page.keyboard.press("ArrowLeft")
        visit.page.keyboard.press("ArrowLeft")
        for _ in range(3):
            visit.page.evaluate("coterie.page.store.tell('job')")
        visit.page.keyboard.type("r")
        assert visit.state()["log_length"] == before
        visit.page.keyboard.press("Enter")
        visit.until("coterie.page.store.groups.some((group) => group.name === 'large')")
        assert visit.state()["log_length"] == before + 1
        visit.page.get_by_label("More about large").click()
        visit.page.locator(".limits summary", has_text="Size limits").click()
        least = visit.page.get_by_label("Smallest size")
        least.fill("5")
        visit.page.get_by_label("Largest size").focus()
        visit.page.evaluate("coterie.page.store.tell('job')")
        assert least.input_value() == "5"
        note = visit.page.get_by_label("Note about large")
        note.focus()
        visit.page.keyboard.type("the best")
        visit.page.evaluate("coterie.page.store.tell('job')")
        assert note.input_value() == "the best"
        visit.page.evaluate("document.activeElement.blur()")
        visit.until("coterie.page.store.groups.some((group) => group.note === 'the best')")
        assert visit.state()["log_length"] == before + 2
        assert visit.errors == []
        visit.page.context.close()
    finally:
        end(server)


def test_an_answer_that_comes_after_the_work_is_done_leaves_no_progress(browser, tmp_path):
    """Law: that the work has begun is news only until the page has seen what came of it."""
    server = launch(write_book(tmp_path, 60), tmp_path)
    try:
        visit = open_page(browser, server)
        visit.until("coterie.state().k === 3 && !coterie.page.store.job")
        before = visit.state()["log_length"]

        def answer_late(route):
            answer = route.fetch()
            for _ in range(600):
                state = visit.page.request.get(f"{server.base}/api/state").json()
                if state["position"] > before and state["job"] is None:
                    break
                time.sleep(0.1)
            time.sleep(1)  # the page hears of it too
            route.fulfill(response=answer)

        visit.page.route("**/api/operations", answer_late)
        visit.page.evaluate(
            "void coterie.page.store.apply({op: 'fit', method: 'kmeans', k: 2, believe: false})"
        )
        visit.until("!coterie.page.store.isBusy && coterie.state().k === 2")
        visit.page.wait_for_timeout(300)
        assert visit.page.evaluate("coterie.page.store.job") is None
        assert visit.get("progress").is_hidden()
        visit.page.context.close()
    finally:
        end(server)


def test_a_server_that_is_gone_is_said_and_found_again(browser, tmp_path):
    """Law: a page whose server was killed says so, and goes on with one that the user starts on that port."""
    book = write_book(tmp_path, 60)
    server = launch(book, tmp_path)
    visit = open_page(browser, server)
    visit.until("coterie.state().k === 3 && !coterie.page.store.job")
    gone = visit.page.locator(".banner-poor")
    assert not gone.is_visible()
    for number in range(3):  # what the new server counts is behind what the page has seen
        visit.apply({"op": "rename", "group": "g1", "name": f"name {number}"})
    eventually(lambda: any((tmp_path / "state").rglob("*.coterie.json")))
    before = visit.state()
    server.process.kill()
    end(server)
    visit.until("coterie.page.store.isUp === false")
    assert "server is gone" in gone.inner_text()
    again = launch(book, tmp_path, int(server.base.rsplit(":", 1)[1]))
    try:
        assert again.url != server.url  # another token
        visit.until("coterie.page.store.isUp === true && coterie.page.store.state.resumed")
        visit.until(f"coterie.state().labels_hash === {before['labels_hash']!r} && !coterie.page.store.job")
        assert not gone.is_visible()
        visit.apply({"op": "merge", "groups": ["g1", "g2"]})
        visit.until("coterie.state().k === 2")
        assert visit.page.evaluate("coterie.page.map.grid().inside([[-1,-1],[-1,1],[1,1],[1,-1]]).length") > 0
    finally:
        visit.page.context.close()
        end(again)


def test_a_server_on_that_port_that_does_not_know_the_page_stays_closed(browser, tmp_path):
    """Law: a server with another state folder lets the old page in as little as a stranger."""
    book = write_book(tmp_path, 60)
    server = launch(book, tmp_path)
    visit = open_page(browser, server)
    visit.until("coterie.state().k === 3")
    end(server)
    visit.until("coterie.page.store.isUp === false")
    (tmp_path / "other").mkdir()
    other = launch(book, tmp_path / "other", int(server.base.rsplit(":", 1)[1]))
    try:
        with visit.page.expect_response(lambda one: one.url.endswith("/api/rejoin") and one.status == 403):
            pass
        assert visit.page.evaluate("coterie.page.store.isUp") is False
    finally:
        visit.page.context.close()
        end(other)
