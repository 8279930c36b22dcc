"""The operations of a file, done again one after the other: in the worker where they compute."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from coterie._printing import count_of
from coterie._support.typing import JsonObject, Settings
from coterie.errors import CoterieError, in_page
from coterie.workbook import State, Workbook, is_long
from coterie.workbook.apply import apply, canonical
from coterie.workbook.files import StoredWorkbook, changes_since

if TYPE_CHECKING:
    from coterie.show.explorer.session import Session


class Replay:
    """What is left to be done again of the workbook of a session."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.left: list[tuple[JsonObject, str]] = []  # operations, and when each was done first
        self._when_done: Callable[[], None] = lambda: None

    def start(self, stored: StoredWorkbook, *, is_resumed: bool = False) -> None:
        """Do the operations of a file again: those that compute in the worker, with progress."""
        with self.session.lock:
            book = self.session.need()
            self.left = list(zip(stored.log, stored.times, strict=True))

            def end() -> None:
                book.jump(min(stored.position, len(book.log)))
                if is_resumed:
                    n_made = len(stored.log)
                    when = stored.times[-1] if stored.times else ""
                    text = f"Resumed {count_of(n_made, 'unsaved change')}."
                    self.session.resumed = {"changes": n_made, "at": when, "text": text}
                else:
                    book.saved_digest = book.state.digest
                    book.warning = book.warning or changes_since(stored, book.data, book.state)

            self._when_done = end
            self._go_on()

    def _go_on(self) -> None:
        """Do what can be done at once; begin the next operation that computes."""
        with self.session.lock:
            book = self.session.need()
            while self.left:
                operation, when = self.left[0]
                try:
                    checked = canonical(operation, book.data.n_rows)
                    if is_long(checked):
                        self._begin(book, checked, when)
                        return
                    book.accept(checked, apply(book.state, checked), when)
                except CoterieError as error:
                    self.fail(in_page(error))
                    return
                self.left.pop(0)
            self._when_done()
            self.session.changed()

    def _begin(self, book: Workbook, operation: JsonObject, when: str) -> None:
        before = book.state

        def done(result: State) -> None:
            with self.session.lock:
                if self.session.book is not book or not self.left:
                    return
                book.accept(operation, joined(book, before, operation, result), when)
                self.left.pop(0)
            self.session.changed()
            self._go_on()

        text = f"Opening the workbook: step {len(book.log) + 1} of {len(book.log) + len(self.left)}"
        state = before.detached()
        self.session.worker.submit("open", text, "apply", (state, operation), book.data, done, self.fail)

    def fail(self, text: str) -> None:
        """Leave out what is left, and say why."""
        with self.session.lock:
            book, n_left = self.session.need(), len(self.left)
            self.left = []
            book.warning = (
                f"Operation {len(book.log) + 1} of the workbook could not be done: {text} "
                f"{count_of(n_left, 'operation was', 'operations were')} left out."
            )
        self.session.failed(book.warning)


def joined(book: Workbook, before: State, operation: Settings, result: State) -> State:
    """Return what the worker found, with the data that it sent back nothing of."""
    answer = result.answer if result.answer is not None else before.answer
    return replace(result, data=book.data, answer=None if operation["op"] == "given" else answer)
