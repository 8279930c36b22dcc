"""Operations that compute: the same groups as `coterie.fit`, and what clustering again keeps."""

from __future__ import annotations

import numpy as np
import polars
import pytest

import coterie
from coterie.cli.app import run
from coterie.errors import InvalidParameter
from coterie.scale import read_blocks
from coterie.scale.placing import write_groups
from coterie.workbook import LEFT_OUT, NOISE, Workbook
from mixed_tables import mixed_table
from workbook_cases import CENTRES, FIT, blobs, fitted


def same(labels, other):
    """Return whether two labelings are equal, masked rows included."""
    return np.array_equal(np.ma.filled(labels, -9), np.ma.filled(other, -9))


def test_a_fit_is_that_of_coterie():
    """Whatever the door, the same groups: the workbook asks the pipeline, with the same defaults."""
    X = blobs(30)
    for told in ({"budget": "fast"}, {"method": "kmeans", "k": 4}, {"method": "dbscan", "set": {"eps": 0.4}}):
        found = coterie.fit(X, believe=False, **told)
        assert same(Workbook.open(X).apply({"op": "fit", "believe": False, **told}).labels, found.labels)


def test_gaps_and_categories():
    """A table with categories and missing cells: rows that were left out are masked, and stay so."""
    frame, _ = mixed_table("with gaps", 0)
    told = {"method": "kprototypes", "k": 3, "missing": "drop"}
    book = Workbook.open(frame).apply({"op": "fit", "believe": False, **told})
    assert same(book.labels, coterie.fit(frame, believe=False, **told).labels)
    gone = np.flatnonzero(book.state.labels == LEFT_OUT)
    assert len(gone) > 10
    with pytest.raises(InvalidParameter, match="missing values and were left out"):
        book.apply({"op": "new", "rows": gone[:2].tolist()})
    book.apply({"op": "split", "group": "g1", "method": "kprototypes", "k": 2})
    assert book.k == 4
    book.apply({"op": "cluster_rest", "method": "kprototypes", "k": 2})
    assert book.k == 2
    assert (book.state.labels[gone] == LEFT_OUT).all()
    assert np.ma.getmaskarray(book.labels)[gone].all()


def test_the_best_split_divides_what_was_merged():
    """Two clouds that were merged are split again into the same two, whatever method does it."""
    book = fitted(40)
    before = {tuple(book.state.rows_of(one)) for one in ("g1", "g2")}
    book.apply({"op": "merge", "groups": ["g1", "g2"]}).apply({"op": "split", "group": "g1"})
    assert {tuple(book.state.rows_of(group.id)) for group in book.state.groups if group.id != "g3"} == before
    assert [group.id for group in book.state.groups] == ["g1", "g4", "g3"]


def test_clustering_the_rest_keeps_locked_groups():
    """Rows of a locked group stay; groups that come out as they were keep name and id."""
    book = fitted(30).apply({"op": "rename", "group": "g2", "name": "two"})
    book.apply({"op": "lock", "group": "g1", "locked": True})
    locked = book.state.rows_of("g1")
    twos = book.state.rows_of("g2")
    book.apply({"op": "move", "rows": [int(twos[0])], "group": "g3"})
    book.apply({"op": "cluster_rest", "method": "kmeans", "k": 2})
    assert np.array_equal(book.state.rows_of("g1"), locked)
    assert np.array_equal(book.state.rows_of("g2"), twos)
    assert sorted(book.names) == ["group 1", "group 3", "two"]


def test_clustering_some_rows_leaves_the_others():
    """Only the rows that were named get new groups."""
    book = fitted(30)
    before, rows = np.array(book.state.labels), np.arange(10)
    book.apply({"op": "cluster_rows", "rows": rows.tolist(), "method": "kmeans", "k": 2})
    assert book.k == 5
    others = np.setdiff1d(np.arange(90), rows)
    assert len(np.unique(book.state.labels[rows])) == 2
    assert np.array_equal(np.unique(book.state.labels[others]), np.unique(before[others]))


def test_pairs_and_sizes_are_followed():
    """Rows said to be together share a group, rows apart do not, no group is larger than allowed."""
    book = Workbook.open(blobs(20))
    book.apply({"op": "together", "rows": [0, 25]}).apply({"op": "apart", "rows": [1, 2]})
    book.apply({"op": "sizes", "max": 22})
    book.apply({"op": "fit", "k": 3, "believe": False})
    labels = book.state.labels
    assert labels[0] == labels[25]
    assert labels[1] != labels[2]
    assert book.state.sizes_of_groups.max() <= 22


