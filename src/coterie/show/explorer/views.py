"""A workbook as the page reads it: plain values of JSON, computed from states and kept until they change."""

from __future__ import annotations

import math
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from coterie._printing import count_of, in_sentence, visible
from coterie._support.facts import facts_of
from coterie._support.notes import render_notes, worded
from coterie._support.typing import FloatArray, Indices, JsonObject, Labels
from coterie.data import inspect
from coterie.data.categories import texts_of
from coterie.data.prepared import NOT_NAMED
from coterie.errors import CoterieError, in_page
from coterie.evaluate.belief import SIGNIFICANT, STABLE
from coterie.pipeline import Clustering
from coterie.pipeline.groups import learn_rules, share_words
from coterie.pipeline.other_numbers import tree_of
from coterie.pipeline.partition import GroupMeans
from coterie.show.layout.upper_tree import upper_tree
from coterie.show.palette import color_of
from coterie.tree import Dendrogram, linkage
from coterie.workbook.belief import Belief, partition_of
from coterie.workbook.dataset import Dataset
from coterie.workbook.rowsets import LEFT_OUT
from coterie.workbook.state import Group, State
from coterie.workbook.workbook import Workbook

MOST_FEATURES = 8
MOST_CATEGORIES = 50
MOST_EVIDENCE_COLUMNS = 60
MOST_RULE_ROWS = 100_000  # rules of more rows take longer than a person waits for an edit
KEPT = 16
MOST_LEAVES = 60  # of a tree that fits into a panel
REASONS = {"dropped": "left out as you asked", NOT_NAMED: "not among the columns asked for"}
MOST_BARS = 200  # silhouettes of a group that are drawn
Value = TypeVar("Value")
MOST_PAIRS = 1_000  # that a page lists
NOTHING: JsonObject = {
    "data": None, "groups": [], "log": [], "position": 0, "stale": False, "can_undo": False,
    "can_redo": False, "dirty": False, "saved_as": None, "resumed": None, "warning": None,
    "can_save": False, "answer": None, "noise": {"size": 0}, "pairs": None, "sizes": None, "evidence": None,
    "labels_hash": None,
}  # fmt: skip  # what a page shows before data are open


