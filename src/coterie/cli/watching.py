"""What ``coterie watch`` does: look at a folder again and again, and report every file once it is whole."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from coterie._printing import count_of
from coterie._support.files import atomic_path
from coterie.data.paths import READ_FROM_FOLDERS
from coterie.errors import CoterieError, FileProblem, InvalidParameter, ModelFileError
from coterie.persist import load, save
from coterie.pipeline import Clustering, examine, fit, update

SETTLED_SECONDS = 1.0  # a file that has not changed for so long is taken for whole
TAKEN = "taken"  # beside a file in the list of those seen: the model holds its rows
State = tuple[int, int]  # size and time of change of a file


@dataclass
class Seen:
    """The files that were reported, remembered beside the model."""

    path: Path | None  # None: only while the command runs
    files: dict[str, State] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)  # those whose rows the model holds

    @classmethod
    def beside(cls, model: Path) -> Seen:
        """Return what was remembered, nothing if nothing was."""
        path = model.with_name(model.name + ".seen")
        if not path.exists():
            return cls(path)
        try:
            read = json.loads(path.read_text(encoding="utf-8"))
            files = {str(name): (int(size), int(when)) for name, (size, when, *_) in read.items()}
            return cls(path, files, {str(name) for name, (_, _, *rest) in read.items() if rest == [TAKEN]})
        except (ValueError, TypeError, AttributeError):
            raise ModelFileError(f"{path}: is not a list of files that were seen. Delete it.") from None

    def add(self, name: str, state: State, *, is_taken: bool = False) -> None:
        """Remember a file, and whether the model holds its rows."""
        self.files[name] = state
        self.taken |= {name} if is_taken else set()
        if self.path is not None:
            told = {each: [*state, *[TAKEN] * (each in self.taken)] for each, state in self.files.items()}
            with atomic_path(self.path, force=True) as temporary:
                temporary.write_text(json.dumps(told), encoding="utf-8")


def watch(
    folder: Path,
    model: Path | None,
    *,
    takes_in: bool,
    once: bool,
    every: float,
    missing: str,
    as_json: bool,
) -> int:
    """Report new files until Ctrl-C, or once; return the exit code."""
    _check(folder, model, takes_in=takes_in, once=once, every=every)
    found, seen = _begin(folder, model, missing)
    policy = "error" if missing == "refuse" else missing
    try:
        while True:
            for path, state in whole_files(folder, seen):
                name = _name(path, folder)
                kept = model if takes_in and name not in seen.taken else None
                found, is_known = _report(found, path, policy, kept, as_json=as_json)
                if takes_in and name in seen.taken:
                    _tell_changed(path, as_json=as_json)
                seen.add(name, state, is_taken=is_known and kept is not None)
            if once:
                return 0
            time.sleep(every)
    except KeyboardInterrupt:
        return 0  # it is how a watch ends; everything that was reported is remembered


def _check(folder: Path, model: Path | None, *, takes_in: bool, once: bool, every: float) -> None:
    if not folder.is_dir():
        raise FileProblem(f"{folder}: is not a folder.")
    if model is None and (once or takes_in):
        raise InvalidParameter(
            f"{'--once' if once else '--update'} needs --model FILE, a model from coterie fit --save."
        )
    if not 0 < every < float("inf"):
        raise InvalidParameter(f"--every must be a number of seconds above 0, got {every:g}.")


def _begin(folder: Path, model: Path | None, missing: str) -> tuple[Clustering, Seen]:
    """Return the groups to compare with, and what was reported before."""
    if model is not None:
        return load(model), Seen.beside(model)
    seen = Seen(None)
    present = list(whole_files(folder, seen))
    if not present:
        raise FileProblem(f"{folder}: holds no file to fit. Add one, or name a model: --model FILE.")
    found = fit([str(path) for path, _ in present], missing="auto" if missing == "refuse" else missing)
    for path, state in present:
        seen.add(_name(path, folder), state)
    print(f"{count_of(len(present), 'file')} fitted. {found.headline}", flush=True)
    return found, seen


def whole_files(folder: Path, seen: Seen) -> Iterator[tuple[Path, State]]:
    """Yield files that were not reported as they are now, and that nobody writes any more, by name.

    A file is whole when it has not changed for a second; one that changed just now is looked at again after
    that time. Names that begin with a dot or an underscore, and other endings than those of tables, are for
    files on their way (``may.csv.part``): they are read once they are renamed.
    """
    new = {path: state for path, state in _states(folder) if seen.files.get(_name(path, folder)) != state}
    if any(_age(state) < SETTLED_SECONDS for state in new.values()):
        time.sleep(SETTLED_SECONDS)
        now = dict(_states(folder))
        new = {path: state for path, state in new.items() if now.get(path) == state}
    for path in sorted(new):
        if new[path][0] > 0:
            yield path, new[path]


def _states(folder: Path) -> Iterator[tuple[Path, State]]:
    for path in folder.rglob("*"):
        hidden = any(part[0] in "._" for part in path.relative_to(folder).parts)
        if hidden or path.suffix.lower() not in READ_FROM_FOLDERS:
            continue
        try:
            facts = os.stat(path)
        except OSError:
            continue  # it has gone since
        yield path, (facts.st_size, facts.st_mtime_ns)


def _name(path: Path, folder: Path) -> str:
    return path.relative_to(folder).as_posix()


def _age(state: State) -> float:
    return abs(time.time() - state[1] / 1e9)


def _tell_changed(path: Path, *, as_json: bool) -> None:
    """Say that a file whose rows the model holds has changed: which of its rows are new is not known."""
    why = "has changed since its rows were added: they are not added again. Write new rows to new files."
    print(json.dumps({"source": path.name, "note": why}) if as_json else f"{path.name}  {why}", flush=True)


def _report(
    found: Clustering, path: Path, missing: str, model: Path | None, *, as_json: bool
) -> tuple[Clustering, bool]:
    """Print a line about a file, take its rows in if a model is to be kept up to date.

    Returns the groups, and whether the file could be read.
    """
    try:
        if model is None:
            arrival = examine(found, str(path), missing=missing)
        else:
            grown = update(found, str(path), missing=missing)
            arrival, found = grown.arrival, grown.clustering
            save(found, model, force=True)
    except CoterieError as error:
        why = error.shell_text or str(error)
        print(
            json.dumps({"source": path.name, "error": why}) if as_json else f"{path.name}  not read: {why}",
            flush=True,
        )
        return found, False
    print(json.dumps(arrival.to_dict()) if as_json else arrival, flush=True)
    return found, True
