"""The simulation of a cluster: laws that any schedule obeys, and what a fit moves, by the counters."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks import cluster_model
from benchmarks.cluster_model import Cluster, Constants, play_fit, play_pass
from coterie.scale import (
    DBSCAN,
    GaussianMixture,
    KMeans,
    LatentClasses,
    MiniBatchKMeans,
    Summaries,
    read_blocks,
)
from coterie.scale import blocks as scale_blocks
from coterie.scale.runtime.cache import Recent
from coterie.scale.runtime.counters import account

FREE = Constants(task=0.0, graph=0.0, merge=0.0, store=1e30)


def test_without_overhead_work_is_shared() -> None:
    """Law: tasks that cost nothing to hand out take their work over the workers, or one task at the least."""
    assert play_pass(100, 2.0, Cluster(10), FREE).seconds == pytest.approx(20.0)
    assert play_pass(3, 2.0, Cluster(10), FREE).seconds == pytest.approx(2.0)


@given(
    n_blocks=st.integers(1, 200),
    work=st.floats(0.001, 10),
    n_workers=st.integers(1, 40),
    task=st.floats(0, 0.1),
    n_slow=st.integers(0, 3),
)
def test_no_pass_beats_its_bounds(
    n_blocks: int, work: float, n_workers: int, task: float, n_slow: int
) -> None:
    """Law: no pass is faster than the scheduler's tasks, than the work over all workers, or than one task."""
    constants = Constants(task=task, graph=0.0, merge=0.0)
    cluster = Cluster(n_workers, n_slow=min(n_slow, n_workers))
    played = play_pass(n_blocks, work, cluster, constants)
    assert played.seconds >= max(n_blocks * task, work, n_blocks * work / n_workers) * (1 - 1e-9)
    assert played.workers <= played.seconds * (1 + 1e-9)
    assert played.seconds <= n_blocks * (task + work * cluster.slowness) * (1 + 1e-9)


def test_scheduler_is_what_breaks() -> None:
    """Law: with small blocks more workers do not help, larger blocks do; stealing helps a slow worker."""
    rows, small, large = 10**10, 1 << 18, 1 << 22
    constants = Constants()
    at_100, at_1000 = (play_fit(rows, small, Cluster(n), constants)[1] for n in (100, 1000))
    assert at_100.limit == "scheduler"
    assert at_1000.seconds > 0.95 * at_100.seconds
    assert play_fit(rows, large, Cluster(100), constants)[1].seconds < 0.2 * at_100.seconds
    stuck = play_fit(rows, large, Cluster(n_slow=1, steals=False), constants)[1]
    stolen = play_fit(rows, large, Cluster(n_slow=1), constants)[1]
    assert stolen.seconds < stuck.seconds


def test_page(tmp_path, capsys) -> None:
    """Law: with constants given nothing is measured; the page keeps what is around the marks."""
    page = tmp_path / "page.md"
    page.write_text(f"before\n{cluster_model.BEGIN}\nold\n{cluster_model.END}\nafter")
    told = ["--task", "0.002", "--graph", "1e-4", "--row", "3e-8", "--decode", "1e-7", "--merge", "0.004"]
    assert cluster_model.main([*told, "--rows", "1e8", "--write", str(page)]) == 0
    text = page.read_text()
    assert "old" not in text
    assert text.startswith("before")
    assert text.endswith("after")
    assert "scheduler 2 ms per task" in text
    assert "A simulation, not a measurement" in capsys.readouterr().out


class Forgetful(Recent):
    """Keeps nothing, not even the part that was decoded last: which one that is depends on the threads."""

    def get(self, key, decode):
        return decode()


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Four blocks of 8192 rows and 5 columns, float64, in Parquet."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(32_768, 5)) + 9 * rng.integers(3, size=(32_768, 1))
    pd.DataFrame(X, columns=list("abcde")).to_parquet(tmp_path / "x.parquet", row_group_size=8192)
    monkeypatch.setattr(scale_blocks, "RECENT", Forgetful())
    return read_blocks(tmp_path / "x.parquet", block_rows=8192)


