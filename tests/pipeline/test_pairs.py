"""Pairs of rows in coterie.fit and on the shell: by number or key, contradictions named, resamples."""

import numpy as np
import pandas
import polars
import pytest

import coterie
from coterie.cli.app import run
from coterie.cluster import AgglomerativeClustering
from coterie.errors import InvalidParameter
from coterie.evaluate import stability


def customers(n=60, seed=0):
    """Return a table with a key and two numbers, two groups."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2)) + 8.0 * (np.arange(n) % 2)[:, None]
    return pandas.DataFrame({"name": [f"customer {i}" for i in range(n)], "x": X[:, 0], "y": X[:, 1]})


TABLE = customers()


@pytest.mark.parametrize("method", ["constrained-kmeans", "agglomerative"])
def test_pairs_are_kept(method):
    """Law: by number from 0, by key, or from a frame or file counted from 1, the same pairs hold."""
    by_key = [("customer 0", "customer 1"), ("customer 2", "customer 3")]
    for together, apart in (
        ([(0, 1), (2, 3)], [(0, 2)]),
        (by_key, [("customer 0", "customer 2")]),
        (pandas.DataFrame({"a": [1, 3], "b": [2, 4]}), polars.DataFrame({"a": [1], "b": [3]})),
        (pandas.DataFrame(by_key), [("customer 0", "customer 2")]),
    ):
        found = coterie.fit(TABLE, method, 3, together=together, apart=apart, believe=False)
        labels = found.labels
        assert labels[0] == labels[1]
        assert labels[2] == labels[3]
        assert labels[0] != labels[2]
        assert any("2 pairs together, by" in note for note in found.notes)


@pytest.mark.parametrize("n_pairs", [1, 2])
def test_files_of_pairs_need_no_header(n_pairs, tmp_path):
    """Law: a first line that names two rows is a pair, also if it is the only one."""
    lines = ["customer 0,customer 1", "customer 2,customer 3"][:n_pairs]
    path = tmp_path / "pairs.csv"
    for header in ("", "one,other\n"):
        path.write_text(header + "\n".join(lines) + "\n")
        found = coterie.fit(TABLE, k=2, together=path, believe=False)
        assert any(f"{n_pairs} pair" in note and "together, by name" in note for note in found.notes)
    path.write_text("customer 0,custmer 1\n")
    with pytest.raises(InvalidParameter, match=r'pair 1 names "custmer 1", .* Did you mean "customer 1"\?'):
        coterie.fit(TABLE, k=2, together=path)


def test_constrained_k_means_is_the_default():
    """Law: pairs without a method are for constrained k-means."""
    found = coterie.fit(TABLE, k=2, together=[(0, 1)], believe=False)
    assert found.method == "constrained-kmeans"
    assert found.labels[0] == found.labels[1]


def test_rows_that_were_left_out():
    """Law: pairs name rows of the table; those of rows left out are not used, and a note says so."""
    holes = TABLE.copy()
    holes.loc[[0, 10], "x"] = np.nan
    found = coterie.fit(holes, k=2, together=[(0, 1), (3, 4)], believe=False)
    assert found.labels[3] == found.labels[4]
    assert any("1 with rows that were left out" in note for note in found.notes)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"together": [(0, 1), (1, 2)], "apart": [(0, 2)]}, r'"row 0" and "row 2" .*through other rows'),
        (
            {"together": [("customer 5", "customer 6")], "apart": [("customer 6", "customer 5")]},
            '"customer 6" and "customer 5" must not be together, together says that they must',
        ),
        ({"apart": [(4, 4)]}, 'apart must name two different rows, got "row 4" twice'),
        ({"together": [(0, 60)]}, "together of coterie.fit must name rows from 0 to 59, got 60"),
        ({"together": [("customer 1", "custmer 2")]}, r'names "custmer 2".*Did you mean "customer'),
        ({"together": "abc", "k": 2}, "abc: no such file"),
        ({"together": 5}, "together of coterie.fit must be pairs"),
        ({"together": [(0, 1)], "method": "kmeans"}, 'goes with method="constrained-kmeans"'),
        ({"together": pandas.DataFrame({"a": [1]})}, "together needs two columns"),
    ],
)
def test_what_is_refused(options, message):
    """Law: contradictions, unknown rows and methods without pairs are named."""
    with pytest.raises(Exception, match=message) as caught:
        coterie.fit(TABLE, **({"k": 3, "believe": False} | options))
    assert isinstance(caught.value, coterie.errors.CoterieError)


def test_money_is_not_a_key(tmp_path):
    """Law: a column of money whose cells are all different names no rows."""
    path = tmp_path / "spend.csv"
    path.write_text("spend,visits\n" + "".join(f"€{row + 1},{row % 7}\n" for row in range(1000, 1060)))
    with pytest.raises(coterie.errors.InvalidParameter) as caught:
        coterie.fit(path, k=2, together=[("a", "b")], believe=False)
    assert "spend" not in str(caught.value).replace("spend.csv", "")


def test_the_shell(tmp_path, monkeypatch, capsys):
    """Law: --together and --apart read files of pairs; contradictions are told in the shell's words."""
    monkeypatch.chdir(tmp_path)
    TABLE.to_csv("customers.csv", index=False)
    (tmp_path / "same.csv").write_text("one,other\ncustomer 0,customer 1\n")
    (tmp_path / "rivals.csv").write_text("1,3\n")
    arguments = ["fit", "customers.csv", "-k", "3", "--no-believe", "--together", "same.csv"]
    assert run([*arguments, "--apart", "rivals.csv", "-o", "labels.csv"]) == 0
    labels = pandas.read_csv("labels.csv")["label"]
    assert labels[0] == labels[1] != labels[2]
    assert "1 pairs" not in capsys.readouterr().out
    assert run([*arguments, "--apart", "same.csv"]) != 0
    assert '--apart says that "customer 0" and "customer 1" must not be together' in capsys.readouterr().err


