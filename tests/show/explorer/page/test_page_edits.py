"""Edits by hand: every button does what it says, and everything can be undone."""

import random

import pytest

from explorer_pages import HOSTILE, open_page

pytestmark = pytest.mark.xdist_group("browser")


def names(visit):
    return visit.get("group-name").all_inner_texts()


def sizes(visit):
    return visit.page.evaluate("coterie.page.store.groups.map(one => one.size)")


def group_of(visit, row):
    return visit.page.evaluate("row => coterie.page.store.groupOf(coterie.page.store.labels[row])?.id", row)


def test_rename_undo_and_redo(visit):
    """Law: a typed name is in the log; undo takes it back, redo gives it again, by keys and by buttons."""
    first = visit.state()["labels_hash"]
    rename = visit.get("rename").nth(1)
    rename.click()
    visit.do(lambda: (visit.page.keyboard.type("students"), visit.page.keyboard.press("Enter")))
    assert names(visit)[1] == "students"
    visit.do(lambda: visit.page.keyboard.press("Control+z"))
    assert names(visit)[1] == "group 2"
    visit.do(lambda: visit.page.keyboard.press("Control+Shift+z"))
    assert names(visit)[1] == "students"
    visit.do(visit.get("undo").click)
    visit.do(visit.get("redo").click)
    assert names(visit)[1] == "students"
    assert visit.state()["labels_hash"] == first


def test_escape_leaves_a_name_as_it_was(visit):
    """Law: a name that is given up changes nothing."""
    rename = visit.get("rename").nth(0)
    rename.fill("never")
    visit.page.keyboard.press("Escape")
    visit.settle()
    assert names(visit)[0] == "group 1"
    assert visit.state()["log_length"] == 1


def test_merge_joins_the_groups_that_are_picked(visit):
    """Law: two groups that are picked become one; undo gives both back to the bit."""
    before = visit.state()
    visit.get("group-row").nth(0).click()
    visit.get("group-row").nth(1).click(modifiers=["Control"])
    assert visit.get("merge").inner_text() == "Merge 2 groups"
    after = visit.do(visit.get("merge").click)
    assert (after["k"], after["labels_hash"] != before["labels_hash"]) == (2, True)
    assert sorted(sizes(visit)) == [50, 100]
    assert visit.do(visit.get("undo").click)["labels_hash"] == before["labels_hash"]


def test_split_and_cluster_again(visit):
    """Law: a split makes two groups of one; clustering rows again changes those rows only."""
    visit.get("group-row").nth(0).click()
    assert visit.do(visit.get("split").click)["k"] == 4
    visit.do(visit.get("undo").click)
    visit.get("group-row").nth(2).click()
    others = visit.page.evaluate("Array.from(coterie.page.store.labels.slice(0, 100))")
    assert visit.do(visit.get("cluster-rows").click)["k"] >= 3
    after = visit.page.evaluate("Array.from(coterie.page.store.labels.slice(0, 100))")
    assert len(set(zip(others, after, strict=True))) == 2  # renumbered at most


def test_move_new_and_noise(visit):
    """Law: selected rows go where they are sent: to a group, to a group of their own, to noise."""
    visit.page.evaluate("coterie.select([0, 1, 2])")
    visit.settle()
    group = visit.page.evaluate("coterie.page.store.groupOf(coterie.page.store.labels[149]).id")
    visit.do(lambda: visit.get("move-to").select_option(group))
    assert sorted(sizes(visit)) == [47, 50, 53]
    assert visit.do(visit.get("new-group").click)["k"] == 4
    assert visit.page.evaluate("document.activeElement.dataset.testid") == "rename"
    visit.page.keyboard.press("Escape")
    visit.do(visit.get("noise").click)
    assert visit.get("noise-row").inner_text().split() == ["noise", "3"]
    visit.get("noise-row").click()
    assert visit.state()["selection"] == [0, 1, 2]


def test_note_colour_and_lock(visit):
    """Law: note, colour and lock of a group are kept in the log and shown; labels stay."""
    first = visit.state()["labels_hash"]
    visit.page.locator("[data-key^='more ']").first.click(force=True)
    note = visit.page.get_by_label("Note about group 1")
    note.fill("seen in May")
    visit.do(lambda: note.press("Tab"))
    visit.do(lambda: visit.page.get_by_label("Colour 5").click())
    visit.do(visit.get("lock").click)
    assert visit.page.evaluate(
        "(({note, colour, locked}) => [note, colour, locked])(coterie.page.store.groups[0])"
    ) == [
        "seen in May",
        "#d55e00",
        True,
    ]
    assert visit.page.locator(".locked").count() == 1
    assert visit.state()["labels_hash"] == first
    visit.page.locator("[data-key^='more ']").first.click(force=True)


