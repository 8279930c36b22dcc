"""Laws that all catalogues obey: a plural lists the entries, find_ looks one up."""

import importlib

import pytest

from coterie import cluster, distance, evaluate, select
from coterie.errors import InvalidParameter

CATALOGUES = {
    "method": (cluster.methods, cluster.find_method),
    "distance": (distance.distances, distance.find_distance),
    "measure": (evaluate.measures, evaluate.find_measure),
    "criterion": (select.criteria, select.find_criterion),
}


@pytest.mark.parametrize("what", CATALOGUES)
def test_every_entry_is_found_by_its_name(what):
    """Law: the list is a tuple without repeats, each entry is found by its name, other names are refused."""
    entries, find = CATALOGUES[what]
    names = [entry.name for entry in entries()]
    assert isinstance(entries(), tuple)
    assert len(set(names)) == len(names) > 0
    assert [find(name).name for name in names] == names
    with pytest.raises(InvalidParameter, match=f'no such {what} "nothing"'):
        find("nothing")


@pytest.mark.parametrize(
    ("module", "old", "new"),
    [
        ("coterie.cluster", "catalogue", "methods"),
        ("coterie.distance", "catalogue", "distances"),
        ("coterie.distance", "get_distance", "find_distance"),
        ("coterie.distance", "get_geometry", "find_geometry"),
    ],
)
def test_earlier_names_still_work(module, old, new):
    """Law: what had another name is found under it, with a warning that says the new one."""
    room = importlib.import_module(module)
    with pytest.warns(DeprecationWarning, match=rf"{module}\.{old} is deprecated: use {new}"):
        found = getattr(room, old)()
    entries = tuple(found.values()) if isinstance(found, dict) else found
    assert repr(entries) == repr(getattr(room, new)())
