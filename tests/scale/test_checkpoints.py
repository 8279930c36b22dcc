"""Fits of many passes go on where they were interrupted, to the same end."""

import signal
import subprocess
import sys
import textwrap
import warnings

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import save_file

from coterie.errors import InvalidParameter, ModelFileError
from coterie.scale import (
    DBSCAN,
    GaussianMixture,
    KMeans,
    KMedoids,
    MiniBatchKMeans,
    SingleLinkage,
    Summaries,
    read_blocks,
)
from coterie.scale.methods import minibatch as minibatch_module
from coterie.scale.runtime.checkpoint import Checkpoint

FITS = {
    "kmeans": (KMeans, {"n_clusters": 7, "random_state": 0, "tol": 0}),
    "mixture": (GaussianMixture, {"n_components": 4, "random_state": 0, "tol": 1e-6}),
    "minibatch-kmeans": (MiniBatchKMeans, {"n_clusters": 7, "random_state": 0, "max_iter": 4}),
}


class Interrupted(Exception):
    """Raised by a listener in the middle of a fit."""


def interrupt_after(n_passes):
    def listen(progress):
        if progress.done == n_passes:
            raise Interrupted

    return listen


def assert_same(model, expected):
    for name in ("cluster_centers_", "means_", "covariances_", "weights_", "cluster_sizes_"):
        if hasattr(expected, name):
            np.testing.assert_array_equal(getattr(model, name), getattr(expected, name))
    for name in ("inertia_", "n_iter_", "n_steps_", "lower_bounds_", "start_"):
        assert getattr(model, name, None) == getattr(expected, name, None)


@pytest.fixture(scope="module")
def expected(rows):
    blocks = read_blocks(rows, block_rows=8192)
    return {method: kind(**options).fit(blocks) for method, (kind, options) in FITS.items()}


@pytest.mark.parametrize("method", FITS)
@pytest.mark.parametrize("n_passes", [1, 3])
def test_interrupted_fit_goes_on(method, n_passes, rows, expected, tmp_path):
    """Law: after a stop in any pass, the repeated fit ends to the bit where it would have; and once more."""
    kind, options = FITS[method]
    blocks = read_blocks(rows, block_rows=8192)
    with pytest.raises(Interrupted):
        kind(**options, checkpoint=tmp_path, progress=interrupt_after(n_passes)).fit(blocks)
    seen = []
    assert_same(kind(**options, checkpoint=tmp_path, progress=seen.append).fit(blocks), expected[method])
    passes = [progress.done for progress in seen if progress.done]
    assert passes[0] == n_passes + 1
    assert_same(kind(**options, checkpoint=tmp_path).fit(blocks), expected[method])


def test_stream_is_saved_within_a_pass(rows, expected, tmp_path, monkeypatch):
    """Law: one long pass is saved on the way."""
    monkeypatch.setattr(minibatch_module, "BLOCKS_PER_SAVE", 1)
    kind, options = FITS["minibatch-kmeans"]
    blocks = read_blocks(rows, block_rows=8192)
    saves = []
    save = minibatch_module.Checkpoint.save

    def save_twice(self, state):
        save(self, state)
        saves.append(state.facts)
        if len(saves) == 2:
            raise Interrupted

    monkeypatch.setattr(minibatch_module.Checkpoint, "save", save_twice)
    with pytest.raises(Interrupted):
        kind(**options, checkpoint=tmp_path).fit(blocks)
    assert (saves[-1]["n_passes"], saves[-1]["n_blocks"]) == (0, 2)
    assert_same(kind(**options, checkpoint=tmp_path).fit(blocks), expected["minibatch-kmeans"])


