"""Latent classes over blocks: the classes of the rows in memory, with checkpoints, by every door."""

import numpy as np
import pandas as pd
import pytest

import coterie
from coterie.cli.app import run
from coterie.cluster import LatentClasses as LocalClasses
from coterie.errors import InvalidData, InvalidParameter
from coterie.pipeline.rows import starting
from coterie.scale import FuturesEngine, LatentClasses, running_on

N_ROWS = 9000


@pytest.fixture(scope="module")
def table():
    """Return rows of three classes, of text, yes and no, whole numbers and numbers, with gaps."""
    rng = np.random.default_rng(0)
    group = rng.integers(0, 3, N_ROWS)

    def like(values, share):
        return np.array(values)[np.where(rng.random(N_ROWS) < share, group, rng.integers(0, 3, N_ROWS))]

    found = pd.DataFrame(
        {
            "plan": like(["free", "pro", "team"], 0.8),
            "code": like([10, 20, 30], 0.7),
            "member": (group == 1) ^ (rng.random(N_ROWS) < 0.1),
            "x": rng.normal(size=N_ROWS) + 2.5 * group,
            "y": rng.normal(size=N_ROWS) - group,
        }
    )
    found.loc[rng.random(N_ROWS) < 0.1, "plan"] = None
    found.loc[rng.random(N_ROWS) < 0.1, "x"] = np.nan
    return found


@pytest.fixture
def folder(table, tmp_path):
    for part in range(3):
        table.iloc[part * 3000 : (part + 1) * 3000].to_parquet(tmp_path / f"{part}.parquet")
    return f"{tmp_path}/*.parquet"


@pytest.fixture
def small_start(monkeypatch):
    """Begin on fewer rows than there are."""
    monkeypatch.setattr(starting, "SAMPLE_ROWS", 4000)


def test_few_rows_are_the_local_class(table):
    """Law: where all rows can be drawn, the result is that of the local class to the bit."""
    ours = LatentClasses(3, categorical=["code"], random_state=0).fit(table)
    local = LocalClasses(3, categorical=["code"], random_state=0).fit(table)
    np.testing.assert_array_equal(ours.labels_.compute(), local.labels_)
    assert ours.lower_bound_ == local.lower_bound_
    for mine, its in zip(ours.probabilities_, local.probabilities_, strict=True):
        np.testing.assert_array_equal(mine, its)
    assert ours.local_.bic(table) == local.bic(table)
    np.testing.assert_array_equal(ours.local_.predict(table), local.labels_)


def test_sums_over_blocks_are_the_fit_in_memory(table, folder, small_start, monkeypatch):
    """Law: from the same start, passes over blocks end where the local class ends, however rows are cut."""
    drawn = coterie.data.sampling.draw_rows(N_ROWS, 4000, 0)
    how = {"categorical": ["code"], "random_state": 0}
    local = LocalClasses(3, **how).fit(table.iloc[drawn]).refit(table)
    for block_rows in (1 << 20, 8192):
        monkeypatch.setattr("coterie.scale.blocks.MOST_ROWS", block_rows)
        ours = LatentClasses(3, **how).fit(folder)
        assert ours.start_ == "4,000 of 9,000 rows"
        np.testing.assert_array_equal(ours.labels_.compute(), local.labels_)
        np.testing.assert_allclose(ours.means_, local.means_, rtol=1e-9)
        np.testing.assert_allclose(ours.lower_bounds_, local.lower_bounds_, rtol=1e-9)
        np.testing.assert_array_equal(ours.cluster_sizes_, np.bincount(local.labels_))


def test_a_category_that_no_drawn_row_has(table, tmp_path, small_start):
    """Law: a category that only rows beyond the draw have is learned from all rows."""
    rare = table.copy()
    drawn = coterie.data.sampling.draw_rows(N_ROWS, 4000, 0)
    others = np.setdiff1d(np.arange(N_ROWS), drawn)[:40]
    rare.loc[others, "plan"] = "trial"
    rare.to_parquet(tmp_path / "all.parquet")
    ours = LatentClasses(3, random_state=0).fit(tmp_path / "all.parquet")
    at = ours.local_.categories_[0].index("trial")
    assert np.isclose(ours.weights_ @ ours.probabilities_[0][:, at] * rare.plan.notna().sum(), 40, rtol=0.2)


def test_weights_count_rows(table, small_start):
    """Law: a row of weight 2 counts as two rows."""
    some = table.iloc[:6000]
    weights = np.where(np.arange(6000) % 3 == 0, 2.0, 1.0)
    twice = pd.concat([some, some.iloc[::3]], ignore_index=True)
    ours = LatentClasses(3, random_state=0).fit(some, sample_weight=weights)
    theirs = LatentClasses(3, random_state=0).fit(twice)
    np.testing.assert_allclose(np.sort(ours.weights_), np.sort(theirs.weights_), atol=1e-4)
    np.testing.assert_allclose(ours.lower_bound_, theirs.lower_bound_, rtol=1e-6)


