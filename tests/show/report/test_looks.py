"""What a reader sees: letters that can be read, nothing empty, nothing that slides out of sight."""

import numpy as np
import pandas
import pytest

import coterie
from coterie.show.report import write_subject
from report_subjects import evidence_of, make_subject, stability_of

pytestmark = pytest.mark.xdist_group("browser")  # one browser, started once

LEAST_CONTRAST = 4.5  # of small letters, by the Web Content Accessibility Guidelines
FADED = """
  () => {
    const canvas = Object.assign(document.createElement("canvas"), {width: 1, height: 1});
    const brush = canvas.getContext("2d", {willReadFrequently: true});
    const luminance = (parts) => parts.map((part) => part / 255)
      .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
      .reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0);
    const painted = (colors) => {
      brush.clearRect(0, 0, 1, 1);
      for (const color of colors) { brush.fillStyle = color; brush.fillRect(0, 0, 1, 1); }
      return luminance([...brush.getImageData(0, 0, 1, 1).data].slice(0, 3));
    };
    const found = [];
    const written = "h1, h2, p, dt, dd, th, td, button, span, label, code";
    for (const part of document.querySelectorAll(written)) {
      const hasText = [...part.childNodes].some((one) => one.nodeType === 3 && one.textContent.trim());
      if (!hasText || !part.checkVisibility() || part.closest("svg, .plot, :disabled")) continue;
      const behind = [];
      for (let at = part; at; at = at.parentElement) behind.unshift(getComputedStyle(at).backgroundColor);
      const back = painted(behind), front = painted([...behind, getComputedStyle(part).color]);
      const contrast = (Math.max(back, front) + 0.05) / (Math.min(back, front) + 0.05);
      if (contrast < LEAST) found.push([contrast.toFixed(1), part.className, part.textContent.slice(0, 30)]);
    }
    return found;
  }
""".replace("LEAST", str(LEAST_CONTRAST))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_letters_stand_out(iris, scheme):
    """Law: every word and every number of the page can be read, on tinted cells too."""
    iris.page.emulate_media(color_scheme=scheme)
    faded = iris.page.evaluate(FADED)
    iris.page.emulate_media(color_scheme="light")
    assert faded == []


@pytest.fixture(scope="module")
def undivided(visit, tmp_path_factory):
    """Return the page of rows without groups, with two as what if."""
    X = np.random.default_rng(0).normal(size=(60, 3))
    labels = np.zeros(60, dtype=int)
    two = (X[:, 0] > 0).astype(int)
    subject = make_subject(X, "abc", labels, headline="No groups", labelings={2: two})
    return visit(write_subject(subject, tmp_path_factory.mktemp("none") / "none.html")).page


def test_no_groups_leaves_no_empty_panels(undivided):
    """Law: what only groups have is not there without groups, and comes with the slider."""
    page, needy = undivided, "section[data-needs-groups]"
    assert page.locator(f"{needy} >> visible=true").count() == 0
    assert page.inner_text("#stop-said") == "no groups"
    assert page.locator(".chips >> visible=true").count() == 0
    page.focus("#stop")
    page.keyboard.press("ArrowRight")
    assert page.inner_text("#stop-said") == "2 groups"
    assert page.locator(f"{needy} >> visible=true").count() == 2
    assert page.evaluate("document.querySelectorAll('#silhouette .bars .point').length") == 60
    page.keyboard.press("ArrowLeft")
    assert page.locator(f"{needy} >> visible=true").count() == 0


