"""Where the figures come from: processor, memory, versions."""

from __future__ import annotations

import importlib
import os
import platform
import subprocess
from importlib import metadata
from pathlib import Path

from benchmarks.data import ROOT

LIBRARIES = (
    "numpy",
    "scipy",
    "scikit-learn",
    "scikit-learn-intelex",
    "faiss-cpu",
    "fastcluster",
    "genieclust",
    "fast_hdbscan",
    "hdbscan",
    "kmedoids",
    "k-means-constrained",
    "dbscan",
)
LEVEL_FLAGS = {  # the flag that tells each level of x86-64 from the one below
    "x86-64-v4": "avx512vl",
    "x86-64-v3": "avx2",
    "x86-64-v2": "sse4_2",
}


def describe(instruction_set: str | None = None) -> dict[str, str]:
    """Describe the machine and the peers; two runs with the same description may be compared.

    ``instruction_set`` is the one that Coterie is told to use; None is what it chooses.
    """
    return {
        "processor": _processor(),
        "cores": str(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()),
        "memory": f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GiB",
        "instruction set": _instruction_set(instruction_set or _our_instruction_set()),
        "system": f"{platform.system()} {platform.machine()}, Python {platform.python_version()}",
        "libraries": ", ".join(f"{name} {version}" for name in LIBRARIES if (version := _version(name))),
    }


def one_line() -> str:
    """Return processor, cores and memory in a few words."""
    facts = describe()
    return f"{facts['processor']}, {facts['cores']} cores, {facts['memory']}"


def our_version() -> str:
    """Version of Coterie and, in a clone, the commit; ``+`` marks uncommitted changes."""
    version = _version("coterie") or "not installed"
    commit = _git("rev-parse", "--short", "HEAD")
    if not commit:
        return version
    changed = _git("status", "--porcelain", "--untracked-files=no", "--", "src", "native")
    return f"{version} ({commit}{'+' if changed else ''})"


def _processor() -> str:
    for line in _cpu_info():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def available_instruction_sets() -> list[str]:
    """List the instruction sets that this processor has and that Coterie is compiled for."""
    return str(importlib.import_module("coterie._core").instruction_sets()).split()


def _instruction_set(ours: str | None) -> str:
    flags = next((line.split() for line in _cpu_info() if line.startswith("flags")), [])
    level = next((name for name, flag in LEVEL_FLAGS.items() if flag in flags), platform.machine())
    return f"{level}; coterie uses {ours}" if ours else level


def _our_instruction_set() -> str | None:
    try:
        return str(importlib.import_module("coterie._core").instruction_set())
    except ImportError:
        return None


def _cpu_info() -> list[str]:
    path = Path("/proc/cpuinfo")
    return path.read_text().splitlines() if path.exists() else []


def _version(distribution: str) -> str | None:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None


def _git(*words: str) -> str:
    try:
        done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
