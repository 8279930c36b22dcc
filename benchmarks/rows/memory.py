"""Peak memory beyond the input."""

from __future__ import annotations

from functools import partial

from benchmarks.agreement import close
from benchmarks.measure import MEBIBYTE, PeakMemory
from benchmarks.problem import Row
from benchmarks.rows.kmeans import COTERIE, FAISS, SKLEARN, SKLEARNEX, digest, make

N_ROWS = 10_000_000
BYTES_PER_ROW = 16
ALLOWANCE = 32  # MiB for centres, thread stacks and code that is loaded late

ROWS = (
    Row(
        name="kmeans",
        work="k-means 1e7 x 8 float32, k=16, 10 it, memory beyond the input",
        make=partial(make, N_ROWS, 8, 16, iterations=10),
        contestants=(COTERIE, SKLEARN, SKLEARNEX, FAISS),
        digest=digest,
        agree=close("SSE", tolerance=1e-3),
        measure=PeakMemory(),
        limit=N_ROWS * BYTES_PER_ROW / MEBIBYTE + ALLOWANCE,
        most_rounds=1,  # a second call would reuse what the first one left behind
    ),
)
