"""``--json``: one value that every reader of JSON takes, with keys that are made for programs."""

import json
import re

import numpy as np
import pytest

from coterie.cli.render.machines import print_json

CATALOGUES = {
    "methods": {"name", "needs_k", "summary"},
    "distances": {"name", "aliases", "is_metric", "domain", "parameters", "summary"},
    "measures": {"name", "symbol", "range", "direction", "needs", "summary", "noise", "reference"},
    "criteria": {"name", "direction", "needs", "rule", "summary", "reference"},
    "plots": {"name", "summary"},
}
# what stands under these is keyed by columns of the data, numbers of groups, packages
BY_NAME = {"center", "effects", "votes", "packages"}
COMMANDS = [
    *CATALOGUES,
    "config",
    "fit customers.csv -k 3",
    "fit customers.csv --method dbscan",
    "fit customers.csv -k 2..3 --method kmeans --budget fast",
    "select customers.csv -k 2..3 --criterion silhouette",
    "compare customers.csv --methods kmeans -k 3",
    "tree customers.csv -k 3",
    "evaluate groups.csv --data customers.csv",
    "evaluate groups.csv --truth group",
    "predict model.safetensors customers.csv",
]


def strictly(text):
    def refuse(name):
        raise AssertionError(f"{name} is no JSON")

    return json.loads(text, parse_constant=refuse)


def keys_of(facts):
    if isinstance(facts, dict):
        for key, value in facts.items():
            yield key
            if key not in BY_NAME:
                yield from keys_of(value)
    elif isinstance(facts, list):
        for value in facts:
            yield from keys_of(value)


@pytest.fixture
def shop_with_groups(shop, cli):
    (shop / "customers.csv").write_text(
        "\n".join((shop / "customers.csv").read_text().splitlines()[:201]) + "\n"
    )
    made = cli("fit", "customers.csv", "-k", 3, "-o", "groups.csv", "--save", "model.safetensors")
    assert made[0] == 0


@pytest.mark.usefixtures("shop_with_groups")
@pytest.mark.parametrize("command", COMMANDS)
def test_output_is_strict_json_with_keys_for_programs(cli, command):
    """Law: --json prints one value without NaN, nothing beside it, and its keys are names of programs."""
    code, out, err = cli(*command.split(), "--json")
    assert (code, err) == (0, "")
    strange = {key for key in keys_of(strictly(out)) if not re.fullmatch(r"[a-z][a-z0-9_]*", key)}
    assert not strange


def test_groups_of_a_table_with_categories(cli, tmp_path, monkeypatch):
    """Law: centres and effects have a number per column, or per category of a column."""
    monkeypatch.chdir(tmp_path)
    cells = [(i % 2 * 9 + i % 7 / 10, "free" if i % 2 else "pro", i) for i in range(60)]
    (tmp_path / "mixed.csv").write_text("age,plan,n\n" + "".join(f"{a},{b},{c % 5}\n" for a, b, c in cells))
    code, out, _ = cli("fit", "mixed.csv", "-k", 2, "--budget", "fast", "--json")
    assert code == 0
    for group in strictly(out)["groups"]:
        assert list(group["center"]) == list(group["effects"])
        assert len(group["center"]) == 4
        assert "plan = pro" in group["center"]


@pytest.mark.parametrize(("command", "keys"), CATALOGUES.items())
def test_facts_of_catalogues(cli, command, keys):
    """Law: entries of a catalogue have the same keys, those of the facts that Python has."""
    entries = strictly(cli(command, "--json")[1])
    assert all(set(entry) == keys for entry in entries)


def test_facts_are_values_not_words(cli):
    """Law: what is a list or a truth value in Python is one for machines too."""
    of_methods = {entry["name"]: entry for entry in strictly(cli("methods", "--json")[1])}
    assert of_methods["kmeans"]["needs_k"] is True
    assert of_methods["dbscan"]["needs_k"] is False
    of_distances = {entry["name"]: entry for entry in strictly(cli("distances", "--json")[1])}
    assert of_distances["manhattan"]["aliases"] == ["cityblock", "l1", "taxicab"]
    assert of_distances["minkowski"]["parameters"] == ["p", "w"]


def test_numbers_that_json_does_not_know_are_null(capsys):
    """Law: infinities and NaN become null, however deep they stand."""
    print_json({"a": [1.0, float("nan")], "b": {"c": (float("inf"), "NaN", np.float64("-inf"))}})
    assert strictly(capsys.readouterr().out) == {"a": [1.0, None], "b": {"c": [None, "NaN", None]}}
