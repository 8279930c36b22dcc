"""The catalogue of methods: command line, tables and contract tests follow from it."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any

from coterie.errors import InvalidParameter, did_you_mean


@dataclass(frozen=True)
class Method:
    """One way to find groups.

    Parameters
    ----------
    name : str
        What to type.
    title : str
        What to call it in a sentence.
    module, class_name : str
        Where its estimator lives; it is imported when it is needed.
    summary : str
        What it is good for, in one line.
    needs_k : bool
        Whether the number of groups must be given.
    """

    name: str
    title: str
    module: str
    class_name: str
    summary: str
    needs_k: bool

    def load(self) -> type[Any]:
        """Return the estimator's class."""
        found: type[Any] = getattr(import_module(self.module), self.class_name)
        return found


CATALOGUE = (
    Method(
        "kmeans",
        "k-means",
        "coterie.cluster.kmeans",
        "KMeans",
        "round groups about a centre; the usual first choice, fast on any size",
        needs_k=True,
    ),
    Method(
        "minibatch-kmeans",
        "mini-batch k-means",
        "coterie.cluster.minibatch",
        "MiniBatchKMeans",
        "k-means that sees a few rows at a time: for streams; approximate",
        needs_k=True,
    ),
    Method(
        "kmedoids",
        "k-medoids",
        "coterie.cluster.kmedoids",
        "KMedoids",
        "groups about one of their own rows; any distance, less moved by outliers",
        needs_k=True,
    ),
    Method(
        "kernel-kmeans",
        "kernel k-means",
        "coterie.cluster.kernel_kmeans",
        "KernelKMeans",
        "groups with curved borders, through a kernel; memory and time grow with the square of the rows",
        needs_k=True,
    ),
)


def find_method(name: str) -> Method:
    """Return the method of that name, or offer the nearest.

    Examples
    --------
    >>> find_method("kmeans").class_name
    'KMeans'
    """
    for method in CATALOGUE:
        if name == method.name:
            return method
    names = [method.name for method in CATALOGUE]
    near = did_you_mean(name, names)
    raise InvalidParameter(f'no such method "{name}".{near} (coterie.cluster.catalogue() has all)').in_shell(
        f'no such method "{name}".{near} (coterie methods lists all)'
    )
