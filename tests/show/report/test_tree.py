"""The tree of the page in a real browser: branches, axis, cut."""

import numpy as np
import pytest

from report_subjects import iris_subject

pytestmark = pytest.mark.xdist_group("browser")  # one browser, started once


def n_selected(page):
    return page.evaluate("coterie.store.state.selection.rows.length")


def test_branch_selects_the_rows_below_it(iris):
    """Law: the root's branch holds all rows; with the keyboard, a child holds fewer."""
    page = iris.page
    page.focus("#tree svg")
    page.keyboard.press("Enter")
    assert n_selected(page) == 150
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert 0 < n_selected(page) < 150
    assert "a branch of" in page.inner_text("#selected")


def test_tree_has_an_axis_of_heights(iris):
    """Law: ticks stand at the heights that they name, beside a line each; the axis says what it measures."""
    page = iris.page
    assert page.inner_text(".tree-axis") == "distance of the merge"
    found = page.evaluate(
        """() => {
          const box = document.querySelector("#tree svg").getBoundingClientRect();
          const middle = (element) => { const {top, bottom} = element.getBoundingClientRect();
                                        return (top + bottom) / 2 - box.top; };
          const texts = [...document.querySelectorAll(".tree-ticks span")];
          const cut = document.querySelector(".cut-line");
          return {texts: texts.map((one) => Number(one.textContent)),
                  places: texts.map(middle), cut: middle(cut),
                  lines: [...document.querySelectorAll(".tick-line")].map(middle),
                  height: coterie.store.state.grouping.height};
        }"""
    )
    assert found["texts"][0] == 0
    np.testing.assert_allclose(found["places"], found["lines"], atol=1)
    slope, start = np.polyfit(found["texts"], found["places"], 1)
    assert slope < 0
    assert found["cut"] == pytest.approx(start + slope * found["height"], abs=1)


def test_cut_height_changes_the_groups(iris):
    """Law: any height gives the groups of the tree at that height, also where no stop was made."""
    page = iris.page
    subject = iris_subject(with_tree=True)
    heights = np.sort(subject.dendrogram.heights)
    for k in (2, 30):
        height = float(heights[-k] + heights[-k + 1]) / 2
        page.evaluate("(height) => coterie.store.setHeight(height)", height)
        ours = np.array(page.evaluate("coterie.store.state.grouping.labels"))
        theirs = subject.dendrogram.cut(height=height)
        pairs = set(zip(ours.tolist(), theirs.tolist(), strict=True))
        assert len(pairs) == len(set(ours.tolist())) == len(set(theirs.tolist())) == k
        assert f"{k} groups" in page.inner_text("#cut-said")
    assert page.is_visible("#no-cards")
    page.focus("#cut-height")
    page.keyboard.press("End")
    assert "1 group" in page.inner_text("#cut-said")
    assert iris.errors == []
