"""The command line on hostile files: exit codes, one line on stderr, clean terminals, whole outputs."""

from __future__ import annotations

import contextlib
import io
import re
import sys
from typing import Any

import numpy as np

from coterie.cli.app import run as run_command
from coterie.cluster import methods
from coterie.distance import distances
from tests.fuzz.case import LONGEST_MESSAGE, PACKAGE, Case, Draw, Finding, Refused, expect
from tests.fuzz.part_models import _bytes, _description, _tensor, saved
from tests.fuzz.tables import draw_file

DISTANCES = [distance.name for distance in distances()]

METHODS = [method.name for method in methods()]
FRAME = re.compile(rf'File "{re.escape(PACKAGE)}/([^"]+)", line \d+, in (\w+)')
# escape sequences and changes of the writing direction: text of a file must not steer a terminal
RAW_SIGNS = re.compile("[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]")


def run(case: Case) -> None:
    """Run one command; what it writes is read again."""
    draw = case.draw
    hostile = draw.choice(["", "file", "file", "options"])
    file = draw_file(draw, hostile=hostile == "file")
    data = case.folder / f"{draw.choice(['data', 'data', 'da ta', 'dé', 'a[b]*'])}{file.suffix}"
    data.write_bytes(file.content)
    make = draw.choice([_fit, _fit, _fit, _fit, _fit_graph, _predict, _evaluate, _tree, _select])
    arguments = make(case, str(data), hostile == "options")
    shown = " ".join(map(repr, arguments)).replace(f"{case.folder}/", "")
    words = f"coterie {shown} ({file.words}: {file.content[:120]!r})"
    code, out, err = case.attempt(words, lambda: call(arguments))
    judge(code, out, err)
    output = case.folder / "out.csv"
    says_header = {"--header", "--no-header"} & set(arguments)  # right or wrong: a row less or more
    is_known = file.n_rows is not None and not says_header
    is_known = is_known and "--graph" not in arguments  # there, a row of the output is a node
    if code == 0 and output.exists() and is_known and "drop" not in arguments:
        n_lines = len(output.read_text().splitlines()) - 1
        expect(
            n_lines == file.n_rows, f"{arguments[0]}: -o has other rows than the file", f"{n_lines} {words}"
        )
    if code != 0:
        raise Refused(err.strip().splitlines()[-1])


