"""A cluster of two processes that all tests of a run share, and rows."""

import numpy as np
import pytest
from distributed import Client, LocalCluster

from coterie.pipeline.rows import sampling, starting


@pytest.fixture(scope="session")
def cluster():
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0", processes=True) as running:
        yield running


@pytest.fixture
def client(cluster):
    with Client(cluster) as connected:
        connected.wait_for_workers(2)
        yield connected


@pytest.fixture(scope="session")
def rows():
    """Rows in three blocks of 8192, the last one short."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(20_000, 3)) + 6 * rng.normal(size=(7, 3))[rng.integers(7, size=20_000)]


@pytest.fixture(scope="session")
def start(rows):
    return rows[::2500][:7].copy()


@pytest.fixture(scope="module")
def small_samples():
    """Draw fewer rows than there are, though these are few."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (sampling, starting):
            patch.setattr(module, "SAMPLE_ROWS", 5000)
        yield


@pytest.fixture(scope="module")
def clouds():
    """More rows than are compared, in four clouds, and the cloud of each row."""
    rng = np.random.default_rng(0)
    truth = rng.permutation(np.repeat(np.arange(4), [3600, 2700, 1800, 900]))
    centres = np.array([[0, 0, 0], [9, 0, 3], [0, 9, 6], [12, 12, 12]])
    return (centres[truth] + rng.normal(size=(9000, 3))).round(6), truth


@pytest.fixture(scope="module")
def few(clouds):
    """Few enough rows for all of them to be compared."""
    return clouds[0][:900]
