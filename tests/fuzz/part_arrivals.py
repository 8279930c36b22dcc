"""New rows for groups that are known: `update`, `examine` and `coterie watch`, with rows of every kind."""

from __future__ import annotations

import os
from functools import cache
from typing import Any

import numpy as np
import pandas
import polars

import coterie
from coterie.pipeline import examine
from tests.fuzz.case import Case, Draw, Refused, expect
from tests.fuzz.checks import check_finite, check_labels, check_same
from tests.fuzz.part_shell import call, judge
from tests.fuzz.tables import ODD_CELLS, ODD_NAMES, draw_file
from tests.fuzz.values import draw_rows, draw_wild

METHODS = ("kmeans", "minibatch-kmeans", "birch", "mixture", "hdbscan", "kmedoids", "agglomerative")
NAMES = ("a", "b", "c")
POLICIES = ("refuse", "drop", "median")


def run(case: Case) -> None:
    """Look at new rows, take them in, or watch a folder in which they arrive."""
    case.draw.choice([_python, _python, _python, _shell, _watch])(case)


def known_rows(n: int, seed: int) -> Any:
    """Return rows of three groups, with a name for each column."""
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(n, 3)) + 9.0 * np.eye(3)[rng.integers(3, size=n)]
    return pandas.DataFrame(rows.round(3), columns=list(NAMES))


@cache
def known(method: str) -> Any:
    """Return groups that are known, and the content of their model file."""
    return coterie.fit(known_rows(90, 0), method, None if method == "hdbscan" else 3, believe=False)


def _arriving(draw: Draw) -> tuple[Any, str]:
    """Return new rows: mostly with the columns of the old ones, whatever else is wrong with them."""
    kind = draw.choice(["like", "like", "like", "odd cells", "columns", "rows", "wild"])
    n = draw.choice([1, 2, 20, 20, 60])
    frame = known_rows(n, draw.seed())
    if kind == "wild":
        return draw_wild(draw), "a wild value"
    if kind == "rows":
        rows = draw_rows(draw, d=3)
        return rows.value, rows.words
    if kind == "odd cells":
        frame = frame.astype(object)
        for _ in range(draw.whole(1, 5)):
            odd = draw.choice([*ODD_CELLS, None, np.nan, np.inf, 1e300, 1e-310, 2**70, True, b"x", [1]])
            frame.iat[draw.whole(0, n - 1), draw.whole(0, 2)] = odd
    elif kind == "columns":
        how = draw.choice(["drop", "rename", "more", "order", "twice", "none"])
        if how == "drop":
            frame = frame.drop(columns=draw.choice(NAMES))
        elif how == "rename":
            frame = frame.rename(columns={draw.choice(NAMES): draw.choice(ODD_NAMES)})
        elif how == "more":
            frame[draw.choice(ODD_NAMES)] = 1.0
        elif how == "twice":
            frame = pandas.concat([frame, frame[["a"]]], axis=1)
        frame = frame[list(frame.columns)[::-1]] if how == "order" else frame
        frame = frame.iloc[:0] if how == "none" else frame
    elif draw.chance(0.3):
        frame = frame * draw.choice([1e-300, 1e3, 1e150, 1e300, 0.0])
    dress = draw.choice(
        [lambda f: f, lambda f: f, lambda f: f, lambda f: f.to_numpy(), lambda f: f.to_dict("list")]
    )
    if kind == "like" and draw.chance(0.2):
        return polars.from_pandas(frame), f"{kind} {n} rows of polars"
    return dress(frame), f"{kind} {n} rows"


