"""What each operation does to groups, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest

from coterie.errors import InvalidParameter
from coterie.workbook import NOISE, Workbook, apply, check_operation
from workbook_cases import FIT, blobs, fitted


def refused(book, operation, match):
    """Assert that an operation is refused in these words."""
    with pytest.raises(InvalidParameter, match=match):
        book.apply(operation)


def test_merge_keeps_the_first_group():
    """All rows of the groups have the label of the first; its id stays, the others are gone."""
    book = fitted()
    rows = [book.state.rows_of(one).tolist() for one in ("g1", "g2", "g3")]
    book.apply({"op": "rename", "group": "g2", "name": "two"}).apply({"op": "merge", "groups": ["g3", "g2"]})
    assert [group.id for group in book.state.groups] == ["g1", "g3"]
    assert sorted(rows[1] + rows[2]) == book.state.rows_of("g3").tolist()
    assert book.names == ["group 1", "two"]
    assert book.log[-1]["said"] == "Merged group 3 and two"


def test_move_new_and_noise_touch_the_rows_alone():
    """Rows go where they are told; all others keep their group; an empty group is gone."""
    book = fitted()
    before = np.array(book.labels)
    book.apply({"op": "move", "rows": [0, 21], "group": "g3"})
    assert (np.asarray(book.labels) != before).sum() <= 2
    assert {0, 21} <= set(book.state.rows_of("g3").tolist())
    book.apply({"op": "new", "ranges": [[0, 5]], "name": "five"})
    assert book.state.rows_of("g4").tolist() == [0, 1, 2, 3, 4]
    assert book.names[-1] == "five"
    book.apply({"op": "noise", "ranges": [[0, 5]]})
    assert (np.asarray(book.labels)[:5] == NOISE).all()
    assert "g4" not in [group.id for group in book.state.groups]


def test_names_notes_and_colours_stay_with_the_group():
    """What people say about a group follows its id through merges and splits of others, not its number."""
    book = fitted().apply({"op": "note", "group": "g3", "text": "look at these"})
    book.apply({"op": "colour", "group": "g3", "colour": "#ABCDEF"})
    book.apply({"op": "rename", "group": "g3", "name": "three"}).apply(
        {"op": "merge", "groups": ["g1", "g2"]}
    )
    group = book.state.groups[1]
    assert (group.id, group.name, group.note, group.colour) == ("g3", "three", "look at these", "#abcdef")
    assert book.log[1]["said"] == "Wrote a note about group 3"
    assert book.log[1]["text"] == "look at these"


def test_ids_are_never_given_twice():
    """An id that was gone does not come back for another group: names cannot land on the wrong one."""
    book = fitted().apply({"op": "new", "rows": [0]}).apply({"op": "noise", "rows": [0]})
    book.apply({"op": "new", "rows": [0]})
    assert book.state.groups[-1].id == "g5"


def test_locked_groups_are_not_changed():
    """Merging, splitting, moving into or out of, noise and new groups are refused; names are not."""
    book = fitted().apply({"op": "lock", "group": "g1", "locked": True})
    own, other = int(book.state.rows_of("g1")[0]), int(book.state.rows_of("g2")[0])
    for operation in (
        {"op": "merge", "groups": ["g2", "g1"]},
        {"op": "split", "group": "g1"},
        {"op": "move", "rows": [other], "group": "g1"},
        {"op": "move", "rows": [own], "group": "g2"},
        {"op": "noise", "rows": [own]},
        {"op": "new", "rows": [own, other]},
        {"op": "cluster_rows", "rows": [own, other]},
    ):
        refused(book, operation, "group 1 is locked. Unlock it first")
    book.apply({"op": "rename", "group": "g1", "name": "mine"})
    book.apply({"op": "lock", "group": "g1", "locked": False}).apply({"op": "noise", "rows": [own]})


def test_pairs_are_kept_and_contradictions_refused():
    """Rows that are together, also through others, cannot be apart."""
    book = fitted().apply({"op": "together", "rows": [0, 1]}).apply({"op": "together", "rows": [1, 2]})
    refused(book, {"op": "apart", "rows": [0, 2]}, "rows 1 and 3 cannot be together and apart")
    book.apply({"op": "apart", "rows": [2, 30]})
    refused(book, {"op": "together", "rows": [0, 30]}, "cannot be together and apart")
    book.apply({"op": "free", "rows": [30]})
    assert book.state.apart == ()
    refused(book, {"op": "free", "rows": [30]}, "nothing was said about these rows")
    refused(book, {"op": "together", "rows": [3]}, "needs at least two rows, got 1")


def test_roles_are_for_the_next_fit():
    """A column that is left out is not used, one of weight 3 counts three times as far."""
    book = fitted().apply({"op": "roles", "columns": {"column_2": "leave"}})
    assert book.state.rows.columns == ("column_1", "column_2")
    assert book.apply(FIT).state.rows.columns == ("column_1",)
    book = Workbook.open(blobs()).apply({"op": "roles", "weights": {"column_1": 3.0}, "scale": "none"})
    points = book.apply(FIT).state.rows.prepared.points
    np.testing.assert_allclose(points, blobs() * [3.0, 1.0])
    answer = book.apply(FIT).state.rows
    assert answer.prepared.scaling.how == "none"
    assert any(note == "weights of columns: column_1 x 3" for note in answer.prepared.notes)
    everything = {"column_1": "leave", "column_2": "leave"}
    refused(book, {"op": "roles", "columns": everything}, "all columns are left out")
    refused(book, {"op": "roles", "columns": {"colum_1": "use"}}, "column_1")


HOSTILE = [
    ({"op": "exec", "code": "import os"}, 'no such operation "exec"'),
    ({"op": "__class__"}, "no such operation"),
    ({"op": ["fit"]}, 'must be an object with "op"'),
    ("fit", 'must be an object with "op"'),
    (None, 'must be an object with "op"'),
    ({"op": "rename", "group": "g1"}, 'needs the field "name"'),
    ({"op": "rename", "group": "../g1", "name": "a"}, "the id of a group"),
    ({"op": "rename", "group": "g1", "name": "x" * 201}, "at most 200 characters"),
    ({"op": "rename", "group": "g1", "name": 3}, "text of at most"),
    ({"op": "rename", "group": "g1", "name": "a", "path": "/etc"}, 'has no field "path"'),
    ({"op": "colour", "group": "g1", "colour": "url(http://a)"}, "a colour such as"),
    ({"op": "move", "group": "g1", "rows": [-1]}, "row numbers from 0"),
    ({"op": "move", "group": "g1", "rows": [True]}, "row numbers from 0"),
    ({"op": "move", "group": "g1", "rows": [0.5]}, "row numbers from 0"),
    ({"op": "move", "group": "g1", "rows": "0"}, "row numbers from 0"),
    ({"op": "move", "group": "g1", "rows": []}, "at least one row"),
    ({"op": "move", "group": "g1"}, '"rows" or "ranges", one of them'),
    ({"op": "move", "group": "g1", "rows": [1], "ranges": [[0, 1]]}, '"rows" or "ranges", one of them'),
    ({"op": "new", "ranges": [[0, 2**40]]}, "ranges of rows"),
    ({"op": "new", "ranges": [[5, 5]]}, "ranges of rows"),
    ({"op": "new", "ranges": [[3, 1]]}, "ranges of rows"),
    ({"op": "fit", "set": {"memory": "/tmp/cache"}}, 'set may not hold "memory"'),
    ({"op": "fit", "set": {"n_jobs": 9999}}, 'set may not hold "n_jobs"'),
    ({"op": "fit", "set": {"eps": {"a": 1}}}, "a number, a word"),
    ({"op": "fit", "set": {"eps": float("nan")}}, "a finite number"),
    ({"op": "fit", "checkpoint": "/tmp"}, 'has no field "checkpoint"'),
    ({"op": "fit", "k": "1..99999999"}, "a number from 1"),
    ({"op": "fit", "k": -1}, "a number from 1"),
    ({"op": "fit", "seed": -1}, "a whole number from 0"),
    ({"op": "fit", "budget": "endless"}, "must be one of fast, normal, thorough"),
    ({"op": "merge", "groups": ["g1"]}, "two or more ids"),
    ({"op": "merge", "groups": ["g1", "g1"]}, "different groups"),
    ({"op": "sizes", "min": 9, "max": 3}, "min must be at most max"),
    ({"op": "given", "labels": "<script>"}, "labels as base64"),
    ({"op": "roles", "weights": {"a": 0}}, "above 0"),
]


@pytest.mark.parametrize(("operation", "match"), HOSTILE, ids=lambda one: str(one)[:40])
def test_operations_that_hold_something_else_are_refused(operation, match):
    """Every field is checked against a schema before anything is done: no code, no paths, no other types."""
    with pytest.raises(InvalidParameter, match=match):
        check_operation(operation)


def test_rows_and_groups_that_are_not_there():
    """What the schema cannot know is refused when it is applied, with what there is."""
    book = fitted()
    refused(book, {"op": "noise", "rows": [60]}, "rows must be below 60, the number of rows, got 60")
    refused(book, {"op": "noise", "ranges": [[0, 2_000_000_000]]}, "rows must be below 60")
    refused(book, {"op": "rename", "group": "g9", "name": "a"}, r'no group "g9".*there are g1, g2, g3')
    refused(book, {"op": "given", "labels": "eJwDAAAAAAE="}, "those of 60 rows")


def test_names_stay_text():
    """Markup, formulas and quotes are kept as they are; control characters become visible."""
    name = '<img src=x onerror=alert(1)> "quoted" =cmd()'
    assert fitted().apply({"op": "rename", "group": "g1", "name": name}).names[0] == name
    shown = fitted().apply({"op": "rename", "group": "g1", "name": "a\x1b[2Jb\u202ec"}).names[0]
    assert shown == "a\\x1b[2Jb\\u202ec"


def test_equal_rows_cannot_be_split():
    """Rows that are all alike, one row, and more parts than rows are refused in words."""
    book = Workbook.open(np.ones((10, 2)) * np.arange(1, 3)).apply({"op": "new", "rows": list(range(9))})
    refused(book, {"op": "split", "group": "g1"}, "could not be split")
    book.apply({"op": "new", "rows": [9]})
    refused(book, {"op": "split", "group": "g2"}, "has one row and cannot be split")
    refused(fitted(), {"op": "split", "group": "g1", "method": "kmeans", "k": 99}, "at most 20")


def test_a_workbook_without_a_fit():
    """Groups can be made by hand alone; a test of none is refused."""
    book = Workbook.open(blobs())
    refused(book, {"op": "test"}, "there are no groups to test")
    book.apply({"op": "new", "ranges": [[0, 20]]}).apply({"op": "new", "ranges": [[20, 40]]})
    assert book.k == 2
    assert apply(book.state, {"op": "noise", "rows": [0]}).sizes_of_groups.tolist() == [19, 20]
