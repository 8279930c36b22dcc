"""Cases that end badly on purpose: the fuzzer is to notice."""

from __future__ import annotations

import ctypes

import numpy as np

from tests.fuzz.case import Case

ACTIONS = (
    ("reading where nothing is", lambda: ctypes.string_at(8)),
    ("taking more memory than is allowed", lambda: np.zeros(10**10)),
    ("living on", lambda: None),
    ("waiting for ever", lambda: next(i for i in iter(int, 1) if i)),
)


def run(case: Case) -> None:
    """Do one of them."""
    case.attempt(*ACTIONS[case.seed % len(ACTIONS)])