def test_names_survive_a_fit_that_finds_the_same_groups():
    """A second fit with nearly the same groups keeps ids and names; other groups get new ids."""
    book = fitted(30).apply({"op": "rename", "group": "g1", "name": "one"})
    book.apply({"op": "fit", "method": "mixture", "k": 3, "believe": False})
    assert "one" in book.names
    assert {group.id for group in book.state.groups} == {"g1", "g2", "g3"}


def test_testing_again_measures_the_edited_groups():
    """Good groups are stable; a group cut in two by hand is not, and the verdict says so."""
    book = fitted(40).test(budget="fast")
    good = book.state.belief
    assert not book.state.is_stale
    assert good.verdict.is_stable
    assert good.silhouette > 0.6
    book.apply({"op": "new", "ranges": [[0, 20]]})
    assert book.state.is_stale
    bad = book.test(budget="fast").state.belief
    assert not book.state.is_stale
    assert bad.silhouette < good.silhouette
    assert bad.verdict.convincing is False
    assert len(bad.group_ids) == 4


def test_p_is_that_of_the_edited_groups():
    """A merge of clear groups keeps clear borders; a cut through one cloud has a border as null data have."""
    merged = fitted(60).apply({"op": "merge", "groups": ["g1", "g2"]}).test(budget="fast").state.belief
    assert merged.significance.measure == "weakest border"
    assert merged.significance.p_value <= 0.05
    assert "weakest border" in merged.text
    book = fitted(60).apply({"op": "split", "group": "g1", "method": "kmeans", "k": 2})
    cut = book.test(budget="fast").state.belief
    assert cut.significance is None or cut.significance.p_value > 0.05
    assert cut.verdict.convincing is False


def test_a_merge_of_clear_groups_is_told():
    """A merge leaves the other borders as clear as they were: the test tells the border within the group."""
    book = fitted(60).test(budget="fast")
    assert book.state.belief.divided_ids == ()
    book.apply({"op": "merge", "groups": ["g1", "g2"]}).test(budget="fast")
    assert book.state.belief.divided_ids == ("g1",)
    assert book.apply({"op": "merge", "groups": ["g1", "g3"]}).test().state.belief.divided_ids == ("g1",)


def test_borders_within_groups_of_mixed_rows():
    """Categories that one group has alone are no trouble; a merge of groups that they divide is told."""
    rng = np.random.default_rng(0)
    kinds = np.repeat(["a", "b", "c"], 60)
    x = np.repeat([0.0, 8.0, 16.0], 60) + rng.normal(size=180)
    book = Workbook.open(polars.DataFrame({"x": x, "kind": kinds, "other": kinds}))
    book.apply({"op": "fit", "method": "kprototypes", "k": 3, "believe": False}).test(budget="fast")
    assert book.state.belief.divided_ids == ()
    book.apply({"op": "merge", "groups": ["g1", "g2"]}).test(budget="fast")
    assert book.state.belief.divided_ids == ("g1",)


def test_an_answer_becomes_a_workbook_with_its_groups():
    """`Workbook.open` of an answer begins with the very labels, and edits go on from there."""
    frame = polars.DataFrame(
        {"id": [f"r{at:03}" for at in range(60)], "x": blobs()[:, 0], "y": blobs()[:, 1]}
    )
    for told in ({"method": "kmeans", "k": 3}, {"method": "dbscan", "set": {"eps": 0.5}}):
        found = coterie.fit(frame, believe=False, **told)
        book = Workbook.open(found)
        assert same(book.labels, found.labels)
        assert book.state.rows.columns == ("x", "y")
        assert book.state.belief.verdict == found.verdict
        assert same(book.to_answer().predict(frame), found.predict(frame))
        assert not book.is_dirty
        assert book.apply({"op": "split", "group": "g1"}).k == found.k + 1
        assert book.state.is_stale