def test_cost_model_of_kmeans(files) -> None:
    """Law: what docs/scale.md says k-means reads, keeps and moves is what the counters say."""
    n, d, k, n_blocks = files.n_rows, 5, 4, 4
    with account() as made:
        KMeans(k, init=np.arange(k * d, dtype=float).reshape(k, d), max_iter=1).fit(files)
    by_name = {one.name: one.costs for one in made.passes}
    assert made.total.decoded_rows == n
    assert made.total.kept_bytes == n * d * 8
    assert by_name["moments"].moved_bytes == n_blocks * ((4 * d + 1) * 8 + 8)
    assert by_name["assignment"].moved_bytes == n_blocks * (2 * k * (d + 1) + k) * 8
    assert by_name["assignment"].decoded_rows == 0


def test_cost_model_of_latent_classes(files, monkeypatch) -> None:
    """Law: the same for latent classes, of numbers and of categories."""
    monkeypatch.setattr("coterie.pipeline.rows.starting.SAMPLE_ROWS", 8192)
    n, d, k, n_blocks = files.n_rows, 5, 3, 4
    with account() as made:
        LatentClasses(k, random_state=0, max_iter=3, tol=1e9).fit(files)
    expectations = [one.costs for one in made.passes if one.name == "expectation"]
    assert len(expectations) == 2  # the second gains less than the tolerance
    for costs in expectations:
        assert costs.moved_bytes == n_blocks * (1 + 2 * k + 3 * k * d) * 8
        assert costs.decoded_rows == 0
    assert made.total.decoded_rows == n
    assert made.total.kept_bytes == n * d * 8
    assert len(made.passes) == 3 + len(expectations)


def test_cost_model_of_mixtures_and_summaries(files) -> None:
    """Law: the same for mixtures, whose iterations read kept rows, and for summaries."""
    n, d, k, n_blocks = files.n_rows, 5, 3, 4
    with account() as made:
        GaussianMixture(k, random_state=0, max_iter=2, tol=1e9).fit(files)
    expectations = [one.costs for one in made.passes if one.name == "expectation"]
    for costs in expectations:
        assert costs.moved_bytes == n_blocks * (1 + k + k * d + k * d * d) * 8
        assert costs.decoded_rows == 0
    assert made.decodes(n) <= 1.3
    assert made.total.kept_bytes == n * d * 8
    with account() as made:
        Summaries(50, random_state=0).fit(files)
    costs = next(one.costs for one in made.passes if one.name == "summaries")
    assert costs.moved_bytes == n_blocks * 50 * (d + 2) * 8
    assert costs.decoded_rows == n


def test_cost_model_of_the_others(files, tmp_path) -> None:
    """Law: the same for mini-batches, DBSCAN, and for an update, which decodes new rows once."""
    n, d, k, n_blocks = files.n_rows, 5, 3, 4
    with account() as made:
        MiniBatchKMeans(k, random_state=0).fit(files)
    assert made.decodes(n) == pytest.approx(
        4, abs=0.3
    )  # moments, coreset, one pass, inertia; and the first row
    steps = next(one.costs for one in made.passes if one.name == "mini-batches")
    assert steps.moved_bytes == n_blocks * (k * d * 8 + k * 8 + 8 + 8)
    with account() as made:
        DBSCAN(eps=0.5, min_samples=50).fit(files)
    assert made.decodes(n) <= 3.3
    model = KMeans(k, random_state=0).fit(files)
    with account() as made:
        model.update(files)
    assert made.decodes(n) == 1
    assert [one.name for one in made.passes] == ["looking at new rows"]
    assert made.total.moved_bytes < n_blocks * k * (d + 2) * 8 + 2 * 16 * 192 * (d * 8 + 8)
