"""Checkpoints: a damaged one is refused, or the fit ends as if nothing had happened."""

from __future__ import annotations

import contextlib
import tempfile
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import safe_open
from safetensors.numpy import save_file

from coterie.scale import GaussianMixture, KMeans, MiniBatchKMeans, read_blocks
from tests.fuzz.case import Case
from tests.fuzz.checks import check_same
from tests.fuzz.mutate import mutated_bytes
from tests.fuzz.part_models import canonical, mutated_array

ROWS = np.random.default_rng(1).normal(size=(400, 3)) + np.repeat([[0.0], [2.0], [4.0], [6.0]], 100, axis=0)
FITS: dict[str, tuple[Any, dict[str, Any]]] = {
    "kmeans": (KMeans, {"n_clusters": 5, "random_state": 0, "tol": 0, "spill": False}),
    "mixture": (GaussianMixture, {"n_components": 3, "random_state": 0, "tol": 1e-6, "max_iter": 8}),
    "minibatch-kmeans": (MiniBatchKMeans, {"n_clusters": 5, "random_state": 0, "max_iter": 3}),
}
NAMES = ("cluster_centers_", "means_", "covariances_", "weights_", "cluster_sizes_", "inertia_", "n_iter_")


class Stopped(Exception):
    """Raised by a listener in the middle of a fit."""


def run(case: Case) -> None:
    """Damage the file of a fit that was stopped, or not; go on with it, compare with the whole fit."""
    draw = case.draw
    method = draw.choice(FITS)
    kind, options = FITS[method]
    name, content = stopped(method)
    path = case.folder / name
    path.write_bytes(content)
    if draw.chance(0.2):
        words = f"scale.{kind.__name__} from a checkpoint as it was written"
    elif draw.chance(0.6):
        path.write_bytes(mutated_bytes(draw, content))
        words = f"scale.{kind.__name__} from a checkpoint with damaged bytes"
    else:
        with safe_open(path, framework="numpy") as file:
            facts, arrays = file.metadata(), {key: file.get_tensor(key) for key in file.keys()}  # noqa: SIM118
        key = draw.choice(arrays)
        arrays[key], what = mutated_array(draw, arrays[key])
        save_file(arrays, path, metadata=facts)
        words = f"scale.{kind.__name__} from a checkpoint with {key} {what}"
    model = case.attempt(words, lambda: _quiet_fit(kind(**options, checkpoint=case.folder)))
    check_same(
        _answer(model), whole(method), f"scale.{kind.__name__}: another answer from a damaged checkpoint"
    )


def _answer(model: Any) -> dict[str, Any]:
    return {name: getattr(model, name) for name in NAMES if hasattr(model, name)}


def _quiet_fit(model: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # it says when it did not converge
        return model.fit(read_blocks(ROWS))


@cache
def whole(method: str) -> dict[str, Any]:
    """Return the answer of the fit that was never stopped."""
    kind, options = FITS[method]
    return _answer(_quiet_fit(kind(**options)))


@cache
def stopped(method: str) -> tuple[str, bytes]:
    """Return name and content of the checkpoint of a fit that was stopped in its second pass."""
    kind, options = FITS[method]

    def stop(progress: Any) -> None:
        if progress.done == 2:
            raise Stopped

    with tempfile.TemporaryDirectory() as folder:
        with contextlib.suppress(Stopped):
            _quiet_fit(kind(**options, checkpoint=folder, progress=stop))
        path = next(Path(folder).glob("*.safetensors"))
        return path.name, canonical(path.read_bytes())
