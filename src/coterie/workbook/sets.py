"""Data sets that need no file: the customers of ``coterie demo``, toy sets, and those of scikit-learn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib.resources import as_file, files

import numpy as np

from coterie.data import Table, as_table, read_table
from coterie.errors import InvalidParameter, did_you_mean

PREFIX = "set:"
TOY_ROWS = 500


@dataclass(frozen=True)
class EmbeddedSet:
    """One embedded set: what to call it, what it holds, and how it is made."""

    name: str
    title: str
    text: str
    make: Callable[[], Table]


def _customers() -> Table:
    with as_file(files("coterie.data") / "customers.csv") as path:
        return read_table(path)


def _bundled(name: str) -> Callable[[], Table]:
    def make() -> Table:
        from sklearn import datasets

        bunch = getattr(datasets, f"load_{name}")()
        columns = [str(one) for one in bunch.feature_names]
        return as_table(np.asarray(bunch.data, dtype=np.float64), columns=columns)

    return make


def _toy(name: str) -> Callable[[], Table]:
    def make() -> Table:
        from sklearn.datasets import make_blobs, make_circles, make_moons

        if name == "moons":
            X, _ = make_moons(TOY_ROWS, noise=0.05, random_state=0)
        elif name == "rings":
            X, _ = make_circles(TOY_ROWS, factor=0.5, noise=0.05, random_state=0)
        elif name == "blobs":
            X, _ = make_blobs(TOY_ROWS, random_state=8)
        else:
            X = np.random.default_rng(0).uniform(size=(TOY_ROWS, 2))
        return as_table(X, columns=["x", "y"])

    return make


SETS = (
    EmbeddedSet("customers", "Customers", "800 customers of a shop: five kinds of them", _customers),
    EmbeddedSet("iris", "Iris", "150 flowers of three species, four measurements", _bundled("iris")),
    EmbeddedSet("wine", "Wine", "178 wines of three growers, 13 measurements", _bundled("wine")),
    EmbeddedSet(
        "breast_cancer", "Breast cancer", "569 tumours, benign and malignant, 30 measurements",
        _bundled("breast_cancer"),
    ),
    EmbeddedSet("digits", "Digits", "1,797 handwritten digits of 8 x 8 pixels", _bundled("digits")),
    EmbeddedSet("diabetes", "Diabetes", "442 patients, ten measurements", _bundled("diabetes")),
    EmbeddedSet("moons", "Moons", "500 points in two half circles", _toy("moons")),
    EmbeddedSet("rings", "Rings", "500 points in two rings, one within the other", _toy("rings")),
    EmbeddedSet("blobs", "Blobs", "500 points in three round clouds", _toy("blobs")),
    EmbeddedSet("no groups", "No groups", "500 points spread evenly: nothing to be found", _toy("no groups")),
)  # fmt: skip


def is_set(name: str) -> bool:
    """Return whether a text names an embedded set: "set:iris"."""
    return name.startswith(PREFIX)


def open_set(name: str) -> Table:
    """Return the table of an embedded set.

    Examples
    --------
    >>> open_set("set:iris").n_rows
    150
    """
    bare = name.removeprefix(PREFIX)
    for one in SETS:
        if one.name == bare:
            return replace(one.make(), source=one.name)
    known = [one.name for one in SETS]
    raise InvalidParameter(f'no such set "{bare}".{did_you_mean(bare, known)} (there are {", ".join(known)})')
