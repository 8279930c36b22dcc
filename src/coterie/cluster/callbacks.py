"""Scikit-learn's own callbacks, where the installed version has them: every iteration is a task."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

from coterie._support.progress import Progress

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # before scikit-learn 1.9

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Nothing: this version has no callbacks."""

    def with_callbacks(method: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(method)  # a frame of its own, as the real one has: warnings count frames
        def called(*args: Any, **named: Any) -> Any:
            return method(*args, **named)

        return called


__all__ = ["CallbackSupportMixin", "fit_task", "with_callbacks"]


@contextmanager
def fit_task(estimator: Any, X: Any) -> Iterator[Callable[[Progress], object] | None]:
    """Tell the callbacks of an estimator that its fit begins and ends.

    Yields what is to be called after every iteration, None when there are no callbacks. Their wish to stop
    early is not heard: an iteration is too short to ask.
    """
    if not getattr(estimator, "_skl_callbacks", None):
        yield None
        return
    context = estimator._init_callback_context(max_subtasks=None)
    context.call_on_fit_task_begin(estimator=estimator, X=X)

    def iteration(progress: Progress) -> None:
        task = context.subcontext(task_name=progress.stage)
        task.call_on_fit_task_begin(estimator=estimator)
        task.call_on_fit_task_end(estimator=estimator)

    yield iteration
    context.call_on_fit_task_end(estimator=estimator, X=X)
