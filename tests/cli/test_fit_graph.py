"""``coterie fit --graph``: communities of a file of edges."""

import json
import re

import pytest

from coterie.cluster import leiden
from karate_club import KARATE


@pytest.fixture
def edges(tmp_path):
    path = tmp_path / "edges.csv"
    path.write_text("source,target\n" + "".join(f"n{a},n{b}\n" for a, b in KARATE))
    return path


def test_the_shell_writes_a_label_per_node(cli, edges, tmp_path):
    """Law: labels are written with the ids of the nodes; JSON holds the sizes and the test."""
    out = tmp_path / "labels.csv"
    code, printed, _ = cli("fit", edges, "--graph", "--json", "--budget", "fast", "-o", out)
    assert code == 0
    facts = json.loads(printed)
    assert facts["modularity"] == pytest.approx(leiden(KARATE).modularity, abs=0.02)
    assert facts["significance"]["null"] == "configuration"
    lines = out.read_text().splitlines()
    assert lines[0] == "node,label,group"
    assert len(lines) == 35
    assert lines[1].startswith("n1,")


def test_columns_are_named_or_asked_for(cli, tmp_path):
    """Law: where columns cannot be told, the message asks for them; named, they are used."""
    path = tmp_path / "calls.csv"
    path.write_text("day,caller,callee,minutes\n" + "".join(f"{a},x{a},x{b},{a + 1}\n" for a, b in KARATE))
    code, _, said = cli("fit", path, "--graph")
    assert code == 2
    assert "--columns SOURCE,TARGET" in said
    code, printed, _ = cli("fit", path, "--graph", "--columns", "caller,callee,minutes", "--no-believe")
    assert code == 0
    assert "34 nodes, 78 edges" in printed
    code, _, said = cli("fit", path, "--graph", "--columns", "caller,called")
    assert code == 2
    assert "There are day, caller, callee, minutes" in said


def test_options_of_rows_are_refused_in_the_shell(cli, edges, tmp_path):
    """Law: -k, --save and --directed without --graph are refused."""
    for words, expected in [
        (("--graph", "-k", "3"), "takes no number of groups"),
        (("--graph", "--save", tmp_path / "m.safetensors"), "--save needs rows"),
        (("--graph", "--scale", "robust"), "about rows"),
        (("--directed",), "goes with --graph"),
    ]:
        code, _, said = cli("fit", edges, *words)
        assert code == 2, words
        assert expected in said


def test_bad_edges_are_refused_in_the_shell(cli, tmp_path):
    """Law: a negative weight is refused with the nodes that it stands at."""
    path = tmp_path / "edges.csv"
    path.write_text("source,target,weight\na,b,1\nb,c,-2\n")
    code, _, said = cli("fit", path, "--graph")
    assert code == 2
    assert "got -2 at b - c" in said


def test_a_report_draws_the_nodes(cli, edges, tmp_path):
    """Law: --report writes a page with the nodes on a map; groups are told by their central nodes."""
    code, printed, _ = cli("fit", edges, "--graph", "--report", tmp_path / "r.html")
    assert code == 0
    assert "central nodes" in printed
    page = (tmp_path / "r.html").read_text()
    assert "Nodes with edges pull each other" in page
    assert "Where the nodes lie" in page
    held = json.loads(re.search(r'type="application/json"[^>]*>(.*?)</script>', page, re.DOTALL)[1])
    assert held["units"] == ["node", "nodes"]
    names = held["sample"]["names"]
    drawn = {frozenset(names[end] for end in pair) for pair in held["maps"][0]["links"]}
    assert drawn == {frozenset(f"n{end}" for end in edge) for edge in KARATE}


@pytest.mark.parametrize("kind", ["ids", "places", "names"])
def test_nodes_and_links_of_json(cli, tmp_path, kind):
    """Law: links name nodes by id or by place; a network is not a table, and the way out is told."""
    names = [f"n{at}" for at in range(1, 35)]
    nodes = [{"id": name} if kind == "ids" else {"name": name} if kind == "names" else {} for name in names]
    ends = [(f"n{a}", f"n{b}") if kind == "ids" else (a - 1, b - 1) for a, b in KARATE]
    links = [{"source": a, "target": b, "value": 1} for a, b in ends]
    path = tmp_path / "karate.json"
    path.write_text(json.dumps({"nodes": nodes, ("edges" if kind == "ids" else "links"): links}))
    out = tmp_path / "labels.csv"
    code, printed, _ = cli("fit", path, "--graph", "--no-believe", "-o", out)
    assert (code, "34 nodes, 78 edges" in printed) == (0, True)
    assert {line.split(",")[0] for line in out.read_text().splitlines()[1:]} == (
        set(map(str, range(34))) if kind == "places" else set(names)
    )
    code, _, said = cli("fit", path)
    assert (code, "Add --graph" in said) == (2, True)


def test_links_to_nodes_that_are_not_there(cli, tmp_path):
    """Law: a link beyond the nodes is refused with its number."""
    path = tmp_path / "bad.json"
    path.write_text('{"nodes": [{}, {}], "links": [{"source": 0, "target": 2}]}')
    code, _, said = cli("fit", path, "--graph")
    assert (code, "a link names node 2, but there are 2 nodes" in said) == (2, True)
