"""Dates and times in text or as such: how they are written, and what numbers they give when asked for."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from coterie._printing import shortened
from coterie._support.optional import require
from coterie._support.typing import PolarsSeries
from coterie.errors import InvalidParameter, did_you_mean

DATE_PARTS = ("as-number", "year", "month", "weekday")
LOOKED_AT = 20
# By what cells look like, the forms in which they may be written, the likelier first.
_DAY = r"\d{4}-\d{1,2}-\d{1,2}"
_CLOCK = r"\d{1,2}:\d{2}"
_MONTH = r"[A-Za-z]{3,9}\.?"
SHORT_MOMENTS = tuple(
    f"{day} {clock}" for clock in ("%H:%M", "%H:%M:%S") for day in ("%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y")
)
HALF_DAYS = tuple(
    f"{day} {clock}" for clock in ("%I:%M %p", "%I:%M:%S %p") for day in ("%m/%d/%Y", "%d/%m/%Y")
)
DATE_FORMS = (
    (rf"^{_DAY}$", ("%Y-%m-%d",)),
    (rf"^{_DAY}[ T]{_CLOCK}$", ("%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M")),
    (rf"^{_DAY}[ T]{_CLOCK}:\d{{2}}$", ("%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S")),
    (rf"^{_DAY}[ T]{_CLOCK}:\d{{2}}\.\d+$", ("%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%dT%H:%M:%S%.f")),
    (
        rf"^{_DAY}[ T]{_CLOCK}:\d{{2}}(\.\d+)?\s?(Z|[+-]\d{{2}}:?\d{{2}})$",
        ("%Y-%m-%dT%H:%M:%S%.f%#z", "%Y-%m-%d %H:%M:%S%.f%#z"),
    ),
    (rf"^{_DAY}[ T].*$", ()),
    (r"^\d{4}/\d{1,2}/\d{1,2}$", ("%Y/%m/%d",)),
    (rf"^\d{{4}}/\d{{1,2}}/\d{{1,2}} {_CLOCK}(:\d{{2}})?$", ("%Y/%m/%d %H:%M", "%Y/%m/%d %H:%M:%S")),
    (r"^\d{1,2}\.\d{1,2}\.\d{4}$", ("%d.%m.%Y",)),
    (r"^\d{1,2}\.\d{1,2}\.\d{2}$", ("%d.%m.%y",)),
    (r"^\d{1,2}/\d{1,2}/\d{4}$", ("%d/%m/%Y", "%m/%d/%Y")),
    (r"^\d{1,2}/\d{1,2}/\d{2,3}$", ("%d/%m/%y", "%m/%d/%y")),
    (r"^\d{1,2}[./]\d{1,2}[./]\d{2,4}$", ()),
    (rf"^\d{{1,2}}[./]\d{{1,2}}[./]\d{{4}} {_CLOCK}(:\d{{2}})?$", SHORT_MOMENTS),
    (rf"^\d{{1,2}}/\d{{1,2}}/\d{{4}} {_CLOCK}(:\d{{2}})? [AaPp][Mm]$", HALF_DAYS),
    (r"^\d{1,2}-\d{1,2}-\d{4}$", ("%d-%m-%Y", "%m-%d-%Y")),
    (rf"^\d{{1,2}}\.? {_MONTH} \d{{4}}$", ("%d %b %Y", "%d %B %Y", "%d. %B %Y")),
    (rf"^{_MONTH} \d{{1,2}}, \d{{4}}$", ("%b %d, %Y", "%B %d, %Y")),
    (rf"^{_MONTH} \d{{1,2}} \d{{4}}$", ("%b %d %Y", "%B %d %Y")),
    (rf"^\d{{1,2}}-{_MONTH}-\d{{4}}$", ("%d-%b-%Y", "%d-%B-%Y")),
    (rf"^\d{{1,2}}-{_MONTH}-\d{{2}}$", ("%d-%b-%y",)),
)
TIME_FORMS = ((r"^\d{2}:\d{2}$", ("%H:%M",)), (r"^\d{2}:\d{2}:\d{2}$", ("%H:%M:%S",)))
HOUR = 3.6e12  # nanoseconds
DAY = 8.64e10  # microseconds


@dataclass(frozen=True)
class Written:
    """Dates or times of day in text: which of the two, and their form in the letters of strftime."""

    kind: str
    form: str

    def takes(self, part: str) -> bool:
        """Return whether that part can be had: a time of day has no year."""
        return self.kind == "date" or part == "as-number"

    def unit(self, part: str) -> str:
        """Return what numbers count."""
        return ("days" if self.kind == "date" else "hours") if part == "as-number" else part


def check_dates(dates: str | None) -> None:
    """Refuse a use of dates that does not exist.

    Examples
    --------
    >>> check_dates("year")
    """
    if dates is not None and not (isinstance(dates, str) and dates in DATE_PARTS):
        near, given = did_you_mean(dates, DATE_PARTS), shortened(repr(dates))
        wrong = f"dates must be one of {', '.join(DATE_PARTS)}, got {given}.{near}"
        raise InvalidParameter(wrong).in_shell(f"--{wrong}")


def date_format(cells: PolarsSeries) -> Written | None:
    """Return how cells of text are written if the first of them are dates or times of day; else None.

    Examples
    --------
    >>> import polars
    >>> date_format(polars.Series(["31.12.2020", "01.02.2021"]))
    Written(kind='date', form='%d.%m.%Y')
    """
    first = cells.head(LOOKED_AT)
    for kind, forms in (("date", DATE_FORMS), ("time", TIME_FORMS)):
        looks = [ways for pattern, ways in forms if first.str.contains(pattern).all()]
        if looks:
            return Written(kind, _best_form(cells, [form for ways in looks for form in ways]))
        if kind == "date" and all(_looks_like_date(text, forms) for text in first):
            return Written(kind, "")
    return None


def date_numbers(series: PolarsSeries, form: str, part: str) -> PolarsSeries:
    """Return a part of dates as numbers: days since 1970, the year, the month, the weekday (Monday is 1).

    Examples
    --------
    >>> import polars
    >>> date_numbers(polars.Series(["1970-01-02", "2000-03-01"]), "%Y-%m-%d", "as-number").to_list()
    [1.0, 11017.0]
    """
    polars = require("polars", extra="cli", purpose="Reading tables")
    if series.dtype == polars.String:
        series = _parsed(series.str.strip_chars(), form)
    if series.dtype == polars.Time:
        return (series.cast(polars.Int64) / HOUR).alias(series.name)
    if part == "as-number":
        return (series.cast(polars.Datetime("us")).cast(polars.Int64) / DAY).alias(series.name)
    return getattr(series.dt, part)().cast(polars.Float64)


def _looks_like_date(text: str, forms: Any) -> bool:
    return any(re.match(pattern, text) for pattern, _ in forms)


def _best_form(cells: PolarsSeries, forms: list[str]) -> str:
    """Return the form that most cells can be read by; of equals the first."""
    some = cells.head(1000)
    counts = {form: int(_parsed(some, form).is_not_null().sum()) for form in dict.fromkeys(forms)}
    return max(counts, key=lambda form: counts[form]) if counts else ""


def _parsed(texts: PolarsSeries, form: str) -> PolarsSeries:
    polars = require("polars", extra="cli", purpose="Reading tables")
    if not form:
        return polars.Series(texts.name, [None] * len(texts), dtype=polars.Date)
    if "%Y" not in form and "%y" not in form:
        return texts.str.to_time(form, strict=False)
    if "%z" in form or "%#z" in form:
        return texts.str.to_datetime(form, strict=False, time_zone="UTC")
    if "%H" in form or "%I" in form:
        return texts.str.to_datetime(form, strict=False, time_unit="us")
    return texts.str.to_date(form, strict=False)