def test_limits_pairs_and_the_rest(visit):
    """Law: pairs and sizes are listed as set; the rest is clustered again, locked groups stay."""
    visit.page.evaluate("coterie.select([0, 1])")
    visit.page.locator(".selection-panel summary").click()
    visit.do(visit.get("together").click)
    visit.page.locator(".groups-panel .limits summary").click()
    assert "rows 1, 2 stay together" in visit.page.locator(".pairs").inner_text()
    visit.do(lambda: visit.page.get_by_label("Forget: rows 1, 2 stay together").click())
    assert visit.page.locator(".pairs li").count() == 0
    visit.page.evaluate("coterie.select([0, 149])")
    visit.do(visit.get("apart").click)
    assert "stay apart" in visit.page.locator(".pairs").inner_text()
    visit.page.get_by_label("Smallest size").fill("20")
    visit.do(visit.get("sizes").click)
    assert visit.page.evaluate("coterie.page.store.state.sizes") == {"min": 20, "max": None}
    visit.apply({"op": "lock", "group": "g1", "locked": True})
    locked = visit.page.evaluate("Array.from(coterie.page.store.rowsOf(coterie.page.store.groupById('g1')))")
    visit.page.get_by_label("Number of groups for the rest").fill("2")
    visit.do(visit.get("cluster-rest").click)
    assert (
        visit.page.evaluate("Array.from(coterie.page.store.rowsOf(coterie.page.store.groupById('g1')))")
        == locked
    )
    visit.page.locator(".groups-panel .limits summary").click()
    visit.page.locator(".selection-panel summary").click()


def test_evidence_is_stale_after_an_edit_until_tested_again(visit):
    """Law: an edit marks the figures as from before it; testing again takes the mark away."""
    visit.apply({"op": "noise", "rows": [5]})
    assert visit.get("stale").inner_text() == "Silhouettes are from before your last edits."
    visit.do(visit.get("test-again").click)
    assert visit.state()["stale"] is False
    assert visit.get("evidence").locator("dd").first.inner_text() != "–"
    visit.get("select-all").click()
    visit.page.evaluate("coterie.select([0, 1, 2])")
    visit.settle()
    visit.do(visit.get("noise").click)
    assert visit.state()["stale"] is True
    said = visit.get("stale").inner_text()
    assert said == "Stability, chance and silhouettes are from before your last edits."
    for chart in ("k", "tree", "stability", "chance", "columns", "silhouette"):
        visit.page.locator(f"[data-chart={chart}]").click()
        assert visit.page.locator(".chart").inner_text().strip()
    visit.do(visit.get("test-again").click)
    assert visit.state()["stale"] is False
    assert not visit.get("stale").is_visible()


def test_groups_that_were_never_tested_are_not_called_tested(visit):
    """Law: "since it was tested" is said only of groups that were tested; the text of a test is all seen."""
    visit.apply({"op": "split", "group": "g1"})
    said = visit.page.locator(".verdict")
    assert said.inner_text().endswith("edited, not tested")
    visit.apply({"op": "test"})
    text = visit.page.locator(".evidence-text")
    assert "Null data were compared" in text.inner_text()
    assert text.evaluate("one => one.scrollHeight <= one.clientHeight")
    visit.apply({"op": "merge", "groups": ["g1", "g2"]})
    assert said.inner_text().endswith("edited since it was tested")


def test_method_form_runs_what_it_says(visit):
    """Law: the form runs the method with its parameters; a run that is stopped changes nothing."""
    visit.get("place-method").click()
    visit.until("document.querySelector('[data-testid=method]').options.length > 5")
    visit.get("method").select_option("kmeans")
    visit.page.get_by_label("Number of groups (k)").fill("4")
    assert visit.do(visit.get("run").click)["k"] == 4
    before = visit.state()
    visit.get("method").select_option("auto")
    visit.get("run").click()
    visit.until("coterie.page.store.job !== null")
    assert visit.get("progress").is_visible()
    visit.get("stop").click()
    visit.until("coterie.page.store.job === null && !coterie.page.store.isBusy")
    assert not visit.get("progress").is_visible()
    assert visit.state()["labels_hash"] == before["labels_hash"]