class Kept:
    """The last few values, by what they were computed from."""

    def __init__(self, most: int = KEPT) -> None:
        self._values: OrderedDict[Hashable, Any] = OrderedDict()
        self._most = most
        self._lock = threading.RLock()

    def __contains__(self, key: Hashable) -> bool:
        return key in self._values

    def get(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """Return the value of a key, made if it is not there."""
        with self._lock:  # two pages that ask for the same compute it once
            if key not in self._values:
                self._values[key] = make()
                while len(self._values) > self._most:
                    self._values.popitem(last=False)
            self._values.move_to_end(key)
            found: Value = self._values[key]
            return found


def clean(value: object) -> Any:
    """Return values as JSON can hold them: no NaN, no types of NumPy; texts without control characters."""
    if isinstance(value, dict):
        return {str(key): clean(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [clean(one) for one in value]
    if isinstance(value, np.ndarray):
        return clean(value.tolist())
    if isinstance(value, np.generic):
        return clean(value.item())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return visible(value) if isinstance(value, str) else value


def entry_of(entry: JsonObject) -> JsonObject:
    """Return an entry of the log as the page lists it: rows and packed labels would be too much."""
    left_out = ("rows", "ranges", "labels", "text", "said")
    found = {name: value for name, value in entry.items() if name not in left_out} | {"text": entry["said"]}
    if entry["op"] == "note":
        found["note"] = entry["text"]
    if "rows" in entry:
        found["n_rows"] = len(entry["rows"])
    elif "ranges" in entry:
        found["n_rows"] = sum(stop - first for first, stop in entry["ranges"])
    return found


def colour_of(group: Group) -> str:
    """Return the colour of a group: its own, or one that stays with its id."""
    return group.colour or color_of(int(group.id[1:]) - 1)


def columns_of(data: Dataset) -> list[JsonObject]:
    """Return what each column holds; found out once per data."""
    facts = inspect(data.table)
    found = []
    for one in facts.columns:
        kind = one.kind
        found.append(
            {
                "name": one.column,
                "kind": kind,
                "numeric": data.table.is_matrix or data.table.looks[one.column].numbers is not None,
                "role": one.role,
                "why": worded(one.why, "page"),
                "remedy": worded(one.remedy, "page"),
                "missing": one.missing,
                "different": one.n_different,
                "histogram": list(one.histogram) or None,
                "values": _values_of(data, one.column) if kind in ("category", "text", "yes/no") else None,
                "weight": 1.0,
            }
        )
    return found


def _values_of(data: Dataset, name: str) -> list[JsonObject] | None:
    if data.table.is_matrix:
        return None
    texts = texts_of(data.table.content[name]).drop_nulls().alias("value")
    counts = texts.value_counts().sort(["count", "value"], descending=[True, False]).head(8)
    return [
        {"value": str(value), "share": count / max(1, data.n_rows)} for value, count in counts.iter_rows()
    ]


def problem_of(state: State) -> str | None:
    """Return why the rows cannot be clustered as the columns are used now; None: they can."""
    try:
        state.rows  # noqa: B018  # prepares them
    except CoterieError as error:
        return in_page(error)
    return None


def used_columns(state: State, columns: list[JsonObject], problem: str | None) -> list[JsonObject]:
    """Return the columns with the role that they have in the rows as they are prepared, if they can be."""
    if problem:
        used, reasons = {one["name"] for one in columns if one["role"] == "used"}, dict[str, str]()
    else:
        prepared = state.rows.prepared
        used = {*prepared.choice.used, *(name for place in prepared.places for name in place.columns)}
        reasons = {one.name: one.reason for one in prepared.choice.left_out}
    said = state.roles
    return [
        {
            **one,
            "role": "used" if one["name"] in used else "left out",
            "why": why_of(one, reasons, is_used=one["name"] in used),
            "asked": said.columns.get(one["name"], "auto"),
            "weight": said.weights.get(one["name"], 1.0),
        }
        for one in columns
    ]


def why_of(column: JsonObject, reasons: dict[str, str], *, is_used: bool) -> str:
    """Return why a column has its role; a reason to leave it out is none where it is used all the same."""
    if is_used:
        return str(column["why"] or "") if column["role"] == "used" else "used as you asked"
    reason = reasons.get(column["name"]) or str(column["why"] or "")
    return REASONS.get(reason, reason)


def features_of(means: GroupMeans, at: int) -> list[JsonObject]:
    """Return in what a group differs from all rows, the most telling first."""
    found = []
    for column in means.telling(at)[:MOST_FEATURES]:
        effect = float(means.differences[at, column])
        if means.is_share(column):
            points = effect * float(means.spread[column])
            text = f"{means.columns[column]}: {share_words(float(means.means[at, column]), points)}"
        else:
            text = f"{means.columns[column]} {effect:+.1f} sd"
        found.append({"column": means.columns[column], "text": text, "effect": effect})
    return found


def described(state: State) -> JsonObject:
    """Return what sets each group apart, its rule, and the effects of columns by group."""
    rows = state.rows
    partition = partition_of(rows, state.labels)
    means = partition.means
    at_hand = partition.rows
    rules: list[str | None] = [None] * state.k
    if 1 < state.k <= 60 and len(at_hand) <= MOST_RULE_ROWS:
        found, _ = learn_rules(
            at_hand.X, partition.labels, at_hand.columns, means.differences, at_hand.category_of
        )
        rules = [None if rule is None else str(rule) for rule in found]
    telling = np.argsort(-means.between, kind="stable")[:MOST_EVIDENCE_COLUMNS].tolist() if state.k else []
    return {
        "features": [features_of(means, at) for at in range(state.k)],
        "rules": rules,
        "tree": tree_of_state(state, means),
        "columns": [
            {
                "column": means.columns[at],
                "between": float(means.between[at]),
                "effects": means.differences[:, at].tolist(),
            }
            for at in telling
        ],
    }


def groups_of(state: State, facts: JsonObject) -> list[JsonObject]:
    """Return the groups as the page lists them."""
    belief = state.belief
    known = {} if belief is None else {one: at for at, one in enumerate(belief.group_ids)}
    n_grouped = max(1, int((state.labels != LEFT_OUT).sum()))
    found = []
    for at, group in enumerate(state.groups):
        place = known.get(group.id)
        stability = strength = silhouette = None
        if belief is not None and place is not None:
            if belief.stability is not None:
                stability = float(belief.stability.per_cluster[place])
                strength = belief.stability.verdicts[place]
            if belief.silhouettes:
                silhouette = _mean(belief.silhouettes[place])
        size = int(state.sizes_of_groups[at])
        found.append(
            {
                "id": group.id,
                "label": at,
                "name": group.name,
                "title": state.title(group.id),
                "note": group.note,
                "colour": colour_of(group),
                "locked": group.locked,
                "size": size,
                "share": size / n_grouped,
                "stability": stability,
                "strength": strength,
                "silhouette": silhouette,
                "features": facts["features"][at],
                "rule": facts["rules"][at],
            }
        )
    return found


def evidence_of(state: State, facts: JsonObject) -> JsonObject:
    """Return what was measured, and whether it is about the groups as they are."""
    belief, answer = state.belief, state.answer
    found: JsonObject = {
        "stability": None, "p_value": None, "silhouette": None, "text": "Not tested yet.", "stale": False,
        "stale_text": "", "silhouettes": [], "ks": [], "runners_up": [], "chance": None,
        "tree": facts["tree"], "columns": facts["columns"], "group_ids": [group.id for group in state.groups],
        "limits": {"stable": STABLE, "significant": SIGNIFICANT},
    }  # fmt: skip
    if answer is not None:
        found["ks"], found["ks_text"] = _curves(answer), _ks_text(answer)
        found["runners_up"] = [
            {"method": one.method, "title": one.title, "k": one.k, "scores": one.scores, "reason": one.reason}
            for one in answer.runners_up
        ]
    return found if belief is None else found | _tested(belief, state)


def _tested(belief: Belief, state: State) -> JsonObject:
    """Return what the tests of a belief have found."""
    verdict = belief.verdict
    found: JsonObject = {
        **facts_of(verdict, "stability", "p_value", "p_text", "is_apart", "convincing"),
        "silhouette": belief.silhouette,
        "text": _words(belief, state),
        "how": belief.text,
        "stale": state.is_stale,
        "stale_text": _stale_words(belief) if state.is_stale else "",
        "silhouettes": [
            {"id": one, "mean": _mean(values), "values": _thinned(values)}
            for one, values in zip(belief.group_ids, belief.silhouettes, strict=False)
        ],
    }
    if belief.stability is not None:
        each = belief.stability
        found["stabilities"] = {
            "ids": list(belief.group_ids),
            "per_group": each.per_cluster.tolist(),
            **facts_of(each, "verdicts", "n_resamples", "how"),
        }
    if belief.significance is not None:
        chance = belief.significance
        found["chance"] = {
            **facts_of(chance, "draws", "observed", "measure"),
            "text": chance.p_in_words,
            "verdict": chance.verdict,
        }
    return found


def _mean(values: FloatArray) -> float | None:
    return float(values.mean()) if len(values) else None


def _thinned(values: FloatArray) -> list[float]:
    """Return so many of the values, in their order, as a small chart can show."""
    if len(values) > MOST_BARS:
        values = values[np.linspace(0, len(values) - 1, MOST_BARS).round().astype(int)]
    return [round(float(value), 4) for value in values]


def _stale_words(belief: Belief) -> str:
    """Return which figures are older than the groups: those that were measured."""
    measured = [
        name
        for name, value in (("stability", belief.stability), ("chance", belief.significance))
        if value is not None
    ]
    named = in_sentence([*measured, "silhouettes"])
    return f"{named[:1].upper()}{named[1:]} are from before your last edits."


def _words(belief: Belief, state: State) -> str:
    """Return what was measured, in sentences."""
    verdict, said = belief.verdict, []
    if belief.stability is not None and verdict.stability is not None:
        word = "Stable" if verdict.is_stable else "Not stable"
        said.append(
            f"{word}: mean Jaccard {verdict.stability_text} over {belief.stability.n_resamples} resamples."
        )
    if belief.significance is not None and verdict.p_value is not None:
        chance = belief.significance
        said.append(f"{chance.verdict[:1].upper()}{chance.verdict[1:]}: {chance.p_in_words}.")
    if verdict.is_apart is False:
        said.append("No clear border between groups.")
    divided = [state.title(one) for one in belief.divided_ids if one in {group.id for group in state.groups}]
    if divided:
        said.append(f"Clear border within {in_sentence(divided)}: splitting may be better.")
    if not said:
        said.append(
            "Stability and chance are not tested yet." if state.k > 1 else "One group: nothing to compare."
        )
    return " ".join([*said, belief.text]).strip()


def _curves(answer: Clustering) -> list[JsonObject]:
    """Return what speaks for each number of groups."""
    evidence, found = answer.evidence, []
    for k in evidence.ks:
        scores = {
            curve.name: float(curve.values[curve.ks.index(k)]) for curve in evidence.curves if k in curve.ks
        }
        chosen = int(k) == answer.k
        found.append({"k": int(k), "score": scores.get("separation"), "scores": scores, "chosen": chosen})
    return found


def _ks_text(answer: Clustering) -> str:
    """Return why the answer has so many groups."""
    reasons = answer.evidence.verdict.reasons
    count = answer.verdict.count
    return f"{count[:1].upper()}{count[1:]}: {reasons[0]}" if reasons else count


def tree_of_state(state: State, means: GroupMeans) -> JsonObject | None:
    """Return the tree of the rows where the method made one, else that of the groups by their means."""
    answer = state.answer
    tree = None if answer is None else tree_of(answer.model, len(state.rows.prepared.rows))
    if tree is not None and tree.n_leaves > 2:
        return _tree_of_rows(state, tree.as_distances())
    if not 2 <= state.k <= MOST_LEAVES:
        return None
    merges = np.asarray(linkage(np.ascontiguousarray(means.differences), "average"))
    sizes = state.sizes_of_groups.tolist()
    return {
        "merges": merges.tolist(),
        "leaves": [{"id": group.id, "size": sizes[at]} for at, group in enumerate(state.groups)],
        "text": "How alike the groups are: average linkage of their means, in standard deviations",
    }


def _tree_of_rows(state: State, tree: Dendrogram) -> JsonObject:
    upper = upper_tree(tree, MOST_LEAVES)
    n_leaves = len(upper.leaves)
    labels = state.labels[state.rows.prepared.rows]
    leaves = []
    for leaf in range(n_leaves):
        own = labels[upper.leaf_of_row == leaf]
        own = own[own >= 0]
        at = int(np.bincount(own).argmax()) if len(own) else None
        leaves.append({"id": None if at is None else state.groups[at].id, "size": upper.sizes[leaf]})
    merges: list[list[float]] = []
    place = list(range(n_leaves))
    for family, height in zip(upper.children, upper.heights.tolist(), strict=True):
        node = place[family[0]]
        for child in family[1:]:  # several that join at once are drawn one after the other, at one height
            merges.append([node, place[child], height, 0])
            node = n_leaves + len(merges) - 1
        place.append(node)
    return {
        "merges": merges,
        "leaves": leaves,
        "text": f"How {tree.n_leaves:,} rows join: the last {len(merges)} merges",
    }


def selection_of(state: State, rows: Indices) -> JsonObject:
    """Return what is in a selection: how many rows of which groups, and what sets them apart."""
    labels = state.labels[rows]
    counts = np.bincount(labels[labels >= 0], minlength=state.k)
    by_group = [
        {"id": group.id, "label": at, "count": int(counts[at])}
        for at, group in enumerate(state.groups)
        if counts[at]
    ]
    n_noise, n_left_out = int((labels == -1).sum()), int((labels == LEFT_OUT).sum())
    found: JsonObject = {
        "count": len(rows), "by_group": by_group, "noise": n_noise, "left_out": n_left_out, "features": [],
    }  # fmt: skip
    inside = np.full(state.data.n_rows, -1, dtype=np.int32)
    inside[rows] = 0
    partition = partition_of(state.rows, inside)
    if partition.k:
        found["features"] = features_of(partition.means, 0)
    return found


def labels_bytes(labels: Labels) -> bytes:
    """Return labels as little-endian int32."""
    return np.asarray(labels, dtype="<i4").tobytes()


def _no_facts(state: State) -> JsonObject:
    """Return what is known of groups, made by hand, of rows that cannot be compared: nothing."""
    return {"features": [[]] * state.k, "rules": [None] * state.k, "tree": None, "columns": []}


def page_of(book: Workbook, kept: Kept) -> JsonObject:
    """Return what a page shows; what takes long is kept."""
    state = book.state
    problem = problem_of(state)
    facts = _no_facts(state) if problem else _facts(state, kept)
    belief = state.belief
    return {
        "position": book.position,
        "log": [entry_of(entry) for entry in book.log],
        "can_undo": book.can_undo,
        "can_redo": book.can_redo,
        "dirty": book.is_dirty,
        "saved_as": None if book.saved_as is None else Path(book.saved_as).name,
        "warning": book.warning or _changed_on_disk(book),
        "data": _data(book, state, problem, kept),
        "answer": {
            "headline": count_of(state.k, "group") if belief is None else belief.verdict.headline,
            "method": None if state.answer is None else state.answer.groups.recipe.title,
            "k": state.k,
            "verdict": None if belief is None else belief.verdict.to_dict(),
            "notes": [] if state.answer is None else list(render_notes(state.answer.notes, "page")),
        },
        "groups": groups_of(state, facts),
        "noise": {"size": state.n_noise},
        "pairs": {"together": state.together[:MOST_PAIRS], "apart": state.apart[:MOST_PAIRS]},
        "sizes": {"min": state.sizes[0], "max": state.sizes[1]},
        "evidence": evidence_of(state, facts),
        "labels_hash": state.labels_hash,
        "stale": state.is_stale,
    }


def _changed_on_disk(book: Workbook) -> str | None:
    if not book.data.has_changed():
        return None
    return f"{book.data.name} has changed on disk since it was read. Read it again, or go on as it was."


def _facts(state: State, kept: Kept) -> JsonObject:
    key = ("facts", state.labels_hash, repr(sorted(state.preparation.items())), id(state.data))
    return kept.get(key, lambda: described(state))


def _data(book: Workbook, state: State, problem: str | None, kept: Kept) -> JsonObject:
    data = book.data
    columns = kept.get(("columns", id(data)), lambda: columns_of(data))
    used = used_columns(state, columns, problem)
    n_used = sum(one["role"] == "used" for one in used)
    return {
        "name": data.name,
        "kind": data.kind,
        "rows": data.n_rows,
        "rows_used": 0 if problem else len(state.rows.prepared.rows),
        "sample": None
        if data.sample is None
        else {"rows": data.sample.n_rows, "of": data.sample.n_of, "text": data.sample.text},
        "columns": used,
        "text": f"{data.n_rows:,} rows; {n_used} of {len(used)} columns used",
        "scale": state.roles.scale,
        "missing": state.roles.missing,
        "notes": [] if problem else list(render_notes(state.rows.prepared.notes, "page")),
        "problem": problem,
    }
