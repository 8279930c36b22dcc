"""Ordered categories keep their order: in Gower's distance, in `coterie.fit`, in saved models."""

import numpy as np
import pandas
import polars
import pyarrow
import pytest

import coterie
from coterie.cli.app import run
from coterie.data import as_table
from coterie.distance import pairwise_distances
from coterie.errors import InvalidData
from coterie.persist import load, save

SIZES = ["S", "M", "L", "XL"]


def orders(n=240, *, seed=0):
    """Return orders of two kinds: small ones of the plan free, large ones of the plan pro."""
    rng = np.random.default_rng(seed)
    kind = np.arange(n) % 2
    size = np.clip(kind * 2 + rng.integers(0, 2, n), 0, 3)
    plan = np.where(rng.random(n) < 0.9, kind, 1 - kind)
    return polars.DataFrame(
        {
            "price": 20.0 + 30 * kind + rng.normal(0, 4, n),
            "size": polars.Series([SIZES[at] for at in size], dtype=polars.Enum(SIZES)),
            "plan": np.array(["free", "pro"])[plan],
        }
    )


def in_pandas(frame):
    """Return the same as pandas has it."""
    found = frame.with_columns(polars.col("size").cast(polars.String)).to_pandas()
    found["size"] = pandas.Categorical(found["size"], categories=SIZES, ordered=True)
    return found


def in_arrow(frame):
    """Return the same as Arrow has it."""
    codes = pyarrow.array(frame["size"].to_physical().to_list(), pyarrow.int8())
    size = pyarrow.DictionaryArray.from_arrays(codes, pyarrow.array(SIZES), ordered=True)
    return pyarrow.table({"price": frame["price"].to_numpy(), "size": size, "plan": frame["plan"].to_list()})


@pytest.mark.parametrize(
    "kind", [lambda frame: frame, in_pandas, in_arrow], ids=["polars", "pandas", "arrow"]
)
def test_gower_takes_ranks(kind):
    """Law: an ordered category is its rank by range, as in R's daisy, whichever package the frame is of."""
    frame = orders(40)
    ranks = frame["size"].to_physical().to_numpy().astype(float)
    price = frame["price"].to_numpy()
    plan = frame["plan"].to_numpy()
    parts = [
        np.abs(price[:, None] - price) / np.ptp(price),
        np.abs(ranks[:, None] - ranks) / np.ptp(ranks),
        plan[:, None] != plan,
    ]
    np.testing.assert_allclose(
        pairwise_distances(kind(frame), metric="gower"), np.mean(parts, axis=0), atol=1e-12
    )


@pytest.mark.parametrize(
    "kind", [lambda frame: frame, in_pandas, in_arrow], ids=["polars", "pandas", "arrow"]
)
def test_fit_uses_the_order_and_so_does_predict(kind, tmp_path):
    """Law: ranks are numbers beside categories; a saved model ranks new cells alike, text included."""
    frame = orders()
    found = coterie.fit(kind(frame), "kprototypes", 2, believe=False)
    assert found.groups.levels == (None, None, ("free", "pro"))
    assert any("size (ranks of S < M < L < XL) read as numbers" in note for note in found.notes)
    assert found.groups.centers[:, 1].min() >= 1
    assert found.groups.centers[:, 1].max() <= 4
    save(found, tmp_path / "m.safetensors")
    model = load(tmp_path / "m.safetensors")
    few = kind(frame)[:3] if not isinstance(kind(frame), pyarrow.Table) else kind(frame).slice(0, 3)
    assert np.array_equal(model.predict(few), found.labels[:3])
    texts = {"price": frame["price"][:3].to_list(), "size": frame["size"][:3].to_list(), "plan": ["free"] * 3}
    assert len(model.predict(pandas.DataFrame(texts))) == 3
    with pytest.raises(
        InvalidData, match='column "size" is read as ranks of S < M < L < XL, but row 1 holds "XXL"'
    ):
        model.predict(pandas.DataFrame({"price": [30.0], "size": ["XXL"], "plan": ["free"]}))


def test_order_changes_the_distance_of_rows():
    """Law: without an order S differs from M as much as from XL; with it, less."""
    frame = polars.DataFrame({"size": polars.Series(["S", "M", "XL"], dtype=polars.Enum(SIZES))})
    ordered = pairwise_distances(frame, metric="gower")
    plain = pairwise_distances(frame.cast(polars.String), metric="gower")
    assert ordered[0, 1] < ordered[0, 2]
    assert plain[0, 1] == plain[0, 2] == 1


def test_a_table_without_groups_has_none():
    """Law: an ordered category that follows one number makes no groups."""
    rng = np.random.default_rng(5)
    income = rng.normal(size=300)
    size = np.digitize(income + rng.normal(0, 1, 300), [-1, 0, 1])
    plan = np.where(rng.normal(size=300) + income > 0, "pro", "free")
    frame = pandas.DataFrame({"income": income, "other": rng.normal(size=300), "plan": plan})
    frame["size"] = pandas.Categorical(np.array(SIZES)[size], categories=SIZES, ordered=True)
    assert coterie.fit(frame, budget="fast", believe=False).k == 1


def test_trees_of_gower_take_categories(tmp_path, capsys):
    """Law: `coterie tree --distance gower` uses categories and leaves missing cells where they are."""
    frame = orders(60).with_columns(polars.col("size").cast(polars.String))
    frame = frame.with_columns(
        polars.when(polars.int_range(60) == 7).then(None).otherwise("price").alias("price")
    )
    frame.write_csv(tmp_path / "t.csv")
    assert (
        run(["tree", str(tmp_path / "t.csv"), "--distance", "gower", "--missing", "auto", "--cut", "best"])
        == 0
    )
    out = capsys.readouterr().out
    assert "3 columns used" in out
    assert "gower" in out


def test_agglomerative_takes_a_linkage_that_the_distance_allows():
    """Law: where no linkage is named, average linkage is used with other distances, and a note says so."""
    frame = orders(60)
    found = coterie.fit(frame, "agglomerative", 2, distance="gower", believe=False)
    assert found.model.linkage == "average"
    assert any("average linkage is used" in note for note in found.notes)
    named = coterie.fit(
        frame, "agglomerative", 2, distance="gower", set={"linkage": "complete"}, believe=False
    )
    assert named.model.linkage == "complete"
    assert not any("linkage is used" in note for note in named.notes)
    plain = coterie.fit(frame, "agglomerative", 2, believe=False)
    assert plain.model.linkage == "ward"


def test_ordered_categories_without_different_names_are_text():
    """Law: categories whose names are equal as text cannot be ranked by name, and stay categories."""
    column = pandas.Categorical([1, "1"] * 10, categories=[1, "1"], ordered=True)
    table = as_table(pandas.DataFrame({"a": column, "b": np.arange(20.0)}))
    assert str(table.content["a"].dtype) != "Enum"