@pytest.mark.parametrize("method", ["mixture", "minibatch-kmeans"])
def test_killed_fit_goes_on(method, rows, expected, tmp_path):
    """Law: after kill -9 the same fit goes on from its checkpoint, to the same end."""
    np.save(tmp_path / "rows.npy", rows)
    kind, options = FITS[method]
    script = f"""
        import os, signal
        from coterie.scale import {kind.__name__}, read_blocks

        def die(progress):
            if progress.done == 2:
                os.kill(os.getpid(), signal.SIGKILL)

        blocks = read_blocks({str(tmp_path / "rows.npy")!r}, block_rows=8192)
        {kind.__name__}(**{options!r}, checkpoint={str(tmp_path / "passes")!r}, progress=die).fit(blocks)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], capture_output=True)
    assert done.returncode == -signal.SIGKILL, done.stderr.decode()
    model = kind(**options, checkpoint=tmp_path / "passes")
    assert_same(model.fit(read_blocks(tmp_path / "rows.npy", block_rows=8192)), expected[method])


@pytest.mark.parametrize("method", FITS)
def test_foreign_checkpoints_are_refused(method, rows, tmp_path):
    """Law: a state of other data or parameters, or no state at all, is never gone on from."""
    kind, options = FITS[method]
    options = options | {"max_iter": 2}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # two passes do not converge
        kind(**options, checkpoint=tmp_path).fit(rows)
    with pytest.raises(InvalidParameter, match="belongs to a fit of other data or parameters"):
        kind(**options, checkpoint=tmp_path).fit(rows + 1)
    with pytest.raises(InvalidParameter, match="belongs to a fit of other data or parameters"):
        kind(**(options | {"random_state": 5}), checkpoint=tmp_path).fit(rows)
    next(tmp_path.iterdir()).write_bytes(b"nothing")
    with pytest.raises(ModelFileError, match=r"is not a checkpoint.*Delete the file to start over"):
        kind(**options, checkpoint=tmp_path).fit(rows)


@pytest.mark.parametrize("method", FITS)
def test_damaged_checkpoints_are_refused(method, rows, tmp_path):
    """Law: a checkpoint of which any byte is another is refused, or is read as it was written."""
    kind, options = FITS[method]
    with pytest.raises(Interrupted):
        kind(**options, checkpoint=tmp_path, progress=interrupt_after(2)).fit(rows)
    [path] = tmp_path.iterdir()
    whole, fingerprint = path.read_bytes(), _fingerprint(path)
    checkpoint = Checkpoint(str(tmp_path), method, fingerprint)
    saved = checkpoint.load()
    for at in [*range(0, min(len(whole), 2500), 3), *range(2500, len(whole), 97)]:
        path.write_bytes(flipped(whole, at))
        try:
            again = checkpoint.load()
        except (ModelFileError, InvalidParameter):
            continue
        assert again.facts == saved.facts
        assert again.arrays.keys() == saved.arrays.keys()
        for name, array in saved.arrays.items():
            np.testing.assert_array_equal(again.arrays[name], array, strict=True)
    path.write_bytes(flipped(whole, -1))
    with pytest.raises(
        ModelFileError,
        match=rf"{path.name}: is damaged: .* not what was saved. Delete the file to start",
    ):
        kind(**options, checkpoint=tmp_path).fit(rows)


def flipped(content, at):
    changed = bytearray(content)
    changed[at] ^= 1 << at % 8
    return bytes(changed)


def test_checkpoints_without_a_checksum_are_refused(rows, tmp_path):
    """Law: what cannot be verified, such as the checkpoint of an earlier version, is not gone on from."""
    kind, options = FITS["kmeans"]
    with pytest.raises(Interrupted):
        kind(**options, checkpoint=tmp_path, progress=interrupt_after(2)).fit(rows)
    [path] = tmp_path.iterdir()
    with safe_open(path, "numpy") as file:
        facts = {name: text for name, text in file.metadata().items() if name != "sha256"}
        arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118  # no dict
    save_file(arrays, path, metadata=facts)
    with pytest.raises(ModelFileError, match=r"not a checkpoint of this version: it has no checksum"):
        kind(**options, checkpoint=tmp_path).fit(rows)


def _fingerprint(path):
    with safe_open(path, "numpy") as file:
        return file.metadata()["fit"]


def test_fits_of_one_pass_take_no_checkpoint():
    """Law: where one pass is all there is, the parameter is absent, and the class says so."""
    for kind in (DBSCAN, SingleLinkage, Summaries, KMedoids):
        assert "checkpoint" not in kind().get_params()
        assert "no checkpoint" in kind.__doc__