def test_resamples_keep_the_pairs():
    """Law: a copy for some rows has the pairs among these, also through rows that were not drawn."""
    model = AgglomerativeClustering(2, linkage="average", must_link=[(0, 1), (1, 2)], cannot_link=[(1, 3)])
    part = model.restricted_to(np.array([0, 2, 3]), 60)
    assert part.must_link.tolist() == [[0, 1]]
    assert part.cannot_link.tolist() == [[0, 2]]
    X = TABLE[["x", "y"]].to_numpy()
    assert stability(model, X, n_resamples=3, random_state=0).overall > 0
    with pytest.raises(InvalidParameter, match="must name rows"):
        AgglomerativeClustering(2, linkage="average", must_link=[(0, 99)]).fit(X)


def many(n=3000):
    """Return more rows than a fast contest compares, in three clear groups of equal size."""
    rng = np.random.default_rng(4)
    return pandas.DataFrame(rng.normal(size=(n, 2)) + 8.0 * (np.arange(n) % 3)[:, None], columns=["x", "y"])


@pytest.mark.parametrize("k", [3, None])
def test_sizes_hold_for_tables_larger_than_a_sample(k):
    """Law: samples and null draws have limits in proportion, and the answer those of all rows."""
    settings = {"size_min": 950, "size_max": 1050}
    found = coterie.fit(many(), "constrained-kmeans", k, set=settings, budget="fast")
    assert found.k == 3
    assert found.significance.p_value < 0.05
    assert np.bincount(found.labels).min() >= 950
    assert np.bincount(found.labels).max() <= 1050


@pytest.mark.parametrize("method", ["constrained-kmeans", "agglomerative"])
def test_pairs_hold_for_tables_larger_than_a_sample(method):
    """Law: rows beyond those that are compared or drawn may be named; p-value and stability exist."""
    found = coterie.fit(
        many(900), method, 3, together=[(0, 897)], apart=[(1, 899)], budget="fast", random_state=1
    )
    assert found.labels[0] == found.labels[897]
    assert found.labels[1] != found.labels[899]
    assert found.stability is not None
    assert found.significance.p_value < 0.05