def test_a_field_takes_a_number_or_a_word(visit):
    """Law: where a parameter is a number or a word, a number is sent as a number; what is refused is said.

    The next thing that is done takes the message away.
    """
    visit.get("place-method").click()
    visit.until("document.querySelector('[data-testid=method]').options.length > 5")
    visit.get("method").select_option("dbscan")
    visit.page.locator("[data-parameter=eps]").fill("wide")
    visit.get("run").click()
    visit.get("message").wait_for()
    assert "eps of DBSCAN must be a number" in visit.get("message").inner_text()
    visit.page.locator("[data-parameter=eps]").fill("0.9")
    visit.do(visit.get("run").click)
    assert visit.page.evaluate("coterie.page.store.state.log.at(-1).set.eps") == 0.9
    assert visit.get("message").count() == 0


def test_thirty_random_edits_undo_to_the_start_and_redo(visit):
    """Law: undoing thirty random edits gives the first labels to the bit; redoing them the last."""
    rng = random.Random(0)
    first = visit.state()
    for _ in range(30):
        ids = visit.page.evaluate("coterie.page.store.groups.map(one => one.id)")
        rows = sorted(rng.sample(range(150), rng.randint(1, 12)))
        kinds = [
            {"op": "rename", "group": rng.choice(ids), "name": rng.choice(["a", "b", HOSTILE])},
            {"op": "new", "rows": rows},
            {"op": "noise", "rows": rows},
            {"op": "colour", "group": rng.choice(ids), "colour": "#112233"},
            {"op": "lock", "group": rng.choice(ids), "locked": False},
        ]
        target = rng.choice(ids)
        if any(group_of(visit, row) != target for row in rows):  # moving rows to where they are is refused
            kinds.append({"op": "move", "rows": rows, "group": target})
        if len(ids) > 1:
            kinds.append({"op": "merge", "groups": rng.sample(ids, 2)})
        visit.apply(rng.choice(kinds))
    last = visit.state()
    for _ in range(30):
        visit.do(visit.get("undo").click)
    assert visit.state()["labels_hash"] == first["labels_hash"]
    for _ in range(30):
        visit.do(lambda: visit.page.keyboard.press("Control+Shift+z"))
    assert (visit.state()["labels_hash"], visit.state()["k"]) == (last["labels_hash"], last["k"])


def test_history_goes_back_to_any_step(visit):
    """Law: the list of steps has one line per operation, and each is a way back."""
    start = visit.state()
    visit.apply({"op": "noise", "rows": [3]})
    visit.apply({"op": "noise", "rows": [4]})
    visit.get("history").click()
    assert visit.page.locator(".history-step").count() == 4
    visit.do(lambda: visit.page.locator(".history-step").nth(1).click())
    assert visit.state()["labels_hash"] == start["labels_hash"]
    visit.page.keyboard.press("Escape")


def test_two_tabs_see_the_same(visit, browser, explorer):
    """Law: what is done in one tab appears in the other."""
    other = open_page(browser, explorer)
    other.until("coterie.state().k === 3")
    visit.apply({"op": "merge", "groups": ["g1", "g2"]})
    other.until("coterie.state().k === 2")
    assert other.state()["labels_hash"] == visit.state()["labels_hash"]
    other.page.context.close()


def test_reload_keeps_everything(visit):
    """Law: the page after a reload shows what it showed before: names, groups, log."""
    visit.apply({"op": "rename", "group": "g2", "name": "families"})
    visit.apply({"op": "noise", "rows": [1, 2, 3]})
    before, listed = visit.state(), names(visit)
    visit.page.reload()
    visit.until("Boolean(globalThis.coterie?.ready)")
    visit.page.evaluate("coterie.ready")
    visit.until("coterie.state().k === 3")
    after = visit.state()
    assert {key: after[key] for key in ("n", "k", "labels_hash", "log_length")} == {
        key: before[key] for key in ("n", "k", "labels_hash", "log_length")
    }
    assert names(visit) == listed


def test_refused_operations_are_said_in_words(visit):
    """Law: what the server refuses changes nothing, and its sentence is shown."""
    before = visit.state()
    visit.page.evaluate("void coterie.page.store.apply({op: 'merge', groups: ['g1', 'g99']})")
    visit.until("document.querySelector('[data-testid=message]') !== null")
    assert "g99" in visit.get("message").first.inner_text()
    assert visit.state()["labels_hash"] == before["labels_hash"]
    visit.page.get_by_label("Close this message").first.click()
