"""Where a long fit stands, on disk after every pass: whole or not at all, and never of another fit."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import safe_open
from safetensors.numpy import load_file, save_file

from coterie._files import atomic_path
from coterie.errors import FileProblem, InvalidParameter, ModelFileError

FILE_NAME = "kmeans.safetensors"


@dataclass(frozen=True, eq=False)
class Saved:
    """Arrays and facts of a state."""

    arrays: dict[str, Any]
    facts: dict[str, Any]


@dataclass(frozen=True)
class Checkpoint:
    """A folder that holds the latest state of one fit.

    Parameters
    ----------
    folder : str
        Made if it is not there.
    fingerprint : str
        What tells this fit from others.
    """

    folder: str
    fingerprint: str

    @property
    def path(self) -> Path:
        """The file."""
        return Path(self.folder) / FILE_NAME

    def save(self, state: Saved) -> None:
        """Replace the state by a newer one."""
        facts = {"fit": self.fingerprint, "state": json.dumps(state.facts)}
        arrays = {name: np.ascontiguousarray(array) for name, array in state.arrays.items()}
        with atomic_path(self.path, force=True) as temporary:
            save_file(arrays, temporary, metadata=facts)

    def load(self) -> Saved | None:
        """Return the state that was saved last, None if none was; a state of another fit is refused."""
        if not self.path.exists():
            return None
        try:
            with safe_open(self.path, "numpy") as file:
                facts = file.metadata() or {}
            arrays = load_file(self.path)
        except Exception as error:  # safetensors raises an error of its own that derives from Exception alone
            raise ModelFileError(
                f"{self.path}: is no checkpoint ({error}). Remove it to begin anew."
            ) from None
        if facts.get("fit") != self.fingerprint:
            raise InvalidParameter(
                f"checkpoint: {self.path} belongs to a fit of other data or parameters. Name another "
                f"folder, or remove it to begin anew."
            )
        return Saved(arrays, json.loads(facts["state"]))


def open_checkpoint(folder: str | os.PathLike[str] | None, facts: dict[str, Any]) -> Checkpoint | None:
    """Return the checkpoint of a fit with these facts, None if none is wanted."""
    if folder is None:
        return None
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise FileProblem(f"checkpoint: {folder} cannot be made ({error.strerror}).") from None
    text = json.dumps(facts, sort_keys=True, default=_plain)
    return Checkpoint(os.fspath(folder), hashlib.sha256(text.encode()).hexdigest())


def _plain(value: Any) -> Any:
    return asdict(value) if hasattr(value, "__dataclass_fields__") else np.asarray(value).tolist()
