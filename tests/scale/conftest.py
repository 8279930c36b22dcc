"""A cluster of two processes that all tests of a run share."""

import numpy as np
import pytest
from distributed import Client, LocalCluster


@pytest.fixture(scope="session")
def cluster():
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, processes=True) as running:
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
