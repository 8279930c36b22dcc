"""scikit-learn's HDBSCAN with equally long edges in the order in which its tree grew.

By itself it sorts them by `numpy.argsort`, whose order of equal numbers depends on the processor, and which
of equal edges comes first decides which clusters there are. All the rest is compared with ours.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from unittest import mock

import numpy as np
import sklearn.cluster
from sklearn.cluster._hdbscan import hdbscan as theirs


class _StableNumPy:
    """NumPy, but for a sort that keeps equal numbers in their order."""

    def __getattr__(self, name):
        return getattr(np, name)

    @staticmethod
    def argsort(values):
        return np.argsort(values, kind="stable")


@contextmanager
def equal_edges_in_order() -> Iterator[None]:
    """Let scikit-learn's HDBSCAN sort by a stable sort."""
    with mock.patch.object(theirs, "np", _StableNumPy()):
        yield


def stable_hdbscan(X, **options):
    """Return scikit-learn's model, fitted."""
    with equal_edges_in_order():
        return sklearn.cluster.HDBSCAN(**options, copy=True).fit(X)
