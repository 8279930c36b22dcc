"""How a fit of kernel k-means is to go: its parameters, resolved for the rows at hand."""

from __future__ import annotations

from typing import Any

from coterie._support.validation import check_seed
from coterie.cluster.kernel.fit import KernelPlan
from coterie.cluster.kernel.starts import check_first_labels
from coterie.errors import InvalidParameter

RESTARTS = 10  # the kernel's space has many local optima


def plan_of(model: Any, n_rows: int) -> KernelPlan:
    """Return the plan of a fit of so many rows, or say which parameters do not go together."""
    who = type(model).__name__
    if model.method == "nystroem" and model._is_matrix:
        raise InvalidParameter(
            f'method="nystroem" of {who} needs rows, got a precomputed kernel. Use method="exact".'
        )
    if model.kernel_params and not callable(model.kernel):
        raise InvalidParameter(
            f"kernel_params of {who} are for a kernel that is a function, got {model.kernel_params!r} for "
            f'kernel="{model.kernel}". Use gamma, degree and coef0.'
        )
    is_given = not isinstance(model.init, str)
    init = check_first_labels(model.init, model.n_clusters, n_rows, who=who) if is_given else model.init
    n_init = RESTARTS if model.n_init == "auto" else int(model.n_init)
    return KernelPlan(
        n_clusters=model.n_clusters,
        init=init,
        n_init=1 if is_given else n_init,
        max_iter=model.max_iter,
        tol=model.tol,
        n_components=model.n_components,
        seed=check_seed(model.random_state),
    )