def _python(case: Case) -> None:
    draw = case.draw
    method = draw.choice(METHODS)
    found = known(method)
    before = found.labels.copy()
    value, words = _arriving(draw)
    policy = draw.choice(POLICIES) if draw.chance(0.95) else draw_wild(draw)
    words = f"of {method} with {words}, missing={policy!r}"
    looked = case.attempt(f"examine {words}", lambda: examine(found, value, missing=policy))
    case.attempt(f"text of examine {words}", lambda: (str(looked), looked.to_dict()))
    grown = case.attempt(f"update {words}", lambda: coterie.update(found, value, missing=policy))
    case.attempt(f"text of update {words}", lambda: (str(grown), grown.to_dict()))
    check_same(found.labels, before, "update: the old answer changed")
    sizes, old = grown.clustering.profile.sizes, found.profile.sizes
    expect(len(sizes) == len(old), "update: another number of groups", words)
    expect(sizes.sum() >= old.sum(), "update: groups lost rows", f"{old} {sizes} {words}")
    for name, part in (("centres", grown.clustering.groups.centers), ("shifts", grown.shifts)):
        check_finite(name, part, "update")
    predicted = case.attempt(
        f"predict after update {words}", lambda: grown.clustering.predict(known_rows(9, 1))
    )
    check_labels(predicted, 9, len(sizes), "update: predict")
    path = case.folder / "grown.safetensors"
    case.attempt(f"save after update {words}", lambda: coterie.save(grown.clustering, path))
    again = case.attempt(f"load after update {words}", lambda: coterie.load(path))
    check_same(again.predict(known_rows(9, 1)), predicted, "update: loaded, it differs")


def _model(case: Case) -> str:
    path = case.folder / "groups.safetensors"
    coterie.save(known(case.draw.choice(METHODS)), path)
    return str(path)


def _files(case: Case, folder: Any) -> list[str]:
    """Write files that arrive: some with the columns of the model, some with anything."""
    draw = case.draw
    words = []
    for at in range(draw.choice([0, 1, 1, 2])):
        if draw.chance(0.5):
            path = folder / f"{draw.choice(['may', 'a b', 'é', '_hidden', '.x'])}{at}.csv"
            frame = known_rows(draw.choice([1, 5, 30]), at).astype(object)
            if draw.chance(0.4):
                frame.iat[0, draw.whole(0, 2)] = draw.choice(ODD_CELLS)
            frame.to_csv(path, index=False)
            words.append(f"{path.name} {len(frame)} rows")
        else:
            file = draw_file(draw)
            path = folder / f"odd{at}{file.suffix}"
            path.write_bytes(file.content)
            words.append(f"{path.name} {file.words}")
        os.utime(path, (1e9, 1e9))  # nobody writes it any more
    return words


def _command(case: Case, arguments: list[str], words: list[str]) -> None:
    shown = " ".join(map(repr, arguments)).replace(f"{case.folder}/", "")
    code, out, err = case.attempt(f"coterie {shown} ({words})", lambda: call(arguments))
    judge(code, out, err)
    if code != 0:
        raise Refused(err.strip().splitlines()[-1])


def _shell(case: Case) -> None:
    draw = case.draw
    model = _model(case)
    folder = case.folder / "new"
    folder.mkdir()
    words = _files(case, folder)
    some = [str(path) for path in sorted(folder.iterdir())] if draw.chance(0.5) else [str(folder)]
    arguments = ["update", model, *some]
    arguments += draw.choice([[], ["--dry-run"], ["--save", str(case.folder / "next.safetensors")]])
    arguments += ["--missing", draw.choice(["refuse", "drop", "median", "x"])] if draw.chance(0.5) else []
    _command(case, arguments + (["--json"] if draw.chance(0.4) else []), words)


def _watch(case: Case) -> None:
    draw = case.draw
    folder = case.folder / "arriving"
    folder.mkdir()
    words = _files(case, folder)
    arguments = ["watch", str(folder), "--model", _model(case), "--once"]
    arguments += ["--update"] if draw.chance(0.4) else []
    arguments += ["--missing", draw.choice(["refuse", "drop", "median"])] if draw.chance(0.5) else []
    arguments += ["--json"] if draw.chance(0.4) else []
    if draw.chance(0.2):
        seen = case.folder / "groups.safetensors.seen"
        seen.write_bytes(
            draw.choice([b"", b"{}", b"[1]", b"\xff", b'{"files": 3}', b'{"files": {"x": "y"}}'])
        )
        words.append(f"seen {seen.read_bytes()!r}")
    _command(case, arguments, words)
