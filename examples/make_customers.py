"""Makes the table that `coterie demo` shows: customers of a shop, of five kinds, with a fixed seed."""

import csv
from datetime import date, timedelta
from pathlib import Path

import numpy as np

TARGET = Path(__file__).parents[1] / "src" / "coterie" / "cli" / "data" / "customers.csv"
COLUMNS = ["age", "income", "visits", "spend", "online", "discount"]
# how many; then mean and standard deviation of each column
KINDS = {
    "students who order online with coupons": (
        210,
        [(23, 4), (19_000, 6_500), (3.2, 1.4), (22, 9), (80, 12), (56, 13)],
    ),
    "families": (180, [(41, 7), (55_000, 12_000), (11, 2.5), (108, 24), (30, 14), (37, 11)]),
    "retired regulars": (150, [(70, 7), (30_000, 8_000), (15, 3.0), (27, 9), (9, 7), (22, 9)]),
    "young professionals": (150, [(31, 5), (64_000, 12_000), (5.5, 1.8), (38, 12), (70, 14), (12, 7)]),
    "wealthy occasional buyers": (
        110,
        [(52, 10), (112_000, 22_000), (2.4, 1.1), (205, 48), (50, 17), (6, 4)],
    ),
}
LOWEST = [18, 6_000, 0.2, 3, 0, 0]
HIGHEST = [95, 400_000, 40, 900, 100, 100]
DECIMALS = [0, 0, 1, 2, 0, 0]
CITIES = ["Torino", "Padova", "Kharagpur", "Boston", "Beijing"]


def main() -> None:
    """Write the table."""
    generator = np.random.default_rng(2024)
    rows = np.vstack(
        [generator.normal(*np.transpose(facts), size=(count, 6)) for count, facts in KINDS.values()]
    )
    rows = np.clip(rows, LOWEST, HIGHEST)[generator.permutation(len(rows))]
    numbers = generator.choice(np.arange(10_000, 99_999), size=len(rows), replace=False)
    with TARGET.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["customer_id", "city", "joined", *COLUMNS])
        for number, row in zip(numbers, rows, strict=True):
            joined = date(2015, 1, 1) + timedelta(days=int(generator.integers(3_600)))
            values = [f"{value:.{digits}f}" for value, digits in zip(row, DECIMALS, strict=True)]
            writer.writerow([number, generator.choice(CITIES), joined.isoformat(), *values])


if __name__ == "__main__":
    main()
