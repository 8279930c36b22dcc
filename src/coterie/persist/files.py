"""The file around the state: safetensors, with the JSON in its metadata."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import NoReturn

from coterie._support import scikit_learn
from coterie._support.config import version
from coterie._support.files import atomic_path, check_output
from coterie._support.stores import local_copy, shown
from coterie._support.typing import Model, ValuesByName
from coterie._support.validation import schema
from coterie.errors import CoterieError, FileProblem, MissingFile, ModelFileError
from coterie.persist import registry
from coterie.persist.state import Reader, Writer

FORMAT = "coterie"
FORMAT_VERSION = 1


def save(model: object, path: str | os.PathLike[str], *, force: bool = False) -> None:
    """Write a fitted model to a file that can be loaded without running code.

    Parameters
    ----------
    model : estimator or value of Coterie
        Must be fitted.
    path : str or path
        Where to write; ``.safetensors`` is the usual ending.
    force : bool, default=False
        Whether an existing file may be replaced.

    Examples
    --------
    >>> import coterie, tempfile, pathlib
    >>> from coterie.data import Whitening
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "whitening.safetensors"
    >>> coterie.save(Whitening().fit([[0.0, 1.0], [2.0, 0.0], [1.0, 5.0]]), path)
    >>> coterie.load(path).rank_
    2
    """
    from safetensors.numpy import save as serialize
    from safetensors.numpy import save_file

    check_output(path, force=force)
    if hasattr(model, "__coterie_stand_in__"):
        model = model.__coterie_stand_in__()  # what is kept of a value that leans on data elsewhere
    name = registry.name_of(model)
    _refuse_unfitted(model)
    writer = Writer()
    state = writer.write(model, type(model).__name__)
    metadata = {
        "format": FORMAT,
        "format_version": str(FORMAT_VERSION),
        "coterie_version": version(),
        "class": name,
        "notes": json.dumps(writer.notes),
        "state": json.dumps(state, allow_nan=False),
    }
    Reader(writer.tensors).read_all(state)  # what could not be loaded again is not written
    with atomic_path(path, force=force) as temporary:
        if temporary.is_file():
            save_file(writer.tensors, temporary, metadata=metadata)
        else:  # a pipe or a device, which save_file would replace by a file
            temporary.write_bytes(serialize(writer.tensors, metadata=metadata))


def load(path: str | os.PathLike[str]) -> Model:
    """Read a model that `save` wrote.

    A file may come from anywhere: nothing in it is run, and every value is checked against what its class
    says a fitted model holds before the model is made.

    Parameters
    ----------
    path : str or path
        A file written by `coterie.save` or ``coterie fit --save``.

    Returns
    -------
    estimator or value
        Of the class that was saved; it predicts what the saved one predicted.
    """
    where = shown(path)
    with local_copy(path) as file:
        metadata, tensors = _open(file, where)
    _check_format(where, metadata)
    try:
        return _fitted(Reader(tensors).read_all(_parsed(metadata["state"])))
    except ModelFileError as error:
        raise ModelFileError(f"{where}: cannot be loaded: {str(error).rstrip('.')}.") from None
    except CoterieError as error:
        raise ModelFileError(f"{where}: cannot be loaded: its values are damaged ({error})") from None
    except _DAMAGE as error:
        words = schema.shown(" ".join(str(error).split()))
        what = f"{type(error).__name__}: {words}"
        raise ModelFileError(f"{where}: cannot be loaded: its description is damaged ({what}).") from None


# what values raise that are not what their class takes them for
_DAMAGE = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError, MemoryError)


def _parsed(text: str) -> object:
    """Return the JSON of a state, in which no name may come twice."""
    return json.loads(text, object_pairs_hook=_without_doubles, parse_constant=_refuse_constant)


def _without_doubles(pairs: list[tuple[str, object]]) -> ValuesByName:
    read = dict(pairs)
    if len(read) < len(pairs):
        raise ModelFileError("its description has the same name twice")
    return read


def _refuse_constant(name: str) -> NoReturn:
    raise ModelFileError(f"its description holds {name}, which is not JSON")


def _fitted(model: object) -> object:
    if not registry.is_savable(type(model)):
        raise ModelFileError("it holds no model")
    if registry.is_estimator(type(model)) and not hasattr(model, "n_features_in_"):
        raise ModelFileError(f"the {type(model).__name__} in it is not fitted")
    return model


def _open(file_path: Path, path: str) -> tuple[dict[str, str], ValuesByName]:
    from safetensors import SafetensorError, safe_open

    try:
        with file_path.open("rb") as file:
            head = file.read(8)
        with safe_open(file_path, framework="numpy") as file:
            return file.metadata() or {}, {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118  # no dict
    except FileNotFoundError:
        raise MissingFile(f"{path}: no such model file.") from None
    except IsADirectoryError:
        raise FileProblem(f"{path}: is a directory, not a model file.") from None
    except PermissionError:
        raise FileProblem(f"{path}: no permission to read it.") from None
    except SafetensorError as error:
        raise ModelFileError(f"{path}: {_foreign(head)} ({error}).") from None
    except OSError as error:
        raise FileProblem(f"{path}: cannot be read ({error}).") from None


def _foreign(head: bytes) -> str:
    is_marked = head.startswith((b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05"))
    if is_marked and any(head[2:3]):  # a safetensors file may begin like this too: with its header's length
        return "is a Python pickle, which is never loaded because it could run code; save with coterie.save"
    return "is not a model that Coterie wrote, or it is cut off or damaged"


def _check_format(path: str, metadata: dict[str, str]) -> None:
    if metadata.get("format") != FORMAT or "state" not in metadata:
        raise ModelFileError(f"{path}: is a safetensors file, but not a model that Coterie wrote.")
    written = metadata.get("format_version", "")
    if not written.isdecimal():
        raise ModelFileError(f"{path}: its format version {written!r} is not a number; the file is damaged.")
    if int(written) > FORMAT_VERSION:
        raise ModelFileError(
            f"{path}: was written by a later Coterie ({metadata.get('coterie_version', 'unknown')}, format "
            f"{written}); this one ({version()}) reads format {FORMAT_VERSION}. Upgrade coterie."
        )


def _refuse_unfitted(model: object) -> None:
    if not registry.is_estimator(type(model)):
        return
    try:
        scikit_learn.check_is_fitted(model)
    except scikit_learn.NotFittedError:
        raise ModelFileError(
            f"this {type(model).__name__} is not fitted yet, there is nothing to save. Call fit first."
        ) from None
