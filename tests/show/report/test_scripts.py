"""The scripts of the page, one module at a time, on an empty page."""

import json
from importlib.resources import files

import pytest

pytestmark = pytest.mark.xdist_group("browser")

TREE = {
    "names": ["a", "b", "c", "d"],
    "children": [[0, 1], [2, 3], [4, 5]],
    "heights": [1.0, 2.0, 6.0],
    "reaches": [1.0, 2.0, 6.0],
    "sizes": [1, 1, 1, 1, 2, 2, 4],
    "leaf_of_row": [3, 2, 1, 0],
}
SAMPLE = {
    "rows": [1, 2, 3],
    "names": ["Ada", "Bob, Jr.", 'the "third"'],
    "columns": ["age", "pay"],
    "values": [[10, 20, None], [1, 1, 7]],
    "means": [15, 3],
    "spreads": [5, 3],
}


@pytest.fixture(scope="module")
def run(browser):
    """Evaluate an expression where the modules without a view are loaded; TREE and SAMPLE are there."""
    page = browser.new_page()
    page.set_content("<p>empty</p>")
    for name in ("csv", "selection", "tree_cut", "theme", "state"):
        page.add_script_tag(content=(files("coterie.show.report") / f"js/{name}.js").read_text())
    page.evaluate(f"globalThis.TREE = {json.dumps(TREE)}; globalThis.SAMPLE = {json.dumps(SAMPLE)}")
    yield page.evaluate
    page.close()


def test_csv_quotes_what_needs_it(run):
    """Law: commas, quotes and line ends are quoted as RFC 4180 says; nothing is an empty cell."""
    assert run("coterie.csv.toCsv(['a,b', 'c'], [['x\"y', null], ['l\\n', 1.5]])") == (
        '"a,b",c\r\n"x""y",\r\n"l\n",1.5\r\n'
    )


def test_csv_of_rows_has_names_groups_and_values(run):
    """Law: a row is written with its number, name, group and values; noise is called so."""
    text = run("coterie.csv.ofRows({sample: SAMPLE, truth: null}, [0, -1, 1], [1, 2])")
    assert text == 'row,name,group,age,pay\r\n2,"Bob, Jr.",noise,20,1\r\n3,"the ""third""",2,,7\r\n'


def test_selection_is_a_set_in_order(run):
    """Law: rows are held once and in order; no rows are the empty selection."""
    assert run("coterie.selection.make([3, 1, 3], 'x').rows") == [1, 3]
    assert run("coterie.selection.make([], 'x') === coterie.selection.nothing")
    assert run("coterie.selection.ofGroup([0, 1, 0, -1], 0).rows") == [0, 2]
    assert run("coterie.selection.byGroup(coterie.selection.make([0, 1, 2], ''), [4, 5, 4])") == [
        [4, 2],
        [5, 1],
    ]


def test_selection_in_words_names_columns_that_differ(run):
    """Law: the words count rows and groups, and name the columns in which they are high or low."""
    words = run("coterie.selection.inWords(coterie.selection.make([2], ''), [0, 0, 1], SAMPLE)")
    assert words == {
        "whole": '1 row (the "third")',
        "groups": "1 in group 2",
        "differs": "pay high (+1.3 sd)",
    }


@pytest.mark.parametrize(
    ("text", "rows"), [("bob", [1]), ("row 3", [2]), ("group 2", [2]), ("  ", []), ("nobody", [])]
)
def test_search_finds_names_numbers_and_groups(run, text, rows):
    """Law: a search reads names, row numbers and groups; what fits nothing selects nothing."""
    assert run(f"coterie.selection.search({text!r}, [0, 0, 1], SAMPLE).rows") == rows


def test_cut_gives_the_largest_nodes_below_a_height(run):
    """Law: no merge in a node is above the cut; groups are numbered by size, rows follow their leaf."""
    assert run("coterie.treeCut.nodesAt(TREE, 6)") == [6]
    assert run("coterie.treeCut.nodesAt(TREE, 2)") == [4, 5]
    assert run("coterie.treeCut.nodesAt(TREE, 1.5)") == [4, 2, 3]
    assert run("coterie.treeCut.cut(TREE, 1.5)") == {
        "k": 3, "nodes": [4, 2, 3], "sizes": [2, 1, 1], "labels": [2, 1, 0, 0]
    }  # fmt: skip
    assert run(
        "[1, 2, 3, 4].map((k) => coterie.treeCut.nodesAt(TREE, coterie.treeCut.heightFor(TREE, k)).length)"
    ) == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("highest", "ticks"),
    [
        (6.3, [0, 2, 4, 6]),
        (0.00042, [0, 0.0001, 0.0002, 0.0003, 0.0004]),
        (31_500, [0, 10_000, 20_000, 30_000]),
        (1.15, [0, 0.2, 0.4, 0.6, 0.8, 1]),
    ],
)
def test_ticks_are_round_heights(run, highest, ticks):
    """Law: the axis of the tree has round heights from 0 up to the highest."""
    assert run(f"coterie.treeCut.ticks({highest})") == ticks


def test_nodes_stand_above_the_middle_of_their_children(run):
    """Law: leaves stand at 0, 1, 2, ...; a node in the middle of its outer children."""
    assert run("coterie.treeCut.places(TREE)") == [0, 1, 2, 3, 0.5, 2.5, 1.5]


def test_colours_are_inherited_by_the_larger_part(run):
    """Law: a part takes the colour that most of its rows had; every group has one of its own."""
    assert run("coterie.treeCut.inherit([0, 0, 1, 2], 3, [0, 0, 0, 1], [7, 2], 60)") == [7, 0, 2]


def test_dark_colours_become_lighter_on_a_dark_page(run):
    """Law: a colour that would sink into a dark page is lifted; others stay as they are."""
    assert run("coterie.theme.lighter('#e69f00')") == "#e69f00"
    assert run("coterie.theme.lighter('#332288')") != "#332288"
    assert run("coterie.theme.colorOf(['#332288'], 0, false)") == "#332288"


def test_names_are_text_for_plotly(run):
    """Law: what plotly would read as a tag or an entity is escaped."""
    assert run("coterie.theme.asText('<b>&amp;')") == "&lt;b&gt;&amp;amp;"


def test_state_tells_every_view_and_toggles_groups(run):
    """Law: each change is told once; the same group again clears the selection; words never mislead."""
    told = run(
        """() => {
          const stop = (k, labels) => ({k, labels, colors: [0, 1, 2], sizes: [], silhouettes: null});
          const stops = [stop(2, [0, 0, 1]), stop(3, [0, 1, 2])];
          const store = coterie.state.make({stops, chosen: 0, tree: null, sample: SAMPLE}), told = [];
          store.listen(({selection, grouping}, what) =>
            told.push([what, selection.rows, selection.about, grouping.k]));
          store.toggleGroup(0);
          store.setStop(1);
          store.setStop(1);
          store.toggleGroup(1);
          store.toggleGroup(1);
          return told;
        }"""
    )
    assert told == [
        ["selection", [0, 1], "group 1", 2],
        ["grouping", [0, 1], "group 1 when there were 2", 3],
        ["selection", [1], "group 2", 3],
        ["selection", [], "", 3],
    ]
