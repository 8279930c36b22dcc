"""Operations that a person makes by hand: none of them computes, each gives a new state at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations, pairwise

import numpy as np

from coterie._printing import count_of, in_sentence
from coterie._support.typing import Indices, Settings
from coterie.data.columns import check_names
from coterie.errors import InvalidParameter
from coterie.workbook.checks import unique_rows
from coterie.workbook.rowsets import LEFT_OUT, NOISE
from coterie.workbook.state import Group, Pair, Roles, State

MOST_APART = 1_000  # rows that must all be apart: pairs grow with the square
Operation = Settings


def rows_in(state: State, operation: Operation) -> Indices:
    """Return the rows that an operation is about; rows that were left out are not among them."""
    rows = unique_rows(operation.get("rows"), operation.get("ranges"), state.data.n_rows)
    found: Indices = rows[state.labels[rows] != LEFT_OUT]
    if not len(found):
        raise InvalidParameter(
            f"{operation['op']}: these rows have missing values and were left out. Choose other rows, or set "
            f"what is done about missing values (Data)."
        )
    return found


def refuse_locked(state: State, rows: Indices, what: str) -> None:
    """Refuse a change of rows of a locked group."""
    for at in np.unique(state.labels[rows]).tolist():
        if at >= 0 and state.groups[at].locked:
            raise InvalidParameter(f"{what}: {state.title(state.groups[at].id)} is locked. Unlock it first.")


def rename(state: State, operation: Operation) -> State:
    """Give a group a name; an empty one takes it away."""
    return state.changed_group(operation["group"], name=operation["name"])


def note(state: State, operation: Operation) -> State:
    """Write a note about a group."""
    return state.changed_group(operation["group"], note=operation["text"])


def colour(state: State, operation: Operation) -> State:
    """Give a group a colour."""
    return state.changed_group(operation["group"], colour=operation["colour"])


def lock(state: State, operation: Operation) -> State:
    """Lock a group, or unlock it: what is locked is not changed by editing or clustering again."""
    return state.changed_group(operation["group"], locked=operation["locked"])


def merge(state: State, operation: Operation) -> State:
    """Join groups: the first one named stays."""
    places = [state.place(group) for group in operation["groups"]]
    for at in places:
        if state.groups[at].locked:
            raise InvalidParameter(f"merge: {state.title(state.groups[at].id)} is locked. Unlock it first.")
    kept = places[0]
    labels = np.where(np.isin(state.labels, places), kept, state.labels)
    named = next((state.groups[at].name for at in places if state.groups[at].name), "")
    notes = dict.fromkeys(state.groups[at].note for at in places if state.groups[at].note)
    joined = replace(state.groups[kept], name=operation.get("name", named), note="\n".join(notes)[:10_000])
    groups = (*state.groups[:kept], joined, *state.groups[kept + 1 :])
    return state.regrouped(labels, groups)


def move(state: State, operation: Operation) -> State:
    """Move rows to a group."""
    rows, at = rows_in(state, operation), state.place(operation["group"])
    rows = rows[state.labels[rows] != at]
    if not len(rows):
        raise InvalidParameter(f"move: all these rows are in {state.title(operation['group'])} already.")
    refuse_locked(state, rows, "move")
    if state.groups[at].locked:
        raise InvalidParameter(f"move: {state.title(operation['group'])} is locked. Unlock it first.")
    labels = np.array(state.labels)
    labels[rows] = at
    return state.regrouped(labels, state.groups)


def new(state: State, operation: Operation) -> State:
    """Make a group of rows."""
    rows = rows_in(state, operation)
    refuse_locked(state, rows, "new")
    labels = np.array(state.labels)
    labels[rows] = state.k
    made = Group(f"g{state.next_id}", operation.get("name", ""))
    return state.regrouped(labels, (*state.groups, made), state.next_id + 1)


def noise(state: State, operation: Operation) -> State:
    """Take rows out of their groups."""
    rows = rows_in(state, operation)
    refuse_locked(state, rows, "noise")
    labels = np.array(state.labels)
    labels[rows] = NOISE
    return state.regrouped(labels, state.groups)


def _several(state: State, operation: Operation) -> list[int]:
    rows: list[int] = rows_in(state, operation).tolist()
    if len(rows) < 2:
        raise InvalidParameter(f"{operation['op']}: needs at least two rows, got {len(rows)}.")
    return rows


def together(state: State, operation: Operation) -> State:
    """Say that rows belong to one group: the next clustering follows it."""
    rows = _several(state, operation)
    pairs = tuple(dict.fromkeys((*state.together, *pairwise(rows))))
    _refuse_contradiction(pairs, state.apart)
    return replace(state, together=pairs)


def apart(state: State, operation: Operation) -> State:
    """Say that rows belong to different groups, each two of them."""
    rows = _several(state, operation)
    if len(rows) > MOST_APART:
        raise InvalidParameter(f"apart: takes at most {MOST_APART:,} rows, got {len(rows):,}.")
    pairs = tuple(dict.fromkeys((*state.apart, *combinations(rows, 2))))
    _refuse_contradiction(state.together, pairs)
    return replace(state, apart=pairs)


def free(state: State, operation: Operation) -> State:
    """Forget what was said about rows: pairs that name one of them are gone."""
    rows = set(rows_in(state, operation).tolist())
    left = [tuple(pair for pair in pairs if not rows & {*pair}) for pairs in (state.together, state.apart)]
    if left == [state.together, state.apart]:
        raise InvalidParameter("free: nothing was said about these rows.")
    return replace(state, together=left[0], apart=left[1])


def _refuse_contradiction(linked: Sequence[Pair], separate: Sequence[Pair]) -> None:
    """Refuse pairs that must be apart and, directly or through others, together."""
    root: dict[int, int] = {}

    def find(row: int) -> int:
        while root.get(row, row) != row:
            root[row] = root.get(root[row], root[row])
            row = root[row]
        return row

    for one, other in linked:
        root[find(one)] = find(other)
    for one, other in separate:
        if find(one) == find(other):
            raise InvalidParameter(
                f"rows {one + 1:,} and {other + 1:,} cannot be together and apart. Undo one of the two."
            )


def sizes(state: State, operation: Operation) -> State:
    """Limit the sizes of groups in the next clustering."""
    return replace(state, sizes=(operation.get("min"), operation.get("max")))


def roles(state: State, operation: Operation) -> State:
    """Say which columns are used, and how: the next fit follows it."""
    known = state.data.table
    given = {**operation.get("columns", {}), **operation.get("weights", {})}
    check_names(known.source, known.columns, list(given))
    before = state.roles
    columns = {**before.columns, **operation.get("columns", {})}
    after = Roles(
        {name: role for name, role in columns.items() if role != "auto"},
        {
            name: weight
            for name, weight in {**before.weights, **operation.get("weights", {})}.items()
            if weight != 1.0
        },
        operation.get("missing", before.missing),
        operation.get("scale", before.scale),
    )
    if columns and all(after.columns.get(name) == "leave" for name in known.columns):
        raise InvalidParameter("roles: all columns are left out. Use at least one.")
    return replace(state, roles=after)


EDITS: dict[str, Callable[[State, Operation], State]] = {
    "rename": rename, "note": note, "colour": colour, "lock": lock, "merge": merge, "move": move,
    "new": new, "noise": noise, "together": together, "apart": apart, "free": free, "sizes": sizes,
    "roles": roles,
}  # fmt: skip


def say(operation: Operation, before: State, after: State) -> str:
    """Return what an operation did, in a line."""
    name = operation["op"]
    group = before.title(operation["group"]) if "group" in operation else ""
    if name == "merge":
        return f"Merged {in_sentence([before.title(one) for one in operation['groups']])}"
    if name == "rename":
        return f"Renamed {group} to {operation['name']}" if operation["name"] else f"Took the name of {group}"
    if name in _GROUP_TEXT:
        return _GROUP_TEXT[name].format(group=group)
    if name == "lock":
        return f"{'Locked' if operation['locked'] else 'Unlocked'} {group}"
    if name == "split":
        return f"Split {group} into {after.k - before.k + 1}"
    if name == "sizes":
        least, most = after.sizes
        ends = " and ".join(
            [*([f"at least {least:,}"] if least else []), *([f"at most {most:,}"] if most else [])]
        )
        return f"Groups of {ends} rows from now on" if ends else "No limits of sizes from now on"
    if name == "roles":
        return "Changed what columns are used for"
    return _say_rows(operation, before, after)


_GROUP_TEXT = {"note": "Wrote a note about {group}", "colour": "Coloured {group}"}


def _say_rows(operation: Operation, before: State, after: State) -> str:
    name = operation["op"]
    if name == "test":
        return f"Tested {count_of(after.k, 'group')}"
    if name == "fit":
        headline = "" if after.belief is None else after.belief.verdict.announcement
        method = "" if after.answer is None else f" by {after.answer.groups.recipe.title}"
        return f"Found {headline[:1].lower()}{headline[1:]}{method}"
    if name == "given":
        return f"Took {count_of(after.k, 'group')} from {operation.get('from', 'labels')}"
    if name == "cluster_rest":
        n_locked = sum(group.locked for group in before.groups)
        return f"Clustered the rest again, keeping {count_of(n_locked, 'group')}"
    n_rows = len(unique_rows(operation.get("rows"), operation.get("ranges"), before.data.n_rows))
    count = count_of(n_rows, "row")
    return {
        "move": lambda: f"Moved {count} to {before.title(operation['group'])}",
        "new": lambda: f"Made {after.groups[-1].name or 'a group'} of {count}",
        "noise": lambda: f"Marked {count} as noise",
        "together": lambda: f"Said that {count} belong together",
        "apart": lambda: f"Said that {count} belong apart",
        "free": lambda: f"Forgot what was said about {count}",
        "cluster_rows": lambda: f"Clustered {count} again",
    }[name]()
