"""The child process: reads "part seed" lines, runs each case under limits, answers with a line of JSON."""

from __future__ import annotations

import faulthandler
import json
import os
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
from pathlib import Path
from typing import Any

MEMORY = 4 << 30  # bytes of address space: the cases are small, so whoever needs more has lost count
PROCESSOR_SECONDS = 20  # of a case; the parent watches the clock too


def main(folder: str) -> None:
    """Answer requests until there are none."""
    requests, answers = _own_channels()
    note = os.open(os.path.join(folder, "doing"), os.O_CREAT | os.O_RDWR)
    told = os.fdopen(os.dup(sys.stderr.fileno()), "w")  # cases may hold the standard error back
    faulthandler.enable(told)
    faulthandler.register(signal.SIGXCPU, told, all_threads=True, chain=True)
    faulthandler.register(signal.SIGUSR1, told, all_threads=True, chain=True)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    for line in requests:
        part, seed = line.split()
        answers.write(json.dumps(_run(part, int(seed), folder, note)) + "\n")
        answers.flush()


def _own_channels() -> tuple[Any, Any]:
    """Keep the pipes to the parent apart from standard input and output, which cases may read and write."""
    requests = os.fdopen(os.dup(0), "r")
    answers = os.fdopen(os.dup(1), "w")
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    return requests, answers


def _run(part: str, seed: int, folder: str, note: int) -> dict[str, Any]:
    from tests.fuzz.case import Case, Finding, Refused
    from tests.fuzz.parts import load_part

    def write_note(text: str) -> None:
        os.ftruncate(note, 0)
        os.pwrite(note, text[:4000].encode(errors="replace"), 0)

    write_note("drawing")
    run = load_part(part)  # what it imports is not the case's time
    began = time.perf_counter()
    _allow_processor_time()
    place = Path(tempfile.mkdtemp(dir=folder))
    case = Case(part, seed, place, write_note)
    answer: dict[str, Any] = {"outcome": "accepted", "kind": "", "text": ""}
    try:
        run(case)
    except Refused as refusal:
        answer |= {"outcome": "refused", "text": str(refusal)}
    except Finding as finding:
        answer |= {"outcome": "failed", "kind": finding.kind, "text": finding.text}
    except Exception:  # the harness itself
        answer |= {"outcome": "failed", "kind": "the fuzzer's own error", "text": traceback.format_exc()}
    shutil.rmtree(place, ignore_errors=True)
    answer |= {"doing": case.doing}
    shown = {key: value.replace(f"{place}/", "") for key, value in answer.items()}  # its name is a random one
    return shown | {"seconds": time.perf_counter() - began}


def _allow_processor_time() -> None:
    used = time.process_time()
    most = resource.getrlimit(resource.RLIMIT_CPU)[1]
    resource.setrlimit(resource.RLIMIT_CPU, (int(used) + PROCESSOR_SECONDS + 1, most))


if __name__ == "__main__":
    main(sys.argv[1])
