"""Density-based methods tell how far they are."""

import numpy as np
import pytest

from coterie.cluster import DBSCAN, HDBSCAN, OPTICS

X = np.random.default_rng(0).normal(size=(60, 2))
STAGES = {
    DBSCAN: ["DBSCAN: neighbourhoods"] * 2,
    HDBSCAN: ["HDBSCAN: condensed tree", "HDBSCAN: clusters", "HDBSCAN: clusters"],
    OPTICS: ["OPTICS: clusters"] * 2,
}


@pytest.mark.filterwarnings("ignore::coterie.errors.DataNotice")
@pytest.mark.parametrize("kind", STAGES, ids=lambda kind: kind.__name__)
def test_every_stage_is_reported(kind):
    """Law: a callable hears the end of each stage, and the labels do not depend on it."""
    heard = []
    model = kind(progress=heard.append).fit(X)
    assert [report.stage for report in heard] == STAGES[kind]
    assert [report.done for report in heard] == list(range(1, len(heard) + 1))
    assert heard[-1].total == len(heard)
    np.testing.assert_array_equal(model.labels_, kind().fit(X).labels_)


@pytest.mark.parametrize("kind", STAGES, ids=lambda kind: kind.__name__)
def test_what_is_no_listener_is_refused(kind):
    """Law: progress is None, True, False or a callable."""
    with pytest.raises(
        ValueError, match=rf"progress of {kind.__name__} must be None, True or False or a callable"
    ):
        kind(progress="yes").fit(X)
