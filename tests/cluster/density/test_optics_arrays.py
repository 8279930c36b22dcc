"""Arrays of an order of OPTICS that somebody hands in are checked before they are followed."""

import numpy as np
import pytest

from coterie.cluster import cluster_optics_dbscan, cluster_optics_xi
from coterie.errors import InvalidData

ORDER = {"reachability": [np.inf, 1, 1], "ordering": [0, 1, 2]}
CUT = {**ORDER, "core_distances": [1, 1, 1], "eps": 2.0}
VALLEYS = {**ORDER, "predecessor": [-1, 0, 1], "min_samples": 2}


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"ordering": [0, 1, 99]}, r"ordering of cluster_optics_.* from 0 to 2, got 99 at ordering\[2\]"),
        ({"ordering": [0, 1, -1]}, r"from 0 to 2, got -1 at ordering\[2\]"),
        ({"ordering": [0, 1, 1]}, "must name every row once, got row 1 2 times"),
        ({"ordering": [0.5, 1, 2]}, "one whole number per row, got a list"),
        ({"ordering": np.array([0, 1, 2**63], dtype=np.uint64)}, "got 9223372036854775808 at"),
        ({"ordering": [[0], [1, 2]]}, "one whole number per row, got a list"),
        ({"reachability": [1, 2]}, r"reachability of .* 3 as ordering has, got the shape \(2,\)"),
        ({"reachability": [1, np.nan, 2]}, "numbers or infinity, got NaN for row 1"),
        ({"reachability": ["a", "b", "c"]}, "reachability of .* must be one number per row, got a list"),
    ],
)
def test_what_is_no_order_is_refused(wrong, message):
    """Law: both readings of an order refuse what visits no row, or not every row once."""
    for read, order in ((cluster_optics_dbscan, CUT), (cluster_optics_xi, VALLEYS)):
        with pytest.raises(InvalidData, match=message):
            read(**(order | wrong))


def test_rows_that_nothing_precedes_are_refused():
    """Law: a predecessor is a row, or -1."""
    with pytest.raises(InvalidData, match=r"predecessor of cluster_optics_xi .* from -1 to 2, got 99"):
        cluster_optics_xi(**(VALLEYS | {"predecessor": [-1, 99, 1]}))
    with pytest.raises(InvalidData, match="core_distances of cluster_optics_dbscan"):
        cluster_optics_dbscan(**(CUT | {"core_distances": [1, 2]}))
