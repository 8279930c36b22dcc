"""The linkage methods and what algorithms need to know about them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from coterie._core import LinkageRule
from coterie._support.typing import AnyArray
from coterie.distance import Distance


@dataclass(frozen=True)
class LinkageMethod:
    """A linkage method as a value.

    Parameters
    ----------
    name : str
        What it is called.
    rule : LinkageRule
        How the engine knows it.
    needs_euclidean : bool
        Whether the distances must be Euclidean: it is about centroids.
    is_monotone : bool
        Whether no merge is lower than the merges of its parts.
    row_forms : tuple of str
        Rows with distances of these Euclidean forms are linked without a matrix.
    is_spanning_tree : bool
        Whether it merges along the minimum spanning tree, which needs no matrix either.
    has_first_rounds : bool
        Whether the first merges of rows are found before there is a matrix, which is so the smaller.
    """

    name: str
    rule: LinkageRule
    needs_euclidean: bool = False
    is_monotone: bool = True
    row_forms: tuple[str, ...] = ()
    is_spanning_tree: bool = False
    has_first_rounds: bool = False

    def takes_rows(self, distance: Distance) -> bool:
        """Return whether rows with this distance are linked without a matrix."""
        return distance.euclidean_form in self.row_forms

    def finish(self, heights: AnyArray, distance: Distance) -> None:
        """Turn the heights that rows give into those of the distance, in place."""
        if distance.euclidean_form == "half square":
            heights *= 0.5


_ALL = (
    LinkageMethod("single", LinkageRule.single, is_spanning_tree=True),
    LinkageMethod("complete", LinkageRule.complete, has_first_rounds=True),
    LinkageMethod("average", LinkageRule.average, row_forms=("square", "half square"), has_first_rounds=True),
    LinkageMethod("weighted", LinkageRule.weighted, has_first_rounds=True),
    LinkageMethod("ward", LinkageRule.ward, needs_euclidean=True, row_forms=("distance",)),
    LinkageMethod(
        "centroid", LinkageRule.centroid, needs_euclidean=True, is_monotone=False, row_forms=("distance",)
    ),
    LinkageMethod(
        "median", LinkageRule.median, needs_euclidean=True, is_monotone=False, row_forms=("distance",)
    ),
    LinkageMethod("average_merged", LinkageRule.average_merged, is_monotone=False),
    LinkageMethod("minimax", LinkageRule.minimax),
)

METHODS: Mapping[str, LinkageMethod] = MappingProxyType({method.name: method for method in _ALL})
