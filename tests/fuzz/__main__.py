"""``python -m tests.fuzz``: a campaign, or cases again by their seeds."""

from __future__ import annotations

import argparse
import sys
import time

from tests.fuzz.campaign import Tally, finding_text, requests_for, run_cases, table
from tests.fuzz.parts import PARTS


def main() -> int:
    """Run what the command line asks for; return 1 where there are findings."""
    asked = _arguments()
    parts = asked.part or list(PARTS)
    tallies = {part: Tally() for part in parts}
    if asked.seed is not None:
        return _repeat(parts, asked.seed, tallies)
    if asked.cases:
        first = 0 if asked.first_seed is None else asked.first_seed
        requests = ((part, first + i) for part in parts for i in range(asked.cases))
        print(f"seeds {first} to {first + asked.cases - 1} of each part", flush=True)
    else:
        first = int(time.time() * 1000) if asked.first_seed is None else asked.first_seed
        requests = requests_for(parts, first, 60.0 * asked.minutes)
        print(f"{asked.minutes:g} minutes, seeds from {first}", flush=True)
    n_kinds = 0
    try:
        for finding in run_cases(requests, tallies):
            n_kinds += 1
            print(finding_text(finding), flush=True)
    except KeyboardInterrupt:
        pass
    print(table(tallies))
    return 1 if n_kinds else 0


def _repeat(parts: list[str], seeds: list[int], tallies: dict[str, Tally]) -> int:
    """Run single cases in one process and tell how each ended."""
    from tests.fuzz.campaign import Child

    child = Child()
    n_failed = 0
    for part in parts:
        for seed in seeds:
            outcome = child.run(part, seed)
            tallies[part].add(outcome)
            n_failed += outcome.outcome == "failed"
            print(f"{part} {seed}: {outcome.outcome}, {outcome.seconds:.2f} s")
            print(finding_text(outcome, full=True) if outcome.outcome == "failed" else f"    {outcome.doing}")
            if outcome.outcome == "refused":
                print(f"    {outcome.text}")
    child.close()
    return 1 if n_failed else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--part", action="append", help=f"{', '.join(PARTS)}; default: all")
    parser.add_argument("--seed", type=_seeds, help="repeat these cases: 7, or 3,4,7 in one process")
    parser.add_argument("--minutes", type=float, default=1.0, help="length of a campaign with fresh seeds")
    parser.add_argument("--cases", type=int, help="instead: so many cases of each part, from seed 0")
    parser.add_argument("--first-seed", type=int, help="default: the clock in ms, 0 with --cases")
    return parser.parse_args()


def _seeds(text: str) -> list[int]:
    return [int(seed) for seed in text.split(",")]


if __name__ == "__main__":
    sys.exit(main())
