"""The steps of a mixture's fit, one by one."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from coterie._support.declarations import held, saved
from coterie._support.typing import FloatArray
from coterie._support.validation import Number
from coterie._support.validation.schema import Either, Instance, ListOf, Tensor, Text

SHOWN_STEPS = 12  # a longer history is cut in the middle when printed


@saved(eq=False, repr=False)
class MixtureStep:
    """One set of parameters on the way.

    Parameters
    ----------
    kind : {"start", "step", "jump", "rejected"}
        Where they come from: the start, an expectation-maximisation step, or an extrapolation of several
        steps that was taken or not.
    weights, means, covariances : arrays
        The parameters.
    """

    kind: str = held(Text())
    weights: FloatArray = held(Tensor("components", low=0))
    means: FloatArray = held(Tensor("components", "columns"))
    covariances: FloatArray = held(
        Either(
            Tensor("components", "columns", "columns"),
            Tensor("components", "columns"),
            Tensor("columns", "columns"),
            Tensor("components"),
        )
    )
    log_likelihood: float = held(Number(), "Mean log-likelihood of the rows under them.")

    def __repr__(self) -> str:
        return f"MixtureStep({self.kind}, log-likelihood {self.log_likelihood:.6g})"


@saved(eq=False, repr=False)
class MixtureHistory:
    """What a mixture's fit did, from the start to the result; iterates over its steps.

    Examples
    --------
    >>> from coterie.cluster import GaussianMixture
    >>> X = [[0.0], [1.0], [2.0], [8.0], [9.0], [10.0]]
    >>> GaussianMixture(2, random_state=0, history=True).fit(X).history_
    MixtureHistory: 3 steps
      start     log-likelihood -1.90935
      step      log-likelihood -1.90935
      step      log-likelihood -1.90935
    """

    steps: tuple[MixtureStep, ...] = held(
        ListOf(Instance(MixtureStep), kind=tuple), "The last one has the parameters of the result."
    )

    def __iter__(self) -> Iterator[MixtureStep]:
        return iter(self.steps)

    def __len__(self) -> int:
        return len(self.steps)

    def __getitem__(self, index: int) -> MixtureStep:
        return self.steps[index]

    @property
    def log_likelihoods(self) -> FloatArray:
        """Mean log-likelihood of each step that was not rejected: it never falls."""
        return np.array([step.log_likelihood for step in self.steps if step.kind != "rejected"])

    def __repr__(self) -> str:
        lines = [f"  {step.kind:<8}  log-likelihood {step.log_likelihood:.6g}" for step in self.steps]
        if len(lines) > SHOWN_STEPS:
            half = SHOWN_STEPS // 2
            lines = [*lines[:half], f"  ... {len(lines) - 2 * half} more", *lines[-half:]]
        return "\n".join([f"MixtureHistory: {len(self.steps)} steps", *lines])
