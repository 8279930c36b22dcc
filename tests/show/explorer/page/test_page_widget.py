"""The same page within a notebook: messages to the kernel instead of HTTP."""

import base64
from importlib.resources import files

import pytest

from coterie.show.explorer.launch import open_session
from coterie.show.explorer.widget import reply_to
from explorer_pages import Visit, write_book

pytestmark = pytest.mark.xdist_group("browser")

# what anywidget gives a widget: a model that sends messages and hears them
MODEL = """async source => {
  const bytes = text => Uint8Array.from(atob(text), one => one.charCodeAt(0));
  const listeners = [];
  const model = {
    on: (_, listener) => listeners.push(listener),
    send: async (message, _, buffers = []) => {
      const sent = buffers.map(one => btoa(String.fromCharCode(...new Uint8Array(one.buffer ?? one))));
      const [told, body] = await kernel(JSON.parse(JSON.stringify(message)), sent);
      listeners.forEach(one => one(told, [new DataView(bytes(body).buffer)]));
    },
  };
  const module = await import(URL.createObjectURL(new Blob([source], {type: 'text/javascript'})));
  module.default.render({model, el: document.getElementById('cell')});
}"""


def test_widget_shows_and_edits(browser, tmp_path):
    """Law: the widget shows the groups and changes the workbook of the kernel."""
    session = open_session(write_book(tmp_path))
    page = browser.new_page(viewport={"width": 1100, "height": 900})
    try:
        while session.need().k != 3:
            page.wait_for_timeout(50)

        def kernel(message, buffers):
            found = reply_to(session, message, [base64.b64decode(one) for one in buffers])
            headers = {name.lower(): one for name, one in found.headers.items()}
            told = {"kind": "response", "id": message["id"], "status": found.status, "headers": headers}
            return told, base64.b64encode(found.body).decode()

        page.expose_function("kernel", kernel)
        page.set_content("<div id=cell></div>")
        page.add_style_tag(content=(files("coterie.show.explorer") / "static/explorer.css").read_text())
        page.evaluate(MODEL, (files("coterie.show.explorer") / "static/widget.js").read_text())
        visit = Visit(page)
        visit.until("document.querySelectorAll('[data-testid=group-row]').length === 3")
        visit.get("group-row").nth(0).click()
        assert visit.get("selection-count").inner_text() == "50 rows"
        visit.get("rename").nth(0).fill("from a cell")
        page.keyboard.press("Enter")
        visit.until("document.querySelector('[data-testid=group-name]').innerText === 'from a cell'")
        assert session.need().names[0] == "from a cell"
    finally:
        page.close()
        session.close()
