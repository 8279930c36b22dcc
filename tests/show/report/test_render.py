"""The file: complete in itself, within its bounds, with every name escaped."""

import re
from importlib.resources import files

import numpy as np
import pytest

from coterie.errors import ExistingFile
from coterie.show.policy import content_policy
from coterie.show.report import build_facts, render, write_subject
from coterie.show.report.render import SCRIPTS
from report_subjects import hostile_subject, make_subject


def own_part(page):
    """Return the page without plotly's script."""
    return re.sub(r'<script type="text/plain" id="plotly">.*?</script>', "", page, flags=re.DOTALL)


def test_every_script_of_the_folder_is_in_the_page(iris_page):
    """Law: scripts, style and templates are part of the package, and all scripts are used."""
    folder = files("coterie.show.report") / "js"
    assert sorted(path.name for path in folder.iterdir()) == sorted(f"{name}.js" for name in SCRIPTS)
    for name in SCRIPTS:
        assert (folder / f"{name}.js").read_text().strip() in iris_page


def test_page_refers_to_nothing_outside(iris_page):
    """Law: no link, image, script or style of another address; and a policy that would forbid it."""
    part = own_part(iris_page)
    assert re.findall(r"""(?:src|href)\s*=\s*["']?(?!#)(\w+:|//)""", part) == []
    assert "default-src &#39;none&#39;" in part


def test_policy_allows_these_scripts_alone():
    """Law: the policy names each script by its digest and allows no other inline script."""
    policy = content_policy(["a", "b"])
    assert policy.count("sha256-") == 2
    assert "script-src" in policy
    assert "unsafe-inline" not in policy.split("script-src")[1].split(";")[0]


def test_answer_comes_first_and_all_parts_are_there(iris_page):
    """Law: the heading is the answer; every part that has facts is on the page, in words, without scripts."""
    assert iris_page.index("<h1>3 groups</h1>") < iris_page.index('id="map"')
    for words in (
        "Silhouette", "How many groups", "Columns by groups", "Against the truth", "Stability", "Null test",
        "Runners-up", "Left out", "How it was computed", "--report</span>", "setosa",
    ):  # fmt: skip
        assert words in iris_page, words


def test_names_are_escaped_everywhere():
    """Law: no name from data opens a tag; JSON cannot end its element."""
    part = own_part(render(build_facts(hostile_subject())))
    assert "<script>alert" not in part
    assert "<img" not in part
    scripts = part.count("<script")
    assert scripts == part.count("</script>") == 1 + len(SCRIPTS)


@pytest.mark.parametrize("k", [2, 400])
def test_any_table_stays_under_eight_megabytes(tmp_path, k):
    """Law: many rows, columns, groups, classes, labelings and long names still fit into 8 MB."""
    rng = np.random.default_rng(0)
    n, d = 4_200, 30
    X = rng.normal(size=(n, d)) * 1e5
    labels = rng.permutation(np.arange(n) % k)
    labelings = {other: rng.permutation(np.arange(n) % other) for other in range(2, 40)}
    names = ["<名" * 80 + str(row) for row in range(n)]
    subject = make_subject(
        X, [f"{at} " + "&<>" * 40 for at in range(d)], labels, labelings=labelings, row_names=names,
        classes=[names[row % 300] for row in range(n)],
    )  # fmt: skip
    path = write_subject(subject, tmp_path / "large.html")
    assert path.stat().st_size < 8_000_000


def test_existing_file_is_kept_unless_forced(tmp_path):
    """Law: a report never replaces a file unless told so."""
    path = tmp_path / "out.html"
    path.write_text("mine")
    subject = make_subject(np.arange(12.0).reshape(6, 2), "xy", [0, 0, 0, 1, 1, 1])
    with pytest.raises(ExistingFile, match=r"out.html exists. Use force=True to replace it"):
        write_subject(subject, path)
    assert write_subject(subject, path, title="Six points", force=True) == path
    assert "Six points" in path.read_text()
