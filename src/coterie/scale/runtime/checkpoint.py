"""Where a long fit stands, on disk after every pass: whole, unchanged, and never of another fit."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Container, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from safetensors import safe_open
from safetensors.numpy import save_file

from coterie._support.files import atomic_path, make_folder
from coterie._support.typing import FloatArray, JsonObject, Settings, ValuesByName
from coterie.errors import InvalidParameter, ModelFileError
from coterie.scale.blocks import Blocks
from coterie.scale.preparation import Preparation

if TYPE_CHECKING:
    from coterie.scale.moments import BlockTotals

CHECKSUM = "sha256"


@dataclass(frozen=True, eq=False)
class Saved:
    """Arrays and facts of a state."""

    arrays: ValuesByName
    facts: ValuesByName
    grown_from: int = 0  # files that it is of, where these data have more: it is then a start; 0: none

    def start_words(self, n_files: int) -> str:
        """Return what a fit starts from, in words."""
        return f"an earlier fit to {self.grown_from:,} of these {n_files:,} files"


@dataclass(frozen=True)
class Checkpoint:
    """A folder that holds the latest state of one fit."""

    folder: str  # made if it is not there
    method: str  # what the file is called
    fingerprint: str  # what tells this fit from others
    asked: str = ""  # the same, of the parameters alone
    files: tuple[str, ...] = ()  # that the rows come from, with the times of their last changes
    scaling: str = ""  # what is done to the rows, as JSON

    @property
    def path(self) -> Path:
        """The file."""
        return Path(self.folder) / f"{self.method}.safetensors"

    def save(self, state: Saved) -> None:
        """Replace the state by a newer one."""
        facts = {
            "fit": self.fingerprint,
            "asked": self.asked,
            "files": json.dumps(self.files),
            "scaling": self.scaling,
            "state": json.dumps(state.facts),
        }
        arrays = {name: np.ascontiguousarray(array) for name, array in state.arrays.items()}
        facts[CHECKSUM] = checksum_of(arrays, facts)
        with atomic_path(self.path, force=True) as temporary:
            save_file(arrays, temporary, metadata=facts)

    def load(self) -> Saved | None:
        """Return the state that was saved last, None if none was; any other state is refused."""
        if not self.path.exists():
            return None
        try:
            with safe_open(self.path, "numpy") as file:
                facts = file.metadata() or {}
                arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118  # no dict
        except Exception as error:  # safetensors raises an error of its own that derives from Exception alone
            raise self._refused(f"is not a checkpoint ({error})") from None
        written = facts.pop(CHECKSUM, None)
        if written is None:
            raise self._refused("is not a checkpoint of this version: it has no checksum")
        if written != checksum_of(arrays, facts):
            raise self._refused("is damaged: its content is not what was saved")
        if facts.get("fit") != self.fingerprint:
            before = json.loads(facts.get("files", "[]"))
            if before and facts.get("asked") == self.asked and set(before) < set(self.files):
                own = {**json.loads(facts["state"]), "scaling": json.loads(facts.get("scaling") or "null")}
                return Saved(arrays, own, grown_from=len(before))
            raise InvalidParameter(
                f"checkpoint: {self.path} belongs to a fit of other data or parameters. Name another "
                f"folder, or delete the file to start over."
            )
        return Saved(arrays, json.loads(facts["state"]))

    def files_before(self) -> frozenset[str]:
        """Return the files that the state on disk is of."""
        with safe_open(self.path, "numpy") as file:
            return frozenset(json.loads((file.metadata() or {}).get("files", "[]")))

    def _refused(self, what: str) -> ModelFileError:
        return ModelFileError(f"{self.path}: {what}. Delete the file to start over.")


def checksum_of(arrays: Settings, facts: Mapping[str, str]) -> str:
    """Return the SHA-256 of all that a checkpoint holds, whatever the order in which it is written.

    Examples
    --------
    >>> checksum_of({"a": np.zeros(2)}, {}) == checksum_of({"a": np.zeros(3)}, {})
    False
    """
    digest = hashlib.sha256(json.dumps(facts, sort_keys=True).encode())
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        digest.update(json.dumps([name, array.dtype.str, array.shape]).encode())
        digest.update(array.data)
    return digest.hexdigest()


def open_checkpoint(
    folder: str | os.PathLike[str] | None,
    method: str,
    asked: ValuesByName,
    blocks: Blocks,
    whole: BlockTotals,
) -> Checkpoint | None:
    """Return the checkpoint of a method's fit to these rows, None if none is wanted.

    Parameters
    ----------
    folder : path or None
        Made if it is not there.
    method : str
        What the file is called.
    asked : dict
        The parameters; `init` need not be the same for a fit that goes on with more files.
    blocks : Blocks
        The rows.
    whole : Whole
        Their moments.
    """
    return checkpoint_of(folder, method, asked, blocks, list(whole.columns))


def checkpoint_of(
    folder: str | os.PathLike[str] | None,
    method: str,
    asked: ValuesByName,
    blocks: Blocks,
    moments: Sequence[object],
) -> Checkpoint | None:
    """Return the checkpoint of a fit as `open_checkpoint` does, given what sums tell about the columns."""
    if folder is None:
        return None
    make_folder(folder)
    change: Any = blocks.scaling
    scaling = change.scaling if isinstance(change, Preparation) else change
    return Checkpoint(
        os.fspath(folder),
        method,
        fingerprint_of(asked | facts_of_data(blocks, moments)),
        fingerprint_of({name: value for name, value in asked.items() if name != "init"}),
        files_of(blocks),
        json.dumps(None if scaling is None else [scaling.shift, scaling.factor], default=_plain),
    )


def fingerprint_of(facts: object) -> str:
    """Return what tells facts from others."""
    return hashlib.sha256(json.dumps(facts, sort_keys=True, default=_plain).encode()).hexdigest()


def files_of(blocks: Blocks) -> tuple[str, ...]:
    """Return the files that rows come from, in order, with the times of their last changes; else nothing."""
    found: dict[str, None] = {}
    for piece in blocks.pieces:
        stored: Any = getattr(piece, "piece", piece)
        if not hasattr(stored, "path") or not hasattr(stored, "stamp"):
            return ()
        found[f"{stored.path} {stored.stamp}"] = None
    return tuple(found)


def rows_before(blocks: Blocks, files: Container[str]) -> int:
    """Return how many rows come first that are of these files."""
    n_rows = 0
    for piece in blocks.pieces:
        stored: Any = getattr(piece, "piece", piece)
        if f"{stored.path} {stored.stamp}" not in files:
            break
        n_rows += piece.n_rows
    return n_rows


def rescaled(points: FloatArray, saved: Saved, blocks: Blocks) -> FloatArray:
    """Return points of an earlier fit in the scaling of these rows."""
    before = saved.facts.get("scaling")
    if before is not None:
        points = points * np.asarray(before[1]) + np.asarray(before[0])
    return points if blocks.scaling is None else np.asarray(blocks.scaling.apply(points))


def facts_of_data(blocks: Blocks, moments: Sequence[object]) -> JsonObject:
    """Return what tells data from others: shape, type, names and moments of the columns."""
    data = {"n_rows": blocks.n_rows, "dtype": str(blocks.dtype), "columns": blocks.columns}
    return data | {"moments": moments}


def _plain(value: Any) -> object:
    return asdict(value) if hasattr(value, "__dataclass_fields__") else np.asarray(value).tolist()
