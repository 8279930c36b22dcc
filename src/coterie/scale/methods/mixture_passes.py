"""Expectation-maximisation over blocks: what one iteration sums up, and where a run stands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie import _core
from coterie._support.typing import FloatArray
from coterie.cluster.mixture import Parameters, Problem, Run, Statistics, statistics_of
from coterie.errors import InvalidData
from coterie.scale.blocks import Block, Blocks
from coterie.scale.methods.local_model import add_arrays
from coterie.scale.runtime.checkpoint import Saved
from coterie.scale.runtime.passes import compute, fold, read_weights, tasks

_ARRAYS = ("weights", "means", "covariances", "factors")


@dataclass(frozen=True, eq=False)
class BlockProblem(Problem):
    """A mixture to be fitted to rows in blocks; `X` has no rows and tells the type alone."""

    blocks: Blocks
    weight_blocks: Blocks | None
    weight: float

    @property
    def total_weight(self) -> float:
        """Weight of all rows."""
        return self.weight

    def evaluate(self, parameters: Parameters) -> tuple[float, Statistics]:
        """Return the mean log-likelihood, and the statistics for the next parameters."""
        made = tasks(self.blocks, _sums_of_block, parameters, self.shift, weights=self.weight_blocks)
        total, sizes, deviations, scatter = compute(fold(made, add_arrays))
        if not np.isfinite(total):
            raise InvalidData(
                "the likelihood of the mixture is not a number: some rows are too far from every component "
                f"for {self.X.dtype} numbers. Scale the columns, or increase reg_covar."
            )
        if parameters.family.kernel_shape != "diag":
            scatter = scatter.reshape(len(sizes), self.blocks.n_columns, -1)
        return float(total) / self.weight, statistics_of(sizes, deviations, scatter, parameters.means)


def saved_run(run: Run, start: str) -> Saved:
    """Return what a checkpoint keeps after an iteration."""
    which = {"next": run.parameters, "last": run.previous}
    arrays = {f"{at} {name}": getattr(which[at], name) for at in which for name in _ARRAYS}
    return Saved(arrays, {"start": start, "bounds": run.bounds})


def loaded_run(saved: Saved, problem: BlockProblem) -> Run:
    """Return the run that was saved after an iteration; it may have been the last one."""
    last, following = (
        Parameters(problem.family, *(saved.arrays[f"{which} {name}"] for name in _ARRAYS))
        for which in ("last", "next")
    )
    bounds = [float(bound) for bound in saved.facts["bounds"]]
    gain = abs(bounds[-1] - bounds[-2]) if len(bounds) > 1 else np.inf
    return Run(following, bounds, bool(gain < problem.tol), kind="step", previous=last)


def _sums_of_block(
    block: Block, weights: Block | None, parameters: Parameters, shift: FloatArray
) -> tuple[Any, ...]:
    return _core.mixture_sums(block.read(), parameters.native(shift), read_weights(weights), 1)
