"""Writing files: never half a file, never over an existing one unless told so."""

from __future__ import annotations

import errno
import os
import re
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from coterie._support.leftovers import folder_prefix, part_name, remove_dead_parts
from coterie._support.stores import (
    exists,
    files_below,
    is_folder,
    is_listed,
    is_url,
    joined,
    local_path,
    remove_file,
    shown,
    write_file,
)
from coterie.errors import CoterieError, ExistingFile, FileProblem

SHOWN_OF_NAME = 40  # of a file's name in that of its temporary file, which must not become too long
PROGRESS = "_progress"  # folder with notes on finished parts, while labels are being written
FULL_DISK = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_PART = re.compile(r"part-\d{6}\.parquet")
# libraries in other languages put the number of the error into a text; NumPy counts what was written
_FULL = re.compile(r"os error (?:27|28|122)\b|[Nn]o space left|File too large|\d+ requested and \d+ written")


def check_output(path: str | os.PathLike[str], *, force: bool = False) -> Path:
    """Refuse, before any work, an output that could not be written or would replace a file.

    Parameters
    ----------
    path : str or path
        Where to write the output.
    force : bool, default=False
        Whether an existing file may be replaced.

    Returns
    -------
    Path
    """
    if is_url(local_path(path)):
        _check_address(local_path(path), force=force)
        return Path(path)
    target = Path(local_path(path))
    try:
        is_there = target.exists()
    except (OSError, ValueError) as error:  # a name that is too long, or holds a zero byte
        problem = getattr(error, "strerror", None) or error
        raise FileProblem(f"{target}: cannot be written ({problem}).") from None
    if target.is_dir():
        raise FileProblem(f"{target}: is a directory; name a file in it.")
    if _is_special(target):
        return target
    if is_there and not force:
        raise ExistingFile(f"{target} exists. Use force=True to replace it.").in_shell(
            f"{target} exists. Use --force to replace it."
        )
    if not target.parent.is_dir():
        raise FileProblem(f"{target}: the folder {target.parent} does not exist.")
    if not os.access(target.parent, os.W_OK):
        raise FileProblem(f"{target}: no permission to write in {target.parent}.")
    return target


def _check_address(url: str, *, force: bool) -> None:
    """Refuse an address that could not be written to, or would be replaced."""
    if not is_listed(url):
        raise FileProblem(
            f"{shown(url)}: web servers are only read. Write to a file, or to a store as s3://."
        )
    if exists(url) and not force:
        raise ExistingFile(f"{shown(url)} exists. Use force=True to replace it.").in_shell(
            f"{shown(url)} exists. Use --force to replace it."
        )


def check_folder(folder: str | os.PathLike[str], *, force: bool = False) -> Path:
    """Refuse, before any work, a folder for labels that cannot be written or holds files already.

    A folder on the disk that a run left unfinished may be written to: the run goes on.
    """
    if is_url(local_path(folder)):
        _check_address(local_path(folder), force=force)
        return Path(folder)
    path = Path(local_path(folder))
    if path.exists() and not path.is_dir():
        raise FileProblem(f"{path}: is a file; labels are written to a folder.")
    is_begun = (path / PROGRESS).is_dir()
    if path.is_dir() and any(path.iterdir()) and not force and not is_begun:
        raise ExistingFile(
            f"{path}: holds files already. Use force=True to replace the labels among them."
        ).in_shell(f"{path}: holds files already. Use --force to replace the labels among them.")
    if not path.exists() and not path.parent.is_dir():
        raise FileProblem(f"{path}: the folder {path.parent} does not exist.")
    return path


def make_folder(folder: str | os.PathLike[str]) -> None:
    """Make a folder, and those above it, if it is not there; stores have none."""
    place = local_path(folder)
    if is_url(place):
        return
    try:
        os.makedirs(place, exist_ok=True)
    except OSError as error:
        raise FileProblem(f"{place}: the folder cannot be made ({error.strerror}).") from None


def remove_parts(folder: str | os.PathLike[str], is_old: Callable[[str], bool]) -> None:
    """Remove the parts of earlier labels in a folder, by name: they would pass for labels of these rows."""
    place = local_path(folder)
    found = files_below(place)[0] if is_folder(place) else []
    for path in found:
        name = path.replace(os.sep, "/").rpartition("/")[2]
        if path == joined(place, name) and _PART.fullmatch(name) and is_old(name):
            remove_file(path)


@contextmanager
def atomic_path(path: str | os.PathLike[str], *, force: bool = False) -> Iterator[Path]:
    """Give a temporary path next to `path`; rename it when the block ends well, remove it when not.

    Examples
    --------
    >>> import tempfile
    >>> target = Path(tempfile.mkdtemp()) / "answer.txt"
    >>> with atomic_path(target) as temporary:
    ...     _ = temporary.write_text("42")
    >>> target.read_text()
    '42'
    """
    target = check_output(path, force=force)
    if is_url(local_path(path)):
        with tempfile.TemporaryDirectory(prefix=folder_prefix("out")) as folder:
            temporary = Path(folder) / target.name
            temporary.touch()
            with _problems_of(temporary):
                yield temporary
            write_file(temporary, path)  # a store has a file as a whole or not at all
        return
    if _is_special(target):
        with _problems_of(target):
            yield target
        return
    target = Path(os.path.realpath(target))  # a link stays a link: what it points to is replaced
    remove_dead_parts(str(target.parent), os.getpid())
    temporary = target.with_name(part_name(target.name[:SHOWN_OF_NAME]))
    try:
        with _problems_of(target):
            temporary.touch(exist_ok=False)
            usual_mode = temporary.stat().st_mode
            yield temporary
            temporary.chmod(usual_mode)  # some writers create files that nobody else may read
            with temporary.open("rb") as written:
                os.fsync(written.fileno())
            if force:
                os.replace(temporary, target)
            else:
                _rename_unless_there(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def _problems_of(target: Path) -> Iterator[None]:
    """Say in our words why a file cannot be written, whichever package writes it."""
    try:
        yield
    except (CoterieError, BrokenPipeError):
        raise
    except Exception as error:
        if not (isinstance(error, OSError) or _FULL.search(str(error))):
            raise
        raise FileProblem(_unwritable(target, error)) from error


def _unwritable(target: Path, error: Exception) -> str:
    full = getattr(error, "errno", None) in FULL_DISK or _FULL.search(str(error)) is not None
    if not full:
        return f"{target}: cannot be written ({getattr(error, 'strerror', None) or error})."
    return (
        f"{target}: cannot be written: no space is left on the disk, or a quota is reached. Free some space, "
        f"or write to another disk."
    )


def _rename_unless_there(temporary: Path, target: Path) -> None:
    """Take the final name only if nobody took it meanwhile."""
    try:
        os.link(temporary, target)
    except FileExistsError:
        raise ExistingFile(f"{target} appeared while the work was running; it was left as it is.") from None
    except OSError:  # file systems without hard links
        os.replace(temporary, target)


def _is_special(path: Path) -> bool:
    """Return whether the path is a pipe or a device, such as /dev/stdout."""
    return path.exists() and not path.is_file() and not path.is_dir()