def test_a_saved_answer_finds_its_data(tmp_path, monkeypatch):
    """A model file names its table: it is found there, or given; without it the error says so."""
    monkeypatch.chdir(tmp_path)
    np.savetxt("clouds.csv", blobs(), delimiter=",", header="x,y", comments="")
    coterie.fit("clouds.csv", method="kmeans", k=3, believe=False).save("clouds.model")
    answer = coterie.load("clouds.model")
    assert same(Workbook.open(answer).labels, answer.labels)
    (tmp_path / "clouds.csv").rename("moved.csv")
    with pytest.raises(InvalidParameter, match="does not hold its data, and clouds"):
        Workbook.open(answer)
    assert Workbook.of_answer(answer, "moved.csv").k == 3
    with pytest.raises(InvalidParameter, match="the answer is about 60"):
        Workbook.of_answer(answer, blobs(5))


def test_edited_groups_are_an_answer_that_places_new_rows():
    """`to_answer` holds the edited labels; new rows go to the nearest mean; it is saved and loaded."""
    book = fitted(30).apply({"op": "merge", "groups": ["g1", "g2"]}).apply({"op": "noise", "rows": [0]})
    found = book.to_answer()
    assert same(found.labels, book.labels)
    assert any("edited by hand" in note for note in found.notes)
    placed = found.predict(np.array(CENTRES))
    assert len(set(placed.tolist())) == 2
    unchanged = fitted(30)
    assert same(unchanged.to_answer().labels, unchanged.labels)
    with pytest.raises(InvalidParameter, match="no groups yet"):
        Workbook.open(blobs()).to_answer()


@pytest.mark.parametrize(
    ("data", "match"),
    [
        (np.array([[1.0, np.inf], [0.0, 1.0]]), "infin"),
        (np.empty((0, 2)), "0 sample"),
        ([["a", "b"]], "text"),
        (np.ones((1, 2)), "one row"),
    ],
)
def test_data_that_cannot_be_clustered(data, match):
    """Bad data are refused when they are opened or fitted, in our words."""
    with pytest.raises(coterie.errors.CoterieError, match=match):
        Workbook.open(data).apply(FIT)


def test_noise_of_a_method_is_noise():
    """Rows that DBSCAN leaves out are labelled -1, and can be moved."""
    X = np.concatenate([blobs(), [[100.0, 100.0]]])
    book = Workbook.open(X).apply(
        {"op": "fit", "method": "dbscan", "scale": "none", "set": {"eps": 2.0}, "believe": False}
    )
    assert book.state.labels[60] == NOISE
    assert book.apply({"op": "move", "rows": [60], "group": "g1"}).state.labels[60] == 0


def test_names_go_with_the_model(tmp_path, capsys):
    """Law: labels of new rows are written with the names of the groups, in memory and in blocks."""
    frame = polars.DataFrame(blobs(), schema=["x", "y"])
    frame.write_csv(tmp_path / "rows.csv")
    (tmp_path / "parts").mkdir()
    frame[:70].write_parquet(tmp_path / "parts" / "a.parquet")
    frame[70:].write_parquet(tmp_path / "parts" / "b.parquet")
    book = Workbook.open(tmp_path / "rows.csv").apply(FIT)
    book.apply({"op": "rename", "group": book.state.groups[1].id, "name": "students"})
    edited = Workbook.open(tmp_path / "rows.csv").apply(FIT)
    edited.apply({"op": "merge", "groups": [group.id for group in edited.state.groups[:2]]})
    edited.apply({"op": "rename", "group": edited.state.groups[0].id, "name": "both"})
    for one, names in ((book, ["group 1", "students", "group 3"]), (edited, ["both", "group 2"])):
        coterie.save(one.to_answer(), tmp_path / "m.safetensors", force=True)
        assert list(coterie.load(tmp_path / "m.safetensors").groups.names) == names
        model, folder = str(tmp_path / "m.safetensors"), tmp_path / f"labels{len(names)}"
        assert run(["predict", model, str(tmp_path / "rows.csv")]) == 0
        printed = polars.read_csv(capsys.readouterr().out.encode())
        assert [names[label] for label in printed["label"]] == printed["group"].to_list()
        blocks = read_blocks(str(tmp_path / "parts"))
        write_groups(coterie.load(tmp_path / "m.safetensors"), blocks, folder)
        written = polars.read_parquet(folder / "part-*.parquet")
        assert written["group"].cast(polars.String).to_list() == printed["group"].to_list()
    plain = Workbook.open(tmp_path / "rows.csv").apply(FIT).to_answer()
    assert plain.groups.names == ()
