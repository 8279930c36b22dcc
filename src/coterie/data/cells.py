"""Numbers in disguise: money, percent, units, thousands separators, durations, yes and no in words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from coterie._printing import shortened
from coterie._support.declarations import held, saved
from coterie._support.optional import require
from coterie._support.typing import PolarsFrame, PolarsSeries
from coterie._support.validation import Choice
from coterie._support.validation.schema import ListOf, Sometimes, Text
from coterie._support.yes_no import YES_NO_WORDS
from coterie.data.dates import DATE_PARTS, date_format, date_numbers
from coterie.data.marks import count_marks, is_mark
from coterie.errors import InvalidData

LOOKED_AT = 200  # first cells, which tell what may be tried on all
MOSTLY = 0.9  # above this share, stray text in a column is worth pointing at
SEVERAL = r"[^;|]\s*[;|]\s*[^;|\s]"  # answers in one cell: "bus;car"
LEAST_SEVERAL, SHARE_OF_SEVERAL = 3, 0.2  # cells that hold several, from which a column is said to
TIMES_USED = 3  # by which answers repeat, on average: other texts have such signs too
NUMBER, MONEY, PERCENT, QUANTITY, DURATION, YES_NO = (
    "number",
    "money",
    "percent",
    "quantity",
    "duration",
    "yes/no",
)
DATE, TIME = "date", "time"
RANK = "rank"  # an ordered category: what is counted is its place in the order

_CURRENCY_CODES = """
EUR USD GBP CHF JPY CNY SEK NOK DKK PLN CZK HUF INR AUD CAD NZD BRL MXN ZAR TRY KRW SGD HKD kr zł Kč Ft
eur usd gbp chf Eur Usd
"""
_UNIT_NAMES = """
nm µm um mm cm dm m km in inch ft yd mi µg ug mg g kg t lb lbs oz ml cl dl l L gal
m² m2 m^2 km² km2 cm² cm2 m³ m3 cm³ cm3 ha sqm sqft
ns µs us ms s sec secs min mins h hr hrs hour hours d day days week weeks month months yr yrs year years
minute minutes second seconds °C °F ° K V mV kV A mA W kW MW Wh kWh MWh Hz kHz MHz GHz
B kB KB MB GB TB KiB MiB GiB km/h kmh kph mph m/s Pa hPa kPa bar mbar mmHg psi J kJ MJ kcal cal
KG Kg KM Km CM Cm MM LB Lb LBS Lbs KWH KWh kwh
px pt ppm bpm rpm dB mg/dl mg/dL mmol/l mmol/L g/l g/L pcs pc Stk people person rooms room items item
"""
CURRENCIES = frozenset(_CURRENCY_CODES.split())
UNITS = frozenset(_UNIT_NAMES.split())
# Names of one unit, which a column may mix: "1 day" stands above "2 days".
_SAME_UNITS = """
$ USD US$ usd Usd | € EUR eur Eur | £ GBP gbp | CHF chf | in inch | l L
kg KG Kg | km KM Km | cm CM Cm | mm MM | lb lbs LB Lb LBS Lbs | kWh KWH KWh kwh
mg/dl mg/dL | mmol/l mmol/L | g/l g/L
µm um | µg ug | µs us | kB KB
m² m2 m^2 sqm | km² km2 | cm² cm2 | m³ m3 | cm³ cm3 | km/h kmh kph
s sec secs second seconds | min mins minute minutes | h hr hrs hour hours | d day days
week weeks | month months | yr yrs year years | people person | rooms room | items item | pcs pc
"""
_FIRST_NAMES = {
    name: names[0]
    for line in _SAME_UNITS.strip().splitlines()
    for names in (group.split() for group in line.split("|"))
    for name in names[1:]
}
_SPACES = " \u00a0\u202f\u2009"
_CELL = (
    r"^(?P<open>\()?(?P<sign>[+\-−]?)\s*(?P<before>[A-Z]{0,3}\p{Sc}|[A-Z]{3}\b)?\s*(?P<inner>[+\-−]?)\s*"
    r"(?P<digits>\d[\d.,'’" + _SPACES + r"]*\d|\d[.,]?|[.,]\d+)(?P<power>[eE][+\-]?\d+)?"
    r"(?P<gap>\s*)(?P<after>%|‰|\p{Sc}|°\s?[CFcf]?|[\p{L}µ][\p{L}\d²³/·^.\-]{0,11})?\s*(?P<close>\))?$"
)
_CLOCK = r"^(?P<sign>-?)(?P<first>\d+):(?P<second>[0-5]\d)(?::(?P<third>[0-5]\d(?:[.,]\d+)?))?$"
_PART = r"(?:(\d+(?:[.,]\d+)?)\s*{})?\s*"
_SPOKEN = (
    r"^\s*"
    + _PART.format("(?:d|days?|Tage?)")
    + _PART.format("(?:h|hrs?|hours?|Std\\.?)")
    + _PART.format("(?:m|mins?|minutes?|Min\\.?)")
    + _PART.format("(?:s|secs?|seconds?|Sek\\.?)")
    + r"$"
)
_SECONDS = (86_400.0, 3_600.0, 60.0, 1.0)
_DURATION_NAME = re.compile(r"dur|laps|length|runtime|took|dauer|lasted|time_spent|pace", re.IGNORECASE)


@saved()
class Reading:
    """How the cells of a column become numbers.

    Parameters
    ----------
    kind : str
        Number, money, percent, quantity, duration, yes/no, date, time or rank.
    form : str, default=""
        How dates are written, in the letters of strftime; how durations are.
    part : str, default=""
        What of a date is used: as-number, year, month, weekday.
    levels : tuple of str, default=()
        Of ordered categories, the names that ranks 1, 2, ... stand for.
    """

    kind: str = held(Choice(NUMBER, MONEY, PERCENT, QUANTITY, DURATION, YES_NO, DATE, TIME, RANK))
    unit: str = held(Text(), "What stands beside each number, or what the numbers count.", default="")
    decimal: str = held(Choice(".", ","), "The decimal sign.", default=".")
    form: str = held(Text(), default="")
    part: str = held(Choice("", *DATE_PARTS), default="")
    levels: tuple[str, ...] = held(Sometimes(ListOf(Text(), kind=tuple)), default=())

    def __str__(self) -> str:
        if self.kind == RANK:
            return f"ranks of {shortened(' < '.join(self.levels))}"
        about = {MONEY: f"money in {self.unit}", QUANTITY: self.unit, DURATION: f"duration in {self.unit}"}
        if self.kind in (DATE, TIME):
            return f"{self.kind}, {'as a number of ' + self.unit if self.part == 'as-number' else self.part}"
        return about.get(self.kind, self.kind)

    def numbers(self, series: PolarsSeries) -> PolarsSeries:
        """Return the numbers of a polars series, null where a cell is empty or a mark of a missing value.

        Raises
        ------
        InvalidData
            A cell is something else.
        """
        numbers = self.numbers_or_null(series)
        texts = _text(series) if series.dtype == _polars().String else None
        is_stray = numbers.is_null() & (
            series.is_not_null() if texts is None else ~is_mark(texts).fill_null(True)
        )
        if is_stray.any():
            row = int(is_stray.arg_max())
            raise InvalidData(
                f'column "{shortened(series.name)}" is read as {self}, but row {row + 1} holds '
                f'"{shortened(series[row])}".'
            )
        return numbers

    def numbers_or_null(self, series: PolarsSeries) -> PolarsSeries:
        """Return the numbers of a polars series, null where there is none, or one in another unit."""
        if self.kind in (DATE, TIME):
            return date_numbers(series, self.form, self.part)
        if series.dtype.is_temporal():  # a span of time
            return (series.dt.total_microseconds() / 1e6).alias(series.name)
        texts = _text(series)
        if self.kind == RANK:
            ranks = {level: at + 1.0 for at, level in enumerate(self.levels)}
            return texts.replace_strict(ranks, default=None, return_dtype=_polars().Float64)
        if self.kind == YES_NO:
            return _yes_no_numbers(texts)
        if self.kind == DURATION:
            return _clock_seconds(texts) if self.form == "clock" else _spoken_seconds(texts)
        parts = _parts(texts)
        numbers = _numbers(parts, self.decimal)
        polars = _polars()
        is_in_unit = _one_name(_units(parts)) == _FIRST_NAMES.get(self.unit, self.unit)
        return polars.select(polars.when(is_in_unit).then(numbers)).to_series().alias(series.name)


@dataclass(frozen=True)
class Found:
    """What the text of a column turned out to be."""

    reading: Reading | None  # how cells become numbers; None: they do not
    reason: str  # why not, in words
    marks: Mapping[str, int]  # cells taken as missing


def read_cells(series: PolarsSeries, *, dates: str | None = None) -> Found:
    """Find out how a column of text is to be read.

    Parameters
    ----------
    series : polars.Series of text, or of dates, times or durations
        The cells.
    dates : {"as-number", "year", "month", "weekday"}, default=None
        What to make of dates; None: nothing.

    Examples
    --------
    >>> import polars
    >>> found = read_cells(polars.Series("price", ["€1,234.50", "€9.99", "unknown"]))
    >>> str(found.reading), dict(found.marks)
    ('money in €', {'unknown': 1})
    >>> found.reading.numbers(polars.Series(["€1,234.50", "unknown"])).to_list()
    [1234.5, None]
    """
    if series.dtype.is_temporal():
        return _of_times(series, dates)
    texts = _text(series)
    is_empty = is_mark(texts).fill_null(True)
    cells = texts.filter(~is_empty)
    if not len(cells):
        return Found(None, "empty", {})
    marks = count_marks(texts) if len(cells) < len(texts) else {}
    when = date_format(cells)
    if when is not None and not (when.kind == TIME and _is_duration(series.name, cells)):
        if dates is None or not when.takes(dates):
            return Found(None, f"a {when.kind}", {})
        reading = Reading(when.kind, when.unit(dates), form=when.form, part=dates)
        return _checked(reading, texts, is_empty, marks)
    for find in (_yes_no, _affixed, _duration):
        found = find(cells)
        if isinstance(found, str):
            return Found(None, found, {})
        if found is not None:
            return _checked(found, texts, is_empty, marks)
    return Found(None, "text", {})


def _checked(
    reading: Reading, texts: PolarsSeries, is_empty: PolarsSeries, marks: Mapping[str, int]
) -> Found:
    """Return the reading if it fits all cells; if it fits most, say where it does not."""
    is_stray = reading.numbers_or_null(texts).is_null() & ~is_empty
    n_stray, n_filled = int(is_stray.sum()), len(texts) - int(is_empty.sum())
    if n_stray == 0:
        return Found(reading, "", marks)
    row = int(is_stray.arg_max())
    return Found(None, why_stray(reading, n_stray, n_filled, len(texts), row, texts[row]), {})


def why_stray(reading: Reading, n_stray: int, n_filled: int, n_rows: int, row: int, cell: str) -> str:
    """Return why a column is not read that way, given how many cells do not fit and the first of them.

    Examples
    --------
    >>> number = Reading("number")
    >>> why_stray(number, 1, 200, 200, 16, "many"), why_stray(number, 90, 200, 200, 0, "a")
    ('text in 1 of 200 rows, such as "many" in row 17', 'text')
    """
    is_date = reading.kind in (DATE, TIME)
    if n_stray > (1 - MOSTLY) * n_filled:
        return f"{reading.kind}s in several forms, or in one that is not known" if is_date else "text"
    what = f"{reading.kind}s written differently" if is_date else "text"
    return f'{what} in {n_stray:,} of {n_rows:,} rows, such as "{shortened(cell)}" in row {row + 1}'


def several_answers(series: PolarsSeries) -> str | None:
    """Return a cell that holds several answers, as surveys write them, if many of a column do; else None.

    Examples
    --------
    >>> import polars
    >>> several_answers(polars.Series(["bus;car", "car", "bike;bus", "bike;car;bus"] * 3))
    'bus;car'
    >>> several_answers(polars.Series(["bus", "car"])) is None
    True
    """
    cells = _text(series.head(LOOKED_AT)).drop_nulls()
    several = cells.filter(cells.str.contains(SEVERAL))
    if len(several) < max(LEAST_SEVERAL, SHARE_OF_SEVERAL * len(cells)):
        return None
    answers = [[part.strip() for part in re.split(r"[;|]", cell) if part.strip()] for cell in cells]
    n_answers = len({one for parts in answers for one in parts})
    n_used = sum(len(parts) for parts in answers)
    return str(several[0]) if TIMES_USED * n_answers <= n_used else None


def _of_times(series: PolarsSeries, dates: str | None) -> Found:
    if str(series.dtype).startswith("Duration"):
        return Found(Reading(DURATION, "s"), "", {})
    kind = TIME if str(series.dtype) == "Time" else DATE
    if dates is None or (kind == TIME and dates != "as-number"):
        return Found(None, f"a {kind}", {})
    unit = "hours" if kind == TIME else "days"
    return Found(Reading(kind, unit, part=dates), "", {})


def _polars() -> ModuleType:
    return require("polars", extra="cli", purpose="Reading tables")


def _text(series: PolarsSeries) -> PolarsSeries:
    return series.cast(_polars().String).str.strip_chars()


def _yes_no(cells: PolarsSeries) -> Reading | None:
    words = set(cells.head(LOOKED_AT).str.to_lowercase().unique().to_list())
    pair = next((pair for pair in YES_NO_WORDS if words <= set(pair)), None)
    return None if pair is None else Reading(YES_NO, "/".join(pair))


def yes_or_no(texts: PolarsSeries) -> PolarsSeries:
    """Return texts in which every word for yes or no is one of these two; other texts are as they were.

    Examples
    --------
    >>> import polars
    >>> yes_or_no(polars.Series(["Ja", "false", "perhaps"])).to_list()
    ['yes', 'no', 'perhaps']
    """
    words = {word: ("yes", "no")[at] for pair in YES_NO_WORDS for at, word in enumerate(pair)}
    found = texts.str.to_lowercase().replace_strict(words, default=None, return_dtype=_polars().String)
    return found.fill_null(texts)


def _yes_no_numbers(texts: PolarsSeries) -> PolarsSeries:
    values = {word: float(at == 0) for pair in YES_NO_WORDS for at, word in enumerate(pair)}
    return texts.str.to_lowercase().replace_strict(values, default=None, return_dtype=_polars().Float64)


def _parts(texts: PolarsSeries) -> PolarsSeries:
    """Return the parts of cells that hold a number and what stands beside it, one column each."""
    return texts.str.extract_groups(_CELL).struct.unnest()


def _affixed(cells: PolarsSeries) -> Reading | str | None:
    """Return how to read numbers with or without something beside them; a text says why that cannot be."""
    polars = _polars()
    first = _parts(cells.head(LOOKED_AT))
    if first["digits"].null_count() > (1 - MOSTLY) * len(first):
        return None
    parts = _parts(cells).filter(polars.col("digits").is_not_null())
    if len(parts) < MOSTLY * len(cells):
        return None
    units = _units(parts)
    counts = units.value_counts().sort(["count", "unit"], descending=[True, False])  # ties by name
    names = counts["unit"].to_list()
    if _one_name(counts["unit"]).n_unique() > 1:
        known = [name for name in names if _kind_of_unit(name) is not None or not name]
        if len(known) < len(names):
            return None  # numbers and words: "3a", "12 Main"
        pairs = zip(names, counts["count"], strict=True)
        listed = ", ".join(f"{name or 'none'} ({count:,})" for name, count in pairs)
        return f"mixed units: {shortened(listed)}"
    unit = names[0]
    kind = _kind_of_unit(unit) if unit else NUMBER
    if kind is None:
        if not (parts["gap"] != "").all():
            return None  # "3a": a code
        kind = QUANTITY
    decimal = _decimal_sign(parts["digits"], is_money=kind == MONEY)
    return None if decimal is None else Reading(kind, unit, decimal)


def _units(parts: PolarsFrame) -> PolarsSeries:
    """Return what stands beside each number: before it, after it, or nothing."""
    before, after = parts["before"].fill_null(""), parts["after"].fill_null("")
    return (before + after).str.strip_chars().str.replace(r"^°\s?c$", "°C").alias("unit")


def _one_name(units: PolarsSeries) -> PolarsSeries:
    """Return units, each by one of its names."""
    return units.replace(_FIRST_NAMES)


def _kind_of_unit(unit: str) -> str | None:
    """Return what a unit measures: money, percent, some quantity; None for a word that is not a unit."""
    if unit in ("%", "‰"):
        return PERCENT
    if unit in CURRENCIES or re.search(r"[$€£¥₹₩₽₺₴₿¢]", unit):
        return MONEY
    return QUANTITY if unit in UNITS or unit.startswith("°") else None


def _decimal_sign(digits: Any, *, is_money: bool) -> str | None:
    """Return the decimal sign that all numbers agree on; None where they contradict each other."""
    fits = {sign: bool(digits.str.contains(_valid(sign)).all()) for sign in ".,"}
    if fits["."] and fits[","]:
        # "1,234" has a thousands separator; "1.234" has one if it is money, which has two decimals
        return "," if is_money and bool(digits.str.contains(".", literal=True).any()) else "."
    mostly = {sign: float(digits.str.contains(_valid(sign)).mean()) for sign in ".,"}
    best = max(mostly, key=lambda sign: mostly[sign])
    return best if mostly[best] >= MOSTLY else None


def _valid(decimal: str) -> str:
    """Return the pattern of numbers with this decimal sign, with thousands separators or without."""
    other = "," if decimal == "." else "."
    sign = re.escape(decimal)
    return rf"^(?:\d+|[1-9]\d{{0,2}}(?:[{other}'’{_SPACES}]\d{{3}})+)(?:{sign}\d*)?$|^{sign}\d+$"


def _numbers(parts: Any, decimal: str) -> Any:
    polars = _polars()
    other = "," if decimal == "." else "."
    digits = polars.when(polars.col("digits").str.contains(_valid(decimal))).then(polars.col("digits"))
    plain = digits.str.replace_all(rf"[{other}'’{_SPACES}]", "").str.replace(decimal, ".", literal=True)
    number = (plain + polars.col("power").fill_null("")).cast(polars.Float64, strict=False)
    is_minus = polars.col("open").is_not_null() & polars.col("close").is_not_null()
    for name in ("sign", "inner"):
        is_minus = is_minus ^ polars.col(name).is_in(["-", "−"]).fill_null(False)
    return parts.select(polars.when(is_minus).then(-number).otherwise(number).alias("number")).to_series()


def _is_duration(name: str, cells: PolarsSeries) -> bool:
    """Return whether clock-like cells are spans of time: by the column's name, or hours without a zero."""
    if _DURATION_NAME.search(name):
        return True
    return bool(cells.head(LOOKED_AT).str.contains(r"^-?(\d:|\d{3,}:|2[4-9]:|[3-9]\d:)").any())