def test_numbers_of_groups_that_sizes_allow():
    """Law: without k only numbers that sizes allow are tried, if need be the least; none: the reason."""
    from coterie.pipeline import make_request

    told = make_request("constrained-kmeans", set={"size_min": 20, "size_max": 30})
    assert told.within_sizes(range(2, 10), 120) == (4, 5, 6)
    assert told.within_sizes((2, 3), 120) == (4,)
    assert told.within_sizes((2, 3), 31) == (2, 3)
    with pytest.raises(InvalidParameter, match="size_min of ConstrainedKMeans asks for 40 rows in 2 groups"):
        coterie.fit(TABLE[:31], "constrained-kmeans", set={"size_min": 20, "size_max": 30})


def numbered(name, values, n=60):
    """Return two groups with a column of whole numbers that name the rows."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(n, 2)) + 8.0 * (np.arange(n) % 2)[:, None]
    return pandas.DataFrame({name: values, "x": X[:, 0], "y": X[:, 1]})


SHUFFLED = np.random.default_rng(8).permutation(60) + 1


def how_told(data, pairs, **options):
    """Return how pairs were read, and whether the first two rows are in one group."""
    found = coterie.fit(data, k=2, together=pairs, believe=False, **options)
    note = next(note for note in found.notes if "together" in note)
    return note.partition("by ")[2], bool(found.labels[0] == found.labels[1])


@pytest.mark.parametrize(
    "name", ["customer", "patient", "user", "sku", "order_no", "Kunde", "client_ref", "nhs"]
)
@pytest.mark.parametrize("door", ["frame", "polars", "file", "folder", "pattern"])
def test_whole_numbers_name_rows_whatever_they_are_called(name, door, tmp_path):
    """Law: pairs of values of a column of whole numbers that all differ are found by it, from any source."""
    table = numbered(name, 5000 + 7 * SHUFFLED)
    pd_pairs = pandas.DataFrame({"one": table[name][:1].to_numpy(), "other": table[name][1:2].to_numpy()})
    pd_pairs.to_csv(tmp_path / "pairs.csv", index=False)
    folder = tmp_path / "rows"
    folder.mkdir()
    table[:30].to_csv(folder / "a.csv", index=False)
    table[30:].to_csv(folder / "b.csv", index=False)
    table.to_csv(tmp_path / "rows.csv", index=False)
    data = {"frame": table, "polars": polars.from_pandas(table), "file": tmp_path / "rows.csv",
            "folder": folder, "pattern": str(folder / "*.csv")}[door]  # fmt: skip
    assert how_told(data, tmp_path / "pairs.csv") == (name, True)
    assert how_told(data, pd_pairs) == (name, True)


def test_small_keys_are_not_row_numbers(tmp_path):
    """Law: a key comes before row numbers; of other columns the header of the pairs must say which."""
    path = tmp_path / "pairs.csv"
    first, second = SHUFFLED[:2]
    path.write_text(f"one,other\n{first},{second}\n")
    assert how_told(numbered("patient", SHUFFLED), path) == ("patient", True)
    with pytest.raises(
        InvalidParameter, match=r'values of rank and row numbers, of other rows. .*"rank_2" or "row"'
    ):
        how_told(numbered("rank", SHUFFLED), path)
    for header, told in (("rank_x,rank_y", "rank"), ("rank,friend", "rank"), ("row,row_2", "row number")):
        path.write_text(f"{header}\n{first},{second}\n")
        assert how_told(numbered("rank", SHUFFLED), path)[0] == told
    with pytest.raises(InvalidParameter, match="values of patient and values of nurse_id, of other rows"):
        how_told(numbered("patient", SHUFFLED).assign(nurse_id=SHUFFLED[::-1]), [(str(first), str(second))])


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        (
            [("107", "114"), ("107", "12")],
            r'pair 2 names "12", .* key \(visit_id\).*"row_2" to name rows by number',
        ),
        ([("107", None)], "pair 1 lacks a name"),
        ([("100", "107")], r'pair 1 names "100", which is in 2 rows of visit_id \(rows 1, 60\)'),
        ([(107, 170)], r'from 0 to 149, got 170. For values of visit_id write texts: \("170", ...\)'),
    ],
)
def test_keys_that_are_unknown_or_stand_in_several_rows(pairs, message):
    """Law: such keys are named, and never taken for row numbers."""
    visits = 100 + 7 * np.arange(150)
    visits[59] = 107 if "got" in message else 100
    with pytest.raises(InvalidParameter, match=message):
        how_told(numbered("visit_id", visits, 150), pairs)


def test_texts_of_pairs_are_as_written(tmp_path):
    """Law: zeros at the front count where keys are text, and not where they are numbers; texts may repeat."""
    keys = [f"{at:05d}" for at in SHUFFLED]
    path = tmp_path / "pairs.csv"
    pandas.DataFrame({"one": keys[:1], "other": keys[1:2]}).to_csv(path, index=False)
    assert how_told(numbered("user", keys), path) == ("user", True)
    keys[5] = "A0005"
    assert how_told(numbered("user", keys), path) == ("user", True)
    keys[5] = keys[0]
    with pytest.raises(InvalidParameter, match=r"which is in 2 rows of user \(rows 1, 6\)"):
        how_told(numbered("user", ["A" + key for key in keys]), [("A" + keys[0], "A" + keys[1])])


def test_the_index_of_a_frame_names_rows():
    """Law: texts in the index of a pandas frame, or an index with a name, are keys."""
    table = numbered("x2", np.random.default_rng(0).normal(size=60))
    by_name = table.set_axis([f"c{at}" for at in range(60)])
    assert how_told(by_name, [("c0", "c1")]) == ("index", True)
    by_number = table.set_axis(pandas.Index(SHUFFLED, name="case"))
    assert how_told(by_number, pandas.DataFrame([SHUFFLED[:2]])) == ("case", True)
    assert how_told(table.set_axis(SHUFFLED), pandas.DataFrame([[1, 2]])) == ("row number", True)


def test_rows_that_must_all_be_apart_are_named(tmp_path, capsys):
    """Law: too many rows apart, or together, are named as they were given, not by numbers of other rows."""
    holes = TABLE.copy()
    holes.loc[0, "x"] = np.nan
    holes.to_csv(tmp_path / "table.csv", index=False)
    (tmp_path / "apart.csv").write_text(
        "customer 1,customer 2\ncustomer 2,customer 3\ncustomer 1,customer 3\n"
    )
    (tmp_path / "together.csv").write_text("2,3\n3,4\n")
    table, apart, together = (str(tmp_path / f"{name}.csv") for name in ("table", "apart", "together"))
    assert run(["fit", table, "-k", "2", "--apart", apart]) == 2
    message = capsys.readouterr().err
    assert '--apart: "customer 1", "customer 2" and "customer 3" must all be apart, which 2 groups' in message
    assert "Raise -k or leave out a pair." in message
    assert run(["fit", table, "-k", "30", "--sizes", "..2", "--together", together]) == 2
    assert '"row 2" must be in one group with 3 rows in all, of 2 at most. Raise --sizes' in (
        capsys.readouterr().err
    )
    with pytest.raises(InvalidParameter, match='apart: "row 1", "row 2" and "row 3" must all be apart'):
        coterie.fit(holes, k=2, apart=[(1, 2), (2, 3), (1, 3)])


def test_rows_apart_set_the_least_number_of_groups():
    """Law: with k open, no number is tried for which too many rows must be apart."""
    triangle = [(0, 2), (2, 4), (0, 4)]
    for k in ("auto", (2, 5)):
        found = coterie.fit(TABLE, k=k, apart=triangle, believe=False, budget="fast")
        assert found.k != 2
    with pytest.raises(InvalidParameter, match="must all be apart"):
        coterie.fit(TABLE, k=2, apart=triangle)


def test_sizes_that_rows_left_out_make_impossible(tmp_path, capsys):
    """Law: an error about too few rows says how many were left out, and the option that uses them."""
    holes = TABLE.copy()
    holes.loc[[0, 10], "x"] = np.nan
    holes.to_csv(tmp_path / "table.csv", index=False)
    assert run(["fit", str(tmp_path / "table.csv"), "-k", "2", "--sizes", "30..30"]) == 2
    left = "2 of 60 rows are left out for missing values; --missing observed uses them."
    assert left in capsys.readouterr().err
    found = coterie.fit(
        holes, "constrained-kmeans", 2, missing="observed", set={"size_min": 30}, believe=False
    )
    assert np.bincount(found.labels).tolist() == [30, 30]