def call(arguments: list[str]) -> tuple[int, str, str]:
    """Return exit code, standard output and standard error of a command, run in this process."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    usual = sys.argv
    sys.argv = ["coterie", *arguments]
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = run_command([*arguments, "--debug"])
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else 1
    finally:
        sys.argv = usual
    said = [stream.buffer.getvalue().decode(errors="replace") for stream in (out, err)]
    return code, said[0], said[1]


def judge(code: int, out: str, err: str) -> None:
    """Only 0, 1 and 2; a failure is one line that we wrote; nothing that steers a terminal."""
    expect(code in (0, 1, 2), f"exit code {code}", err[-800:])
    last = err.strip().splitlines()[-1] if err.strip() else ""
    if last.startswith("coterie: failed:"):
        frames = FRAME.findall(err)
        where = ":".join(frames[-1]) if frames else "outside"
        name = re.match(r"coterie: failed: (\w+)", last)
        raise Finding(f"{name.group(1) if name else 'failed'} at {where}", err[-3000:])
    if code:
        expect(last.startswith("coterie: "), "an error without a line of ours", err[-500:])
    expect(len(last) <= LONGEST_MESSAGE, f"a line of {len(last):,} characters on stderr", last[:300])
    for name, text in (("stdout", out), ("stderr", last)):
        raw = RAW_SIGNS.search(text)
        expect(raw is None, f"raw {raw.group()!r} on {name}" if raw else "", text[:500])


def _pick(draw: Draw, good: list[str], bad: list[str], is_odd: bool) -> str:
    return str(draw.choice(bad if is_odd and draw.chance(0.4) else good))


def _fit(case: Case, data: str, is_odd: bool) -> list[str]:
    draw = case.draw
    arguments = ["fit", data, "--budget", "fast"]
    if draw.chance(0.9):
        arguments += [
            "-k",
            _pick(draw, ["2", "2", "3", "2..3"], ["1", "0", "-1", "x", "99", "3..2", "1e3", ""], is_odd),
        ]
    if draw.chance(0.5):
        arguments += ["--method", _pick(draw, METHODS, ["nothing", "kmeans,mixture", ""], is_odd)]
    if is_odd and draw.chance(0.3):
        arguments += ["--distance", draw.choice([*DISTANCES, "nothing"])]
    if draw.chance(0.3):
        arguments += ["--scale", _pick(draw, ["standard", "minmax", "robust", "none", "auto"], ["x"], is_odd)]
    if is_odd and draw.chance(0.3):
        arguments += [
            "--set",
            draw.choice(["eps=0.5", "tol=x", "max_iter=2", "=", "n_clusters=3", "verbose=1", "init=[1]"]),
        ]
    if draw.chance(0.5):
        arguments += ["-o", str(case.folder / "out.csv")]
    if draw.chance(0.2):
        arguments += ["--save", str(case.folder / "model")]
    return arguments + _common(draw, is_odd)


def _fit_graph(case: Case, data: str, is_odd: bool) -> list[str]:
    draw = case.draw
    edges = case.folder / "edges.csv"
    names = draw.choice(["source,target,weight", "from,to,weight", "a,b,c", "1,2,1"])
    ends = ["a", "b", "c", "d", "e", *(["", "NA", "1e400", "\u202e"] if is_odd else [])]
    weights = ["1", "2.5", "0", *(["-1", "nan", "x", "1e308", ""] if is_odd else [])]
    lines = [
        ",".join([draw.choice(ends), draw.choice(ends), draw.choice(weights)])
        for _ in range(draw.whole(0, 30))
    ]
    edges.write_text("\n".join([names, *lines]) + "\n")
    arguments = ["fit", str(edges) if draw.chance(0.7) else data, "--graph", "--budget", "fast"]
    if draw.chance(0.3):
        arguments += ["--columns", _pick(draw, ["a,b,c", "a,b"], ["a", "", "a,b,c,d", "x,y"], is_odd)]
    if draw.chance(0.2):
        arguments += ["--directed"]
    if draw.chance(0.2):
        arguments += ["--set", _pick(draw, ["resolution=2"], ["resolution=-1", "x=1"], is_odd)]
    if is_odd and draw.chance(0.3):
        arguments += ["-k", draw.choice(["2", "0", "x"])]
    if draw.chance(0.4):
        arguments += ["-o", str(case.folder / "out.csv")]
    return arguments + (["--json"] if draw.chance(0.3) else [])


def _common(draw: Draw, is_odd: bool) -> list[str]:
    arguments: list[str] = []
    if draw.chance(0.4):
        arguments += ["--missing", _pick(draw, ["observed", "drop", "median"], ["error", "x"], is_odd)]
    if is_odd and draw.chance(0.3):
        arguments += [draw.choice(["--drop", "--keep"]), draw.choice(["c0", "name0", "", "\x1b[31m", "c1"])]
    if is_odd and draw.chance(0.2):
        arguments += [draw.choice(["--header", "--no-header"])]
    if is_odd and draw.chance(0.1):
        arguments += ["--encoding", draw.choice(["cp1252", "utf-16", "nothing", "hex"])]
    return arguments + (["--json"] if draw.chance(0.3) else [])


def _predict(case: Case, data: str, is_odd: bool) -> list[str]:
    draw = case.draw
    content, _ = saved(draw.choice(["kmeans", "mixture", "hdbscan", "birch", "clustering", "agglomerative"]))
    model = case.folder / "model.safetensors"
    model.write_bytes(content)
    if is_odd:
        draw.choice([_bytes, _tensor, _description])(draw, model)
    if is_odd or draw.chance(0.5):
        data = str(case.folder / "rows.csv")
        np.savetxt(data, draw.random.normal(size=(9, 3)), delimiter=",", header="a,b,c", comments="")
    arguments = ["predict", str(model), data]
    return arguments + (["-o", str(case.folder / "predicted.csv")] if draw.chance(0.5) else [])


def _evaluate(case: Case, data: str, is_odd: bool) -> list[str]:
    draw = case.draw
    labels = case.folder / "labels.csv"
    n = draw.choice([5, 12])
    cells: Any = draw.random.integers(-1, 3, n)
    labels.write_text("cluster,truth\n" + "\n".join(f"{c},{c % 2}" for c in cells) + "\n")
    arguments = ["evaluate", data if draw.chance(0.3) else str(labels)]
    if draw.chance(0.7):
        arguments += ["--truth", _pick(draw, ["truth"], ["c1", data, "nothing"], is_odd)]
    else:
        arguments += ["--data", data]
    if draw.chance(0.3):
        arguments += ["--noise", _pick(draw, ["cluster", "exclude", "singletons"], ["x"], is_odd)]
    return arguments + (["--json"] if draw.chance(0.3) else [])


def _tree(case: Case, data: str, is_odd: bool) -> list[str]:
    draw = case.draw
    arguments = ["tree", data]
    if draw.chance(0.6):
        arguments += [
            "--linkage",
            _pick(draw, ["single", "average", "ward", "centroid", "minimax"], ["x"], is_odd),
        ]
    if is_odd and draw.chance(0.2):
        arguments += [draw.choice(["--precomputed", "--similarity"])]
    if draw.chance(0.5):
        arguments += ["-k", _pick(draw, ["2", "1.5", "best"], ["0", "x", "1e308", "nan", "-3"], is_odd)]
    if draw.chance(0.3):
        arguments += ["--newick", str(case.folder / "tree.nwk")]
    if draw.chance(0.3):
        arguments += ["-o", str(case.folder / "out.csv")]
    return arguments + (["--json"] if draw.chance(0.3) else [])


def _select(case: Case, data: str, is_odd: bool) -> list[str]:
    draw = case.draw
    criterion = _pick(
        draw, ["silhouette", "elbow", "calinski_harabasz", "bic", "hartigan"], ["x", ""], is_odd
    )
    k = _pick(draw, ["2..3", "1..3"], ["2", "x", "3..1", "0..2"], is_odd)
    return ["select", data, "-k", k, "--criterion", criterion, *_common(draw, is_odd)]