def _duration(cells: PolarsSeries) -> Reading | None:
    first = cells.head(LOOKED_AT)
    if first.str.contains(_CLOCK).mean() > MOSTLY:
        hours = first.str.extract(_CLOCK, 2).cast(_polars().Int64, strict=False).max()
        has_seconds = bool(first.str.contains(r":.*:").any())
        unit = "s" if has_seconds or hours is None or hours > 23 else "min"
        return Reading(DURATION, unit, form="clock")
    if first.str.contains(_SPOKEN).mean() > MOSTLY:
        return Reading(DURATION, "s", form="spoken")
    return None


def _clock_seconds(texts: PolarsSeries) -> PolarsSeries:
    """Return 1:30:00 as 5400, and 1:30 as 90: seconds of minutes, or minutes of hours."""
    polars = _polars()
    parts = texts.str.extract_groups(_CLOCK).struct.unnest()
    first, second = (polars.col(name).cast(polars.Float64, strict=False) for name in ("first", "second"))
    third = polars.col("third").str.replace(",", ".", literal=True).cast(polars.Float64, strict=False)
    total = (
        polars.when(third.is_null()).then(first * 60 + second).otherwise(first * 3600 + second * 60 + third)
    )
    signed = polars.when(polars.col("sign") == "-").then(-total).otherwise(total)
    return parts.select(signed.alias("number")).to_series()


def _spoken_seconds(texts: PolarsSeries) -> PolarsSeries:
    """Return "2h 5m" as 7500."""
    polars = _polars()
    parts = texts.str.extract_groups(_SPOKEN).struct.unnest()
    values = [
        polars.col(name).str.replace(",", ".", literal=True).cast(polars.Float64, strict=False)
        for name in parts.columns
    ]
    has_any = polars.any_horizontal([value.is_not_null() for value in values])
    total = sum(value.fill_null(0.0) * seconds for value, seconds in zip(values, _SECONDS, strict=True))
    return parts.select(polars.when(has_any).then(total).alias("number")).to_series()
