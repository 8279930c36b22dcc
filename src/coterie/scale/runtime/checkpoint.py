"""Where a long fit stands, on disk after every pass: whole, unchanged, and never of another fit."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import safe_open
from safetensors.numpy import save_file

from coterie._support.files import atomic_path
from coterie._support.typing import JsonObject, Settings, ValuesByName
from coterie.errors import FileProblem, InvalidParameter, ModelFileError
from coterie.scale.blocks import Blocks
from coterie.scale.moments import Whole

CHECKSUM = "sha256"


@dataclass(frozen=True, eq=False)
class Saved:
    """Arrays and facts of a state."""

    arrays: ValuesByName
    facts: ValuesByName


@dataclass(frozen=True)
class Checkpoint:
    """A folder that holds the latest state of one fit."""

    folder: str  # made if it is not there
    method: str  # what the file is called
    fingerprint: str  # what tells this fit from others

    @property
    def path(self) -> Path:
        """The file."""
        return Path(self.folder) / f"{self.method}.safetensors"

    def save(self, state: Saved) -> None:
        """Replace the state by a newer one."""
        facts = {"fit": self.fingerprint, "state": json.dumps(state.facts)}
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
            raise InvalidParameter(
                f"checkpoint: {self.path} belongs to a fit of other data or parameters. Name another "
                f"folder, or delete the file to start over."
            )
        return Saved(arrays, json.loads(facts["state"]))

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
    folder: str | os.PathLike[str] | None, method: str, facts: ValuesByName
) -> Checkpoint | None:
    """Return the checkpoint of a method's fit with these facts, None if none is wanted."""
    if folder is None:
        return None
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise FileProblem(f"checkpoint: {folder} cannot be made ({error.strerror}).") from None
    text = json.dumps(facts, sort_keys=True, default=_plain)
    return Checkpoint(os.fspath(folder), method, hashlib.sha256(text.encode()).hexdigest())


def facts_of_data(blocks: Blocks, whole: Whole) -> JsonObject:
    """Return what tells data from others: shape, type, names and moments of the columns."""
    data = {"n_rows": blocks.n_rows, "dtype": str(blocks.dtype), "columns": blocks.columns}
    return data | {"moments": list(whole.columns)}


def _plain(value: Any) -> Any:
    return asdict(value) if hasattr(value, "__dataclass_fields__") else np.asarray(value).tolist()
