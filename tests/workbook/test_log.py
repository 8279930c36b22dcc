"""Laws of the log: undo and redo, replays, and the pure function behind them."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coterie.errors import InvalidParameter
from coterie.workbook import KINDS, Workbook, apply
from coterie.workbook import workbook as workbook_module
from workbook_cases import FIT, apply_random, blobs, check_state, fitted, random_operation

STATE = fitted(6).state


def test_a_thousand_operations_are_undone_to_the_start_and_redone_to_the_same_state():
    """Undo leads back through the very states, redo forward through them: labels, names, constraints."""
    book = fitted()
    digests = [book.state_at(0).digest, book.state.digest]
    rng = np.random.default_rng(7)
    for _ in range(999):
        apply_random(book, rng, 1)
        check_state(book.state)
        digests.append(book.state.digest)
    assert book.position == 1_000
    for at in range(999, -1, -1):
        assert book.undo().state.digest == digests[at]
    assert not book.can_undo
    for at in range(1, 1_001):
        assert book.redo().state.digest == digests[at]
    assert not book.can_redo
    made = {entry["op"] for entry in book.log}
    assert made == {*KINDS} - {"given", "cluster_rest", "cluster_rows", "test"}  # of those, nothing is drawn


def test_the_log_replayed_gives_the_same_state():
    """The log is all there is: its JSON, replayed on the same data, ends at the same digest."""
    book = apply_random(fitted(), np.random.default_rng(3), 60)
    again = Workbook.open(blobs()).replay(json.loads(json.dumps(book.operations)))
    assert again.state.digest == book.state.digest
    assert [entry["said"] for entry in again.log] == [entry["said"] for entry in book.log]


def test_states_that_were_forgotten_are_found_again(monkeypatch):
    """Where memory is short, states between fits are dropped; going back gives the same labels."""
    book = fitted()
    digests = [book.state_at(at).digest for at in (0, 1)]
    monkeypatch.setattr(workbook_module, "MOST_KEPT_BYTES", 1)
    rng = np.random.default_rng(5)
    for _ in range(40):
        apply_random(book, rng, 1)
        digests.append(book.state.digest)
    assert sum(state is None for state in book._states) > 10
    assert [book.state_at(at).digest for at in range(42)] == digests


@given(seed=st.integers(0, 10_000))
def test_apply_changes_nothing_that_it_is_given(seed):
    """`apply` is a function: the state before stays as it was, and the same call gives the same state."""
    state, rng = STATE, np.random.default_rng(seed)
    before = (state.digest, state.labels.tobytes())
    operation = random_operation(rng, state)
    try:
        one = apply(state, operation)
    except InvalidParameter:
        one = None
    else:
        check_state(one)
        assert apply(state, operation).digest == one.digest
    assert (state.digest, state.labels.tobytes()) == before


def test_a_new_operation_forgets_what_was_undone():
    """After an undo, another operation replaces the tail of the log."""
    book = fitted().apply({"op": "rename", "group": "g1", "name": "a"}).undo()
    assert book.can_redo
    book.apply({"op": "rename", "group": "g1", "name": "b"})
    assert not book.can_redo
    assert book.names[0] == "b"
    assert [entry["op"] for entry in book.log] == ["fit", "rename"]


def test_there_are_ends():
    """Undo at the start, redo at the end and jumps beyond the log are refused in words."""
    book = Workbook.open(blobs())
    with pytest.raises(InvalidParameter, match="nothing to undo"):
        book.undo()
    with pytest.raises(InvalidParameter, match="nothing to redo"):
        book.redo()
    with pytest.raises(InvalidParameter, match="position must be from 0 to 0, got 3"):
        book.jump(3)


def test_redo_computes_nothing(monkeypatch):
    """A fit and a split are kept: undo and redo do not run them again."""
    book = fitted().apply({"op": "split", "group": "g1", "method": "kmeans", "k": 2})
    wanted = book.labels_hash
    monkeypatch.setattr(workbook_module, "apply", None)  # whoever calls it fails
    assert book.jump(0).k == 0
    assert book.jump(2).labels_hash == wanted


def test_stale_marks_follow_the_groups():
    """Evidence is stale while the groups are others than those it is about: an undo makes it fresh again."""
    book = Workbook.open(blobs()).apply({**FIT, "believe": False})
    assert not book.state.is_stale
    assert not book.apply({"op": "rename", "group": "g1", "name": "a"}).state.is_stale
    assert book.apply({"op": "noise", "rows": [0]}).state.is_stale
    assert not book.undo().state.is_stale
    assert book.redo().state.is_stale