@pytest.fixture(scope="module")
def many(visit, tmp_path_factory):
    """Return the page of sixty groups that are all of one class each."""
    rng = np.random.default_rng(0)
    labels = np.sort(np.arange(240) % 60)
    X = rng.normal(size=(240, 2)) + 30 * np.column_stack([labels % 8, labels // 8])
    more = {"classes": [f"class {one}" for one in labels], "stability": stability_of(60)}
    more["evidence"] = evidence_of(60, range(1, 71))
    subject = make_subject(X, ["a rather long name", "y"], labels, **more)
    return visit(write_subject(subject, tmp_path_factory.mktemp("many") / "many.html")).page


@pytest.mark.parametrize("table", [".contrast", ".truth"])
def test_rows_keep_their_names_when_tables_scroll(many, table):
    """Law: in a table of sixty groups the first column stays where it is."""
    scroll = many.locator(f".scroll:has({table})")
    name = many.locator(f"{table} tbody th").first
    before = name.bounding_box()["x"]
    scroll.evaluate("(box) => { box.scrollLeft = 900; }")
    assert scroll.evaluate("(box) => box.scrollLeft") > 0
    assert name.bounding_box()["x"] == pytest.approx(before, abs=2)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_numbers_stand_out_from_the_colours_of_sixty_groups(many, scheme):
    """Law: no colour of a group and no difference hides the number on it."""
    many.emulate_media(color_scheme=scheme)
    faded = many.evaluate(FADED)
    many.emulate_media(color_scheme="light")
    assert faded == []


def test_paper_is_wide_enough(many):
    """Law: on paper nothing is wider than the sheet, which would shrink all the rest; what is cut is said."""
    many.set_viewport_size({"width": 688, "height": 1000})
    many.emulate_media(media="print")
    many.evaluate("dispatchEvent(new Event('beforeprint'))")
    many.wait_for_function("document.documentElement.scrollWidth <= 688")
    assert many.locator(".on-paper >> visible=true").count() == 2
    many.evaluate("dispatchEvent(new Event('afterprint'))")
    many.emulate_media(media="screen")
    many.set_viewport_size({"width": 1280, "height": 900})
    assert many.locator(".on-paper >> visible=true").count() == 0


def test_heads_of_the_truth_select_groups(many):
    """Law: the head of a column of the truth is its group."""
    many.click(".truth [data-select-group='7']")
    assert "group 8" in many.inner_text("#selected")
    many.keyboard.press("Escape")


def test_words_of_the_command_are_not_broken(iris):
    """Law: an option of the command stands on one line, and the whole is copied as it was typed."""
    page = iris.page
    assert page.text_content("#command") == "coterie fit table.csv --report table.html"
    words = page.locator("#command .word")
    heights = words.evaluate_all("(words) => words.map((word) => word.offsetHeight)")
    assert len(heights) == 5
    assert len(set(heights)) == 1


def test_focus_can_be_seen(iris):
    """Law: whatever Tab reaches shows that it was reached."""
    page = iris.page
    page.evaluate("document.activeElement.blur()")
    unseen = set()
    for _ in range(90):
        page.keyboard.press("Tab")
        unseen.add(
            page.evaluate(
                "(() => { const at = document.activeElement;"
                "const {outlineStyle, outlineWidth} = getComputedStyle(at);"
                "return outlineStyle !== 'none' && parseFloat(outlineWidth) > 0 ? ''"
                " : `${at.tagName} ${at.id} ${at.className}`; })()"
            )
        )
    assert {one for one in unseen if one and not one.startswith("BODY")} == set()


def test_many_numbers_of_groups_on_a_phone(visit, tmp_path):
    """Law: on a narrow page the numbers below the slider end where the slider does."""
    X = np.random.default_rng(0).normal(size=(120, 2))
    labelings = {k: np.arange(120) % k for k in range(2, 27)}
    subject = make_subject(X, "ab", labelings[2], labelings=labelings)
    page = visit(write_subject(subject, tmp_path / "many.html")).page
    page.set_viewport_size({"width": 360, "height": 740})
    ends = "(found) => Math.max(...found.map((one) => one.getBoundingClientRect().right))"
    assert page.eval_on_selector_all(".ticks button", ends) <= page.eval_on_selector_all("#stop", ends) + 2


def test_a_long_p_value_on_a_phone(iris):
    """Law: on a narrow page a long number leaves the word beside it room."""
    page = iris.page
    page.set_viewport_size({"width": 360, "height": 740})
    crossed = page.evaluate("""() => {
      const badge = document.querySelector(".badge"), word = badge.querySelector(".word");
      const number = badge.querySelector("strong"), before = number.textContent;
      number.textContent = "p ≤ 0.00025";
      const range = document.createRange();
      range.selectNodeContents(number);
      const found = range.getBoundingClientRect().right - word.getBoundingClientRect().left;
      number.textContent = before;
      return found;
    }""")
    page.set_viewport_size({"width": 1280, "height": 900})
    assert crossed <= 0


@pytest.mark.parametrize("width", [360, 1280])
def test_shares_and_their_differences_do_not_overprint(visit, tmp_path, width):
    """Law: in a card, a difference in percentage points ends before the share of the group begins."""
    rng = np.random.default_rng(0)
    kinds = np.repeat(["red", "green", "blue"], 30)
    frame = pandas.DataFrame({"kind": kinds, "x": rng.normal(size=90) + np.repeat([0, 8, 16], 30)})
    page = visit(coterie.fit(frame, k=3, budget="fast").report(tmp_path / "shares.html")).page
    page.set_viewport_size({"width": width, "height": 740})
    crossed = page.evaluate("""() => {
      const right = (one) => {
        const range = document.createRange(); range.selectNodeContents(one);
        return range.getBoundingClientRect(); };
      const seen = [...document.querySelectorAll(".apart li")].filter((one) => one.checkVisibility());
      return seen.map((one) =>
        right(one.querySelector(".by")).right - right(one.querySelector(".mean")).left); }""")
    assert any("points" in one for one in page.locator(".apart .by").all_inner_texts())
    assert max(crossed) < 0


OVERPRINTED = """(selector) => {
  const shown = [...document.querySelectorAll(selector)]
    .filter((one) => getComputedStyle(one).visibility === "visible")
    .map((one) => one.getBoundingClientRect());
  if (shown.length < 5) return "too few";
  return shown.slice(1).filter((box, at) => box.left < shown[at].right).length;
}"""


@pytest.mark.parametrize("width", [420, 1280])
def test_seventy_numbers_do_not_overprint(many, width):
    """Law: below the votes so many numbers are written as there is room for, the answer among them."""
    many.set_viewport_size({"width": width, "height": 900})
    assert many.evaluate(OVERPRINTED, ".vote .k") == 0
    assert many.locator(".vote.is-answer .k").is_visible()
    many.set_viewport_size({"width": 1280, "height": 900})


@pytest.mark.parametrize("selector", [".chips", ".meters"])
def test_nothing_of_sixty_groups_is_cut_off(many, selector):
    """Law: on a wide page all chips and all meters are there without scrolling in a box."""
    hidden = "(box) => box.scrollHeight - box.clientHeight"
    assert many.locator(f"{selector} >> visible=true").evaluate(hidden) <= 1


def test_cards_tell_that_they_go_on(many):
    """Law: a box with more below fades at its end, until the end is reached; on paper it never does."""
    cards = many.locator(".cards >> visible=true")
    mask = "(box) => getComputedStyle(box).maskImage"
    many.wait_for_selector(".cards.has-more-below")
    assert "gradient" in cards.evaluate(mask)
    many.emulate_media(media="print")
    assert cards.evaluate(mask) == "none"
    many.emulate_media(media="screen")
    cards.evaluate("(box) => { box.scrollTop = box.scrollHeight; }")
    many.wait_for_function(
        "!document.querySelector('.cards:not([hidden])').classList.contains('has-more-below')"
    )
    assert cards.evaluate(mask) == "none"
    cards.evaluate("(box) => { box.scrollTop = 0; }")


def test_tables_on_a_phone_keep_whole_names_and_all_columns(iris):
    """Law: at 420 pixels no name is cut, no column is left out; what does not fit scrolls in its box."""
    page = iris.page
    page.set_viewport_size({"width": 420, "height": 800})
    cut = "(all) => all.filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.textContent)"
    assert page.eval_on_selector_all("tbody th", cut) == []
    broken = "(all) => all.filter((one) => getComputedStyle(one).overflowWrap !== 'normal').length"
    assert page.eval_on_selector_all(".runners tbody th", broken) == 0  # names of methods break between words
    assert page.locator(".runners .score >> visible=true").count() == 3  # a head and two rows
    page.wait_for_function("document.documentElement.scrollWidth <= 420")
    page.set_viewport_size({"width": 1280, "height": 900})


def test_the_chart_is_one_stop_on_the_way_to_the_cards(iris):
    """Law: Tab goes from the chips over one button of the chart to the cards; arrows reach the rest."""
    page = iris.page
    at = "(({className, dataset}) => dataset.title ?? className)(document.activeElement)"
    page.focus(".chips:not([hidden]) li:last-child button")
    page.keyboard.press("Tab")
    assert page.evaluate(at) == "Download plot as a PNG"
    page.keyboard.press("ArrowRight")
    assert page.evaluate(at) == "Zoom"
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    assert page.evaluate(at) == "Reset axes"
    page.keyboard.press("Tab")
    assert page.evaluate("Boolean(document.activeElement.closest('.cards'))")


def test_a_given_number_leaves_no_void(visit, tmp_path_factory):
    """Law: with a given k the null test stands below the few numbers about it; tables of methods are wide."""
    X = np.concatenate([np.random.default_rng(0).normal(at, 1, (40, 3)) for at in (0, 2, 4)])
    answer = coterie.fit(X, k=3, budget="fast")
    page = visit(answer.report(tmp_path_factory.mktemp("given") / "given.html")).page
    boxes = {
        name: page.locator(f"section[aria-labelledby={name}]").bounding_box()
        for name in ("silhouette-finding", "evidence-finding", "chance-finding", "runners-title")
    }
    ends = {name: box["y"] + box["height"] for name, box in boxes.items()}
    assert boxes["chance-finding"]["x"] == boxes["evidence-finding"]["x"]
    assert boxes["chance-finding"]["y"] > ends["evidence-finding"]
    assert ends["chance-finding"] == pytest.approx(ends["silhouette-finding"], abs=2)
    assert boxes["runners-title"]["width"] > 1200
