"""The gallery shows every plot, and is what its catalogue says."""

import subprocess
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
DRAWN_HERE = ("clusplot", "dendrogram", "tanglegram", "kmeans_animation")  # one of each kind of result


@pytest.fixture
def gallery(monkeypatch):
    """Import the script that draws the gallery."""
    monkeypatch.syspath_prepend(DOCS)
    import make_gallery

    return make_gallery


def test_the_gallery_is_up_to_date():
    """Law: every plot has a picture, the page is that of the catalogue, and the files are small together."""
    command = [sys.executable, str(DOCS / "make_gallery.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_entries_draw_pictures(gallery, tmp_path, monkeypatch):
    """Law: the lines of an entry end in Axes, a Figure or a file, which becomes a small picture."""
    monkeypatch.chdir(tmp_path)
    namespace = {}
    exec(compile(gallery.PRELUDE, "prelude", "exec"), namespace)
    namespace["model"] = namespace["KMeans"](4, random_state=0, history=True).fit(namespace["X"])
    for entry in gallery.entries():
        if entry.plot in DRAWN_HERE:
            picture = gallery.picture_of(gallery.draw(entry, namespace))
            assert picture[:4] in (b"\x89PNG", b"GIF8")
            assert len(picture) < 200_000
            plt.close("all")
