"""Criteria of methods that are models of the data: likelihood, less what it costs."""

from __future__ import annotations

from functools import partial

import numpy as np

from coterie.select.catalogue import criterion
from coterie.select.rules import Measured, smallest
from coterie.select.subject import Subject

information = partial(
    criterion,
    group="likelihood",
    greater_is_better=False,
    needs="likelihood",
    choose=smallest,
    can_choose_one=True,
)


def _of_models(subject: Subject, name: str) -> Measured:
    found = np.full(len(subject.ks), np.nan)
    for at, k in enumerate(subject.ks):
        model = subject.partitions.model(k)
        if model is not None:
            found[at] = getattr(model, name)(subject.X)
    return Measured(found)


@information("BIC", symbol="BIC", reference="schwarz-1978")
def bic(subject: Subject) -> Measured:
    """Bayesian information criterion: p ln n - 2 ln L, for p free parameters and the likelihood L."""
    return _of_models(subject, "bic")


@information("ICL", symbol="ICL", reference="biernacki-2000")
def icl(subject: Subject) -> Measured:
    """Integrated completed likelihood: BIC plus the entropy of the memberships."""
    return _of_models(subject, "icl")


@information("AIC", symbol="AIC", reference="akaike-1974", echoes="bic")
def aic(subject: Subject) -> Measured:
    """Akaike's information criterion: 2 p - 2 ln L; finds more clusters than BIC."""
    return _of_models(subject, "aic")
