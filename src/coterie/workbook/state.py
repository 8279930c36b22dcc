"""The state of a workbook at one position of its log: groups, labels, constraints, evidence."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from coterie._support.typing import Indices, Labels, Settings, ValuesByName
from coterie.errors import InvalidParameter, did_you_mean
from coterie.pipeline.answer import Clustering
from coterie.pipeline.groups import group_name
from coterie.pipeline.rows.memory import MemoryRows
from coterie.workbook.belief import Belief
from coterie.workbook.dataset import Dataset
from coterie.workbook.rowsets import NOISE, hash_of

Pair = tuple[int, int]


@dataclass(frozen=True)
class Group:
    """One group: an id that stays, whatever happens to the numbers, and what people say about it."""

    id: str
    name: str = ""
    note: str = ""
    colour: str | None = None
    locked: bool = False


@dataclass(frozen=True)
class Roles:
    """What was said about columns: the next fit follows it.

    Parameters
    ----------
    columns : mapping of str to {"auto", "use", "leave"}
        By name.
    weights : mapping of str to float
        By name; 1 where nothing is said.
    missing, scale : str
        As in `coterie.fit`.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    weights: Mapping[str, float] = field(default_factory=dict)
    missing: str = "auto"
    scale: str = "auto"

    def arguments(self) -> ValuesByName:
        """Return what they mean for a fit, without what is usual."""
        found: ValuesByName = {
            "drop": [name for name, role in self.columns.items() if role == "leave"],
            "keep": [name for name, role in self.columns.items() if role == "use"],
            "weights": {name: weight for name, weight in self.weights.items() if weight != 1.0},
            "missing": self.missing,
            "scale": self.scale,
        }
        return {name: value for name, value in found.items() if value and value != "auto"}


@dataclass(frozen=True, eq=False)
class State:
    """Everything that operations change; none of them changes a state, each makes a new one.

    Parameters
    ----------
    data : Dataset
        What it is about.
    labels : array of shape (n_rows,)
        Place in `groups` of each row; -1 is noise, `LEFT_OUT` a row that was left out.
    groups : tuple of Group
        In the order of their labels.
    next_id : int
        Number of the next id.
    preparation : mapping
        Plain arguments of `coterie.fit` by which rows are prepared, and weights.
    answer : Clustering or None
        The last fit, without its rows.
    belief : Belief or None
        What was last measured, and about which labels.
    together, apart : tuples of pairs of rows
        Constraints of the next clustering.
    sizes : (int or None, int or None)
        Least and greatest size of a group, in the next clustering.
    roles : Roles
        What was said about columns.
    """

    data: Dataset
    labels: Labels
    groups: tuple[Group, ...] = ()
    next_id: int = 1
    preparation: Settings = field(default_factory=dict)
    answer: Clustering | None = None
    belief: Belief | None = None
    together: tuple[Pair, ...] = ()
    apart: tuple[Pair, ...] = ()
    sizes: tuple[int | None, int | None] = (None, None)
    roles: Roles = field(default_factory=Roles)

    @property
    def k(self) -> int:
        """Number of groups."""
        return len(self.groups)

    @property
    def rows(self) -> MemoryRows:
        """The prepared rows."""
        return self.data.rows_for(self.preparation)

    @cached_property
    def labels_hash(self) -> str:
        """SHA-256 of the labels."""
        return hash_of(self.labels)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of all that a person could have changed: labels, groups, constraints, roles."""
        facts = {
            "labels": self.labels_hash,
            "groups": [asdict(group) for group in self.groups],
            "next_id": self.next_id,
            "preparation": self.preparation,
            "together": self.together,
            "apart": self.apart,
            "sizes": self.sizes,
            "roles": asdict(self.roles),
            "belief": None if self.belief is None else self.belief.labels_hash,
        }
        return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()

    @property
    def is_stale(self) -> bool:
        """Whether what was measured is about other groups than these."""
        return self.belief is not None and self.belief.labels_hash != self.labels_hash

    @cached_property
    def sizes_of_groups(self) -> Labels:
        """Rows of each group."""
        return np.bincount(self.labels[self.labels >= 0], minlength=self.k)

    @property
    def n_noise(self) -> int:
        """Rows in no group that were not left out."""
        return int((self.labels == NOISE).sum())

    def detached(self) -> State:
        """Return the state without its data, for another process that has them."""
        return replace(self, data=None)  # type: ignore[arg-type]  # until it is attached again

    def place(self, group: str) -> int:
        """Return the label of a group by its id."""
        for at, one in enumerate(self.groups):
            if one.id == group:
                return at
        known = [one.id for one in self.groups]
        shown = f" (there are {', '.join(known[:20])}{' ...' if len(known) > 20 else ''})" if known else ""
        raise InvalidParameter(f'there is no group "{group}".{did_you_mean(group, known)}{shown}')

    def title(self, group: str) -> str:
        """Return what to call a group: its name, or its number from 1."""
        at = self.place(group)
        return self.groups[at].name or group_name(at)

    def rows_of(self, group: str) -> Indices:
        """Return the rows of a group, counted from 0."""
        return np.flatnonzero(self.labels == self.place(group))

    def locked_rows(self) -> Indices:
        """Return the rows of all locked groups."""
        locked = [at for at, group in enumerate(self.groups) if group.locked]
        return np.flatnonzero(np.isin(self.labels, locked))

    def changed_group(self, group: str, **values: Any) -> State:
        """Return the state with one group changed."""
        at = self.place(group)
        groups = (*self.groups[:at], replace(self.groups[at], **values), *self.groups[at + 1 :])
        return replace(self, groups=groups)

    def regrouped(self, labels: Labels, groups: Iterable[Group], next_id: int | None = None) -> State:
        """Return the state with other labels; groups without rows are gone, the others keep their order."""
        groups = tuple(groups)
        counts = np.bincount(labels[labels >= 0], minlength=len(groups))
        kept = np.flatnonzero(counts)
        if len(kept) < len(groups):
            places = np.full(len(groups), NOISE, dtype=np.int32)
            places[kept] = np.arange(len(kept))
            labels = np.where(labels >= 0, places[np.maximum(labels, 0)], labels).astype(np.int32)
        labels = np.ascontiguousarray(labels, dtype=np.int32)
        labels.setflags(write=False)
        found = tuple(groups[at] for at in kept.tolist())
        return replace(
            self, labels=labels, groups=found, next_id=self.next_id if next_id is None else next_id
        )


def first_state(data: Dataset) -> State:
    """Return the state before any operation: every row in no group."""
    labels = np.full(data.n_rows, NOISE, dtype=np.int32)
    labels.setflags(write=False)
    return State(data, labels)
