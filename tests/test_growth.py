"""The command that measures growth: the model, the projection, and the page that keeps them."""

from pathlib import Path

import pytest

from benchmarks import growth, growth_chart, growth_methods, growth_page
from benchmarks.growth import METHODS, Measured
from benchmarks.growth_bounds import BOUNDS

BY_NAME = {method.name: method for method in METHODS}


def test_line_is_found() -> None:
    """Law: times that lie on a line give its two numbers, whatever their size."""
    a, b = growth_page.fit_line([1e6, 1e7, 1e8], [0.5 + 2e-7 * n for n in (1e6, 1e7, 1e8)])
    assert (a, b) == (pytest.approx(0.5), pytest.approx(2e-7))


@pytest.mark.parametrize(("x", "y"), [([10.0], [30.0]), ([10.0, 100.0], [29.0, 310.0])])
def test_no_time_is_negative(x: list[float], y: list[float]) -> None:
    """Law: one measurement, or two that would begin below zero, give times in proportion to the rows."""
    a, b = growth_page.fit_line(x, y)
    assert a == 0
    assert b == pytest.approx(3.0, rel=0.05)


def test_tasks_are_counted() -> None:
    """Law: passes see each block, trees each pair of blocks, boxes each part of a block."""
    assert growth_page.n_tasks(BY_NAME["KMeans"], 10) == 70
    assert growth_page.n_tasks(BY_NAME["SingleLinkage"], 10) == 45
    assert growth_page.n_tasks(BY_NAME["DBSCAN"], 10) == 130


def test_tables_say_what_was_measured_and_what_follows(tmp_path: Path) -> None:
    """Law: 1e-7 s per row are 10 s for the 1e8 rows of a worker; pages keep what is around the marks."""
    found = [Measured("KMeans", n, n * 6e-8, n * 1e-7, 100.0, n * 3e-8) for n in (10**6, 10**7)]
    text = growth_page.tables([BY_NAME["KMeans"]], found, 0.001, "a machine")
    assert "| `KMeans` | 1e7 | 0.6 | 100 | 100 MiB | 0.3 | 2.0 |" in text
    assert "| 100 ns | 10 s | 16.7 s | 26.7 s | below 2 GB |" in text
    page = tmp_path / "page.md"
    page.write_text(f"before\n{growth_page.BEGIN}\nold\n{growth_page.END}\nafter\n")
    growth_page.write(page, text)
    assert page.read_text() == f"before\n{growth_page.BEGIN}\n{text}\n{growth_page.END}\nafter\n"
    page.write_text("no marks")
    with pytest.raises(SystemExit, match="has no lines"):
        growth_page.write(page, text)


def test_the_page_of_the_documentation_has_the_marks() -> None:
    """Law: there is a place for the tables."""
    text = (Path(growth.__file__).parent.parent / "docs" / "scale.md").read_text(encoding="utf-8")
    assert text.index(growth_page.BEGIN) < text.index(growth_page.END)


def grown(power: float, *, axis: str = "n", factor: float = 1e-6) -> list[growth_methods.Measured]:
    """Return figures of a method that grows by a power of what is varied."""
    made = []
    for size in (1000, 10_000, 100_000):
        n, k = (size, 8) if axis == "n" else (5000, size)
        took = factor * size**power
        made.append(growth_methods.Measured("kmeans", axis, n, 8, k, took, took, took))
    return made


def test_exponent_is_that_of_the_power() -> None:
    """Law: figures that are a power of the size give its exponent; too small ones give none."""
    assert growth_methods.exponent(grown(1.5), "processor", 0.0) == pytest.approx(1.5)
    assert growth_methods.exponent(grown(1.5), "processor", 1e9) is None
    assert growth_methods.exponent(grown(2.0, axis="k"), "peak", 0.0) == pytest.approx(2.0)


def test_every_method_has_a_bound_and_a_reason() -> None:
    """Law: the table can say of every method of the catalogue what is known about it."""
    assert set(BOUNDS) == set(growth_methods.names())


@pytest.mark.parametrize(("power", "marked"), [(1.1, "| 1.10 |"), (1.7, "| **1.70** |")])
def test_growth_above_the_best_known_is_marked(tmp_path: Path, power: float, marked: str) -> None:
    """Law: an exponent well above the best known one is in bold; the picture is written beside the page."""
    found = {"kmeans": grown(power, factor=1e-4)}
    text = growth_chart.table(found, BOUNDS, "a machine", 10.0)
    assert marked in text
    assert "| `kmeans` | 1e5 |" in text
    growth_chart.draw(found, tmp_path / "growth.svg")
    assert "<svg" in (tmp_path / "growth.svg").read_text(encoding="utf-8")


def test_methods_are_measured_until_the_next_size_takes_too_long() -> None:
    """Law: one size follows another while the growth so far allows it, and the number of groups is varied."""
    heard: list[growth_methods.Measured] = []
    growth_methods.measure_all("kmeans", 0.0, heard.append)
    assert [one.n for one in heard if one.axis == "n"] == [1000]
    assert {one.axis for one in heard} == {"n", "d", "k"}


def test_the_page_of_growth_has_the_marks() -> None:
    """Law: there is a place for the table."""
    text = (Path(growth.__file__).parent.parent / "docs" / "growth.md").read_text(encoding="utf-8")
    assert text.index(growth_page.BEGIN) < text.index(growth_page.END)
