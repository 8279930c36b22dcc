"""Coverage-guided fuzzing with atheris: Newick, FASTA, dialects of CSV, model files and their descriptions.

``python -m tests.fuzz.coverage --minutes 10`` searches, ``python -m tests.fuzz.coverage newick FILE`` repeats
a finding. Coverage is that of the Python code: native code is called, and its crashes are seen, but it does
not guide.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
FOUND = ROOT / "build" / "fuzz-coverage"  # inputs that are findings
SEEDS = 60  # inputs to begin with
MEGABYTES = 4096
TIMEOUT = 20  # seconds of one input


def main() -> int:
    """Search with every target for its share of the time, or repeat one input; return 1 for findings."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.coverage", description=__doc__)
    parser.add_argument("target", nargs="?", choices=list(TARGETS), help="default: all")
    parser.add_argument("file", nargs="?", type=Path, help="an input to repeat")
    parser.add_argument("--minutes", type=float, default=1.0, help="in all")
    parser.add_argument("--seconds", type=int, help=argparse.SUPPRESS)  # of a child
    asked = parser.parse_args()
    if asked.file is not None:
        return _repeat(asked.target, asked.file.read_bytes())
    if importlib.util.find_spec("atheris") is None:
        print("atheris is not installed: no coverage-guided fuzzing (pip install atheris)")
        return 0
    if asked.seconds is not None:
        _search(asked.target, asked.seconds)
    targets = [asked.target] if asked.target else list(TARGETS)
    seconds = max(5, int(60 * asked.minutes / len(targets)))
    return max([_run_child(target, seconds) for target in targets])


def _run_child(target: str, seconds: int) -> int:
    """Run the search for one target in a process of its own: it ends with the first crash."""
    FOUND.mkdir(parents=True, exist_ok=True)
    before = set(FOUND.iterdir())
    command = [sys.executable, "-m", "tests.fuzz.coverage", target, "--seconds", str(seconds)]
    with tempfile.TemporaryFile("w+") as said:
        code = subprocess.run(
            command, cwd=ROOT, stdout=said, stderr=subprocess.STDOUT, check=False
        ).returncode
        said.seek(0)
        text = said.read()
    runs = [
        line for line in text.splitlines() if line.startswith("Done ") or "stat::number_of_executed" in line
    ]
    new = sorted(set(FOUND.iterdir()) - before)
    print(
        f"{target}: {runs[-1].strip() if runs else f'ended with code {code}'}, {len(new)} findings",
        flush=True,
    )
    kinds = dict(line.rsplit(": ", 1)[::-1] for line in text.splitlines() if f": {target}-" in line)
    for path in new:
        print(f"python -m tests.fuzz.coverage {target} {path.relative_to(ROOT)}")
        print(f"    {kinds.get(path.name, 'a crash, or no end')}")
    if code and not new:
        print(text[-2000:])
    return 1 if code or new else 0


def _search(target: str, seconds: int) -> None:
    """Let atheris call the target until the time is over; it ends the process."""
    import atheris

    with atheris.instrument_imports(include=["coterie"]):
        import coterie.data
        import coterie.persist
        import coterie.phylogeny.fasta
        import coterie.tree  # noqa: F401
    act = TARGETS[target]
    known: set[str] = set()

    def try_input(content: bytes) -> None:
        kind = _judge(act, content)
        if kind and kind not in known:
            known.add(kind)
            name = hashlib.sha256(content).hexdigest()[:12]
            (FOUND / f"{target}-{name}").write_bytes(content)
            print(f"{kind}: {target}-{name}", flush=True)

    with tempfile.TemporaryDirectory() as corpus:
        for i, content in enumerate(BEGINNINGS[target]()):
            (Path(corpus) / f"seed{i}").write_bytes(content)
        options = [f"-max_total_time={seconds}", f"-rss_limit_mb={MEGABYTES}", f"-timeout={TIMEOUT}"]
        options += [
            "-max_len=65536",
            f"-artifact_prefix={FOUND}/{target}-",
            "-print_final_stats=1",
            "-verbosity=0",
        ]
        atheris.Setup([sys.argv[0], *options, corpus], try_input)
        atheris.Fuzz()


