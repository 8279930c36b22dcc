"""One Chromium for all browser tests; where there is none, they say so."""

import shutil
from types import SimpleNamespace

import pytest

from coterie.show.report import build_facts, render
from report_subjects import iris_subject

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@pytest.fixture(scope="package", autouse=True)
def short_tsne():
    """Let t-SNE place few rows: what is tested is something else."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("coterie.show.layout.planes.MOST_TSNE_ROWS", 40)
        yield


@pytest.fixture(scope="package")
def iris_facts(short_tsne):
    """Return the facts of the report that most tests look at."""
    return build_facts(iris_subject(with_tree=True))


@pytest.fixture(scope="package")
def iris_page(iris_facts):
    """Return its page, as text."""
    return render(iris_facts)


@pytest.fixture(scope="session")
def browser(playwright_running):
    launched = playwright_running.chromium.launch(executable_path=CHROMIUM, args=list(ARGUMENTS))
    yield launched
    launched.close()


@pytest.fixture(scope="module")
def visit(browser):
    """Open a file; return the page, what it complained about and what it wanted to fetch."""
    contexts = []

    def open_page(path, **how):
        context = browser.new_context(
            accept_downloads=True, **({"viewport": {"width": 1280, "height": 900}} | how)
        )
        contexts.append(context)
        page = context.new_page()
        seen = SimpleNamespace(page=page, errors=[], requests=[], dialogs=[])
        page.on(
            "console", lambda message: seen.errors.append(message.text) if message.type == "error" else None
        )
        page.on("pageerror", lambda error: seen.errors.append(str(error)))
        page.on("request", lambda request: seen.requests.append(request.url))
        page.on("dialog", lambda dialog: (seen.dialogs.append(dialog.message), dialog.dismiss()))
        page.goto(path.as_uri())
        page.wait_for_function("document.documentElement.dataset.drawn === 'all'")
        return seen

    yield open_page
    for context in contexts:
        context.close()


@pytest.fixture(scope="module")
def iris_file(tmp_path_factory, iris_page):
    path = tmp_path_factory.mktemp("report") / "iris.html"
    path.write_text(iris_page, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def opened(visit, iris_file):
    return visit(iris_file)


@pytest.fixture
def iris(opened):
    """Return the page of iris as it is when it opens; opening it anew takes plotly a second."""
    opened.page.evaluate(
        "const {store, selection} = coterie;"
        "delete document.documentElement.dataset.theme;"
        "store.select(selection.nothing); store.setStop(store.state.facts.chosen)"
    )
    opened.page.fill("#search", "")
    return opened
