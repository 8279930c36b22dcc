"""One Chromium for all tests of the page, one server and one page per module; tests begin at one state."""

import pytest

from explorer_pages import end, launch, open_page, start_browser, write_book


@pytest.fixture(scope="package")
def browser(playwright_running):
    yield from start_browser(playwright_running)


@pytest.fixture(scope="module")
def explorer(browser, tmp_path_factory):
    """Run the server of a workbook with 150 rows in three groups."""
    folder = tmp_path_factory.mktemp("explorer")
    running = launch(write_book(folder), folder)
    yield running
    end(running)


@pytest.fixture(scope="module")
def opened(browser, explorer):
    visit = open_page(browser, explorer)
    visit.until("coterie.state().k === 3")
    yield visit
    visit.page.context.close()


@pytest.fixture
def visit(opened):
    """Return the page with its three groups and nothing selected."""
    opened.page.evaluate(
        "async () => { const {store, map} = coterie.page; await store.act(() => store.api.jump(1));"
        " store.select([]); store.go('groups'); document.activeElement?.blur();"
        " if (store.colourBy !== 'group') await store.setColour('group');"
        " if (store.mapKind.kind !== 'pca') await store.setMap({kind: 'pca'}); map.fit(); }"
    )
    opened.until("coterie.state().log_length === 1 && coterie.state().k === 3")
    opened.settle()
    opened.errors.clear()
    return opened