def _repeat(target: str, content: bytes) -> int:
    kind = _judge(TARGETS[target], content)
    print(kind or "nothing found")
    return 1 if kind else 0


def _judge(act: Callable[[Any, bytes], None], content: bytes) -> str:
    """Return the kind of finding that an input makes, nothing where it is answered or refused."""
    from tests.fuzz.case import Case, Finding, Refused

    try:
        act(Case("coverage", 0, SCRATCH, lambda text: None), content)
    except Refused:
        return ""
    except Finding as finding:
        return finding.kind
    return ""


SCRATCH = Path(tempfile.gettempdir()) / f"coterie-fuzz-{os.getpid()}"


def _newick(case: Any, content: bytes) -> None:
    from coterie.tree import Dendrogram
    from tests.fuzz.part_trees import use_tree

    text = content.decode("utf-8", errors="replace")
    tree = case.attempt("from_newick", lambda: Dendrogram.from_newick(text))
    if tree.n_leaves < 200:
        use_tree(case, tree, "from_newick")


def _fasta(case: Any, content: bytes) -> None:
    from coterie.phylogeny import read_fasta
    from tests.fuzz.part_phylogeny import use_alignment

    with tempfile.NamedTemporaryFile(suffix=".fasta") as file:
        file.write(content)
        file.flush()
        rows = case.attempt("read_fasta", lambda: read_fasta(file.name))
    if len(rows) < 50:
        use_alignment(case, rows, "read_fasta")


def _text(case: Any, content: bytes) -> None:
    from coterie.data import read_table

    with tempfile.NamedTemporaryFile(suffix=".csv") as file:
        file.write(content)
        file.flush()
        table = case.attempt("read_table", lambda: read_table(file.name))
        choice = case.attempt("choose", table.choose)
        case.attempt("matrix", lambda: table.matrix(choice.used))


def _model(case: Any, content: bytes) -> None:
    import coterie
    from tests.fuzz.part_models import ROWS, use

    with tempfile.TemporaryDirectory() as folder:
        case.folder = Path(folder)
        path = case.folder / "model"
        path.write_bytes(content)
        model = case.attempt("load", lambda: coterie.load(path))
        use(case, model, ROWS, "loaded")


def _description(case: Any, content: bytes) -> None:
    """Put the text as description into the file of a model: the file around it is always sound."""
    from tests.fuzz.part_models import saved

    whole, _ = saved("kmeans")
    length = int.from_bytes(whole[:8], "little")
    head = json.loads(whole[8 : 8 + length])
    head["__metadata__"]["state"] = content.decode("utf-8", errors="replace")
    text = json.dumps(head).encode()
    text += b" " * (-len(text) % 8)
    _model(case, len(text).to_bytes(8, "little") + text + whole[8 + length :])


def _newick_seeds() -> list[bytes]:
    from tests.fuzz.case import Draw
    from tests.fuzz.part_trees import draw_newick

    return [draw_newick(Draw("newick", seed)).encode() for seed in range(SEEDS)]


def _fasta_seeds() -> list[bytes]:
    from tests.fuzz.case import Draw
    from tests.fuzz.part_phylogeny import draw_fasta

    return [draw_fasta(Draw("fasta", seed)) for seed in range(SEEDS)]


def _text_seeds() -> list[bytes]:
    from tests.fuzz.case import Draw
    from tests.fuzz.tables import draw_file

    return [draw_file(Draw("text", seed)).content for seed in range(SEEDS)]


def _model_seeds() -> list[bytes]:
    from tests.fuzz.part_models import makers, saved

    return [saved(name)[0] for name in makers()]


def _description_seeds() -> list[bytes]:
    found = []
    for content in _model_seeds():
        length = int.from_bytes(content[:8], "little")
        found.append(json.loads(content[8 : 8 + length])["__metadata__"]["state"].encode())
    return found


TARGETS: dict[str, Callable[[Any, bytes], None]] = {
    "newick": _newick,
    "fasta": _fasta,
    "text": _text,
    "model": _model,
    "description": _description,
}
BEGINNINGS = {
    "newick": _newick_seeds,
    "fasta": _fasta_seeds,
    "text": _text_seeds,
    "model": _model_seeds,
    "description": _description_seeds,
}


if __name__ == "__main__":
    sys.exit(main())
