"""Distances between aligned sequences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from coterie import _core
from coterie._support.threads import resolve_threads
from coterie._support.typing import Indices
from coterie._support.validation import Choice, check_parameter, require_memory
from coterie.errors import InvalidData, InvalidParameter
from coterie.phylogeny.alignment import UNKNOWN, Alignment

Matrix: TypeAlias = npt.NDArray[np.float64]
Gaps: TypeAlias = Literal["pairwise", "complete"]
GAPS = Choice("pairwise", "complete")
PLANES = {"dna": 2, "protein": 5}  # bits of a letter
SHOWN = 3
BOTH = ("dna", "protein")
WHO = "sequence_distances"


@dataclass(frozen=True)
class SequenceModel:
    """How the distance of two sequences follows from the sites at which they differ."""

    name: str
    title: str
    rule: Any
    kinds: tuple[str, ...] = ("dna",)


MODELS = {
    model.name: model
    for model in (
        SequenceModel("p", "share of sites that differ", _core.SequenceModel.proportion, BOTH),
        SequenceModel("count", "number of sites that differ", _core.SequenceModel.differences, BOTH),
        SequenceModel("jc", "Jukes-Cantor", _core.SequenceModel.jukes_cantor),
        SequenceModel("k2p", "Kimura's two parameters", _core.SequenceModel.kimura),
    )
}  # fmt: skip
MODEL = Choice(*MODELS)


class SaturatedSequences(InvalidData):
    """Two sequences differ at more sites than the model can explain: their distance would be infinite."""


def sequence_distances(
    alignment: Alignment, *, model: str = "jc", gaps: Gaps = "pairwise", n_jobs: int | None = None
) -> Matrix:
    """Return the distances between all pairs of sequences.

    Let p be the share of sites that differ, P that of transitions (A-G, C-T) and Q that of transversions.
    Jukes and Cantor's distance is -3/4 ln(1 - 4/3 p); Kimura's is -1/2 ln(1 - 2P - Q) - 1/4 ln(1 - 2Q).

    Parameters
    ----------
    alignment : Alignment
        The sequences; `read_fasta` reads them.
    model : {"jc", "k2p", "p", "count"}, default="jc"
        The distance; proteins have "p" and "count" (Hamming's distance) only.
    gaps : {"pairwise", "complete"}, default="pairwise"
        Which sites a pair is compared at: those that both know, or those that all sequences know.
    n_jobs : int, default=None
        Threads; None: all.

    Returns
    -------
    distances : ndarray of shape (n_sequences, n_sequences)

    Examples
    --------
    >>> pair = Alignment.from_sequences({"a": "ACGTACGTAC", "b": "ACGTACGTAA"})
    >>> sequence_distances(pair, model="p")[0, 1]
    np.float64(0.1)
    >>> sequence_distances(pair)[0, 1].round(4)
    np.float64(0.1073)
    """
    chosen = check_sequences(alignment, model, gaps, who=WHO)
    n = len(alignment)
    require_memory(8 * n * n, f"the distances of {n:,} sequences", "Use fewer sequences.")
    codes = compared_codes(alignment, gaps)
    return checked_distances(code_distances(codes, alignment.kind, chosen, n_jobs), alignment.names, chosen)


def check_sequences(alignment: Any, model: Any, gaps: Any, *, who: str) -> SequenceModel:
    """Return the model, if the sequences can be compared by it."""
    if not isinstance(alignment, Alignment):
        raise InvalidParameter(
            f"alignment of {who} must be an Alignment, got {type(alignment).__name__}. Use read_fasta(file) "
            f"or Alignment.from_sequences(texts)."
        )
    check_parameter(model, MODEL, name="model", who=who)
    check_parameter(gaps, GAPS, name="gaps", who=who)
    chosen = MODELS[model]
    if alignment.kind not in chosen.kinds:
        raise InvalidParameter(
            f'model of {who} must be "p" or "count" for proteins, got "{model}", a model of nucleotides.'
        )
    return chosen


def compared_codes(alignment: Alignment, gaps: Gaps) -> npt.NDArray[np.uint8]:
    """Return the letters as numbers, without the sites that some sequence does not know if so told."""
    codes = alignment.codes()
    if gaps == "pairwise":
        return codes
    kept = (codes != UNKNOWN).all(axis=0)
    if not kept.any():
        raise InvalidData(
            'no site is known in all sequences, so that gaps="complete" leaves none. Use gaps="pairwise".'
        ).in_shell(
            "no site is known in all sequences, so that --gaps complete leaves none. Use --gaps pairwise."
        )
    return np.ascontiguousarray(codes[:, kept])


def code_distances(
    codes: npt.NDArray[np.uint8], kind: str, model: SequenceModel, n_jobs: int | None
) -> Matrix:
    """Return the distances as the engine finds them: NaN and infinity stand for what has none."""
    return np.asarray(_core.sequence_distances(codes, PLANES[kind], model.rule, resolve_threads(n_jobs)))


def checked_distances(distances: Matrix, names: tuple[str, ...], model: SequenceModel) -> Matrix:
    """Return finite distances, or name the pairs that have none."""
    if np.isfinite(distances).all():
        return distances
    missing = np.argwhere(np.isnan(np.triu(distances)))
    if missing.size:
        raise InvalidData(
            f"{_listed(missing, names)} no site that both know, so no distance. Leave such sequences out."
        )
    far = np.argwhere(np.isinf(np.triu(distances)))
    problem = (
        f"{_listed(far, names)} too many differences for the model {model.title}: the distance is infinite."
    )
    raise SaturatedSequences(f'{problem} Use model="p", or leave such sequences out.').in_shell(
        f"{problem} Use --model p, or leave such sequences out."
    )


def _listed(pairs: Indices, names: tuple[str, ...]) -> str:
    shown = ", ".join(f'"{names[i]}" and "{names[j]}"' for i, j in pairs[:SHOWN])
    more = f" and {len(pairs) - SHOWN:,} more pairs" if len(pairs) > SHOWN else ""
    return f"{shown}{more} have"