def test_new_rows_and_files(table, folder, tmp_path):
    """Law: labels, shares and likelihood of new rows are the local model's; saved and loaded too."""
    ours = LatentClasses(3, categorical=["code"], random_state=0).fit(folder)
    expected = ours.local_.predict_proba(table)
    ours.save(tmp_path / "m.safetensors")
    for model in (ours, coterie.load(tmp_path / "m.safetensors")):
        np.testing.assert_array_equal(model.predict(folder).compute(), ours.labels_.compute())
        np.testing.assert_allclose(model.predict_proba(folder).compute(), expected, atol=1e-12)
        np.testing.assert_allclose(model.score(table), ours.local_.score(table), rtol=1e-12)
    new = table.iloc[:50].assign(plan="never seen")
    np.testing.assert_array_equal(ours.predict(new).compute(), ours.local_.predict(new.assign(plan=None)))


class Ended(Exception):
    """What ends a fit in its midst."""


def test_a_fit_that_was_ended_goes_on_to_the_same_bits(folder, tmp_path, small_start):
    """Law: a checkpoint resumes the run; one of other parameters is refused."""
    how = {"random_state": 0, "tol": 1e-10}
    whole = LatentClasses(3, **how).fit(folder)

    def end(made):
        if made.stage == "latent classes: iteration" and made.done >= 2:
            raise Ended

    with pytest.raises(Ended):
        LatentClasses(3, **how, checkpoint=tmp_path / "state", progress=end).fit(folder)
    resumed = LatentClasses(3, **how, checkpoint=tmp_path / "state").fit(folder)
    np.testing.assert_array_equal(resumed.lower_bounds_, whole.lower_bounds_)
    np.testing.assert_array_equal(resumed.means_, whole.means_)
    with pytest.raises(InvalidParameter, match="belongs to a fit of other data or parameters"):
        LatentClasses(2, **how, checkpoint=tmp_path / "state").fit(folder)


def test_engines_give_the_same_bits(folder, client, small_start):
    """Law: workers of a cluster, threads and an executor find the same classes to the bit."""
    from concurrent.futures import ThreadPoolExecutor

    of_cluster = LatentClasses(3, random_state=0).fit(folder)
    with ThreadPoolExecutor(2) as pool, running_on(FuturesEngine(pool)):
        of_threads = LatentClasses(3, random_state=0).fit(folder)
    np.testing.assert_array_equal(of_cluster.means_, of_threads.means_)
    np.testing.assert_array_equal(of_cluster.lower_bounds_, of_threads.lower_bounds_)


@pytest.mark.parametrize("how", [{}, {"columns": ["x", "y"], "missing": "observed"}, {"columns": ["x", "y"]}])
def test_fit_gives_one_answer_in_memory_and_in_blocks(table, folder, how, small_start, monkeypatch):
    """Law: coterie.fit with latent classes gives the labels of the table in memory, also beyond the draw."""
    monkeypatch.setattr("coterie.pipeline.rows.sampling.SAMPLE_ROWS", 4000)
    wanted = {"method": "latent-classes", "k": 3, "believe": False, **how}
    expected = coterie.fit(table, **wanted)
    found = coterie.scale.fit(folder, **wanted)
    labels = found.labels.compute()
    np.testing.assert_array_equal(np.ma.filled(labels, -9), np.ma.filled(expected.labels, -9))
    assert found.groups.columns == expected.groups.columns
    assert any(note.startswith("started from 4,000 of") for note in found.notes)
    policy = "drop" if found.groups.n_dropped else None
    again = found.predict(folder, missing=policy).compute()
    np.testing.assert_array_equal(np.ma.filled(again, -9), np.ma.filled(labels, -9))


def test_shell(folder, tmp_path, capsys, monkeypatch, small_start):
    """Law: the shell fits latent classes in blocks, saves every pass, and goes on."""
    monkeypatch.setattr("coterie.pipeline.rows.sampling.SAMPLE_ROWS", 4000)
    words = ["fit", folder, "--method", "latent-classes", "-k", "3", "--checkpoint", str(tmp_path / "state")]
    assert run([*words, "-o", str(tmp_path / "labels")]) == 0
    assert (tmp_path / "state" / "latent-classes.safetensors").exists()
    first = pd.read_parquet(tmp_path / "labels").label
    assert run([*words, "-o", str(tmp_path / "again")]) == 0
    np.testing.assert_array_equal(pd.read_parquet(tmp_path / "again").label, first)
    assert "3 groups" in capsys.readouterr().out


def test_bad_input(table, tmp_path):
    """Law: what cannot be fitted is refused in words."""
    with pytest.raises(InvalidParameter, match="n_components of LatentClasses must be at most"):
        LatentClasses(20).fit(table.iloc[:4])
    with pytest.raises(InvalidParameter, match='"colour", which is not there'):
        LatentClasses(2, categorical=["colour"]).fit(table)
    huge = table[["x", "y"]].copy()
    huge.loc[0, "y"] = 1e300
    with pytest.raises(InvalidData, match="must not exceed"):
        LatentClasses(2).fit(huge)
    empty = table[["x", "y"]].copy()
    empty.loc[3] = np.nan
    with pytest.raises(InvalidData, match=r"row 3 of X of LatentClasses has no values at all"):
        LatentClasses(2).fit(empty)
