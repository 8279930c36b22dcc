"""One Playwright for all tests in a browser: a process can run only one at a time."""

import shutil

import pytest


@pytest.fixture(scope="session")
def playwright_running():
    """Run Playwright, or skip with the reason why no browser can be driven."""
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="playwright is not installed: pip install playwright"
    )
    if not any(map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))):
        pytest.skip("no Chromium here: apt-get install chromium (`make test` does, where it may)")
    with playwright.sync_playwright() as running:
        yield running
