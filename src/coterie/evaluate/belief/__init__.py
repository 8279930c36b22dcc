"""Whether to believe a clustering: stability, significance, null models, consensus."""

from coterie.evaluate.belief.consensus import ABSENT, Consensus
from coterie.evaluate.belief.mixed_columns import GOWER, MixedColumns
from coterie.evaluate.belief.mixed_null import NullMixedRows
from coterie.evaluate.belief.null_models import (
    NullModel,
    fit_configuration,
    fit_null,
    fit_pca_box,
    fit_uniform,
    step_of,
)
from coterie.evaluate.belief.refitting import (
    Refitter,
    draw_subsample,
    fill_labels,
    own_stream,
    run_all,
    seed_from,
)
from coterie.evaluate.belief.significance import EXACT, SIGNIFICANT
from coterie.evaluate.belief.stability import (
    DISSOLVED,
    STABLE,
    VERDICTS,
    best_jaccards,
    is_dissolved,
    is_stable,
)

__all__ = [
    "ABSENT",
    "DISSOLVED",
    "EXACT",
    "GOWER",
    "SIGNIFICANT",
    "STABLE",
    "VERDICTS",
    "Consensus",
    "MixedColumns",
    "NullMixedRows",
    "NullModel",
    "Refitter",
    "best_jaccards",
    "draw_subsample",
    "fill_labels",
    "fit_configuration",
    "fit_null",
    "fit_pca_box",
    "fit_uniform",
    "is_dissolved",
    "is_stable",
    "own_stream",
    "run_all",
    "seed_from",
    "step_of",
]
