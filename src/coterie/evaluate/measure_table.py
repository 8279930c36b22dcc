"""Values of measures by name, which print as a table: what `compare` and `assess` return."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from html import escape
from itertools import groupby
from typing import TypeAlias

from coterie._support.optional import require
from coterie._support.typing import PandasFrame
from coterie.evaluate.catalogue import Measure, find_measure

NOT_DEFINED = "-"
LEAST_WIDTH = 8  # of values
Entry: TypeAlias = tuple[Measure, float | None, dict[str, str]]  # None: not defined; what else is told


class MeasureTable(Mapping[str, float]):
    """Values by the names of measures; those that are not defined for the data are left out."""

    _values: dict[str, float]

    def _title(self) -> str:
        raise NotImplementedError

    def _entries(self) -> Iterable[Entry]:
        raise NotImplementedError

    def __getitem__(self, name: str) -> float:
        return self._values[name if name in self._values else find_measure(name).name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def to_dict(self) -> dict[str, float]:
        """Return the values by the names of the measures."""
        return dict(self._values)

    def to_frame(self) -> PandasFrame:
        """Return a pandas DataFrame: one row per measure, its value and its facts."""
        pandas = require("pandas", extra="pandas", purpose="to_frame")
        rows = [
            {
                "measure": measure.name,
                "symbol": measure.symbol,
                "value": value,
                "low": measure.low,
                "high": measure.high,
                "better": measure.direction,
                "group": measure.group,
                **more,
            }
            for measure, value, more in self._entries()
        ]
        return pandas.DataFrame(rows).set_index("measure")

    def __repr__(self) -> str:
        entries = [*self._entries()]
        rows = [("", *_heads(entries)), *map(_cells, entries)]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        widths[1] = max(widths[1], LEAST_WIDTH)
        lines = [self._title(), "", _line(rows[0], widths)]
        for group, members in groupby(entries, key=lambda entry: entry[0].group):
            lines += [group, *(_line(_cells(entry), widths) for entry in members)]
        return "\n".join(line.rstrip() for line in lines)

    def _repr_html_(self) -> str:
        entries = [*self._entries()]
        rows = "".join(
            f"<tr><th title='{escape(entry[0].summary)}'>{escape(name)}</th>"
            + "".join(f"<td>{escape(cell)}</td>" for cell in cells)
            + "</tr>"
            for entry, (name, *cells) in zip(entries, map(_cells, entries), strict=True)
        )
        head = "".join(f"<th>{name}</th>" for name in ("measure", *_heads(entries)))
        return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _heads(entries: list[Entry]) -> tuple[str, ...]:
    return ("value", "range", "better", *(entries[0][2] if entries else ()))


def _cells(entry: Entry) -> tuple[str, ...]:
    measure, value, more = entry
    shown = NOT_DEFINED if value is None else f"{value:.4f}" if abs(value) < 1e6 else f"{value:.6g}"
    return measure.name, shown, measure.range, measure.direction, *more.values()


def _line(cells: tuple[str, ...], widths: list[int]) -> str:
    name, value, *others = cells
    first = f"  {name:<{widths[0]}}  {value:>{widths[1]}}"
    return "  ".join([first, *(f"{cell:<{width}}" for cell, width in zip(others, widths[2:], strict=True))])
