"""Whether another unit for one column changes the answer: ``python -m benchmarks.auto_units [FOLDER ...]``.

One column of each published set is multiplied by a factor, each column in turn, and the groups of
`coterie.fit` are compared with those before. The bar is a mean adjusted Rand index of 0.95.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import adjusted_rand_score

from benchmarks.auto_cross import answer
from benchmarks.auto_sets import published

MOST_COLUMNS = 3  # of which the unit is changed, one at a time


def agreement(X: Any, factor: float) -> float:
    """Return the mean agreement of the answer with those for one column in another unit."""
    before, found = answer(X), []
    for column in range(min(X.shape[1], MOST_COLUMNS)):
        changed = np.array(X)
        changed[:, column] *= factor
        found.append(adjusted_rand_score(before, answer(changed)))
    return float(np.mean(found))


def main() -> None:
    """Print the agreement on each set, and the mean."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folders", type=Path, nargs="*", help="have published sets")
    parser.add_argument("--factor", type=float, default=3.0, help="that a column is multiplied by")
    parser.add_argument("--most-rows", type=int, default=100_000, help="sets with more rows are left out")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    found = []
    for name, X, _ in published(options.folders):
        if len(X) <= options.most_rows:
            found.append(agreement(X, options.factor))
            print(f"{name:<24}{found[-1]:>6.2f}", flush=True)
    print(f"{'mean of ' + str(len(found)):<24}{np.mean(found):>6.3f}")


if __name__ == "__main__":
    main()
